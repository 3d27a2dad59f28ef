// Arrays: making, viewing, copying, showing and counting them. Texts are NumPy's.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>

#include "runtime/arrays/array.h"
#include "runtime/error.h"
#include "runtime/memory.h"

using namespace gnomon;

namespace {

Array counting(Extents shape) {
  Array a = Array::empty(float64, shape);
  std::iota(a.data<double>(), a.data<double>() + a.size(), 0.0);
  return a;
}

std::vector<std::int64_t> list_of_span(std::span<const std::int64_t> s) {
  return {s.begin(), s.end()};
}
using Dims = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("a new array is contiguous and aligned to 64 bytes") {
  for (std::int64_t n : {0, 1, 7, 8, 100, 5000, 3000000}) {
    const Array a = Array::empty(float32, {n, 3});
    CHECK(a.dtype() == float32);
    CHECK(a.rank() == 2);
    CHECK(a.size() == 3 * n);
    CHECK(a.bytes() == 12 * n);
    CHECK(list_of_span(a.shape()) == Dims{n, 3});
    CHECK(list_of_span(a.strides()) == Dims{3, 1});
    CHECK(a.is_contiguous());
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % 64 == 0);
  }
}

TEST_CASE("all elements of a block may be written up to the last axis") {
  Dims shape(max_rank, 1);
  std::fill_n(shape.begin() + 24, 16, 2);
  Array a = counting(shape);
  CHECK(a.rank() == 64);
  CHECK(a.size() == 65536);
  CHECK(a.data<double>()[65535] == 65535);
  CHECK(list_of_span(a.shape()) == shape);
}

TEST_CASE("scalars have the dtype of their C++ type") {
  CHECK(Array(1.5).dtype() == float64);
  CHECK(Array(1.5F).dtype() == float32);
  CHECK(Array(1).dtype() == int32);
  CHECK(Array(1LL).dtype() == int64);
  CHECK(Array(true).dtype() == bool_);
  CHECK(Array(std::uint8_t{7}).item<std::uint8_t>() == 7);
  CHECK(Array(2.25).item<double>() == 2.25);
  CHECK(Array(2.25).rank() == 0);
}

TEST_CASE("zeros, ones and full fill every dtype") {
  CHECK(zeros({2, 2}, int16).to_vector<std::int16_t>() == std::vector<std::int16_t>(4, 0));
  CHECK(ones({3}, bool_).to_vector<bool>() == std::vector<bool>(3, true));
  CHECK(full({2}, -128, int8).to_vector<std::int8_t>() == std::vector<std::int8_t>{-128, -128});
  CHECK(full({1}, 18446744073709549568.0, uint64).item<std::uint64_t>() == 18446744073709549568ULL);
  CHECK(full({}, 0.1, float32).item<float>() == 0.1F);
  CHECK_THROWS_AS(full({2}, 128, int8), ValueError);
  CHECK_THROWS_AS(full({2}, -1, uint8), ValueError);
  CHECK_THROWS_AS(full({2}, 0.5, int32), ValueError);
  CHECK_THROWS_AS(full({2}, std::nan(""), int64), ValueError);
  CHECK_THROWS_AS(full({2}, 9223372036854775808.0, int64), ValueError);
}

TEST_CASE("from copies values and checks their number") {
  const Array a = Array::from<float>({1, 2, 3, 4}, {2, 2});
  CHECK(a.describe() == "f32[2, 2]");
  CHECK(a.to_vector<float>() == std::vector<float>{1, 2, 3, 4});
  CHECK(Array::from(std::vector<bool>{true, false}).to_vector<bool>() ==
        std::vector<bool>{true, false});
  CHECK(Array::from(std::vector<std::int64_t>{5, 6}).describe() == "i64[2]");
  CHECK_THROWS_WITH_AS(Array::from<float>({1, 2, 3}, {2, 2}),
                       doctest::Contains("array: expected 4 values for f32[2, 2], found 3 ["),
                       ValueError);
}

TEST_CASE("wrong sizes and dtypes are errors") {
  CHECK_THROWS_WITH_AS(Array::empty(static_cast<DType>(dtype_count), {2}),
                       "array: expected a dtype, found number 15", TypeError);
  CHECK_THROWS_WITH_AS(zeros({2}, float16).view(float32),
                       doctest::Contains("view: expected a dtype of 2 bytes, found float32 ["),
                       TypeError);
  CHECK_THROWS_AS(zeros({2, -1}, float32), ValueError);
  CHECK_THROWS_AS(Array::empty(float32, {1LL << 40, 1LL << 40}), ValueError);
  CHECK_THROWS_AS(Array::empty(float64, {1LL << 61}), ValueError);
  CHECK_THROWS_AS(Array::empty(float32, {0, 1LL << 40, 1LL << 40}), ValueError);
  CHECK_THROWS_AS(Array::empty(float32, Dims(65, 1)), ValueError);
  CHECK_THROWS_AS(Array::empty(float64, {1LL << 50}), DeviceError);
  CHECK_THROWS_WITH_AS(
      Array(1.0).item<float>(),
      doctest::Contains(
          "array: expected elements of float32, found f64[] [runtime_array_test.cpp:"),
      TypeError);
  CHECK_THROWS_AS(zeros({2}).item<double>(), ValueError);
  CHECK_THROWS_AS(Array().rank(), ValueError);
  CHECK_THROWS_AS(Array().describe(), ValueError);
  CHECK_FALSE(Array().defined());
}

