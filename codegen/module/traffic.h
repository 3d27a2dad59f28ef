// How many bytes of memory a step touches.
#pragma once

#include "codegen/module/module.h"

namespace gnomon {

/// The bytes that a step reads and writes, without those of the steps inside it: each element of a
/// buffer counts once, though caches may be asked for it many times. Where a kernel goes to places
/// that data tell, it touches no more elements than it makes accesses.
Dim bytes_touched(const Module& module, const Step& step);

}  // namespace gnomon
