"""Losses: how far predictions are from what they should be.

`reduction` is "mean", "sum", "none" (None, the losses themselves) or "batchmean" (the sum divided
by the first extent). Integers are taken as float64. TypeError for labels that are no integers.
"""

from __future__ import annotations

from .. import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core import Dim
    from ..typing import Operand, Tensor

_nn = _core.nn


# ------------------------------------------------------------------------------- of real numbers


def mse_loss(x: Operand, targets: Operand, /, *, reduction: str | None = "mean") -> Tensor:
    """(x - targets)**2, reduced to the mean.

    `reduction`: "mean", "sum", "batchmean" (the sum divided by the first extent), or "none" for the
    losses themselves. Integers are taken as float64.

    >>> print(gn.nn.mse_loss([1, 2], [1, 4]), gn.nn.mse_loss([1, 2], [1, 4], reduction="none"))
    2.0 [0. 4.]
    """
    return _nn.mse_loss(x, targets, reduction)


def l1_loss(x: Operand, targets: Operand, /, *, reduction: str | None = "mean") -> Tensor:
    """abs(x - targets).

    >>> print(gn.nn.l1_loss([1, 2], [1, 4]), gn.nn.l1_loss([1, 2], [1, 4], reduction="sum"))
    1.0 2.0
    """
    return _nn.l1_loss(x, targets, reduction)


def huber_loss(
    x: Operand, targets: Operand, /, delta: Operand = 1.0, *, reduction: str | None = "mean"
) -> Tensor:
    """d**2 / 2 for d = abs(x - targets) up to delta, beyond it delta * (d - delta / 2).

    >>> print(gn.nn.huber_loss([0.5, 3], [0, 0], reduction="none"))
    [0.125 2.5  ]
    """
    return _nn.huber_loss(x, targets, delta, reduction)


def smooth_l1_loss(
    x: Operand, targets: Operand, /, beta: Operand = 1.0, *, reduction: str | None = "mean"
) -> Tensor:
    """d**2 / (2 * beta) for d = abs(x - targets) below beta, else d - beta / 2.

    >>> print(gn.nn.smooth_l1_loss([0.5, 3], [0, 0], 2.0, reduction="none"))
    [0.0625 2.    ]
    """
    return _nn.smooth_l1_loss(x, targets, beta, reduction)


def log_cosh_loss(x: Operand, targets: Operand, /, *, reduction: str | None = "mean") -> Tensor:
    """log(cosh(x - targets)), without overflow or cancellation.

    >>> print(gn.nn.log_cosh_loss([1000], [0]).round(4))
    999.3069
    >>> print(f"{gn.nn.log_cosh_loss([1e-10], [0]):.1e}", gn.log(gn.cosh(1e-10)))
    5.0e-21 0.0
    """
    return _nn.log_cosh_loss(x, targets, reduction)


def gaussian_nll_loss(
    x: Operand,
    targets: Operand,
    var: Operand,
    /,
    *,
    full: bool = False,
    epsilon: float = 1e-6,
    reduction: str | None = "mean",
) -> Tensor:
    """-log of the density of targets under a normal distribution of mean x and variance var.

    (log(v) + (x - targets)**2 / v) / 2 with v = max(var, epsilon), and log(2 * pi) / 2 if `full`.

    >>> print(gn.nn.gaussian_nll_loss([0], [2], [4]).round(4), ((gn.log(4) + 1) / 2).round(4))
    1.1931 1.1931
    """
    return _nn.gaussian_nll_loss(x, targets, var, full, epsilon, reduction)


def poisson_nll_loss(
    x: Operand,
    targets: Operand,
    /,
    *,
    log_input: bool = True,
    full: bool = False,
    reduction: str | None = "mean",
) -> Tensor:
    """-log of the probability of the counts `targets` under a Poisson distribution of rate exp(x).

    exp(x) - targets * x; with `log_input=False`, x is the rate: x - targets * log(x), where
    0 * log(0) is 0. With log(targets!) only if `full`.

    >>> print(gn.nn.poisson_nll_loss([0], [3]), gn.nn.poisson_nll_loss([2], [0], log_input=False))
    1.0 2.0
    """
    return _nn.poisson_nll_loss(x, targets, log_input, full, reduction)


