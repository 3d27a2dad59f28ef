// How the iterations of a kernel's loops are shared out over blocks of threads.
#pragma once

#include <vector>

#include "codegen/text/kernel_outline.h"

namespace gnomon {

/// Lanes become threads. A parallel axis is shared out over blocks if there are lanes in it, or
/// over warps, if all that happens there is what each lane does for itself; else over all threads.
class Spread {
 public:
  enum class Over {
    one,
    blocks,
    threads,  // of a block
    warps,
    lanes,  // of a warp
    grid,   // all threads
  };

  explicit Spread(const KernelOutline& outline);

  Over of(int loop) const { return over_[loop]; }
  /// Whether each iteration is another thread's.
  bool is_over_threads(int loop) const {
    const Over over = of(loop);
    return over == Over::threads || over == Over::lanes || over == Over::grid;
  }
  /// The loop around a statement whose iterations are shared out over threads, or -1.
  int threads_around(int i) const;
  int threads_of_block() const;
  /// Blocks cannot wait for one another: unless one loop over blocks is all there is, the kernel
  /// runs in one block.
  bool needs_one_block() const;

 private:
  Over choose(int loop) const;
  bool is_for_warps(int loop, int lanes) const;

  const KernelOutline& outline_;
  std::vector<Over> over_;  // by statement; of loops
};

}  // namespace gnomon
