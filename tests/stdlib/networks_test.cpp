// Functions of neural networks in C++: values by hand, slopes at edges, types and errors. The
// Python tests compare the same functions with NumPy and SciPy.
#include <doctest/doctest.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "passes/derivatives/gradient.h"
#include "tests/support/compiled_support.h"
#include "tests/support/op_texts.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using Numbers = std::vector<double>;

Numbers compiled_value(const std::vector<Expr>& inputs, const Expr& e,
                       const std::vector<Array>& at) {
  return compile(inputs, {e})(at)[0].to_vector<double>();
}

// 0, 1, 2, ... in a shape.
Array values(const std::vector<std::int64_t>& shape) {
  std::int64_t size = 1;
  for (const std::int64_t n : shape) size *= n;
  Numbers list(static_cast<std::size_t>(size));
  std::iota(list.begin(), list.end(), 0.0);
  return Array::from(list).reshape(shape);
}

void check_numbers_close(const Numbers& found, const Numbers& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i] == doctest::Approx(wanted[i]).epsilon(1e-13));
}

}  // namespace

TEST_CASE("activations take the dtype of what they are given") {
  const Expr single = vector("x", float32), integers = vector("i", int32);
  CHECK(nn::leaky_relu(single, 0.2).dtype() == float32);
  CHECK(nn::soft_shrink(single).dtype() == float32);
  CHECK(nn::hard_sigmoid(single).dtype() == float32);
  CHECK(nn::huber_loss(single, 0.0, 2).dtype() == float32);
  CHECK(nn::relu(integers).dtype() == int32);
  CHECK(nn::gelu(integers).dtype() == float64);
  CHECK(nn::prelu(matrix("m"), vector("v")).rank() == 2);
  CHECK(error_of([] { nn::prelu(matrix("m"), matrix("s")); }) ==
        "prelu: expected one slope or a vector, found s: f64[s.0, s.1]");
  CHECK(error_of([] { nn::glu(tensor("x", float64, {2, 3})); }) ==
        "glu: expected equal parts, found 2 of x: f64[2, 3]");
}

TEST_CASE("what overflows beside the branch taken leaves no trace in slopes") {
  const Expr x = vector("x");
  const Expr total = sum(nn::elu(x)) + sum(nn::selu(x)) + sum(nn::celu(x)) + sum(nn::gelu(x));
  check_numbers_close(compiled_value({x}, grad(total, x), {Array::from({800.0, -800.0})}),
                      {3 + 1.0507009873554804934193349852946, 0});
}

TEST_CASE("a cross entropy counts classes by their weights and passes over a label") {
  const Expr x = matrix("x"), labels = vector("labels", int64);
  const Array logits = Array::from({0.0, 0.0, std::log(3.0), 0.0, 5.0, 5.0}).reshape({3, 2});
  const Array classes = Array::from(std::vector<std::int64_t>{0, 1, 7});
  const Expr weights{Array::from({1.0, 3.0})};
  // -log of 1/2 and 1/4 with weights 1 and 3; the third label does not count.
  const double first = std::log(2.0), second = 3 * std::log(4.0);
  const auto loss = [&](nn::Reduction how) {
    return nn::cross_entropy(x, labels, {.weights = weights, .ignore = 7, .reduction = how});
  };
  check_numbers_close(compiled_value({x, labels}, loss(nn::Reduction::none), {logits, classes}),
                      {first, second, 0});
  check_numbers_close(compiled_value({x, labels}, loss(nn::Reduction::mean), {logits, classes}),
                      {(first + second) / 4});
  CHECK(error_of([&] { nn::nll_loss(x, labels, {.label_smoothing = 0.1}); }) ==
        "nll_loss: expected no label smoothing, which needs a softmax");
  CHECK(error_of([&] { nn::nll_loss(x, vector("t")); }) ==
        "nll_loss: expected integer labels, found t: f64[t.0]");
}

TEST_CASE("probabilities of a cross entropy have the type of the scores: none are repeated") {
  const Expr scores = constant(0.0, float64), x = tensor("x", float64, {3, 3});
  const Expr wide = tensor("w", float64, {4, 3}), open = matrix("o"), scalar_like = scalar("s");
  CHECK_THROWS_AS(nn::cross_entropy(x, tensor("p", float64, {3})), TypeError);
  CHECK_THROWS_AS(nn::cross_entropy(x, tensor("p", float64, {1, 3})), ValueError);
  CHECK_THROWS_AS(nn::cross_entropy(x, wide), ValueError);
  CHECK_THROWS_AS(nn::cross_entropy(open, vector("p")), TypeError);
  CHECK_THROWS_AS(nn::cross_entropy(x, scalar_like), TypeError);
  CHECK_THROWS_AS(nn::cross_entropy(scores, scores), Error);
  CHECK(nn::cross_entropy(open, matrix("p")).rank() == 0);
  CHECK(nn::cross_entropy(x, open).rank() == 0);
}

TEST_CASE("batch normalisation gives the running statistics after it") {
  const Expr x = matrix("x"), mean = vector("mean"), var = vector("var");
  const nn::BatchNorm b = nn::batch_norm_train(x, mean, var, {}, {1}, 0.25, 0.0);
  const std::vector<Array> at = {Array::from({1.0, 0.0, 3.0, 4.0}).reshape({2, 2}),
                                 Array::from({0.0, 1.0}), Array::from({1.0, 2.0})};
  check_numbers_close(compiled_value({x, mean, var}, b.y, at), {-1, -1, 1, 1});
  check_numbers_close(compiled_value({x, mean, var}, b.mean, at), {0.5, 1.25});
  check_numbers_close(compiled_value({x, mean, var}, b.var, at), {1.25, 3.5});
  CHECK(error_of([&] { nn::layer_norm(x, {.weight = matrix("w"), .bias = {}}); }) ==
        "layer_norm: expected parameters with 1 axes for subtract(x, mean(...)): f64[x.0, x.1], "
        "found w: f64[w.0, w.1]");
}

