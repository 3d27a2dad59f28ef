// How numbers lie in the memory that compiled code sees: it knows the bits of halves, and complex
// numbers as pairs of floats, which are the same memory.
#pragma once

#include "runtime/arrays/dtype.h"

namespace gnomon {

/// The dtype that compiled code sees in place of `t`.
constexpr DType native_dtype(DType t) { return is_half(t) ? DType::uint16 : part_of(t); }

/// How many of those one number of `t` is. Where there are more than one, they are a further axis,
/// the last one.
constexpr int native_parts(DType t) { return is_complex(t) ? 2 : 1; }

}  // namespace gnomon
