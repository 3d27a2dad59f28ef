// Functions over expressions as functions of Python operands: symbolic, or one compiled function.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <vector>

#include "frontend/python/src/core.h"

namespace gnomon::python {

/// What `build` makes of the operands: an expression when one of them is symbolic, else computed at
/// once. None is a null expression. Python floats take the float dtype that the operands which are
/// no numbers have together, and float64 where there is none.
nb::object composed(std::initializer_list<nb::handle> operands,
                    const std::function<Expr(std::span<const Expr>)>& build);
/// The same for several results, as a tuple.
nb::object composed_all(std::initializer_list<nb::handle> operands,
                        const std::function<std::vector<Expr>(std::span<const Expr>)>& build);

void add_images(nb::module_& networks);  // images.cpp

}  // namespace gnomon::python
