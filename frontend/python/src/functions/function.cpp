// gnomon._core.compile and the type of compiled functions.
#include "frontend/python/src/functions/function.h"

// After Python.h.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

#include <array>
#include <unordered_set>

#include "frontend/close_function.h"
#include "frontend/python/src/functions/apply.h"
#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

PyTypeObject* function_type = nullptr;

FunctionObject& function_of(PyObject* o) { return *reinterpret_cast<FunctionObject*>(o); }

// ------------------------------------------------------------------------------------- the type

void function_dealloc(PyObject* o) {
  PyTypeObject* const type = Py_TYPE(o);
  FunctionObject& f = function_of(o);
  if (f.weak_references != nullptr) PyObject_ClearWeakRefs(o);
  for (FunctionInput& input : f.inputs) Py_XDECREF(input.name);
  Py_XDECREF(f.keys);
  Py_XDECREF(f.about);
  f.function.~Function();
  f.inputs.~vector();
  f.name.~basic_string();
  type->tp_free(o);
  Py_DECREF(type);
}

// What Python writes better: gnomon._functions.function.<name>(self).
PyObject* ask(PyObject* o, const char* name) {
  return guarded([&] {
    const nb::module_ module = nb::module_::import_("gnomon._functions.function");
    return module.attr(name)(nb::handle(o)).release().ptr();
  });
}

PyObject* function_repr(PyObject* o) { return ask(o, "text_of"); }
PyObject* function_reduce(PyObject* o, PyObject*) { return ask(o, "reduced"); }
PyObject* html(PyObject* o, PyObject*) { return ask(o, "html_of"); }
PyObject* svg(PyObject* o, PyObject*) { return ask(o, "svg_of"); }
PyObject* function_copy(PyObject* o, PyObject*) { return Py_NewRef(o); }
PyObject* get_signature(PyObject* o, void*) { return ask(o, "signature_of"); }
PyObject* get_inputs(PyObject* o, void*) { return ask(o, "inputs_of"); }
PyObject* function_get_outputs(PyObject* o, void*) { return ask(o, "outputs_of"); }
PyObject* get_updates(PyObject* o, void*) { return ask(o, "updates_of"); }

PyObject* get_explain(PyObject* o, void*) { return ask(o, "explain_of"); }

PyObject* function_get_name(PyObject* o, void*) {
  return PyUnicode_FromString(function_of(o).name.c_str());
}
PyObject* get_about(PyObject* o, void*) { return Py_NewRef(function_of(o).about); }

PyObject* text_object(const std::string& s) {
  return PyUnicode_DecodeUTF8(s.data(), static_cast<Py_ssize_t>(s.size()), "replace");
}

template <class F>
PyObject* get(PyObject* o, F&& read) {
  return guarded([&] { return read(function_of(o).function); });
}

PyGetSetDef function_properties[] = {
    {"__name__", function_get_name, nullptr, "The name, as in messages.", nullptr},
    {"__signature__", get_signature, nullptr, "What inspect.signature tells.", nullptr},
    {"name", function_get_name, nullptr, "The name, as in messages.", nullptr},
    {"inputs", get_inputs, nullptr, "The inputs: a tuple of expressions.", nullptr},
    {"outputs", function_get_outputs, nullptr, "The outputs as they were given, as expressions.",
     nullptr},
    {"updates", get_updates, nullptr, "The new values of shared variables: a dict.", nullptr},
    {"_about", get_about, nullptr, nullptr, nullptr},
    {"was_cached",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return PyBool_FromLong(f.was_cached()); });
     },
     nullptr, "Whether it came from the cache on the disk.", nullptr},
    {"timings",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return text_object(f.timings()); });
     },
     nullptr, "How long each stage of the compilation took: a text.", nullptr},
    {"source",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return text_object(f.source()); });
     },
     nullptr, "The C++ that was compiled; '' when it came from the cache (see explain=True).",
     nullptr},
    {"graph",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return text_object(f.graph_text()); });
     },
     nullptr, "The optimised graph as text; '' when it came from the cache.", nullptr},
    {"module",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return text_object(f.module_text()); });
     },
     nullptr, "Kernels, steps and buffers as text; '' when it came from the cache.", nullptr},
    {"_rewrites",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return text_object(f.explain()); });
     },
     nullptr, nullptr, nullptr},
    {"explain", get_explain, nullptr,
     "What a trace asked of extents, and the rewrites that made the final graph; '' unless "
     "compiled "
     "with explain=True.",
     nullptr},
    {"memory_table",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return text_object(f.memory_table()); });
     },
     nullptr,
     "Bytes of workspace without and with the memory budget, and what is computed again; '' "
     "without one.",
     nullptr},
    {"kernels",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return PyLong_FromLong(f.kernels()); });
     },
     nullptr, "The number of kernels that a call runs.", nullptr},
    {"products",
     [](PyObject* o, void*) {
       return get(o, [](const Function& f) { return PyLong_FromLong(f.products()); });
     },
     nullptr, "The number of matrix products that a call runs.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

// How much memory a call with such arguments works in, beside its arguments and results.
PyObject* workspace_bytes(PyObject* o, PyObject* arguments) {
  return guarded([&] {
    const FunctionObject& f = function_of(o);
    const auto count = static_cast<std::size_t>(PyTuple_Size(arguments));
    if (count != f.inputs.size())
      throw TypeError(
          fmt::format("workspace_bytes: expected {} arguments, found {}", f.inputs.size(), count));
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < count; ++i) {
      const FunctionInput& input = f.inputs[i];
      const nb::handle x = PyTuple_GetItem(arguments, static_cast<Py_ssize_t>(i));
      arrays.push_back(converted_value(x, input.dtype, f.downcast, "workspace_bytes"));
      if (arrays.back().shape().size() != input.rank)
        throw ValueError(fmt::format("workspace_bytes: expected an argument for {}, found {}",
                                     input.declared, arrays.back().describe()));
    }
    return PyLong_FromLongLong(f.function.workspace_bytes(arrays));
  });
}

