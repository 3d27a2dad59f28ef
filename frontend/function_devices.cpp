// Devices by options, by variables, and by transfers in the graph.
#include "frontend/function_devices.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/places.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "runtime/options.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Of a transfer to a device by its name.
std::optional<DeviceName> named_by(const Node& node) {
  if (&node.op() != &op::transfer) return std::nullopt;
  const std::string& name = node.attribute("device").string();
  return name.empty() ? std::nullopt : std::optional(device_named(name));
}

}  // namespace

std::string device_of_variables(const Closed& closed) {
  std::string found;
  for (const Value& leaf : closed.shared) {
    const Shared& variable = shared_of(leaf);
    if (variable.home().is_host()) continue;
    const std::string home = variable.home().text();
    if (!found.empty() && home != found)
      throw ValueError(fmt::format(
          "compile: expected variables of one device, found {} of {} and others of {}: name the "
          "device that the function is for",
          variable.name(), home, found));
    found = home;
  }
  return found;
}

std::vector<DeviceName> devices_of(const CompileOptions& options, const Graph& graph) {
  std::vector<DeviceName> found;
  std::optional<DeviceName> own;
  if (!options.device.empty() || environment("GNOMON_DEVICE")) own = device_of(options);
  if (own && !own->is_host()) found.push_back(*own);
  for (const Node* node : nodes_with_bodies(graph)) {
    const auto device = named_by(*node);
    if (!device || device->is_host()) continue;
    if (!own) own = device;
    if (device->kind != own->kind)
      throw ValueError(fmt::format(
          "transfer: expected a device of the kind of {}, which the function is for, found {}{}",
          own->text(), device->text(), lines_of(*node)));
    if (std::ranges::find(found, *device) == found.end()) found.push_back(*device);
  }
  return found;
}

std::optional<DeviceName> transferred_to(const Value& v) { return named_by(v.node()); }

void refuse_transfers(const Graph& graph, const std::string& function) {
  for (const Node* node : nodes_with_bodies(graph))
    if (const auto device = named_by(*node))
      throw ValueError(fmt::format(
          "export: {}: expected one device for all of a library, found a transfer to {}{}",
          function, device->text(), lines_of(*node)));
}

}  // namespace gnomon
