// Optimizers: the updates of parameters that descend a cost, for `compile`.
#include "frontend/library/optimizers.h"

#include <fmt/format.h>

#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon::optim {

namespace {

/// A parameter with what its step needs, and where its updates go.
struct DescentStep {
  const SharedVariable& p;
  Expr g, rate;
  std::vector<Update>& updates;

  /// A new variable of the parameter's type, zero.
  SharedVariable state(std::string_view what) const {
    const Shared& variable = p.variable();
    return shared(zeros(variable.get().shape(), variable.dtype()),
                  fmt::format("{}_{}", variable.name(), what), variable.shape());
  }
  /// Makes `value` the new value of `variable`, and returns it.
  Expr update(const SharedVariable& variable, const Expr& value) const {
    updates.push_back({variable, value});
    return value;
  }
  /// The average of `value` over calls, in which an older one counts `decay` times as much.
  Expr average(std::string_view what, double decay, const Expr& value) const {
    const SharedVariable old = state(what);
    return update(old, decay * old + (1 - decay) * value);
  }
};

/// The updates that `move` makes of each parameter.
template <class Move>
std::vector<Update> descend(std::string_view name, const Objective& objective,
                            const Parameters& parameters, const Arg& learning_rate, Move&& move) {
  const std::vector<Expr> gradients = objective.gradients(name, parameters);
  std::vector<Update> updates;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const SharedVariable& p = parameters[i];
    const DescentStep step{p, gradients[i], cast(learning_rate, p.dtype()), updates};
    updates.push_back({p, move(step)});
  }
  return updates;
}

std::vector<Update> adaptive_moments(std::string_view name, const Objective& objective,
                                     const Parameters& parameters, const Arg& learning_rate,
                                     double beta1, double beta2, double epsilon,
                                     double weight_decay) {
  const SharedVariable calls = shared(Array(std::int64_t{0}), fmt::format("{}_step", name));
  // 1 - beta^n loses digits in float32 while beta^n is near 1.
  const Expr n = cast(calls + 1, DType::float64);
  const Expr first = 1 / (1 - power(beta1, n)), second = 1 / (1 - power(beta2, n));
  std::vector<Update> updates =
      descend(name, objective, parameters, learning_rate, [&](const DescentStep& s) {
        const Expr m = s.average("mean", beta1, s.g) * cast(first, s.p.dtype());
        const Expr v = s.average("square", beta2, square(s.g)) * cast(second, s.p.dtype());
        const Expr moved = s.p - s.rate * m / (sqrt(v) + epsilon);
        return weight_decay == 0 ? moved : moved - s.rate * weight_decay * s.p;
      });
  updates.push_back({calls, calls + 1});
  return updates;
}

}  // namespace

std::vector<Expr> Objective::gradients(std::string_view name, const Parameters& parameters) const {
  if (parameters.empty())
    throw ValueError(fmt::format("{}: expected parameters, found none", name));
  std::vector<Expr> wanted;
  for (const SharedVariable& p : parameters) {
    if (!is_float(p.dtype())) {
      throw TypeError(
          fmt::format("{}: expected parameters of floats, found {}", name, describe(p.value())));
    }
    wanted.push_back(p);
  }
  if (cost_.defined()) return grad(cost_, wanted);
  if (gradients_.size() != parameters.size()) {
    throw ValueError(fmt::format("{}: expected {} gradients, one for each parameter, found {}",
                                 name, parameters.size(), gradients_.size()));
  }
  return gradients_;
}

std::vector<Update> sgd(const Objective& objective, const Parameters& parameters,
                        const Arg& learning_rate) {
  const CallPlace call("sgd", learning_rate.origin());
  return descend("sgd", objective, parameters, learning_rate,
                 [](const DescentStep& s) { return s.p - s.rate * s.g; });
}

std::vector<Update> momentum(const Objective& objective, const Parameters& parameters,
                             const Arg& learning_rate, double momentum, bool nesterov) {
  const CallPlace call("momentum", learning_rate.origin());
  return descend("momentum", objective, parameters, learning_rate, [&](const DescentStep& s) {
    const SharedVariable old = s.state("momentum");
    const Expr v = s.update(old, momentum * old - s.rate * s.g);
    return nesterov ? s.p + momentum * v - s.rate * s.g : s.p + v;
  });
}

std::vector<Update> adagrad(const Objective& objective, const Parameters& parameters,
                            const Arg& learning_rate, double epsilon) {
  const CallPlace call("adagrad", learning_rate.origin());
  return descend("adagrad", objective, parameters, learning_rate, [&](const DescentStep& s) {
    const SharedVariable old = s.state("squares");
    const Expr squares = s.update(old, old + square(s.g));
    return s.p - s.rate * s.g / (sqrt(squares) + epsilon);
  });
}

std::vector<Update> rmsprop(const Objective& objective, const Parameters& parameters,
                            const Arg& learning_rate, double decay, double epsilon) {
  const CallPlace call("rmsprop", learning_rate.origin());
  return descend("rmsprop", objective, parameters, learning_rate, [&](const DescentStep& s) {
    const Expr square_mean = s.average("square", decay, square(s.g));
    return s.p - s.rate * s.g / (sqrt(square_mean) + epsilon);
  });
}

std::vector<Update> adadelta(const Objective& objective, const Parameters& parameters,
                             const Arg& learning_rate, double decay, double epsilon) {
  const CallPlace call("adadelta", learning_rate.origin());
  return descend("adadelta", objective, parameters, learning_rate, [&](const DescentStep& s) {
    const Expr square_mean = s.average("square", decay, square(s.g));
    const SharedVariable old = s.state("step_square");
    const Expr step = s.g * (sqrt(old + epsilon) / sqrt(square_mean + epsilon));
    s.update(old, decay * old + (1 - decay) * square(step));
    return s.p - s.rate * step;
  });
}

std::vector<Update> adam(const Objective& objective, const Parameters& parameters,
                         const Arg& learning_rate, double beta1, double beta2, double epsilon) {
  const CallPlace call("adam", learning_rate.origin());
  return adaptive_moments("adam", objective, parameters, learning_rate, beta1, beta2, epsilon, 0);
}

std::vector<Update> adamw(const Objective& objective, const Parameters& parameters,
                          const Arg& learning_rate, double beta1, double beta2, double epsilon,
                          double weight_decay) {
  const CallPlace call("adamw", learning_rate.origin());
  return adaptive_moments("adamw", objective, parameters, learning_rate, beta1, beta2, epsilon,
                          weight_decay);
}

}  // namespace gnomon::optim