// A method that a function of Python has: module.name(self, ...).
PyObject* in_python(const char* module, const char* name, PyObject* o, PyObject* arguments,
                    PyObject* keywords) {
  return guarded([&]() -> PyObject* {
    const nb::object function = nb::module_::import_(module).attr(name);
    const nb::object all = nb::make_tuple(nb::handle(o)) + nb::handle(arguments);
    return PyObject_Call(function.ptr(), all.ptr(), keywords);
  });
}

PyObject* copy(PyObject* o, PyObject* arguments, PyObject* keywords) {
  return in_python("gnomon._functions.function", "copied", o, arguments, keywords);
}
PyObject* export_one(PyObject* o, PyObject* arguments, PyObject* keywords) {
  return in_python("gnomon._tools.export", "exported", o, arguments, keywords);
}
PyObject* profile(PyObject* o, PyObject*) {
  return guarded([&] {
    const nb::module_ module = nb::module_::import_("gnomon._tools.profile");
    return module.attr("profile_of")(nb::handle(o)).release().ptr();
  });
}

PyObject* explanation(PyObject* o, PyObject* arguments, PyObject* keywords) {
  return in_python("gnomon._tools.explanation", "explanation_of", o, arguments, keywords);
}
PyObject* write_tensorboard(PyObject* o, PyObject* arguments, PyObject* keywords) {
  return in_python("gnomon._tools.tensorboard", "write_tensorboard", o, arguments, keywords);
}
PyObject* view(PyObject* o, PyObject* arguments, PyObject* keywords) {
  return in_python("gnomon._tools.view", "view_of", o, arguments, keywords);
}

PyMethodDef function_methods[] = {
    {"__reduce__", function_reduce, METH_NOARGS, nullptr},
    {"__copy__", function_copy, METH_NOARGS, nullptr},
    {"copy", as_method(copy), METH_VARARGS | METH_KEYWORDS,
     "copy(swap=None, name=None, delete_updates=False)\n--\n\n"
     "The same function of other shared variables: `swap` has those "
     "that take the places of others."},
    {"export", as_method(export_one), METH_VARARGS | METH_KEYWORDS,
     "export(path, kinds=('a',), targets=('native',), opt_level=2)\n--\n\n"
     "Writes the function as a library for programs in C and C++: see `gn.export`."},
    {"_repr_html_", html, METH_NOARGS, nullptr},
    {"_repr_svg_", svg, METH_NOARGS, nullptr},
    {"explanation", as_method(explanation), METH_VARARGS | METH_KEYWORDS,
     "explanation(*args, **kwargs)\n--\n\n"
     "What became of the expression on its way to kernels, and why: rewrites, decisions, steps.\n"
     "With arguments of a call, also which of them it copies. Made anew without compiling, so of\n"
     "functions from the cache too."},
    {"profile", profile, METH_NOARGS,
     "profile()\n--\n\n"
     "What calls took until now, step by step: see `profile` among the options of\n"
     "`gn.function`. ValueError: compiled without it."},
    {"write_tensorboard", as_method(write_tensorboard), METH_VARARGS | METH_KEYWORDS,
     "write_tensorboard(folder, scalars=None, step=0)\n--\n\n"
     "Writes a file of events for TensorBoard: the optimised graph, the profile if the function\n"
     "has one, and scalars by name, each a number or the numbers of steps from `step` on."},
    {"view", as_method(view), METH_VARARGS | METH_KEYWORDS,
     "view(*args, **kwargs)\n--\n\n"
     "A page for a browser that shows the graph at every stage, and the kernels with their C++ "
     "and\n"
     "their profile. With arguments of a call, also the range of each value. Notebooks show it;\n"
     "`view().save('model.html')` writes it."},
    {"workspace_bytes", workspace_bytes, METH_VARARGS,
     "Bytes of memory that a call with these arguments works in."},
    {nullptr, nullptr, 0, nullptr}};

