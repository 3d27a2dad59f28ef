// Regression by a Gaussian process whose length, height and noise are those of the most likely
// data: the logarithm of the likelihood, its gradient by Cholesky factors, Adam's steps.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <random>

namespace {

using namespace gnomon;

Expr kernel(const Expr& a, const Expr& b, const Expr& p) {
  const Expr distance = (expand_dims(a, 1) - b) / exp(p(0));
  return exp(2 * p(1)) * exp(-0.5 * square(distance));
}

// Of data with noise.
Expr covariance(const Expr& x, const Expr& p) {
  return kernel(x, x, p) + exp(2 * p(2)) * eye(x.dim(0));
}

Expr minus_log_likelihood(const Expr& x, const Expr& y, const Expr& p) {
  const Expr factor = cholesky(covariance(x, p));
  const Expr white = solve_triangular(factor, y);
  return 0.5 * sum(square(white)) + sum(log(diagonal(factor)));
}

}  // namespace

int main() {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.1);
  std::vector<double> places, values;
  for (int i = 0; i < 60; ++i) {
    places.push_back(0.1 * i + 0.3 * std::sin(i));
    values.push_back(std::sin(1.5 * places.back()) + noise(random));
  }
  const Expr x = vector("x"), y = vector("y"), at = vector("at");
  const SharedVariable p = shared(Array::from<double>({0.5, 0.5, 0.0}), "p");
  const Expr cost = minus_log_likelihood(x, y, p);
  const Function step = compile({x, y}, {cost}, optim::adam(cost, {p}, 0.03));
  double first = 0, last = 0;
  for (int i = 0; i < 400; ++i) {
    last = step(places, values)[0].item<double>();
    if (i == 0) first = last;
  }
  const Expr across = kernel(at, x, p);
  const Expr mean_there = dot(across, solve(covariance(x, p), y));
  const Function predict = compile({x, y, at}, {mean_there});
  const std::vector<double> questions = {0.5, 1.7, 3.3, 4.9};
  const Array answers = predict(places, values, questions)[0];
  double worst = 0;
  for (std::size_t i = 0; i < questions.size(); ++i)
    worst = std::max(worst, std::abs(answers.data<double>()[i] - std::sin(1.5 * questions[i])));
  const Array found = p.get();
  fmt::print(
      "-log likelihood {:.2f} -> {:.2f}; length {:.2f}, noise {:.3f}; off by at most {:.3f}\n",
      first, last, std::exp(found.data<double>()[0]), std::exp(found.data<double>()[2]), worst);
  return last < first && worst < 0.15 ? 0 : 1;
}
