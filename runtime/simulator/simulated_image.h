// What images for the simulated device have for the simulator: one C header for both sides.
#pragma once

#include <stdint.h>

extern "C" {

/// Where a thread of a block is. The simulator sets it before it lets a thread run.
struct gnomon_simulated_place {
  uint32_t x;
};

/// Of an image, which exports a function `gnomon_simulated` that returns it.
struct gnomon_simulated_state {
  int32_t version;
  struct gnomon_simulated_place thread_index, block_index, block_size, grid_size;
  /// The memory that blocks share, which starts anew with each block.
  char *shared_begin, *shared_end;
  // Of the simulator:
  void (*wait)(void);                       ///< until all threads of the block are there
  void* (*translate)(const void* address);  ///< memory of the device as the host sees it
};

/// Of a kernel `k` an image exports `k_simulated`, which runs one thread; without arguments it
/// returns the bytes of each parameter, then a 0.
typedef const uint32_t* (*gnomon_simulated_kernel)(void* const* arguments);

}  // extern "C"

enum { gnomon_simulated_version = 1 };
