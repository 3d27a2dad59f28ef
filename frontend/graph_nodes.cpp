// Optimises the captured graph of a function once more, and writes its nodes as JSON.
#include "frontend/graph_nodes.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/lower_function.h"
#include "frontend/places.h"
#include "frontend/program.h"
#include "ir/graph/leaf.h"
#include "ir/text/dot.h"

namespace gnomon {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 16;  // of a node

std::int64_t extent_of(const Dim& d) { return d.is_constant() ? d.constant() : -1; }

class NodeList {
 public:
  NodeList(const Graph& graph, const Program& program)
      : graph_(graph), order_(nodes_with_bodies(program.captured)) {
    const std::vector<SignatureStep>& steps = program.signature.steps;
    // The first step of several that say a node, since loops come before what is in them: the last.
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (const std::uint32_t n : steps[i].nodes) step_of_[n] = static_cast<int>(i);
    last_of_step_.resize(steps.size());
    add(graph, "");
  }

  Json json() && { return {{"nodes", std::move(nodes_)}, {"steps", last_of_step_}}; }

 private:
  using Names = std::unordered_map<const Node*, std::string>;

  void add(const Graph& graph, const std::string& scope) {
    Names names;
    for (const Node* node : graph.topological_order()) {
      const std::string name = scope + name_of(graph, *node);
      names.emplace(node, name);
      nodes_.push_back(described(*node, name, names));
      for (const Attribute& a : node->attributes())
        if (a.kind() == Attribute::Kind::body && a.body()) add(*a.body(), name + "/body/");
    }
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const std::string result = i < graph.results.size() ? graph.results[i].name : "";
      nodes_.push_back({{"name", scope + unique(result.empty() ? "output" : "output_" + result)},
                        {"op", "output"},
                        {"inputs", Json::array({reference(graph.outputs[i], names)})},
                        {"attributes", Json::object()},
                        {"types", Json::array({graph.outputs[i].type().text()})},
                        {"shapes", Json::array({shape_of(graph.outputs[i].type())})},
                        {"lines", Json::array()},
                        {"step", -1}});
    }
  }

  // "exp_3": names of parameters as the user's. TensorBoard takes few characters.
  std::string name_of(const Graph& graph, const Node& node) {
    std::string wish(node.op().name);
    if (&node.op() == &op::param) {
      const auto index = static_cast<std::size_t>(node.attribute(0).integer());
      if (index < graph.parameters.size() && !graph.parameters[index].name.empty())
        wish = graph.parameters[index].name;
    }
    return unique(wish);
  }

  std::string unique(const std::string& wish) {
    std::string name;
    for (const char c : wish) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      name += plain || c == '_' || c == '.' ? c : '_';
    }
    if (name.empty() || name[0] == '_') name = "value" + name;
    while (true) {
      const int count = ++used_[name];
      if (count == 1) return name;
      std::string numbered = fmt::format("{}_{}", name, count - 1);
      if (++used_[numbered] == 1) return numbered;
    }
  }

  static std::string reference(const Value& v, const Names& names) {
    const auto at = names.find(v.get());
    const std::string name = at == names.end() ? "" : at->second;
    return v.index() == 0 ? name : fmt::format("{}:{}", name, v.index());
  }

  static Json shape_of(const Type& type) {
    Json shape = Json::array();
    for (const Dim& d : type.shape) shape.push_back(extent_of(d));
    return shape;
  }

  Json described(const Node& node, const std::string& name, const Names& names) {
    Json inputs = Json::array(), attributes = Json::object(), types = Json::array(),
         shapes = Json::array();
    for (const Value& v : node.inputs()) inputs.push_back(reference(v, names));
    std::size_t i = 0;
    for (const AttributeSpec& spec : node.op().attributes) {
      const Attribute& attribute = node.attribute(i++);
      // Nodes of bodies are nodes; numbers of objects are this process's.
      if (attribute.kind() != Attribute::Kind::body && attribute.kind() != Attribute::Kind::opaque)
        attributes[std::string(spec.name)] = short_text(attribute);
    }
    for (const Type& t : node.types()) {
      types.push_back(t.text());
      shapes.push_back(shape_of(t));
    }
    const std::vector<std::uint32_t> positions = graph_.positions_of(&node);
    Places places(most_lines);
    places.add(positions, order_);
    int step = -1;
    for (const std::uint32_t n : positions)
      if (const auto at = step_of_.find(n); at != step_of_.end()) step = std::max(step, at->second);
    if (step >= 0) last_of_step_[static_cast<std::size_t>(step)] = name;
    return {{"name", name},
            {"op", node.op().name},
            {"inputs", inputs},
            {"attributes", attributes},
            {"types", types},
            {"shapes", shapes},
            {"lines", places.lines()},
            {"step", step}};
  }

  const Graph& graph_;
  std::vector<const Node*> order_;
  std::unordered_map<std::uint32_t, int> step_of_;
  std::vector<std::string> last_of_step_;
  std::unordered_map<std::string, int> used_;
  Json nodes_ = Json::array();
};

}  // namespace

std::string graph_nodes(const Function& function) {
  const Program& program = program_of(function);
  const Graph graph = optimized_graph(program);
  return NodeList(graph, program).json().dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gnomon
