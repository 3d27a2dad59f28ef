// The ops without operands, the cast and the extent: what graphs are made of beside the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/graph/expr.h"
#include "ir/op/op.h"
#include "runtime/arrays/shared.h"

namespace gnomon {

namespace op {
extern const Op input;            // attributes: id, name, dtype, shape
extern const Op shared_variable;  // attributes: id (the variable's), name, dtype, shape
extern const Op param;            // attributes: index, dtype, shape
extern const Op constant;         // attributes: value
extern const Op cast;             // attributes: dtype
extern const Op extent;           // attributes: extent (one dimension)
}  // namespace op

/// Whether the op has no operands and its value comes from outside: input, shared_variable, param.
bool is_leaf(const Op& op);
/// The name of an input or shared variable, or "".
std::string leaf_name(const Value& v);

/// Parameter `index` of a closed graph.
Value make_param(std::int64_t index, const Type& type);
/// Which parameter such a node is.
std::size_t param_index(const Node& param);
/// A constant holding `array` itself: nobody may write to it afterwards.
Value make_constant(const Array& array);
/// A dimension as a rank-0 int64 value: a constant, the scalar it is the value of, or an `extent`.
Value extent_value(const Dim& d);

/// The leaf that stands for a shared variable: the same expression each time.
Expr shared_leaf(const Shared& variable);
/// The variable of such a leaf.
const Shared& shared_of(const Value& leaf);

}  // namespace gnomon
