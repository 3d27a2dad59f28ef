// How fast this machine moves memory and computes, as measured: what profiles compare steps with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gnomon {

/// The most that all threads reach together. 0: not measured, for want of a compiler.
struct MachineLimits {
  double bytes_per_second = 0;       ///< of arrays larger than the caches
  double operations_per_second = 0;  ///< additions and multiplications of float64, in registers
  double single_per_second = 0;      ///< the same of float32
};

/// Those of this process's processor and number of threads. The first process measures them, which
/// takes half a second, and keeps them in the folder (the default: that of the cache); they are
/// measured again for another processor or number of threads, and when the file is damaged. Where
/// the folder cannot be used, each process measures.
MachineLimits machine_limits(const std::string& folder = {});

/// What the folder's file says of this processor and number of threads, if it does.
std::optional<MachineLimits> stored_machine_limits(const std::string& folder = {});

/// The file in a folder.
std::string machine_limits_file(const std::string& folder);

/// Reads the text of such a file. Nothing: it is of another processor or number of threads, or says
/// what cannot be.
std::optional<MachineLimits> parse_machine_limits(std::string_view text, std::string_view processor,
                                                  int threads);

}  // namespace gnomon
