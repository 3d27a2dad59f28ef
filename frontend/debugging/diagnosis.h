// Names what made a result wrong: a rewrite rule, a pass, or a kernel.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "frontend/close_function.h"
#include "frontend/compile_options.h"
#include "frontend/debugging/comparison.h"

namespace gnomon {

/// A call whose outputs are not what the graph says.
struct WrongCall {
  const Closed& closed;  // its nodes know their positions
  const CompileOptions& options;
  std::span<const Array> inputs, outputs;
  Expectation& expectation;  // of the captured graph
  const WrongResult& wrong;
};

/// Compiles parts anew and evaluates them. Nothing where it is a rewrite that gives a number in
/// the place of an overflow, as rewrites of level `all` may.
std::optional<std::string> diagnose(const WrongCall& call);

}  // namespace gnomon
