// The loss of connectionist temporal classification: the forward recursion over the steps of time.
#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/networks/losses.h"
#include "stdlib/networks/losses_reduction.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

namespace {

// Stands for the logarithm of 0: finite, so that no difference of two is NaN.
constexpr double nothing = -1e30;

Expr lengths_of(const Arg& given, std::string_view what) {
  const Expr v(given.value());
  if (!is_integer(v.dtype()))
    throw TypeError(
        fmt::format("ctc_loss: expected integers as {}, found {}", what, describe(v.value())));
  if (v.rank() != 1)
    throw ValueError(fmt::format("ctc_loss: expected a vector of integers as {}, found {}", what,
                                 describe(v.value())));
  return cast(v, DType::int64);
}

// log(e^a + e^b + ...). The derivative by the maximum is 0, so nothing flows through it.
Expr log_of_sum(std::span<const Expr> logs) {
  Expr most = logs[0];
  for (const Expr& e : logs.subspan(1)) most = maximum(most, e);
  most = stop_gradient(most);
  std::vector<Expr> terms;
  for (const Expr& e : logs) terms.push_back(exp(e - most));
  return most + log(add(terms));
}

Expr filled_with(const Shape& shape, double value, DType t) {
  return full(shape, constant(value, t));
}

}  // namespace

Expr ctc_loss(const Arg& logits, const Arg& labels, const Arg& input_lengths,
              const Arg& label_lengths, const CtcOptions& options) {
  const CallScope call("ctc_loss", logits.origin());
  const Expr given(labels.value());
  Expr x = as_floats(logits);
  const DType wanted = x.dtype();
  if (size_of(wanted) < size_of(DType::float32)) x = cast(x, DType::float32);
  if (!is_integer(given.dtype()))
    throw TypeError(
        fmt::format("ctc_loss: expected integer labels, found {}", describe(given.value())));
  if (x.rank() != 3 || given.rank() != 2)
    throw ValueError(
        fmt::format("ctc_loss: expected logits[t, n, classes] and integer labels[n, s], found {} "
                    "and {}",
                    describe(x.value()), describe(given.value())));
  const Expr steps = lengths_of(input_lengths, "input_lengths");
  const Expr counts = lengths_of(label_lengths, "label_lengths");
  const Dim n = given.dim(0), most = given.dim(1), states = 2 * most + 1;
  const DType t = x.dtype();

  // The labels with a blank before, between and behind them; what is behind the last is blank too.
  const Expr none = full({n, most}, constant(options.blank, DType::int64));
  const Expr inside = less(expand_dims(arange(most), 0), expand_dims(counts, 1));
  const Expr known = where(inside, cast(given, DType::int64), none);
  const Expr pairs = reshape(stack({none, known}, 2), {n, 2 * most});
  const Expr last = full({n, 1}, constant(options.blank, DType::int64));
  const Expr path = concatenate({pairs, last}, 1);
  const Expr logs = maximum(log_softmax(x), nothing);
  const Expr emitted = take_along_axis(logs, expand_dims(path, 0), 2);  // [t, n, states]

  // A label may follow another one directly, without the blank between, if it differs from it.
  const Expr front = full({n, 2}, constant(options.blank, DType::int64));
  const Expr before = concatenate({front, path(all_of, until(states - 2))}, 1);
  const Expr may_skip = logical_and(not_equal(path, options.blank), not_equal(path, before));

  // Logarithms of the probability to be in each state, after two columns of nothing. Before the
  // first step it is as if all came from the first blank.
  const Expr edge = filled_with({n, 2}, nothing, t);
  const Expr start =
      concatenate({edge, filled_with({n, 1}, 0, t), filled_with({n, states - 1}, nothing, t)}, 1);
  const Expr initial[] = {start};
  const auto step = [&](const Expr& i, std::span<const Expr> now) {
    const Expr stay = now[0](all_of, range(2, states + 2));
    const Expr from_one = now[0](all_of, range(1, states + 1));
    const Expr from_two = where(may_skip, now[0](all_of, range(0, states)), nothing);
    const Expr ways[] = {stay, from_one, from_two};
    const Expr moved = log_of_sum(ways) + emitted(i);
    const Expr is_running = expand_dims(less(i, steps), 1);
    return std::vector<Expr>{concatenate({edge, where(is_running, moved, stay)}, 1)};
  };
  const Expr final = fori(extent(x.dim(0)), initial, step)[0];

  // In the last label or in the blank behind it.
  const auto at = [&](const Expr& state) {
    return squeeze(take_along_axis(final, expand_dims(state, 1), 1), 1);
  };
  const Expr ends[] = {at(2 * counts + 2), at(2 * counts + 1)};
  const Expr total = log_of_sum(ends);
  const double impossible = options.zero_infinity ? 0 : INFINITY;
  const Expr losses = where(less(total, nothing / 2), impossible, -total);
  if (options.reduction != Reduction::mean) return cast(reduced(losses, options.reduction), wanted);
  return cast(mean(losses / cast(maximum(counts, 1), t)), wanted);
}

}  // namespace gnomon::nn
