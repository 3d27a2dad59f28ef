// A nest becomes statements of a kernel: loops, stages, chunks, accumulators, scratch.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/kernels/kernel_builder.h"
#include "codegen/kernels/kernel_parameters.h"
#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"

namespace gnomon {

/// Where values live: the buffers of the module, asked for by the lowering of kernels.
class Storage {
 public:
  virtual ~Storage() = default;
  /// The buffer of a stored value (leaves and constants included).
  virtual int buffer_of(const Value& stored) = 0;
  /// The partial results of a blocked column reduction: values (0), places of a search (1).
  virtual int partial_of(const Node& column, std::uint32_t field) = 0;
  /// Memory for the rest of the kernel.
  virtual int temporary(DType t, const Dim& elements, const std::string& name) = 0;
  virtual std::string name_of(int buffer) const = 0;
  /// The expression of a value for people, parameters by their names.
  virtual std::string text_of(const Value& v) const = 0;
  /// The extent that the values of a loop's index are below, if `leaf` is one.
  virtual std::optional<Dim> extent_of_index(const Value& leaf) const = 0;
  /// The number that a failed check of the node reports.
  virtual int check_number(const Node& node) = 0;
};

/// Iterations of `work` additions each that are worth a thread.
Dim iterations_of_piece(const Target& target, const Dim& work);

/// A value for people, in the comment of the kernel that makes it.
std::string line_of_comment(const Storage& storage, const Value& v);

/// The extents for which a nest with rows of open length is best done by `add_short_rows`; none if
/// it cannot.
std::vector<ExtentRange> short_rows(const Nest& nest, const Target& target);

/// The places that a scattered write has, in buffers of int64 of the module, and what order they
/// are in: those of elements or, if positions along the last axis are known, of rows.
struct OrderedPlaces {
  bool of_rows = false;
  Dim count;
  int places = -1;  // where each is in the result
  int order = -1;   // of which element or row each is, once they are sorted
  int sorted = -1;
  int ends = -1;  // behind those that equal each, once they are sorted
};

/// A kernel that gathers nests one after the other, and the buffers behind its parameters.
class KernelLowering {
 public:
  KernelLowering(std::string name, const Fusion& fusion, Storage& storage, const Target& target);

  void add(const Nest& nest);
  /// For extents that `short_rows` gives.
  void add_short_rows(const Nest& nest);
  /// A scattered write for a device: the places; these sorted, once their order is known; and, once
  /// it is known which are equal, for each place its elements in order.
  void add_places(const Nest& nest, const OrderedPlaces& places);
  void add_sorted_places(const OrderedPlaces& places);
  void add_by_places(const Nest& nest, const OrderedPlaces& places);
  /// One that is combined in any order (`is_atomic`): all elements at once.
  void add_at_once(const Nest& nest);
  Kernel finish();
  std::size_t statement_count() const { return k_.statement_count(); }
  /// Axes that must have elements before the kernel runs.
  const std::vector<IndexedAxis>& indexed() const { return k_.indexed(); }
  /// What it takes, in additions, if it has one thread only; else 0.
  const Dim& serial_work() const { return serial_work_; }
  /// Buffer of the module behind each parameter; -1 for scratch.
  const std::vector<int>& buffers() const { return parameters_.buffers(); }

 private:
  struct Loops;

