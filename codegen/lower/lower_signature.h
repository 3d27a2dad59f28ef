// What a module's callers see: parameters, extents and checks at its entry, outputs at its end.
#pragma once

#include "codegen/lower/lowering.h"

namespace gnomon {

/// The buffers of the parameters, the extents they give, the checks of the graph.
void add_parameters(Lowering& lowering);
/// Chooses the values that are made in the memory of an output.
void choose_outputs(Lowering& lowering);
/// The buffers of the outputs, and copies to those that are made elsewhere.
void add_outputs(Lowering& lowering);

}  // namespace gnomon
