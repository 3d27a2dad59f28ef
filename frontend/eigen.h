// Arrays from vectors and matrices of Eigen, and Eigen's views of arrays. Needs Eigen 3.
#pragma once

#include <Eigen/Core>

#include <string>

#include "runtime/arrays/array.h"
#include "runtime/error.h"

namespace gnomon {

/// A copy of a vector, or of a matrix in the order that Gnomon has: by rows.
template <class Derived>
Array array_of(const Eigen::DenseBase<Derived>& values) {
  using T = typename Derived::Scalar;
  constexpr bool is_vector = Derived::IsVectorAtCompileTime;
  const auto rows = static_cast<std::int64_t>(values.rows());
  const auto columns = static_cast<std::int64_t>(values.cols());
  Array result = is_vector ? Array::empty(dtype_of<T>, {rows * columns})
                           : Array::empty(dtype_of<T>, {rows, columns});
  using ByRows = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<ByRows>(result.data<T>(), values.rows(), values.cols()) = values.derived().array();
  return result;
}

namespace detail {
template <class T>
void expect_eigen(const Array& x, std::size_t rank) {
  if (x.dtype() != dtype_of<T> || x.shape().size() != rank)
    throw TypeError("eigen: expected " + std::string(rank == 1 ? "a vector" : "a matrix") + " of " +
                    std::string(name_of(dtype_of<T>)) + ", found " + x.describe());
}
}  // namespace detail

/// Eigen's view of a vector, or of a matrix, of any strides; no element is copied. It lives as long
/// as the array. TypeError: the array has another dtype or rank.
template <class T>
Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, 1>, 0, Eigen::InnerStride<>> vector_of(
    const Array& x GNOMON_LIFETIMEBOUND) {
  detail::expect_eigen<T>(x, 1);
  return {x.data<T>(), x.shape()[0], Eigen::InnerStride<>(x.strides()[0])};
}
template <class T>
Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>, 0,
           Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>>
matrix_of(const Array& x GNOMON_LIFETIMEBOUND) {
  detail::expect_eigen<T>(x, 2);
  return {x.data<T>(), x.shape()[0], x.shape()[1],
          Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>(x.strides()[0], x.strides()[1])};
}
template <class T>
void vector_of(Array&&) = delete;
template <class T>
void matrix_of(Array&&) = delete;

}  // namespace gnomon
