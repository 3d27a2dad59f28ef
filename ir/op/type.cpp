// Types: texts, hashes, promotion.
#include "ir/op/type.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/hash.h"
#include "runtime/error.h"

namespace gnomon {

std::string text(const Shape& shape) {
  std::string out = "[";
  for (const Dim& d : shape) {
    if (out.size() > 1) out += ", ";
    out += d.text();
  }
  return out + ']';
}

std::string Type::text() const {
  const std::string name(short_name_of(dtype));
  return shape.empty() ? name : name + gnomon::text(shape);
}

std::size_t Type::hash() const {
  std::size_t h = mix_hash(static_cast<std::size_t>(dtype), shape.size());
  for (const Dim& d : shape) h = mix_hash(h, d.hash());
  return h;
}

Dim element_count(std::span<const Dim> shape) {
  Dim count = 1;
  for (const Dim& d : shape) count = count * d;
  return count;
}

namespace {

/// The signed integer of `bytes` bytes.
DType signed_of(std::size_t bytes) {
  switch (bytes) {
    case 1: return DType::int8;
    case 2: return DType::int16;
    case 4: return DType::int32;
    default: return DType::int64;
  }
}

DType promote_integers(DType a, DType b) {
  if (is_signed(a) == is_signed(b)) return size_of(a) >= size_of(b) ? a : b;
  const DType s = is_signed(a) ? a : b, u = is_signed(a) ? b : a;
  if (size_of(s) > size_of(u)) return s;
  if (u == DType::uint64) return DType::float64;
  return signed_of(2 * size_of(u));
}

DType promote_floats(DType a, DType b) {
  if (size_of(a) != size_of(b)) return size_of(a) > size_of(b) ? a : b;
  return DType::float32;  // float16 with bfloat16
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_bool(a)) return b;
  if (is_bool(b)) return a;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  if (is_integer(a)) return b;
  if (is_integer(b)) return a;
  if (is_float(a) && is_float(b)) return promote_floats(a, b);
  const bool wide = a == DType::complex128 || b == DType::complex128 || a == DType::float64 ||
                    b == DType::float64;
  return wide ? DType::complex128 : DType::complex64;
}

DType promote_weak(DType t, DType weak) {
  if (is_bool(weak)) return t;
  if (is_bool(t)) return weak;
  if (is_complex(weak)) return is_integer(t) ? DType::complex128 : complex_of(t);
  return is_float(weak) && is_integer(t) ? DType::float64 : t;
}

DType accumulated(DType t) {
  if (is_bool(t) || is_signed(t)) return DType::int64;
  return is_unsigned(t) ? DType::uint64 : t;
}

DType inexact(DType t) { return is_inexact(t) ? t : DType::float64; }

int normalize_axis(std::int64_t axis, int rank, std::string_view what) {
  if (axis < -rank || axis >= rank) {
    what = name_of_call_or(what);
    throw IndexError(rank == 0
                         ? fmt::format("{}: expected no axis of a scalar, found {}", what, axis)
                         : fmt::format("{}: expected an axis from {} to {}, found {}", what, -rank,
                                       rank - 1, axis));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace gnomon
