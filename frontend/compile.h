// The stages of a compilation: values that print, and that work may begin with.
//
//   stage    made by           of                 is                       prints
//   capture  close_function    expressions        Closed                   print_graph
//   optimize optimize          its graph          Graph                    print_graph
//   lower    lower             the graph          Module                   Module::text
//            run_module_passes the module         Module
//   emit     emit              the module         units of C++             text
//   build    build_artifact    the units          Artifact                 text of its signature
//   load     load              the object         Program, for Function
//
// `compile` runs them all, or finds the object of the fifth in the cache. Whoever has a value of
// one stage can call the next by himself: a parsed graph, or units that were changed by hand.
#pragma once

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "codegen/text/emit.h"
#include "codegen/text/signature.h"
#include "codegen/toolchain/artifact.h"
#include "frontend/close_function.h"
#include "frontend/function.h"
#include "frontend/program.h"
#include "passes/pipeline.h"

namespace gnomon {

/// Compiles what was captured. Givens and default updates are no matter of it.
Function compile_closed(const Closed& closed, const CompileOptions& options = {});

}  // namespace gnomon
