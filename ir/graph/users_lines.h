// Which lines are the user's.
#pragma once

#include "ir/graph/node.h"

namespace gnomon {

/// Whether a place is a line that errors may name: none of the library's own, nor of the standard
/// library's, and none at all in a process without lines of C++.
bool is_line_of_user(const Origin& at);

}  // namespace gnomon
