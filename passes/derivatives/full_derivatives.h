// Derivatives by all elements at once: Jacobians, Hessians, and products with Hessians.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

/// All partial derivatives of a float array y by each x of `wrt`, of shape y.shape + x.shape: one
/// pass of `vjp` over a batch of all elements of y, or of `jvp` over those of x where they are
/// known to be fewer. Zeros without influence. TypeError where a value is not a float.
std::vector<Expr> jacobian(const Expr& y, const ExprList& wrt);

/// All second derivatives of a float scalar: entry [i][k], by wrt[i] and then wrt[k], has the shape
/// wrt[i].shape + wrt[k].shape.
std::vector<std::vector<Expr>> hessian(const Expr& cost, const ExprList& wrt);

/// The product of the Hessian of a float scalar with one tangent per value of `wrt`, of its type
/// (null: zero), without the Hessian: the tangent of the gradient.
std::vector<Expr> hvp(const Expr& cost, const ExprList& wrt, const ExprList& tangents);

}  // namespace gnomon
