// The user's handle of a value, the arguments of functions that build expressions, and constants.
#pragma once

#include <complex>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph/node.h"

namespace gnomon {

class Arg;
class Index;

/// Anything that is never true, so that an assertion about it waits for a use.
template <class>
inline constexpr bool never = false;

/// An expression over arrays. Cheap to copy. Refers to none when default made or moved from: then
/// whatever is asked of it but `defined` is a TypeError.
class Expr {
 public:
  Expr() = default;
  /// The handle of a value of the graph.
  Expr(Value value) : value_(std::move(value)) {}
  /// A constant: a copy of the array. TypeError: it is none.
  Expr(const Array& constant);

  /// The value of the graph.
  const Value& value() const& GNOMON_LIFETIMEBOUND { return value_; }
  Value value() && { return std::move(value_); }
  operator const Value&() const GNOMON_LIFETIMEBOUND { return value_; }
  /// Whether the handle refers to an expression.
  bool defined() const noexcept { return static_cast<bool>(value_); }
  /// An expression is neither true nor false before a function of it is called.
  template <std::same_as<bool> Truth>
  explicit operator Truth() const {
    static_assert(
        never<Truth>,
        "an expression is neither true nor false until a function of it is called: write "
        "where(condition, a, b) to choose, minimum(a, b) and maximum(a, b) in place of "
        "std::min and std::max, and x.defined() to ask whether x refers to an expression");
    return false;
  }
  /// The dtype and the shape.
  const Type& type() const& GNOMON_LIFETIMEBOUND { return value_.type(); }
  Type type() const&& { return value_.type(); }
  /// The dtype of the elements.
  DType dtype() const { return value_.dtype(); }
  /// The number of axes.
  int rank() const { return value_.rank(); }
  /// The extent of an axis (negative counts from the end). IndexError: there is no such axis.
  Dim dim(int axis) const;
  /// The extents, which may be symbolic.
  const Shape& shape() const& GNOMON_LIFETIMEBOUND { return value_.shape(); }
  Shape shape() const&& { return value_.shape(); }

  /// Indexing as NumPy's `x[...]`: integers, slices (`range`), `ellipsis`, `newaxis`, expressions
  /// and arrays of integers or bools. IndexError, of the call for what only that knows: an index is
  /// out of range, or there are too many; TypeError: an array of other numbers.
  Expr operator()(const Index& i) const;
  Expr operator()(const Index& i, const Index& j) const;
  Expr operator()(const Index& i, const Index& j, const Index& k) const;
  Expr operator()(const Index& i, const Index& j, const Index& k, const Index& l) const;
  Expr operator()(const Index& i, const Index& j, const Index& k, const Index& l,
                  const Index& m) const;

  /// Whether both are the same expression, or both none.
  friend bool same(const Expr& a, const Expr& b) { return a.value_ == b.value_; }

 private:
  Value value_;
};

/// What the operators <, <=, >, >=, ==, !=, &&, || and ! make: an expression of dtype bool that the
/// compiler knows as such, so that `0.0 < x < 1.0` is an error.
class Comparison : public Expr {
 public:
  Comparison() = default;
  /// Of an expression of dtype bool.
  explicit Comparison(Expr e) : Expr(std::move(e)) {}
  /// Any expression, as in `mask = mask & more`.
  Comparison& operator=(const Expr& e) {
    Expr::operator=(e);
    return *this;
  }
};

/// The last place known to have made the expression: of operators that cannot take that of their
/// caller.
Origin last_origin(const Expr& e);

/// What a function that builds expressions takes: an expression, an array, or a plain number.
/// Plain numbers are weak: they take the dtype of the operand they meet. Remembers the line of
/// the caller.
class Arg {
 public:
  using Place = std::source_location;  ///< the line of the caller
  /// The same from another place.
  Arg(const Arg& other, Origin at) : Arg(other) { origin_ = at; }
  /// An expression, an array (a constant, which is copied) or an extent (a rank-0 int64 value).
  Arg(const Expr& e, Place at = Place::current()) : Arg(e.value(), at) {}
  Arg(const Value& v, Place at = Place::current())
      : value_(v), origin_{at.file_name(), at.line()} {}
  Arg(const Array& a, Place at = Place::current()) : Arg(Expr(a).value(), at) {}
  Arg(const Dim& d, Place at = Place::current());
  /// A weak number.
  Arg(std::floating_point auto v, Place at = Place::current())
      : kind_(Kind::real), real_(static_cast<double>(v)), origin_{at.file_name(), at.line()} {}
  Arg(std::same_as<bool> auto v, Place at = Place::current())
      : kind_(Kind::truth), whole_(v), origin_{at.file_name(), at.line()} {}
  template <std::floating_point T>
  Arg(std::complex<T> v, Place at = Place::current())
      : kind_(Kind::complex),
        real_(v.real()),
        imag_(v.imag()),
        origin_{at.file_name(), at.line()} {}
  /// A weak integer: int64, or uint64 where it is beyond that.
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Arg(T v, Place at = Place::current())
      : kind_(std::in_range<std::int64_t>(v) ? Kind::whole : Kind::natural),
        whole_(static_cast<std::int64_t>(v)),
        origin_{at.file_name(), at.line()} {}

