// Reads what the ops of services say in their attributes.
#include "ir/op/forms.h"

#include <span>
#include <string_view>

namespace gnomon {

namespace {

// The attribute of a name, or null.
const Attribute* find(const Op& op, const Attributes& attributes, std::string_view name) {
  std::size_t i = 0;
  for (const AttributeSpec& spec : op.attributes) {
    if (spec.name == name) return &attributes[i];
    ++i;
  }
  return nullptr;
}

bool is_set(const Op& op, const Attributes& attributes, std::string_view name) {
  const Attribute* const flag = find(op, attributes, name);
  return flag != nullptr && flag->flag();
}

}  // namespace

ProductForm product_form(const Attributes& attributes) {
  if (attributes.empty()) return {};
  return {attributes[0].flag(), attributes[1].flag(), attributes[2].real(), attributes[3].real()};
}

Attributes attributes_of(const ProductForm& form) {
  return {form.trans_a, form.trans_b, form.alpha, form.beta};
}

ConvolutionForm convolution_form(const Op& op, const Attributes& attributes) {
  return {op.convolution, attributes[0].ints(), attributes[1].ints(), attributes[2].ints(),
          attributes[3].integer()};
}

RoutineForm routine_form(const Op& op, const Attributes& attributes) {
  const RoutineRule& rule = op_of_routine(op).routine;
  RoutineForm form{rule.kind, op.routine.pairs};
  form.lower = is_set(op, attributes, "lower");
  form.transposed = is_set(op, attributes, "transposed") || is_set(op, attributes, "inverse");
  form.complete = is_set(op, attributes, "complete");
  if (const Attribute* const option = find(op, attributes, rule.option))
    form.option = option->integer();
  return form;
}

RoutineExtents routine_extents(const Node& node) {
  const RoutineForm form = routine_form(node);
  const Shape& a = node.input(0).shape();
  RoutineExtents extents{a[a.size() - 2], a.back(), 0,
                         element_count(std::span(a).first(a.size() - 2))};
  if (node.operands().size() > 1) extents.columns = node.operands().back().shape().back();
  if (form.pairs) {
    extents.n = floor_div(extents.n, 2);
    extents.columns = floor_div(extents.columns, 2);
  }
  if (is_fourier(form.kind)) extents.columns = node.type().shape[a.size() - 2];
  return extents;
}

LinesForm lines_form(const Op& op, const Attributes& attributes) {
  LinesForm form{op.lines.kind, {}, is_set(op, attributes, "reverse")};
  if (const Attribute* const axis = find(op, attributes, "axis")) form.axis = axis->integer();
  return form;
}

LinesExtents lines_extents(const Node& node) {
  const Shape &x = node.input(0).shape(), &y = node.type().shape;
  const LinesForm form = lines_form(node);
  if (!form.axis) return {1, element_count(x), 1, element_count(y)};
  const auto axis = static_cast<std::size_t>(*form.axis);
  return {element_count(std::span(x).first(axis)), x[axis],
          element_count(std::span(x).subspan(axis + 1)), y[axis]};
}

}  // namespace gnomon
