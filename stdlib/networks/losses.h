// Losses: how far predictions are from what they should be. Integers become float64.
#pragma once

#include <optional>

#include "ir/graph/expr.h"

namespace gnomon::nn {

/// What becomes of the losses of all elements: their mean, their sum, nothing, or their sum divided
/// by the extent of the first axis.
enum class Reduction : std::uint8_t { mean, sum, none, batch_mean };

// ------------------------------------------------------------------------------- of real numbers

/// (x - targets)^2.
Expr mse_loss(const Arg& x, const Arg& targets, Reduction reduction = Reduction::mean);
/// |x - targets|.
Expr l1_loss(const Arg& x, const Arg& targets, Reduction reduction = Reduction::mean);
/// d^2 / 2 for d = |x - targets| up to delta, beyond it delta (d - delta / 2) (Huber 1964).
Expr huber_loss(const Arg& x, const Arg& targets, const Arg& delta = 1.0,
                Reduction reduction = Reduction::mean);
/// huber_loss divided by its delta, beta: |x - targets| - beta / 2 beyond beta (Girshick 2015).
Expr smooth_l1_loss(const Arg& x, const Arg& targets, const Arg& beta = 1.0,
                    Reduction reduction = Reduction::mean);
/// log(cosh(x - targets)), without overflow.
Expr log_cosh_loss(const Arg& x, const Arg& targets, Reduction reduction = Reduction::mean);
/// -log of the density of targets under a normal distribution of mean x and variance var, which
/// counts as at least epsilon; with log(2 pi) / 2 only if `full`.
Expr gaussian_nll_loss(const Arg& x, const Arg& targets, const Arg& var, bool full = false,
                       double epsilon = 1e-6, Reduction reduction = Reduction::mean);
/// -log of the probability of the counts `targets` under a Poisson distribution of rate x, or of
/// rate e^x if `log_input`; with log(targets!) only if `full`.
Expr poisson_nll_loss(const Arg& x, const Arg& targets, bool log_input = true, bool full = false,
                      Reduction reduction = Reduction::mean);

// -------------------------------------------------------------------------------- of probabilities

/// -(t log(p) + (1 - t) log(1 - p)); 0 log(0) is 0.
Expr binary_cross_entropy(const Arg& p, const Arg& t, Reduction reduction = Reduction::mean);
/// binary_cross_entropy(sigmoid(logits), t) without overflow or cancellation; the part of t counts
/// `pos_weight` times.
Expr binary_cross_entropy_with_logits(const Arg& logits, const Arg& t,
                                      const std::optional<Arg>& pos_weight = {},
                                      Reduction reduction = Reduction::mean);

/// How classes count in `cross_entropy` and `nll_loss`.
struct ClassOptions {
  /// Of the classes.
  std::int64_t axis = -1;
  /// Of each class; means are divided by the sum of those of the labels.
  std::optional<Expr> weights = {};
  /// A label that does not count.
  std::optional<std::int64_t> ignore = {};
  /// The part of each label that goes to all classes alike.
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;  ///< of the losses
};
/// -log of the probability that softmax(logits) gives to the labels: integers, of the shape of
/// logits without `axis` (negative ones count from the end), or probabilities of all classes,
/// floats of the shape of logits. Means over labels of which none counts are NaN.
Expr cross_entropy(const Arg& logits, const Arg& labels, const ClassOptions& options = {});
/// The same of logarithms of probabilities, as they are. ValueError: smoothing.
Expr nll_loss(const Arg& logs, const Arg& labels, const ClassOptions& options = {});
/// The divergence p (log(p) - logs) of Kullback and Leibler (1951) from a distribution with the
/// logarithms `logs`; 0 where p is 0. `log_targets`: log(p) is given instead of p.
Expr kl_div(const Arg& logs, const Arg& p, bool log_targets = false,
            Reduction reduction = Reduction::mean);

/// The probabilities of a hierarchical softmax of two levels (Goodman 2001): output k is number
/// k % m of class k / m and has probability softmax(x w1 + b1)[k / m] softmax(x w2[k / m] +
/// b2[k / m])[k % m]. x[n, f], w1[f, c], b1[c], w2[c, f, m], b2[c, m] give [n, c m]. The logarithms
/// of these probabilities.
Expr hierarchical_log_softmax(const Arg& x, const Arg& w1, const Arg& b1, const Arg& w2,
                              const Arg& b2);
/// The same at one output for each row of x: `labels`, integers[n], give [n]. Only the classes of
/// the labels are computed.
Expr hierarchical_log_softmax(const Arg& x, const Arg& w1, const Arg& b1, const Arg& w2,
                              const Arg& b2, const Arg& labels);

/// How `ctc_loss` counts.
struct CtcOptions {
  std::int64_t blank = 0;                 ///< the class that stands for none
  bool zero_infinity = false;             ///< 0 where no alignment is possible
  Reduction reduction = Reduction::mean;  ///< of losses divided by numbers of labels, at least 1
};
/// -log of the probability of a sequence of labels, summed over all ways to align it with the steps
/// of time (Graves et al. 2006): logits[t, n, classes], whose softmax gives the probabilities;
/// labels[n, s], integers; the number of steps and of labels of each sequence, integers[n].
/// Infinite where no alignment is possible, or 0 if `zero_infinity`.
Expr ctc_loss(const Arg& logits, const Arg& labels, const Arg& input_lengths,
              const Arg& label_lengths, const CtcOptions& options = {});

// --------------------------------------------------------------------------- of margins and angles

/// max(0, 1 - t x) of scores x and signs t, squared if asked for.
Expr hinge_loss(const Arg& x, const Arg& t, bool squared = false,
                Reduction reduction = Reduction::mean);
/// log(1 + e^(-t x)) of scores x and signs t.
Expr soft_margin_loss(const Arg& x, const Arg& t, Reduction reduction = Reduction::mean);
/// The mean over the classes on `axis` but the label's of max(0, margin - x[label] + x[class]);
/// a part 1 / classes of their sum, as is usual.
Expr multi_margin_loss(const Arg& x, const Arg& labels, const Arg& margin = 1.0,
                       std::int64_t axis = -1, Reduction reduction = Reduction::mean);
/// max(0, margin - t (x1 - x2)).
Expr margin_ranking_loss(const Arg& x1, const Arg& x2, const Arg& t, const Arg& margin = 0.0,
                         Reduction reduction = Reduction::mean);
/// x where t is 1, max(0, margin - x) where it is -1: of distances x.
Expr hinge_embedding_loss(const Arg& x, const Arg& t, const Arg& margin = 1.0,
                          Reduction reduction = Reduction::mean);
/// 1 - cos where t is 1, max(0, cos - margin) where it is -1, with the angles between the vectors
/// on the last axis.
Expr cosine_embedding_loss(const Arg& x1, const Arg& x2, const Arg& t, const Arg& margin = 0.0,
                           Reduction reduction = Reduction::mean);
/// max(0, |anchor - positive| - |anchor - negative| + margin) with norms of the given order on the
/// last axis (Schroff, Kalenichenko and Philbin 2015).
Expr triplet_margin_loss(const Arg& anchor, const Arg& positive, const Arg& negative,
                         const Arg& margin = 1.0, double order = 2,
                         Reduction reduction = Reduction::mean);
/// x1 . x2 / (|x1| |x2|) of vectors along an axis, norms below epsilon counting as epsilon.
Expr cosine_similarity(const Arg& x1, const Arg& x2, std::int64_t axis = -1, double epsilon = 1e-8);

/// How often each label was predicted as each: int64[classes, classes], rows by the actual labels.
/// ValueError for labels outside, TypeError unless they are integers.
Expr confusion_matrix(const Arg& actual, const Arg& predicted, const Dim& classes);

}  // namespace gnomon::nn
