// Bodies as ops use them: checking arguments, capturing what a body needs, applying one.
#include "stdlib/control/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Numbers = std::unordered_set<std::uint64_t>;

// Whether the extents may turn out to be these.
bool may_be(const Shape& shape, const Shape& wanted) {
  return std::ranges::equal(
      shape, wanted, [](const Dim& a, const Dim& b) { return a == b || !(a - b).is_constant(); });
}

// The symbols that stand for extents of the parameters.
Numbers symbols_of(std::span<const Value> parameters) {
  Numbers symbols;
  for (const Value& parameter : parameters)
    for (const Dim& d : parameter.shape())
      d.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind == Atom::Kind::symbol) symbols.insert(atom->number);
      });
  return symbols;
}

bool mentions(const Node& node, const Numbers& symbols) {
  bool found = false;
  for (const Attribute& attribute : node.attributes()) {
    if (attribute.kind() != Attribute::Kind::dim_list) continue;
    for (const Dim& d : attribute.dims())
      d.for_each_atom([&](const AtomRef& atom) {
        found |= atom->kind == Atom::Kind::symbol && symbols.contains(atom->number);
      });
  }
  return found;
}

// Collects what is captured, each value once, in the order of use.
class Frontier {
 public:
  Frontier(const std::unordered_set<Value, ValueHash>& parameters,
           const std::unordered_set<const Node*>& dependent)
      : parameters_(parameters), dependent_(dependent) {}

  // A value that the body uses. Broadcasts are cheap to repeat and large to keep; what is said of
  // extents belongs inside.
  void use(Value v) {
    while ((v.is(op::broadcast_to) || v.is(op::shaped)) && is_outside(v) &&
           v.node().extent_inputs().empty()) {
      v = Value(v.input(0));
    }
    if (!is_outside(v) || (v.node().inputs().empty() && !is_leaf(v.op()))) return;
    if (seen_.insert(v).second) values_.push_back(v);
  }
  std::vector<Value> take() { return std::exchange(values_, {}); }

 private:
  bool is_outside(const Value& v) const {
    return !parameters_.contains(v) && !dependent_.contains(v.get());
  }

  const std::unordered_set<Value, ValueHash>& parameters_;
  const std::unordered_set<const Node*>& dependent_;
  std::unordered_set<Value, ValueHash> seen_;
  std::vector<Value> values_;
};

}  // namespace

bool has_computed_extents(const Value& v) {
  return std::ranges::any_of(v.shape(), [](const Dim& d) { return d.has_values(); });
}

std::unordered_set<const Node*> dependents(std::span<const Node* const> order,
                                           const std::unordered_set<Value, ValueHash>& values,
                                           const std::unordered_set<std::uint64_t>& symbols) {
  std::unordered_set<const Node*> result;
  for (const Node* node : order) {
    if (!symbols.empty() && mentions(*node, symbols)) result.insert(node);
    for (const Value& input : node->inputs()) {
      if (values.contains(input) || result.contains(input.get())) {
        result.insert(node);
        break;
      }
    }
  }
  return result;
}

namespace {

// Adds the nodes that depend on no leaf.
void add_constants(std::span<const Node* const> order, std::unordered_set<const Node*>& nodes) {
  std::unordered_set<const Node*> constants;
  for (const Node* node : order) {
    const auto is_constant = [&](const Value& x) { return constants.contains(x.get()); };
    if (!is_leaf(node->op()) && std::ranges::all_of(node->inputs(), is_constant))
      constants.insert(node);
  }
  nodes.merge(constants);
}

// What a body over `parameters` captures that has the nodes of `order` which are `inside`.
std::vector<Value> captured_by(std::span<const Value> parameters,
                               const std::unordered_set<const Node*>& inside,
                               std::span<const Node* const> order, std::span<const Value> outputs) {
  const std::unordered_set<Value, ValueHash> leaves(parameters.begin(), parameters.end());
  Frontier frontier(leaves, inside);
  for (const Node* node : order) {
    if (!inside.contains(node)) continue;
    for (const Value& input : node->inputs()) frontier.use(input);
  }
  for (const Value& output : outputs) frontier.use(output);
  std::vector<Value> captured = frontier.take();
  std::vector<Value> all(parameters.begin(), parameters.end());
  all.insert(all.end(), captured.begin(), captured.end());
  // What remains are extents that no parameter's shape tells,
  for (Value& v : free_values(all, outputs)) {
    captured.push_back(v);
    all.push_back(std::move(v));
  }
  // and values that are extents of parameters, which nothing inside may read but equalities.
  if (!std::ranges::any_of(all, has_computed_extents)) return captured;
  for (const Value& scalar : scalars_in_equalities(all, outputs))
    if (std::ranges::find(all, scalar) == all.end()) frontier.use(scalar);
  for (Value& v : frontier.take()) captured.push_back(std::move(v));
  return captured;
}

}  // namespace

