// What the losses of stdlib/networks/losses.h end with.
#pragma once

#include "stdlib/networks/losses.h"

namespace gnomon::nn {

/// The losses of all elements as `reduction` says.
Expr reduced(const Expr& losses, Reduction reduction);

}  // namespace gnomon::nn
