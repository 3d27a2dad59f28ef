// The steps of a module as people know them, and those that profiles count and time.
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
std::vector<ProfiledStep> named_steps(const Module& module);
/// The same of a module that is to count them, nothing of others.
std::vector<ProfiledStep> profiled_steps(const Module& module);
/// Its kind and what it makes: "kernel k1: tanh(dot)"; "a choice" and the like if it has no name.
std::string name_of_step(const Module& module, const Step& step);
/// What a buffer holds: "x", or "f64[n]" if it has no name.
std::string name_of_buffer(const Module& module, int buffer);
/// State k of a loop: "state 0 of the loop: f64[n], first x".
std::string name_of_state(const Module& module, const LoopStep& loop, std::size_t k);

}  // namespace gnomon
