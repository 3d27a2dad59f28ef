// Losses of classes: cross entropies, margins between classes, hierarchical softmax.
#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/networks/losses.h"
#include "stdlib/networks/losses_reduction.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

namespace {

Expr integer_labels(const Arg& labels, std::string_view what) {
  const Expr v(labels.value());
  if (!is_integer(v.dtype()))
    throw TypeError(
        fmt::format("{}: expected integer labels, found {}", what, describe(v.value())));
  return v;
}

// Labels that are indices of classes.
Expr class_labels(const Arg& labels, std::string_view what) {
  return as_indices(
      integer_labels(labels, what),
      fmt::format("{}: label {{value}}, but there are {{bound}} classes (position {{index}})",
                  what));
}

// What of `x` belongs to the class that each label names: `labels` has x's shape without `axis`.
Expr at_labels(const Expr& x, const Expr& labels, std::int64_t axis) {
  return squeeze(take_along_axis(x, expand_dims(labels, axis), axis), axis);
}

// One number for each class, where x has the classes on `axis`.
Expr weights_along(const Expr& weights, const Expr& x, std::int64_t axis) {
  Shape shape(x.shape().size(), Dim(1));
  shape[static_cast<std::size_t>(axis)] = x.shape()[static_cast<std::size_t>(axis)];
  return reshape(weights, shape);
}

// The losses of one function of class labels.
class ClassLosses {
 public:
  /// `of` is what the user gave, `logs` are its logarithms of probabilities.
  ClassLosses(std::string_view name, const Expr& of, const Expr& logs, const ClassOptions& options)
      : name_(name),
        of_(of),
        logs_(logs),
        axis_(normalize_axis(options.axis, logs.rank(), name)),
        options_(options) {
    if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
      throw ValueError(fmt::format("{}: expected label_smoothing between 0 and 1, found {}", name,
                                   options.label_smoothing));
    if (!options.weights) return;
    weights_ = cast(*options.weights, logs.dtype());
    if (weights_.rank() != 1)
      throw ValueError(fmt::format("{}: expected a weight for each class, found {}", name,
                                   describe(weights_.value())));
  }

  Expr of_labels(const Arg& given) const {
    Expr labels = class_labels(given, name_);
    Expr counts;
    if (options_.ignore) {
      counts = not_equal(labels, *options_.ignore);
      labels = where(counts, labels, 0);
    }
    Expr losses = -at_labels(logs_, labels, axis_);
    Expr weight;
    if (weights_.defined()) {
      weight = take(weights_, labels);
      losses = losses * weight;
    }
    if (options_.label_smoothing != 0) losses = smoothed(losses);
    if (counts.defined()) {
      losses = where(counts, losses, 0);
      weight = weight.defined() ? where(counts, weight, 0) : cast(counts, logs_.dtype());
    }
    if (weight.defined() && options_.reduction == Reduction::mean) return sum(losses) / sum(weight);
    return reduced(losses, options_.reduction);
  }

  Expr of_probabilities(const Expr& given) const {
    if (options_.ignore)
      throw TypeError(
          fmt::format("{}: expected integer labels, of which one can be ignored, found {}", name_,
                      describe(given.value())));
    const std::string text = fmt::format(
        "{}: expected classes (integers) or probabilities (floats of the shape of {}), "
        "found {}",
        name_, describe(of_.value()), describe(given.value()));
    if (given.rank() != logs_.rank()) throw TypeError(text);
    Expr p = cast(shaped(given, of_.shape(), text), logs_.dtype());
    const double s = options_.label_smoothing;
    if (s != 0) p = (1 - s) * p + s / classes();
    Expr losses = where(equal(p, 0), 0, -(p * logs_));
    if (weights_.defined()) losses = losses * weights_along(weights_, logs_, axis_);
    return reduced(sum(losses, axis_), options_.reduction);
  }

 private:
  Expr classes() const {
    return count_of({{logs_.shape()[static_cast<std::size_t>(axis_)]}}, logs_.dtype());
  }
  Expr smoothed(const Expr& losses) const {
    const double s = options_.label_smoothing;
    const Expr all = weights_.defined() ? logs_ * weights_along(weights_, logs_, axis_) : logs_;
    return (1 - s) * losses - s / classes() * sum(all, axis_);
  }

  std::string_view name_;
  Expr of_, logs_;
  std::int64_t axis_;
  const ClassOptions& options_;
  Expr weights_;
};

}  // namespace

