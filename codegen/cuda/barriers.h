// Where the threads of a block wait for one another.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/cuda/spread.h"
#include "codegen/text/kernel_outline.h"

namespace gnomon {

/// What one thread of a block writes others see, and what it reads they leave alone, only behind a
/// barrier: one stands between two parts of a kernel that use the same memory, where one of them
/// writes. Parts are what all threads get to: loops whose iterations are shared out over threads,
/// statements outside of these, of which one thread writes for all.
class Barriers {
 public:
  Barriers(const KernelOutline& outline, const Spread& spread);

  bool is_before(int statement) const { return before_[static_cast<std::size_t>(statement)]; }
  /// At the end of each iteration of a loop that all threads run.
  bool is_at_end(int loop) const { return at_end_[static_cast<std::size_t>(loop)]; }

 private:
  /// How one memory was used since the last barrier: by any thread, and by the first alone, which
  /// needs no barrier for itself.
  struct Use {
    bool reads = false, first_reads = false, first_writes = false;
    int writer = nobody;  // the statement whose writes are all there are

    static constexpr int nobody = -1, several = -2;
    void add(const Use& more);
    bool is_in_the_way_of(const Use& next) const;
  };
  struct Uses : std::vector<Use> {
    using std::vector<Use>::vector;
    void add(const Uses& more);
    bool is_in_the_way_of(const Uses& next) const;
  };

  /// Statements from `first` to `last`, all at one level. `open` begins as what came before them.
  void go(int first, int last, Uses& open);
  void go_through_loop(int loop, Uses& open);
  /// Of a statement and what is inside it.
  Uses uses_of(int statement) const;
  void add_use(int statement, Uses& uses) const;
  /// Of a block's own memory: of other memory each iteration of a loop over blocks has a part.
  Uses of_block(Uses uses) const;
  std::size_t memory_of(int buffer) const;
  bool is_shared_out(int loop) const;

  const KernelOutline& outline_;
  const Spread& spread_;
  bool is_any_aliased_;
  std::vector<bool> before_, at_end_;  // by statement
  std::vector<bool> is_plain_;         // it depends on nothing but axes and extents
};

}  // namespace gnomon
