// The functions that the header of an exported library declares, as a unit of C++.
#pragma once

#include <string>
#include <vector>

#include "codegen/toolchain/build.h"
#include "frontend/export/interface.h"

namespace gnomon {

/// They check arguments, choose the code for the processor, lend it the caller's memory and
/// threads, and tell of failures: see stdlib/prelude/export.
Unit calls_unit(const Interface& library);

/// The weights and the first values of variables, as bytes.
Unit values_unit(const Interface& library);

}  // namespace gnomon
