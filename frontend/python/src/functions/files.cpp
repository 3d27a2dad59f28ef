// Graphs as text with arrays beside it: for files, for pickling, and to be looked at.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <random>
#include <set>
#include <unordered_map>

#include "frontend/python/src/core.h"
#include "ir/graph/close.h"
#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "ir/text/dot.h"
#include "ir/text/text.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// --------------------------------------------------------------------------------- texts of graphs

// Arrays that a text refers to by their position.
struct Bundle {
  std::vector<Array> arrays;

  std::string print(const Graph& graph, bool abbreviate = false) {
    PrintOptions options;
    if (!abbreviate)
      options.write_array = [this](const Array& a) {
        arrays.push_back(a);
        return std::to_string(arrays.size() - 1);
      };
    return print_graph(graph, options);
  }

  nb::list list() const {
    nb::list result;
    for (const Array& a : arrays) result.append(wrap(a, false));
    return result;
  }
};

// Those that the last passes make are not for users.
const Op* find_user_op(std::string_view name) {
  const Op* found = find_op(name);
  const auto all = all_ops();
  return std::find(all.begin(), all.end(), found) == all.end() ? nullptr : found;
}

Graph parse(const std::string& text, nb::handle arrays) {
  std::vector<Array> list;
  for (const nb::handle a : nb::iter(arrays)) list.push_back(to_array(a));
  ParseOptions options;
  options.find_op = find_user_op;
  options.untrusted = true;
  options.read_array = [&list](std::string_view name, DType, std::span<const std::int64_t>) {
    std::size_t i = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), i);
    if (end.ec != std::errc() || end.ptr != name.data() + name.size() || i >= list.size())
      throw ValueError(
          fmt::format("text: expected one of {} arrays, found the name {}", list.size(), name));
    return list[i];
  };
  return parse_graph(text, options);
}

constexpr std::size_t longest_comment = 4096;  // of at most four places

// File names of origins live for ever.
const char* lasting(const std::string& name) {
  static std::set<std::string> names;
  return names.insert(name).first->c_str();
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
    places.push_back({lasting(std::string(place.substr(0, colon))), line});
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

// The outputs over `arguments`, with the lines that the text tells, and with the checks.
std::vector<Expr> inlined(const Graph& graph, std::span<const Value> arguments,
                          const std::string& text) {
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

// ------------------------------------------------------------------------------ whole functions

std::vector<Expr> expressions(nb::handle sequence) {
  std::vector<Expr> exprs;
  for (const nb::handle item : nb::iter(sequence)) exprs.emplace_back(to_arg(item).value());
  return exprs;
}

nb::tuple export_graph(nb::handle inputs, nb::handle outputs, nb::handle names,
                       nb::handle updates) {
  const std::vector<Expr> results = expressions(outputs);
  std::vector<std::string> output_names(results.size());
  if (!names.is_none()) {
    std::size_t i = 0;
    for (const nb::handle name : nb::iter(names)) {
      if (i < output_names.size() && !name.is_none()) output_names[i] = nb::cast<std::string>(name);
      ++i;
    }
  }
  std::vector<CaptureUpdate> changes;
  for (const nb::handle pair : nb::iter(updates))
    changes.push_back({expr_of(pair[0]).value(), to_arg(pair[1]).value()});
  const Captured captured = capture(expressions(inputs), results, output_names, changes);
  Bundle bundle;
  const std::string text = bundle.print(captured.graph);
  nb::list shared;
  for (const Value& leaf : captured.shared)
    shared.append(wrap(SharedVariable(gnomon::shared_of(leaf))));
  return nb::make_tuple(text, bundle.list(), shared);
}

// The values that stand for the parameters: new inputs with symbols of their own, and the given
// variables.
class Signature {
 public:
  Signature(const Graph& graph, nb::handle shared) : graph_(graph) {
    for (const nb::handle variable : nb::iter(shared)) {
      if (python::shared_of(variable) == nullptr)
        throw TypeError("import_graph: expected shared variables");
      shared_.push_back(nb::borrow(variable));
    }
    arguments_ = signature_inputs(graph, variables());
    check_shared();
  }

  std::span<const Value> arguments() const { return arguments_; }
  const nb::object& variable(std::size_t parameter) const {
    return shared_.at(parameter - (size() - shared_.size()));
  }
  nb::list inputs() const {
    nb::list list;
    for (std::size_t i = 0; i < size() - shared_.size(); ++i)
      list.append(wrap(Expr(arguments_[i])));
    return list;
  }

 private:
  std::size_t size() const { return graph_.parameters.size(); }

  // Those of the parameters that are shared variables.
  std::vector<Value> variables() const {
    std::vector<Value> values(size());
    std::size_t k = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const Parameter& p = graph_.parameters[i];
      if (!p.shared) continue;
      if (k >= shared_.size())
        throw ValueError(fmt::format("import_graph: expected a shared variable for {}, found {}",
                                     p.name, shared_.size()));
      values[i] = expr_of(shared_[k++]).value();
    }
    return values;
  }

  void check_shared() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const Parameter& p = graph_.parameters[i];
      if (!p.shared) continue;
      ++count;
      const Value& v = arguments_[i];
      bool fits = v.dtype() == p.type.dtype && v.rank() == p.type.rank();
      for (std::size_t k = 0; fits && k < p.type.shape.size(); ++k) {
        const Dim &want = p.type.shape[k], &have = v.shape()[k];
        fits = !want.is_constant() || !have.is_constant() || want == have;
      }
      if (!fits)
        throw TypeError(fmt::format("import_graph: expected {}: {}, found {}", p.name,
                                    p.type.text(), describe(v)));
    }
    if (count != shared_.size())
      throw ValueError(fmt::format("import_graph: expected {} shared variables, found {}", count,
                                   shared_.size()));
  }

  const Graph& graph_;
  std::vector<Value> arguments_;
  std::vector<nb::object> shared_;
};

