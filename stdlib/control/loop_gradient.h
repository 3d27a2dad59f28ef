// The gradient of a loop: what is done in each step backwards, and what that has of the steps
// forwards.
#pragma once

#include <span>
#include <vector>

#include "ir/op/op.h"
#include "stdlib/control/loop.h"

namespace gnomon {

/// The steps of a loop's gradient, from the last to the first. Cotangents of the states go from
/// step to step, those of captured values add up. Values that nothing is asked for have neither.
class LoopGradient {
 public:
  explicit LoopGradient(const Vjp& v);

  const Vjp& vjp() const { return v_; }
  const Loop& loop() const { return loop_; }
  /// The derivative of the body: of its parameters, then a cotangent for each of its outputs that
  /// has one.
  const Body& derivative() const { return derivative_; }

  /// The cotangents that enter the last step: those of states, then 0 for captured values.
  std::vector<Expr> initial() const;
  /// Those that leave step i, of those that enter it, the states before it, and further arguments
  /// of the derivative.
  std::vector<Expr> before(const Body& derivative, const Expr& i, std::span<const Expr> states,
                           std::span<const Expr> cotangents, std::span<const Expr> more = {}) const;
  /// Those that leave the first step, by operand.
  Exprs by_operand(std::span<const Expr> cotangents) const;

 private:
  const Vjp& v_;
  Loop loop_;
  std::vector<bool> carried_;  // by operand
  Body derivative_;
};

/// The node of each parameter that is among the nodes of a body; null of others.
std::vector<const Node*> params_read(const Graph& body, std::span<const Node* const> order);

/// The cotangents that leave the first step, in memory as the loop's checkpoints say: the steps
/// between those that are kept are made again.
std::vector<Expr> gradient_with_checkpoints(const LoopGradient& gradient);

Exprs fori_vjp(const Vjp& v);
Exprs while_vjp(const Vjp& v);

}  // namespace gnomon
