// Builds one kernel: statements fall into the outermost loop that has all they need.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/kernels/linear.h"
#include "ir/graph/node.h"
#include "ir/kernel/kernel.h"
#include "ir/op/element.h"

namespace gnomon {

/// An axis that a node's checked indices lie on: where it has no elements, none is safe to load.
struct IndexedAxis {
  const Node* node;
  Dim extent;
  /// 1 where there is an index into nothing, else 0.
  Dim is_failing() const;
};

/// Appends the bytes of `v`: equal keys are of equal values.
template <class T>
void append_value(std::string& key, const T& v) {
  key.append(reinterpret_cast<const char*>(&v), sizeof v);
}

class KernelBuilder : public Element {
 public:
  /// Asked before a value is computed from its operands: gives the element if it is at hand
  /// (stored, or computed by this kernel), nothing if it is to be computed here.
  using Resolve = std::function<std::optional<Scalar>(const Value&, std::span<const Scalar>)>;

  explicit KernelBuilder(std::string name);

  // Element
  Scalar constant(DType t, Cell value) override;
  Scalar extent(const Dim& d) override;
  Scalar let(const Op& op, std::span<const Scalar> operands) override;
  Scalar cast(Scalar x, DType to) override;
  Scalar select(Scalar condition, Scalar a, Scalar b) override;
  Scalar operand(std::size_t i, std::span<const Scalar> index) override;
  Scalar add(Scalar a, Scalar b) override;
  Scalar subtract(Scalar a, Scalar b) override;
  Scalar multiply(Scalar a, Scalar b) override;
  Scalar floor_div(Scalar a, Scalar b) override;
  Scalar mod(Scalar a, Scalar b) override;
  Scalar less(Scalar a, Scalar b) override;
  Scalar equal(Scalar a, Scalar b) override;
  Scalar checked_index(Scalar index, Scalar extent) override;

  /// The element of `v` at `index`: resolved, or computed from its operands.
  Scalar pull(const Value& v, std::span<const Scalar> index);
  /// Values are resolved and computed anew from now on.
  void forget_values();
  void set_resolve(Resolve resolve) { resolve_ = std::move(resolve); }
  /// The number that a failed check of a node reports.
  void set_check_number(std::function<int(const Node&)> number) {
    check_number_ = std::move(number);
  }
  /// The axes of checked indices that may have no elements.
  const std::vector<IndexedAxis>& indexed() const { return indexed_; }
  /// The node whose rule is running: position rules of writes are run from outside.
  void set_node(const Node* node) { node_ = node; }

  /// The axes that failed checks count positions in, row-major over `shape`.
  void set_position(std::vector<Scalar> axes, Shape shape) {
    position_axes_ = std::move(axes);
    position_shape_ = std::move(shape);
  }

  /// Opens a loop over [lo, hi) and gives its index, a variable with values in [0, extent).
  Scalar open(Axis axis, Scalar lo, Scalar hi, const Dim& extent);
  /// The statement of a uniform value, for Axis::grain.
  std::int32_t grain(const Dim& pieces) { return statement_of(extent(pieces)); }
  /// The values of an int64 scalar are in [0, extent).
  void set_extent(Scalar s, const Dim& extent);
  /// Loops opened so far.
  std::size_t axis_count() const { return kernel_.axes.size(); }
  /// Closes the innermost loop or branch.
  void close();
  /// The bounds of a loop over up to `length` iterations from `from` on, before `end`.
  std::array<Scalar, 2> piece(Scalar from, const Dim& length, Scalar end);
  /// What follows, up to `close`, happens only where a uniform condition holds.
  void open_if(Scalar condition);
  int depth() const { return static_cast<int>(scopes_.size()) - 1; }

  int add_buffer(BufferParam buffer);
  /// Notes that a buffer is written, or read.
  void mark(int buffer, bool writes) {
    (writes ? kernel_.buffers[buffer].writes : kernel_.buffers[buffer].reads) = true;
  }
  /// Starts loops that may see other contents of memory than those before: what was read is
  /// forgotten, and only buffers said to change from now on are read anew each time.
  void begin_section();
  void set_changing(int buffer);
  /// The loops that write the buffer are done.
  void set_settled(int buffer);
  bool is_changing(int buffer) const { return changing_[buffer]; }
  const std::string& name_of(int buffer) const { return kernel_.buffers[buffer].name; }
  Scalar load(int buffer, const Linear& offset, DType t, Cell fill = {});
  /// Lanes that lie together go past the caches if `stream` is not 0.
  void store(int buffer, const Linear& offset, Scalar value, const Dim& stream = 0);
  /// Asks for what the lanes of a contiguous access will read `ahead` elements later.
  void prefetch(int buffer, const Linear& offset, const Dim& ahead);
  /// `atomic`: iterations at once may have the same element (`is_atomic`).
  void update(int buffer, const Linear& offset, Scalar value, const Op& op, bool atomic = false);

  /// to[c * length + r] = from[offset + r * stride + c] for r < counts[0], c < counts[1], in the
  /// outermost loop that has what it needs.
  void transpose(int from, const Linear& offset, const Dim& stride,
                 const std::array<Scalar, 2>& counts, int to, std::int64_t length);