TEST_CASE("copies of a handle share, copies of an array do not") {
  Array a = counting({4});
  CHECK(a.unique());
  Array b = a;
  CHECK(a.use_count() == 2);
  CHECK_FALSE(a.unique());
  b.data<double>()[0] = 9;
  CHECK(a.data<double>()[0] == 9);
  Array c = a.copy();
  c.data<double>()[0] = 1;
  CHECK(a.data<double>()[0] == 9);
  b = Array();
  CHECK(a.unique());
  a = *&a;
  CHECK(a.unique());
}

TEST_CASE("transposes are views") {
  Array a = counting({2, 3, 4});
  const Array t = a.transpose();
  CHECK(list_of_span(t.shape()) == Dims{4, 3, 2});
  CHECK(list_of_span(t.strides()) == Dims{1, 4, 12});
  CHECK_FALSE(t.is_contiguous());
  CHECK_FALSE(a.unique());
  const Array p = a.transpose({1, -1, 0});
  CHECK(list_of_span(p.shape()) == Dims{3, 4, 2});
  const std::vector<double> values = p.to_vector<double>();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 2; ++k)
        CHECK(values[static_cast<std::size_t>((i * 4 + j) * 2 + k)] == k * 12 + i * 4 + j);
  CHECK_THROWS_AS(a.transpose({0, 1}), ValueError);
  CHECK_THROWS_AS(a.transpose({0, 1, 1}), ValueError);
  CHECK_THROWS_AS(a.transpose({0, 1, 3}), ValueError);
}

TEST_CASE("slices follow Python's rules") {
  const Array a = counting({6});
  const auto values = [&](std::int64_t start, std::int64_t stop, std::int64_t step) {
    return a.slice(0, start, stop, step).to_vector<double>();
  };
  using V = std::vector<double>;
  CHECK(values(1, 4, 1) == V{1, 2, 3});
  CHECK(values(0, 100, 2) == V{0, 2, 4});
  CHECK(values(-3, 6, 1) == V{3, 4, 5});
  CHECK(values(4, 2, 1).empty());
  CHECK(values(5, -100, -1) == V{5, 4, 3, 2, 1, 0});
  CHECK(values(100, 0, -2) == V{5, 3, 1});
  CHECK(values(0, 6, std::numeric_limits<std::int64_t>::max()) == V{0});
  CHECK(values(5, -100, std::numeric_limits<std::int64_t>::min()) == V{5});
  CHECK_THROWS_AS(a.slice(0, 0, 1, 0), ValueError);
  CHECK_THROWS_AS(a.slice(1, 0, 1), IndexError);
  Array m = counting({4, 5});
  const Array column = m.slice(1, 2, 3);
  CHECK(column.to_vector<double>() == V{2, 7, 12, 17});
  m.data<double>()[2] = -1;
  CHECK(column.to_vector<double>()[0] == -1);
}

TEST_CASE("a view may repeat, drop and turn axes") {
  const Array a = counting({2, 3});
  const auto values = [](const Array& v) { return v.to_vector<double>(); };
  CHECK(values(a.view({2, 2}, {0, -1}, 5)) == std::vector<double>{5, 4, 5, 4});
  CHECK(values(a.view({2}, {3}, 1).view({}, {}, 1)) == std::vector<double>{2});
  CHECK(a.view({0, 4}, {3, 1}, 9).size() == 0);
  CHECK_THROWS_AS(a.view({-1}, {1}, 0), ValueError);
}

TEST_CASE("a view keeps its memory alive") {
  Array view;
  {
    const Array a = counting({100});
    view = a.slice(0, 50, 60).slice(0, 1, 3);
  }
  for (int i = 0; i < 10; ++i) zeros({100});
  CHECK(view.to_vector<double>() == std::vector<double>{51, 52});
}

TEST_CASE("reshape views a contiguous array and packs another") {
  const Array a = counting({2, 6});
  CHECK(a.reshape({3, -1}).describe() == "f64[3, 4]");
  CHECK(a.reshape({12}).data() == a.data());
  CHECK(a.transpose().reshape({12}).to_vector<double>() ==
        std::vector<double>{0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11});
  CHECK_THROWS_WITH_AS(
      a.reshape({5, 2}),
      doctest::Contains(
          "reshape: expected a shape of 12 elements, found f64[5, 2] for f64[2, 6] ["),
      ValueError);
  CHECK_THROWS_AS(a.reshape({-1, 5}), ValueError);
  CHECK_THROWS_AS(a.reshape({-1, -1}), ValueError);
  CHECK_THROWS_AS(zeros({0, 3}).reshape({0, -1}), ValueError);
  CHECK(zeros({0, 3}).reshape({5, 0}).size() == 0);
}

