// Random typed graphs: expressions grown over a few inputs, with values that fit them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "ir/text/text.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "tests/support/compiled_support.h"

namespace gnomon::test {

/// Grows expressions over a few inputs of extents n and m, n at most `largest`: symbols, but for
/// some seeds numbers; and of one or no element for some.
class Grower {
 public:
  /// Whether loops and branches grow, too.
  enum class Bodies : bool { no, yes };

  explicit Grower(std::uint64_t seed, std::int64_t largest = 20, Bodies bodies = Bodies::no)
      : random_(seed), batch_(fmt::format("random_{}", seed)), bodies_(bodies) {
    std::int64_t n = 1 + random_.below(largest);
    const std::int64_t other = 1 + random_.below(2 * largest);
    if (seed % 8 == 5) n = 1;
    if (seed % 32 == 18) n = 0;
    // Equal extents with different names pass the checks that a mix of shapes needs.
    const std::int64_t m = seed % 4 ? n : other;
    n_ = Dim::symbol("n"), m_ = Dim::symbol("m");
    if (seed % 8 == 3 || seed % 16 == 5) n_ = n, m_ = m;
    add(batch_.input("a", random_.small(float64, {n, m}), {n_, m_}));
    add(batch_.input("b", random_.small(float64, {m}), {m_}));
    add(batch_.input("c", random_.small(float64, {n, 1}), {n_, 1}));
    add(batch_.input("d", random_.small(float64, {}), {}));
    add(batch_.input("e", random_.small(int64, {n}), {n_}));
    add(batch_.input("f", random_.small(float64, {m, n}), {m_, n_}));
    add(batch_.input("g", random_.small(float64, {2, n, m}), {2, n_, m_}));
  }

  /// A batch of the last expressions after some steps, and of any.
  Batch grow(int steps, std::size_t last_ones = 4) {
    for (int i = 0; i < steps; ++i) {
      try {
        step();
      } catch (const TypeError&) {
        // This step does not fit these operands.
      } catch (const ValueError&) {
        // An operand is known to be empty.
      }
    }
    const std::size_t last = pool_.size();
    for (std::size_t i = last - std::min(last, last_ones); i < last; ++i)
      batch_.add(fmt::format("last_{}", last - i), pool_[i], 1e-9);
    batch_.add("any", pick(), 1e-9);
    share();
    return std::move(batch_);
  }

 private:
  void add(const Expr& e) { pool_.push_back(e); }
  // Later expressions more often: graphs get deep.
  Expr pick() {
    const std::int64_t last = static_cast<std::int64_t>(pool_.size()) - 1;
    const std::int64_t back = std::min(random_.below(last + 1), random_.below(last + 1));
    return pool_[static_cast<std::size_t>(last - back)];
  }
  int axis(const Expr& e) { return static_cast<int>(random_.below(std::max(1, e.rank()))); }
  // Keeps numbers small, so that a tolerance means something.
  static Expr tame(const Expr& e) {
    return is_float(e.dtype()) ? e / (1 + abs(e) * 0.25) : clip(e, -9, 9);
  }

