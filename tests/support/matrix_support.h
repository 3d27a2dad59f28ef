// What tests of linear algebra share: matrices far from singular, adjoints, the largest element,
// the text of an error.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "tests/support/compiled_support.h"

namespace gnomon::test {

/// Numbers of `t` in [-4, 4] whose square matrices are far from singular and not symmetric.
inline Array regular(Samples& random, DType t, std::int64_t batch, std::int64_t n) {
  Array a = random.small(t, {batch, n, n});
  with_type(t, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T>)
      for (std::int64_t b = 0; b < batch; ++b)
        for (std::int64_t i = 0; i < n; ++i)
          a.data<T>()[(b * n + i) * n + i] += static_cast<T>(4 * n + i);
  });
  return a;
}

/// The conjugate of the transposed matrices.
inline Expr adjoint_of(const Expr& x) {
  IntList axes;
  for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return conj(transpose(x, axes));
}

/// Of floats that are not negative; NaN if there is one, 0 of none.
inline double largest(const Array& y) {
  double most = 0;
  with_type(y.dtype(), [&]<class T>(T) {
    const Array all = y.contiguous();
    for (std::int64_t i = 0; i < all.size(); ++i) {
      const auto x = static_cast<double>(all.data<T>()[i]);
      most = x <= most ? most : x;
    }
  });
  return most;
}

/// Of the ValueError that f throws.
inline std::string message_of(const auto& f) {
  try {
    f();
  } catch (const ValueError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace gnomon::test
