// Extents that may be 1 where values broadcast: a question to whoever builds the expression.
#pragma once

#include "ir/dimension/dimension.h"

namespace gnomon {

/// Called with two extents that differ as polynomials where values broadcast. A type rule stretches
/// literal extents of 1 only; who knows more of extents may throw, and build anew with a literal 1.
using StretchQuestion = void (*)(const Dim& a, const Dim& b);

/// This thread's question; null where nobody is asked.
StretchQuestion& stretch_question();

/// Asks it of two extents that differ.
inline void ask_to_stretch(const Dim& a, const Dim& b) {
  if (stretch_question() != nullptr && !(a == b)) stretch_question()(a, b);
}

}  // namespace gnomon