  /// Whether it is a plain number, without a dtype of its own.
  bool is_weak() const { return kind_ != Kind::value; }
  /// The value; a weak number becomes a rank-0 constant of `t`. TypeError: there is none, or `t`
  /// cannot hold the number.
  Value as(DType t) const;
  /// The value; a weak number takes `weak_dtype()`.
  Value value() const;
  /// A weak number as a rank-0 array of `t`. TypeError when `t` cannot hold it.
  Array array(DType t) const;
  /// The dtype a weak number would take by itself: bool, int64, uint64, float64 or complex128.
  DType weak_dtype() const;
  /// The value; null for a weak number.
  const Value* strong() const { return is_weak() ? nullptr : &value_; }
  /// The line of the caller.
  const Origin& origin() const { return origin_; }

 private:
  enum class Kind : std::uint8_t { value, truth, whole, natural, real, complex };
  Kind kind_ = Kind::value;
  Value value_;
  std::int64_t whole_ = 0;  // the bits of a natural number
  double real_ = 0, imag_ = 0;
  Origin origin_;
};

/// A list of expressions as a parameter: `{x, y}`, a vector, an array or span of them, or any other
/// range of what converts to an expression. Remembers the line of the caller. To be looked at
/// during the call alone.
class ExprList : public std::span<const Expr> {
 public:
  using Place = std::source_location;  ///< the line of the caller
  /// None, some in braces, or those of a range.
  ExprList(Place at = Place::current()) : origin_{at.file_name(), at.line()} {}
  ExprList(std::initializer_list<Expr> list, Place at = Place::current())
      : span(list.begin(), list.size()), origin_{at.file_name(), at.line()} {}
  template <class Range>
    requires(!std::derived_from<Range, ExprList> &&
             requires(const Range& list) {
               { *std::begin(list) } -> std::convertible_to<Expr>;
               std::end(list);
             })
  ExprList(const Range& range, Place at = Place::current()) : origin_{at.file_name(), at.line()} {
    if constexpr (std::convertible_to<const Range&, std::span<const Expr>>) {
      static_cast<span&>(*this) = range;
    } else {
      for (auto&& e : range) own_.push_back(e);
      static_cast<span&>(*this) = own_;
    }
  }
  ExprList(const ExprList&) = delete;
  ExprList& operator=(const ExprList&) = delete;

  /// The line of the caller.
  const Origin& origin() const { return origin_; }

 private:
  std::vector<Expr> own_;
  Origin origin_;
};

/// Applies `op` after promoting the operands as its record says (casts become nodes).
Expr apply(const Op& op, std::initializer_list<Arg> args, Attributes attributes = {});
Expr apply(const Op& op, std::span<const Arg> args, Attributes attributes = {});
/// All outputs of the application.
std::vector<Expr> apply_all(const Op& op, std::span<const Arg> args, Attributes attributes = {});
/// `x` with dtype `t`; `x` itself when it has it. Floats become integers toward 0, the nearest one
/// where they are out of range, 0 where they are NaN; integers wrap; bools are whether a number is
/// not 0. TypeError: complex numbers become neither floats nor integers.
Expr cast(const Arg& x, DType t);

/// A rank-0 constant of `t`; of bool, whether the number is not 0. TypeError: an integer dtype
/// cannot hold it.
Expr constant(double v, DType t);
Expr constant(std::int64_t v, DType t);
Expr constant(std::uint64_t v, DType t);
/// A rank-0 constant of complex numbers. TypeError: `t` is another dtype.
Expr constant(std::complex<double> v, DType t);
/// Whether `v` is a rank-0 constant, or the broadcast of one; its value through double / int64. A
/// complex constant has one if its imaginary part is 0.
std::optional<double> constant_value(const Value& v);
/// The array of a constant node, or null.
const Array* constant_array(const Value& v);

/// A symbolic input of a function, of the given extents. The name is that of messages.
Expr tensor(std::string name, DType dtype, Shape shape);
/// A symbolic input of rank 0, 1, 2, 3 or 4. Its extents are symbols of their own, `name.0` and so
/// on: any call may have others.
Expr scalar(std::string name, DType dtype = DType::float64);
Expr vector(std::string name, DType dtype = DType::float64);
Expr matrix(std::string name, DType dtype = DType::float64);
Expr tensor3(std::string name, DType dtype = DType::float64);
Expr tensor4(std::string name, DType dtype = DType::float64);

/// The name of an input or shared variable, the short form of an operation otherwise;
/// with its type: "x: f32[n, 3]".
std::string describe(const Value& v);

}  // namespace gnomon

template <>
struct std::hash<gnomon::Value> {
  std::size_t operator()(const gnomon::Value& v) const { return v.hash(); }
};
