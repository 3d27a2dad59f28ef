// Numbers of the machine in cells.
#include "ir/op/numbers.h"

#include <cstring>

namespace gnomon {

Cell cell_load(DType t, const void* data, std::int64_t i) {
  if (t == DType::float16) return cell_make(float{static_cast<const Float16*>(data)[i]});
  if (t == DType::bfloat16) return cell_make(float{static_cast<const BFloat16*>(data)[i]});
  return with_type(t, [&]<class T>(T) { return cell_make(static_cast<const T*>(data)[i]); });
}

void cell_store(DType t, void* data, std::int64_t i, const Cell& cell) {
  if (t == DType::float16) {
    static_cast<Float16*>(data)[i] = Float16(double{cell.f32});
  } else if (t == DType::bfloat16) {
    static_cast<BFloat16*>(data)[i] = BFloat16(double{cell.f32});
  } else {
    with_type(t, [&]<class T>(T) { static_cast<T*>(data)[i] = cell_get<T>(cell); });
  }
}

namespace {

template <class T>
T wrapping(T a, T b, bool multiply) {
  if constexpr (std::is_same_v<T, bool>) {
    return multiply ? a && b : a || b;
  } else if constexpr (std::is_integral_v<T>) {
    const std::uint64_t x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    return static_cast<T>(multiply ? x * y : x + y);
  } else {
    return multiply ? a * b : a + b;
  }
}

}  // namespace

Cell cell_cast(const Cell& cell, DType from, DType to) {
  return with_type(from, [&]<class From>(From) {
    return with_type(
        to, [&]<class To>(To) { return cell_make(convert_number<To>(cell_get<From>(cell))); });
  });
}

Cell cell_add(DType t, const Cell& a, const Cell& b) {
  return with_type(
      t, [&]<class T>(T) { return cell_make(wrapping(cell_get<T>(a), cell_get<T>(b), false)); });
}

Cell cell_multiply(DType t, const Cell& a, const Cell& b) {
  return with_type(
      t, [&]<class T>(T) { return cell_make(wrapping(cell_get<T>(a), cell_get<T>(b), true)); });
}

bool cell_equal(DType t, const Cell& a, const Cell& b) {
  return with_type(t, [&]<class T>(T) { return cell_get<T>(a) == cell_get<T>(b); });
}

bool cell_is_nan(DType t, const Cell& a) {
  return with_type(t, [&]<class T>(T) { return cell_get<T>(a) != cell_get<T>(a); });
}

Cell cell_apply(const Op& op, DType operand_dtype, std::span<const Cell> operands) {
  if (op.scalar.host == nullptr)
    throw InternalError(fmt::format("{}: the op has no host function", op.name));
  if (op.operands >= 0 || operands.size() <= 2) return op.scalar.host(operand_dtype, operands);
  Cell sum = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    const Cell pair[] = {sum, operands[i]};
    sum = op.scalar.host(operand_dtype, std::span<const Cell>(pair, 2));
  }
  return sum;
}

}  // namespace gnomon
