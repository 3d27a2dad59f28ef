// The steps that a function counts and times when it is compiled with the option `profile`.
#pragma once

#include <string>
#include <vector>

#include "codegen/module/module.h"
#include "runtime/signature.h"

namespace gnomon {

/// A step, and what the signature says of it; its position in the list is its number.
struct ProfiledStep {
  const Step* step;
  SignatureStep about;
};

/// All that take time, in the order in which they are printed: a loop before the steps of its body.
std::vector<ProfiledStep> profiled_steps(const Module& module);

}  // namespace gnomon