  void begin(const Nest& nest);
  void end();
  void describe(const Nest& nest);
  void note_members(const Nest& nest);
  void note_work(const Nest& nest);
  void add_scalars(const Nest& nest);
  void add_chunks(const Nest& nest);
  void add_rows(const Nest& nest);
  bool is_flat_on_device(const Nest& nest) const;
  void add_flat(const Nest& nest);
  void add_columns(const Nest& nest);
  enum class Start { identity, partials };  // what accumulators of columns start from
  void run_columns(const Nest& nest, std::span<const Scalar> rows, std::span<const Scalar> columns,
                   const Axis& lanes, Start start);
  void run_rows(const Nest& nest, std::span<const Scalar> rows, Scalar j, Start start,
                bool with_maximum);
  Axis tile_axis(const Nest& nest, const Dim& extent) const;
  void add_scatter(const Nest& nest);
  void add_scattered_rows(const Nest& nest, Loops& loops);
  void add_scattered_blocks(const Nest& nest, Loops& loops, const Dim& times);
  Dim parts_of_counts(const Nest& nest) const;
  void add_counts(const Nest& nest, Loops& loops, const Dim& parts);
  void open_rows(const Nest& nest, Loops& loops);
  void run_blocks(const Nest& nest, Loops& loops, Scalar from, Scalar to,
                  const std::function<void(const Linear&, Scalar)>& write_one);
  void run_stage(const Nest& nest, int stage, Loops& loops, Scalar lo, Scalar hi, const Dim& n);
  void run_row_stage(const Nest& nest, int stage, Loops& loops);
  void run_chunked_stage(const Nest& nest, int stage, Loops& loops, const Dim& n);
  void store_rows(const Nest& nest, int stage, Loops& loops);
  void clear_partials(const Nest& nest, Scalar block, Scalar lo, Scalar hi, const Axis& lanes);
  int partial(const Node& node, std::uint32_t field, bool writes);
  Scalar maximum_of_block(const Node& node, std::span<const Scalar> at);
  void write_partials(const Node& node, Scalar accumulator, std::span<const Scalar> at);
  // Memory along another axis than the last.
  void add_tiles(const Nest& nest, int crossed);
  std::optional<Scalar> load_crossed(int buffer, const Linear& at, DType t);
  // Rows as lanes.
  bool has_short_rows(const Nest& nest) const;
  bool runs_rows_as_lanes(const Nest& nest) const;
  int jammed_rows(const Nest& nest) const;
  void add_lanes(const Nest& nest);
  void add_jammed_lanes(const Nest& nest, int rows);
  Scalar jammed_row(Scalar block, int q, int jam, const Dim& rows);
  int jammed_axis(const Nest& nest) const;
  void add_jammed_partial(const Nest& nest, int jammed);
  void transpose_tables(const Nest& nest, Loops& loops);
  /// A row that is computed together with others: its axes but the last, results of reductions.
  struct LaneRow {
    std::vector<Scalar> axes;
    std::unordered_map<Value, Scalar> rows;
  };
  void enter(LaneRow& row);
  Scalar element_of_row(const Member& m, LaneRow& row, Scalar k);
  void run_lanes(const Nest& nest, std::span<LaneRow> together);
  void run_lane_stage(const Nest& nest, int stage, std::span<LaneRow> together);
  void reduce_rows(const Member& m, std::int64_t length, std::span<LaneRow> together);
  void reduce_open_rows(const Member& m, const Dim& length, std::span<LaneRow> together);
  void finish_rows(const Member& m, std::span<const Scalar> totals, std::span<LaneRow> together);
  void store_row(const Member& m, std::span<const Scalar> values, Loops& loops);
  std::optional<Scalar> load_of_row(const Value& v, std::span<const Scalar> index, int buffer,
                                    const Linear& at);
  std::vector<Scalar> accumulators(const Nest& nest, int stage);
  std::optional<Scalar> resolve(const Value& v, std::span<const Scalar> index);
  std::optional<Scalar> cached(const Value& v, std::span<const Scalar> index);
  Scalar column_total(const Value& v, std::span<const Scalar> index);
  Scalar load(const Value& v, std::span<const Scalar> index);
  void prefetch(const Value& v, std::span<const Scalar> index, int buffer, const Linear& at);
  Dim distance_ahead(const Value& v) const;
  int costliest_stage(const Value& v) const;
  Dim goes_past_caches(const Member& m) const;
  void write(const Member& m, Scalar value, std::span<const Scalar> axes);
  std::vector<Scalar> element_of(const Nest& nest, const OrderedPlaces& places, Scalar number,
                                 Scalar j);
  Linear place_of(const Member& m, std::span<const Scalar> axes);
  void put(const Member& m, const Linear& place, Scalar value);
  Linear offset_in_result(std::span<const Scalar> position, const Shape& shape);
  Axis vector_axis(const Nest& nest, const Dim& extent) const;

  KernelBuilder k_;
  std::string comment_;
  const Fusion& fusion_;
  Storage& storage_;
  const Target& target_;
  KernelParameters parameters_;
  Dim serial_work_ = 0;
  bool shares_out_ = false;  // some nest has work for several threads
  // The nest being lowered, and what each access asks about all its members:
  const Nest* nest_ = nullptr;
  std::unordered_set<Value> own_stores_;
  std::int64_t streamed_bytes_ = 0;                // of an element of the domain, read and written
  std::unordered_map<Value, int> first_computed_;  // the first stage that computes a costly value
  Loops* loops_ = nullptr;
};

}  // namespace gnomon
