// Runs of the evaluator that say how exactly results are decided.
#include "frontend/debugging/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "frontend/accuracy/digits.h"
#include "frontend/accuracy/lost_bits.h"
#include "frontend/debugging/perturbed_numbers.h"
#include "frontend/native_form.h"
#include "ir/reference/generic.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "runtime/services.h"

namespace gnomon {

namespace {

constexpr double leeway = 16;  // times what the runs differ by

template <class Number>
struct Interruptible : EvaluationObserver<Number> {
  InterruptionPoint point;
  void pause() override { point(); }
};

// Sees routines that found no numbers, as its own ones may where LAPACK's do.
struct MachineObserver : Interruptible<Cell> {
  using Interruptible<Cell>::Data;
  bool failed = false;
  void computed(const Node& node, std::span<const Data> results) override {
    if (node.op().step != StepKind::routine) return;
    for (const Data& x : results)
      if (is_float(x->dtype))
        for (const Cell& cell : x->data)
          failed |= !std::isfinite(x->dtype == DType::float64 ? cell.f64 : double{cell.f32});
  }
};

template <class Numbers>
std::vector<Array> evaluated_with(const Numbers& numbers, const Graph& native,
                                  std::span<const Array> inputs, std::span<const DType> dtypes,
                                  EvaluationObserver<typename Numbers::Number>& observer) {
  Evaluator<Numbers> evaluator(numbers, &observer);
  std::vector<typename Evaluator<Numbers>::Data> tensors;
  for (const Array& input : inputs) tensors.push_back(evaluator.from_array(input));
  const auto results = evaluator.run(native, tensors);
  std::vector<Array> values;
  for (std::size_t i = 0; i < results.size(); ++i)
    values.push_back(user_form(evaluator.to_array(*results[i]), dtypes[i]).contiguous());
  return values;
}

template <class Numbers>
std::vector<Array> evaluated(const Numbers& numbers, const Graph& native,
                             std::span<const Array> inputs, std::span<const DType> dtypes) {
  Interruptible<typename Numbers::Number> observer;
  return evaluated_with(numbers, native, inputs, dtypes, observer);
}

// Parts of a complex number count one by one.
double part(const Array& x, std::int64_t i) {
  const DType t = part_of(x.dtype());
  return cell_get<double>(cell_cast(cell_load(t, x.data(), i), computed_as(t), DType::float64));
}

std::int64_t parts_of(DType t) { return is_complex(t) ? 2 : 1; }

// Whether the same part of two arrays is the same number; NaN is NaN.
bool is_same(const Array& a, const Array& b, std::int64_t i) {
  if (!is_inexact(a.dtype()))
    return cell_equal(a.dtype(), cell_load(a.dtype(), a.data(), i),
                      cell_load(a.dtype(), b.data(), i));
  const double x = part(a, i), y = part(b, i);
  return x == y || (std::isnan(x) && std::isnan(y));
}

bool has_shape_of(const Array& a, const Array& b) {
  return std::ranges::equal(a.shape(), b.shape());
}

std::string number_text(const Array& x, std::int64_t i) {
  const DType t = part_of(x.dtype());
  if (t == DType::float64) return float_text(part(x, i));
  if (is_float(t)) return float_text(static_cast<float>(part(x, i)));
  const Cell cell = cell_load(t, x.data(), i);
  if (is_bool(t)) return cell_get<bool>(cell) ? "true" : "false";
  return is_unsigned(t)
             ? fmt::format("{}", cell_get<std::uint64_t>(cell_cast(cell, t, DType::uint64)))
             : fmt::format("{}", cell_get<std::int64_t>(cell_cast(cell, t, DType::int64)));
}

std::string element_text(const Array& x, std::int64_t element) {
  if (!is_complex(x.dtype())) return number_text(x, element);
  return fmt::format("({}, {})", number_text(x, 2 * element), number_text(x, 2 * element + 1));
}

std::string place_text(const Array& x, std::int64_t element) {
  if (x.rank() == 0) return "";
  std::vector<std::int64_t> index(x.shape().size());
  for (std::size_t k = index.size(); k-- > 0; element /= x.shape()[k])
    index[k] = element % x.shape()[k];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

}  // namespace

Expectation::Expectation(const Graph& native, std::vector<Array> inputs, std::vector<DType> dtypes)
    : native_(native), inputs_(std::move(inputs)), dtypes_(std::move(dtypes)) {
  MachineObserver observer;
  values_ = evaluated_with(MachineNumbers(), native_, inputs_, dtypes_, observer);
  routine_failed_ = observer.failed;
}

const std::vector<std::vector<Array>>& Expectation::perturbed() {
  if (perturbed_) return *perturbed_;
  perturbed_.emplace();
  for (int run = 0; run < PerturbedNumbers::runs(native_); ++run) try {
      const PerturbedNumbers numbers(run);
      perturbed_->push_back(evaluated(numbers, native_, inputs_, dtypes_));
    } catch (const ValueError&) {  // a matrix that rounding makes singular, and the like
      is_undecided_ = true;
    }
  return *perturbed_;
}

const std::vector<Array>& Expectation::real() {
  if (real_) return *real_;
  real_.emplace();
  try {
    const RealNumbers<Digits> numbers = digit_numbers();
    real_ = evaluated(numbers, native_, inputs_, dtypes_);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error&) {  // no MPFR, or an operation without a real function
  }
  return *real_;
}

std::optional<WrongResult> Expectation::wrong(std::size_t output, const Array& given) {
  const Array& expected = values_[output];
  const Array found = given.contiguous();
  const auto other_shapes = [&](const std::vector<Array>& run) {
    return !has_shape_of(run[output], expected);
  };
  // By any run that differs, or that has no results.
  const auto some_run = [&](const auto& differs) {
    return std::ranges::any_of(perturbed(), differs) || is_undecided_;
  };
  if (!has_shape_of(found, expected)) {
    if (some_run(other_shapes)) return std::nullopt;
    return WrongResult{output,
                       fmt::format("found {}, expected {}", found.describe(), expected.describe())};
  }
  const DType t = expected.dtype();
  const std::int64_t parts = parts_of(t);
  const double share = is_inexact(t) ? std::ldexp(1, -(significand_bits(t) * 3 / 4)) : 0;
  for (std::int64_t i = 0; i < parts * expected.size(); ++i) {
    if (is_same(found, expected, i)) continue;
    const auto text = [&] {
      const std::int64_t element = i / parts;
      return fmt::format("{}{}{}, expected {}", place_text(expected, element),
                         expected.rank() > 0 ? ": " : "", element_text(found, element),
                         element_text(expected, element));
    };
    // Runs that do not agree on shapes say nothing of elements.
    const auto differs = [&](const std::vector<Array>& run) {
      return other_shapes(run) || !is_same(run[output], expected, i);
    };
    if (!is_inexact(t)) {
      if (some_run(differs)) continue;
      return WrongResult{output, text()};
    }
    const double x = part(found, i), y = part(expected, i);
    double scale = std::abs(y);
    if (parts == 2) scale = std::max(scale, std::abs(part(expected, i ^ 1)));
    if (std::isfinite(x) && std::isfinite(y) && std::abs(x - y) <= share * scale) continue;
    double spread = some_run(other_shapes) ? inf : 0;
    for (const std::vector<Array>& run : perturbed()) {
      if (spread == inf) break;
      const double z = part(run[output], i);
      spread = std::max(spread, is_same(run[output], expected, i)      ? 0
                                : std::isfinite(z) && std::isfinite(y) ? std::abs(z - y)
                                                                       : inf);
    }
    if (spread == inf) continue;
    if (routine_failed_ && std::isfinite(x) && !std::isfinite(y)) continue;
    if (std::isfinite(x) && std::isfinite(y)) {
      if (std::abs(x - y) <= share * scale + leeway * spread) continue;
      if (const std::vector<Array>& exact = real(); !exact.empty()) {
        const double z = part(exact[output], i);
        if (std::abs(x - z) <= std::abs(y - z) + share * std::abs(z)) continue;
      }
    }
    return WrongResult{output, text(), std::isfinite(x) && !std::isfinite(y)};
  }
  return std::nullopt;
}

std::optional<WrongResult> Expectation::first_wrong(std::span<const Array> found) {
  std::optional<WrongResult> first;
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::optional<WrongResult> now = wrong(i, found[i]);
    if (now && !now->finite_for_infinite) return now;
    if (now && !first) first = std::move(now);
  }
  return first;
}

}  // namespace gnomon
