// Expressions as rules of stability write them, before derivatives are taken.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/expr.h"
#include "passes/pipeline.h"

namespace gnomon {

/// The outputs, with each part of elementwise operations on real numbers, and of sums of
/// exponentials, in which a rule of stability, functions or differences fires rewritten; all else
/// is as it was. The derivative of (1 - cos(x)) / x^2 cancels twice, that of its stable form not at
/// all. Values in `fixed`, and what they are made of, stay.
std::vector<Value> stable_forms(std::span<const Value> outputs, std::span<const Value> fixed,
                                Context& context);

}  // namespace gnomon
