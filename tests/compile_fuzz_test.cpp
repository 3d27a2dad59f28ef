// Random graphs: compiled at every level of rewriting, against the reference evaluator.
#include <cstdlib>

#include "tests/random_graphs.h"

using namespace gnomon;
using namespace gnomon::test;

TEST_CASE("random graphs have the values of the reference at every level of rewriting") {
  const char* const more = std::getenv("GNOMON_FUZZ_GRAPHS");
  const std::uint64_t count = more ? std::strtoull(more, nullptr, 10) : 200;
  const char* const from = std::getenv("GNOMON_FUZZ_FROM");
  const std::uint64_t first = from ? std::strtoull(from, nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Batch batch = Grower(seed).grow(6 + static_cast<int>(seed % 20));
    const RewriteLevel levels[] = {RewriteLevel::all, RewriteLevel::none, RewriteLevel::exact};
    batch.options.rewrites = levels[seed % 3];
    try {
      batch.check();
    } catch (const std::exception& e) {
      // A graph that no extents fit, such as one of x[2 * n] + y[n], is refused by both.
      const std::string why = e.what();
      INFO(batch.options.name << ": " << why);
      CHECK_THROWS(batch.reference());
    }
  }
}
