// Every row of every rule group keeps its promise: values before and after a firing, sampled, are
// compared with the real-number value of the expression.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <random>

#include "ir/reference/evaluate.h"
#include "tests/support/real_functions.h"
#include "tests/support/rule_examples.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr int rounds = 24;
// An expression after a rule may err by a few roundings where the one before happens to be exact.
constexpr double few_ulp = 12;
// A shift by the maximum of numbers up to 2^7 is rounded before exp is taken.
constexpr double shifted_ulp = 140;

std::vector<Value> leaves_of(const std::vector<Value>& values) {
  std::vector<Value> leaves;
  for (const Node* node : topological_order(values)) {
    if (&node->op() == &op::param || &node->op() == &op::input) leaves.emplace_back(node, 0);
  }
  return leaves;
}

// Rounds that are over all exponents, and those over zeros, ends of the range, infinities and NaN.
bool is_far_round(int round) { return round >= rounds && round < 2 * rounds; }
bool is_special(int round) { return round >= 2 * rounds; }

template <typename T>
T far_or_special(std::mt19937_64& random, int round) {
  static const std::vector<T> special = special_values<T>();
  if (is_special(round)) return special[random() % special.size()];
  for (;;)
    if (const T v = std::bit_cast<T>(static_cast<bits_of<T>>(random())); std::isfinite(v)) return v;
}

// Magnitudes a rule meets: ordinary ones first, then from the very small to the large.
double sample_magnitude(std::mt19937_64& random, int round) {
  std::uniform_real_distribution<double> unit(-1, 1);
  if (round % 3 == 0) return unit(random);
  if (round % 3 == 1) return 4 * unit(random);
  const double magnitude = std::exp2(std::uniform_real_distribution<double>(-40, 7)(random));
  return unit(random) < 0 ? -magnitude : magnitude;
}

Array sampled_array(const Type& type, std::mt19937_64& random, int round) {
  std::vector<std::int64_t> shape;
  for (const Dim& d : type.shape) shape.push_back(d.constant());
  Array out = Array::empty(type.dtype, shape);
  for (std::int64_t i = 0; i < out.size(); ++i) {
    if (type.dtype == DType::bool_) out.data<bool>()[i] = random() % 2 == 0;
    if (type.dtype == DType::int32) {
      out.data<std::int32_t>()[i] = static_cast<std::int32_t>(random() % 7) - 3;
    }
    const bool is_plain = !is_far_round(round) && !is_special(round);
    if (type.dtype == DType::float32) {
      out.data<float>()[i] = is_plain ? static_cast<float>(sample_magnitude(random, round))
                                      : far_or_special<float>(random, round);
    }
    if (type.dtype == DType::float64) {
      out.data<double>()[i] =
          is_plain ? sample_magnitude(random, round) : far_or_special<double>(random, round);
    }
  }
  return out;
}

using RealData = Evaluator<RealArithmetic>::Data;

struct Sides {
  Array before, after;
  RealData exact;
};

Sides evaluate_sides(const Firing& firing, std::mt19937_64& random, int round) {
  static const RealArithmetic numbers = real_numbers();
  Evaluator<RealArithmetic> reals(numbers);
  const std::vector<Value> both = {firing.before, firing.after};
  std::unordered_map<Value, Array> arrays;
  std::unordered_map<Value, RealData> exact;
  for (const Value& leaf : leaves_of(both)) {
    const Array array = sampled_array(leaf.type(), random, round);
    arrays.emplace(leaf, array);
    exact.emplace(leaf, reals.from_array(array));
  }
  const std::vector<Array> values = evaluate(both, arrays);
  return {values[0], values[1], reals.run(std::span(both.data(), 1), exact)[0]};
}

double error_at(const Array& got, std::int64_t i, const Real& exact) {
  // The sign of a zero is no distance, and what the reference's own digits cancel to is no number.
  if (mpfr_zero_p(exact.get())) {
    const double v = got.dtype() == DType::float32 ? got.data<float>()[i] : got.data<double>()[i];
    return std::abs(v) < 1e-60 ? 0 : inf;
  }
  return got.dtype() == DType::float32 ? ulp_error(got.data<float>()[i], exact.get())
                                       : ulp_error(got.data<double>()[i], exact.get());
}

struct Tally {
  int points = 0, worse = 0;
  double worst_before = 0, worst_after = 0;
};

// Compares the two sides at each element whose real value is a number in range.
void compare(const Sides& sides, Tally& tally, double allowed) {
  const double top = sides.before.dtype() == DType::float32 ? 1e38 : 1e300;
  for (std::int64_t i = 0; i < sides.before.size(); ++i) {
    const Real& exact = sides.exact->data[static_cast<std::size_t>(i)].real;
    if (!mpfr_number_p(exact.get()) || std::abs(exact.to_double()) > top) continue;
    const double before = error_at(sides.before, i, exact);
    const double after = error_at(sides.after, i, exact);
    ++tally.points;
    tally.worst_before = std::max(tally.worst_before, before);
    tally.worst_after = std::max(tally.worst_after, after);
    if (after > before + allowed) ++tally.worse;
  }
}

