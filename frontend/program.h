// A compiled function as the library holds it: the captured graph, the code, what calls need.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/arrays/shared.h"
#include "runtime/cache/library.h"
#include "runtime/services.h"

namespace gnomon {

/// A plan of the extents it was made for.
struct PlanRecord {
  std::vector<std::int64_t> extents, plan;
};

struct ProgramOutput {
  DType dtype;
  int rank;
  int shape_at;      // of its extents in the plan
  bool late;         // the running function makes it
  int updates = -1;  // position among the shared variables
  int over = -1;     // parameter whose memory it may be written to
};

struct ProgramFailure {
  std::string text;
  std::vector<std::uint32_t> nodes;  // of the captured graph, by position
  int entry_check = -1;              // of the captured graph
  int parameter = -1;
  bool is_index = false;  // an IndexError
};

struct Program {
  Graph captured;
  std::size_t arguments = 0;  // parameters the caller gives
  std::vector<std::vector<Origin>> argument_origins;
  std::vector<Array> bound;       // large constants, as further parameters
  std::vector<SharedUse> shared;  // then these
  std::vector<ProgramOutput> outputs;
  std::vector<ProgramFailure> failures;
  std::vector<std::string> messages;
  std::vector<int> extent_parameters;
  std::size_t results = 0;  // outputs that are not updates come first
  std::shared_ptr<const Library> library;
  gnomon_services services{};
  int threads = 0;
  // For people.
  bool was_cached = false;
  int kernels = 0, products = 0;
  std::string name, timings, graph_text, module_text, source, explanation, memory_table;

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
  /// Reads what the text of a signature says of native code with plans of so many numbers: it sees
  /// a complex array [...] as floats [..., 2], and the captured graph says where. DeviceError: it
  /// is no signature of this graph.
  void read_signature(std::string_view text, std::int64_t plan_size, const Graph& of);
};

}  // namespace gnomon
