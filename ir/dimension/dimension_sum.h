// Sums of many dimensions.
#pragma once

#include <span>

#include "ir/dimension/dimension.h"

namespace gnomon {

/// What adding them up one by one gives, without a polynomial for each partial sum.
Dim sum_of(std::span<const Dim> parts);

}  // namespace gnomon
