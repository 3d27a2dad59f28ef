// What Gnomon found on this machine: `gn.show_config`.
#include "codegen/cuda/nvrtc.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/machine.h"
#include "codegen/toolchain/target.h"
#include "frontend/python/src/core.h"
#include "runtime/cache/cache.h"
#include "runtime/error.h"
#include "runtime/linalg/blas.h"
#include "runtime/options.h"

namespace gnomon::python {

namespace {

nb::str text(std::string_view s) { return nb::str(s.data(), s.size()); }

// Opens the compiler's library and BLAS, which takes some milliseconds.
nb::dict configuration() {
  nb::dict compiler;
  compiler["found"] = toolchain_available();
  try {
    const std::string id = toolchain_id();  // "Debian clang version 19.1.7 -triple ..."
    compiler["version"] = text(std::string_view(id).substr(0, id.find(" -")));
  } catch (const CompileError& error) {
    compiler["version"] = text(error.what());
  }
  const Target& target = host_target();
  nb::dict processor;
  processor["name"] = text(target.name);
  processor["vector_bytes"] = target.vector_bytes;
  processor["available"] = available_cpus();
  nb::dict blas_library;
  blas_library["found"] = blas().available();
  blas_library["description"] = text(blas_description());
  nb::dict cuda;
  cuda["found"] = nvrtc_available();
  cuda["nvrtc"] = text(nvrtc_version());
  const Cache folder;
  const CacheStats stats = folder.stats();
  nb::dict cache;
  cache["folder"] = text(folder.folder().string());
  cache["functions"] = stats.entries;
  cache["bytes"] = stats.bytes;
  nb::dict variables;
  for (const EnvironmentVariable& v : environment_variables())
    if (const auto value = environment(v.name)) variables[text(v.name)] = text(*value);
  nb::dict found;
  found["version"] = text(GNOMON_VERSION);
  found["processor"] = processor;
  found["threads"] = default_thread_count();
  found["compiler"] = compiler;
  found["blas"] = blas_library;
  found["cuda"] = cuda;
  found["cache"] = cache;
  found["cost_model"] = text(gnomon::text(target.machine));
  found["environment"] = variables;
  return found;
}

}  // namespace

void add_config(nb::module_& m) { m.def("configuration", configuration); }

}  // namespace gnomon::python
