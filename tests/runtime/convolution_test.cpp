// Convolutions: kernels for each processor against plain loops, compiled functions, types, errors.
#include "runtime/convolution/convolution.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "passes/derivatives/gradient.h"
#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

struct Shape3 {
  std::int64_t z, y, x;
};

// One geometry, with padding before and behind alike.
gnomon_convolution geometry(std::int64_t batch, std::int64_t groups, std::int64_t inputs,
                            std::int64_t outputs, Shape3 image, Shape3 window, Shape3 stride,
                            Shape3 padding, Shape3 dilation) {
  gnomon_convolution g{};
  g.batch = batch, g.groups = groups, g.inputs = inputs, g.outputs = outputs;
  const auto set = [](std::int64_t(&to)[3], Shape3 v) { to[0] = v.z, to[1] = v.y, to[2] = v.x; };
  set(g.image, image), set(g.window, window), set(g.stride, stride);
  set(g.before, padding), set(g.dilation, dilation);
  for (int k = 0; k < 3; ++k)
    g.result[k] =
        (g.image[k] + 2 * g.before[k] - g.dilation[k] * (g.window[k] - 1) - 1) / g.stride[k] + 1;
  return g;
}

std::int64_t volume(const std::int64_t (&e)[3]) { return e[0] * e[1] * e[2]; }

// The definition: a walk over all results and taps.
template <class T>
std::vector<double> by_loops(const gnomon_convolution& g, std::size_t count) {
  const auto *a = static_cast<const T*>(g.a), *b = static_cast<const T*>(g.b);
  std::vector<double> out(count, 0);
  const auto at = [](const std::int64_t(&e)[3], std::int64_t i, int k) {
    return k == 2 ? i % e[2] : k == 1 ? i / e[2] % e[1] : i / (e[1] * e[2]);
  };
  for (std::int64_t n = 0; n < g.batch * g.groups; ++n)
    for (std::int64_t o = 0; o < g.outputs; ++o)
      for (std::int64_t c = 0; c < g.inputs; ++c)
        for (std::int64_t r = 0; r < volume(g.result); ++r)
          for (std::int64_t t = 0; t < volume(g.window); ++t) {
            std::int64_t i = 0;
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
              const std::int64_t p = at(g.result, r, k) * g.stride[k] +
                                     at(g.window, t, k) * g.dilation[k] - g.before[k];
              inside = inside && p >= 0 && p < g.image[k];
              i = i * g.image[k] + p;
            }
            if (!inside) continue;
            const std::int64_t x = (n * g.inputs + c) * volume(g.image) + i;
            const std::int64_t w =
                ((n % g.groups * g.outputs + o) * g.inputs + c) * volume(g.window) + t;
            const std::int64_t y = (n * g.outputs + o) * volume(g.result) + r;
            if (g.kind == 0) out[y] += double{a[x]} * b[w];
            if (g.kind == 1) out[x] += double{a[y]} * b[w];
            if (g.kind == 2) out[w] += double{a[x]} * b[y];
          }
  return out;
}

template <class T>
void check_kernels(gnomon_convolution g, DType t, double tolerance) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const std::int64_t images = g.batch * g.groups;
  const auto counts = std::array<std::int64_t, 3>{
      images * g.outputs * volume(g.result), images * g.inputs * volume(g.image),
      g.groups * g.outputs * g.inputs * volume(g.window)};
  std::array<std::vector<T>, 3> data;  // y, x, w: what kinds 0, 1, 2 make
  for (std::size_t k = 0; k < 3; ++k) {
    data[k].resize(static_cast<std::size_t>(counts[k]));
    for (T& v : data[k]) v = static_cast<T>(normal(random));
  }
  g.dtype = static_cast<int>(t);
  for (const ConvolutionKernels* kernels : convolution_kernels()) {
    CAPTURE(kernels->name);
    for (g.kind = 0; g.kind < 3; ++g.kind) {
      CAPTURE(g.kind);
      g.a = data[g.kind == 1 ? 0 : 1].data();
      g.b = data[g.kind == 2 ? 0 : 2].data();
      const auto count = static_cast<std::size_t>(counts[static_cast<std::size_t>(g.kind)]);
      const std::vector<double> wanted = by_loops<T>(g, count);
      // What lies behind the result is not touched.
      std::vector<T> one(count + 16, T(77)), more = one;
      g.c = one.data();
      REQUIRE(convolve(g, pool(), 1, *kernels));
      g.c = more.data();
      REQUIRE(convolve(g, pool(), 3, *kernels));
      CHECK(std::memcmp(one.data(), more.data(), one.size() * sizeof(T)) == 0);
      double scale = 1, worst = 0;
      for (const double v : wanted) scale = std::max(scale, std::fabs(v));
      for (std::size_t i = 0; i < count; ++i)
        worst = std::fmax(worst, std::fabs(double{one[i]} - wanted[i]));
      CHECK(worst <= tolerance * scale);
      for (std::size_t i = count; i < one.size(); ++i) CHECK(one[i] == T(77));
    }
  }
}

