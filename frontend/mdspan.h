// The elements of an array by their indices: views of a known rank, and std::mdspan where the
// standard library has it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <version>

#include "runtime/arrays/array.h"
#include "runtime/error.h"

#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif

namespace gnomon {

/// The elements of an array of dtype T and rank N, of any strides: `v(i, j)`, of const T to read
/// alone. No element is copied, and the view keeps the array. Indices are not checked.
/// TypeError: the array has another dtype; ValueError: another rank.
template <class T, std::size_t N>
class ElementView {
  using Element = std::remove_const_t<T>;
  using Places = std::make_index_sequence<N>;

 public:
  using Place = std::source_location;  ///< the line of the caller
  /// The view of an array, which it keeps.
  explicit ElementView(Array array, Place at = Place::current()) : array_(std::move(array)) {
    if constexpr (std::is_const_v<T>)
      data_ = std::as_const(array_).template data<Element>(at);
    else
      data_ = array_.template data<Element>(at);
    if (array_.shape().size() != N) {
      const LineScope line(at);
      throw ValueError("view: expected " + std::to_string(N) + " axes, found " + array_.describe());
    }
    for (std::size_t i = 0; i < N; ++i) {
      extents_[i] = array_.shape()[i];
      strides_[i] = array_.strides()[i];
    }
  }

  /// The number of axes.
  static constexpr std::size_t rank() { return N; }
  /// The extent of an axis, and the elements from one index on it to the next.
  std::int64_t extent(std::size_t axis) const { return extents_[axis]; }
  std::int64_t stride(std::size_t axis) const { return strides_[axis]; }
  /// The first element.
  T* data_handle() const { return data_; }
  /// The array that it shows.
  const Array& array() const { return array_; }

  /// The element at N indices.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  T& operator()(I... indices) const {
    return data_[offset({static_cast<std::int64_t>(indices)...}, Places())];
  }
#if defined(__cpp_multidimensional_subscript)
  /// The same, `v[i, j]`.
  template <std::integral... I>
    requires(sizeof...(I) == N)
  T& operator[](I... indices) const {
    return (*this)(indices...);
  }
#endif
#if defined(__cpp_lib_mdspan)
  /// The type of the standard library's view.
  using Mdspan = std::mdspan<T, std::dextents<std::int64_t, N>, std::layout_stride>;
  /// The same without the array, which has to live on. std::mdspan wants strides above 0.
  Mdspan mdspan() const {
    return Mdspan(
        data_, typename Mdspan::mapping_type(std::dextents<std::int64_t, N>(extents_), strides_));
  }
#endif

 private:
  template <std::size_t... A>
  std::int64_t offset(const std::array<std::int64_t, N>& indices, std::index_sequence<A...>) const {
    return ((indices[A] * strides_[A]) + ... + 0);
  }

  Array array_;
  T* data_;
  std::array<std::int64_t, N> extents_, strides_;
};

}  // namespace gnomon
