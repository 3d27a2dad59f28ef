// What the derivative of a body reads of the body's own values, where that is kept and not computed
// once more.
#pragma once

#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// Whether a node is a product of so many multiplications that it is worth an array to make it
/// once, or in one with others.
bool is_large_product(const Node& node);

struct Residuals {
  /// Values of the body, over its parameters.
  std::vector<Value> kept;
  /// The derivative, with a parameter for each of them behind the others.
  Body derivative;
};

/// For a derivative with the parameters of the body, and others behind: what is kept of the values
/// that depend on the first `varying` parameters. These are products, routines and loops that it
/// would compute again, or what is made of them alone and is no larger; and the few elements that
/// it reads of a large parameter, if it reads no others.
Residuals residuals_of(const Body& body, const Body& derivative, std::size_t varying);

}  // namespace gnomon
