// Kernels and units of kernels in CUDA C++.
#include "codegen/cuda/cuda_language.h"

#include <algorithm>

#include "codegen/cuda/cuda_printer.h"
#include "codegen/cuda/spread.h"

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

std::string_view cuda_lacks(const Kernel& kernel) {
  const KernelOutline outline(kernel);
  const Spread spread(outline);
  for (int i = 0; i < outline.size(); ++i) {
    if (outline[i].code == Code::update_rows) return "rows that are added in order";
    if (outline[i].code == Code::transpose && spread.threads_around(i) >= 0)
      return "blocks of a matrix that single threads transpose";
  }
  return {};
}

constinit const Language cuda_language{cuda_kernel, cuda_unit};

}  // namespace gnomon
