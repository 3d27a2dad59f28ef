// The sweeps behind grad, vjp and jvp: one pass over the nodes, without recursion, in linear time.
#include "passes/derivatives/gradient.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ir/graph/graph.h"
#include "passes/derivatives/cotangent.h"
#include "passes/derivatives/derive.h"
#include "passes/derivatives/stable_form.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

/// The nodes some outputs need, with a number for every value of theirs.
class Tape {
 public:
  explicit Tape(std::span<const Expr> outputs) {
    std::vector<Value> roots;
    for (const Expr& output : outputs) roots.push_back(output);
    order_ = topological_order(std::span<const Value>(roots));
    first_.reserve(order_.size());
    for (const Node* node : order_) {
      first_.emplace(node, count_);
      count_ += node->output_count();
    }
  }

  const std::vector<const Node*>& order() const { return order_; }
  std::size_t count() const { return count_; }
  std::size_t first(const Node& node) const { return first_.at(&node); }
  std::size_t slot(const Value& v) const { return first(v.node()) + v.index(); }
  bool has(const Value& v) const { return first_.contains(v.get()); }

 private:
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::size_t> first_;
  std::size_t count_ = 0;
};

std::string found_text(const Expr& e) { return e.defined() ? describe(e) : std::string("nothing"); }

void check_float(std::string_view who, std::string_view role, const Expr& e) {
  if (!e.defined() || !is_inexact(e.dtype()))
    throw TypeError(
        fmt::format("{}: {} must be a float or complex value, found {}", who, role, found_text(e)));
}

/// `seed`, which must have the very type of `value`: extents that are not known yet are checked
/// when the function is called.
Expr seed_of(std::string_view who, std::string_view role, const Expr& seed, const Expr& value) {
  const std::string text = fmt::format("{}: expected {} of the type of {}, found {}", who, role,
                                       describe(value.value()), describe(seed.value()));
  if (seed.dtype() != value.dtype()) throw TypeError(text);
  return seed.shape() == value.shape() ? seed : shaped(seed, value.shape(), text);
}

void check_count(std::string_view who, std::string_view role, std::size_t found,
                 std::size_t expected) {
  if (found != expected)
    throw ValueError(fmt::format("{}: expected {} {}, found {}", who, expected, role, found));
}

/// Which slots of the tape are those of `values`.
std::vector<bool> slots_of(const Tape& tape, std::span<const Expr> values) {
  std::vector<bool> slots(tape.count(), false);
  for (const Expr& v : values)
    if (tape.has(v)) slots[tape.slot(v)] = true;
  return slots;
}

/// Which values depend on `wrt` in a way a derivative can follow, not by way of constants.
std::vector<bool> find_active(const Tape& tape, std::span<const Expr> wrt,
                              const std::vector<bool>& constant) {
  std::vector<bool> active = slots_of(tape, wrt);
  for (const Node* node : tape.order()) {
    if (!carries_derivatives(*node)) continue;
    const auto operands = node->operands();
    const bool any = std::any_of(operands.begin(), operands.end(),
                                 [&](const Value& x) { return active[tape.slot(x)]; });
    if (!any) continue;
    const std::size_t first = tape.first(*node);
    for (std::size_t i = 0; i < node->output_count(); ++i)
      if (is_inexact(node->type(i).dtype) && !constant[first + i]) active[first + i] = true;
  }
  return active;
}

/// The state of one reverse sweep.
class ReverseSweep {
 public:
  ReverseSweep(std::span<const Expr> outputs, std::span<const Expr> wrt,
               std::span<const Expr> constants)
      : tape_(outputs),
        constant_(slots_of(tape_, constants)),
        active_(find_active(tape_, wrt, constant_)),
        reached_(tape_.count(), false),
        pending_(tape_.count()) {
    for (const Expr& w : wrt)
      if (tape_.has(w)) totals_.emplace(tape_.slot(w), Cotangent{});
  }

  void seed(const Expr& output, const Cotangent& cotangent) {
    const std::size_t slot = tape_.slot(output);
    if (!active_[slot]) return;
    reached_[slot] = true;
    if (cotangent) pending_[slot].push_back(cotangent);
  }

  void run() {
    const auto& order = tape_.order();
    for (auto node = order.rbegin(); node != order.rend(); ++node) visit(**node);
  }