nb::tuple import_graph(const std::string& text, nb::handle arrays, nb::handle shared) {
  const Graph graph = parse(text, arrays);
  const Signature signature(graph, shared);
  const std::vector<Expr> values = inlined(graph, signature.arguments(), text);
  nb::list outputs, names, updates;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Result& result = graph.results[i];
    if (result.updates >= 0) {
      updates.append(nb::make_tuple(signature.variable(static_cast<std::size_t>(result.updates)),
                                    wrap(values[i])));
    } else {
      outputs.append(wrap(values[i]));
      names.append(result.name.empty() ? nb::object(nb::none()) : nb::cast(result.name));
    }
  }
  return nb::make_tuple(signature.inputs(), outputs, names, updates);
}

// ------------------------------------------------------------------------ pickling of expressions

// Inputs and symbols are known by numbers of the process that made them. A process keeps which of
// its own stand for those of others, so that what belonged together still does.
class Identities {
 public:
  // The name of this process, another one after a fork.
  static const std::string& process() {
    static std::string name;
    static pid_t owner = 0;
    if (owner != getpid()) {
      std::random_device random;
      name = fmt::format("{:08x}{:08x}{:08x}", random(), random(), random());
      owner = getpid();
    }
    return name;
  }

  static Dim symbol(const std::string& from, std::uint64_t number, const std::string& name) {
    if (from == process()) return Dim::symbol(number, name);
    static std::map<Key, Dim> known;
    return known.try_emplace({from, number}, Dim::symbol(name)).first->second;
  }

  static Value input(const std::string& from, std::uint64_t id, const std::string& name, DType t,
                     const Shape& shape) {
    static std::map<Key, Opaque> known;
    if (from != process()) {
      const auto at = known.find({from, id});
      if (at == known.end()) {
        const Expr made = tensor(name, t, shape);
        known.emplace(Key{from, id}, made.value().node().attribute(0).opaque());
        return made;
      }
      return make_node(op::input, {}, {at->second, name, t, shape});
    }
    return make_node(op::input, {}, {Opaque{id, 0, nullptr}, name, t, shape});
  }

 private:
  using Key = std::pair<std::string, std::uint64_t>;
};

constexpr std::string_view atom_kinds[] = {"symbol", "value", "floor_div", "mod", "min", "max"};

