// What Gnomon is, and what it found on this machine: for reports of bugs and for curiosity.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/machine_limits.h"
#include "runtime/hardware.h"

namespace gnomon {

/// "0.1.0".
const char* version();

/// A library that is opened at run time.
struct FoundLibrary {
  bool found = false;
  std::string description;  ///< its file or version, or why there is none
};

struct Configuration {
  std::string version, build;
  std::string processor;  ///< `Target::name`, part of every key
  std::string model;      ///< its maker's name, or ""
  std::vector<std::string> features;
  int vector_bytes = 0;
  int cpus = 0;   ///< that this process may use
  int cores = 0;  ///< of these; 0: not known
  int threads = 0;
  std::vector<ProcessorCache> caches;
  MemorySize memory;
  FoundLibrary compiler, blas, lapack, nvrtc, cublas, cufft, cusolver, cuda_driver;
  std::string blas_core;  ///< the kernels that OpenBLAS chose, or ""
  std::string cache_folder;
  std::string cache_problem;  ///< why the folder is not used, or ""
  std::int64_t cache_functions = 0, cache_bytes = 0;
  std::string cost_model;
  std::optional<MachineLimits> limits;  ///< where a profile has measured them
  /// The variables that Gnomon reads and that are set.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Opens the libraries, which takes some milliseconds. ValueError when GNOMON_NUM_THREADS is no
/// number of threads.
Configuration configuration();

/// Lines for people.
std::string text(const Configuration& found);
/// One object of JSON.
std::string json_text(const Configuration& found);

}  // namespace gnomon
