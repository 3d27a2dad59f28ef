// Routines along an axis and convolutions on a device: the stages of each, one launch after the
// other, of a kernel that generated code has for it. Exported libraries have this text too. Where
// the kernel runs, a `Where`, has
//   memory(bytes)                        memory of the device for the routine, or null
//   launch(blocks, threads, parameters)  queues the kernel; false: that cannot be done
//   blocks()                             the most that a launch is worth
#pragma once

#include "runtime/abi.h"
#include "runtime/device/stages.h"
#include "runtime/freestanding.h"
#include "runtime/lines/line_routines.h"
#include "runtime/routines.h"

namespace gnomon {

/// The most blocks that a launch is worth: as many as run at once, and some.
constexpr int64_t blocks_of_launch(int multiprocessors) { return int64_t{16} * multiprocessors; }

/// Launches stages of a routine's kernel over its operands.
template <class Where, class Record>
class StageLauncher {
 public:
  StageLauncher(Where& where, const Record& what, const void* a, const void* b, void* out)
      : where_(where), what_(what), a_(a), b_(b), out_(out) {}

  bool take_memory(int64_t bytes) { return (memory_ = where_.memory(bytes)) != nullptr; }

  template <class Stage>
  bool operator()(Stage stage, int64_t items, int64_t at = 0, int64_t turn = 0) {
    if (items == 0) return true;
    constexpr int threads = 256;
    auto number = static_cast<int32_t>(stage);
    void* const parameters[] = {&what_, &a_, &b_, &out_, &memory_, &number, &items, &at, &turn};
    return where_.launch(lesser(ceil_div(items, threads), where_.blocks()), threads, parameters);
  }

 private:
  Where& where_;
  Record what_;
  const void *a_, *b_;
  void *out_, *memory_ = nullptr;
};

/// In order along a line; long lines by chunks, as the processor does it.
template <class Launch>
bool launch_scan(Launch& launch, const gnomon_lines& w, int64_t element) {
  const int64_t lines = w.outer * w.inner;
  const bool is_recurrence = static_cast<LineRoutine>(w.routine) == LineRoutine::linear_recurrence;
  if (w.inner != 1 || w.n <= scans::chunk || is_recurrence)
    return launch(LineStage::scan_lines, w.n == 0 ? 0 : lines);
  const int64_t chunks = ceil_div(w.n, scans::chunk);
  return launch.take_memory(lines * chunks * element) &&
         launch(LineStage::scan_chunks, lines * chunks) && launch(LineStage::combine_ends, lines) &&
         launch(LineStage::carry, lines * w.n);
}

template <class Launch>
bool launch_sort(Launch& launch, const gnomon_lines& w, int64_t element) {
  const auto routine = static_cast<LineRoutine>(w.routine);
  const int64_t lines = w.outer * w.inner;
  const int64_t results = lines * (routine == LineRoutine::argtopk ? w.count : w.n);
  if (lines * w.n == 0 || results == 0) return true;
  // Keys are as long as elements; places stand behind them.
  const int64_t key = routine == LineRoutine::sort ? element : element <= 4 ? 8 : 16;
  const int64_t runs = lines * ceil_div(w.n, run_of_sort);
  bool done = launch.take_memory(2 * lines * w.n * key) &&
              launch(LineStage::take_keys, lines * w.n) && launch(LineStage::sort_runs, runs);
  int64_t turn = 0;
  for (int64_t length = run_of_sort; done && length < w.n; length *= 2, turn = 1 - turn)
    done = launch(LineStage::merge, runs, length, turn);
  return done && launch(LineStage::give_sorted, results, 0, turn);
}

template <class Launch>
bool launch_search(Launch& launch, const gnomon_lines& w) {
  if (static_cast<LineRoutine>(w.routine) == LineRoutine::searchsorted)
    return launch(LineStage::search, w.count);
  const int64_t pieces = ceil_div(w.n, flags_of_item);
  return launch.take_memory(pieces * int64_t{sizeof(int64_t)}) &&
         launch(LineStage::count_true, pieces) && launch(LineStage::combine_counts, 1) &&
         launch(LineStage::list_true, pieces);
}

/// Whether a device does it: places among sorted elements have 32 bits.
constexpr bool fits_device(const gnomon_lines& w) {
  return !is_sort(static_cast<LineRoutine>(w.routine)) || w.outer * w.inner == 0 ||
         w.n <= int64_t{0xffffffff};
}

/// Queues all stages, for elements of so many bytes. False: what `where` could not do.
template <class Where>
bool launch_routine(Where& where, const gnomon_lines& what, int64_t element) {
  StageLauncher launch(where, what, what.in[0], what.in[1], what.out);
  const auto routine = static_cast<LineRoutine>(what.routine);
  if (is_scan(routine)) return launch_scan(launch, what, element);
  if (is_sort(routine)) return launch_sort(launch, what, element);
  return launch_search(launch, what);
}

template <class Where>
bool launch_routine(Where& where, const gnomon_convolution& w, int64_t element) {
  StageLauncher launch(where, w, w.a, w.b, w.c);
  const auto count = [](const int64_t(&extents)[3]) {
    return extents[0] * extents[1] * extents[2];
  };
  const auto in_blocks = [](int64_t channels) { return ceil_div(channels, channels_at_once); };
  const auto kind = static_cast<ConvolutionKind>(w.kind);
  if (kind == ConvolutionKind::results)
    return launch(ConvolutionStage::sum,
                  w.batch * w.groups * in_blocks(w.outputs) * count(w.result));
  if (kind == ConvolutionKind::input_gradient)
    return launch(ConvolutionStage::sum, w.batch * w.groups * in_blocks(w.inputs) * count(w.image));
  const int64_t parts = parts_of_positions(w.batch * count(w.result));
  const int64_t taps = w.groups * w.inputs * count(w.window);
  return launch.take_memory(parts * taps * w.outputs * element) &&
         launch(ConvolutionStage::sum_parts, parts * taps * in_blocks(w.outputs)) &&
         launch(ConvolutionStage::add_parts, taps * w.outputs);
}

}  // namespace gnomon
