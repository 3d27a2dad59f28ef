// Logistic regression written naively: logarithms of probabilities, no care for large numbers.
// The loss falls and stays finite all the same, because Gnomon rewrites the formulas.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <random>

namespace {

using namespace gnomon;

Array normal(Extents shape, double scale, std::mt19937& random) {
  Array a = Array::empty(float64, shape);
  std::normal_distribution<double> draw;
  for (std::int64_t i = 0; i < a.size(); ++i) a.data<double>()[i] = scale * draw(random);
  return a;
}

Array labels(std::int64_t n, std::mt19937& random) {
  Array a = Array::empty(float64, {n});
  for (std::int64_t i = 0; i < n; ++i) a.data<double>()[i] = static_cast<double>(random() & 1u);
  return a;
}

// Trains on `rows` random inputs of `features` numbers; whether the loss fell and stayed finite.
bool train(std::int64_t rows, std::int64_t features, double scale, int steps) {
  std::mt19937 random(7);
  const Array inputs = normal({rows, features}, scale, random);
  const Array targets = labels(rows, random);

  auto x = matrix("x");
  auto y = vector("y");
  auto w = shared(normal({features}, 1, random), "w");
  auto b = shared(zeros({}), "b");
  auto p = 1 / (1 + exp(-(dot(x, w) + b)));
  auto cross_entropy = -y * log(p) - (1 - y) * log(1 - p);
  auto cost = mean(cross_entropy) + 0.01 * sum(square(w));
  auto [gw, gb] = grad(cost, w, b);
  auto step = compile({x, y}, {cost}, {{w, w - 0.1 * gw}, {b, b - 0.1 * gb}});
  auto predict = compile({x}, {p > 0.5});

  double first = 0, last = 0;
  bool finite = true;
  for (int i = 0; i < steps; ++i) {
    last = step(inputs, targets)[0].item<double>();
    if (i == 0) first = last;
    finite = finite && std::isfinite(last);
  }
  const auto guesses = predict(inputs)[0].to_vector<bool>();
  int right = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    right += guesses[static_cast<std::size_t>(i)] == (targets.data<double>()[i] > 0.5);
  fmt::print("{} x {}, inputs times {:4}: loss {:.6g} -> {:.6g}, {} of {} right\n", rows, features,
             scale, first, last, right, rows);
  return finite && last < first;
}

}  // namespace

int main() {
  try {
    bool good = true;
    for (const double scale : {1.0, 1000.0}) {
      good = train(4, 100, scale, 500) && good;
      good = train(400, 784, scale, 500) && good;
    }
    if (!good) fmt::print(stderr, "logistic_regression: the loss did not fall or is not finite\n");
    return good ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "logistic_regression: {}\n", error.what());
    return 1;
  }
}
