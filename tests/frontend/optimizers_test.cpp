// Optimizers against the formulas of their papers, one number after the other in double precision.
#include <doctest/doctest.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

using namespace gnomon;

namespace {

constexpr double rate = 0.05;
constexpr int steps = 8;

/// What an optimizer remembers of one number of a parameter.
struct Memory {
  double first = 0, second = 0;
  int n = 0;
};

/// An optimizer, and the move of one number p with gradient g.
struct Row {
  const char* name;
  std::function<std::vector<Update>(const optim::Objective&, const optim::Parameters&, const Arg&)>
      updates;
  std::function<double(double p, double g, double e, Memory&)> move;
};

double adam_direction(double g, Memory& s) {
  ++s.n;
  s.first = 0.9 * s.first + 0.1 * g;
  s.second = 0.99 * s.second + 0.01 * g * g;
  const double m = s.first / (1 - std::pow(0.9, s.n)), v = s.second / (1 - std::pow(0.99, s.n));
  return m / (std::sqrt(v) + 1e-8);
}

std::vector<Row> rows() {
  using optim::Objective, optim::Parameters;
  return {
      {"sgd",
       [](const Objective& c, const Parameters& p, const Arg& e) { return optim::sgd(c, p, e); },
       [](double p, double g, double e, Memory&) { return p - e * g; }},
      {"momentum",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::momentum(c, p, e, 0.8);
       },
       [](double p, double g, double e, Memory& s) {
         s.first = 0.8 * s.first - e * g;
         return p + s.first;
       }},
      {"nesterov",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::momentum(c, p, e, 0.8, true);
       },
       [](double p, double g, double e, Memory& s) {
         s.first = 0.8 * s.first - e * g;
         return p + 0.8 * s.first - e * g;
       }},
      {"adagrad",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::adagrad(c, p, e);
       },
       [](double p, double g, double e, Memory& s) {
         s.first += g * g;
         return p - e * g / (std::sqrt(s.first) + 1e-10);
       }},
      {"rmsprop",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::rmsprop(c, p, e, 0.85, 1e-6);
       },
       [](double p, double g, double e, Memory& s) {
         s.first = 0.85 * s.first + 0.15 * g * g;
         return p - e * g / (std::sqrt(s.first) + 1e-6);
       }},
      {"adadelta",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::adadelta(c, p, e, 0.9, 1e-4);
       },
       [](double p, double g, double e, Memory& s) {
         s.first = 0.9 * s.first + 0.1 * g * g;
         const double d = std::sqrt(s.second + 1e-4) / std::sqrt(s.first + 1e-4) * g;
         s.second = 0.9 * s.second + 0.1 * d * d;
         return p - e * d;
       }},
      {"adam",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::adam(c, p, e, 0.9, 0.99);
       },
       [](double p, double g, double e, Memory& s) { return p - e * adam_direction(g, s); }},
      {"adamw",
       [](const Objective& c, const Parameters& p, const Arg& e) {
         return optim::adamw(c, p, e, 0.9, 0.99, 1e-8, 0.3);
       },
       [](double p, double g, double e, Memory& s) {
         return p - e * adam_direction(g, s) - e * 0.3 * p;
       }},
  };
}

/// A cost with the gradient 2 p + cos(p + k) for each number p of parameter k.
Expr cost_of(const optim::Parameters& parameters) {
  Expr cost;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Expr& p = parameters[k];
    const Expr term = sum(square(p) + sin(p + static_cast<double>(k)));
    cost = cost.defined() ? cost + term : term;
  }
  return cost;
}

std::vector<double> start_of(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(std::sin(1.7 * static_cast<double>(i) + 0.3));
  return values;
}

template <class T>
optim::Parameters parameters_of() {
  const std::vector<double> values = start_of(6);
  const std::vector<T> w(values.begin(), values.end());
  return {shared(Array::from(w, {2, 3}), "w"), shared(Array(static_cast<T>(0.75)), "b")};
}

template <class T>
void check_numbers(const optim::Parameters& parameters, const std::vector<double>& wanted) {
  std::size_t i = 0;
  for (const SharedVariable& p : parameters) {
    for (const T value : p.get().template to_vector<T>()) {
      const double tolerance = sizeof(T) == 4 ? 2e-6 : 1e-14;
      CHECK(std::fabs(value - wanted[i]) <= tolerance * (1 + std::fabs(wanted[i])));
      ++i;
    }
  }
  CHECK(i == wanted.size());
}

