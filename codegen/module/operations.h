// How many operations on floating-point numbers a step does.
#pragma once

#include <optional>

#include "codegen/module/module.h"

namespace gnomon {

/// Additions and multiplications count 1 each, other functions what their records say they cost in
/// additions. `dtype` is that of the numbers; of several the widest.
struct Operations {
  Dim count = 0;  // 0: none, or data tell how many
  std::optional<DType> dtype;
};

/// Without those of the steps inside it.
Operations operations_of(const Module& module, const Step& step);

}  // namespace gnomon