Expr cross_entropy(const Arg& logits, const Arg& labels, const ClassOptions& options) {
  const CallScope call("cross_entropy", logits.origin());
  const Expr x = as_floats(logits), t(labels.value());
  const ClassLosses losses("cross_entropy", x, log_softmax(x, options.axis), options);
  return is_float(t.dtype()) ? losses.of_probabilities(t) : losses.of_labels(t);
}

Expr nll_loss(const Arg& logs, const Arg& labels, const ClassOptions& options) {
  const CallScope call("nll_loss", logs.origin());
  if (options.label_smoothing != 0)
    throw ValueError("nll_loss: expected no label smoothing, which needs a softmax");
  const Expr x = as_floats(logs);
  return ClassLosses("nll_loss", x, x, options).of_labels(labels);
}

Expr multi_margin_loss(const Arg& x, const Arg& labels, const Arg& margin, std::int64_t axis,
                       Reduction reduction) {
  const CallScope call("multi_margin_loss", x.origin());
  const Expr scores = as_floats(x);
  const std::int64_t at = normalize_axis(axis, scores.rank(), "multi_margin_loss");
  const Expr target = expand_dims(class_labels(labels, "multi_margin_loss"), at);
  const Expr own = take_along_axis(scores, target, at);
  const Expr gaps = margin - own + scores;
  const Expr is_other = not_equal(places_along(scores, at), target);
  const Expr losses = where(logical_and(is_other, logical_not(less_equal(gaps, 0))), gaps, 0);
  return reduced(mean(losses, at), reduction);
}

// ---------------------------------------------------------------------------- hierarchical softmax

namespace {

struct Hierarchy {
  Expr x, w1, b1, w2, b2;
  Hierarchy(const Arg& x_, const Arg& w1_, const Arg& b1_, const Arg& w2_, const Arg& b2_)
      : x(as_floats(x_)),
        w1(as_floats(w1_)),
        b1(as_floats(b1_)),
        w2(as_floats(w2_)),
        b2(as_floats(b2_)) {
    if (x.rank() == 2 && w1.rank() == 2 && b1.rank() == 1 && w2.rank() == 3 && b2.rank() == 2)
      return;
    throw ValueError(
        fmt::format("hierarchical_log_softmax: expected x[n, f], w1[f, c], b1[c], w2[c, f, m] and "
                    "b2[c, m], found {}, {}, {}, {} and {}",
                    describe(x.value()), describe(w1.value()), describe(b1.value()),
                    describe(w2.value()), describe(b2.value())));
  }
  Expr of_classes() const { return log_softmax(matmul(x, w1) + b1); }
};

}  // namespace

Expr hierarchical_log_softmax(const Arg& x, const Arg& w1, const Arg& b1, const Arg& w2,
                              const Arg& b2) {
  const CallScope call("hierarchical_log_softmax", x.origin());
  const Hierarchy h(x, w1, b1, w2, b2);
  const Expr scores = transpose(matmul(expand_dims(h.x, 0), h.w2), {1, 0, 2}) + h.b2;
  const Expr all = expand_dims(h.of_classes(), 2) + log_softmax(scores);
  return reshape(all, {h.x.dim(0), h.w2.dim(0) * h.w2.dim(2)});
}

Expr hierarchical_log_softmax(const Arg& x, const Arg& w1, const Arg& b1, const Arg& w2,
                              const Arg& b2, const Arg& labels) {
  const CallScope call("hierarchical_log_softmax", x.origin());
  const Hierarchy h(x, w1, b1, w2, b2);
  const Expr target = cast(integer_labels(labels, "hierarchical_log_softmax"), DType::int64);
  const Expr size = extent(h.w2.dim(2));
  const Expr group = floor_divide(target, size), inside = remainder(target, size);
  const Expr scores =
      squeeze(matmul(expand_dims(h.x, 1), take(h.w2, group)), 1) + take(h.b2, group);
  return at_labels(h.of_classes(), group, 1) + at_labels(log_softmax(scores), inside, 1);
}

// ---------------------------------------------------------------------------------------- counting

Expr confusion_matrix(const Arg& actual, const Arg& predicted, const Dim& classes) {
  const CallScope call("confusion_matrix", actual.origin());
  const Expr n = extent(classes);
  const auto checked = [&](const Arg& given) {
    const Expr labels = cast(integer_labels(given, "confusion_matrix"), DType::int64);
    return check(labels, logical_and(greater_equal(labels, 0), less(labels, n)),
                 "confusion_matrix: expected labels from 0 to classes - 1");
  };
  const Expr pairs = checked(actual) * n + checked(predicted);
  const Expr flat = reshape(pairs, {Dim(-1)});
  return reshape(bincount(flat, classes * classes), {classes, classes});
}

}  // namespace gnomon::nn
