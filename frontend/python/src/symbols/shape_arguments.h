// Arguments of functions that make and move elements: integers, axes, shapes, dtypes.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/python/src/core.h"

namespace gnomon::python {

using Ints = std::vector<std::int64_t>;

std::int64_t to_int(nb::handle object);
/// One integer, or a sequence of them.
Ints to_ints(nb::handle object);

/// A shape: of integers, or with a dimension that only a call knows.
struct ShapeArgument {
  Shape dims;
  Ints extents;  // of what is known
  bool symbolic = false;

  explicit ShapeArgument(nb::handle object);

 private:
  void add(nb::handle item);
};

/// The dtype that is named, or another for None.
DType dtype_or(nb::handle dtype, DType otherwise);
/// How an operand takes part in promotion: Python numbers are weak.
Weak weakness(nb::handle x);
/// What stands for a value in a graph, as an expression.
Expr expression(nb::handle x);

/// A view that repeats `x` by strides of 0. ValueError where it does not stretch to `shape`.
Array stretched(const Array& x, const Ints& shape);

}  // namespace gnomon::python
