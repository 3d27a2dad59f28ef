// Bodies as ops use them: checking arguments, capturing what a body needs, applying one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/op/op.h"

namespace gnomon {

/// The types of a body's outputs for arguments; TypeError unless they fit its parameters. A leading
/// parameter that has no argument (a loop's index) stands in for itself: give a leaf. See
/// `body_types` for the checks.
std::vector<Type> body_output_types(TypeContext&, const Body& body,
                                    std::span<const Value> arguments,
                                    std::optional<std::size_t> checked_from);

/// Whether values of this type have derivatives.
inline bool has_derivative(const Expr& x) { return is_inexact(x.dtype()); }

/// Whether an extent is a value that is computed.
bool has_computed_extents(const Value& v);

/// The nodes of `order`, operands first, that depend on one of the values or mention one of the
/// symbols; not the nodes of the values themselves.
std::unordered_set<const Node*> dependents(std::span<const Node* const> order,
                                           const std::unordered_set<Value, ValueHash>& values,
                                           const std::unordered_set<std::uint64_t>& symbols = {});

/// A body over `parameters` and, after them, the values it captured.
struct Closure {
  Body body;
  std::vector<Value> captured;
};
/// Whether the symbols in the parameters' shapes are those of the values around the body, or stand
/// for whatever extents the arguments have, so that nothing with them is outside. Nor is then what
/// depends on nothing.
enum class Symbols { outer, of_parameters };

/// Closes `outputs` over `parameters`. Largest subexpressions that do not depend on these are
/// captured; constants, ranges and broadcasts stay inside.
Closure close_over(std::span<const Value> parameters, std::span<const Value> outputs,
                   Symbols symbols = Symbols::outer);
/// What bodies with these nodes inside capture to give `outputs`.
std::vector<Value> captured_around(const std::unordered_set<const Node*>& inside,
                                   std::span<const Value> outputs);

/// The arguments with the extents that the body's parameters have inside.
std::vector<Value> fitted_to_body(const Graph& body, std::span<const Value> arguments);
/// Outputs of a body for arguments.
std::vector<Expr> apply_body(const Body& body, std::span<const Expr> arguments);
/// The same with the body's entry checks, for bodies whose operations do not ask for all of them
/// again: what gives a constant for a value whose extents are those of an argument.
std::vector<Expr> apply_checked_body(const Body& body, std::span<const Expr> arguments);

/// What the derivative of a `call` that recomputes starts from: the operands, each behind a barrier
/// that waits for the cotangents. So what is made of them is not what the graph has already, and is
/// computed after all that follows the call.
std::vector<Expr> behind_barriers(std::span<const Expr> x, std::span<const Expr> cotangents);

/// Inputs of the types of values; extents that are computed become symbols, equal ones the same.
std::vector<Expr> inputs_like(std::span<const Expr> values);

}  // namespace gnomon
