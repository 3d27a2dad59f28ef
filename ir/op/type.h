// The type of a value: dtype and shape. Promotion.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/dimension/dimension.h"
#include "runtime/arrays/dtype.h"

namespace gnomon {

using Shape = std::vector<Dim>;

struct Type {
  DType dtype = DType::float64;
  Shape shape;

  int rank() const { return static_cast<int>(shape.size()); }
  /// "f32[n, 3]".
  std::string text() const;
  std::size_t hash() const;
  friend bool operator==(const Type&, const Type&) = default;
};

/// "[n, 3]".
std::string text(const Shape& shape);
/// Product of the extents.
Dim element_count(std::span<const Dim> shape);

/// The common dtype of two operands (Array API tables; int with float gives the float's dtype;
/// uint64 with a signed int gives float64, as NumPy). TypeError naming both where there is none.
DType promote(DType a, DType b);
/// The common dtype of values of dtype `t` and a plain number, whose own dtype is `weak`.
DType promote_weak(DType t, DType weak);
/// The dtype of sum and prod: bool and small ints widen to int64, small uints to uint64.
DType accumulated(DType t);
/// `t` if it is a float, else float64.
DType inexact(DType t);

/// Axis in [0, rank) for one in [-rank, rank); IndexError prefixed by `what` otherwise.
int normalize_axis(std::int64_t axis, int rank, std::string_view what);

}  // namespace gnomon
