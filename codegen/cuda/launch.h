// How a kernel is launched on a device.
#pragma once

#include <optional>

#include "ir/kernel/kernel.h"

namespace gnomon {

inline constexpr int threads_of_warp = 32;

struct Launch {
  int threads = 0;  ///< of a block
  std::optional<Dim>
      blocks;  ///< as many as there is work for; fewer are right, too, unless it is 1.
               ///< Nothing: as many as the device likes
};

Launch launch_of(const Kernel& kernel);

/// Whether it tells of failed checks, and whether blocks have memory of their own.
bool has_checks(const Kernel& kernel);
bool has_scratch(const Kernel& kernel);

}  // namespace gnomon
