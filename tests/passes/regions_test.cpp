// Bodies that nodes run: where parameters come from, where outputs go, and walkers that ask only
// for that.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "ir/reference/evaluate.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using Positions = std::vector<std::size_t>;

// Two states, of which the first depends on a captured value.
std::vector<Expr> loop_of(const Expr& count, const Expr& x, const Expr& y, const Expr& w) {
  const Expr initial[] = {x, y};
  return fori(count, initial, [&](const Expr& i, std::span<const Expr> s) -> std::vector<Expr> {
    return {s[0] * w + cast(i, w.dtype()), s[1] + s[0]};
  });
}

// The same loop that keeps its states, and the square of the first, in each step.
Value with_rows(const Node& loop) {
  const Body& body = loop.attribute("body").body();
  std::vector<Value> params;
  for (const Parameter& p : body->parameters)
    params.push_back(tensor("p", p.type.dtype, p.type.shape).value());
  std::vector<Value> outputs = inline_body(*body, params);
  outputs.insert(outputs.end(), {params[1], params[2], square(Expr(params[1])).value()});
  Attributes attributes = loop.attributes();
  attributes[0] = Attribute(make_body(params, outputs));
  return make_node(loop.op(), {loop.operands().begin(), loop.operands().end()}, attributes);
}

// The first of two branches needs what the second does not.
Value choice_of(const Expr& x, const Expr& y, const Expr& w) {
  const auto then = [&] { return std::vector<Expr>{x * w, x + y}; };
  const auto otherwise = [&] { return std::vector<Expr>{y, y * 2}; };
  return cond(greater(sum(abs(x)), 1), then, otherwise)[0].value();
}

Value while_of(const Expr& x, const Expr& w) {
  const Expr initial[] = {x};
  const WhileStep step = [&](const Expr&, std::span<const Expr> s) {
    const Expr next = s[0] * w;
    return std::vector<Expr>{less(sum(abs(next)), 9), next, next};
  };
  const Expr rows = while_loop(less(sum(abs(x)), 9), initial, step, 5).rows[0];
  return rows.value().input(0);
}

Value call_of(const Expr& x, const Expr& y) {
  const Expr inputs[] = {x, y}, outputs[] = {x * y, exp(x), y - x};
  return OpFromGraph(inputs, outputs)(inputs)[0].value();
}

// Nodes of each op that runs bodies, over values of dtype `t`.
std::vector<Value> examples(DType t) {
  const Expr x = vector("x", t), y = vector("y", t), w = scalar("w", t);
  const Value loop = loop_of(scalar("n", DType::int64), x, y, w)[0].value();
  return {loop, with_rows(loop.node()), call_of(x, y), choice_of(x, y, w), while_of(x, w)};
}

