// The extension module gnomon._core: what the Python package is made of.
#include "frontend/configuration.h"
#include "frontend/python/src/core.h"
#include "runtime/place_text.h"

namespace gnomon::python {

Types types{};

}  // namespace gnomon::python

NB_MODULE(_core, m) {
  using namespace gnomon::python;
  gnomon::without_call_places();  // Python's errors have tracebacks
  m.doc() = "The compiled part of gnomon.";
  m.attr("__version__") = gnomon::version();
  add_errors(m);
  add_dtypes(m);
  add_arrays(m);
  add_expressions(m);
  add_operations(m);
  add_creation(m);
  add_shapes(m);
  add_sorting(m);
  add_transforms(m);
  add_loops(m);
  add_solvers(m);
  add_functions(m);
  add_questions(m);
  add_compiled(m);
  add_files(m);
  add_pickles(m);
  add_shown(m);
  add_optimizers(m);
  add_tune(m);
  add_export(m);
  add_config(m);
  add_accuracy(m);
  add_profile(m);
  add_debugging(m);
  add_explanation(m);
  add_view(m);
  add_random(m);
  add_networks(m);
}
