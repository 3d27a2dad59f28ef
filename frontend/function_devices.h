// The devices that a function runs on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/close_function.h"
#include "frontend/compile_options.h"

namespace gnomon {

/// The device that a function's variables were made on; "": none. ValueError: they are of several.
std::string device_of_variables(const Closed& closed);

/// A function's own device, which is that of its options, or where it transfers a value to first;
/// then others that it transfers values to. None, of a function for the processor. ValueError: they
/// are not of one kind.
std::vector<DeviceName> devices_of(const CompileOptions& options, const Graph& graph);

/// The device that a value was transferred to as the last thing; none: it was not.
std::optional<DeviceName> transferred_to(const Value& v);

/// ValueError: the graph transfers a value to a device by name, which an exported library cannot.
void refuse_transfers(const Graph& graph, const std::string& function);

}  // namespace gnomon
