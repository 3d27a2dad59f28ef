// Records of the leaves, the cast and the extent.
#include "ir/graph/leaf.h"

#include <fmt/format.h>

#include <memory>

#include "runtime/error.h"

namespace gnomon {

namespace {

Type declared_type(TypeContext& c, std::size_t dtype_at) {
  Type type{c.attributes[dtype_at].dtype(), c.attributes[dtype_at + 1].dims()};
  for (const Dim& d : type.shape)
    if (d.is_constant() && d.constant() < 0)
      c.refuse("expected extents of at least 0, found " + type.text());
  return type;
}

std::vector<Type> constant_type(TypeContext& c) {
  const Array& array = c.attributes[0].array();
  if (!array.defined()) c.fail("expected an array, found none");
  Type type{array.dtype(), {}};
  for (const std::int64_t extent : array.shape()) type.shape.emplace_back(extent);
  return {type};
}

std::vector<Type> cast_type(TypeContext& c) {
  const DType to = c.attributes[0].dtype();
  if (is_complex(c.type(0).dtype) && !is_complex(to) && !is_bool(to))
    c.fail(fmt::format("expected a complex dtype or bool for {}, found {}; use real or imag",
                       describe(c.operands[0]), name_of(to)));
  return {Type{to, c.type(0).shape}};
}

std::vector<Type> extent_type(TypeContext& c) {
  if (c.attributes[0].dims().size() != 1) c.fail("expected one dimension");
  return {Type{DType::int64, {}}};
}

/// Symbols of shared variables: their own range, so that each leaf of a variable has the same.
std::uint64_t shared_symbol(std::uint64_t id, int axis) {
  return (std::uint64_t{1} << 63) + id * max_rank + static_cast<std::uint64_t>(axis);
}

}  // namespace

constinit const Op op::input{
    .name = "input",
    .doc = "An argument of a function.",
    .operands = 0,
    .attributes = {{"id", Attribute::Kind::opaque},
                   {"name", Attribute::Kind::string},
                   {"dtype", Attribute::Kind::dtype},
                   {"shape", Attribute::Kind::dim_list}},
    .type = [](TypeContext& c) { return std::vector<Type>{declared_type(c, 2)}; },
    .traits = {Trait::never_fold}};

constinit const Op op::shared_variable{
    .name = "shared_variable",
    .doc = "The value of a shared variable when a call begins.",
    .operands = 0,
    .attributes = {{"id", Attribute::Kind::opaque},
                   {"name", Attribute::Kind::string},
                   {"dtype", Attribute::Kind::dtype},
                   {"shape", Attribute::Kind::dim_list}},
    .type = [](TypeContext& c) { return std::vector<Type>{declared_type(c, 2)}; },
    .traits = {Trait::never_fold}};

constinit const Op op::param{
    .name = "param",
    .doc = "A parameter of a closed graph, by position.",
    .operands = 0,
    .attributes = {{"index", Attribute::Kind::integer},
                   {"dtype", Attribute::Kind::dtype},
                   {"shape", Attribute::Kind::dim_list}},
    .type = [](TypeContext& c) { return std::vector<Type>{declared_type(c, 1)}; },
    .traits = {Trait::never_fold}};

constinit const Op op::constant{.name = "constant",
                                .doc = "An array known when the expression is built.",
                                .operands = 0,
                                .attributes = {{"value", Attribute::Kind::array}},
                                .type = constant_type};

constinit const Op op::cast{
    .name = "cast",
    .doc =
        "The operand with another dtype. To an integer: toward zero, the nearest bound when out "
        "of range, 0 for NaN; to bool: whether it is not 0. Complex numbers become complex or "
        "bool.",
    .operands = 1,
    .attributes = {{"dtype", Attribute::Kind::dtype}},
    .type = cast_type,
    .element =
        [](Element& e, const Node& node, std::uint32_t, std::span<const Scalar> index) {
          return e.cast(e.operand(0, index), node.attribute(0).dtype());
        },
    .linear = 1,
    .transpose = [](const Transpose& t) { return gnomon::cast(t.dy, t.x[0].dtype()); }};

constinit const Op op::extent{
    .name = "extent",
    .doc = "The value of a dimension.",
    .operands = 0,
    .attributes = {{"extent", Attribute::Kind::dim_list}},
    .type = extent_type,
    .element = [](Element& e, const Node& node, std::uint32_t, std::span<const Scalar>) {
      return e.extent(node.attribute(0).dims()[0]);
    }};

bool is_leaf(const Op& op) {
  return &op == &op::input || &op == &op::shared_variable || &op == &op::param;
}

std::string leaf_name(const Value& v) {
  if (v.is(op::input) || v.is(op::shared_variable)) return v.node().attribute(1).string();
  return {};
}

Value make_param(std::int64_t index, const Type& type) {
  return make_node(op::param, {}, {index, type.dtype, type.shape});
}

std::size_t param_index(const Node& param) {
  return static_cast<std::size_t>(param.attribute("index").integer());
}

Value make_constant(const Array& array) { return make_node(op::constant, {}, {array}); }

Value extent_value(const Dim& d) {
  if (d.is_constant()) return make_constant(Array(d.constant()));
  if (const AtomRef atom = d.atom(); atom && atom->kind == Atom::Kind::value) return *atom->scalar;
  return make_node(op::extent, {}, {Shape{d}});
}

Expr shared_leaf(const Shared& variable) {
  Shape shape;
  for (int axis = 0; axis < variable.rank(); ++axis) {
    const std::int64_t extent = variable.shape()[static_cast<std::size_t>(axis)];
    shape.push_back(extent >= 0 ? Dim(extent)
                                : Dim::symbol(shared_symbol(variable.id(), axis),
                                              fmt::format("{}.{}", variable.name(), axis)));
  }
  const Opaque id{variable.id(), 0, std::make_shared<const Shared>(variable)};
  return Expr(make_node(op::shared_variable, {},
                        {id, variable.name(), variable.dtype(), std::move(shape)}));
}

const Shared& shared_of(const Value& leaf) {
  if (!leaf.is(op::shared_variable))
    throw InternalError("shared_of: expected a shared variable, found " + describe(leaf));
  return *static_cast<const Shared*>(leaf.node().attribute(0).opaque().object.get());
}

}  // namespace gnomon
