// Random graphs, a part of them with gradients, compiled as written or rewritten, against the
// reference evaluator.
//
// GNOMON_FUZZ_GRAPHS is how many graphs, GNOMON_FUZZ_FROM the first seed.
#include "tests/support/random_graphs.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double fuzz_tolerance = 1e-8;

// The first node, operands first, that alone is compiled to other values, as a graph of its own.
std::string smallest_failure(const Batch& batch) {
  std::vector<Value> roots;
  for (const Output& output : batch.outputs) roots.push_back(output.value.value());
  for (const Node* node : topological_order(roots)) {
    if (node->operands().empty()) continue;
    const Expr output(Value(node, 0));
    const Graph part = capture(batch.inputs, std::vector<Expr>{output}).graph;
    const Array wanted = evaluate(part, batch.values)[0];
    const Results found = compile(batch.inputs, {output}, {}, batch.options)(batch.values);
    const std::string how = difference(found[0], wanted, fuzz_tolerance);
    if (!how.empty()) return fmt::format("{}\n{}", how, print_graph(part));
  }
  return "no node alone";
}

// Every fortieth graph is large and has gradients: they take long to compile.
Batch batch_of(std::uint64_t seed) {
  const bool is_large = seed % 40 == 0;
  Batch batch = is_large ? Grower(seed).grow(6 + static_cast<int>(seed / 40 % 20))
                         : Grower(seed).grow(3 + static_cast<int>(seed % 8), 1);
  if (is_large && has_values(batch)) add_gradients(batch, fuzz_tolerance);
  return batch;
}

bool has_bodies(const Batch& batch) {
  std::vector<Value> roots;
  for (const Output& output : batch.outputs) roots.push_back(output.value.value());
  return std::ranges::any_of(topological_order(roots),
                             [](const Node* n) { return !regions_of(*n).empty(); });
}

enum class Kind { valued, meets_nan, refused_by_call, refused };

// A graph that no extents fit, such as one of x[2 * n] + y[n], has no value.
Kind kind_of(const Batch& batch) {
  const std::optional<Graph> graph = captured(batch);
  if (!graph) return Kind::refused;
  try {
    return meets_nan(*graph, batch.values) ? Kind::meets_nan : Kind::valued;
  } catch (const ValueError&) {
    return Kind::refused_by_call;
  }
}

// Graphs as one function, which compiles faster than one of each.
Batch joined(std::span<const Batch> batches) {
  Batch all("joined_" + batches[0].options.name);
  for (const Batch& batch : batches) {
    all.inputs.insert(all.inputs.end(), batch.inputs.begin(), batch.inputs.end());
    all.values.insert(all.values.end(), batch.values.begin(), batch.values.end());
    for (std::size_t i = 0; i < batch.outputs.size(); ++i)
      all.add(batch.options.name + " " + batch.outputs[i].name, batch.outputs[i].value,
              batch.tolerances[i]);
  }
  return all;
}

void check_batches(std::span<const Batch> batches, RewriteLevel level) {
  Batch all = joined(batches);
  all.options.rewrites = level;
  if (!all.check()) FAIL_CHECK(smallest_failure(all));
}

}  // namespace

TEST_CASE("random graphs have the values of the reference, as written and rewritten") {
  constexpr std::size_t together = 10;
  const std::uint64_t count = from_environment("GNOMON_FUZZ_GRAPHS", 800);
  std::uint64_t seed = from_environment("GNOMON_FUZZ_FROM", 1);
  std::vector<Batch> waiting, with_nan;
  for (std::uint64_t checked = 0; checked < count; ++seed) {
    Batch batch = batch_of(seed);
    const Kind kind = kind_of(batch);
    CAPTURE(seed);
    if (kind == Kind::refused) CHECK_THROWS_AS(batch.compile(), Error);
    if (kind == Kind::refused_by_call && seed % 16 == 0) batch.check();
    if (kind == Kind::meets_nan) with_nan.push_back(std::move(batch));
    if (with_nan.size() == together) {
      check_batches(with_nan, RewriteLevel::none);
      with_nan.clear();
    }
    if (kind != Kind::valued) continue;
    waiting.push_back(std::move(batch));
    if (++checked < count && waiting.size() < together) continue;
    check_batches(waiting, checked / together % 2 ? RewriteLevel::none : RewriteLevel::all);
    waiting.clear();
  }
  if (!with_nan.empty()) check_batches(with_nan, RewriteLevel::none);
}

TEST_CASE("random loops and branches, and their gradients, have the values of the reference") {
  constexpr std::size_t together = 5;
  const std::uint64_t count = from_environment("GNOMON_FUZZ_GRAPHS", 800) / 10;
  std::uint64_t seed = from_environment("GNOMON_FUZZ_FROM", 1);
  std::vector<Batch> waiting;
  for (std::uint64_t checked = 0; checked < count; ++seed) {
    Batch batch = Grower(seed, 6, Grower::Bodies::yes).grow(3 + static_cast<int>(seed % 8), 1);
    if (!has_bodies(batch) || kind_of(batch) != Kind::valued) continue;
    CAPTURE(seed);
    if (seed % 2) add_gradients(batch, fuzz_tolerance);
    if (kind_of(batch) != Kind::valued) continue;
    waiting.push_back(std::move(batch));
    if (++checked < count && waiting.size() < together) continue;
    check_batches(waiting, checked / together % 2 ? RewriteLevel::none : RewriteLevel::all);
    waiting.clear();
  }
}
