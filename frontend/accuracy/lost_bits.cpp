// Compares arrays element by element.
#include "frontend/accuracy/lost_bits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/op/numbers.h"

namespace gnomon {

namespace {

constexpr double no_units = std::numeric_limits<double>::infinity();

// The distance of two floats in units in the last place of `scale`, which is not smaller than they.
double units(double a, double b, double scale, DType t) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return no_units;
  // The exponents below which units become no smaller.
  const int least = t == DType::float64   ? -1074
                    : t == DType::float32 ? -149
                    : t == DType::float16 ? -24
                                          : -133;
  const int unit = std::max(std::ilogb(scale) + 1 - significand_bits(t), least);
  return std::ldexp(std::abs(a - b), -unit);
}

double number(DType t, const void* data, std::int64_t i) {
  return cell_get<double>(cell_cast(cell_load(t, data, i), computed_as(t), DType::float64));
}

double bits_of_floats(DType t, const void* one, const void* other, std::int64_t i) {
  const double a = number(t, one, i), b = number(t, other, i);
  if ((a < 0 && b > 0) || (a > 0 && b < 0)) return all_bits;
  return std::log2(1 + units(a, b, std::max(std::abs(a), std::abs(b)), t));
}

double bits_of_complex(DType part, const void* one, const void* other, std::int64_t i) {
  double a[2], b[2], scale = 0;
  for (int k = 0; k < 2; ++k) {
    a[k] = number(part, one, 2 * i + k);
    b[k] = number(part, other, 2 * i + k);
    for (const double x : {a[k], b[k]})
      if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
  }
  return std::log2(1 + std::max(units(a[0], b[0], scale, part), units(a[1], b[1], scale, part)));
}

}  // namespace

int significand_bits(DType t) {
  switch (part_of(t)) {
    case DType::float16: return 11;
    case DType::bfloat16: return 8;
    case DType::float32: return 24;
    default: return 53;
  }
}

std::optional<ArrayDifference> difference(const Array& one, const Array& other) {
  if (one.dtype() != other.dtype() || !std::ranges::equal(one.shape(), other.shape()))
    return std::nullopt;
  const Array a = one.contiguous(), b = other.contiguous();
  const DType t = a.dtype();
  ArrayDifference found;
  found.elements = a.size();
  for (std::int64_t i = 0; i < a.size(); ++i) {
    double bits = all_bits;
    if (is_complex(t))
      bits = bits_of_complex(part_of(t), a.data(), b.data(), i);
    else if (is_float(t))
      bits = bits_of_floats(t, a.data(), b.data(), i);
    else if (cell_equal(t, cell_load(t, a.data(), i), cell_load(t, b.data(), i)))
      bits = 0;
    bits = std::min(bits, all_bits);
    found.sum += bits;
    if (bits <= found.worst) continue;
    found.worst = bits;
    found.place = i;
  }
  return found;
}

}  // namespace gnomon