std::vector<Value> captured_around(const std::unordered_set<const Node*>& inside,
                                   std::span<const Value> outputs) {
  return captured_by({}, inside, topological_order(outputs), outputs);
}

std::vector<Type> body_output_types(TypeContext& context, const Body& body,
                                    std::span<const Value> arguments,
                                    std::optional<std::size_t> checked_from) {
  return body_types(context, *body, arguments, checked_from);
}

Closure close_over(std::span<const Value> parameters, std::span<const Value> outputs,
                   Symbols symbols) {
  const std::unordered_set<Value, ValueHash> leaves(parameters.begin(), parameters.end());
  const std::vector<const Node*> order = topological_order(outputs, parameters);
  const bool own = symbols == Symbols::of_parameters;
  std::unordered_set<const Node*> dependent =
      dependents(order, leaves, own ? symbols_of(parameters) : Numbers());
  if (own) add_constants(order, dependent);
  Closure closure{nullptr, captured_by(parameters, dependent, order, outputs)};
  std::vector<Value> all(parameters.begin(), parameters.end());
  all.insert(all.end(), closure.captured.begin(), closure.captured.end());
  closure.body = make_body(all, outputs);
  return closure;
}

// Extents that cannot be those of the body stay: its operations tell what is wrong.
std::vector<Value> fitted_to_body(const Graph& body, std::span<const Value> arguments) {
  const std::vector<Shape> shapes = shapes_inside(body, arguments);
  std::vector<Value> fitted(arguments.begin(), arguments.end());
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    if (fitted[k].shape() == shapes[k] || !may_be(fitted[k].shape(), shapes[k])) continue;
    const std::string why = body.checks.empty()
                                ? fmt::format("body: expected argument {} of other extents", k)
                                : body.checks.front().message;
    fitted[k] = shaped(Expr(fitted[k]), shapes[k], why).value();
  }
  return fitted;
}

std::vector<Expr> apply_body(const Body& body, std::span<const Expr> arguments) {
  const std::vector<Value> values =
      fitted_to_body(*body, std::vector<Value>(arguments.begin(), arguments.end()));
  std::vector<Expr> outputs;
  for (Value& v : inline_body(*body, values)) outputs.emplace_back(std::move(v));
  return outputs;
}

std::vector<Expr> apply_checked_body(const Body& body, std::span<const Expr> arguments) {
  const std::vector<Value> given(arguments.begin(), arguments.end());
  const std::vector<Value> values = fitted_to_body(*body, given);
  const InlinedBody inlined = inline_whole_body(*body, values);
  std::vector<Expr> outputs(inlined.outputs.begin(), inlined.outputs.end());
  for (const EntryCheck& c : checks_of_body(*body, values, inlined.checked_scalars))
    for (Expr& output : outputs) output = where_equal(output, {c.left}, {c.right}, c.message);
  return outputs;
}

std::vector<Expr> inputs_like(std::span<const Expr> values) {
  std::vector<std::pair<Dim, Dim>> symbols;
  const auto is_symbol = [](const Dim& d) {
    const AtomRef atom = d.atom();
    return atom && atom->kind == Atom::Kind::symbol;
  };
  const auto symbol_of = [&](const Dim& d) {
    for (const auto& [computed, symbol] : symbols)
      if (computed == d) return symbol;
    symbols.emplace_back(d, Dim::symbol(fmt::format("n{}", symbols.size())));
    return symbols.back().second;
  };
  std::vector<Expr> inputs;
  for (const Expr& v : values) {
    Shape shape;
    for (const Dim& d : v.shape())
      shape.push_back(d.is_constant() || is_symbol(d) ? d : symbol_of(d));
    inputs.push_back(tensor(fmt::format("x{}", inputs.size()), v.dtype(), shape));
  }
  return inputs;
}

}  // namespace gnomon
