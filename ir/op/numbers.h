// The numbers the reference evaluator computes with: those of the machine, or reals of a test.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "ir/op/element.h"
#include "ir/op/op.h"
#include "runtime/arrays/dtype.h"
#include "runtime/error.h"

namespace gnomon {

/// A number as `cast` converts it: to integers toward zero, out of range to the nearest bound, NaN
/// to 0.
template <class To, class From>
To convert_number(From x) {
  if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The bounds are powers of two (or one less), so the lower one and the one beyond are exact.
    const From low = static_cast<From>(std::numeric_limits<To>::min());
    const From beyond = std::ldexp(From(1), std::numeric_limits<To>::digits);
    if (x >= beyond) return std::numeric_limits<To>::max();
    if (x <= low) return std::numeric_limits<To>::min();
    return x == x ? static_cast<To>(x) : To(0);
  } else {
    return static_cast<To>(x);
  }
}

/// The number of C++ type T in a cell.
template <class T>
T cell_get(const Cell& cell) {
  if constexpr (std::is_same_v<T, bool>) {
    return cell.b;
  } else if constexpr (std::is_same_v<T, float>) {
    return cell.f32;
  } else if constexpr (std::is_same_v<T, double>) {
    return cell.f64;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<T>(cell.i);
  } else {
    return static_cast<T>(cell.u);
  }
}

/// The cell of a number; bits it does not need are 0.
template <class T>
Cell cell_make(T v) {
  Cell cell;
  cell.u = 0;
  if constexpr (std::is_same_v<T, bool>) {
    cell.b = v;
  } else if constexpr (std::is_same_v<T, float>) {
    cell.f32 = v;
  } else if constexpr (std::is_same_v<T, double>) {
    cell.f64 = v;
  } else if constexpr (std::is_signed_v<T>) {
    cell.i = v;
  } else {
    cell.u = v;
  }
  return cell;
}

/// Element `i` of an array of `t` at `data`.
Cell cell_load(DType t, const void* data, std::int64_t i);
void cell_store(DType t, void* data, std::int64_t i, const Cell& cell);
/// The conversion generated code makes: to integers toward zero, saturating, NaN to 0.
Cell cell_cast(const Cell& cell, DType from, DType to);
/// Wrapping for integers.
Cell cell_add(DType t, const Cell& a, const Cell& b);
Cell cell_multiply(DType t, const Cell& a, const Cell& b);
bool cell_equal(DType t, const Cell& a, const Cell& b);
bool cell_is_nan(DType t, const Cell& a);
/// The op on the host, operand by operand for ops of any number of them.
Cell cell_apply(const Op& op, DType operand_dtype, std::span<const Cell> operands);

/// The machine's numbers: the bits of generated code, operation by operation.
struct MachineNumbers {
  using Number = Cell;
  Number from_cell(DType, const Cell& cell) const { return cell; }
  Cell to_cell(DType, const Number& x) const { return x; }
  Number apply(const Op& op, DType operand_dtype, DType, std::span<const Number> x) const {
    return cell_apply(op, operand_dtype, x);
  }
  Number cast(const Number& x, DType from, DType to) const { return cell_cast(x, from, to); }
  Number add(DType t, const Number& a, const Number& b) const { return cell_add(t, a, b); }
  Number multiply(DType t, const Number& a, const Number& b) const {
    return cell_multiply(t, a, b);
  }
  bool equal(DType t, const Number& a, const Number& b) const { return cell_equal(t, a, b); }
  bool is_nan(DType t, const Number& x) const { return cell_is_nan(t, x); }
};

/// Real numbers for tests: floats of either dtype are a `Real` that is never rounded to the dtype;
/// integers and bools stay the machine's. `Real` is made from a double.
template <class Real>
class RealNumbers {
 public:
  struct Number {
    Cell cell{};
    Real real{};
  };
  using Function = std::function<Real(std::span<const Real>)>;

  /// Real functions by op name; comparisons and predicates give 0 or 1. `add`, `multiply` and
  /// `equal` are needed. `to_double` rounds.
  RealNumbers(std::unordered_map<std::string, Function> functions,
              std::function<double(const Real&)> to_double)
      : functions_(std::move(functions)), to_double_(std::move(to_double)) {}

