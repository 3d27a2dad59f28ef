// Libraries for programs without Gnomon.
#include "frontend/export/export_library.h"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/src/core.h"
#include "frontend/python/src/functions/function.h"

namespace gnomon::python {

namespace {

// `functions`: pairs of a name and a function; `weights`: a path, or none. Returns the paths of
// the files.
std::vector<std::string> export_functions(
    const std::string& name, const std::filesystem::path& folder, nb::handle functions,
    const std::vector<std::string>& kinds, std::vector<std::string> targets, int opt_level,
    std::string wheel_version, std::vector<std::string> extras, std::string gpu,
    std::string device_compiler, const std::filesystem::path& weights) {
  std::vector<LibraryFunction> list;
  for (const nb::handle pair : nb::iter(functions))
    list.emplace_back(nb::cast<std::string>(pair[0]), compiled_function(nb::object(pair[1])));
  ExportOptions options;
  options.targets = std::move(targets);
  options.opt_level = opt_level;
  options.wheel_version = std::move(wheel_version);
  options.extras = std::move(extras);
  options.gpu = std::move(gpu);
  options.device_compiler = std::move(device_compiler);
  options.separate_weights = !weights.empty();
  options.ask_for(kinds);
  const nb::gil_scoped_release released;
  return write_library(export_library(name, list, options), folder, kinds, weights);
}

}  // namespace

void add_export(nb::module_& m) {
  using namespace nb::literals;
  m.def("export_library", export_functions, "name"_a, "folder"_a, "functions"_a, "kinds"_a,
        "targets"_a, "opt_level"_a, "wheel_version"_a, "extras"_a, "gpu"_a, "device_compiler"_a,
        "weights"_a);
}

}  // namespace gnomon::python