template <class E = Error, class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("convolutions and gradients of every kernel are the sums they are defined by") {
  const int threads = pool().threads();
  pool().set_threads(3);
  std::mt19937 random(1);
  const auto below = [&](std::int64_t lo, std::int64_t hi) {
    return lo + static_cast<std::int64_t>(random() % static_cast<unsigned>(hi - lo + 1));
  };
  int checked = 0;
  for (int round = 0; round < 120; ++round) {
    const int axes = static_cast<int>(below(1, 3));
    const auto spatial = [&](std::int64_t lo, std::int64_t hi, std::int64_t otherwise) {
      return Shape3{axes > 2 ? below(lo, hi) : otherwise, axes > 1 ? below(lo, hi) : otherwise,
                    below(lo, hi)};
    };
    const gnomon_convolution g =
        geometry(below(0, round % 5 == 0 ? 20 : 3), below(1, 2), below(1, round % 7 == 0 ? 40 : 5),
                 below(1, 14),
                 spatial(1,
                         axes == 3        ? 7
                         : round % 3 == 0 ? 40
                                          : 12,
                         1),
                 spatial(1, 4, 1), spatial(1, 3, 1), spatial(0, 3, 0), spatial(1, 2, 1));
    bool fits = true;
    for (int k = 0; k < 3; ++k)
      fits = fits && g.image[k] + 2 * g.before[k] > g.dilation[k] * (g.window[k] - 1);
    if (!fits) continue;
    ++checked;
    CAPTURE(round);
    check_kernels<float>(g, float32, 1e-5);
    check_kernels<double>(g, float64, 1e-13);
  }
  CHECK(checked > 80);
  pool().set_threads(threads);
}

TEST_CASE("more channels than go together, and sums over many chunks of images") {
  check_kernels<float>(
      geometry(3, 1, 150, 13, {1, 20, 21}, {1, 3, 3}, {1, 1, 1}, {0, 1, 1}, {1, 1, 1}), float32,
      1e-5);
  check_kernels<double>(
      geometry(37, 1, 2, 7, {1, 9, 40}, {1, 5, 3}, {1, 2, 1}, {0, 2, 0}, {1, 1, 1}), float64,
      1e-13);
}

TEST_CASE("what is not under the window does not count, not even infinities") {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<float> x(2 * 20, 1.0f), w = {1, 2, 3}, y(2 * 9, 1.0f), dw(3);
  x[19] = static_cast<float>(inf);  // results 0 to 8, two apart, read 0 to 18
  gnomon_convolution g =
      geometry(2, 1, 1, 1, {1, 1, 20}, {1, 1, 3}, {1, 1, 2}, {0, 0, 0}, {1, 1, 1});
  REQUIRE(g.result[2] == 9);
  g.dtype = static_cast<int>(float32);
  for (const ConvolutionKernels* kernels : convolution_kernels()) {
    CAPTURE(kernels->name);
    g.kind = 2, g.a = x.data(), g.b = y.data(), g.c = dw.data();
    REQUIRE(convolve(g, pool(), 1, *kernels));
    CHECK(dw == std::vector<float>{18, 18, 18});
    std::vector<float> made(2 * 9);
    g.kind = 0, g.b = w.data(), g.c = made.data();
    REQUIRE(convolve(g, pool(), 1, *kernels));
    CHECK(made == std::vector<float>(18, 6.0f));
  }
  // The last column of an image counts for the last tap alone.
  std::vector<float> image(36, 1.0f), dy(4 * 4, 1.0f), gradient(9);
  image[5] = static_cast<float>(inf);
  g = geometry(1, 1, 1, 1, {1, 6, 6}, {1, 3, 3}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1});
  g.dtype = static_cast<int>(float32), g.kind = 2;
  g.a = image.data(), g.b = dy.data(), g.c = gradient.data();
  for (const ConvolutionKernels* kernels : convolution_kernels()) {
    CAPTURE(kernels->name);
    REQUIRE(convolve(g, pool(), 1, *kernels));
    for (std::size_t t = 0; t < 9; ++t) CHECK(gradient[t] == (t == 2 ? inf : 16));
  }
}

TEST_CASE("compiled convolutions with symbolic batch and images have the reference's values") {
  Samples samples(5);
  Batch batch("conv");
  const Expr x = batch.input("x", samples.small(float32, {3, 4, 9, 8}));
  const Expr w = batch.input("w", samples.small(float32, {6, 2, 3, 2}));
  const Windows windows{.stride = {2, 1}, .padding = {1, 0, 2, 1}, .dilation = {1, 2}, .groups = 2};
  const Expr y = conv(x, w, windows);
  batch.add("y", y, 1e-5);
  const Expr cost = sum(tanh(y * 0.01));
  for (const Expr& gradient : grad(cost, std::vector<Expr>{x, w}))
    batch.add("gradient", gradient, 1e-5);
  const Expr s = batch.input("s", samples.small(float64, {2, 3, 17}));
  const Expr v = batch.input("v", samples.small(float64, {4, 3, 5}));
  batch.add("one axis", conv(s, v), 1e-13);
  const Expr c = batch.input("c", samples.small(float64, {1, 2, 4, 5, 6}));
  const Expr u = batch.input("u", samples.small(float64, {3, 2, 2, 3, 2}));
  batch.add("three axes", conv(c, u, {.stride = {1, 2, 1}, .padding = {1}}), 1e-13);
  CHECK(batch.check());
  CHECK(batch.check_with(
      {samples.small(float32, {1, 2, 5, 7}), samples.small(float32, {2, 1, 1, 3}),
       samples.small(float64, {0, 1, 5}), samples.small(float64, {1, 1, 5}),
       samples.small(float64, {2, 1, 2, 3, 2}), samples.small(float64, {1, 1, 1, 1, 1})}));
}

