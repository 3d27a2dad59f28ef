// The kernel IR: a flat list of typed SSA statements with loop/end pairs, for every target.
//
// A kernel reads and writes C-contiguous buffers and sees the extents of the call. Statements at
// the outermost level run one after the other; a `parallel` loop there is split over threads. A
// value is a vector if its statement says `lanes`; its width is that of the vector axis around it.
// Loads are unconditional; the masked tail of a vector axis loads the fill instead.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/dimension/dimension.h"
#include "ir/op/element.h"
#include "ir/op/op.h"

namespace gnomon {

/// How the iterations of a loop run.
enum class AxisKind : std::uint8_t {
  serial,
  parallel,  // split over threads; outermost only
  vector,    // `width` lanes, masked tail; with `chains` accumulators are split by index modulo
  unroll,    // literal extent, written out
  block,     // CUDA: one iteration a thread block
  thread,    // CUDA: split over the threads of the block
};

enum class Code : std::uint8_t {
  constant,  // value
  extent,    // dim as int64, uniform
  let,       // op(args)
  cast,      // args[0] to dtype
  select,    // args[0] ? args[1] : args[2]
  axis,      // the index of loop `axis` as int64 (lanes inside a vector axis: index of the lane)
  load,      // buffer[args[0]]; access says how lanes read
  store,     // buffer[args[0]] = args[1]; with `stream` past the caches, if args[2] is not 0
  update,    // buffer[args[0]] = op(buffer[args[0]], args[1])
  loop,      // axis over [args[0], args[1]); see Axis
  end,
  acc,     // an accumulator of `op` starting from its identity
  reduce,  // acc args[0] takes args[1] (arg reductions: and the index args[2], which rises; that of
           // lanes is counted from the start of a loop of fewer than 2^30 iterations)
  fold,    // the one value of acc args[0] (field 1: the index), in fixed order
  local,   // register array of literal shape `extents`
  get,     // local args[0] [args[1..]]
  set,     // local args[0] [args[1..]] = last arg
  check,   // report `number` where args[0] holds: index args[1], value args[2], bound args[3]
  carry,   // a value that the loop it stands in carries: args[0] initially
  yield,   // args[1] is the next value of carry args[0]; the last one outlives the loop
  if_,     // uniform condition args[0]
  else_,
  prefetch,   // buffer[args[0]], or what lies args[1] elements behind it; 0 of them: nothing
  barrier,    // of the thread block
  transpose,  // buffers[number][c extents[0] + r] = buffer[args[0] + r args[1] + c], r < args[2],
              // c < args[3]
  // Where the lanes of the vector axis are the rows j of a matrix in memory:
  read_rows,    // register array of buffer[args[0] + j args[1] + k], k < extents[0]
  write_rows,   // buffer[args[0] + j n + k] = args[1 + k], k < n
  update_rows,  // buffer[args[0] + k] = op(buffer[args[0] + k], args[1 + k]), the rows in order
};

/// How the lanes of a load or store lie in memory.
enum class Access : std::uint8_t {
  uniform,     // one element for all lanes
  contiguous,  // lane k at offset + k
  gather,      // the offset itself has lanes
};

struct Axis {
  std::string name;
  AxisKind kind = AxisKind::serial;
  int width = 1;            // vector: lanes; thread: threads of a block
  int chains = 1;           // vector: accumulators in turn
  bool masks = false;       // vector: a mask costs nothing, so one body may serve all vectors
  std::int32_t grain = -1;  // parallel: statement with the iterations of one piece; -1: one
};

/// Where a kernel reads or writes.
struct BufferParam {
  std::string name;
  DType dtype = DType::float64;
  bool writes = false;
  bool reads = true;
  /// Scratch of one worker: `elements` of it, addressed from 0.
  bool per_worker = false;
  Dim elements = 0;
  /// May be the memory of another parameter; each element is read before it is written.
  bool aliased = false;
  /// One element, which whoever launches the kernel on a device gives with the launch.
  bool by_value = false;
};

struct Statement {
  Code code{};
  DType dtype = DType::float64;  // of the result
  bool lanes = false;
  Access access = Access::uniform;
  bool stream = false;             // store past the caches
  bool atomic = false;             // update: iterations at once may have the same element
  std::int32_t axis = -1;          // loop, axis: index into Kernel::axes
  std::int32_t buffer = -1;        // load, store, update, prefetch
  std::int32_t number = 0;         // check: its number; fold: field; transpose: buffer written
  const Op* op = nullptr;          // let, update, acc (the reduction op: sum, max_and_argmax, ...)
  Dim dim = 0;                     // extent
  Cell value{};                    // constant; load: fill of a masked tail
  std::vector<std::int32_t> args;  // statements
  std::vector<std::int64_t> extents;  // local; read_rows: elements of a row; transpose
  std::string name;                   // for people: the user's name of the value, or empty
};

/// Statement i defines value %i.
struct Kernel {
  std::string name;
  std::string comment;  // the source expression, for people
  std::vector<BufferParam> buffers;
  std::vector<Axis> axes;
  std::vector<Statement> body;
  bool inlined = false;  // part of the function that calls it
};

/// Whether values of `t` are combined at once, in any order, to the same bits.
bool is_atomic(const Op& op, DType t);

/// Readable text: one statement a line, loops indented. `parse_kernel` reads it back.
std::string text(const Kernel& kernel);
Kernel parse_kernel(std::string_view text);
/// InternalError naming the statement: SSA and scopes, dtypes, lanes, loop pairs, buffer uses.
void verify(const Kernel& kernel);

}  // namespace gnomon
