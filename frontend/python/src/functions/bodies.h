// Functions of Python that are called with expressions: bodies of loops, equations, rules.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "frontend/python/src/core.h"

namespace gnomon::python {

using Objects = std::vector<nb::object>;

Objects sequence_items(nb::handle sequence);
/// None in the place of an expression that is none.
nb::list expression_list(std::span<const Expr> exprs);
std::string class_name(nb::handle object);
/// A value of dtype `t`: numbers and array-likes become constants of it.
Expr value_of(nb::handle object, DType t);

/// What `build` makes of `operands`: arrays when they are all that it needs, else expressions.
nb::list closed_or_open(const Objects& operands,
                        const std::function<std::vector<Expr>(std::span<const Expr>)>& build);

/// Calls a function of the user's: what it makes has the lines it was made in, not that of what it
/// is given to.
template <typename... Arguments>
nb::object call_user(const nb::object& function, const Arguments&... arguments) {
  const OriginPause own_lines;
  return function(arguments...);
}

/// What a body returned, a list: those in the place of `states` with the dtypes of these. `who` is
/// for the TypeError of what is no list.
std::vector<Expr> results_of_body(const char* who, const nb::object& result,
                                  std::span<const Expr> states);

}  // namespace gnomon::python