  bool reached(const Expr& w) const { return tape_.has(w) && reached_[tape_.slot(w)]; }
  /// The cotangent of a value of `wrt`; none when it is zero.
  Cotangent total(const Expr& w) const {
    return tape_.has(w) ? totals_.at(tape_.slot(w)) : Cotangent{};
  }

 private:
  void visit(const Node& node) {
    const std::size_t first = tape_.first(node), count = node.output_count();
    std::vector<Cotangent> dy(count);
    bool reached = false, present = false;
    for (std::size_t i = 0; i < count; ++i) {
      dy[i] = accumulate(pending_[first + i]);
      pending_[first + i] = {};
      const auto total = totals_.find(first + i);
      if (total != totals_.end()) total->second = dy[i];
      if (constant_[first + i]) {
        dy[i] = {};
        continue;
      }
      reached = reached || reached_[first + i];
      present = present || dy[i];
    }
    if (!reached || !carries_derivatives(node)) return;
    const auto operands = node.operands();
    std::vector<bool> wanted(operands.size(), false);
    bool any = false;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      wanted[i] = active_[tape_.slot(operands[i])];
      if (!wanted[i]) continue;
      any = true;
      reached_[tape_.slot(operands[i])] = true;
    }
    if (!any || !present) return;
    const std::vector<Cotangent> dx = pull_back(node, dy, wanted);
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (wanted[i] && dx[i]) pending_[tape_.slot(operands[i])].push_back(dx[i]);
  }

  Tape tape_;
  std::vector<bool> constant_, active_, reached_;
  std::vector<std::vector<Cotangent>> pending_;
  std::unordered_map<std::size_t, Cotangent> totals_;
};

/// What is derived: the stable forms of the outputs, in which `wrt` and `constants` stay.
std::vector<Expr> derived_forms(std::span<const Expr> outputs, std::span<const Expr> wrt,
                                std::span<const Expr> constants) {
  std::vector<Value> values(outputs.begin(), outputs.end()), fixed(wrt.begin(), wrt.end());
  fixed.insert(fixed.end(), constants.begin(), constants.end());
  Context context;
  const std::vector<Value> forms = stable_forms(values, fixed, context);
  return {forms.begin(), forms.end()};
}

/// Whether the outputs depend on `w` as they are written, by a way a derivative can follow.
bool depends_on(std::span<const Expr> outputs, const Expr& w, const GradOptions& options) {
  ReverseSweep sweep(outputs, std::span(&w, 1), options.constants);
  for (const Expr& output : outputs)
    if (is_inexact(output.dtype())) sweep.seed(output, {zeros_of(output.type()), {}, false});
  sweep.run();
  return sweep.reached(w);
}

std::vector<Expr> pull(std::string_view who, std::span<const Expr> outputs,
                       std::span<const Expr> wrt, std::span<const Expr> cotangents,
                       GradOptions options) {
  for (const Expr& w : wrt) check_float(who, "each value to derive by", w);
  const std::vector<Expr> forms = options.as_written
                                      ? std::vector<Expr>(outputs.begin(), outputs.end())
                                      : derived_forms(outputs, wrt, options.constants);
  ReverseSweep sweep(forms, wrt, options.constants);
  for (std::size_t i = 0; i < outputs.size(); ++i) sweep.seed(forms[i], {cotangents[i], {}, false});
  sweep.run();
  std::vector<Expr> result;
  for (const Expr& w : wrt) {
    // What cancelled in the stable form is an influence all the same.
    const bool reached = sweep.reached(w) || (options.disconnected != Disconnected::zero &&
                                              depends_on(outputs, w, options));
    if (options.disconnected == Disconnected::error && !reached)
      throw TypeError(fmt::format(
          "{}: expected values that the result depends on through differentiable operations, "
          "found {}",
          who, describe(w)));
    if (options.disconnected == Disconnected::none && !reached) {
      result.emplace_back();
      continue;
    }
    const Cotangent total = sweep.total(w);
    result.push_back(total ? materialize(total) : zeros_of(w.type()));
  }
  return result;
}

}  // namespace

