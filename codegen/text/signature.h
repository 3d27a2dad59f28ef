// What a module's function tells its callers: the signature, and the layout of its plans.
#pragma once

#include "codegen/module/module.h"
#include "runtime/plan_layout.h"
#include "runtime/signature.h"

namespace gnomon {

PlanLayout layout_of(const Module& module);
Signature signature_of(const Module& module);

}  // namespace gnomon
