// Optimizers: the updates of parameters that descend a cost, for `compile`.
#pragma once

#include <array>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "frontend/function.h"
#include "frontend/variable.h"
#include "ir/graph/expr.h"

/// Updates of parameters that descend a cost: `compile({x}, {cost}, optim::adam(cost, {w, b}))`.
/// Each function makes its state as shared variables, zero at first and named after the parameter
/// (`w_momentum`), and returns the updates of state and parameters. g is the gradient of a
/// parameter p, e the learning rate: a number, an expression or a shared variable, cast to p's
/// dtype. All states with a prime are the new ones, and products and quotients are by element.
/// Errors are those of `Objective::gradients`.
namespace gnomon::optim {

/// What is minimised: a float scalar, whose gradients are taken, or ready gradients, one for each
/// parameter and of its type.
class Objective {
 public:
  /// A cost, or gradients.
  Objective(const Expr& cost) : cost_(cost) {}
  Objective(std::vector<Expr> gradients) : gradients_(std::move(gradients)) {}
  Objective(std::initializer_list<Expr> gradients) : gradients_(gradients) {}
  template <std::size_t n>
  Objective(const std::array<Expr, n>& gradients)
      : gradients_(gradients.begin(), gradients.end()) {}

  /// One for each parameter. TypeError: parameters that are not floats or do not influence the
  /// cost; ValueError: no parameters, another number of gradients. `name` is the optimizer's.
  std::vector<Expr> gradients(std::string_view name,
                              const std::vector<SharedVariable>& parameters) const;

 private:
  Expr cost_;
  std::vector<Expr> gradients_;
};

/// What is changed: shared variables of floats.
using Parameters = std::vector<SharedVariable>;

/// p' = p - e g (Cauchy 1847; Robbins and Monro 1951).
std::vector<Update> sgd(const Objective& objective, const Parameters& parameters,
                        const Arg& learning_rate = 0.01);

/// v' = momentum v - e g; p' = p + v' (Polyak 1964). With nesterov p' = p + momentum v' - e g:
/// Nesterov 1983 in the form of Sutskever et al. 2013, p standing for their look-ahead point.
std::vector<Update> momentum(const Objective& objective, const Parameters& parameters,
                             const Arg& learning_rate = 0.01, double momentum = 0.9,
                             bool nesterov = false);

/// s' = s + g^2; p' = p - e g / (sqrt(s') + epsilon) (Duchi, Hazan and Singer 2011).
std::vector<Update> adagrad(const Objective& objective, const Parameters& parameters,
                            const Arg& learning_rate = 0.01, double epsilon = 1e-10);

/// s' = decay s + (1 - decay) g^2; p' = p - e g / (sqrt(s') + epsilon) (Tieleman and Hinton 2012,
/// lecture 6e).
std::vector<Update> rmsprop(const Objective& objective, const Parameters& parameters,
                            const Arg& learning_rate = 0.001, double decay = 0.9,
                            double epsilon = 1e-8);

/// s' = decay s + (1 - decay) g^2; d = g sqrt(t + epsilon) / sqrt(s' + epsilon); p' = p - e d;
/// t' = decay t + (1 - decay) d^2 (Zeiler 2012, with his step scaled by e).
std::vector<Update> adadelta(const Objective& objective, const Parameters& parameters,
                             const Arg& learning_rate = 1.0, double decay = 0.95,
                             double epsilon = 1e-6);

/// In call n = 1, 2, ...: m' = beta1 m + (1 - beta1) g; v' = beta2 v + (1 - beta2) g^2;
/// p' = p - e (m' / (1 - beta1^n)) / (sqrt(v' / (1 - beta2^n)) + epsilon) (Kingma and Ba 2015,
/// algorithm 1).
std::vector<Update> adam(const Objective& objective, const Parameters& parameters,
                         const Arg& learning_rate = 0.001, double beta1 = 0.9, double beta2 = 0.999,
                         double epsilon = 1e-8);

/// As adam, with e weight_decay p subtracted too (Loshchilov and Hutter 2019, algorithm 2, the
/// schedule being e itself).
std::vector<Update> adamw(const Objective& objective, const Parameters& parameters,
                          const Arg& learning_rate = 0.001, double beta1 = 0.9,
                          double beta2 = 0.999, double epsilon = 1e-8, double weight_decay = 0.01);

}  // namespace gnomon::optim
