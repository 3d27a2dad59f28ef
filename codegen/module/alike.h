// Kernels that differ in nothing but names: they become one function.
#pragma once

#include <cstddef>
#include <functional>

#include "ir/kernel/kernel.h"

namespace gnomon {

/// Whether two kernels of one module compute the same, statement by statement.
bool are_alike(const Kernel& a, const Kernel& b);

/// Equal for kernels that are alike.
std::size_t hash_of(const Kernel& kernel);

/// For containers of kernels.
struct AlikeHash {
  std::size_t operator()(const Kernel* kernel) const { return hash_of(*kernel); }
};
struct Alike {
  bool operator()(const Kernel* a, const Kernel* b) const { return are_alike(*a, *b); }
};

}  // namespace gnomon
