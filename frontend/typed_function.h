// Functions whose arguments and results have types of C++: checked when they are compiled, called
// with numbers, vectors and views.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "frontend/function.h"

namespace gnomon {

/// A matrix by rows, whose memory is somebody else's.
template <ScalarType T>
struct MatrixView {
  const T* data = nullptr;             ///< the first element
  std::int64_t rows = 0, columns = 0;  ///< how many there are
};
/// A matrix by rows.
template <ScalarType T>
struct Matrix {
  std::vector<T> values;               ///< rows * columns elements
  std::int64_t rows = 0, columns = 0;  ///< how many there are
  /// The element of row i and column j, which are not checked.
  const T& operator()(std::int64_t i, std::int64_t j) const {
    return values[static_cast<std::size_t>(i * columns + j)];
  }
  /// The same memory, as long as the matrix lives.
  operator MatrixView<T>() const { return {values.data(), rows, columns}; }
};

/// What a type of C++ says of a value: its dtype and number of axes, unless it may be any array.
struct TypedValue {
  bool is_any = false;
  DType dtype = DType::float64;
  int rank = 0;
};

namespace typed {

/// How a type stands for arrays; another type has no such.
template <class T>
struct As {
  static_assert(never<T>,
                "arguments and results of a typed function are numbers, std::span<const T>, "
                "std::vector<T>, MatrixView<T>, Matrix<T>, Array; results std::tuple of these too");
};
template <>
struct As<Array> {
  static constexpr TypedValue value{true};
  static Array array(const Array& x) { return x; }
  static Array result(Array x) { return x; }
};
template <ScalarType T>
struct As<T> {
  static constexpr TypedValue value{false, dtype_of<T>, 0};
  static Array array(T x) { return Array(x); }
  static T result(const Array& x) { return x.item<T>(); }
};
template <ScalarType T>
  requires(!std::same_as<T, bool>)
struct As<std::span<const T>> {
  static constexpr TypedValue value{false, dtype_of<T>, 1};
  static Array array(std::span<const T> x) {
    return Array::from(x, {static_cast<std::int64_t>(x.size())});
  }
};
template <ScalarType T>
  requires(!std::same_as<T, bool>)
struct As<std::vector<T>> {
  static constexpr TypedValue value{false, dtype_of<T>, 1};
  static Array array(const std::vector<T>& x) { return Array::from(x); }
  static std::vector<T> result(const Array& x) { return x.to_vector<T>(); }
};
template <ScalarType T>
  requires(!std::same_as<T, bool>)
struct As<MatrixView<T>> {
  static constexpr TypedValue value{false, dtype_of<T>, 2};
  static Array array(const MatrixView<T>& x) {
    return Array::from(std::span(x.data, static_cast<std::size_t>(x.rows * x.columns)),
                       {x.rows, x.columns});
  }
};
template <ScalarType T>
  requires(!std::same_as<T, bool>)
struct As<Matrix<T>> {
  static constexpr TypedValue value{false, dtype_of<T>, 2};
  static Array array(const Matrix<T>& x) { return As<MatrixView<T>>::array(x); }
  static Matrix<T> result(const Array& x) { return {x.to_vector<T>(), x.shape()[0], x.shape()[1]}; }
};

/// How the results of a call become one result.
template <class R>
struct Returned {
  static constexpr std::array values{As<R>::value};
  static R of(Results results) { return As<R>::result(results.take(0)); }
};
template <>
struct Returned<void> {
  static constexpr std::array<TypedValue, 0> values{};
  static void of(const Results&) {}
};
template <class... R>
struct Returned<std::tuple<R...>> {
  static constexpr std::array<TypedValue, sizeof...(R)> values{As<R>::value...};
  static std::tuple<R...> of(Results results) {
    return of(results, std::index_sequence_for<R...>());
  }
  template <std::size_t... i>
  static std::tuple<R...> of(Results& results, std::index_sequence<i...>) {
    return {As<R>::result(results.take(i))...};
  }
};

/// TypeError unless there are as many values of these dtypes and ranks; `what` they are.
void expect(std::string_view what, std::span<const Expr> values,
            std::span<const TypedValue> wanted);

}  // namespace typed

template <class Signature>
class TypedFunction;
/// A function of arguments A... that returns R: numbers, std::vector, Matrix and Array. Arguments
/// may be std::span<const T> and MatrixView, R void or a std::tuple. Vectors and views are copied
/// for the call.
template <class R, class... A>
class TypedFunction<R(A...)> {
 public:
  TypedFunction() = default;
  /// What `compile` made; its types are not checked here.
  explicit TypedFunction(Function function) : function_(std::move(function)) {}

  /// Calls the function. Errors as of `Function`.
  R operator()(const A&... arguments,
               std::source_location at = std::source_location::current()) const {
    const std::array<Array, sizeof...(A)> arrays{typed::As<A>::array(arguments)...};
    return typed::Returned<R>::of(function_(std::span<const Array>(arrays), at));
  }
  /// The function without types.
  const Function& function() const& GNOMON_LIFETIMEBOUND { return function_; }

 private:
  Function function_;
};

/// `compile<double(std::vector<double>, double)>({x, a}, {y})`: the same with types of C++, which
/// the inputs and outputs must have: TypeError. Several results are a std::tuple, none is void.
template <class Signature>
TypedFunction<Signature> compile(const ExprList& inputs, OutputList outputs,
                                 std::vector<Update> updates = {}, CompileOptions options = {},
                                 std::source_location at = std::source_location::current()) {
  return [&]<class R, class... A>(R (*)(A...)) {
    const CallPlace call("", at);
    const std::array<TypedValue, sizeof...(A)> arguments{typed::As<A>::value...};
    typed::expect("argument", inputs, arguments);
    std::vector<Expr> results;
    for (const Output& output : outputs) results.push_back(output.value);
    typed::expect("result", results, typed::Returned<R>::values);
    return TypedFunction<Signature>(
        compile(inputs, std::move(outputs), std::move(updates), std::move(options), at));
  }(static_cast<Signature*>(nullptr));
}

}  // namespace gnomon