  // Further outputs that are made of those there are, and views of them.
  void share() {
    for (std::int64_t more = random_.below(4); more > 0; --more) {
      const std::size_t from =
          static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(batch_.outputs.size())));
      const Expr x = batch_.outputs[from].value;
      try {
        const Expr other = random_.below(2) ? pick() : view_of(x);
        batch_.add("shared", random_.below(2) ? view_of(x) : tame(x + other), 1e-9);
      } catch (const Error&) {
        // Shapes that do not go together.
      }
    }
  }

  void step() {
    const Expr x = pick(), y = pick();
    if (bodies_ == Bodies::yes && random_.below(12) == 0) return add_bodies(x, y);
    switch (random_.below(52)) {
      case 0: return add(tame(x + y));
      case 1: return add(tame(x - y));
      case 2: return add(tame(x * y));
      case 3: return add(x / (2 + square(y)));
      case 4: return add(maximum(x, y));
      case 5: return add(where(x < y, x, y));
      case 6: return add(function_of(x));
      case 7: return add(formula_of(x, y));
      case 8: return add(exp(-square(x)));
      case 9: return add(log1p(abs(x)));
      case 10: return add(sqrt(abs(x) + 0.5));
      case 11: return add(tame(sum(x, axis(x), keep())));
      case 12: return add(max(x, axis(x), keep()));
      case 13: return add(mean(x, axis(x), keep()));
      case 14: return add(argmax(x, axis(x)));
      case 15: return add(softmax(x, axis(x)));
      case 16: return add(transpose(x));
      case 17: return add(tame(matmul(x, y)));
      case 18: return add(x(Range{{}, {}, random_.below(2) ? -1 : 2}));
      case 19: return add(concatenate({x, y}, axis(x)));
      case 20: return add(reshape(x, {-1}));
      case 21: return add(take(x, clip(cast(pick(), int64), 0, 0), 0));
      case 22: return add(inc_at(x, {0}, 1));
      case 23: return add(expand_dims(x, axis(x)));
      case 24: return add(cast(tame(x) * 3 + 0.01, random_.below(2) ? int64 : float64));
      case 25: return add(part_of(x));
      case 26: return add(concatenate({x(until(1)), part_of(x), x(from(1))}));
      case 27: return add(sum(stack({x, y}), 0) - part_of(stack({x, y}), 1));
      case 28: return add(inc_at(set_at(x, {from(1, 2)}, 0.5), {until(2)}, 0.25)(from(1)));
      case 29: return add(x + set_at(0 * y, {until(2)}, x(until(2))));
      case 30: return add(diagonal(matmul(x, transpose(x))) + diagonal(diag(y)));
      case 31: return add(take(transpose(x), 2 * arange(1), 0));
      case 32: return add(of_matrices(x));
      case 33: return add(logsumexp(tame(x), axis(x), keep()));
      case 34: return add(log_softmax(tame(x), axis(x)));
      case 35: return add(combined(x, clip(cast(pick(), int64), 0, 0)));
      case 36:
      case 37:
      case 38: return add(view_of(x));
      case 39: return add(stack({one_of(x), one_of(y)}));
      case 40: return add(stack({one_of(x)}));
      case 41: return add(concatenate({max(x, axis(x), keepdims), view_of(y)}, axis(x)));
      case 42: return add(tame(x + stack({one_of(y)})));
      case 43: return add(expand_dims(sum(tame(x), axis(x)), random_.below(2)) - y);
      case 44: return add(selected(x));
      case 45: return add(cumsum(tame(x), axis(x)));
      case 46: return add(sort(x, axis(x)));
      case 47: return add(where(one_of(x) > 0, x, view_of(x)));
      case 48: return add(concatenate({view_of(x), view_of(x)}, axis(x)));
      case 49: return add(set_at(x, {until(1)}, one_of(y)));
      case 50: return add(median(x, axis(x)));
      default: return add(tame(sum(x)));
    }
  }

  // --- bodies ---

  static constexpr int most_depth = 2;  // of bodies in bodies

  // Values of the dtypes and extents of some others, grown over those and what is around them.
  std::vector<Expr> grown_like(const std::vector<Expr>& wanted, std::vector<Expr> around) {
    around.insert(around.end(), wanted.begin(), wanted.end());
    const std::vector<Expr> outside = std::exchange(pool_, std::move(around));
    ++depth_;
    for (std::int64_t i = 1 + random_.below(3); i > 0; --i) {
      try {
        step();
      } catch (const TypeError&) {
      } catch (const ValueError&) {
      }
    }
    std::vector<Expr> grown;
    for (const Expr& like : wanted) grown.push_back(fitted(pick(), like));
    --depth_;
    pool_ = outside;
    return grown;
  }
  Expr fitted(const Expr& x, const Expr& like) {
    if (x.type().shape == like.type().shape) return cast(tame(x), like.dtype());
    try {
      return cast(tame(like + cast(one_of(x), like.dtype())), like.dtype());
    } catch (const Error&) {
      return like;  // nothing to take one of
    }
  }

  void add_bodies(const Expr& x, const Expr& y) {
    if (depth_ == most_depth) return;
    switch (random_.below(3)) {
      case 0: return add_loop(x, y);
      case 1: return add_while_loop(x, y);
      default: return add_branches(x, y);
    }
  }
  void add_loop(const Expr& x, const Expr& y) {
    const Expr around = pick();
    const std::vector<Expr> made =
        scan(random_.below(5), std::vector<Expr>{x, y}, [&](const Expr& i, auto states) {
          std::vector<Expr> next =
              grown_like({states[0], states[1]}, {around, i, cast(i, float64) * 0.25});
          if (random_.below(2)) next.push_back(fitted(next[0], states[1]));
          return next;
        });
    for (const Expr& e : made) add(e);
  }
  void add_while_loop(const Expr& x, const Expr& y) {
    const Expr around = pick();
    const std::int64_t limit = random_.below(4);
    const Expr zero = sum(arange(1)), start = cast(one_of(y), float64);
    const std::vector<Expr> last = while_loop(
        std::vector<Expr>{zero, x, start},
        [&](auto states) { return states[0] < limit && states[2] < 50.0; },
        [&](auto states) {
          std::vector<Expr> next = grown_like({states[1], states[2]}, {around, states[0]});
          return std::vector<Expr>{states[0] + 1, next[0], next[1]};
        });
    for (const Expr& e : last) add(e);
  }
  void add_branches(const Expr& x, const Expr& y) {
    const Expr around = pick(), predicate = one_of(y) > 0.25;
    const auto branch = [&] { return grown_like({x, y}, {around}); };
    for (const Expr& e : cond(predicate, branch, branch)) add(e);
  }

  // --- parts ---

  Expr part_of(const Expr& x, std::int64_t axis = 0) {
    std::vector<Index> items(static_cast<std::size_t>(axis), Index(all_of));
    if (random_.below(2))
      items.emplace_back(from(random_.below(2), 1 + random_.below(2)));
    else
      items.emplace_back(until(1 + random_.below(3)));
    return index(x, items);
  }

  // The same elements, or some of them, elsewhere.
  Expr view_of(const Expr& x) {
    const std::int64_t step = random_.below(2) ? -1 : 2;
    switch (random_.below(12)) {
      case 0: return flip(x);
      case 1: return flip(x, axis(x));
      case 2: return reshape(x, {-1});
      case 3: return reshape(x, {1, -1});
      case 4: return reshape(x, {-1, 1});
      case 5: return expand_dims(x, random_.below(x.rank() + 1));
      case 6: return squeeze(x);
      case 7: return x(ellipsis, Range{{}, {}, step});
      case 8: return x(Range{{}, {}, step});
      case 9: return transpose(x);
      case 10: return roll(x, 1 + random_.below(4));
      default: return repeat(x, 1 + random_.below(2), axis(x));
    }
  }

  // One number.
  Expr one_of(const Expr& x) {
    switch (random_.below(6)) {
      case 0: return sum(tame(x));
      case 1: return max(x);
      case 2: return mean(x);
      case 3: return argmax(reshape(x, {-1}));
      case 4: return reshape(x, {-1})(0);
      default: return sum(square(tame(x)));
    }
  }

  // As many elements as the values say.
  Expr selected(const Expr& x) {
    const Expr slices = x.rank() < 2 ? x : max(x, axis_but_first(x));
    switch (random_.below(4)) {
      case 0: return extract(x > 0.5, x);
      case 1: return cast(flatnonzero(x > 0), float64);
      case 2: return extract(isnan(x), tame(x));
      default: return compress(reshape(slices, {-1}) > 0, x);
    }
  }
  IntList axis_but_first(const Expr& x) {
    IntList axes;
    for (int a = 1; a < x.rank(); ++a) axes.push_back(a);
    return axes;
  }

  // Systems and determinants of matrices that are far from singular.
  Expr of_matrices(const Expr& x) {
    const Expr a = tame(matmul(x, transpose(x))) / 8 + 9 * eye(x.dim(0));
    switch (random_.below(6)) {
      case 0: return tame(matmul(inv(a), x));
      case 1: return tame(solve(tril(a), x));
      case 2: return slogdet(transpose(triu(a))).logabsdet;
      case 3: return tame(transpose(solve(diag(diagonal(a)), x)));
      case 4: return log(det(cholesky(a + transpose(a))));
      default: return tame(matmul(x, inv(transpose(a)))) + trace(matmul(a, a));
    }
  }

  // Equal places combine.
  Expr combined(const Expr& x, const Expr& places) {
    switch (random_.below(3)) {
      case 0: return multiply_at(x, {places}, 0.875);
      case 1: return minimum_at(x, {places}, 0.5);
      default: return maximum_at(x, {places}, 0.5);
    }
  }

  Expr function_of(const Expr& x) {
    switch (random_.below(12)) {
      case 0: return sin(x);
      case 1: return cos(x);
      case 2: return tanh(x) * 2;
      case 3: return arctan(x);
      case 4: return arcsinh(x);
      case 5: return erf(x);
      case 6: return sigmoid(x);
      case 7: return softplus(x);
      case 8: return expm1(-abs(x));
      case 9: return reciprocal(1.5 + square(x));
      case 10: return cbrt(2 + abs(x));
      default: return power(abs(x) + 1, 1.25);
    }
  }

  // What rules look for, so that random graphs make them meet each other.
  Expr formula_of(const Expr& x, const Expr& y) {
    const Expr a = abs(tame(x)) + 0.5;
    switch (random_.below(14)) {
      case 0: return log(1 + exp(x));
      case 1: return exp(x * 0.5) * exp(-x * 0.25) + y;
      case 2: return sqrt(a + 1) - sqrt(a);
      case 3: return 1 / (a + 1) - 1 / a;
      case 4: return log(a + 1) - log(a);
      case 5: return square(tame(x) + tame(y)) - square(tame(x));
      case 6: return a * a * a / a;
      case 7: return 2 * x + y - x;
      case 8: return 1 - cos(tame(x));
      case 9: return sqrt(square(tame(x)) + 1) - tame(x);
      case 10: return exp(tame(x)) / sum(exp(tame(x)), axis(x), keepdims);
      case 11: return 1 / (1 + exp(-x));
      case 12: return log(a) - 2 * log(a) + log(square(a));
      default: return a / (2 + square(y)) + tame(x) / (2 + square(y));
    }
  }
  Keepdims keep() { return random_.below(2) ? Keepdims::yes : Keepdims::no; }

  Samples random_;
  Batch batch_;
  Dim n_, m_;
  std::vector<Expr> pool_;
  Bodies bodies_;
  int depth_ = 0;  // of bodies around what grows
};

