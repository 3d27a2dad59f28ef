// Graphs to be looked at: texts, pictures, and the nodes that gnomon._tools.show draws.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <unordered_map>

#include "frontend/python/src/core.h"
#include "ir/graph/close.h"
#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "ir/text/dot.h"
#include "ir/text/text.h"

namespace gnomon::python {

namespace {

std::vector<Value> values_of(nb::handle exprs) {
  std::vector<Value> values;
  for (const nb::handle item : nb::iter(exprs)) values.push_back(to_arg(item).value());
  return values;
}

Graph shown_graph(nb::handle exprs) {
  const std::vector<Value> roots = values_of(exprs);
  Graph graph = close_graph("graph_text", signature_leaves(roots), roots, false);
  graph.results.resize(roots.size());
  return graph;
}

std::string graph_text(nb::handle exprs) { return print_graph(shown_graph(exprs)); }
std::string dot_text(nb::handle exprs) { return to_dot(shown_graph(exprs)); }

nb::object attribute_object(const Attribute& a) {
  switch (a.kind()) {
    case Attribute::Kind::integer: return nb::cast(a.integer());
    case Attribute::Kind::real: return nb::cast(a.real());
    case Attribute::Kind::flag: return nb::cast(a.flag());
    case Attribute::Kind::dtype: return nb::cast(std::string(name_of(a.dtype())));
    case Attribute::Kind::int_list: return nb::cast(fmt::format("({})", fmt::join(a.ints(), ", ")));
    case Attribute::Kind::dim_list: return nb::cast(text(a.dims()));
    case Attribute::Kind::string: return nb::cast(a.string());
    case Attribute::Kind::body: return nb::cast(std::string("..."));
    case Attribute::Kind::array: return nb::cast(a.array().to_string());
    case Attribute::Kind::opaque: return nb::none();
  }
  return nb::none();
}

// The nodes that expressions need, operands first: (op, name, operands as (position, output),
// attributes, types), then the expressions as (position, output).
nb::tuple nodes_of(nb::handle exprs) {
  const std::vector<Value> roots = values_of(exprs);
  std::unordered_map<const Node*, std::size_t> position;
  const auto place = [&](const Value& v) {
    return nb::make_tuple(position.at(v.get()), v.index());
  };
  nb::list nodes, results;
  for (const Node* node : topological_order(roots)) {
    nb::list operands, types;
    for (const Value& operand : node->operands()) operands.append(place(operand));
    for (const Type& type : node->types()) types.append(type.text());
    nb::dict attributes;
    std::size_t i = 0;
    const bool leaf = is_leaf(node->op());
    for (const AttributeSpec& spec : node->op().attributes) {
      const nb::object value = attribute_object(node->attribute(i++));
      if (!leaf) attributes[nb::str(spec.name.data(), spec.name.size())] = value;
    }
    position.emplace(node, position.size());
    nodes.append(nb::make_tuple(std::string(node->op().name), leaf_name(Value(node, 0)), operands,
                                attributes, types));
  }
  for (const Value& root : roots) results.append(place(root));
  return nb::make_tuple(nodes, results);
}

}  // namespace

void add_shown(nb::module_& m) {
  using namespace nb::literals;
  m.def("graph_text", graph_text, "exprs"_a);
  m.def("dot_text", dot_text, "exprs"_a);
  m.def("nodes_of", nodes_of, "exprs"_a);
}

}  // namespace gnomon::python