std::vector<Cotangent> pull_back_all(std::span<const Expr> outputs, std::span<const Expr> wrt,
                                     std::span<const Cotangent> dy) {
  ReverseSweep sweep(outputs, wrt, {});
  for (std::size_t i = 0; i < outputs.size(); ++i) sweep.seed(outputs[i], dy[i]);
  sweep.run();
  std::vector<Cotangent> dx;
  for (const Expr& w : wrt) dx.push_back(sweep.total(w));
  return dx;
}

std::vector<Expr> grad(const Arg& of, const ExprList& wrt, GradOptions options) {
  const CallPlace call("", of.origin());
  const Expr cost(of.is_weak() ? of.value() : *of.strong());
  if (!cost.defined() || !is_float(cost.dtype()) || cost.rank() != 0)
    throw TypeError(
        fmt::format("grad: the cost must be a float scalar, found {}", found_text(cost)));
  const Expr one = constant(1.0, cost.dtype());
  return pull("grad", std::span(&cost, 1), wrt, std::span(&one, 1), options);
}

std::vector<Expr> grad(const Arg& cost, std::initializer_list<Expr> wrt, GradOptions options) {
  return grad(cost, ExprList(wrt), std::move(options));
}

Expr grad(const Arg& cost, const Expr& wrt, GradOptions options) {
  return grad(cost, std::span<const Expr>(&wrt, 1), options).front();
}

ValueAndGrad value_and_grad(const Arg& cost, const ExprList& wrt, GradOptions options) {
  const CallPlace call("value_and_grad", cost.origin());
  return {Expr(cost.value()), grad(cost, wrt, std::move(options))};
}

std::vector<Expr> vjp(const ExprList& outputs, const ExprList& wrt, const ExprList& cotangents,
                      GradOptions options) {
  const CallPlace call("", outputs.origin());
  check_count("vjp", "cotangents", cotangents.size(), outputs.size());
  std::vector<Expr> seeds(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined()) throw TypeError("vjp: each output must be a value, found nothing");
    if (!cotangents[i].defined()) continue;
    check_float("vjp", "each output with a cotangent", outputs[i]);
    seeds[i] = seed_of("vjp", "a cotangent", cotangents[i], outputs[i]);
  }
  return pull("vjp", outputs, wrt, seeds, options);
}

std::vector<Expr> jvp(const ExprList& outputs, const ExprList& wrt, const ExprList& tangents) {
  const CallPlace call("", outputs.origin());
  check_count("jvp", "tangents", tangents.size(), wrt.size());
  for (const Expr& output : outputs)
    if (!output.defined()) throw TypeError("jvp: each output must be a value, found nothing");
  const std::vector<Expr> forms = derived_forms(outputs, wrt, {});
  const Tape tape(forms);
  std::vector<Expr> tangent(tape.count());
  for (std::size_t i = 0; i < wrt.size(); ++i) {
    check_float("jvp", "each value to derive by", wrt[i]);
    if (!tangents[i].defined()) continue;
    const Expr seed = seed_of("jvp", "a tangent", tangents[i], wrt[i]);
    if (!tape.has(wrt[i])) continue;
    Expr& own = tangent[tape.slot(wrt[i])];
    own = own.defined() ? add(own, seed) : seed;
  }
  for (const Node* node : tape.order()) {
    if (!carries_derivatives(*node)) continue;
    std::vector<Expr> dx;
    bool any = false;
    for (const Value& x : node->operands()) {
      dx.push_back(tangent[tape.slot(x)]);
      any = any || dx.back().defined();
    }
    if (!any) continue;
    const bool floats = std::any_of(node->types().begin(), node->types().end(),
                                    [](const Type& t) { return is_inexact(t.dtype); });
    if (!floats) continue;
    const std::vector<Expr> dy = push_forward(*node, dx);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      if (!dy[i].defined() || !is_inexact(node->type(i).dtype)) continue;
      Expr& own = tangent[tape.first(*node) + i];
      own = own.defined() ? add(own, dy[i]) : dy[i];
    }
  }
  std::vector<Expr> result;
  for (const Expr& output : forms) {
    const Expr& dy = tangent[tape.slot(output)];
    const bool zero = !dy.defined() && is_inexact(output.dtype());
    result.push_back(zero ? zeros_of(output.type()) : dy);
  }
  return result;
}

}  // namespace gnomon