// Integers and bools have one value: the evaluator's, before and after.
bool is_measured(const Firing& firing) { return is_float(firing.before.dtype()); }

// Matrices are made of sums whose rounding is a matter of the whole: it is their norm that counts.
bool uses_matrices(const Firing& firing) {
  const std::vector<Value> both = {firing.before, firing.after};
  for (const Node* node : topological_order(both)) {
    const Op& op = node->op();
    if (op.step == StepKind::product || op.step == StepKind::routine) return true;
    if (&op == &op::det || &op == &op::slogdet || &op == &op::expm) return true;
  }
  return false;
}

// Points of a finite promise may lie among the samples.
void check_tally(const Rule& rule, const Tally& tally, double allowed) {
  CAPTURE(tally.worst_before);
  CAPTURE(tally.worst_after);
  CAPTURE(tally.worse);
  CHECK(tally.points > 0);
  CHECK(tally.worse * 100 <= tally.points);
  if (rule.promise == Promise::accurate) CHECK(tally.worst_after <= tally.worst_before + allowed);
}

// The largest error of an array in units of its largest number's last place, in bits.
double bits_lost_by_norm(const Array& got, const RealData& exact) {
  const bool single = got.dtype() == DType::float32;
  double norm = 0, error = 0;
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double v = single ? got.data<float>()[i] : got.data<double>()[i];
    const Real& real = exact->data[static_cast<std::size_t>(i)].real;
    Real distance(v);
    mpfr_sub(distance.get(), distance.get(), real.get(), MPFR_RNDN);
    norm = std::max(norm, std::abs(real.to_double()));
    error = std::max(error, std::abs(distance.to_double()));
  }
  const double unit = single ? 0x1p-23 : 0x1p-52;
  return norm == 0 ? 0 : std::min(64.0, std::log2(1 + error / (norm * unit)));
}

// What matrices lose, on the mean over the samples that have a value; those that are refused are so
// before and after.
void check_matrices(const Firing& firing) {
  constexpr double half_a_bit = 0.5;
  std::mt19937_64 random(11);
  double before = 0, after = 0;
  int counted = 0;
  for (int round = 0; round < rounds; ++round) {
    std::optional<Sides> sides;
    try {
      sides = evaluate_sides(firing, random, 0);
    } catch (const ValueError&) {
      continue;
    }
    const auto is_number = [](const auto& cell) { return mpfr_number_p(cell.real.get()) != 0; };
    if (!std::ranges::all_of(sides->exact->data, is_number)) continue;
    before += bits_lost_by_norm(sides->before, sides->exact);
    after += bits_lost_by_norm(sides->after, sides->exact);
    ++counted;
  }
  CAPTURE(before / counted);
  CAPTURE(after / counted);
  CHECK(counted > rounds / 2);
  CHECK(after <= before + half_a_bit * counted);
}

void check_firing(const Rule& rule, const Firing& firing, double allowed) {
  std::mt19937_64 random(7);
  Tally tally;
  const bool is_exact = rule.promise == Promise::exact || !is_measured(firing);
  for (int round = 0; round < (rule.promise == Promise::exact ? 3 : 1) * rounds; ++round) {
    const Sides sides = evaluate_sides(firing, random, round);
    if (is_exact) {
      const bool keeps = same_bits(sides.before, sides.after);
      if (!keeps) CHECK(sides.before.to_string() == sides.after.to_string());
      continue;
    }
    compare(sides, tally, allowed);
  }
  if (rule.promise != Promise::exact && is_measured(firing)) check_tally(rule, tally, allowed);
}

}  // namespace

TEST_CASE("every rule keeps its promise against MPFR") {
  for (const RuleGroup* group : all_rule_groups()) {
    for (const Rule& rule : group->rules) {
      for (const DType t : {DType::float32, DType::float64}) {
        const Expr example = example_of(rule, t);
        if (!example.defined()) continue;
        const bool is_fast = rule.promise == Promise::fast;
        Context context = checked_context(is_fast ? RewriteLevel::fast : RewriteLevel::all);
        rewrite_example(*group, example, context);
        for (const Firing& firing : context.trace.firings) {
          if (firing.rule != &rule) continue;
          CAPTURE(rule.name);
          CAPTURE(name_of(t));
          CAPTURE(expression_text(firing.before));
          CAPTURE(expression_text(firing.after));
          if (uses_matrices(firing) && is_measured(firing))
            check_matrices(firing);
          else
            check_firing(rule, firing, group == &softmax_rules() ? shifted_ulp : few_ulp);
          break;
        }
      }
    }
  }
}
