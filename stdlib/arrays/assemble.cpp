// Type and places of arrays that are made of boxes.
#include "stdlib/arrays/assemble.h"

#include <utility>

#include "ir/graph/graph.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::vector<Type> assemble_type(TypeContext& context) {
  return {Type{context.type(0).dtype, context.attributes[0].dims()}};
}

std::vector<Scalar> assemble_position(Element& e, const Node& node, int operand,
                                      std::span<const Scalar> index) {
  const std::size_t rank = node.type().shape.size();
  const auto starts = node.attribute("starts").dims();
  std::vector<Scalar> position(index.begin(), index.end());
  for (std::size_t i = 0; i < rank; ++i) {
    const Dim& start = starts[static_cast<std::size_t>(operand) * rank + i];
    if (!start.is(0)) position[i] = e.add(position[i], e.extent(start));
  }
  return position;
}

}  // namespace

constinit const Op op::assemble{
    .name = "assemble",
    .doc = "Operand k is the box that starts at `starts`[k].",
    .operands = -1,
    .at_least = 1,
    .attributes = {{"shape", Attribute::Kind::dim_list}, {"starts", Attribute::Kind::dim_list}},
    .type = assemble_type,
    .write = {.every = true, .position = assemble_position}};

Value assemble(const std::vector<PlacedBox>& boxes, const Shape& shape) {
  std::vector<Value> values;
  Shape starts;
  for (const PlacedBox& box : boxes) {
    values.push_back(box.value);
    starts.insert(starts.end(), box.start.begin(), box.start.end());
  }
  return make_node(op::assemble, std::move(values), {Attribute(shape), Attribute(starts)});
}

std::vector<PlacedBox> boxes_of(const Node& assembled) {
  const std::size_t rank = assembled.type().shape.size();
  const auto starts = assembled.attribute("starts").dims();
  std::vector<PlacedBox> boxes;
  for (std::size_t k = 0; k < assembled.operands().size(); ++k) {
    const auto first = starts.begin() + static_cast<std::ptrdiff_t>(k * rank);
    boxes.push_back({assembled.input(k), Shape(first, first + static_cast<std::ptrdiff_t>(rank))});
  }
  return boxes;
}

}  // namespace gnomon