PyMemberDef function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr}};

constexpr const char* type_doc =
    "A compiled function, made by `gn.function`.\n\n"
    "Call it with array-likes by position or by the inputs' names. Results are Arrays of their\n"
    "own memory. It may be called from many threads at once; the GIL is released meanwhile.\n"
    "TypeError: arguments that are missing, unknown or of a dtype that loses values. ValueError:\n"
    "ranks or extents that do not fit, an index out of range, a failed check; then no shared\n"
    "variable has changed.\n\n"
    ">>> x = gn.vector(\"x\")\n"
    ">>> f = gn.function([x], x.sum(), name=\"total\")\n"
    ">>> print(f([1.0, 2.0]), f)\n"
    "3.0 <gnomon.Function total(x: float64[x.0]) -> float64[]>";

PyTypeObject* make_function_type() {
  return make_type("gnomon.Function", sizeof(FunctionObject),
                   Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                   {slot(Py_tp_doc, type_doc), slot(Py_tp_dealloc, function_dealloc),
                    slot(Py_tp_call, PyVectorcall_Call), slot(Py_tp_repr, function_repr),
                    slot(Py_tp_getset, function_properties), slot(Py_tp_methods, function_methods),
                    slot(Py_tp_members, function_members)});
}

// -------------------------------------------------------------------------------------- compile

Downcast downcast_of(std::optional<bool> allow_downcast) {
  if (!allow_downcast) return Downcast::numbers;
  return *allow_downcast ? Downcast::any : Downcast::lossless;
}

// A number or an array as the new value of a variable takes its dtype; an expression must have it.
Expr update_value(nb::handle value, const SharedVariable& variable, Downcast downcast) {
  const DType dtype = variable.dtype();
  if (is_expr(value) || dim_of(value) != nullptr) {
    const Expr e = to_arg(value).value();
    const auto weak = is_expr(value) ? reinterpret_cast<ExprObject*>(value.ptr())->weak : Weak::no;
    if (e.dtype() == dtype) return e;
    const bool fits =
        weak != Weak::no && !is_complex(e.dtype()) && (is_inexact(dtype) || is_integer(e.dtype()));
    if (downcast != Downcast::any && !fits && promote(e.dtype(), dtype) != dtype)
      throw TypeError(fmt::format(
          "function: expected an update of {} for {}, found {}; convert it with gn.astype, or use "
          "allow_downcast=True",
          name_of(dtype), describe(variable.value()), describe(e.value())));
    return cast(e, dtype);
  }
  return Expr(converted_value(value, dtype, downcast,
                              fmt::format("function: update of {}", describe(variable.value()))));
}

std::vector<Update> updates_from(nb::handle pairs, Downcast downcast) {
  std::vector<Update> updates;
  for (const nb::handle pair : nb::iter(pairs)) {
    const nb::object key = nb::borrow(pair[0]);
    const SharedVariable* const variable = shared_of(key);
    if (variable == nullptr)
      throw TypeError(
          fmt::format("function: expected shared variables as keys of updates, found {}",
                      nb::repr(key).c_str()));
    updates.push_back({*variable, update_value(nb::object(pair[1]), *variable, downcast)});
  }
  return updates;
}

