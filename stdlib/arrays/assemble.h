// An array that is made of boxes: what rewriting makes of joins of joins.
#pragma once

#include <vector>

#include "ir/op/op.h"

namespace gnomon {

namespace op {
/// Attributes: the shape, and the starts of all boxes, one behind the other. Rules make it, so it
/// is in no table.
extern const Op assemble;
}  // namespace op

/// A value, and where its first element stands.
struct PlacedBox {
  Value value;
  Shape start;
};

/// The array of this shape that the boxes make up: each of its elements is in one of them.
Value assemble(const std::vector<PlacedBox>& boxes, const Shape& shape);

/// Those of such an array.
std::vector<PlacedBox> boxes_of(const Node& assembled);

}  // namespace gnomon