  // Rows as lanes: the lanes of the innermost axis are the rows of a matrix.
  /// buffer[offset + k] of each row, where it is element k of a row of `length` that is all in
  /// memory; nothing when the lanes are not such rows.
  std::optional<Scalar> load_of_row(int buffer, const Linear& offset, std::int64_t length,
                                    std::int64_t k, DType t);
  /// Whether an element at `offset` is the first of rows of `length` elements without gaps.
  bool is_row_start(const Linear& offset, std::int64_t length) const;
  void store_rows(int buffer, const Linear& offset, std::span<const Scalar> values);
  /// The rows in order into one row of memory.
  void update_rows(int buffer, const Linear& offset, std::span<const Scalar> values, const Op& op);

  /// An accumulator of a reduction op for values of `t`, in the innermost open loop.
  Scalar accumulator(const Op& reduction, DType t);
  void reduce(Scalar acc, Scalar value, Scalar index = {});
  /// The result (field 0) or its index (field 1), after the loops that feed the accumulator.
  Scalar fold(Scalar acc, int field);

  /// A register array in the innermost open loop, without values yet: of vectors if `lanes`.
  Scalar local(DType t, std::vector<std::int64_t> extents, bool lanes);
  Scalar get(Scalar local, Scalar index);
  void set(Scalar local, Scalar index, Scalar value);

  /// A value as an index form, and back.
  Linear linear(Scalar s);
  Scalar form(const Linear& l);
  /// Element `k` of the memory of an array, which is a number then.
  Scalar element_of(const Array& a, std::int64_t k);
  /// The index of element `flat` of an array of `shape`, in row-major order.
  std::vector<Scalar> split_index(const Shape& shape, Scalar flat);
  /// Row-major offset of an index in an array of `shape`.
  Linear offset(std::span<const Scalar> index, std::span<const Dim> shape);
  /// Whether an index variable is made of one of two others, or of a value with lanes.
  bool depends_on(int variable, int a, int b) const;
  /// Whether an index variable changes in any loop.
  bool changes(int variable) const { return variable_depth(variable) > 0; }
  /// Whether an index variable changes in a loop inside that of `axis`.
  bool is_inside(int variable, int axis) const {
    return variable_depth(variable) > variable_depth(axis);
  }
  bool is_lanes(Scalar s) const { return infos_[s.id].lanes; }
  DType dtype(Scalar s) const { return infos_[s.id].dtype; }
  const IndexSpace& space() const { return space_; }
  void set_name(Scalar s, const std::string& name);
  /// What a reduction of nothing gives, as the start of accumulators.
  static Cell identity(const Op& reduction, DType t);

  /// The finished kernel; all loops must be closed.
  Kernel finish();
  /// How many statements there are so far.
  std::size_t statement_count() const { return static_cast<std::size_t>(next_id_); }
  /// Notes the index forms that operations compute with as values, from now on.
  void note_computed_with() { computed_with_.emplace(); }
  const std::vector<Linear>& computed_with() const { return *computed_with_; }
  /// The indices that were checked meanwhile, or that the ranges of axes spared a check.
  const std::vector<Linear>& checked() const { return checked_; }
  /// What its operations cost, each once, in additions; without those on int64, as indices are.
  int cost() const { return cost_; }

 private:
  struct Info {
    DType dtype = DType::int64;
    bool lanes = false;
    int depth = 0;
    int statement = -1;            // -1: a form that no statement computes yet
    std::optional<Linear> linear;  // int64 only
  };
  struct Item {
    int id;
    Statement statement;
  };
  struct Scope {
    int axis = -1;
    int opener = -1;  // id of the loop or if
    bool vector = false;
    std::vector<Item> items;
    std::unordered_map<std::string, Scalar> common;  // statements and pulls computed here, by key
    std::vector<Scalar> materialized;                // forms to forget on close
  };

  static std::string key_of(const Statement& s);
  Scalar add_info(Info info);
  Scalar emit(Statement s, std::span<const Scalar> args, bool reuse = true);
  int append(int depth, Statement s);
  int statement_of(Scalar s);
  int variable_depth(int v) const;
  bool variable_lanes(int v) const;
  Linear position_at(std::size_t axes, int depth);
  void add_check(Scalar bad, Scalar index, Scalar bound);
  void note_indexed(const Dim& extent);
  Dim times_inside(int depth) const;
  Scalar sum_of(const Linear& l);
  Scalar variable_value(int v);
  Scalar compute(const Value& v, std::span<const Scalar> index);
  std::optional<Scalar> index_sum(const Op& op, std::span<const Scalar> operands);
  Scalar inline_reduction(const Value& v, std::span<const Scalar> index);
  Statement access(Code code, int buffer, const Linear& offset, Scalar* at);
  std::optional<Dim> row_stride(const Linear& offset, Linear* rest) const;
  void put_rows(Statement s, int buffer, const Linear& at, std::span<const Scalar> values);

  Kernel kernel_;
  IndexSpace space_;
  std::vector<Info> infos_;
  std::vector<Scope> scopes_;
  std::map<int, int> axis_depth_;  // open axes
  std::vector<bool> changing_;     // buffers written in this section
  std::unordered_map<std::size_t, std::vector<Scalar>> forms_;
  Resolve resolve_;
  std::function<int(const Node&)> check_number_;
  const Node* node_ = nullptr;
  std::vector<IndexedAxis> indexed_;
  std::map<std::pair<int, int>, std::pair<int, int>>
      row_checks_;  // (number, condition): statements
  std::vector<Scalar> position_axes_;
  Shape position_shape_;
  int next_id_ = 0, cost_ = 0;
  std::optional<std::vector<Linear>> computed_with_;
  std::vector<Linear> checked_;
};

}  // namespace gnomon
