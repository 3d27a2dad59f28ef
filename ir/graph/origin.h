// The place that counts while an OriginScope is open, for messages that no node gives.
#pragma once

#include "ir/graph/node.h"

namespace gnomon {

/// The origin of the outermost open OriginScope of this thread; `at` when none is open.
Origin scoped_origin_or(const Origin& at);

}  // namespace gnomon
