// Whole pipelines over random scalar expressions: no point loses more than as it was written.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "passes/engine/rule.h"
#include "tests/support/random_scalars.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct Counts {
  std::uint64_t points = 0, changed = 0, known = 0, worse = 0, lucky = 0;
};

Graph rewritten_in(const Graph& graph, Context& context) {
  context.options.verify = false;
  if (std::getenv("GNOMON_SCALARS_FAST") != nullptr) context.options.level = RewriteLevel::fast;
  return run_passes(graph, context);
}

// Rules without any one of which the point is not worse.
std::string culprits(const Graph& graph, const Trace& trace, std::span<const double> point,
                     double before, const Real& exact) {
  std::string names;
  for (const auto& [rule, count] : trace.rules) {
    if (count.fired == 0) continue;
    Context context;
    context.options.disabled_rules = {rule};
    const double after = bits_lost(value_at(rewritten_in(graph, context), point), exact);
    if (!is_worse(before, after))
      names += fmt::format("{}{}", names.empty() ? "" : " ", rule->name);
  }
  return names;
}

}  // namespace

TEST_CASE("rewriting loses no point of random scalar expressions") {
  const std::uint64_t first = number_from("GNOMON_SCALARS_FROM", 0);
  const std::uint64_t count = number_from("GNOMON_SCALARS", 2000);
  const std::uint64_t per_expression = number_from("GNOMON_SCALAR_POINTS", 8);
  Counts counts;
  std::map<std::string, std::pair<int, std::string>> found;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    ScalarGrower grower(seed);
    const Expr e = grower.grow();
    const Graph graph = capture(grower.inputs(), std::vector<Expr>{e}).graph;
    Context context;
    const Graph better = rewritten_in(graph, context);
    if (graph.outputs == better.outputs) {
      counts.points += per_expression;
      continue;
    }
    std::mt19937_64 random(seed);
    for (std::uint64_t k = 0; k < per_expression; ++k) {
      const std::vector<double> point = scalar_point(random, 3);
      ++counts.points;
      const double was = value_at(graph, point), is = value_at(better, point);
      if (std::bit_cast<std::uint64_t>(was) == std::bit_cast<std::uint64_t>(is)) continue;
      if (std::isnan(was)) continue;
      ++counts.changed;
      const std::optional<Real> exact = real_value_at(graph, point);
      if (!exact || !mpfr_number_p(exact->get())) continue;
      ++counts.known;
      const double before = bits_lost(was, *exact), after = bits_lost(is, *exact);
      if (!is_worse(before, after)) continue;
      const std::optional<Real> sure = real_value_at(graph, point, true);
      if (!sure || !is_worse(bits_lost(was, *sure), bits_lost(is, *sure))) continue;
      if (!is_worse(lost_by_chance(graph, point, *sure), after)) {
        ++counts.lucky;
        continue;
      }
      ++counts.worse;
      auto& [times, text] = found[culprits(graph, context.trace, point, before, *exact)];
      if (times++ > 0 && text.size() < 100000 && times > 3) continue;
      text += fmt::format(
          "  seed {} at ({:.17g}, {:.17g}, {:.17g}): {:.17g} became {:.17g} for {:.17g}\n    {}\n"
          "    {}\n",
          seed, point[0], point[1], point[2], was, is, exact->to_double(),
          expression_text(graph.outputs[0], 12), expression_text(better.outputs[0], 12));
    }
  }
  std::string report;
  for (const auto& [names, each] : found)
    report += fmt::format("{} by {}\n{}", each.first, names, each.second);
  MESSAGE(fmt::format(
      "{} points, {} with other bits, {} compared, {} worse, {} by luck of rounding\n{}",
      counts.points, counts.changed, counts.known, counts.worse, counts.lucky, report));
  CHECK(counts.worse == 0);
}