/// Moves the numbers of `parameters_of` by the formula.
void move_all(const Row& row, std::vector<double>& numbers, std::vector<Memory>& memory, double e) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double p = numbers[i], k = i < 6 ? 0 : 1;
    numbers[i] = row.move(p, 2 * p + std::cos(p + k), e, memory[i]);
  }
}

std::vector<double> first_numbers() {
  std::vector<double> numbers = start_of(6);
  numbers.push_back(0.75);
  return numbers;
}

}  // namespace

TEST_CASE_TEMPLATE("optimizers take the steps of their papers", T, float, double) {
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    const optim::Parameters parameters = parameters_of<T>();
    const Function step = compile({}, {}, row.updates(cost_of(parameters), parameters, rate));
    std::vector<double> numbers = first_numbers();
    std::vector<Memory> memory(numbers.size());
    for (int i = 0; i < steps; ++i) {
      step();
      move_all(row, numbers, memory, rate);
      check_numbers<T>(parameters, numbers);
    }
  }
}

TEST_CASE("gradients may be given, and the rate may be an input or a shared variable") {
  for (const Row& row : rows()) {
    CAPTURE(row.name);
    const optim::Parameters by_input = parameters_of<float>(), by_shared = parameters_of<float>();
    const Expr e = scalar("e");
    const SharedVariable variable = shared(Array(0.0), "rate");
    const auto gradients = [](const optim::Parameters& p) {
      return grad(cost_of(p), {p[0], p[1]});
    };
    const Function first = compile({e}, {}, row.updates(gradients(by_input), by_input, e));
    const Function second = compile({}, {}, row.updates(gradients(by_shared), by_shared, variable));
    std::vector<double> numbers = first_numbers();
    std::vector<Memory> memory(numbers.size());
    for (int i = 0; i < 3; ++i) {
      const double value = rate / (1 + i);
      SharedVariable(variable).set(Array(value));
      first(Array(value));
      second();
      move_all(row, numbers, memory, value);
      check_numbers<float>(by_input, numbers);
      check_numbers<float>(by_shared, numbers);
    }
  }
}

TEST_CASE("the state of an optimizer has the parameter's type and name") {
  const SharedVariable w = shared(ones({2, 3}, float32), "w", {-1, 3});
  const std::vector<Update> updates = optim::adam(sum(square(w)), {w});
  std::vector<std::string> names;
  for (const Update& u : updates) {
    names.push_back(u.variable.variable().name());
    CHECK(u.value.type() == u.variable.type());
    if (names.back() != "adam_step") {
      CHECK(u.variable.dtype() == float32);
      CHECK(u.variable.variable().shape()[0] == -1);
    }
  }
  compile({}, {}, updates)();
  CHECK(names == std::vector<std::string>{"w_mean", "w_square", "w", "adam_step"});
  CHECK(optim::momentum(sum(w), {w})[0].variable.variable().name() == "w_momentum");
}

TEST_CASE("adam descends with its first step though the averages begin at zero") {
  // By formula (m / (1 - beta1)) / (sqrt(v / (1 - beta2)) + epsilon) = the sign of the gradient.
  const SharedVariable w = shared(Array::from({3.0f, -2.0f, 1e-3f}), "w");
  compile({}, {}, optim::adam(sum(square(w)), {w}, 0.25))();
  const std::vector<float> got = w.get().to_vector<float>();
  CHECK(got[0] == doctest::Approx(2.75));
  CHECK(got[1] == doctest::Approx(-1.75));
  CHECK(got[2] == doctest::Approx(-0.249).epsilon(1e-5));
}

TEST_CASE("optimizers say what they cannot take") {
  const SharedVariable w = shared(zeros({3}), "w"), n = shared(zeros({3}, int64), "n");
  const auto error_of = [](auto&& f) -> std::string {
    try {
      f();
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  const auto here = [](const std::string& text, int line) {
    return text + " [optimizers_test.cpp:" + std::to_string(line) + "]";
  };
  CHECK(error_of([&] { (void)optim::sgd(sum(w), {}); }) ==
        here("sgd: expected parameters, found none", __LINE__ - 1));
  CHECK(error_of([&] { (void)optim::adam(sum(w), {w, n}); }) ==
        here("adam: expected parameters of floats, found n: i64[3]", __LINE__ - 1));
  CHECK(error_of([&] { (void)optim::adagrad({2 * w, 3 * w}, {w}); }) ==
        here("adagrad: expected 1 gradients, one for each parameter, found 2", __LINE__ - 1));
  CHECK_THROWS_AS((void)optim::sgd(sum(square(vector("x"))), {w}), TypeError);
}
