// What a graph is lowered to: kernels, the steps of the host function, and the buffers they use.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "codegen/module/service.h"
#include "ir/graph/graph.h"
#include "ir/kernel/kernel.h"
#include "runtime/signature.h"

namespace gnomon {

class Decisions;

/// Memory that steps read and write: C-contiguous.
struct Buffer {
  enum class Role : std::uint8_t {
    parameter,  // an argument or shared variable, by number
    output,     // a result, by number; made by the caller of the function
    constant,   // bytes in the object
    workspace,  // part of the call's workspace
    variable,   // of the function that runs the steps
    late,       // allocated during the call: its extents are computed by the call
    row,        // part of another buffer: a loop says which
  };
  Role role = Role::workspace;
  int number = 0;  // parameter, output
  std::string name;
  DType dtype = DType::float64;
  Shape shape;
  Array value;  // constant
  /// Memory that a library's service works in: the step, whose record says how much that is.
  std::shared_ptr<const ServiceStep> memory_of = nullptr;
  int first = -1, last = -1;  // steps between which the contents count, as positions in order
  std::vector<std::uint32_t> nodes = {};  // of the captured graph, by position: what it is of
  int device = of_host;                   // whose memory it is
  bool is_on_device() const { return device != of_host; }
};

/// A dimension atom that the host function knows at run time.
struct DimensionSlot {
  AtomRef atom;
  std::string name;
  int extent = -1;  // where its value stands in what gnomon_plan reads; -1: computed late
};

/// Entry condition: left == right.
struct PlanCheck {
  Dim left, right;
  int extent = -1;  // compare the extent of the call at this position with `right` instead
  int number = 0;
};

struct KernelStep {
  int kernel;
  std::vector<int> buffers;  // behind the kernel's parameters; -1 for scratch
  int apart_from = -1;       // copies this buffer's elements to the same places: not over itself
  int apart_to = -1;
  Dim serial_work = 0;  // additions of one that has one thread only; 0: of any other
  int addend = -1;      // each element of this buffer is read just before the result's is written
  int device = of_host;
};
/// Between memories of the host and of devices, or in one of them.
struct CopyStep {
  int from, to;
};
/// Reads an int64 scalar into a dimension slot.
struct DimensionStep {
  int slot, buffer;
};
/// Tests an equality of extents that the call computes.
struct ExtentCheckStep {
  Dim left, right;
  int number;
};
/// Allocates a buffer whose extents are known now.
struct AllocateStep {
  int buffer;
};
/// Check `number` fails at the first false element of a bool buffer; `value` and `bound` are
/// buffers of integers, of as many elements or of one, to tell those of that element from.
struct CheckStep {
  int buffer, number;
  int value = -1, bound = -1;
};
/// Shows a buffer; or, with a callback (a buffer: int64 scalar, its number), gives it to that where
/// the condition (a buffer: bool scalar) is true.
struct PrintStep {
  int buffer, message;
  int condition = -1, callback = -1;
  DType dtype = DType::float64;  // that the callback gets
};
struct Step;
/// `count` times, or until a state is false: the states in `current` are read, those in `next`
/// written, then they change places. Where both are one buffer, each step writes over the state.
/// Where the body makes `at_once` steps each time it runs, from the index on, the last time makes
/// what is left of the count, and the rows of its steps lie behind `one`.
struct LoopStep {
  /// What each step leaves: `one` is its part of `all`, which has one for each step.
  struct Row {
    int one, all;
  };
  int count;                                // buffer: int64 scalar
  int index;                                // buffer: the int64 scalar the body reads
  int while_state = -1;                     // number of the bool scalar that goes on; -1: none
  std::vector<int> initial, current, next;  // by state
  std::vector<int> result;                  // where the last states go
  std::vector<Row> rows;
  std::vector<Step> body;
  /// States whose memory `next` begins as `current` does: steps leave the same elements of both as
  /// they are.
  std::vector<int> begun_twice = {};
  /// Buffers that hold one version of a value after another: read, then written in parts.
  std::vector<int> versions = {};
  int at_once = 1;
  bool is_brief = false;  // a thousand steps take no time that anybody notices
};
/// Branches that do not need each other's results: at once, a thread each, where that is sooner
/// than in order.
struct SideBySideStep {
  struct Branch {
    std::vector<Step> steps;
    Dim work = 0;    // additions
    Dim shares = 1;  // threads that one branch keeps busy itself
  };
  std::vector<Branch> branches;
};
/// least <= extent <= most.
struct ExtentRange {
  Dim extent;
  std::int64_t least, most;
};
/// `then` where all extents are in range and the condition is true, else `otherwise`.
struct ChoiceStep {
  std::vector<ExtentRange> where;
  int condition = -1;  // buffer: bool scalar; -1: none
  std::vector<Step> then, otherwise;
};
struct Step {
  std::variant<KernelStep, ServiceStep, CopyStep, DimensionStep, ExtentCheckStep, AllocateStep,
               CheckStep, PrintStep, LoopStep, SideBySideStep, ChoiceStep>
      what;
  std::vector<std::uint32_t> nodes = {};  // of the captured graph, by position: what it computes
  Dim multiply_adds = 0;                  // of a product, else 0
  std::optional<int> asked = {};          // where the program wants it, if it says so
};

/// The device that does it, or the host.
int device_of(const Step& step);
inline bool is_on_device(const Step& step) { return device_of(step) != of_host; }

struct Module {
  std::vector<Buffer> buffers;
  std::vector<Kernel> kernels;
  std::vector<Step> steps;
  std::vector<DimensionSlot> dimensions;
  std::vector<PlanCheck> plan_checks;
  std::vector<FailureText> failures;                // failure number i + 1
  std::vector<std::string> messages;                // of print
  std::string memory_table;                         // what a memory budget did; or empty
  std::vector<int> workspace;                       // buffers of the workspace that are used
  std::vector<std::vector<int>> device_workspaces;  // and of those in the memories of devices
  std::vector<int> outputs;                         // buffer of each output
  std::vector<int> updates;  // the parameter each output is the new value of, or -1
  std::vector<int> over;     // the parameter each output is written over, or -1
  /// As of loops: what the steps read, and then write in parts.
  std::vector<int> versions;
  int extents = 0;  // how many the call gives
  int parameters = 0;
  std::vector<int> donated;  // parameters whose memory is the function's
  /// Positions of int64 scalar parameters whose values are extents, in order after the extents.
  std::vector<int> extent_parameters;
  Dim bytes_per_worker = 0;
  bool profile = false;              // calls count and time the steps
  std::vector<std::string> devices;  // names of those that run kernels
  /// Where lowering and the passes say what they decided, if anybody asks.
  Decisions* decisions = nullptr;

  /// Whether an extent is computed by the call itself.
  bool is_late(const Shape& shape) const;
  bool is_on_device() const { return !devices.empty(); }
  int kernel_calls() const;
  int products() const;
  /// Readable text of steps, buffers and kernels.
  std::string text() const;
};

}  // namespace gnomon
