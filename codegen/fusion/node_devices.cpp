// Names of devices as numbers.
#include "codegen/fusion/node_devices.h"

#include <algorithm>

#include "codegen/module/service.h"
#include "runtime/error.h"

namespace gnomon {

int NodeDevices::of(const Node& node) {
  const std::optional<std::string>& name = devices_.of(Value(&node, 0));
  if (!name || name->empty()) return 0;
  if (*name == "cpu") return of_host;
  const auto found = std::ranges::find(names_, *name);
  if (found == names_.end()) throw InternalError("lower: no device " + *name);
  return static_cast<int>(found - names_.begin());
}

}  // namespace gnomon
