// Elements of arrays by their indices.
#include "frontend/mdspan.h"

#include <doctest/doctest.h>

#include <optional>

#include "frontend/gnomon.h"

using namespace gnomon;

TEST_CASE("a view reads and writes the elements of an array of any strides") {
  Array a = Array::from<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const ElementView<double, 2> v(a);
  v(1, 2) = 9;
  CHECK(a.to_vector<double>() == std::vector<double>{1, 2, 3, 4, 5, 9});
  const ElementView<const double, 2> turned(a.transpose());
  CHECK(turned(2, 1) == 9);
  CHECK(turned.rank() == 2);
  CHECK(turned.extent(0) == 3);
  CHECK(turned.stride(0) == 1);
  const ElementView<const double, 1> backwards(a.slice(0, 0, 1).reshape({3}).slice(0, 2, -10, -1));
  CHECK(backwards(0) == 3);
  CHECK(backwards(2) == 1);
  CHECK(ElementView<const double, 0>(Array(3.0))() == 3);
}

TEST_CASE("a view keeps its array, and shared values from being written to") {
  std::optional<Array> a(Array::from<float>({1, 2}));
  const ElementView<float, 1> v(*a);
  a.reset();
  CHECK(v(1) == 2);
  const SharedVariable w = shared(Array::from<double>({1, 2}), "w");
  const ElementView<double, 1> copy(w.get());
  copy(0) = 7;
  CHECK(w.get().data<double>()[0] == 1);
}

TEST_CASE("a view of another dtype or rank is an error") {
  const Array a = zeros({2, 3});
  CHECK_THROWS_WITH_AS((ElementView<const float, 2>(a)),
                       doctest::Contains("array: expected elements of float32, found f64[2, 3]"),
                       TypeError);
  CHECK_THROWS_WITH_AS((ElementView<const double, 3>(a)),
                       doctest::Contains("view: expected 3 axes, found f64[2, 3]"), ValueError);
}

#if defined(__cpp_lib_mdspan)
TEST_CASE("std::mdspan shows the same elements") {
  Array a = Array::from<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto m = ElementView<double, 2>(a.transpose()).mdspan();
  CHECK(m.extent(0) == 3);
  CHECK(m[2, 1] == 6);
}
#endif
