// float16 and bfloat16 as their bits: what conversions from and to arrays of them are made of.
#include "stdlib/prelude/lanes/half.h"

#include <fmt/format.h>

#include "stdlib/ops.h"
#include "stdlib/scalars/scalar.h"

namespace gnomon {

namespace {

std::vector<Type> half_bits_type(TypeContext& context) {
  const Type& x = context.type(0);
  if (x.dtype != DType::float32 && x.dtype != DType::float64)
    context.fail("expected float32 or float64, found " + describe(context.operands[0]));
  return {Type{DType::uint16, x.shape}};
}

std::vector<Type> half_value_type(TypeContext& context) {
  const Type& bits = context.type(0);
  if (bits.dtype != DType::uint16)
    context.fail("expected uint16, found " + describe(context.operands[0]));
  return {Type{DType::float32, bits.shape}};
}

// The host version of gn::`name` of the bits.
#define GNOMON_OF_BITS(name)                                                         \
  [](DType, std::span<const Cell> x) {                                               \
    return cell_make(gn::name(static_cast<gn::u16>(cell_get<std::uint16_t>(x[0])))); \
  }

}  // namespace

constinit const Op op::float16_bits{
    .name = "float16_bits",
    .doc = "The bits (uint16) of x rounded to float16, to the nearest and ties to even.",
    .operands = 1,
    .type = half_bits_type,
    .scalar = {"gn::float16_bits", "half.h", "", GNOMON_HOST(floats, 1, float16_bits), 2,
               DType::uint16}};

constinit const Op op::float16_value{.name = "float16_value",
                                     .doc = "The float32 with these bits of a float16.",
                                     .operands = 1,
                                     .type = half_value_type,
                                     .scalar = {"gn::float16_value", "half.h", "",
                                                GNOMON_OF_BITS(float16_value), 2, DType::float32}};

constinit const Op op::bfloat16_bits{
    .name = "bfloat16_bits",
    .doc = "The bits (uint16) of x rounded to bfloat16, to the nearest and ties to even.",
    .operands = 1,
    .type = half_bits_type,
    .scalar = {"gn::bfloat16_bits", "half.h", "", GNOMON_HOST(floats, 1, bfloat16_bits), 6,
               DType::uint16}};

constinit const Op op::bfloat16_value{
    .name = "bfloat16_value",
    .doc = "The float32 with these bits of a bfloat16.",
    .operands = 1,
    .type = half_value_type,
    .scalar = {"gn::bfloat16_value", "half.h", "", GNOMON_OF_BITS(bfloat16_value), 2,
               DType::float32}};

}  // namespace gnomon
