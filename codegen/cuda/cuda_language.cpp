// Kernels and units of kernels in CUDA C++.
#include "codegen/cuda/cuda_language.h"

#include "codegen/cuda/cuda_printer.h"

namespace gnomon {

namespace {

KernelText cuda_kernel(const Kernel& kernel, const std::string& name,
                       const DimensionNames& dimension) {
  return CudaPrinter(kernel, dimension).print(name);
}

std::string cuda_unit(const std::string& functions, const std::set<std::string>& headers) {
  return unit_head(headers) + functions;
}

}  // namespace

constinit const Language cuda_language{cuda_kernel, cuda_unit};

}  // namespace gnomon