// An int, or (constant, ((coefficient, (atom, ...)), ...)).
nb::object encoded(const Dim& d) {
  if (d.is_constant()) return nb::cast(d.constant());
  nb::list terms;
  for (const Term& term : d.terms()) {
    nb::list atoms;
    for (const AtomRef& atom : term.atoms) {
      const auto kind = atom_kinds[static_cast<std::size_t>(atom->kind)];
      const nb::str name(kind.data(), kind.size());
      switch (atom->kind) {
        case Atom::Kind::symbol:
          atoms.append(nb::make_tuple(name, Identities::process(), atom->number, atom->name));
          break;
        case Atom::Kind::value:
          atoms.append(nb::make_tuple(name, wrap(Expr(*atom->scalar))));
          break;
        default: atoms.append(nb::make_tuple(name, encoded(atom->left), encoded(atom->right)));
      }
    }
    terms.append(nb::make_tuple(term.coefficient, nb::tuple(atoms)));
  }
  return nb::make_tuple(d.constant_term(), nb::tuple(terms));
}

Dim decoded(nb::handle code);

Dim decoded_atom(nb::handle atom) {
  const auto kind = nb::cast<std::string>(atom[0]);
  if (kind == "symbol")
    return Identities::symbol(nb::cast<std::string>(atom[1]), nb::cast<std::uint64_t>(atom[2]),
                              nb::cast<std::string>(atom[3]));
  if (kind == "value") return Dim::value(expr_of(nb::object(atom[1])).value());
  const Dim left = decoded(nb::object(atom[1])), right = decoded(nb::object(atom[2]));
  if (kind == "floor_div") return floor_div(left, right);
  if (kind == "mod") return mod(left, right);
  return kind == "min" ? min(left, right) : max(left, right);
}

Dim decoded(nb::handle code) {
  if (PyLong_Check(code.ptr()) != 0) return nb::cast<std::int64_t>(code);
  Dim sum = nb::cast<std::int64_t>(code[0]);
  for (const nb::handle term : nb::iter(nb::object(code[1]))) {
    Dim product = nb::cast<std::int64_t>(term[0]);
    for (const nb::handle atom : nb::iter(nb::object(term[1])))
      product = product * decoded_atom(atom);
    sum = sum + product;
  }
  return sum;
}

nb::object restore_dim(nb::handle code) { return wrap(decoded(code)); }

nb::object restore_input(const std::string& from, std::uint64_t id, const std::string& name,
                         nb::handle dtype, nb::handle shape) {
  Shape dims;
  for (const nb::handle d : nb::iter(shape)) dims.push_back(decoded(d));
  return wrap(Expr(Identities::input(from, id, name, to_dtype(dtype), dims)));
}

// The leaves and extents that expressions need, as parameters with names.
std::vector<SignatureLeaf> signature_leaves(const std::vector<Value>& roots) {
  std::vector<SignatureLeaf> leaves;
  for (const Value& v : free_values({}, roots))
    leaves.push_back({v, leaf_name(v), v.is(op::shared_variable)});
  return leaves;
}

nb::object restore_expression(const std::string& text, nb::handle arrays, nb::handle leaves,
                              int weak) {
  const Graph graph = parse(text, arrays);
  std::vector<Value> arguments;
  for (const nb::handle leaf : nb::iter(leaves))
    arguments.push_back(is_expr(leaf) ? expr_of(leaf).value() : extent_value(decoded(leaf)));
  return wrap(inlined(graph, arguments, text).at(0), static_cast<Weak>(weak));
}