// Which of `inputs` the outputs need: their values, or extents of theirs.
nb::list needed_inputs(nb::handle inputs, nb::handle outputs) {
  std::vector<Value> roots;
  for (const nb::handle item : nb::iter(outputs)) roots.push_back(expr_of(item).value());
  std::unordered_set<Value, ValueHash> values;
  std::unordered_set<std::uint64_t> symbols;
  const auto add = [&](const AtomRef& atom) {
    if (atom->kind == Atom::Kind::symbol) symbols.insert(atom->number);
    if (atom->kind == Atom::Kind::value) values.insert(*atom->scalar);
  };
  for (const Value& v : free_values({}, roots)) {
    values.insert(v);
    if (v.is(op::extent)) v.node().attribute(0).dims()[0].for_each_atom(add);
  }
  for (const nb::handle item : nb::iter(inputs))
    for (const Dim& d : expr_of(item).shape())
      d.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind == Atom::Kind::value) values.insert(*atom->scalar);
      });
  nb::list list;
  for (const nb::handle item : nb::iter(inputs)) {
    const Value& x = expr_of(item).value();
    bool needed = values.contains(x);
    for (const Dim& d : x.shape())
      d.for_each_atom([&](const AtomRef& atom) {
        needed = needed || (atom->kind == Atom::Kind::symbol && symbols.contains(atom->number));
      });
    list.append(nb::bool_(needed));
  }
  return list;
}

FunctionInput function_input(const Expr& e, nb::handle name, nb::handle value, Downcast downcast,
                             const std::string& function) {
  FunctionInput input;
  const std::string own = name.is_none() ? leaf_name(e.value()) : nb::cast<std::string>(name);
  input.dtype = e.dtype();
  input.rank = static_cast<std::size_t>(e.rank());
  input.declared = fmt::format("{}{}{}", own, own.empty() ? "" : ": ", e.type().text());
  input.made_at = bracketed(first_origin(e.value().node()));
  if (!value.is_none()) {
    input.value = converted_value(value, input.dtype, downcast,
                                  fmt::format("{}: default of {}", function, input.declared))
                      .copy();
    if (input.value.shape().size() != input.rank)
      throw ValueError(fmt::format("{}: default of {}: expected rank {}, found {}", function,
                                   input.declared, input.rank, input.value.describe()));
  }
  if (!own.empty()) {
    input.name = PyUnicode_FromString(own.c_str());
    if (input.name == nullptr) throw nb::python_error();
    PyUnicode_InternInPlace(&input.name);
  }
  return input;
}

struct Request {
  nb::handle inputs, outputs, output_names, updates;
};

nb::object make_function(const Request& request, nb::handle names, nb::handle values,
                         nb::handle donated, const std::string& structure, nb::handle about,
                         std::optional<bool> allow_downcast, CompileOptions options) {
  const Downcast downcast = downcast_of(allow_downcast);
  const std::string shown = options.name.empty() ? "function" : options.name;
  nb::object object = nb::steal(function_type->tp_alloc(function_type, 0));
  if (!object.is_valid()) throw nb::python_error();
  FunctionObject& f = function_of(object.ptr());
  new (&f.function) Function();
  new (&f.inputs) std::vector<FunctionInput>();
  new (&f.name) std::string(shown);
  f.vectorcall = call_function;
  f.downcast = downcast;
  f.about = (about.is_none() ? nb::object(nb::make_tuple(request.inputs, request.outputs))
                             : nb::borrow(about))
                .release()
                .ptr();
  f.structure = one_of<Structure>("function", "structure", structure, structures);
  if (f.structure == Structure::dict) f.keys = nb::tuple(request.output_names).release().ptr();

  std::vector<Expr> inputs;
  for (const nb::handle item : nb::iter(request.inputs)) {
    const std::size_t i = inputs.size();
    if (!is_expr(item))
      throw TypeError(fmt::format("function: expected expressions as inputs, found {}",
                                  nb::repr(item).c_str()));
    inputs.push_back(expr_of(item));
    f.inputs.push_back(function_input(
        inputs.back(), names.is_none() ? nb::object(nb::none()) : nb::object(names[i]),
        values.is_none() ? nb::object(nb::none()) : nb::object(values[i]), downcast, shown));
  }
  for (const nb::handle position : nb::iter(donated)) {
    options.donated.push_back(nb::cast<int>(position));
    f.inputs.at(nb::cast<std::size_t>(position)).donated = true;
  }
  std::vector<Output> outputs;
  for (const nb::handle item : nb::iter(request.outputs)) {
    Expr e = to_arg(item).value();
    if (request.output_names.is_none() ||
        nb::object(request.output_names[outputs.size()]).is_none())
      outputs.emplace_back(std::move(e));
    else
      outputs.emplace_back(nb::cast<std::string>(request.output_names[outputs.size()]),
                           std::move(e));
  }
  f.function = compile_interruptibly(std::move(inputs), std::move(outputs),
                                     updates_from(request.updates, downcast), std::move(options));
  return object;
}

