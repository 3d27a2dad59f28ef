// Says which stages a routine has, and with how many items.
#include "runtime/device/device_routines.h"

#include <algorithm>
#include <string>

#include "runtime/arrays/dtype.h"
#include "runtime/device/stages.h"
#include "runtime/error.h"
#include "runtime/lines/line_routines.h"
#include "runtime/routines.h"

namespace gnomon {

namespace {

// The kernel of one routine with its operands.
template <class Record>
class Launcher {
 public:
  Launcher(const RoutineOnDevice& where, const Record& what, const void* a, const void* b,
           void* out)
      : where_(where), what_(what), a_(a), b_(b), out_(out) {}

  void take_memory(std::int64_t bytes) { memory_ = where_.memory(static_cast<std::size_t>(bytes)); }

  template <class Stage>
  void operator()(Stage stage, std::int64_t items, std::int64_t at = 0, std::int64_t turn = 0) {
    if (items == 0) return;
    constexpr int threads = 256;
    auto number = static_cast<std::int32_t>(stage);
    void* const parameters[] = {&what_, &a_, &b_, &out_, &memory_, &number, &items, &at, &turn};
    const std::int64_t blocks = std::min(ceil_div(items, threads), blocks_of_launch(where_.device));
    where_.device.launch(where_.code, where_.kernel, blocks, threads, parameters);
  }

 private:
  const RoutineOnDevice& where_;
  Record what_;
  const void *a_, *b_;
  void *out_, *memory_ = nullptr;
};

using Lines = Launcher<gnomon_lines>;

// In order along a line; long lines by chunks, as the processor does it.
void run_scan(Lines& launch, const gnomon_lines& w, std::int64_t element) {
  const std::int64_t lines = w.outer * w.inner;
  const bool is_recurrence = static_cast<LineRoutine>(w.routine) == LineRoutine::linear_recurrence;
  if (w.inner != 1 || w.n <= scans::chunk || is_recurrence)
    return launch(LineStage::scan_lines, w.n == 0 ? 0 : lines);
  const std::int64_t chunks = ceil_div(w.n, scans::chunk);
  launch.take_memory(lines * chunks * element);
  launch(LineStage::scan_chunks, lines * chunks);
  launch(LineStage::combine_ends, lines);
  launch(LineStage::carry, lines * w.n);
}

void run_sort(Lines& launch, const gnomon_lines& w, std::int64_t element) {
  const auto routine = static_cast<LineRoutine>(w.routine);
  const std::int64_t lines = w.outer * w.inner;
  const std::int64_t results = lines * (routine == LineRoutine::argtopk ? w.count : w.n);
  if (lines * w.n == 0 || results == 0) return;
  if (w.n > std::int64_t{0xffffffff})
    throw DeviceError("sort: expected lines of fewer than 2^32 elements, found one of " +
                      std::to_string(w.n));
  // Keys are as long as elements; places stand behind them.
  const std::int64_t key = routine == LineRoutine::sort ? element : element <= 4 ? 8 : 16;
  launch.take_memory(2 * lines * w.n * key);
  const std::int64_t runs = lines * ceil_div(w.n, run_of_sort);
  launch(LineStage::take_keys, lines * w.n);
  launch(LineStage::sort_runs, runs);
  std::int64_t turn = 0;
  for (std::int64_t length = run_of_sort; length < w.n; length *= 2, turn = 1 - turn)
    launch(LineStage::merge, runs, length, turn);
  launch(LineStage::give_sorted, results, 0, turn);
}

void run_search(Lines& launch, const gnomon_lines& w) {
  if (static_cast<LineRoutine>(w.routine) == LineRoutine::searchsorted)
    return launch(LineStage::search, w.count);
  const std::int64_t pieces = ceil_div(w.n, flags_of_item);
  launch.take_memory(pieces * std::int64_t{sizeof(std::int64_t)});
  launch(LineStage::count_true, pieces);
  launch(LineStage::combine_counts, 1);
  launch(LineStage::list_true, pieces);
}

}  // namespace

void run_on_device(const RoutineOnDevice& where, const gnomon_lines& what) {
  Lines launch(where, what, what.in[0], what.in[1], what.out);
  const auto routine = static_cast<LineRoutine>(what.routine);
  const auto element = static_cast<std::int64_t>(size_of(static_cast<DType>(what.dtype)));
  if (is_scan(routine)) return run_scan(launch, what, element);
  if (is_sort(routine)) return run_sort(launch, what, element);
  run_search(launch, what);
}

void run_on_device(const RoutineOnDevice& where, const gnomon_convolution& w) {
  Launcher<gnomon_convolution> launch(where, w, w.a, w.b, w.c);
  const auto count = [](const std::int64_t(&extents)[3]) {
    return extents[0] * extents[1] * extents[2];
  };
  const auto in_blocks = [](std::int64_t channels) { return ceil_div(channels, channels_at_once); };
  switch (static_cast<ConvolutionKind>(w.kind)) {
    case ConvolutionKind::results:
      return launch(ConvolutionStage::sum,
                    w.batch * w.groups * in_blocks(w.outputs) * count(w.result));
    case ConvolutionKind::input_gradient:
      return launch(ConvolutionStage::sum,
                    w.batch * w.groups * in_blocks(w.inputs) * count(w.image));
    case ConvolutionKind::weight_gradient: break;
  }
  const std::int64_t parts = parts_of_positions(w.batch * count(w.result));
  const std::int64_t taps = w.groups * w.inputs * count(w.window);
  launch.take_memory(parts * taps * w.outputs *
                     static_cast<std::int64_t>(size_of(static_cast<DType>(w.dtype))));
  launch(ConvolutionStage::sum_parts, parts * taps * in_blocks(w.outputs));
  launch(ConvolutionStage::add_parts, taps * w.outputs);
}

std::int64_t blocks_of_launch(const Device& device) {
  constexpr int blocks_each = 16;  // of a multiprocessor: as many as run there at once, and some
  return std::int64_t{blocks_each} * device.multiprocessors();
}

}  // namespace gnomon
