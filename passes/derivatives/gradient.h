// Derivatives: grad, vjp and jvp build expressions for derivatives of expressions.
//
// What the engine does for every op, so that no record has to:
//   broadcasting  a record's result may have the shape of the output, of the operand, or any
//                 shape that broadcasts to either; the engine fits it to the operand's shape.
//   fan-in        the uses of a value are summed by one n-ary add.
//   dtypes        integer and bool values carry no derivative; casts between floats are followed.
//   jvp           follows from `partials`, or from `transpose`: products are linear in each of
//                 their linear operands, other ops in all of their linear operands together.
//   where         a cotangent is a value and a mask (cotangent.h), so that what a branch
//                 not taken would give never matters, not even as 0 * inf.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/op/op.h"

namespace gnomon {

/// What a derivative with respect to a value that has no influence is.
enum class Disconnected : std::uint8_t {
  error,  ///< TypeError that names the value
  zero,   ///< zeros of the value's type
  none,   ///< null
};

/// How derivatives are made.
struct GradOptions {
  Disconnected disconnected = Disconnected::error;  ///< of values without influence
  /// Values that count as constants: nothing goes on to what they are made of.
  std::vector<Expr> constants = {};
  /// Derive the expression as it is written, not the form that rules of stability give it first.
  bool as_written = false;
};

/// Gradient of a float `cost` of rank 0 with respect to each of `wrt`, which may be inputs, shared
/// variables or any other float values. Each has the type of its value. Differentiable again.
/// TypeError: `cost` is not a float scalar, a value is not a float, the cost does not depend on it
/// (see GradOptions), or depends on it through an op that has no derivative.
std::vector<Expr> grad(const Arg& cost, const ExprList& wrt, GradOptions options = {});
/// The same with respect to a list in braces; with respect to one value.
std::vector<Expr> grad(const Arg& cost, std::initializer_list<Expr> wrt, GradOptions options = {});
Expr grad(const Arg& cost, const Expr& wrt, GradOptions options);

/// The same for values one by one, as in `auto [dw, db] = grad(cost, w, b)`; with one value, its
/// gradient itself.
template <class... Wrt>
  requires(sizeof...(Wrt) > 0 && (std::convertible_to<const Wrt&, Expr> && ...))
auto grad(const Arg& cost, const Wrt&... wrt) {
  const std::array<Expr, sizeof...(Wrt)> list{Expr(wrt)...};
  const std::vector<Expr> gradients = grad(cost, ExprList(list));
  if constexpr (sizeof...(Wrt) == 1) {
    return gradients.front();
  } else {
    std::array<Expr, sizeof...(Wrt)> result;
    for (std::size_t i = 0; i < gradients.size(); ++i) result[i] = gradients[i];
    return result;
  }
}

/// The cost and its gradients, as of `grad`.
struct ValueAndGrad {
  Expr value;                   ///< the cost
  std::vector<Expr> gradients;  ///< one for each value
};
ValueAndGrad value_and_grad(const Arg& cost, const ExprList& wrt, GradOptions options = {});

/// Vector-Jacobian product: cotangents of `wrt` given one cotangent per output, of its type (null:
/// zero). Disconnected values give zeros unless the options say otherwise. TypeError: as of `grad`,
/// or another dtype; ValueError: another shape, or another number of cotangents.
std::vector<Expr> vjp(const ExprList& outputs, const ExprList& wrt, const ExprList& cotangents,
                      GradOptions options = {Disconnected::zero, {}});

/// Jacobian-vector product: tangents of `outputs` given one tangent per value of `wrt`, of its type
/// (null: zero). An output that is not a float has no tangent: its entry is null. Errors: as of
/// `vjp`.
std::vector<Expr> jvp(const ExprList& outputs, const ExprList& wrt, const ExprList& tangents);

/// Derivatives of closed bodies, as rules of ops that have bodies get them:
///   vjp  params' = params, then a cotangent for each float output (in order);
///        outputs' = the cotangent of each float param that is wanted (in order), zeros without
///        influence.
///   jvp  params' = params, then a tangent for each float param;
///        outputs' = outputs, then the tangent of each float output.
const BodyDerivatives& body_derivatives();

}  // namespace gnomon
