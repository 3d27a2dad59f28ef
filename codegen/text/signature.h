// The signature of a compiled function as JSON: what a caller without the graph must know.
#pragma once

#include <string>

#include "codegen/module/module.h"

namespace gnomon {

/// Inputs, outputs, failures and messages of a module; read back by the function that runs it.
std::string signature_json(const Module& module, int plan_size);

}  // namespace gnomon
