// The measuring of this machine's constants.
#include "frontend/tune.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "frontend/python/src/core.h"

namespace gnomon::python {

namespace {

// `progress` gets a text about each constant. Ctrl-C is seen between two of them.
nb::dict tune_machine(std::vector<std::string> names, bool store, int rounds, nb::object progress) {
  TuneOptions options;
  options.names = std::move(names);
  options.store = store;
  options.rounds = rounds;
  options.progress = [&](const TunedConstant& c) {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(c.text());
  };
  const Tuning tuning = tune(options);
  nb::dict constants;
  for (const MachineConstant& c : machine_constants())
    constants[nb::str(c.name.data(), c.name.size())] = tuning.machine.*c.member;
  return constants;
}

}  // namespace

void add_tune(nb::module_& m) {
  using namespace nb::literals;
  m.def("tune", tune_machine, "names"_a, "store"_a, "rounds"_a, "progress"_a.none());
}

}  // namespace gnomon::python