Positions positions_up_to(std::size_t n) {
  Positions numbers(n);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

Positions sorted(Positions numbers) {
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

bool fits(const Type& a, const Type& b, int more_axes = 0) {
  return a.dtype == b.dtype && a.rank() == b.rank() + more_axes;
}

Positions without_doubles(Positions numbers) {
  numbers = sorted(std::move(numbers));
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

// Every operand is the count, a condition or a parameter, every result an output, or one of each
// step. Regions of which one runs share them.
void check_regions(const Node& node) {
  CAPTURE(node.op().name);
  Positions operands, results;
  for (const Region& region : regions_of(node)) {
    const Graph& body = body_of(node, region);
    REQUIRE(region.parameters.size() == body.parameters.size());
    const std::size_t last = region.results.size();
    REQUIRE(last + region.rows.size() == body.outputs.size());
    if (region.count) operands.push_back(*region.count);
    if (region.condition) operands.push_back(region.condition->operand);
    if (region.while_state) CHECK(fits(node.type(*region.while_state), {DType::bool_, {}}));
    Positions next;
    for (std::size_t k = 0; k < region.parameters.size(); ++k) {
      const Region::Parameter& p = region.parameters[k];
      const Type& type = body.parameters[k].type;
      CHECK(fits(type, p.operand ? node.input(*p.operand).type() : Type{DType::int64, {}}));
      if (p.operand) operands.push_back(*p.operand);
      if (p.next) CHECK(fits(type, body.outputs[*p.next].type()));
      if (p.next) next.push_back(*p.next);
    }
    for (std::size_t k = 0; k < region.results.size(); ++k)
      CHECK(fits(node.type(region.results[k]), body.outputs[k].type()));
    for (std::size_t k = 0; k < region.rows.size(); ++k)
      CHECK(fits(node.type(region.rows[k]), body.outputs[last + k].type(), 1));
    results.insert(results.end(), region.results.begin(), region.results.end());
    results.insert(results.end(), region.rows.begin(), region.rows.end());
    if (region.count) CHECK(sorted(next) == positions_up_to(last));
    if (!region.count) CHECK(region.rows.empty());
    if (!region.count) CHECK(next.empty());
    if (region.states)
      CHECK(node.attribute(*region.states).integer() == static_cast<std::int64_t>(next.size()));
  }
  const std::vector<Region> regions = regions_of(node);
  const bool one_runs = std::ranges::all_of(regions, [](const Region& r) { return !!r.condition; });
  if (one_runs) {
    REQUIRE(regions.size() == 2);
    CHECK(regions[0].condition->operand == regions[1].condition->operand);
    CHECK(regions[0].condition->is != regions[1].condition->is);
    CHECK(regions[0].results == regions[1].results);
    operands = without_doubles(operands), results = without_doubles(results);
  }
  CHECK(sorted(operands) == positions_up_to(node.operands().size()));
  CHECK(sorted(results) == positions_up_to(node.output_count()));
}

std::size_t check_all_regions(const Graph& graph) {
  std::size_t count = 0;
  for (const Node* node : graph.topological_order()) {
    if (node->op().regions == nullptr) continue;
    check_regions(*node);
    ++count;
  }
  return count;
}

Graph graph_of(const Value& v) {
  std::vector<Expr> outputs;
  for (std::uint32_t k = 0; k < v.node().output_count(); ++k)
    outputs.emplace_back(Value(v.get(), k));
  return close(outputs);
}

// The graph after one pass, verified.
Graph after(std::string_view pass, const Graph& graph) {
  Context context = checked_context();
  return run_pass(pass, graph, context);
}

// A counted loop with everything in other places than `fori` has it. Operands: captured values,
// states, the count. Parameters: states, captured values, the index. Results: rows, last states.
std::vector<Type> drift_type(TypeContext& context) {
  const std::size_t last = context.operands.size() - 1;
  const auto states = static_cast<std::size_t>(context.attributes[1].integer());
  std::vector<Type> types;
  for (const bool in_rows : {true, false})
    for (std::size_t k = last - states; k < last; ++k) {
      types.push_back(context.type(k));
      Shape& shape = types.back().shape;
      if (in_rows) shape.insert(shape.begin(), Dim::value(context.operands[last]));
    }
  return types;
}

std::vector<Region> drift_regions(const Node& node) {
  const std::size_t last = node.operands().size() - 1;
  const auto states = static_cast<std::size_t>(node.attribute(1).integer());
  Region region{.body = 2, .count = last, .states = 1};
  for (std::size_t k = 0; k < states; ++k) {
    region.parameters.push_back({.operand = last - states + k, .next = k});
    region.results.push_back(states + k);
    region.rows.push_back(k);
  }
  for (std::size_t k = 0; k < last - states; ++k) region.parameters.push_back({.operand = k});
  region.parameters.push_back({});
  return {region};
}

const Op drift{.name = "drift",
               .doc = "",
               .operands = -1,
               .at_least = 2,
               .outputs = 0,
               .attributes = {{"note", Attribute::Kind::string},
                              {"carried", Attribute::Kind::integer},
                              {"step", Attribute::Kind::body}},
               .type = drift_type,
               .regions = drift_regions};

// x w + i in step i.
std::vector<Expr> drift_of(const Expr& w, const Expr& x, const Expr& count) {
  const Expr state = tensor("state", x.dtype(), {}), rate = tensor("rate", w.dtype(), {});
  const Expr i = scalar("i", DType::int64);
  const Value parameters[] = {state, rate, i},
              outputs[] = {state * rate + cast(i, x.dtype()), state};
  const Attributes attributes{Attribute("x"), Attribute(1),
                              Attribute(make_body(parameters, outputs))};
  const Value first = make_node(drift, {w, x, count}, attributes);
  return {first, Value(first.get(), 1)};
}

}  // namespace

TEST_CASE("every op with a body says which of its bodies run") {
  std::set<const Op*> covered;
  for (const Value& v : examples(DType::float64)) covered.insert(&v.op());
  for (const Op* op : all_ops()) {
    CAPTURE(op->name);
    const bool has_body = std::ranges::any_of(op->attributes, [](const AttributeSpec& spec) {
      return spec.kind == Attribute::Kind::body;
    });
    CHECK(has_body == (op->regions != nullptr));
    CHECK(has_body == covered.contains(op));
  }
}

TEST_CASE("regions have every operand and every result once") {
  for (const DType t : {DType::float64, DType::float16, DType::complex128}) {
    CAPTURE(name_of(t));
    for (const Value& v : examples(t)) check_regions(v.node());
  }
}

TEST_CASE("regions fit nodes whose values have become pairs, or wider") {
  for (const Value& v : examples(DType::complex128)) {
    const Graph graph = after("split_complex", graph_of(v));
    CHECK(check_all_regions(graph) == 1);
  }
  for (const Value& v : examples(DType::float16)) {
    const Graph graph = after("widen_halves", graph_of(v));
    CHECK(check_all_regions(graph) == 1);
  }
}

TEST_CASE("a loop has a count, an index, states and captured values") {
  const Value loop = examples(DType::float64)[0];
  const std::vector<Region> regions = regions_of(loop.node());
  REQUIRE(regions.size() == 1);
  const Region& region = regions[0];
  CHECK(&body_of(loop.node(), region) == loop.node().attribute("body").body().get());
  CHECK(region.count == 0u);
  CHECK(loop.node().op().attributes.begin()[*region.states].name == "states");
  REQUIRE(region.parameters.size() == 4);
  const auto& p = region.parameters;
  CHECK((!p[0].operand && !p[0].next));
  CHECK((p[1].operand == 1u && p[1].next == 0u));
  CHECK((p[2].operand == 2u && p[2].next == 1u));
  CHECK((p[3].operand == 3u && !p[3].next));
  CHECK(region.rows.empty());
  CHECK(region.results == Positions{0, 1});
}

TEST_CASE("rows of a loop are results behind the states") {
  const Value loop = examples(DType::float64)[1];
  const std::vector<Region> regions = regions_of(loop.node());
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].results == Positions{0, 1});
  CHECK(regions[0].rows == Positions{2, 3, 4});
}