# -------------------------------------------------------------------------------- of probabilities


def binary_cross_entropy(
    probabilities: Operand, targets: Operand, /, *, reduction: str | None = "mean"
) -> Tensor:
    """-(t * log(p) + (1 - t) * log(1 - p)); 0 * log(0) is 0.

    >>> print(gn.nn.binary_cross_entropy([0.5, 1], [1, 1]).round(4), (gn.log(2) / 2).round(4))
    0.3466 0.3466
    """
    return _nn.binary_cross_entropy(probabilities, targets, reduction)


def binary_cross_entropy_with_logits(
    logits: Operand,
    targets: Operand,
    /,
    *,
    pos_weight: Operand | None = None,
    reduction: str | None = "mean",
) -> Tensor:
    """binary_cross_entropy(sigmoid(logits), targets), without overflow or cancellation.

    The part of the loss that belongs to the targets counts `pos_weight` times.

    >>> print(gn.nn.binary_cross_entropy_with_logits([-1000], [1]))
    1000.0
    >>> print(gn.nn.binary_cross_entropy(gn.sigmoid([-1000]), [1]))
    inf
    """
    return _nn.binary_cross_entropy_with_logits(logits, targets, pos_weight, reduction)


def cross_entropy(
    logits: Operand,
    labels: Operand,
    /,
    *,
    weight: Operand | None = None,
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    axis: int = -1,
    reduction: str | None = "mean",
) -> Tensor:
    """-log of the probability that softmax(logits) gives to the labels, without overflow.

    `labels` are classes (integers, of the shape of logits without `axis`; negative ones count from
    the end) or probabilities (floats, of the shape of logits). `weight` has a number for each
    class; means of integer labels are then divided by the sum of the weights of the labels. Labels
    equal to `ignore_index` do not count; a mean over none is NaN. `label_smoothing` is the part of
    each label that goes to all classes alike.

    >>> logits, labels = [[0, 1000], [0, 0]], [0, 1]
    >>> print(gn.nn.cross_entropy(logits, labels, reduction="none").round(4).tolist())
    [1000.0, 0.6931]
    >>> print(gn.nn.cross_entropy(logits, labels, ignore_index=0).round(4))
    0.6931
    """
    return _nn.cross_entropy(logits, labels, weight, axis, ignore_index, label_smoothing, reduction)


def nll_loss(
    logs: Operand,
    labels: Operand,
    /,
    *,
    weight: Operand | None = None,
    ignore_index: int | None = None,
    axis: int = -1,
    reduction: str | None = "mean",
) -> Tensor:
    """-logs at the labels: `cross_entropy` of logarithms of probabilities, for integer labels.

    >>> logs = gn.log([[0.5, 0.5], [0.25, 0.75]])
    >>> print(gn.nn.nll_loss(logs, [0, 0], reduction="none").round(4))
    [0.6931 1.3863]
    """
    return _nn.nll_loss(logs, labels, weight, axis, ignore_index, 0.0, reduction)


def kl_div(
    logs: Operand,
    targets: Operand,
    /,
    *,
    log_target: bool = False,
    reduction: str | None = "mean",
) -> Tensor:
    """The Kullback-Leibler divergence of targets p from a distribution with logarithms `logs`.

    p * (log(p) - logs), and 0 where p is 0. `log_target`: log(p) is given in the place of p.
    "batchmean" makes it the divergence of each row, averaged.

    >>> logs = gn.log([[0.5, 0.5], [0.25, 0.75]])
    >>> print(gn.nn.kl_div(logs, [[0.5, 0.5], [1, 0]], reduction="none").round(4))
    [[0.     0.    ]
     [1.3863 0.    ]]
    """
    return _nn.kl_div(logs, targets, log_target, reduction)


