// The type of a value: dtype and shape. Promotion.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/dimension/dimension.h"
#include "runtime/arrays/dtype.h"

namespace gnomon {

/// The extents of the axes.
using Shape = std::vector<Dim>;

/// What is known of a value before a call: its dtype and its extents.
struct Type {
  DType dtype = DType::float64;  ///< of the elements
  Shape shape;                   ///< an extent for each axis

  /// The number of axes.
  int rank() const { return static_cast<int>(shape.size()); }
  /// "f32[n, 3]".
  std::string text() const;
  /// Of equal types the same.
  std::size_t hash() const;
  /// Whether dtypes and extents are the same.
  friend bool operator==(const Type&, const Type&) = default;
};

/// The text of a shape: "[n, 3]".
std::string text(const Shape& shape);
/// Product of the extents.
Dim element_count(std::span<const Dim> shape);

/// The common dtype of two operands, by the tables of the Array API. An integer with a float gives
/// the float's dtype; uint64 with a signed integer float64; float16 with bfloat16 float32; a float
/// with a complex number the complex dtype that holds both; bool the other dtype.
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
