// Calls back into the user's own functions from functions that are made of others.
#pragma once

#include <optional>

#include "ir/graph/node.h"

namespace gnomon {

/// While it lives, no OriginScope around it counts: nodes have the lines that made them.
class OriginPause {
 public:
  OriginPause();
  ~OriginPause();
  OriginPause(const OriginPause&) = delete;
  OriginPause& operator=(const OriginPause&) = delete;

 private:
  std::optional<Origin> around_;
};

}  // namespace gnomon
