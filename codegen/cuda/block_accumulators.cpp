// Finds and folds accumulators that the threads of a block feed.
#include "codegen/cuda/block_accumulators.h"

#include <fmt/format.h>

namespace gnomon {

BlockAccumulators::BlockAccumulators(KernelOutline& outline, KernelWriter& writer,
                                     const Spread& spread)
    : Accumulators(outline, writer), spread_(spread) {
  for (int i = 0; i < outline.size(); ++i) {
    if (outline[i].code != Code::reduce) continue;
    const int acc = outline[i].args[0];
    if (spread.threads_around(i) != spread.threads_around(acc)) of_block_.insert(acc);
  }
  for (int i = 0; i < outline.size(); ++i)
    if (outline[i].code == Code::reduce && !of_block_.contains(outline[i].args[0])) join_product(i);
}

void BlockAccumulators::fold(int i) {
  const int acc = outline_[i].args[0], threads = spread_.threads_of_block();
  if (!of_block_.contains(acc)) return Accumulators::fold(i);
  if (is_search(acc))
    return fold_search(
        i, fmt::format("gn::block_best<{}, {}>({})", threads, greatest(acc), w_.name(acc)));
  define_fold(i, fmt::format("gn::block_fold<{}>({}, {})", threads, w_.name(acc), combiner(acc)));
}

}  // namespace gnomon