/// A number that an environment variable says.
inline std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// Adds the gradients of a scalar made of all float outputs.
inline void add_gradients(Batch& batch, double tolerance) {
  Expr cost;
  for (const Output& output : batch.outputs) {
    if (!is_float(output.value.dtype())) continue;
    const Expr term = sum(tanh(output.value * 0.25));
    cost = cost.defined() ? cost + term : term;
  }
  if (!cost.defined()) return;
  std::vector<Expr> wrt;
  for (const Expr& input : batch.inputs)
    if (is_float(input.dtype())) wrt.push_back(input);
  const std::vector<Expr> gradients = grad(cost, wrt, {Disconnected::zero});
  for (const Expr& gradient : gradients)
    if (gradient.defined()) batch.add("gradient", gradient, tolerance);
}

/// Whether a value on the way is NaN, as the mean of no elements is: rules that hold for finite
/// operands promise nothing then. Errors are those of `evaluate`.
inline bool meets_nan(const Graph& graph, std::span<const Array> values) {
  Graph all = graph;
  all.outputs.clear();
  for (const Node* node : graph.topological_order())
    for (std::uint32_t k = 0; k < node->output_count(); ++k)
      if (node->type(k).dtype == DType::float64) all.outputs.emplace_back(node, k);
  all.results.resize(all.outputs.size());
  return std::ranges::any_of(evaluate(all, values), [](const Array& a) {
    return std::ranges::any_of(a.to_vector<double>(), [](double v) { return std::isnan(v); });
  });
}

/// The batch's graph; nothing for extents that no call could have, such as those of
/// x[2 * n] + y[n].
inline std::optional<Graph> captured(const Batch& batch) {
  std::vector<Expr> outputs;
  for (const Output& output : batch.outputs) outputs.push_back(output.value);
  try {
    return capture(batch.inputs, outputs).graph;
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Whether the arguments have the extents that the graph asks for. Several nodes may ask for what
/// contradicts, though none alone is refused; gradients meet all of it again.
inline bool has_values(const Batch& batch) {
  const std::optional<Graph> graph = captured(batch);
  if (!graph) return false;
  try {
    evaluate(*graph, batch.values);
    return true;
  } catch (const ValueError&) {
    return false;
  }
}

}  // namespace gnomon::test
