// Operands taken apart, and the application of an op to them; for apply.cpp, eager.cpp,
// operation.cpp and operators.cpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "frontend/python/src/core.h"
#include "ir/graph/origin.h"

#include <structmember.h>  // needs Python.h

namespace gnomon::python {

/// Either an expression, an array, or a Python number.
struct Operand {
  Value value;               // of an expression or a dimension
  Array array;               // of what has values
  Weak weak = Weak::no;      // numbers, dimensions and traced numbers
  std::int64_t integer = 0;  // of a bool or an int
  double real = 0;           // of a float or complex
  double imag = 0;           // of a complex

  bool is_symbolic() const { return static_cast<bool>(value); }
  bool is_number() const { return !value && !array.defined(); }
  /// The dtype by itself.
  DType dtype() const;
};

/// A few operands without an allocation.
class Operands {
 public:
  explicit Operands(std::size_t n) : size_(n) {
    if (n > few_.size()) more_.resize(n);
  }
  Operand& operator[](std::size_t i) { return more_.empty() ? few_[i] : more_[i]; }
  std::span<Operand> span() { return {more_.empty() ? few_.data() : more_.data(), size_}; }

 private:
  std::array<Operand, 3> few_;
  std::vector<Operand> more_;
  std::size_t size_;
};

/// Whether operators take the object; others get their chance by NotImplemented.
bool is_operand(PyObject* object);
/// Sets `operand`; the Python or Gnomon TypeError of to_array when the object is no array.
void take(nb::handle object, Operand& operand);
/// The dtype that operand `i` takes by the promotion of the op.
class Promoted {
 public:
  Promoted(const Op& op, std::span<const Operand> operands);
  DType operator()(std::size_t i, const Operand& operand) const;
  /// How the result of an elementwise op takes part in promotion.
  Weak weak_result(DType dtype) const;

 private:
  Promotion how_;
  DType common_ = DType::float64;
  bool all_weak_ = false;
};
/// A number as a value of `t`, and the rank-0 array of it; TypeError, in the name of `what`, when
/// `t` does not hold it.
Value number_value(const Operand& number, DType t, std::string_view what);
Array number_array(const Operand& number, DType t, std::string_view what);
/// " [model.py:12]", the user's line as messages end with it; "" when it is not known.
std::string at_caller();
/// IndexError with that line.
[[noreturn]] void out_of_range(const std::string& message);

/// The op applied with promotion: expressions when an operand is symbolic, else computed at once.
/// One new object per output.
std::vector<nb::object> apply_all(const Op& op, std::span<const Operand> operands,
                                  Attributes attributes);
/// The same for ops with one output.
nb::object apply_one(const Op& op, std::span<const Operand> operands, Attributes attributes);
/// Of operands without an expression among them (eager.cpp).
std::vector<Array> compute(const Op& op, std::span<const Operand> operands,
                           const Attributes& attributes);

/// The dimension of a `Dim`, or null.
const Dim* dim_of(nb::handle object);
/// A new Python tuple of extents: ints where they are known, else `Dim`s.
nb::object wrap_shape(const Shape& shape);
/// Whether nodes get the user's lines.
void set_origins(bool on);

void add_dims(nb::module_& m);  // dim.cpp

}  // namespace gnomon::python
