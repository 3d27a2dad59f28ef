// Functions of neural networks, each one compiled function when it is computed at once.
#include "frontend/python/src/functions/composed.h"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "frontend/python/src/symbols/shape_arguments.h"
#include "runtime/error.h"
#include "stdlib/networks/activations.h"
#include "stdlib/networks/layers.h"
#include "stdlib/networks/losses.h"
#include "stdlib/networks/normalization.h"

namespace gnomon::python {

namespace {

using nb::literals::operator""_a;
using Expressions = std::span<const Expr>;
using nb::handle;

nn::Reduction reduction_of(handle given) {
  if (given.is_none()) return nn::Reduction::none;
  const std::string name = nb::cast<std::string>(given);
  if (name == "mean") return nn::Reduction::mean;
  if (name == "sum") return nn::Reduction::sum;
  if (name == "none") return nn::Reduction::none;
  if (name == "batchmean") return nn::Reduction::batch_mean;
  throw ValueError(
      fmt::format("reduction: expected 'mean', 'sum', 'none' or 'batchmean', found {:?}", name));
}

// ------------------------------------------------------------------------------------ activations

template <class F>
void def_unary(nb::module_& m, const char* name, F f) {
  m.def(
      name, [f](handle x) { return composed({x}, [&](Expressions e) { return f(e[0]); }); },
      "x"_a.none());
}

template <class F>
void def_binary(nb::module_& m, const char* name, F f) {
  m.def(
      name,
      [f](handle x, handle y) {
        return composed({x, y}, [&](Expressions e) { return f(e[0], e[1]); });
      },
      "x"_a.none(), "y"_a.none());
}

void add_activations(nb::module_& m) {
  def_unary(m, "relu", nn::relu);
  def_unary(m, "relu6", nn::relu6);
  def_unary(m, "selu", nn::selu);
  def_unary(m, "gelu", [](const Expr& x) { return nn::gelu(x); });
  def_unary(m, "gelu_tanh", [](const Expr& x) { return nn::gelu(x, nn::Gelu::tanh); });
  def_unary(m, "silu", nn::silu);
  def_unary(m, "mish", nn::mish);
  def_unary(m, "log_sigmoid", nn::log_sigmoid);
  def_unary(m, "softsign", nn::softsign);
  def_unary(m, "hard_swish", nn::hard_swish);
  def_binary(m, "leaky_relu", nn::leaky_relu);
  def_binary(m, "elu", nn::elu);
  def_binary(m, "celu", nn::celu);
  def_binary(m, "hard_sigmoid", nn::hard_sigmoid);
  def_binary(m, "hard_shrink", nn::hard_shrink);
  def_binary(m, "soft_shrink", nn::soft_shrink);
  m.def("hard_tanh", [](handle x, handle low, handle high) {
    return composed({x, low, high}, [](Expressions e) { return nn::hard_tanh(e[0], e[1], e[2]); });
  });
  m.def("prelu", [](handle x, handle slopes, std::int64_t axis) {
    return composed({x, slopes}, [&](Expressions e) { return nn::prelu(e[0], e[1], axis); });
  });
  m.def("glu", [](handle x, std::int64_t axis) {
    return composed({x}, [&](Expressions e) { return nn::glu(e[0], axis); });
  });
}

// ----------------------------------------------------------------------------------------- losses

// A loss of two operands: (x, y, reduction).
template <class F>
void loss(nb::module_& m, const char* name, F f) {
  m.def(
      name,
      [f](handle x, handle y, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({x, y}, [&](Expressions e) { return f(e[0], e[1], how); });
      },
      "x"_a.none(), "y"_a.none(), "reduction"_a.none());
}

// Of three: (x, y, z, reduction).
template <class F>
void loss_of_three(nb::module_& m, const char* name, F f) {
  m.def(
      name,
      [f](handle x, handle y, handle z, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({x, y, z}, [&](Expressions e) { return f(e[0], e[1], e[2], how); });
      },
      "x"_a.none(), "y"_a.none(), "z"_a.none(), "reduction"_a.none());
}

void add_losses(nb::module_& m) {
  loss(m, "mse_loss", nn::mse_loss);
  loss(m, "l1_loss", nn::l1_loss);
  loss(m, "log_cosh_loss", nn::log_cosh_loss);
  loss(m, "binary_cross_entropy", nn::binary_cross_entropy);
  loss(m, "soft_margin_loss", nn::soft_margin_loss);
  loss_of_three(m, "huber_loss", nn::huber_loss);
  loss_of_three(m, "smooth_l1_loss", nn::smooth_l1_loss);
  loss_of_three(m, "hinge_embedding_loss", nn::hinge_embedding_loss);
  loss_of_three(m, "binary_cross_entropy_with_logits",
                [](const Expr& x, const Expr& t, const Expr& weight, nn::Reduction how) {
                  const auto given = weight.defined() ? std::optional<Arg>(weight) : std::nullopt;
                  return nn::binary_cross_entropy_with_logits(x, t, given, how);
                });
  m.def(
      "gaussian_nll_loss",
      [](handle x, handle t, handle var, bool full, double epsilon, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({x, t, var}, [&](Expressions e) {
          return nn::gaussian_nll_loss(e[0], e[1], e[2], full, epsilon, how);
        });
      },
      "x"_a, "targets"_a, "var"_a, "full"_a, "epsilon"_a, "reduction"_a.none());
  m.def(
      "poisson_nll_loss",
      [](handle x, handle t, bool log_input, bool full, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({x, t}, [&](Expressions e) {
          return nn::poisson_nll_loss(e[0], e[1], log_input, full, how);
        });
      },
      "x"_a, "targets"_a, "log_input"_a, "full"_a, "reduction"_a.none());
  m.def(
      "kl_div",
      [](handle logs, handle p, bool log_targets, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({logs, p},
                        [&](Expressions e) { return nn::kl_div(e[0], e[1], log_targets, how); });
      },
      "logs"_a, "p"_a, "log_targets"_a, "reduction"_a.none());
  m.def(
      "hinge_loss",
      [](handle x, handle t, bool squared, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({x, t},
                        [&](Expressions e) { return nn::hinge_loss(e[0], e[1], squared, how); });
      },
      "x"_a, "t"_a, "squared"_a, "reduction"_a.none());
  m.def(
      "multi_margin_loss",
      [](handle x, handle labels, handle margin, std::int64_t axis, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({x, labels, margin}, [&](Expressions e) {
          return nn::multi_margin_loss(e[0], e[1], e[2], axis, how);
        });
      },
      "x"_a, "labels"_a, "margin"_a, "axis"_a, "reduction"_a.none());
  const auto of_four = [&](const char* name, auto f) {
    m.def(
        name,
        [f](handle a, handle b, handle c, handle margin, handle reduction) {
          const nn::Reduction how = reduction_of(reduction);
          return composed({a, b, c, margin},
                          [&](Expressions e) { return f(e[0], e[1], e[2], e[3], how); });
        },
        "a"_a, "b"_a, "c"_a, "margin"_a, "reduction"_a.none());
  };
  of_four("margin_ranking_loss", nn::margin_ranking_loss);
  of_four("cosine_embedding_loss", nn::cosine_embedding_loss);
  m.def(
      "triplet_margin_loss",
      [](handle a, handle p, handle n, handle margin, double order, handle reduction) {
        const nn::Reduction how = reduction_of(reduction);
        return composed({a, p, n, margin}, [&](Expressions e) {
          return nn::triplet_margin_loss(e[0], e[1], e[2], e[3], order, how);
        });
      },
      "anchor"_a, "positive"_a, "negative"_a, "margin"_a, "order"_a, "reduction"_a.none());
  m.def("cosine_similarity", [](handle x, handle y, std::int64_t axis, double epsilon) {
    return composed(
        {x, y}, [&](Expressions e) { return nn::cosine_similarity(e[0], e[1], axis, epsilon); });
  });
}

void add_class_losses(nb::module_& m) {
  const auto of_classes = [&](const char* name, auto f) {
    m.def(
        name,
        [f](handle x, handle labels, handle weights, std::int64_t axis,
            std::optional<std::int64_t> ignore, double smoothing, handle reduction) {
          nn::ClassOptions options{axis, {}, ignore, smoothing, reduction_of(reduction)};
          return composed({x, labels, weights}, [&](Expressions e) {
            nn::ClassOptions chosen = options;
            if (e[2].defined()) chosen.weights = e[2];
            return f(e[0], e[1], chosen);
          });
        },
        "x"_a, "labels"_a, "weights"_a.none(), "axis"_a, "ignore"_a.none(), "smoothing"_a,
        "reduction"_a.none());
  };
  of_classes("cross_entropy", nn::cross_entropy);
  of_classes("nll_loss", nn::nll_loss);
  m.def(
      "hierarchical_log_softmax",
      [](handle x, handle w1, handle b1, handle w2, handle b2, handle labels) {
        return composed({x, w1, b1, w2, b2, labels}, [](Expressions e) {
          return e[5].defined() ? nn::hierarchical_log_softmax(e[0], e[1], e[2], e[3], e[4], e[5])
                                : nn::hierarchical_log_softmax(e[0], e[1], e[2], e[3], e[4]);
        });
      },
      "x"_a, "w1"_a, "b1"_a, "w2"_a, "b2"_a, "labels"_a.none());
  m.def(
      "ctc_loss",
      [](handle logits, handle labels, handle steps, handle counts, std::int64_t blank,
         bool zero_infinity, handle reduction) {
        const nn::CtcOptions options{blank, zero_infinity, reduction_of(reduction)};
        return composed({logits, labels, steps, counts}, [&](Expressions e) {
          return nn::ctc_loss(e[0], e[1], e[2], e[3], options);
        });
      },
      "logits"_a, "labels"_a, "steps"_a, "counts"_a, "blank"_a, "zero_infinity"_a,
      "reduction"_a.none());
  m.def("confusion_matrix", [](handle actual, handle predicted, handle classes) {
    const Dim n = to_dim(classes);
    const nb::object labels = n.is_constant() ? nb::borrow(actual) : wrap(expression(actual));
    return composed({labels, predicted},
                    [&](Expressions e) { return nn::confusion_matrix(e[0], e[1], n); });
  });
}

// ------------------------------------------------------------------------------- normalisation

void add_normalization(nb::module_& m) {
  m.def(
      "batch_norm",
      [](handle x, handle mean, handle var, handle weight, handle bias, handle axes,
         double epsilon) {
        const IntList list = to_ints(axes);
        return composed({x, mean, var, weight, bias}, [&](Expressions e) {
          return nn::batch_norm(e[0], e[1], e[2], {e[3], e[4]}, list, epsilon);
        });
      },
      "x"_a, "mean"_a, "var"_a, "weight"_a.none(), "bias"_a.none(), "axes"_a, "epsilon"_a);
  m.def(
      "batch_norm_train",
      [](handle x, handle mean, handle var, handle weight, handle bias, handle momentum,
         handle axes, double epsilon) {
        const IntList list = to_ints(axes);
        return composed_all({x, mean, var, weight, bias, momentum}, [&](Expressions e) {
          const nn::BatchNorm b =
              nn::batch_norm_train(e[0], e[1], e[2], {e[3], e[4]}, list, e[5], epsilon);
          return std::vector<Expr>{b.y, b.mean, b.var};
        });
      },
      "x"_a, "mean"_a.none(), "var"_a.none(), "weight"_a.none(), "bias"_a.none(), "momentum"_a,
      "axes"_a, "epsilon"_a);
  m.def(
      "layer_norm",
      [](handle x, handle weight, handle bias, handle axes, double epsilon) {
        const IntList list = to_ints(axes);
        return composed({x, weight, bias}, [&](Expressions e) {
          return nn::layer_norm(e[0], {e[1], e[2]}, list, epsilon);
        });
      },
      "x"_a, "weight"_a.none(), "bias"_a.none(), "axes"_a, "epsilon"_a);
  m.def(
      "rms_norm",
      [](handle x, handle weight, handle axes, double epsilon) {
        const IntList list = to_ints(axes);
        return composed({x, weight},
                        [&](Expressions e) { return nn::rms_norm(e[0], e[1], list, epsilon); });
      },
      "x"_a, "weight"_a.none(), "axes"_a, "epsilon"_a);
  m.def(
      "group_norm",
      [](handle x, std::int64_t groups, handle weight, handle bias, double epsilon) {
        return composed({x, weight, bias}, [&](Expressions e) {
          return nn::group_norm(e[0], groups, {e[1], e[2]}, epsilon);
        });
      },
      "x"_a, "groups"_a, "weight"_a.none(), "bias"_a.none(), "epsilon"_a);
  m.def(
      "instance_norm",
      [](handle x, handle weight, handle bias, double epsilon) {
        return composed({x, weight, bias}, [&](Expressions e) {
          return nn::instance_norm(e[0], {e[1], e[2]}, epsilon);
        });
      },
      "x"_a, "weight"_a.none(), "bias"_a.none(), "epsilon"_a);
  m.def("normalize", [](handle x, double order, std::int64_t axis, double epsilon) {
    return composed({x}, [&](Expressions e) { return nn::normalize(e[0], order, axis, epsilon); });
  });
  m.def("local_response_norm",
        [](handle x, std::int64_t size, double alpha, double beta, double k) {
          return composed({x}, [&](Expressions e) {
            return nn::local_response_norm(e[0], size, alpha, beta, k);
          });
        });
}

// ----------------------------------------------------------------------------------------- layers

void add_layers(nb::module_& m) {
  m.def(
      "linear",
      [](handle x, handle weight, handle bias) {
        return composed({x, weight, bias},
                        [](Expressions e) { return nn::linear(e[0], e[1], e[2]); });
      },
      "x"_a, "weight"_a, "bias"_a.none());
  m.def(
      "bilinear",
      [](handle x1, handle x2, handle weight, handle bias) {
        return composed({x1, x2, weight, bias},
                        [](Expressions e) { return nn::bilinear(e[0], e[1], e[2], e[3]); });
      },
      "x1"_a, "x2"_a, "weight"_a, "bias"_a.none());
  m.def("sparse_block_dot",
        [](handle weight, handle x, handle inputs, handle bias, handle outputs) {
          return composed({weight, x, inputs, bias, outputs}, [](Expressions e) {
            return nn::sparse_block_dot(e[0], e[1], e[2], e[3], e[4]);
          });
        });
  m.def(
      "embedding",
      [](handle indices, handle table, std::optional<std::int64_t> padding) {
        return composed({indices, table},
                        [&](Expressions e) { return nn::embedding(e[0], e[1], padding); });
      },
      "indices"_a, "table"_a, "padding"_a.none());
  m.def(
      "attention",
      [](handle query, handle key, handle value, handle mask, bool causal,
         std::optional<double> scale) {
        return composed({query, key, value, mask}, [&](Expressions e) {
          return nn::scaled_dot_product_attention(e[0], e[1], e[2], {e[3], causal, scale});
        });
      },
      "query"_a, "key"_a, "value"_a, "mask"_a.none(), "causal"_a, "scale"_a.none());
  m.def(
      "dropout",
      [](handle state, handle x, handle p, handle axes) {
        std::optional<IntList> list;
        if (!axes.is_none()) list = to_ints(axes);
        return composed({state, x, p},
                        [&](Expressions e) { return nn::dropout(e[0], e[1], e[2], list); });
      },
      "state"_a, "x"_a, "p"_a, "axes"_a.none());
}

}  // namespace

void add_networks(nb::module_& m) {
  nb::module_ networks = m.def_submodule("nn", "What gnomon.nn is made of.");
  add_activations(networks);
  add_losses(networks);
  add_class_losses(networks);
  add_normalization(networks);
  add_layers(networks);
  add_images(networks);
}

}  // namespace gnomon::python
