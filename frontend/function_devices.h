// The devices that a function runs on.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/close_function.h"
#include "frontend/compile_options.h"

namespace gnomon {

/// Where a function runs whose options do not say it: where its variables were made, or where it
/// transfers a value to first; "": neither. ValueError: variables of several devices.
std::string device_of_function(const Closed& closed);

/// Its own device, then others that it transfers values to; none, of a function for the processor.
/// ValueError: they are not of one kind.
std::vector<DeviceName> devices_of(const CompileOptions& options, const Graph& graph);

/// The device that a value was transferred to as the last thing; none: it was not.
std::optional<DeviceName> transferred_to(const Value& v);

/// ValueError: the graph transfers a value to a device by name, which an exported library cannot.
void refuse_transfers(const Graph& graph, const std::string& function);

}  // namespace gnomon
