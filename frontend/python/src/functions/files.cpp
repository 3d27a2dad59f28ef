// Files of functions, expressions and arrays, and functions as texts of graphs, for pickles.
#include "frontend/python/src/functions/function.h"

// After Python.h.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <filesystem>
#include <optional>

#include "frontend/files/graph_file.h"
#include "frontend/files/graph_text.h"
#include "frontend/files/values.h"
#include "ir/graph/node.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

constexpr const char* function_kind = "function";

std::vector<Expr> inputs_from(nb::handle exprs) {
  std::vector<Expr> inputs;
  for (const nb::handle item : nb::iter(exprs)) inputs.emplace_back(to_arg(item).value());
  return inputs;
}

// `names`: of each, None where there is none; or None.
std::vector<Output> outputs_from(nb::handle exprs, nb::handle names) {
  std::vector<Output> outputs;
  for (const nb::handle item : nb::iter(exprs)) outputs.emplace_back(to_arg(item).value());
  if (names.is_none()) return outputs;
  std::size_t i = 0;
  for (const nb::handle name : nb::iter(names)) {
    if (i < outputs.size() && !name.is_none()) outputs[i].name = nb::cast<std::string>(name);
    ++i;
  }
  return outputs;
}

const SharedVariable& variable_from(nb::handle object) {
  const SharedVariable* const variable = python::shared_of(object);
  if (variable == nullptr) throw TypeError("import_graph: expected shared variables");
  return *variable;
}

std::vector<Update> updates_from(nb::handle pairs) {
  std::vector<Update> updates;
  for (const nb::handle pair : nb::iter(pairs))
    updates.push_back({variable_from(nb::object(pair[0])), to_arg(nb::object(pair[1])).value()});
  return updates;
}

nb::object text_or_none(const std::string& text) {
  return text.empty() ? nb::object(nb::none()) : nb::cast(text);
}

struct ResultObjects {
  nb::list outputs, names, updates;
};

ResultObjects results_of(const std::vector<Output>& outputs, const std::vector<Update>& updates) {
  ResultObjects objects;
  for (const Output& o : outputs) {
    objects.outputs.append(wrap(o.value));
    objects.names.append(text_or_none(o.name));
  }
  for (const Update& u : updates)
    objects.updates.append(nb::make_tuple(wrap(u.variable), wrap(u.value)));
  return objects;
}

nb::tuple export_graph(nb::handle inputs, nb::handle outputs, nb::handle names,
                       nb::handle updates) {
  const ExportedGraph exported = gnomon::export_graph(
      inputs_from(inputs), outputs_from(outputs, names), updates_from(updates));
  nb::list arrays, shared;
  for (const Array& a : exported.graph.arrays) arrays.append(wrap(a, false));
  for (const SharedVariable& variable : exported.shared) shared.append(wrap(variable));
  return nb::make_tuple(exported.graph.text, arrays, shared);
}

nb::tuple import_graph(const std::string& text, nb::handle arrays, nb::handle shared) {
  std::vector<Array> constants;
  for (const nb::handle a : nb::iter(arrays)) constants.push_back(to_array(a));
  std::vector<SharedVariable> variables;
  for (const nb::handle v : nb::iter(shared)) variables.push_back(variable_from(v));
  const ImportedGraph imported = gnomon::import_graph(text, constants, variables);
  nb::list inputs;
  for (const Expr& input : imported.inputs) inputs.append(wrap(input));
  const ResultObjects results = results_of(imported.outputs, imported.updates);
  return nb::make_tuple(inputs, results.outputs, results.names, results.updates);
}

// ------------------------------------------------------------------------------------------ values

void save_values(const std::filesystem::path& path, const nb::dict& dict) {
  NamedArrays arrays;
  for (const auto& [name, array] : dict)
    arrays.emplace_back(nb::cast<std::string>(name), array_of(array));
  const Released released;
  gnomon::save_values(path, arrays);
}

nb::dict load_values(const std::filesystem::path& path, std::optional<std::int64_t> most_bytes) {
  NamedArrays arrays;
  {
    const Released released;
    arrays = gnomon::load_values(path, most_bytes);
  }
  nb::dict dict;
  for (auto& [name, array] : arrays) dict[nb::cast(name)] = wrap(std::move(array));
  return dict;
}

// ------------------------------------------------------------------------------------------ graphs

