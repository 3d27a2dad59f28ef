// The X-list of operations, and the functions over expressions it makes.
#pragma once

#include <concepts>
#include <initializer_list>
#include <limits>
#include <optional>
#include <source_location>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/op/op.h"
#include "runtime/breakpoints.h"

// Elementwise ops: name, number of operands. Each line is a record `op::name`, a function
// `name(Arg...)`; patterns of rules have the same (passes/engine/pattern_functions.h).
// clang-format off
#define GNOMON_UNARY_OPS(X)                                                                   \
  X(negative) X(absolute) X(sign) X(square) X(sqrt) X(rsqrt) X(reciprocal)                    \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p)                                    \
  X(sin) X(cos) X(tan) X(arcsin) X(arccos) X(arctan)                                          \
  X(sinh) X(cosh) X(tanh) X(arcsinh) X(arccosh) X(arctanh)                                    \
  X(erf) X(erfc) X(erfcx) X(erfinv) X(erfcinv) X(ndtr) X(log_ndtr) X(ndtri) X(ndtri_exp)      \
  X(gamma) X(gammaln) X(digamma) X(trigamma) X(sigmoid) X(softplus) X(log1mexp) X(cbrt)       \
  X(i0) X(i0e) X(i1) X(i1e) X(j0) X(j1) X(y0) X(y1)                                           \
  X(floor) X(ceil) X(trunc) X(round)                                                          \
  X(isnan) X(isinf) X(isfinite) X(signbit) X(logical_not) X(bitwise_not)                      \
  X(float16_bits) X(float16_value) X(bfloat16_bits) X(bfloat16_value)
#define GNOMON_BINARY_OPS(X)                                                                  \
  X(subtract) X(divide) X(floor_divide) X(remainder) X(power)                                 \
  X(minimum) X(maximum) X(arctan2) X(hypot) X(logaddexp) X(copysign) X(nextafter)             \
  X(zeta) X(betaln) X(gammainc) X(gammaincc) X(gammaincinv) X(gammainccinv) X(owens_t)        \
  X(jv) X(ive) X(kve) X(gcd) X(lcm)                                                           \
  X(equal) X(not_equal) X(less) X(less_equal) X(greater) X(greater_equal)                     \
  X(logical_and) X(logical_or) X(logical_xor)                                                 \
  X(bitwise_and) X(bitwise_or) X(bitwise_xor) X(left_shift) X(right_shift)
#define GNOMON_TERNARY_OPS(X) X(where) X(clip) X(fma) X(betainc) X(betaincinv) \
  X(philox32) X(philox64)
// Elementwise with any number of operands from two.
#define GNOMON_NARY_OPS(X) X(add) X(multiply)
// The rest: records only; their functions have attributes and stand below.
#define GNOMON_OTHER_OPS(X)                                                                   \
  X(input) X(shared_variable) X(param) X(constant) X(cast) X(extent)                          \
  X(barrier) X(stop_gradient) X(undefined_grad) X(print) X(check) X(shaped) X(indices)        \
  X(breakpoint) X(transfer)                                                                   \
  X(sum) X(prod) X(max) X(min) X(any) X(all) X(max_and_argmax) X(min_and_argmin)              \
  X(mean) X(logsumexp) X(softmax) X(log_softmax)                                              \
  X(reshape) X(transpose) X(expand_dims) X(squeeze) X(broadcast_to) X(concatenate)            \
  X(slice) X(index) X(set_slice) X(inc_slice) X(set_index) X(inc_index) X(indicator)          \
  X(multiply_index) X(divide_index) X(minimum_index) X(maximum_index)                         \
  X(arange) X(dot) X(gemm) X(half_gemm) X(fori) X(while_loop) X(cond) X(call)                \
  X(cholesky) X(solve_triangular) X(solve) X(qr) X(eigh) X(eigvalsh) X(svd) X(svdvals)        \
  X(lu_factor) X(cofactors) X(det) X(slogdet) X(pinv) X(matrix_rank) X(solve_sylvester)       \
  X(expm) X(eig) X(eigvals) X(schur) X(qz) X(solve_banded) X(solve_discrete_are)              \
  X(conv) X(conv_input_gradient) X(conv_weight_gradient)                                      \
  X(max_pool) X(max_pool_gradient) X(max_pool_tangent) X(sum_pool) X(sum_pool_gradient)  \
  X(interleave)                                                                               \
  X(complex) X(real) X(imag) X(conj) X(angle) X(fft) X(rfft) X(irfft)                         \
  X(cumsum) X(cumprod) X(cummax) X(cummin) X(linear_recurrence)                               \
  X(sort) X(argsort) X(argtopk) X(searchsorted) X(flatnonzero)                \
  X(random_below) X(random_gamma) X(random_poisson) X(random_binomial)                        \
  X(random_hypergeometric) X(random_vonmises) X(random_zipf)
