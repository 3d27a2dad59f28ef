// Prints graphs with their arrays apart, and makes expressions of texts that nobody vouches for.
#include "frontend/files/graph_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <set>
#include <utility>

#include "frontend/files/file.h"
#include "ir/graph/close.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Those that the last passes make are not for users.
const Op* find_user_op(std::string_view name) {
  const Op* found = find_op(name);
  const auto all = all_ops();
  return std::find(all.begin(), all.end(), found) == all.end() ? nullptr : found;
}

// Reads arrays by their places in a list.
auto array_reader(std::span<const Array> arrays) {
  return [arrays](std::string_view name, DType, std::span<const std::int64_t>) {
    std::size_t i = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), i);
    if (end.ec != std::errc() || end.ptr != name.data() + name.size() || i >= arrays.size())
      throw ValueError(
          fmt::format("expected one of {} arrays, found the name {}", arrays.size(), name));
    return arrays[i];
  };
}

// Whether all bits are the same.
bool are_same(const Array& a, const Array& b) {
  return a.dtype() == b.dtype() && std::ranges::equal(a.shape(), b.shape()) &&
         bytes_of(a.contiguous()) == bytes_of(b.contiguous());
}

// ------------------------------------------------------------------------ the lines of the program

constexpr std::size_t longest_comment = 4096;  // of at most four places

// File names of origins live for ever.
const char* lasting(std::string_view name) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> names;
  const std::lock_guard lock(mutex);
  const auto at = names.find(name);
  return (at == names.end() ? names.emplace(name).first : at)->c_str();
}

// The places " model.py:3 model.py:7" that are all of a comment; none if it says anything else.
std::vector<Origin> places_in(std::string_view comment) {
  std::vector<Origin> places;
  while (!comment.empty()) {
    if (comment.front() != ' ') return {};
    comment.remove_prefix(1);
    const std::string_view place = comment.substr(0, comment.find(' '));
    comment.remove_prefix(place.size());
    const std::size_t colon = place.rfind(':');
    std::uint32_t line = 0;
    const char* const end = place.data() + place.size();
    if (colon == std::string_view::npos || colon == 0 || place.find(':') != colon) return {};
    const auto [stop, error] = std::from_chars(place.data() + colon + 1, end, line);
    if (error != std::errc() || stop != end) return {};
    places.push_back({lasting(place.substr(0, colon)), line});
  }
  return places;
}

// The user's lines that stand as comments after the lines of the outermost graph, by position.
std::vector<std::pair<std::size_t, Origin>> origins_in(std::string_view text) {
  std::vector<std::pair<std::size_t, Origin>> found;
  std::size_t node = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.starts_with("  %")) {
      std::from_chars(line.data() + 3, line.data() + line.size(), node);
    } else if (!line.starts_with("  }")) {
      continue;
    }
    const std::size_t hash = line.rfind("  #");
    if (hash == std::string_view::npos || line.size() - hash > longest_comment) continue;
    for (const Origin& place : places_in(line.substr(hash + 3))) found.emplace_back(node, place);
  }
  return found;
}

// ------------------------------------------------------------------------------------- expressions

// What of the body's checks operations over the arguments no longer ask for. An extent may stand
// for another there that it was found to equal.
std::vector<EntryCheck> lost_checks(const Graph& graph, std::span<const Value> arguments,
                                    const InlinedBody& body) {
  std::vector<SignatureLeaf> leaves;
  for (const Value& v : arguments) leaves.push_back({v, {}, false});
  const std::vector<EntryCheck> asked = close_graph("graph", leaves, body.outputs, true).checks;
  Graph lost = graph;
  std::erase_if(lost.checks, [&](const EntryCheck& check) {
    return std::ranges::any_of(asked, [&](const EntryCheck& other) {
      return check.left == other.left && check.right == other.right;
    });
  });
  if (lost.checks.empty()) return {};
  return checks_of_body(lost, arguments, inline_whole_body(lost, arguments).checked_scalars);
}

// ---------------------------------------------------------------------------------- the signature

// The values that stand for the parameters: new inputs with symbols of their own, and the given
// variables.
class ImportedSignature {
 public:
  ImportedSignature(const Graph& graph, std::span<const SharedVariable> shared)
      : graph_(graph), shared_(shared), variable_of_(graph.parameters.size(), nullptr) {
    arguments_ = signature_inputs(graph, variables());
    for (std::size_t i = 0; i < variable_of_.size(); ++i)
      if (variable_of_[i] != nullptr) check_fits(i);
  }

  std::span<const Value> arguments() const { return arguments_; }
  const SharedVariable& variable(int parameter) const {
    const SharedVariable* const v = variable_of_.at(static_cast<std::size_t>(parameter));
    if (v == nullptr) throw ValueError("import_graph: expected updates of shared variables");
    return *v;
  }
  std::vector<Expr> inputs() const {
    std::vector<Expr> list;
    for (std::size_t i = 0; i < variable_of_.size(); ++i)
      if (variable_of_[i] == nullptr) list.emplace_back(arguments_[i]);
    return list;
  }

