// The types that compiled code sees in place of the user's.
#pragma once

#include "ir/op/type.h"
#include "runtime/arrays/representation.h"

namespace gnomon {

/// The type of the same memory for compiled code: complex [...] is floats [..., 2], a half uint16.
inline Type native_type(Type t) {
  if (const int parts = native_parts(t.dtype); parts > 1) t.shape.emplace_back(parts);
  t.dtype = native_dtype(t.dtype);
  return t;
}

}  // namespace gnomon