nb::tuple reduce_expression(nb::handle self) {
  const nb::module_ graphs = nb::module_::import_("gnomon._functions.graphs");
  const Value& v = expr_of(self).value();
  if (v.is(op::input)) {
    nb::list shape;
    for (const Dim& d : v.shape()) shape.append(encoded(d));
    return nb::make_tuple(
        graphs.attr("restore_input"),
        nb::make_tuple(Identities::process(), v.node().attribute(0).opaque().id, leaf_name(v),
                       std::string(name_of(v.dtype())), nb::tuple(shape)));
  }
  nb::list leaves;
  const std::vector<SignatureLeaf> signature = signature_leaves({v});
  for (const SignatureLeaf& leaf : signature) {
    if (leaf.shared) {
      leaves.append(wrap(SharedVariable(gnomon::shared_of(leaf.value))));
    } else if (leaf.value.is(op::extent)) {
      leaves.append(encoded(leaf.value.node().attribute(0).dims()[0]));
    } else {
      leaves.append(wrap(Expr(leaf.value)));
    }
  }
  Bundle bundle;
  const Value roots[] = {v};
  Graph graph = close_graph("pickle", signature, roots, false);
  graph.results.resize(1);
  const std::string text = bundle.print(graph);
  const auto weak = static_cast<int>(reinterpret_cast<ExprObject*>(self.ptr())->weak);
  return nb::make_tuple(graphs.attr("restore_expression"),
                        nb::make_tuple(text, bundle.list(), leaves, weak));
}

// An expression is immutable: its deep copy is itself. A variable is copied with its value, once
// for each memo.
nb::object deep_copy(nb::handle self, nb::handle memo) {
  if (python::shared_of(self) == nullptr) return nb::borrow(self);
  const nb::object state = self.attr("__reduce_ex__")(4);
  const nb::object deepcopy = nb::module_::import_("copy").attr("deepcopy");
  const nb::object arguments = deepcopy(nb::object(state[1]), memo);
  const nb::object copy =
      nb::steal(PyObject_CallObject(nb::object(state[0]).ptr(), arguments.ptr()));
  if (!copy.is_valid()) throw nb::python_error();
  memo[nb::steal(PyLong_FromVoidPtr(self.ptr()))] = copy;
  return copy;
}

nb::tuple reduce_dim(nb::handle self) {
  return nb::make_tuple(nb::module_::import_("gnomon._functions.graphs").attr("restore_dim"),
                        nb::make_tuple(encoded(to_dim(self))));
}

// ---------------------------------------------------------------------------------- to be shown

Graph shown_graph(nb::handle exprs) {
  std::vector<Value> roots;
  for (const Expr& e : expressions(exprs)) roots.push_back(e.value());
  Graph graph = close_graph("graph_text", signature_leaves(roots), roots, false);
  graph.results.resize(roots.size());
  return graph;
}

std::string graph_text(nb::handle exprs) { return Bundle().print(shown_graph(exprs), true); }
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
  std::vector<Value> roots;
  for (const Expr& e : expressions(exprs)) roots.push_back(e.value());
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

// The memory of an array as bytes, of a packed copy where it is not contiguous.
nb::object bytes_of(nb::handle object) {
  auto packed = std::make_shared<Array>(array_of(object).contiguous());
  const bool same = packed->data() == array_of(object).data();
  void* data = packed->data();
  const std::int64_t count = packed->bytes();
  const bool writable = same && array_object(object.ptr())->writable;
  return wrap(Array::borrow(data, uint8, {count}, std::shared_ptr<void>(packed)), writable);
}

}  // namespace

void add_files(nb::module_& m) {
  using namespace nb::literals;
  m.def("export_graph", export_graph, "inputs"_a, "outputs"_a, "output_names"_a.none(),
        "updates"_a);
  m.def("import_graph", import_graph, "text"_a, "arrays"_a, "shared"_a);
  m.def("restore_dim", restore_dim);
  m.def("restore_input", restore_input);
  m.def("restore_expression", restore_expression);
  m.def("graph_text", graph_text, "exprs"_a);
  m.def("dot_text", dot_text, "exprs"_a);
  m.def("nodes_of", nodes_of, "exprs"_a);
  m.def("bytes_of", bytes_of, "array"_a);
  // Methods of the plain types, which other files make.
  const auto method = [](nb::object type, const char* name, auto function) {
    nb::setattr(type, name,
                nb::cpp_function(function, nb::name(name), nb::scope(type), nb::is_method()));
  };
  const nb::object expr = m.attr("Expr"), dim = m.attr("Dim");
  method(expr, "__reduce__", reduce_expression);
  method(expr, "__copy__", [](nb::handle self) { return nb::borrow(self); });
  method(expr, "__deepcopy__", deep_copy);
  method(dim, "__reduce__", reduce_dim);
}

}  // namespace gnomon::python
