// Draws the values of inputs from a pool that is made at once.
#include "frontend/accuracy/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "ir/op/numbers.h"
#include "ir/reference/generic.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

void check_range(std::string_view who, const std::string& name, DType t,
                 const SampledRange& range) {
  const bool is_proper = std::isfinite(range.low) && std::isfinite(range.high) &&
                         (is_inexact(t) || std::ceil(range.low) <= std::floor(range.high));
  if (!is_proper || range.low > range.high || (range.both && range.low < 0))
    throw ValueError(fmt::format("{}: expected a range of {}, found {} to {}{}", who, name,
                                 range.low, range.high, range.both ? " of both signs" : ""));
}

std::vector<double> pool_of(DType part, const SampledRange& range, int count, std::uint64_t seed) {
  std::vector<double> pool;
  if (part == DType::float64) {
    pool = exact::sampled<double>(range, count, seed);
  } else if (is_float(part)) {
    const double most = default_range(part).high;
    const SampledRange narrow = {std::clamp(range.low, -most, most),
                                 std::clamp(range.high, -most, most), range.both};
    const std::vector<float> values = exact::sampled<float>(narrow, count, seed);
    pool.assign(values.begin(), values.end());
  } else {
    std::mt19937_64 random(seed);
    const double low = std::ceil(range.low), length = std::floor(range.high) - low + 1;
    for (int i = 0; i < count; ++i) {
      const double v = low + std::floor(length * 0x1p-53 * static_cast<double>(random() >> 11));
      pool.push_back(range.both && random() % 2 == 0 ? -v : v);
    }
  }
  return pool;
}

}  // namespace

SampledRange default_range(DType t) {
  switch (part_of(t)) {
    case DType::float64: return {0x1p-1022, 0x1.fffffffffffffp1023, true};
    case DType::float32: return {0x1p-126, 0x1.fffffep127, true};
    case DType::bfloat16: return {0x1p-126, 0x1.fep127, true};
    case DType::float16: return {0x1p-14, 65504, true};
    case DType::bool_: return {0, 1};
    default: return {is_unsigned(t) ? 0.0 : -9.0, 9};
  }
}

InputDraws::InputDraws(std::string_view who, const std::string& name, DType t,
                       std::vector<std::int64_t> shape, const SampledRange& range, int draws,
                       std::uint64_t seed)
    : type_(t), shape_(std::move(shape)) {
  check_range(who, name, t, range);
  numbers_ = count_of(shape_, who) * (is_complex(t) ? 2 : 1);
  constexpr std::int64_t most = std::int64_t{1} << 27;  // 1 GB
  if (numbers_ > most / draws)
    throw ValueError(
        fmt::format("{}: expected at most {} numbers of {} in all, found {} points with {} each",
                    who, most, name, draws, numbers_));
  const int all = static_cast<int>(std::max<std::int64_t>(numbers_ * draws, 1));
  pool_ = pool_of(part_of(t), range, all, seed);
}

Array InputDraws::draw() {
  Array out = Array::empty(type_, shape_);
  const DType part = part_of(type_);
  for (std::int64_t i = 0; i < numbers_; ++i)
    cell_store(part, out.data(), i, cell_cast(cell_make(pool_[next_++]), DType::float64, part));
  return out;
}

}  // namespace gnomon
