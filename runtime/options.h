// The environment variables Gnomon reads: all of them, in one place.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gnomon {

/// One environment variable and what it does.
struct EnvironmentVariable {
  std::string_view name, doc;
};

/// Every variable Gnomon reads, for help texts.
std::span<const EnvironmentVariable> environment_variables();

/// The value of a variable of the table above; empty values count as unset.
std::optional<std::string> environment(std::string_view name);

/// GNOMON_CACHE_DIR, else $XDG_CACHE_HOME/gnomon, else ~/.cache/gnomon, else a folder per user
/// under the temporary folder.
std::filesystem::path default_cache_folder();

/// TMPDIR, else /tmp.
std::filesystem::path temporary_folder();

/// GNOMON_NUM_THREADS (ValueError unless a positive integer), else the CPUs this process may use.
int default_thread_count();

/// The CPUs this process may use: its affinity mask; at least 1.
int available_cpus();

/// GNOMON_BLAS: the BLAS library to open in place of the search.
std::optional<std::string> blas_override();

/// GNOMON_PROFILE: whether all functions are compiled with the option `profile`.
bool profiles_all();

/// GNOMON_LOG: the subjects of lines about the library's work: see runtime/log.h.
std::optional<std::string> log_text();

/// GNOMON_DUMP: the folder that receives each stage of each compilation.
std::optional<std::string> dump_folder();

}  // namespace gnomon
