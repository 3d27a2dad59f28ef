// Callbacks of breakpoints: functions of the host that generated code calls by number.
#pragma once

#include <cstdint>
#include <functional>

#include "runtime/arrays/array.h"
#include "runtime/arrays/shared.h"

namespace gnomon {

/// Gets the value at a breakpoint. What it throws ends the call, whose caller gets it.
using BreakpointCallback = std::function<void(const Array&)>;

/// A variable whose value is the number of the callback, which lives as long as the variable. So
/// code does not depend on the callback, and graphs keep it. ValueError: no function.
Shared breakpoint_variable(BreakpointCallback callback);

/// Calls a callback. ValueError: no variable of this process has that number, as where a function
/// with a breakpoint comes from a file.
void run_breakpoint(std::int64_t number, const Array& value);

}  // namespace gnomon
