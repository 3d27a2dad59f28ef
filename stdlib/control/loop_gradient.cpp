// The gradient of a loop that keeps what it reads of all steps.
#include "stdlib/control/loop_gradient.h"

#include <algorithm>
#include <unordered_set>

#include "ir/graph/leaf.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/control/body.h"
#include "stdlib/control/residuals.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// Values of the body in each step, stacked: rows of the node where it keeps them, else further rows
// of the same loop. Null for null values.
std::vector<Expr> stacked_values(const Vjp& v, const Loop& loop, const std::vector<Value>& values) {
  std::vector<Expr> found(values.size());
  Graph body = *loop.body;
  std::vector<std::size_t> added;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!values[k]) continue;
    const auto rows = loop.body->outputs.begin() + static_cast<std::ptrdiff_t>(loop.states);
    const auto row = std::find(rows, loop.body->outputs.end(), values[k]);
    if (row != loop.body->outputs.end()) {
      found[k] = v.y[loop.states + static_cast<std::size_t>(row - rows)];
      continue;
    }
    body.outputs.push_back(values[k]);
    added.push_back(k);
  }
  if (added.empty()) return found;
  body.results.resize(body.outputs.size());
  Attributes attributes = v.node.attributes();
  attributes[0] = Attribute(intern_body(std::move(body)));
  std::vector<Value> operands(v.node.operands().begin(), v.node.operands().end());
  operands[0] = steps_of(Expr(operands[0])).value();
  const std::vector<Expr> all =
      outputs_of(make_node(v.node.op(), std::move(operands), std::move(attributes)));
  for (std::size_t k = 0; k < added.size(); ++k) found[added[k]] = all[v.y.size() + k];
  return found;
}

// The states that a body's derivative reads, then the residuals; null for other states.
std::vector<Value> values_read(const Loop& loop, const Residuals& residuals) {
  const Graph &body = *loop.body, &derivative = *residuals.derivative;
  const std::vector<const Node*> own = params_read(body, body.topological_order()),
                                 read = params_read(derivative, derivative.topological_order());
  std::vector<Value> values(loop.states);
  for (std::size_t k = 0; k < loop.states; ++k)
    if (read[1 + k] != nullptr) values[k] = Value(own[1 + k], 0);
  values.insert(values.end(), residuals.kept.begin(), residuals.kept.end());
  return values;
}

// The operands whose cotangents go from step to step: what is asked for, and the states that come
// to depend on that. The others have no part in it.
std::vector<bool> carried_backwards(const Vjp& v, const Loop& loop) {
  const std::vector<const Node*> order = loop.body->topological_order();
  std::vector<bool> carried(v.x.size());
  for (std::size_t k = 1; k < v.x.size(); ++k) carried[k] = has_derivative(v.x[k]) && v.wants(k);
  for (std::vector<bool> before; before != carried;) {
    before = carried;
    std::unordered_set<Value, ValueHash> params;
    for (const Node* node : order)
      if (&node->op() == &op::param && carried[param_index(*node)]) params.emplace(node, 0);
    const std::unordered_set<const Node*> dependent = dependents(order, params);
    for (std::size_t k = 0; k < loop.states; ++k) {
      const Value& next = loop.body->outputs[k];
      if (has_derivative(v.y[k]) && (params.contains(next) || dependent.contains(next.get())))
        carried[1 + k] = true;
    }
  }
  return carried;
}

Expr zero_row(const Expr& rows) {
  const Shape& shape = rows.shape();
  return full(Shape(shape.begin() + 1, shape.end()), constant(0.0, rows.dtype()));
}

// From the states before each step and the residuals that it reads, kept of all steps.
std::vector<Expr> gradient_keeping_all(const LoopGradient& gradient) {
  const Vjp& v = gradient.vjp();
  const Loop& loop = gradient.loop();
  const Residuals residuals = residuals_of(loop.body, gradient.derivative(), 1 + loop.states);
  const std::vector<Expr> kept = stacked_values(v, loop, values_read(loop, residuals));
  const Expr last = steps_of(v.x[0]) - 1;
  const LoopBody step = [&](Expr j, std::span<const Expr> cotangents) {
    const Expr i = last - j;
    const Index here[] = {Index(i)};
    std::vector<Expr> values;
    for (std::size_t k = 0; k < kept.size(); ++k)
      values.push_back(kept[k].defined() ? index(kept[k], here) : v.x[1 + k]);
    const std::span<const Expr> all = values;
    return gradient.before(residuals.derivative, i, all.first(loop.states), cotangents,
                           all.subspan(loop.states));
  };
  return make_loop(op::fori, v.x[0], gradient.initial(), step);
}