 private:
  // Those of the parameters that are shared variables.
  std::vector<Value> variables() {
    std::vector<Value> values(variable_of_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Parameter& p = graph_.parameters[i];
      if (!p.shared) continue;
      if (count >= shared_.size())
        throw ValueError(fmt::format("import_graph: expected a shared variable for {}, found {}",
                                     p.name, shared_.size()));
      variable_of_[i] = &shared_[count++];
      values[i] = variable_of_[i]->value();
    }
    if (count != shared_.size())
      throw ValueError(fmt::format("import_graph: expected {} shared variables, found {}", count,
                                   shared_.size()));
    return values;
  }

  void check_fits(std::size_t i) const {
    const Parameter& p = graph_.parameters[i];
    const Value& v = arguments_[i];
    bool fits = v.dtype() == p.type.dtype && v.rank() == p.type.rank();
    for (std::size_t k = 0; fits && k < p.type.shape.size(); ++k) {
      const Dim &want = p.type.shape[k], &have = v.shape()[k];
      fits = !want.is_constant() || !have.is_constant() || want == have;
    }
    if (!fits)
      throw TypeError(fmt::format("import_graph: expected {}: {}, found {}", p.name, p.type.text(),
                                  describe(v)));
  }

  const Graph& graph_;
  std::span<const SharedVariable> shared_;
  std::vector<const SharedVariable*> variable_of_;  // of each parameter; null for an input
  std::vector<Value> arguments_;
};

}  // namespace

GraphText print_apart(const Graph& graph) {
  GraphText result;
  PrintOptions options;
  options.write_array = [&result](const Array& a) {
    result.arrays.push_back(a);
    return std::to_string(result.arrays.size() - 1);
  };
  result.text = print_graph(graph, options);
  return result;
}

Graph parse_apart(std::string_view text, std::span<const Array> arrays) {
  ParseOptions options;
  options.find_op = find_user_op;
  options.untrusted = true;
  options.read_array = array_reader(arrays);
  return parse_graph(text, options);
}

std::string laid_out(std::string_view text, std::size_t head, std::span<const Array> arrays) {
  parse_apart(text, arrays);
  ParseOptions parsing;
  parsing.find_op = find_user_op;
  parsing.read_array = array_reader(arrays);
  TextComments comments;
  parsing.comments = &comments;
  const Graph graph = parse_graph(text, parsing);
  comments.head.erase(
      comments.head.begin(),
      comments.head.begin() + static_cast<std::ptrdiff_t>(std::min(head, comments.head.size())));
  PrintOptions printing;
  printing.comments = &comments;
  printing.write_array = [arrays](const Array& a) -> std::string {
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (are_same(a, arrays[i])) return std::to_string(i);
    return {};
  };
  return print_graph(graph, printing);
}

std::vector<Expr> expressions_over(std::span<const Value> arguments, const Graph& graph,
                                   std::string_view text) {
  Graph all = graph;
  const std::vector<const Node*> order = graph.topological_order();
  for (const Node* node : order) all.outputs.emplace_back(node, 0);
  InlinedBody body = inline_whole_body(all, arguments);
  std::set<std::size_t> bare;  // nodes that nothing told the lines of yet
  for (std::size_t i = 0; i < order.size(); ++i)
    if (body.outputs[graph.outputs.size() + i].node().origins().empty()) bare.insert(i);
  for (const auto& [position, origin] : origins_in(text))
    if (position < order.size() && bare.contains(position))
      body.outputs[graph.outputs.size() + position].node().add_origin(origin);
  body.outputs.resize(graph.outputs.size());
  std::vector<Expr> outputs(body.outputs.begin(), body.outputs.end());
  for (const EntryCheck& check : lost_checks(graph, arguments, body)) {
    const OriginScope place(check.origins.empty() ? Origin() : check.origins[0]);
    for (Expr& output : outputs)
      output = where_equal(output, {check.left}, {check.right}, check.message);
  }
  return outputs;
}

ExportedGraph export_graph(std::span<const Expr> inputs, std::span<const Output> outputs,
                           std::span<const Update> updates) {
  std::vector<Expr> results;
  std::vector<std::string> names;
  for (const Output& o : outputs) {
    results.push_back(o.value);
    names.push_back(o.name);
  }
  std::vector<CaptureUpdate> changes;
  for (const Update& u : updates) changes.push_back({u.variable.value(), u.value.value()});
  const Captured captured = capture(inputs, results, names, changes);
  ExportedGraph exported{print_apart(captured.graph), {}};
  for (const Value& leaf : captured.shared) exported.shared.emplace_back(shared_of(leaf));
  return exported;
}

ImportedGraph import_graph(std::string_view text, std::span<const Array> arrays,
                           std::span<const SharedVariable> shared) {
  const OriginPause pause;  // what is made has the lines of the text
  const Graph graph = parse_apart(text, arrays);
  const ImportedSignature signature(graph, shared);
  const std::vector<Expr> values = expressions_over(signature.arguments(), graph, text);
  ImportedGraph imported{signature.inputs(), {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Result& result = graph.results[i];
    if (result.updates >= 0)
      imported.updates.push_back({signature.variable(result.updates), values[i]});
    else
      imported.outputs.emplace_back(result.name, values[i]);
  }
  return imported;
}

}  // namespace gnomon
