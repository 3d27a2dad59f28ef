// The passes that give numbers their representation in memory, so that nothing after them knows of
// halves and complex numbers. Parameters and outputs come to have their `native_type`.
#pragma once

#include "ir/op/representation.h"
#include "passes/pipeline.h"

namespace gnomon {

/// Whether a parameter or value has a dtype for which `is` holds, in bodies too.
bool has_dtype(const Graph& graph, bool (*is)(DType));

}  // namespace gnomon