// The parts of a function or of expressions, as gnomon._functions.function.to_parts has them.
SavedGraph graph_from(const nb::dict& parts) {
  const nb::object about = parts["about"], arrays = parts["arrays"];
  const auto text = [&](const char* key) { return nb::cast<std::string>(about[key]); };
  SavedGraph graph;
  graph.is_function = text("kind") == function_kind;
  graph.structure = one_of<Structure>("save", "structure",
                                      text(graph.is_function ? "structure" : "kind"), structures);
  for (const Expr& input : inputs_from(parts["inputs"])) graph.inputs.push_back({input});
  graph.outputs = outputs_from(parts["outputs"], parts["output_names"]);
  graph.updates = updates_from(parts["updates"]);
  if (!graph.is_function) return graph;
  const nb::object names = about["input_names"], donated = about["donated"];
  graph.options = take_options("save", nb::cast<nb::dict>(about["options"]));
  if (!about["name"].is_none()) graph.options.name = text("name");
  if (!about["allow_downcast"].is_none())
    graph.allow_downcast = nb::cast<bool>(about["allow_downcast"]);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    const nb::object name = names[i];
    if (!name.is_none()) graph.inputs[i].name = nb::cast<std::string>(name);
    const nb::object value = arrays.attr("get")(std::to_string(i));
    if (!value.is_none()) graph.inputs[i].default_value = array_of(value);
    if (nb::cast<bool>(donated[i])) graph.options.donated.push_back(static_cast<int>(i));
  }
  return graph;
}

nb::dict about_function(const SavedGraph& graph) {
  nb::list names, donated;
  for (const SavedInput& input : graph.inputs) {
    names.append(text_or_none(input.name));
    donated.append(false);
  }
  for (const int i : graph.options.donated) donated[static_cast<std::size_t>(i)] = true;
  nb::dict about;
  about["kind"] = function_kind;
  about["name"] = text_or_none(graph.options.name);
  about["input_names"] = names;
  about["donated"] = donated;
  about["structure"] = name_of(graph.structure).data();
  about["allow_downcast"] =
      graph.allow_downcast ? nb::object(nb::bool_(*graph.allow_downcast)) : nb::none();
  about["options"] = result_options(graph.options);
  return about;
}

nb::dict parts_of(const SavedGraph& graph) {
  nb::dict parts, arrays, kind;
  nb::list inputs;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    inputs.append(wrap(graph.inputs[i].value));
    const Array& value = graph.inputs[i].default_value;
    if (value.defined()) arrays[std::to_string(i).c_str()] = wrap(value);
  }
  ResultObjects results = results_of(graph.outputs, graph.updates);
  for (std::size_t i = 0; graph.structure == Structure::dict && i < graph.outputs.size(); ++i)
    results.names[i] = graph.outputs[i].name;  // an empty one, too
  kind["kind"] = name_of(graph.structure).data();
  parts["inputs"] = inputs;
  parts["outputs"] = results.outputs;
  parts["output_names"] = results.names;
  parts["updates"] = results.updates;
  parts["arrays"] = arrays;
  parts["about"] = graph.is_function ? about_function(graph) : kind;
  return parts;
}

void save_graph(const std::filesystem::path& path, const nb::dict& parts,
                const std::string& values) {
  constexpr std::array formats = {Named{"npz", ValuesFormat::npz},
                                  Named{"safetensors", ValuesFormat::safetensors}};
  const auto format = one_of<ValuesFormat>("save", "values", values, formats);
  const SavedGraph graph = graph_from(parts);
  const Released released;
  write_graph(path, graph, format);
}

nb::dict load_graph(const std::filesystem::path& path, std::optional<std::int64_t> most_bytes) {
  SavedGraph graph;
  {
    const OriginScope at(caller());  // of the variables; expressions have the lines of the file
    const Released released;
    graph = read_graph(path, most_bytes);
  }
  return parts_of(graph);
}

}  // namespace

void add_files(nb::module_& m) {
  using namespace nb::literals;
  m.def("export_graph", export_graph, "inputs"_a, "outputs"_a, "output_names"_a.none(),
        "updates"_a);
  m.def("import_graph", import_graph, "text"_a, "arrays"_a, "shared"_a);
  m.def("save_values", save_values, "path"_a, "arrays"_a);
  m.def("load_values", load_values, "path"_a, "most_bytes"_a.none());
  m.def("save_graph", save_graph, "path"_a, "parts"_a, "values"_a);
  m.def("load_graph", load_graph, "path"_a, "most_bytes"_a.none());
}

}  // namespace gnomon::python
