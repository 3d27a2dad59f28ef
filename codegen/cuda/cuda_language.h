// CUDA C++, in which kernels for NVIDIA's devices are spelled.
#pragma once

#include "codegen/text/language.h"

namespace gnomon {

/// Lanes are threads: `vector` and `thread` axes run over the threads of a block, a `parallel` axis
/// around them over blocks, one without over all threads. Parameters are the dimensions that it
/// reads, its buffers, `char* scratch, i64 scratch_bytes` (of each block) if the kernel has scratch
/// and `gn::Failure* failure` if it checks.
extern const Language cuda_language;

/// What a kernel has that is not spelled in CUDA C++, in words; or empty.
std::string_view cuda_lacks(const Kernel& kernel);

}  // namespace gnomon