TEST_CASE("a call runs its body once, on its operands") {
  const Value call = examples(DType::float64)[2];
  const std::vector<Region> regions = regions_of(call.node());
  REQUIRE(regions.size() == 1);
  CHECK(!regions[0].count);
  CHECK(!regions[0].states);
  REQUIRE(regions[0].parameters.size() == 2);
  CHECK(regions[0].parameters[0].operand == 0u);
  CHECK(regions[0].parameters[1].operand == 1u);
  CHECK(regions[0].results == Positions{0, 1, 2});
}

TEST_CASE("an op is evaluated by what its record says of its body") {
  const Expr w = scalar("w"), x = scalar("x"), n = scalar("n", DType::int64);
  const Graph graph = close(drift_of(w, x, n));
  CHECK(check_all_regions(graph) == 1);
  const Array values[] = {Array(2.0), Array(1.0), Array(std::int64_t{3})};
  const std::vector<Array> found = evaluate(graph, values);
  CHECK(found[0].to_vector<double>() == std::vector<double>{1, 2, 5});
  CHECK(found[1].item<double>() == 12);
  const Array never[] = {Array(2.0), Array(7.0), Array(std::int64_t{0})};
  const std::vector<Array> initial = evaluate(graph, never);
  CHECK(initial[0].size() == 0);
  CHECK(initial[1].item<double>() == 7);
}

TEST_CASE("complex numbers in any body become pairs") {
  const DType t = DType::complex128;
  const Expr w = tensor("w", t, {}), x = tensor("x", t, {}), n = scalar("n", DType::int64);
  const Graph graph = after("split_complex", close(drift_of(w, x, n)));
  CHECK(check_all_regions(graph) == 1);
  const Array i = Array::from<double>({0, 1}), start = Array::from<double>({1, 2});
  const Array values[] = {i, start, Array(std::int64_t{3})};
  const std::vector<Array> found = evaluate(graph, values);
  CHECK(found[0].to_vector<double>() == std::vector<double>{1, 2, -2, 1, 0, -2});
  CHECK(found[1].to_vector<double>() == std::vector<double>{4, 0});
}

TEST_CASE("halves in any body become wider") {
  const DType t = DType::float16;
  const Expr w = tensor("w", t, {}), x = tensor("x", t, {}), n = scalar("n", DType::int64);
  const Graph graph = after("widen_halves", close(drift_of(w, x, n)));
  CHECK(check_all_regions(graph) == 1);
  using Bits = std::vector<std::uint16_t>;
  const Array two(std::uint16_t{0x4000}), one(std::uint16_t{0x3c00});
  const Array values[] = {two, one, Array(std::int64_t{3})};
  const std::vector<Array> found = evaluate(graph, values);
  CHECK(found[0].to_vector<std::uint16_t>() == Bits{0x3c00, 0x4000, 0x4500});  // 1, 2, 5
  CHECK(found[1].to_vector<std::uint16_t>() == Bits{0x4a00});                  // 12
}