TEST_CASE("a row that may look nowhere attends to nothing, with slopes of 0") {
  const Expr q = matrix("q"), k = matrix("k"), v = matrix("v");
  const Expr mask = matrix("mask");
  const Expr y = nn::scaled_dot_product_attention(q, k, v, {.mask = mask, .causal = true});
  const std::vector<Array> at = {Array::from({1.0, 2.0}).reshape({2, 1}),
                                 Array::from({1.0, -1.0}).reshape({2, 1}),
                                 Array::from({3.0, 5.0}).reshape({2, 1}),
                                 Array::from({-infinite, 0.0, 0.0, 0.0}).reshape({2, 2})};
  const double near = 1 / (1 + std::exp(-4.0));
  check_numbers_close(compiled_value({q, k, v, mask}, y, at), {0, 3 * near + 5 * (1 - near)});
  check_numbers_close(compiled_value({q, k, v, mask}, grad(sum(y), q), at),
                      {0, -4 * near * (1 - near)});
}

TEST_CASE("ctc sums over the ways to spell a label") {
  const Expr x = tensor3("x"), labels = matrix("labels", int64);
  const Expr steps = vector("steps", int64), counts = vector("counts", int64);
  const Expr loss =
      nn::ctc_loss(x, labels, steps, counts, {.blank = 1, .reduction = nn::Reduction::none});
  const auto list = [](std::vector<std::int64_t> v) { return Array::from(v); };
  // Both classes alike: (a), and (a a), (a -), (- a) of four ways.
  const std::vector<Array> at = {zeros({2, 2, 2}, float64), list({0, 0}).reshape({2, 1}),
                                 list({1, 2}), list({1, 1})};
  check_numbers_close(compiled_value({x, labels, steps, counts}, loss, at),
                      {std::log(2.0), std::log(4.0 / 3)});
}

TEST_CASE("dropout divides what it keeps, and a slope follows it") {
  const Expr state = vector("state", uint64), x = vector("x");
  const Expr y = nn::dropout(state, x, 0.75);
  const std::vector<Array> at = {Array::from(std::vector<std::uint64_t>{3, 0}),
                                 ones({1000}, float64)};
  const Numbers found = compiled_value({state, x}, y, at);
  int kept = 0;
  for (const double v : found) {
    CHECK((v == 0 || v == 4));
    kept += v == 4;
  }
  CHECK(std::abs(kept - 250) < 60);
  check_numbers_close(compiled_value({state, x}, grad(sum(y), x), at), found);
}

TEST_CASE("initial values have the spread of their fans") {
  const Expr state = vector("state", uint64);
  const Array seed = Array::from(std::vector<std::uint64_t>{5, 0});
  CHECK(init::fans({3, 4}) == std::pair<double, double>{3, 4});
  CHECK(init::fans({8, 2, 3, 5}) == std::pair<double, double>{30, 120});
  const auto spread = [&](const Expr& w) { return compiled_value({state}, stddev(w), {seed})[0]; };
  CHECK(spread(init::he_normal(state, {200, 100})) == doctest::Approx(0.1).epsilon(0.02));
  CHECK(spread(init::glorot_uniform(state, {100, 300})) ==
        doctest::Approx(std::sqrt(2.0 / 400)).epsilon(0.02));
  CHECK(spread(init::lecun_normal(state, {10, 25, 4, 4})) == doctest::Approx(0.05).epsilon(0.03));
  CHECK(spread(init::variance_scaling(state, {100, 200}, 2.0, init::Fan::out)) ==
        doctest::Approx(0.1).epsilon(0.02));
  const Expr q = init::orthogonal(state, {2, 5});
  check_numbers_close(compiled_value({state}, matmul(q, transpose(q)), {seed}), {1, 0, 0, 1});
  CHECK(error_of([&] { init::he_normal(state, {Dim::symbol("n"), 3}); }) ==
        "he_normal: expected known extents, found [n, 3]");
}

TEST_CASE("a transposed convolution has the extents that a convolution started from") {
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", float32, {2, 3, n}), w = tensor("w", float32, {3, 2, 4});
  const Windows windows{.stride = {2}, .padding = {1, 0}, .dilation = {3}, .groups = 1};
  const Expr y = nn::conv_transpose(x, w, windows, {1});
  CHECK(text(y.shape()) == "[2, 2, 2*n + 8]");
  CHECK(same(nn::conv_transpose(x, w, windows, {1}), y));
  CHECK(text(conv(y, w, windows).shape()) == "[2, 3, n]");
  CHECK(error_of([&] { nn::conv_transpose(x, w, windows, {2}); }) ==
        "conv_transpose: expected weights of rank 3 and extra elements from 0 to below the stride, "
        "found w: f32[3, 2, 4] and (2)");
}

TEST_CASE("blocks of images come back, and a finer image keeps its pixels") {
  const Expr x = tensor4("x");
  const Array image = values({2, 1, 4, 6});
  const Expr rows = nn::images2neibs(x, {2, 3});
  CHECK(compile({x}, {nn::neibs2images(rows, {2, 3}, x.shape())})(image)[0].to_vector<double>() ==
        image.to_vector<double>());
  const Expr fine = nn::bilinear_upsampling(x, {3});
  const Expr kept =
      index(fine, std::array{Index(ellipsis), Index(range(1, 12, 3)), Index(range(1, 18, 3))});
  CHECK(compile({x}, {kept})(image)[0].to_vector<double>() == image.to_vector<double>());
}
