// A compiled function as the library holds it: the captured graph, the code, what calls need.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/compile_options.h"
#include "ir/graph/graph.h"
#include "runtime/arrays/shared.h"
#include "runtime/cache/library.h"
#include "runtime/services.h"
#include "runtime/signature.h"

namespace gnomon {

class DeviceFunction;
class Function;
class Inspection;
struct Closed;
struct Profiled;

/// A plan of the extents it was made for.
struct PlanRecord {
  std::vector<std::int64_t> extents, plan;
};

/// An output as the caller sees it.
struct ProgramOutput {
  DType dtype;
  int rank;
  int shape_at;                     // of its extents in the plan
  bool late;                        // the running function makes it
  int over = -1;                    // parameter whose memory it may be written to
  int updates = -1;                 // position among the shared variables
  std::optional<DeviceName> stays;  // where the function transfers it to, as the last thing
};

/// The stages that a function was made in; empty when it came from the cache.
struct StageTexts {
  std::string graph, module, source, rewrites;
};

struct Program {
  Graph captured;
  std::size_t arguments = 0;  // parameters the caller gives
  std::vector<std::vector<Origin>> argument_origins;
  std::vector<Array> constants;   // of the parameters behind them
  std::vector<SharedUse> shared;  // then these
  std::vector<ProgramOutput> outputs;
  Signature signature;      // what native code sees, with the names of the graph in failures
  std::size_t results = 0;  // outputs that are not updates come first
  std::shared_ptr<const Library> library;
  gnomon_services services{};
  std::vector<std::shared_ptr<DeviceFunction>> devices;  // its kernels there; its own first
  std::shared_ptr<Profiled> profiled;  // what its calls took, of a function that is to tell
  std::shared_ptr<const Inspection> inspection;  // what looks at results, if anything does
  bool keeps_old_values = false;  // of arguments and shared variables, until a call ends
  bool logs_calls = false;
  bool is_plain = true;    // none of these, and no device: calls ask once
  CompileOptions options;  // without the givens, which the graph has in it
  // For people.
  bool was_cached = false;
  std::string timings;
  StageTexts texts;

  // Plans by extents: the last one used is found without a lock.
  mutable std::atomic<const PlanRecord*> last_plan{nullptr};
  mutable std::mutex plans_mutex;
  mutable std::vector<std::unique_ptr<const PlanRecord>> plans;

  /// The plan for the extents; ValueError with the failed check. `own` holds it when too many
  /// different ones have been seen to keep it.
  const PlanRecord& plan_for(std::span<const std::int64_t> extents,
                             std::unique_ptr<const PlanRecord>& own) const;
  [[noreturn]] void fail(const Failure& failure) const;
  /// The most threads a call that starts now uses.
  int most_threads() const;
  /// Sets the outputs and the signature. DeviceError: it is no signature of the captured graph.
  void take_signature(Signature found);
};

/// What a function is a handle of. ValueError: of nothing.
const Program& program_of(const Function& function);

/// What it was made of. Shared variables have their present values.
Closed closed_of(const Program& program);

/// Whether a call reads an argument where it lies; else it reads a copy.
inline bool is_read_in_place(const Array& a) {
  return a.is_contiguous() &&
         reinterpret_cast<std::uintptr_t>(a.address()) % size_of(a.dtype()) == 0;
}

/// Opens the devices of a function, by their names, and loads the kernels that it runs there.
/// DeviceError: there is no such device, or it refuses.
void load_device_code(Program& program, const CompileOptions& options,
                      std::span<const std::string> devices);

/// The program that runs native code of what was captured. DeviceError: it is code of another
/// function.
std::shared_ptr<Program> load(std::shared_ptr<const Library> library, const Closed& closed);

}  // namespace gnomon
