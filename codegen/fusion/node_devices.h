// Where a program wants nodes to run that it transfers to devices.
#pragma once

#include <span>
#include <string>

#include "stdlib/control/devices_of_values.h"

namespace gnomon {

class NodeDevices {
 public:
  /// `names`: of the devices, by number.
  explicit NodeDevices(std::span<const std::string> names) : names_(names) {}

  /// A device's number, or `of_host`: where the program transfers it to, or the function's own.
  int of(const Node& node);
  /// The leaf is where the value is.
  void note(const Value& leaf, const Value& value) { devices_.note(leaf, value); }

 private:
  std::span<const std::string> names_;
  DevicesOfValues devices_;
};

}  // namespace gnomon