TEST_CASE("a convolution of integers is one of floats") {
  const Expr x = tensor("x", DType::int32, {1, 1, 4}), w = tensor("w", DType::int32, {1, 1, 2});
  const Expr y = conv(x, w);
  CHECK(y.type().text() == "f64[1, 1, 3]");
}

TEST_CASE("types of convolutions") {
  const Expr x = tensor("x", float32, {Dim::symbol("n"), 4, Dim::symbol("h"), 8});
  const Expr w = tensor("w", float32, {6, 4, 3, 3});
  CHECK(conv(x, w).type().text() == "f32[n, 6, h - 2, 6]");
  CHECK(conv(x, w, {.stride = {2}, .padding = {1}}).type().text() ==
        "f32[n, 6, floor((h + 1) / 2), 4]");
  const Expr grouped = tensor("w", float32, {6, 2, 3, 3});
  CHECK(conv(x, grouped, {.groups = 2}).type().text() == "f32[n, 6, h - 2, 6]");
}

TEST_CASE("mistakes in convolutions are told with the operation first") {
  const Expr x = tensor("x", float32, {2, 4, 9, 8}), w = tensor("w", float32, {6, 4, 3, 3});
  const auto text = [](auto&& f) {
    const std::string all = error_of(f);
    CHECK(all.find("[convolution_test.cpp:") != std::string::npos);
    return all.substr(0, all.find(" [convolution_test.cpp:"));
  };
  CHECK(text([&] { conv(x, tensor("v", float32, {6, 3, 3, 3})); }) ==
        "conv: expected 3 channels of the image, found x: f32[2, 4, 9, 8] and v: f32[6, 3, 3, 3]");
  CHECK(text([&] { conv(x, w, {.groups = 2}); }) ==
        "conv: expected 8 channels of the image (2 groups of 4), found x: f32[2, 4, 9, 8] and w: "
        "f32[6, 4, 3, 3]");
  CHECK(text([&] { conv(x, tensor("v", float32, {5, 2, 3, 3}), {.groups = 2}); }) ==
        "conv: expected a multiple of 2 groups as first extent of the weights, found x: f32[2, 4, "
        "9, 8] and v: f32[5, 2, 3, 3]");
  CHECK(text([&] { conv(x, tensor("v", float32, {6, 4, 3})); }) ==
        "conv: expected two operands of one rank: two axes and 1 to 3 spatial ones, found x: "
        "f32[2, 4, 9, 8] and v: f32[6, 4, 3]");
  CHECK(text([&] { conv(x, tensor("v", float32, {6, 4, 10, 3})); }) ==
        "conv: expected windows that fit the image, found a window over 10 of 9 elements");
  CHECK(text([&] { conv(x, w, {.stride = {0}}); }) ==
        "conv: expected stride of at least 1 for each of 2 spatial axes, found (0, 0)");
  CHECK(text([&] { conv(x, w, {.dilation = {1, 2, 3}}); }) ==
        "conv: expected dilation of at least 1 for each of 2 spatial axes, found (1, 2, 3)");
  CHECK(text([&] { conv(x, w, {.padding = {1, -1}}); }) ==
        "conv: expected padding of at least 0 before and behind each of 2 spatial axes, found (1, "
        "1, -1, -1)");
  CHECK(text([&] { conv(x, w, {.groups = 0}); }) == "conv: expected at least 1 group, found 0");
}

TEST_CASE("a call whose extents do not fit a convolution fails") {
  const Expr x = tensor4("x", float32), w = tensor("w", float32, {2, 3, 3, 3});
  const Function f = compile({x, w}, {conv(x, w)});
  const Array weights = Samples(1).small(float32, {2, 3, 3, 3});
  CHECK(error_of<ValueError>([&] {
          f(Samples(2).small(float32, {1, 4, 5, 5}), weights);
        }).find("conv: channels differ") != std::string::npos);
  CHECK(error_of<ValueError>([&] {
          f(Samples(2).small(float32, {1, 3, 5, 2}), weights);
        }).find("conv: expected windows that fit the image") != std::string::npos);
  CHECK(f(Samples(2).small(float32, {0, 3, 5, 5}), weights)[0].shape()[0] == 0);
}
