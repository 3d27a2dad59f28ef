// What the operating system says of the processor and the memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gnomon {

/// A cache of the processor.
struct ProcessorCache {
  int level = 0;
  std::string kind;  ///< "data", "instruction" or "unified"
  std::int64_t bytes = 0;
  std::string shared_by;  ///< CPUs: "0-3,8"
};

/// The caches that the first CPU reaches, the nearest first; none where the system does not tell.
std::vector<ProcessorCache> processor_caches();

/// The level of the x86-64 instructions that the processor has: 4 has AVX-512, 3 has AVX2; 1 for
/// those below, and on other processors.
int x86_level();

/// The model as its maker calls it, or "".
std::string processor_model();

/// The cores of the CPUs this process may use: two CPUs may be threads of one. 0 where the system
/// does not tell.
int available_cores();

/// Memory of the machine, in bytes; 0 where the system does not tell.
struct MemorySize {
  std::int64_t total = 0, available = 0;
};
MemorySize memory_size();

}  // namespace gnomon