// What the last passes write for kernels: found by name, in no table and no one's to call.
#define GNOMON_LOWERED_OPS(X) X(sum_with_max) X(multiply_add)
// clang-format on

namespace gnomon {

namespace op {
#define GNOMON_DECLARE(name) extern const Op name;
GNOMON_UNARY_OPS(GNOMON_DECLARE)
GNOMON_BINARY_OPS(GNOMON_DECLARE)
GNOMON_TERNARY_OPS(GNOMON_DECLARE)
GNOMON_NARY_OPS(GNOMON_DECLARE)
GNOMON_OTHER_OPS(GNOMON_DECLARE)
GNOMON_LOWERED_OPS(GNOMON_DECLARE)
#undef GNOMON_DECLARE
}  // namespace op

#define GNOMON_UNARY(name) \
  inline Expr name(const Arg& x) { return apply(op::name, {x}); }
#define GNOMON_BINARY(name) \
  inline Expr name(const Arg& x, const Arg& y) { return apply(op::name, {x, y}); }
#define GNOMON_TERNARY(name) \
  inline Expr name(const Arg& x, const Arg& y, const Arg& z) { return apply(op::name, {x, y, z}); }
GNOMON_UNARY_OPS(GNOMON_UNARY)
GNOMON_BINARY_OPS(GNOMON_BINARY)
GNOMON_BINARY(add)
GNOMON_BINARY(multiply)
GNOMON_TERNARY_OPS(GNOMON_TERNARY)
#undef GNOMON_UNARY
#undef GNOMON_BINARY
#undef GNOMON_TERNARY

/// Element by element, as `add`, `less` and so on; comparisons are expressions of bools.
#define GNOMON_OPERATOR(symbol, name) \
  inline Expr operator symbol(const Arg& x, const Arg& y) { return name(x, y); }
GNOMON_OPERATOR(+, add)
GNOMON_OPERATOR(-, subtract)
GNOMON_OPERATOR(*, multiply)
GNOMON_OPERATOR(/, divide)
GNOMON_OPERATOR(%, remainder)
GNOMON_OPERATOR(&, bitwise_and)
GNOMON_OPERATOR(|, bitwise_or)
GNOMON_OPERATOR(^, bitwise_xor)
#undef GNOMON_OPERATOR
#define GNOMON_COMPARISON(symbol, name) \
  inline Comparison operator symbol(const Arg& x, const Arg& y) { return Comparison(name(x, y)); }
GNOMON_COMPARISON(<, less)
GNOMON_COMPARISON(<=, less_equal)
GNOMON_COMPARISON(>, greater)
GNOMON_COMPARISON(>=, greater_equal)
GNOMON_COMPARISON(==, equal)
GNOMON_COMPARISON(!=, not_equal)
#undef GNOMON_COMPARISON
// A comparison is not compared: whoever writes 0 < x < 1 means something else.
template <class T>
concept IsComparison = std::derived_from<T, Comparison>;
template <class T>
concept IsNumber = std::integral<T> || std::floating_point<T>;
#define GNOMON_NO_CHAIN(symbol, which)                                                          \
  template <class A, class B>                                                                   \
    requires(which)                                                                             \
  Comparison operator symbol(const A&, const B&) {                                              \
    static_assert(never<A>,                                                                     \
                  "this compares the result of a comparison: write a < b && b < c in place of " \
                  "a < b < c");                                                                 \
    return {};                                                                                  \
  }
#define GNOMON_EITHER (IsComparison<A> || IsComparison<B>)
#define GNOMON_WITH_NUMBER (IsComparison<A> && IsNumber<B> && !std::same_as<B, bool>)
GNOMON_NO_CHAIN(<, GNOMON_EITHER)
GNOMON_NO_CHAIN(<=, GNOMON_EITHER)
GNOMON_NO_CHAIN(>, GNOMON_EITHER)
GNOMON_NO_CHAIN(>=, GNOMON_EITHER)
GNOMON_NO_CHAIN(==, GNOMON_WITH_NUMBER)
GNOMON_NO_CHAIN(!=, GNOMON_WITH_NUMBER)
#undef GNOMON_NO_CHAIN
#undef GNOMON_EITHER
#undef GNOMON_WITH_NUMBER
// They match exactly: the language has these operators for whatever it could convert to a bool.
/// `logical_and`, `logical_or` and `logical_not`, element by element; both sides are computed.
template <class T>
concept IsExpr = std::derived_from<T, Expr>;
template <class X, class Y>
concept AreOperands = (IsExpr<X> && std::convertible_to<const Y&, Arg>) ||
                      (IsExpr<Y> && std::convertible_to<const X&, Arg>);
template <class X, class Y>
Origin origin_of_either(const X& x, const Y& y) {
  if constexpr (IsExpr<X>)
    if (const Origin at = last_origin(x)) return at;
  if constexpr (IsExpr<Y>) return last_origin(y);
  return {};
}
#define GNOMON_LOGICAL(symbol, name)                           \
  template <class X, class Y>                                  \
    requires AreOperands<X, Y>                                 \
  Comparison operator symbol(const X& x, const Y& y) {         \
    const Origin at = origin_of_either(x, y);                  \
    return Comparison(name(Arg(Arg(x), at), Arg(Arg(y), at))); \
  }
GNOMON_LOGICAL(&&, logical_and)
GNOMON_LOGICAL(||, logical_or)
#undef GNOMON_LOGICAL
template <IsExpr X>
Comparison operator!(const X& x) {
  return Comparison(logical_not(Arg(Arg(x), last_origin(x))));
}
// Of patterns of rules.
template <class X>
inline constexpr bool has_own_operators = false;
// What is no operand is told in one line.
#define GNOMON_NO_OPERAND(symbol)                                                               \
  template <class X, class Y>                                                                   \
    requires((IsExpr<X> || IsExpr<Y>) && !AreOperands<X, Y> && !has_own_operators<X> &&         \
             !has_own_operators<Y>)                                                             \
  Expr operator symbol(const X&, const Y&) {                                                    \
    static_assert(never<X>,                                                                     \
                  "an operand is no expression, array or number: make an array of a container " \
                  "with Array::from(values), or of a list with Array::from<double>({1, 2})");   \
    return {};                                                                                  \
  }
GNOMON_NO_OPERAND(+)
GNOMON_NO_OPERAND(-)
GNOMON_NO_OPERAND(*)
GNOMON_NO_OPERAND(/)
GNOMON_NO_OPERAND(%)
GNOMON_NO_OPERAND(<)
GNOMON_NO_OPERAND(<=)
GNOMON_NO_OPERAND(>)
GNOMON_NO_OPERAND(>=)
GNOMON_NO_OPERAND(==)
GNOMON_NO_OPERAND(!=)
#undef GNOMON_NO_OPERAND
/// x itself.
template <IsExpr X>
Expr operator+(const X& x) {
  return x;
}
/// The handle refers to the new expression; other handles to the old one do not change. A shared
/// variable has no such operators.
#define GNOMON_COMPOUND(symbol, name)                                                        \
  template <IsExpr X>                                                                        \
    requires(!std::is_const_v<X>)                                                            \
  X& operator symbol(X & x, const Arg & y) {                                                 \
    constexpr bool is_handle = std::same_as<X, Expr> || std::same_as<X, Comparison>;         \
    static_assert(is_handle,                                                                 \
                  "a shared variable changes when a function is called: give compile() the " \
                  "update {w, w + 1}");                                                      \
    if constexpr (is_handle) x = name(Arg(Arg(x), y.origin()), y);                           \
    return x;                                                                                \
  }
GNOMON_COMPOUND(+=, add)
GNOMON_COMPOUND(-=, subtract)
GNOMON_COMPOUND(*=, multiply)
GNOMON_COMPOUND(/=, divide)
GNOMON_COMPOUND(%=, remainder)
GNOMON_COMPOUND(&=, bitwise_and)
GNOMON_COMPOUND(|=, bitwise_or)
GNOMON_COMPOUND(^=, bitwise_xor)
#undef GNOMON_COMPOUND
/// `negative`, `bitwise_not`, `absolute` and `power`.
inline Expr operator-(const Arg& x) { return negative(x); }
inline Expr operator~(const Arg& x) { return bitwise_not(x); }
inline Expr abs(const Arg& x) { return absolute(x); }
inline Expr pow(const Arg& x, const Arg& y) { return power(x, y); }

/// re + i im, of floats (integers become float64), which broadcast.
Expr complex(const Arg& re, const Arg& im);
/// radius * (cos angle + i sin angle).
Expr complex_from_polar(const Arg& radius, const Arg& angle);
/// Parts, conjugate and angle of complex numbers; of a real x they are x, 0, x, and 0 or pi.
Expr real(const Arg& x);
Expr imag(const Arg& x);
Expr conj(const Arg& x);
/// In [-pi, pi]; signed zeros choose the side of the cut.
Expr angle(const Arg& x);

/// Sums and products of all terms, which broadcast, as one node. ValueError: there are none.
Expr add(const ExprList& terms);
Expr multiply(const ExprList& factors);

/// Axes to reduce: none given means all. Negative axes count from the end.
struct Axes {
  bool all = true;  ///< whether it is all axes, whatever is in `list`
  IntList list;     ///< the axes
  Axes() = default;
  /// One axis, or those of a list: none if it is empty.
  Axes(std::int64_t axis) : all(false), list{axis} {}
  Axes(int axis) : all(false), list{axis} {}
  Axes(std::initializer_list<std::int64_t> axes) : all(false), list(axes) {}
  Axes(IntList axes) : all(false), list(std::move(axes)) {}
};
/// Whether axes that are reduced stay, with extent 1: `sum(x, 0, keepdims)`.
enum class Keepdims : bool { no, yes };
inline constexpr Keepdims keepdims = Keepdims::yes;

// Over axes. The reference has the texts of their records, as it has of elementwise functions.
Expr sum(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr prod(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr max(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr min(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr any(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr all(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr mean(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
Expr logsumexp(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no);
/// Index (int64) of the first largest / smallest element, or the first NaN; over all axes: in the
/// flattened array. ValueError: there are no elements.
Expr argmax(const Arg& x, const Axes& axis = {}, Keepdims keep = Keepdims::no);
Expr argmin(const Arg& x, const Axes& axis = {}, Keepdims keep = Keepdims::no);
/// {values, indices} in one pass. The axes are reduced together, indices count row-major over them.
std::pair<Expr, Expr> max_and_argmax(const Arg& x, const Axes& axes = {},
                                     Keepdims keep = Keepdims::no);
std::pair<Expr, Expr> min_and_argmin(const Arg& x, const Axes& axes = {},
                                     Keepdims keep = Keepdims::no);

/// The elements in row-major order under another shape, in which -1 takes what is left. ValueError,
/// of the call where it knows the extents first: another number of elements.
Expr reshape(const Arg& x, const Shape& shape);
/// Axis i of the result is axis axes[i] of x; no axes reverse them. ValueError: no permutation.
Expr transpose(const Arg& x, IntList axes = {});
/// x with a new axis of extent 1, at this position of the result.
Expr expand_dims(const Arg& x, std::int64_t axis);
/// x without axes of extent 1 (ValueError: another one); by default all those known to be 1.
Expr squeeze(const Arg& x, const Axes& axes = {});
/// x repeated along new first axes and those of literal extent 1. ValueError: it does not fit.
Expr broadcast_to(const Arg& x, const Shape& shape);
/// The arrays one after another along an axis, or along a new one, in their common dtype.
/// ValueError: no arrays, other ranks, or other extents on the rest of the axes.
Expr concatenate(const ExprList& arrays, std::int64_t axis = 0);
Expr stack(const ExprList& arrays, std::int64_t axis = 0);

/// 0, 1, ..., n - 1 (int64 unless another dtype is given). TypeError: a bool or complex dtype.
Expr arange(const Dim& n, DType dtype = DType::int64, Arg::Place at = Arg::Place::current());
/// The same with the extent taken from a rank-0 int64 value; ValueError at run time when negative.
Expr arange(const Expr& n, DType dtype = DType::int64, Arg::Place at = Arg::Place::current());
/// `value` in every element: a broadcast.
Expr full(const Shape& shape, const Arg& value);
/// The identity matrix of an order.
Expr eye(const Dim& rows, DType dtype = DType::float64, Arg::Place at = Arg::Place::current());
/// A dimension as a rank-0 int64 value.
Expr extent(const Dim& d);

/// Matrix product by NumPy's matmul rules: rank 1 operands are rows / columns, leading axes batch.
/// ValueError, here and below: inner extents differ, or an operand of matmul has no axes.
Expr matmul(const Arg& a, const Arg& b);
/// NumPy's dot: matmul up to rank 2; sums the last axis of a with the last but one of b beyond.
Expr dot(const Arg& a, const Arg& b);
/// Sums of products over axes of a and as many of b, pair by pair: the other axes of a, then of b.
Expr tensordot(const Arg& a, const Arg& b, const IntList& axes_a, const IntList& axes_b);
/// The matrix of products a[i] b[j] of the flattened arrays.
Expr outer(const Arg& a, const Arg& b);

/// How windows lie on an image with n spatial axes. A list holds one number for all axes, or one an
/// axis; `padding` may also hold a pair an axis: what is added before and behind it.
struct Windows {
  IntList stride{1}, padding{0}, dilation{1};  ///< in elements
  std::int64_t groups = 1;                     ///< of channels, which do not mix
};
/// Cross-correlation over 1 to 3 spatial axes: x[N, C, ...] with w[O, C / groups, ...] gives
/// y[b, o, i] = sum over c, t of x[b, c, stride * i + dilation * t - padding] * w[o, c, t], where x
/// is 0 outside the image.
Expr conv(const Arg& x, const Arg& w, const Windows& windows = {});
/// The largest element, sum, mean of each window of `size` on the last axes of x. Elements outside
/// the image are not looked at; each window has at least one inside.
Expr max_pool(const Arg& x, const IntList& size, const IntList& stride = {},
              const IntList& padding = {0});
Expr sum_pool(const Arg& x, const IntList& size, const IntList& stride = {},
              const IntList& padding = {0});
Expr avg_pool(const Arg& x, const IntList& size, const IntList& stride = {},
              const IntList& padding = {0});
/// Blocks of `size` on the last axes, block i with element i of each part, in row-major order.
Expr interleave(const ExprList& parts, const IntList& size);

// As those over axes.
Expr softmax(const Arg& x, std::int64_t axis = -1);
Expr log_softmax(const Arg& x, std::int64_t axis = -1);

/// The identity, opaque to every rule: equal expressions with different `k` stay apart. What is
/// made of it is computed after the values in `after`.
Expr barrier(const Arg& x, std::int64_t k = 0, const ExprList& after = {});
/// The identity, a constant to derivatives: x has no influence by way of it.
Expr stop_gradient(const Arg& x);
/// The identity; a derivative by way of it is a TypeError that names `x`.
Expr undefined_grad(const Arg& x);
/// The identity; shows `message` and the value each time it is computed.
Expr print(const Arg& x, std::string message);
/// x, which the callback gets each time it is computed and the condition, a bool scalar, is true.
Expr breakpoint(const Arg& x, BreakpointCallback callback, const Arg& condition = true);
/// The identity; what is computed from it runs on the device: "cpu", "cuda:1", "sim", or "" for
/// that of the function. ValueError: no device has such a name.
Expr transfer(const Arg& x, const std::string& device);
/// `x`, after a ValueError with `message` if any element of `condition` is false.
Expr check(const Arg& x, const Arg& condition, std::string message);
/// As `check`, with an IndexError: {value} and {bound} in `message` stand for the integers in
/// `index` and `bound` (one for all, or each its own) where `condition` is false.
Expr check_index(const Arg& x, const Arg& condition, const Arg& index, const Arg& bound,
                 std::string message);
/// `x`, whose elements serve as indices: where one is out of range, the IndexError has `message`,
/// in which {value}, {bound} and {index} stand for the index, the extent and its position in `x`.
Expr as_indices(const Arg& x, std::string message);
/// `x`, whose extents must be exactly `shape`: a ValueError with `message`, at once where extents
/// are known, else of the call before it computes anything.
Expr shaped(const Arg& x, const Shape& shape, std::string message);
/// `x`, where the extents `left` must be `right`: errors as those of `shaped`.
Expr where_equal(const Arg& x, const Shape& left, const Shape& right, std::string message);

/// As a position of `x(...)`: the axes that the others leave, a new axis of extent 1, a whole axis.
struct Ellipsis {};
struct NewAxis {};
struct WholeAxis {};
inline constexpr Ellipsis ellipsis{};
inline constexpr NewAxis newaxis{};
inline constexpr WholeAxis all_of{};
/// start:stop:step; absent parts as in Python. Bounds may be symbolic and negative: one whose sign
/// only the call knows follows Python there, but a difference of extents (n - 3) counts from the
/// front and stops at 0. The step is a constant, not 0.
struct Range {
  std::optional<Dim> start, stop;  ///< the first index, and the one behind the last
  Dim step;                        ///< from one index to the next
  /// All indices, or some.
  Range(WholeAxis = {}) : step(1) {}
  Range(std::optional<Dim> start, std::optional<Dim> stop, Dim step = 1)
      : start(std::move(start)), stop(std::move(stop)), step(std::move(step)) {}
};
/// start:stop and start:stop:step; start: to the end; :stop from the beginning.
Range range(Dim start, Dim stop, Dim step = 1);
Range from(Dim start, Dim step = 1);
Range until(Dim stop, Dim step = 1);

/// One position of `x(...)`. Remembers the line of the caller.
class Index {
 public:
  using Place = std::source_location;  ///< the line of the caller
  /// An integer, a whole axis, a range of indices, the rest of the axes, a new axis.
  Index(std::integral auto i, Place at = Place::current()) : Index(Dim(whole(i)), at) {}
  Index(const Dim& d, Place at = Place::current());
  Index(WholeAxis w, Place at = Place::current());
  Index(const Range& r, Place at = Place::current());
  Index(Ellipsis e, Place at = Place::current());
  Index(NewAxis n, Place at = Place::current());
  /// Integer array (or rank-0 integer value), or a bool array over as many axes as it has: the
  /// places of its true elements.
  Index(const Expr& e, Place at = Place::current());
  Index(const Array& a, Place at = Place::current()) : Index(Expr(a), at) {}
  /// Copies and moves.
  Index(const Index& other);
  Index(Index&& other) noexcept;
  Index& operator=(const Index& other);
  Index& operator=(Index&& other) noexcept;
  ~Index();
  using Item = std::variant<Dim, Range, Ellipsis, NewAxis, Expr>;  ///< what it may be
  /// What it is, and the line of the caller.
  const Item& item() const { return item_; }
  const Origin& origin() const { return origin_; }

 private:
  // The largest integer is beyond every axis, as are those beyond it.
  static Dim whole(std::integral auto i) {
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    return std::in_range<std::int64_t>(i) ? static_cast<std::int64_t>(i) : largest;
  }
  Index(Item item, const Place& at);
  Item item_;
  Origin origin_;
};
/// `x(...)` with a list of indices, of any number. Errors are those of `x(...)`.
Expr index(const Expr& x, std::span<const Index> items, Origin at = {});
/// x with the indexed part replaced by (of duplicate indices the last one counts), or increased by
/// `v` (duplicates add up), which takes x's dtype and broadcasts.
Expr set_at(const Arg& x, std::initializer_list<Index> items, const Arg& v);
Expr inc_at(const Arg& x, std::initializer_list<Index> items, const Arg& v);
Expr set_at(const Arg& x, std::span<const Index> items, const Arg& v);
Expr inc_at(const Arg& x, std::span<const Index> items, const Arg& v);
/// x with the indexed part combined with `v` by the elementwise function of the name, at equal
/// integer indices by each element in order. TypeError for complex x at integer indices, for a v of
/// a wider kind than x (floats with integers), and from divide_at if x has integers or bools.
Expr multiply_at(const Arg& x, std::initializer_list<Index> items, const Arg& v);
Expr divide_at(const Arg& x, std::initializer_list<Index> items, const Arg& v);
Expr minimum_at(const Arg& x, std::initializer_list<Index> items, const Arg& v);
Expr maximum_at(const Arg& x, std::initializer_list<Index> items, const Arg& v);
Expr multiply_at(const Arg& x, std::span<const Index> items, const Arg& v);
Expr divide_at(const Arg& x, std::span<const Index> items, const Arg& v);
Expr minimum_at(const Arg& x, std::span<const Index> items, const Arg& v);
Expr maximum_at(const Arg& x, std::span<const Index> items, const Arg& v);
/// Bool matrix [rows, columns]: true at (i, indices[i]) for every i < the length of `indices`,
/// which is at most `rows`. Indices count from the end when negative; out of range is a ValueError.
Expr indicator(const Arg& indices, const Dim& rows, const Dim& columns);
/// Elements of `x` along `axis` at integer indices of any shape, whose axes stand in its place.
Expr take(const Arg& x, const Arg& indices, std::int64_t axis = 0);

/// The records behind indexing. Slices: element i of the result is x[start + i * step] on each
/// axis, in range for every i < count.
Expr slice(const Arg& x, Shape start, Shape count, Shape step);
Expr set_slice(const Arg& x, const Arg& v, Shape start, Shape count, Shape step);
Expr inc_slice(const Arg& x, const Arg& v, Shape start, Shape count, Shape step);
/// `axes` of x are indexed by the arrays, which broadcast together. Their axes stand in the place
/// of the indexed ones when those are adjacent, else first.
Expr index(const Arg& x, IntList axes, std::span<const Expr> indices);
Expr set_index(const Arg& x, const Arg& v, IntList axes, std::span<const Expr> indices);
Expr inc_index(const Arg& x, const Arg& v, IntList axes, std::span<const Expr> indices);

/// A step of a loop: of its number (int64 scalar) and the states, leaves, the new states, of the
/// same types. Whatever else it uses is captured by itself; what does not depend on the number or
/// the states is computed once, before the loop. Called once.
using LoopBody = std::function<std::vector<Expr>(Expr i, std::span<const Expr> states)>;
/// What a gradient of a loop keeps of the states before its steps: all of them unless one of these
/// is given. The steps between the states that are kept are made again, and the cotangents are
/// added up in the same order. ValueError: more than one is given, or a negative number that means
/// nothing.
struct LoopOptions {
  /// Of n steps those before each k-th one, and of k steps those before each, so about n / k + k.
  /// No step is made more than twice. `root`: k is the root of n.
  std::int64_t checkpoint_every = 0;
  static constexpr std::int64_t root = -1;  ///< of `checkpoint_every`
  /// So many at a time, c, with the fewest steps made again (Griewank and Walther 2000): none is
  /// made more than r times for n <= (c + r)! / (c! r!).
  std::int64_t checkpoints = 0;
  /// As many as have room in so many bytes, in the same way. ValueError of the gradient: not two.
  std::int64_t memory_budget = 0;
};
/// `count` times: states = body(i, states), from `initial`; the last states.
std::vector<Expr> fori(const Arg& count, const ExprList& initial, const LoopBody& body,
                       const LoopOptions& options = {});
/// The same, and what the body returns behind the new states is kept: the last states, then the
/// others of all steps, stacked along a new first axis. Those have the same extents in every step.
std::vector<Expr> scan(const Arg& count, const ExprList& initial, const LoopBody& body,
                       const LoopOptions& options = {});
/// What a loop goes over: arrays with an element for each step along the first axis. With `reverse`
/// step 0 has the last element.
struct Sequences {
  std::vector<Expr> arrays;  ///< of one extent along the first axis
  bool reverse = false;      ///< whether steps go from the last element to the first
};
/// As LoopBody, with the elements of the sequences.
using ScanBody = std::function<std::vector<Expr>(Expr i, std::span<const Expr> states,
                                                 std::span<const Expr> elements)>;
/// The same over sequences. ValueError unless they are `count` long. The rows stand in the order of
/// the steps.
std::vector<Expr> scan(const Arg& count, const ExprList& initial, const Sequences& sequences,
                       const ScanBody& body, const LoopOptions& options = {});
/// What a loop that a condition ends leaves: how many steps it made (int64 scalar), the last
/// states, and what the body kept of each step, stacked along a new first axis; the same for the
/// most steps, with zeros behind the last one.
struct WhileResults {
  Expr steps;                                      ///< int64 scalar: how many steps there were
  std::vector<Expr> states, rows, rows_and_zeros;  ///< see above
};
/// Of i (int64 scalar) and the states: a bool scalar, whether there is a further step, then the new
/// states, then what is kept of this one.
using WhileStep = std::function<std::vector<Expr>(Expr, std::span<const Expr>)>;
/// Steps of the body while it says so and there are fewer than `most`; none unless `begins`. Only
/// with `most` the body may keep something. Its gradient makes the steps twice: the first time
/// shows how many there are.
WhileResults while_loop(const Arg& begins, const ExprList& initial, const WhileStep& body,
                        const std::optional<Arg>& most = {}, const LoopOptions& options = {});
/// The last of the states: while condition(states), a bool scalar: states = body(states).
std::vector<Expr> while_loop(const ExprList& initial,
                             const std::function<Expr(std::span<const Expr>)>& condition,
                             const std::function<std::vector<Expr>(std::span<const Expr>)>& body);

/// What the two branches of a choice give: values of the same dtypes and shapes, one by one.
struct Branches {
  std::vector<Expr> then, otherwise;  ///< as many of each
};
/// then() if the predicate, a bool scalar, is true, else otherwise(). What these functions make
/// runs only in the branch that is taken; what there was before they were called is computed in any
/// case.
std::vector<Expr> cond(const Arg& predicate, const std::function<std::vector<Expr>()>& then,
                       const std::function<std::vector<Expr>()>& otherwise);
/// The same with both branches from one function.
std::vector<Expr> cond(const Arg& predicate, const std::function<Branches()>& make);
/// The values of the branch that the condition, a bool scalar, chooses. What only one of them needs
/// is computed only if that one is taken.
std::vector<Expr> ifelse(const Arg& condition, const Branches& branches);

/// How an OpFromGraph is differentiated. A rule gets its inputs, its outputs, and a cotangent for
/// each float output (a tangent for each float input), and returns one for each float input
/// (output); a null one is zero. Without rules the derivative is that of the outputs.
struct OpFromGraphOptions {
  using Rule = std::function<std::vector<Expr>(std::span<const Expr> x, std::span<const Expr> y,
                                               std::span<const Expr> directions)>;  ///< see above
  Rule vjp, jvp;  ///< cotangents of x by those of y; tangents of y by those of x
  /// The derivative computes anew what it needs between the inputs and the outputs.
  bool recompute = false;
  /// What messages about the rules call the operation.
  std::string name = "op_from_graph";
};
/// The indices of the loops whose bodies this thread is building, the innermost last: what a body
/// makes anew in each step depends on them.
std::span<const Expr> loop_indices();
/// A reusable function of expressions: a closed body and the node that applies it. What the outputs
/// need beside the inputs is captured; TypeError if that is a float and a rule is given, which has
/// nothing to say of it.
class OpFromGraph {
 public:
  /// None: applying it is a TypeError, as it is of one that was moved from.
  OpFromGraph() = default;
  /// The function that makes these outputs of these inputs.
  OpFromGraph(std::span<const Expr> inputs, std::span<const Expr> outputs,
              const OpFromGraphOptions& options = {});
  /// The outputs for arguments of the types of the inputs.
  std::vector<Expr> operator()(std::span<const Expr> arguments) const;

 private:
  Attributes attributes_;
  std::vector<Value> captured_;
};

}  // namespace gnomon
