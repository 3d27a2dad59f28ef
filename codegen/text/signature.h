// What a module's function tells its callers: the signature, and the layout of its plans.
#pragma once

#include "codegen/module/module.h"
#include "runtime/plan_layout.h"
#include "runtime/signature.h"

namespace gnomon {

class HostNames;

PlanLayout layout_of(const Module& module);
Signature signature_of(const Module& module);
/// The same for whoever has the names already.
Signature signature_of(const Module& module, const HostNames& names);

}  // namespace gnomon
