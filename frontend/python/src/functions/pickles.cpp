// Pickling and copying of expressions, variables and extents.
#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <map>
#include <random>

#include "frontend/files/graph_text.h"
#include "frontend/python/src/core.h"
#include "ir/graph/close.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

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

nb::object restore_expression(const std::string& text, nb::handle arrays, nb::handle leaves,
                              int weak) {
  std::vector<Array> constants;
  for (const nb::handle a : nb::iter(arrays)) constants.push_back(to_array(a));
  const Graph graph = parse_apart(text, constants);
  std::vector<Value> arguments;
  for (const nb::handle leaf : nb::iter(leaves))
    arguments.push_back(is_expr(leaf) ? expr_of(leaf).value() : extent_value(decoded(leaf)));
  return wrap(expressions_over(arguments, graph, text).at(0), static_cast<Weak>(weak));
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
  const Value roots[] = {v};
  const std::vector<SignatureLeaf> signature = signature_leaves(roots);
  for (const SignatureLeaf& leaf : signature) {
    if (leaf.shared) {
      leaves.append(wrap(SharedVariable(gnomon::shared_of(leaf.value))));
    } else if (leaf.value.is(op::extent)) {
      leaves.append(encoded(leaf.value.node().attribute(0).dims()[0]));
    } else {
      leaves.append(wrap(Expr(leaf.value)));
    }
  }
  Graph graph = close_graph("pickle", signature, roots, false);
  graph.results.resize(1);
  const GraphText printed = print_apart(graph);
  nb::list arrays;
  for (const Array& a : printed.arrays) arrays.append(wrap(a, false));
  const auto weak = static_cast<int>(reinterpret_cast<ExprObject*>(self.ptr())->weak);
  return nb::make_tuple(graphs.attr("restore_expression"),
                        nb::make_tuple(printed.text, arrays, leaves, weak));
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

}  // namespace

void add_pickles(nb::module_& m) {
  m.def("restore_dim", restore_dim);
  m.def("restore_input", restore_input);
  m.def("restore_expression", restore_expression);
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