def hierarchical_log_softmax(
    x: Operand,
    w1: Operand,
    b1: Operand,
    w2: Operand,
    b2: Operand,
    /,
    labels: Operand | None = None,
) -> Tensor:
    """Logarithms of the probabilities of a softmax of two levels (Goodman 2001).

    Output k is number k % m of group k // m; its probability is softmax(x @ w1 + b1)[k // m] *
    softmax(x @ w2[k // m] + b2[k // m])[k % m]. Shapes: x [n, f], w1 [f, c], b1 [c], w2 [c, f, m],
    b2 [c, m]; [n, c * m]. With integer labels [n]: only those at the labels, [n], of which nothing
    but the groups of the labels is computed. `h_softmax` of Theano is the exponential.

    >>> x, w1, b1, w2, b2 = (np.zeros(s) for s in [(1, 4), (4, 2), 2, (2, 4, 3), (2, 3)])
    >>> print(gn.exp(gn.nn.hierarchical_log_softmax(x, w1, b1, w2, b2)).round(4))
    [[0.1667 0.1667 0.1667 0.1667 0.1667 0.1667]]
    """
    return _nn.hierarchical_log_softmax(x, w1, b1, w2, b2, labels)


def ctc_loss(
    logits: Operand,
    labels: Operand,
    input_lengths: Operand,
    label_lengths: Operand,
    /,
    *,
    blank: int = 0,
    zero_infinity: bool = False,
    reduction: str | None = "mean",
) -> Tensor:
    """-log of the probability of sequences of labels over all alignments (Graves et al. 2006).

    logits [t, n, classes]: their softmax, as that of logarithms of probabilities, gives the
    probabilities in each of t steps for n sequences. labels [n, s]: integers, of which the first
    `label_lengths` [n] count. The first `input_lengths` [n] steps count. `blank` is the class that
    stands for no label. Infinite where no alignment is possible, or, with a derivative of 0, 0 if
    `zero_infinity`. "mean" divides each loss by its number of labels, or 1, first.

    >>> logits = np.zeros((2, 1, 3))
    >>> print(gn.exp(-gn.nn.ctc_loss(logits, [[1]], [2], [1])).round(4))
    0.3333
    """
    return _nn.ctc_loss(
        logits, labels, input_lengths, label_lengths, blank, zero_infinity, reduction
    )


# --------------------------------------------------------------------------- of margins and angles


def hinge_loss(
    x: Operand, targets: Operand, /, *, squared: bool = False, reduction: str | None = "mean"
) -> Tensor:
    """max(0, 1 - t * x) of scores x and targets t of -1 and 1; squared if asked for.

    >>> print(gn.nn.hinge_loss([0.5, 2, 2], [1, 1, -1], reduction="none"))
    [0.5 0.  3. ]
    """
    return _nn.hinge_loss(x, targets, squared, reduction)


def soft_margin_loss(
    x: Operand, targets: Operand, /, *, reduction: str | None = "mean"
) -> Tensor:
    """log(1 + exp(-t * x)) of scores x and targets t of -1 and 1.

    >>> losses = gn.nn.soft_margin_loss([1000, 0, -1000], [1, 1, 1], reduction="none")
    >>> print(losses.round(4).tolist())
    [0.0, 0.6931, 1000.0]
    """
    return _nn.soft_margin_loss(x, targets, reduction)


def multi_margin_loss(
    x: Operand,
    labels: Operand,
    /,
    margin: Operand = 1.0,
    *,
    axis: int = -1,
    reduction: str | None = "mean",
) -> Tensor:
    """The sum over the other classes of max(0, margin - x[label] + x[class]) / classes.

    >>> print(gn.nn.multi_margin_loss([[1, 0.5, 3, -1]], [0]))
    0.875
    """
    return _nn.multi_margin_loss(x, labels, margin, axis, reduction)


