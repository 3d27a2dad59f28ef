// Kernels that are alike, but for their names or for their numbers: they become one function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

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

/// Kernels that do the same with other numbers, as those of the steps of an unrolled loop.
struct KernelFamily {
  std::vector<std::size_t> members;  // at least `fewest_of_family`
  /// The statements, constants and extents, whose numbers the members do not share.
  std::vector<std::int32_t> numbers;
};

/// In fewer the compiler's work on what it can tell of numbers is worth its time.
constexpr std::size_t fewest_of_family = 4;

/// The families among kernels of which no two are alike. Numbers that decide what is printed are
/// the same in a family: those of short loops, of steps between lanes, and what lanes of integers
/// are computed with.
std::vector<KernelFamily> families_of(std::span<const Kernel* const> kernels);

/// The kernel with those numbers as parameters by value, in that order behind its buffers.
Kernel with_parameters(const Kernel& kernel, std::span<const std::int32_t> numbers);

}  // namespace gnomon
