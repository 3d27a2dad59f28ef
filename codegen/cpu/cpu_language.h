// C++ for Clang, in which kernels for processors are spelled.
#pragma once

#include "codegen/text/language.h"

namespace gnomon {

/// Lanes are explicit vectors, and a parallel axis is shared out over threads by `call.parallel`.
extern const Language cpu_language;

}  // namespace gnomon