// The values, whose tangents are their own and whose gradient is that of others which are equal.
std::vector<Expr> differentiated_as(std::span<const Expr> equals, std::span<const Expr> values) {
  std::vector<Expr> leaves, arguments(values.begin(), values.end());
  for (const Expr& x : values) {
    Shape shape = x.shape();
    for (Dim& d : shape)
      if (!d.is_constant()) d = Dim::symbol("n");
    leaves.push_back(tensor("x", x.dtype(), shape));
  }
  arguments.insert(arguments.end(), equals.begin(), equals.end());
  for (std::size_t k = 0; k < equals.size(); ++k)
    leaves.push_back(tensor("same", leaves[k].dtype(), leaves[k].shape()));
  using Given = std::span<const Expr>;
  const std::size_t count = values.size();
  const auto vjp = [&](Given, Given, Given cotangents) {
    std::vector<Expr> found(count);
    found.insert(found.end(), cotangents.begin(), cotangents.end());
    return found;
  };
  const auto jvp = [&](Given, Given, Given tangents) {
    return std::vector<Expr>(tangents.begin(),
                             tangents.begin() + static_cast<std::ptrdiff_t>(count));
  };
  return OpFromGraph(leaves, std::span(leaves).first(count), {vjp, jvp})(arguments);
}

}  // namespace

std::vector<const Node*> params_read(const Graph& body, std::span<const Node* const> order) {
  std::vector<const Node*> read(body.parameters.size());
  for (const Node* node : order)
    if (&node->op() == &op::param) read[param_index(*node)] = node;
  return read;
}

LoopGradient::LoopGradient(const Vjp& v)
    : v_(v),
      loop_(v.node),
      carried_(carried_backwards(v, loop_)),
      derivative_(v.bodies->vjp(loop_.body, carried_)) {}

std::vector<Expr> LoopGradient::initial() const {
  std::vector<Expr> initial;
  for (std::size_t k = 1; k < v_.x.size(); ++k) {
    if (!carried_[k]) continue;
    initial.push_back(k <= loop_.states ? or_zeros(v_.dy[k - 1], v_.y[k - 1])
                                        : zeros_like(v_.x[k]));
  }
  return initial;
}

std::vector<Expr> LoopGradient::before(const Body& derivative, const Expr& i,
                                       std::span<const Expr> states,
                                       std::span<const Expr> cotangents,
                                       std::span<const Expr> more) const {
  const Index here[] = {Index(i)};
  std::vector<Expr> arguments = {i};
  arguments.insert(arguments.end(), states.begin(), states.end());
  arguments.insert(arguments.end(), v_.x.begin() + 1 + static_cast<std::ptrdiff_t>(loop_.states),
                   v_.x.end());
  std::size_t next = 0;
  for (std::size_t k = 0; k < v_.y.size(); ++k) {
    if (!has_derivative(v_.y[k])) continue;
    if (k >= loop_.states)
      arguments.push_back(v_.dy[k].defined() ? index(v_.dy[k], here) : zero_row(v_.y[k]));
    else
      arguments.push_back(carried_[1 + k] ? cotangents[next++] : zeros_like(v_.y[k]));
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  std::vector<Expr> found = apply_body(derivative, arguments);
  for (; next < found.size(); ++next) found[next] = found[next] + cotangents[next];
  return found;
}

Exprs LoopGradient::by_operand(std::span<const Expr> cotangents) const {
  Exprs dx(v_.x.size());
  std::size_t next = 0;
  for (std::size_t k = 1; k < dx.size(); ++k)
    if (carried_[k]) dx[k] = cotangents[next++];
  return dx;
}

// What is differentiated once more keeps all, because the checkpoints themselves would have to be
// kept of all steps.
Exprs fori_vjp(const Vjp& v) {
  const LoopGradient gradient(v);
  const std::vector<Expr> found = gradient_keeping_all(gradient);
  const IntList& kept = gradient.loop().checkpoints;
  if (std::ranges::all_of(kept, [](std::int64_t k) { return k == 0; }) || found.empty())
    return gradient.by_operand(found);
  return gradient.by_operand(differentiated_as(found, gradient_with_checkpoints(gradient)));
}

// As that of the loop with as many steps as this one has made. What it reads of each is computed
// once more: before the first pass nobody knows how much memory that takes.
Exprs while_vjp(const Vjp& v) {
  std::vector<Value> operands(v.node.operands().begin(), v.node.operands().end());
  operands[0] = v.y[1].value();
  const Value counted = make_node(op::fori, std::move(operands), v.node.attributes());
  Vjp same{counted.node(), v.x, v.y, v.dy, v.bodies, v.wanted};
  same.x[0] = v.y[1];
  return fori_vjp(same);
}

}  // namespace gnomon
