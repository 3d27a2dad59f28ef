// Whether all numbers of an array are finite, as fast as memory gives them.
#pragma once

#include "runtime/arrays/array.h"

namespace gnomon {

/// Whether there is no NaN and no infinity. True of integers and bools. `threads`: the most that
/// look at a large array.
bool is_all_finite(const Array& array, int threads = 1);

}  // namespace gnomon