def margin_ranking_loss(
    x1: Operand,
    x2: Operand,
    targets: Operand,
    /,
    margin: Operand = 0.0,
    *,
    reduction: str | None = "mean",
) -> Tensor:
    """max(0, margin - t * (x1 - x2)): t is 1 where x1 should be larger, -1 where x2 should.

    >>> print(gn.nn.margin_ranking_loss([1, 3], [3, 1], [1, 1], reduction="none"))
    [2. 0.]
    """
    return _nn.margin_ranking_loss(x1, x2, targets, margin, reduction)


def hinge_embedding_loss(
    x: Operand, targets: Operand, /, margin: Operand = 1.0, *, reduction: str | None = "mean"
) -> Tensor:
    """Of distances x: x where targets are 1, max(0, margin - x) where they are -1.

    >>> print(gn.nn.hinge_embedding_loss([0.25, 0.25], [1, -1], reduction="none"))
    [0.25 0.75]
    """
    return _nn.hinge_embedding_loss(x, targets, margin, reduction)


def cosine_embedding_loss(
    x1: Operand,
    x2: Operand,
    targets: Operand,
    /,
    margin: Operand = 0.0,
    *,
    reduction: str | None = "mean",
) -> Tensor:
    """1 - c where targets are 1, max(0, c - margin) where they are -1, c the cosine_similarity.

    >>> x, y = [[1, 0], [1, 0]], [[0, 1], [3, 4]]
    >>> print(gn.nn.cosine_embedding_loss(x, y, [1, -1], reduction="none").round(4))
    [1.  0.6]
    """
    return _nn.cosine_embedding_loss(x1, x2, targets, margin, reduction)


def triplet_margin_loss(
    anchor: Operand,
    positive: Operand,
    negative: Operand,
    /,
    margin: Operand = 1.0,
    *,
    p: float = 2.0,
    reduction: str | None = "mean",
) -> Tensor:
    """max(0, |anchor - positive| - |anchor - negative| + margin): p-norms of the last axis.

    >>> print(gn.nn.triplet_margin_loss([0, 0], [3, 4], [0, 1]))
    5.0
    """
    return _nn.triplet_margin_loss(anchor, positive, negative, margin, p, reduction)


def cosine_similarity(
    x1: Operand, x2: Operand, /, axis: int = -1, *, epsilon: float = 1e-8
) -> Tensor:
    """x1 . x2 / (|x1| * |x2|) of vectors along an axis, norms below epsilon counting as epsilon.

    >>> print(gn.nn.cosine_similarity([1, 0], [[3, 4], [-2, 0]]).round(4))
    [ 0.6 -1. ]
    """
    return _nn.cosine_similarity(x1, x2, axis, epsilon)


def confusion_matrix(actual: Operand, predicted: Operand, /, num_classes: int | Dim) -> Tensor:
    """How often each label was predicted as each: int64[num_classes, num_classes].

    Row i, column j: label i was predicted as j. ValueError for labels outside.

    >>> print(gn.nn.confusion_matrix([0, 1, 1, 1], [0, 0, 1, 1], 2))
    [[1 0]
     [1 2]]
    """
    return _nn.confusion_matrix(actual, predicted, num_classes)


mse = mse_loss

__all__ = [
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "confusion_matrix",
    "cosine_embedding_loss",
    "cosine_similarity",
    "cross_entropy",
    "ctc_loss",
    "gaussian_nll_loss",
    "hierarchical_log_softmax",
    "hinge_embedding_loss",
    "hinge_loss",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "log_cosh_loss",
    "margin_ranking_loss",
    "mse",
    "mse_loss",
    "multi_margin_loss",
    "nll_loss",
    "poisson_nll_loss",
    "smooth_l1_loss",
    "soft_margin_loss",
    "triplet_margin_loss",
]