  Number from_cell(DType t, const Cell& cell) const {
    if (!is_float(t)) return {cell, Real(0.0)};
    return {Cell{}, Real(t == DType::float32 ? static_cast<double>(cell.f32) : cell.f64)};
  }
  Cell to_cell(DType t, const Number& x) const {
    if (!is_float(t)) return x.cell;
    const double v = to_double_(x.real);
    return t == DType::float32 ? cell_make(static_cast<float>(v)) : cell_make(v);
  }
  Number apply(const Op& op, DType operand_dtype, DType result, std::span<const Number> x) const {
    if (op.promotion == Promotion::choice) return x[0].cell.b ? x[1] : x[2];
    if (!is_float(operand_dtype)) {
      std::vector<Cell> cells;
      for (const Number& n : x) cells.push_back(n.cell);
      return from_cell(result, cell_apply(op, operand_dtype, cells));
    }
    std::vector<Real> reals;
    for (const Number& n : x) reals.push_back(n.real);
    const Real y = fold(op, reals);
    return is_bool(result) ? Number{cell_make(to_double_(y) != 0), Real(0.0)} : Number{Cell{}, y};
  }
  Number cast(const Number& x, DType from, DType to) const {
    if (is_float(from) && is_float(to)) return x;
    if (is_float(from)) {
      if (is_bool(to)) return {cell_make(!truth("equal", x.real, Real(0.0))), Real(0.0)};
      return {cell_cast(cell_make(to_double_(x.real)), DType::float64, to), Real(0.0)};
    }
    if (!is_float(to)) return {cell_cast(x.cell, from, to), Real(0.0)};
    return {Cell{}, real_of(x.cell, from)};
  }
  Number add(DType t, const Number& a, const Number& b) const {
    if (!is_float(t)) return {cell_add(t, a.cell, b.cell), Real(0.0)};
    return {Cell{}, call("add", a.real, b.real)};
  }
  Number multiply(DType t, const Number& a, const Number& b) const {
    if (!is_float(t)) return {cell_multiply(t, a.cell, b.cell), Real(0.0)};
    return {Cell{}, call("multiply", a.real, b.real)};
  }
  bool equal(DType t, const Number& a, const Number& b) const {
    return is_float(t) ? truth("equal", a.real, b.real) : cell_equal(t, a.cell, b.cell);
  }
  bool is_nan(DType t, const Number& x) const {
    return is_float(t) && std::isnan(to_double_(x.real));
  }

 private:
  const Function& function(const std::string& name) const {
    const auto at = functions_.find(name);
    if (at == functions_.end())
      throw InternalError(fmt::format("{}: the evaluator was given no such real function", name));
    return at->second;
  }
  Real call(const std::string& name, const Real& a, const Real& b) const {
    const Real pair[] = {a, b};
    return function(name)(std::span<const Real>(pair, 2));
  }
  bool truth(const std::string& name, const Real& a, const Real& b) const {
    return to_double_(call(name, a, b)) != 0;
  }
  Real fold(const Op& op, std::span<const Real> x) const {
    const Function& f = function(std::string(op.name));
    if (op.operands >= 0 || x.size() <= 2) return f(x);
    Real sum = x[0];
    for (std::size_t i = 1; i < x.size(); ++i) {
      const Real pair[] = {sum, x[i]};
      sum = f(std::span<const Real>(pair, 2));
    }
    return sum;
  }
  /// An integer exactly, though a double may not hold it.
  Real real_of(const Cell& cell, DType from) const {
    if (is_bool(from)) return Real(cell.b ? 1.0 : 0.0);
    const double high =
        is_signed(from) ? static_cast<double>(cell.i >> 32) : static_cast<double>(cell.u >> 32);
    const double low = static_cast<double>(cell.u & 0xffffffffu);
    return call("add", Real(high * 4294967296.0), Real(low));
  }

  std::unordered_map<std::string, Function> functions_;
  std::function<double(const Real&)> to_double_;
};

}  // namespace gnomon
