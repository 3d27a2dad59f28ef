// Accumulators that the threads of a block feed, one variable a thread.
#pragma once

#include <set>

#include "codegen/cuda/spread.h"
#include "codegen/text/accumulators.h"

namespace gnomon {

class BlockAccumulators final : public Accumulators {
 public:
  BlockAccumulators(KernelOutline& outline, KernelWriter& writer, const Spread& spread);

  void fold(int i) override;

 private:
  const Spread& spread_;
  std::set<int> of_block_;
};

}  // namespace gnomon
