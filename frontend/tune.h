// Measures the constants of the cost model on this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/toolchain/machine.h"

namespace gnomon {

/// What was found about one constant.
struct TunedConstant {
  std::string_view name;
  std::int64_t standard = 0;  ///< the default value
  std::int64_t best = 0;      ///< of those tried; the default unless another was clearly faster
  double gain = 1;            ///< time with the default / time with `best`
  double noise = 1;           ///< the same ratio of two functions that are both the default
  /// Each value and how many times faster than the default it was.
  std::vector<std::pair<std::int64_t, double>> tried;
  std::string note;  ///< why it was not measured, or ""

  /// Lines for people.
  std::string text() const;
};

struct TuneOptions {
  /// Where the result is stored; empty: the default cache folder, where `compile` looks for it.
  std::filesystem::path folder;
  /// Store the result. Functions that later processes compile are made with it.
  bool store = true;
  /// The constants to measure, by name; none: all. ValueError on another name.
  std::vector<std::string> names;
  /// How often each function is timed, twice.
  int rounds = 15;
  /// Gets the name of each constant before it is measured, its place from 0 and how many there are.
  std::function<void(std::string_view, std::size_t, std::size_t)> begin = {};
  /// Gets each constant as soon as it is measured.
  std::function<void(const TunedConstant&)> progress = {};
};

/// The constants measured, and those of this process for the others.
struct Tuning {
  Machine machine;
  std::vector<TunedConstant> constants;
  std::filesystem::path path;  ///< of the file; empty when nothing was stored
};

/// Times functions made with different constants, in turn, on an otherwise idle machine: seconds.
/// CompileError without a toolchain, DeviceError when the file cannot be written.
Tuning tune(const TuneOptions& options = {});

}  // namespace gnomon
