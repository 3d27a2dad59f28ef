// What type rules ask of extents and positions that only a call may know.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/op/op.h"

namespace gnomon {

/// Whether `d` is at least 0 whatever its atoms are, when symbols and `extents` are. It may be so
/// where this says no.
bool is_never_negative(const Dim& d, std::span<const Dim> extents = {});

/// An extent along a slice of at least one element: what `count` is then, without the maximum that
/// keeps it from being negative.
Dim where_not_empty(const Dim& count);

/// All of them are at least 0: TypeError, or a check of the call where it may be otherwise.
void require_extents(const TypeContext& context, const Shape& shape);

/// The attribute is from `least` to `most`; TypeError: "<op>: expected <what> from ...".
void require_between(const TypeContext& context, std::string_view what, std::int64_t found,
                     std::int64_t least, std::int64_t most);

}  // namespace gnomon
