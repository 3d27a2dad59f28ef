// Which values to keep and which to compute again: a minimum cut.
#pragma once

#include <cstdint>
#include <vector>

namespace gnomon {

/// A value for the cut. No cost is negative.
struct CutValue {
  std::vector<int> reads;  // values it is made of, by number; each is smaller than its own
  std::int64_t keep = 0;   // what it costs to keep it
  std::int64_t again = 0;  // what it costs to compute it again
  bool fixed = false;      // cannot be computed again
  bool needed = false;     // must be there
};

struct MinimumCut {
  std::vector<int> kept, again;  // ascending
};

/// The cheapest way to have all that is needed: each such value is kept or computed again, of
/// values that are kept or computed again, too. Of ways that cost the same one that computes least.
MinimumCut minimum_cut(const std::vector<CutValue>& values);

}  // namespace gnomon
