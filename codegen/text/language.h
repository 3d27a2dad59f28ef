// What a language is to the rest of codegen: how one target spells kernels and units of them.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace gnomon {

/// Text of one kernel function and the prelude files it needs.
struct KernelText {
  std::string comment;  ///< lines to stand above it: what it computes
  std::string text;
  std::set<std::string> headers;
  std::size_t statements = 0;
  /// Slots of the dimensions that are parameters of their own.
  std::vector<int> dimensions = {};
  /// Blocks of threads would have to wait for one another, so there may be one only.
  bool one_block = false;
};

/// A symbol or value of dimensions: its slot in `dims` and the name to show.
struct DimensionName {
  int slot;
  std::string name;
};
using DimensionNames = std::function<DimensionName(const Atom&)>;

/// One record a target: `cpu_language`, `cuda_language`.
struct Language {
  /// The kernel as a function `name`.
  KernelText (*kernel)(const Kernel& kernel, const std::string& name,
                       const DimensionNames& dimension);
  /// A unit of kernel functions: includes, names of types, then `functions`.
  std::string (*unit)(const std::string& functions, const std::set<std::string>& headers);
};

/// What units begin with in every language: the prelude, names of types, and `headers`.
std::string unit_head(const std::set<std::string>& headers = {});

}  // namespace gnomon
