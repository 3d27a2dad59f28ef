// What ops over windows of an image share: their lists of numbers, and how many windows there are.
#pragma once

#include <string_view>

#include "ir/op/op.h"

namespace gnomon {

/// `list` with one number for each axis, when it has one for all of them.
IntList for_axes(const IntList& list, std::size_t axes);
/// The same for pairs: before and behind each axis.
IntList pairs_for_axes(const IntList& list, std::size_t axes);

/// TypeError unless `list` has a number of at least 1 for each axis.
void check_positive(const TypeContext& context, std::string_view what, const IntList& list,
                    std::size_t axes);
/// TypeError unless `padding` has a pair of numbers of at least 0 for each axis.
void check_padding(const TypeContext& context, const IntList& padding, std::size_t axes);

/// The elements of x that stand `step` apart on the last axes, `count` in all from `first` on.
Expr spaced_elements(const Expr& x, const IntList& first, const IntList& step, const Shape& count);

/// How many windows that reach over `reach` elements stand on an axis: an error unless it is at
/// least one.
Dim windows_along(const TypeContext& context, const Dim& extent, const Dim& reach,
                  std::int64_t stride, std::int64_t before, std::int64_t behind);

}  // namespace gnomon