// The variables that are not updated by default; None: all.
void keep_from_default_updates(nb::handle but, CompileOptions& options) {
  options.default_updates = !but.is_none();
  if (but.is_none()) return;
  for (const nb::handle item : nb::iter(but)) {
    const SharedVariable* const variable = shared_of(item);
    if (variable == nullptr)
      throw TypeError(fmt::format(
          "function: expected shared variables that are not updated by default, found {}",
          nb::repr(item).c_str()));
    options.without_default_update.push_back(variable->variable());
  }
}

// What a function computes: its outputs, and pairs of a variable and its new value.
nb::tuple resolved(nb::handle outputs, nb::handle updates, nb::handle givens, nb::handle but,
                   std::optional<bool> allow_downcast) {
  CompileOptions options;
  for (const nb::handle pair : nb::iter(givens)) options.givens.push_back(given_of(pair));
  keep_from_default_updates(but, options);
  std::vector<Output> roots;
  for (const nb::handle item : nb::iter(outputs)) roots.emplace_back(to_arg(item).value());
  const Resolved function =
      resolve(std::move(roots), updates_from(updates, downcast_of(allow_downcast)), options);
  nb::list exprs, changes;
  for (const nb::handle item : nb::iter(outputs)) {
    const Expr& now = function.outputs[exprs.size()].value;
    const bool same = is_expr(item) && expr_of(item).value() == now.value();
    exprs.append(same ? nb::borrow(item) : wrap(now));
  }
  for (const Update& u : function.updates)
    changes.append(nb::make_tuple(wrap(u.variable), wrap(u.value)));
  return nb::make_tuple(exprs, changes);
}

}  // namespace

const Function& compiled_function(nb::handle object) {
  if (Py_TYPE(object.ptr()) != function_type)
    throw TypeError("expected a gn.Function, found another object");
  return function_of(object.ptr()).function;
}

Expr new_value(nb::handle variable, nb::handle value) {
  const SharedVariable* const s = shared_of(variable);
  if (s == nullptr)
    throw TypeError(fmt::format("function: expected a shared variable to update, found {}",
                                nb::repr(variable).c_str()));
  return update_value(value, *s, Downcast::numbers);
}

void add_functions(nb::module_& m) {
  using namespace nb::literals;
  add_interruption(m);
  add_shared(m);
  add_options(m);
  function_type = make_function_type();
  m.attr("Function") = nb::handle(reinterpret_cast<PyObject*>(function_type));
  m.def("needed_inputs", needed_inputs, "inputs"_a, "outputs"_a,
        "For each input whether the outputs need its values or its extents.");
  m.def("resolve", resolved, "outputs"_a, "updates"_a = nb::tuple(), "givens"_a = nb::tuple(),
        "but"_a.none() = nb::tuple(), "allow_downcast"_a.none() = nb::none(),
        "Outputs and updates with givens in their places, and the default updates of the variables "
        "that they need behind the others, but for some; None: for all.");
  m.def(
      "compile",
      [](nb::handle inputs, nb::handle outputs, nb::handle output_names, nb::handle updates,
         nb::handle names, nb::handle values, nb::handle donated, const std::string& structure,
         nb::handle about, std::optional<bool> allow_downcast, const std::string& name,
         const nb::dict& given) {
        CompileOptions options = take_options("function", given);
        options.default_updates = false;  // `resolve` has put them among the updates
        options.name = name;
        return make_function({inputs, outputs, output_names, updates}, names, values, donated,
                             structure, about, allow_downcast, std::move(options));
      },
      "inputs"_a, "outputs"_a, "output_names"_a.none() = nb::none(), "updates"_a = nb::tuple(),
      nb::kw_only(), "names"_a.none() = nb::none(), "values"_a.none() = nb::none(),
      "donated"_a = nb::tuple(), "structure"_a = "list", "about"_a.none() = nb::none(),
      "allow_downcast"_a.none() = nb::none(), "name"_a = "", "options"_a = nb::dict(),
      "A function of expressions. names, values: of the inputs, None where there is none. "
      "donated: positions of inputs whose memory calls may reuse. "
      "structure of the results: none, one, list, tuple or dict. about: kept for Python. "
      "options: a dict by their names.");
}

}  // namespace gnomon::python