TEST_CASE("borrowed memory is used in place and released at the end") {
  auto owner = std::make_shared<std::vector<double>>(std::vector<double>{1, 2, 3, 4, 5, 6});
  std::weak_ptr<std::vector<double>> watch = owner;
  Array a = Array::borrow(owner->data(), float64, {2, 3}, {1, 2}, owner);
  CHECK(a.data() == owner->data());
  CHECK_FALSE(a.is_contiguous());
  CHECK_FALSE(a.unique());
  CHECK(a.to_vector<double>() == std::vector<double>{1, 3, 5, 2, 4, 6});
  owner.reset();
  Array row = a.slice(0, 1, 2);
  a = Array();
  CHECK_FALSE(watch.expired());
  CHECK(row.to_vector<double>() == std::vector<double>{2, 4, 6});
  row = Array();
  CHECK(watch.expired());
  CHECK_THROWS_AS(Array::borrow(nullptr, float64, {2}), ValueError);
}

TEST_CASE("contiguous packs what is strided or not aligned") {
  Array a = counting({9});
  CHECK(a.contiguous().data() == a.data());
  const Array shifted = a.slice(0, 1, 9);
  CHECK(shifted.is_contiguous());
  const Array packed = shifted.contiguous();
  CHECK(packed.data() != shifted.data());
  CHECK(same_bits(packed, shifted));
}

TEST_CASE("assign copies into views, also from the same memory") {
  Array a = counting({5});
  a.slice(0, 0, 5).assign(a.slice(0, 4, -100, -1));
  CHECK(a.to_vector<double>() == std::vector<double>{4, 3, 2, 1, 0});
  CHECK_THROWS_AS(a.assign(zeros({4})), ValueError);
  CHECK_THROWS_AS(a.assign(zeros({5}, float32)), TypeError);
}

TEST_CASE("same_bits sees NaN as itself and tells the zeros apart") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(same_bits(Array(nan), Array(nan)));
  CHECK_FALSE(same_bits(Array(0.0), Array(-0.0)));
  CHECK_FALSE(same_bits(Array(1.0), Array(1.0F)));
  CHECK_FALSE(same_bits(zeros({2, 1}), zeros({1, 2})));
  CHECK(same_bits(zeros({0}), zeros({0})));
}

TEST_CASE("values print as in NumPy") {
  CHECK(Array(3.0).to_string() == "3.0");
  CHECK(Array(true).to_string() == "True");
  CHECK(zeros({0}).to_string() == "[]");
  CHECK(ones({1}, bool_).to_string() == "[ True]");
  CHECK(Array::from<std::int32_t>({1, -20, 300}).to_string() == "[  1 -20 300]");
  CHECK(Array::from<double>({1, 2.5, INFINITY}).to_string() == "[1.  2.5 inf]");
  CHECK(Array::from<double>({-2000, -7.12457641e-218}).to_string() ==
        "[-2.00000000e+003 -7.12457641e-218]");
  CHECK(Array::from<std::int64_t>({1, 2, 3, 4}, {2, 2}).to_string() == "[[1 2]\n [3 4]]");
  CHECK(zeros({2, 1, 2}, int8).to_string() == "[[[0 0]]\n\n [[0 0]]]");
  const std::string text = counting({2000}).to_string();
  CHECK(text == "[0.000e+00 1.000e+00 2.000e+00 ... 1.997e+03 1.998e+03 1.999e+03]");
  const std::string wide = zeros({1000, 1000}, uint8).to_string();
  CHECK(wide.starts_with("[[0 0 0 ... 0 0 0]\n [0 0 0 ... 0 0 0]\n"));
  CHECK(wide.find("\n ...\n") != std::string::npos);
  for (const std::string& line : {counting({40}).to_string()})
    for (std::size_t at = 0, end; at < line.size(); at = end + 1) {
      end = std::min(line.find('\n', at), line.size());
      CHECK(end - at <= 76);
    }
}

TEST_CASE("blocks are reused by the thread and by others") {
  [[maybe_unused]] void* first = nullptr;
  {
    const Array a = zeros({8});
    first = const_cast<void*>(a.data());
  }
  const Array b = zeros({8});
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(b.data() == first);
#endif
  trim_memory();
  CHECK(cached_bytes() == 0);
  std::thread([] {
    for (int i = 0; i < 10; ++i) zeros({1 << 20});
  }).join();
  trim_memory();
  CHECK(cached_bytes() == 0);
}

TEST_CASE("arrays made in one thread may end in another") {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      std::vector<Array> mine;
      for (int i = 0; i < 2000; ++i) {
        mine.push_back(full({i % 97}, i));
        if (i % 100 == 99) {
          std::thread([moved = std::move(mine)] {
            for (const Array& a : moved)
              for (double v : a.to_vector<double>()) REQUIRE(v == a.data<double>()[0]);
          }).join();
          mine.clear();
        }
      }
    });
  for (std::thread& t : threads) t.join();
}
