// How an op says what one element of its result is: the interface its element rule writes to.
// Code generation implements it with kernel statements, the evaluator with numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/dimension/dimension.h"
#include "runtime/arrays/dtype.h"

namespace gnomon {

struct Op;
class Node;

/// A scalar the Element made: an SSA value of a kernel, or a number.
struct Scalar {
  std::int32_t id = -1;
  explicit operator bool() const { return id >= 0; }
  friend bool operator==(Scalar, Scalar) = default;
};

/// The bits of one scalar of any dtype.
union Cell {
  bool b;
  std::int64_t i;   // all signed integers, sign-extended
  std::uint64_t u;  // all unsigned integers, zero-extended
  float f32;
  double f64;
};

class Element {
 public:
  virtual ~Element() = default;

  /// A constant of any supported dtype.
  virtual Scalar constant(DType t, Cell value) = 0;
  /// The extent or value a dimension has, as int64.
  virtual Scalar extent(const Dim& d) = 0;
  /// An elementwise op on scalars of one dtype.
  virtual Scalar let(const Op& op, std::span<const Scalar> operands) = 0;
  virtual Scalar cast(Scalar x, DType to) = 0;
  /// `condition ? a : b`; both are evaluated.
  virtual Scalar select(Scalar condition, Scalar a, Scalar b) = 0;
  /// Element `index` of operand `i` of the node. The index must be in range.
  virtual Scalar operand(std::size_t i, std::span<const Scalar> index) = 0;
  /// Index arithmetic on int64 (quotient and remainder round to minus infinity).
  virtual Scalar add(Scalar a, Scalar b) = 0;
  virtual Scalar subtract(Scalar a, Scalar b) = 0;
  virtual Scalar multiply(Scalar a, Scalar b) = 0;
  virtual Scalar floor_div(Scalar a, Scalar b) = 0;
  virtual Scalar mod(Scalar a, Scalar b) = 0;
  virtual Scalar less(Scalar a, Scalar b) = 0;
  virtual Scalar equal(Scalar a, Scalar b) = 0;
  /// `index` counted from the end when negative; reports a failed check when it is not in
  /// [-extent, extent) and then returns an index that is safe to load when extent > 0.
  virtual Scalar checked_index(Scalar index, Scalar extent) = 0;

  Scalar integer(std::int64_t v) {
    Cell c;
    c.i = v;
    return constant(DType::int64, c);
  }
};

}  // namespace gnomon
