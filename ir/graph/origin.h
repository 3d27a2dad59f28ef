// The places that messages name: of nodes, and that which counts while an OriginScope is open.
#pragma once

#include <string>

#include "ir/graph/node.h"

namespace gnomon {

/// The origin of the outermost open OriginScope of this thread; `at` when none is open.
Origin scoped_origin_or(const Origin& at);

/// The first line of the user's that a node comes from; none if it is not known.
Origin first_origin(const Node& node);
/// " [model.py:12]", as messages end with it, or "" for no place.
std::string bracketed(const Origin& at);

}  // namespace gnomon
