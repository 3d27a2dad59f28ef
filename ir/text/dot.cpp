// Graphviz text of graphs.
#include "ir/text/dot.h"

#include <fmt/format.h>

#include <unordered_map>

#include "ir/graph/leaf.h"
#include "ir/op/op.h"

namespace gnomon {

std::string short_text(const Attribute& a) {
  switch (a.kind()) {
    case Attribute::Kind::integer: return fmt::format("{}", a.integer());
    case Attribute::Kind::real: return fmt::format("{}", a.real());
    case Attribute::Kind::flag: return a.flag() ? "true" : "false";
    case Attribute::Kind::dtype: return std::string(short_name_of(a.dtype()));
    case Attribute::Kind::int_list: return fmt::format("[{}]", fmt::join(a.ints(), ", "));
    case Attribute::Kind::dim_list: return text(a.dims());
    case Attribute::Kind::string: return a.string();
    case Attribute::Kind::body: return "body";
    case Attribute::Kind::array: return a.array().size() <= 8 ? a.array().to_string() : "...";
    case Attribute::Kind::opaque: return fmt::format("#{}", a.opaque().id);
  }
  return {};
}

namespace {

std::string escaped(std::string_view s) {
  std::string out;
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

/// Writes graphs; every graph and body gets a prefix for the names of its nodes.
class DotWriter {
 public:
  void write(const Graph& graph) {
    const int id = next_++;
    std::unordered_map<const Node*, std::string> names;
    for (const Node* node : graph.topological_order()) {
      const std::string name = fmt::format("g{}n{}", id, names.size());
      names.emplace(node, name);
      write_node(graph, *node, name);
      for (std::size_t i = 0; i < node->inputs().size(); ++i)
        out_ += fmt::format("  {} -> {}{};\n", names.at(node->input(i).get()), name,
                            i < node->operands().size() ? "" : " [style=dashed]");
    }
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const std::string result = i < graph.results.size() && !graph.results[i].name.empty()
                                     ? graph.results[i].name
                                     : fmt::format("output {}", i);
      out_ += fmt::format("  g{}o{} [label=\"{}\", shape=ellipse];\n  {} -> g{}o{};\n", id, i,
                          escaped(result), names.at(graph.outputs[i].get()), id, i);
    }
  }

  std::string take() { return "digraph gnomon {\n  node [shape=box];\n" + out_ + "}\n"; }

 private:
  void write_node(const Graph& graph, const Node& node, const std::string& name) {
    std::string label(node.op().name);
    if (&node.op() == &op::param) {
      const auto index = static_cast<std::size_t>(node.attribute(0).integer());
      if (index < graph.parameters.size() && !graph.parameters[index].name.empty())
        label = graph.parameters[index].name;
    } else {
      std::size_t i = 0;
      for (const AttributeSpec& spec : node.op().attributes)
        label += fmt::format("\n{} = {}", spec.name, short_text(node.attribute(i++)));
    }
    for (const Type& type : node.types()) label += '\n' + type.text();
    out_ += fmt::format("  {} [label=\"{}\"];\n", name, escaped(label));
    for (const Attribute& a : node.attributes()) {
      if (a.kind() != Attribute::Kind::body) continue;
      out_ += fmt::format("  subgraph cluster_{} {{\n  label=\"{}\";\n", name, node.op().name);
      write(*a.body());
      out_ += "  }\n";
    }
  }

  int next_ = 0;
  std::string out_;
};

}  // namespace

std::string to_dot(const Graph& graph) {
  DotWriter writer;
  writer.write(graph);
  return writer.take();
}

}  // namespace gnomon
