// Lowering of recurrences. A tile of elements goes through the steps with its states in scratch,
// which is in the first cache: one vector after the other in each step, so that the processor has
// the work of many vectors at hand where the steps of one are a chain. States that are scalars are
// computed for each tile, and the first tile keeps them.
#include "codegen/kernels/lower_recurrence.h"

#include <algorithm>
#include <array>
#include <utility>

#include "codegen/fusion/fuse.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t bytes_of_tile = 16384;  // of its states
constexpr std::int64_t least_tile = 64, most_tile = 2048;
constexpr std::int64_t tile_along_time = 128;  // each element takes a cache line of an operand
constexpr int most_nodes_of_block = 240;       // of the steps that are turned in registers
constexpr int most_operations_of_block = 64;   // of those between which states stay there
constexpr int most_steps_of_block = 8;
constexpr std::int64_t least_row = 32;  // elements of the last axis that are worth loops of it

class Lowerer {
 public:
  Lowerer(std::string name, const Recurrence& recurrence, const RecurrenceBody& body,
          const std::function<bool(const Value&)>& is_in_memory, Storage& storage,
          const Target& target)
      : recurrence_(recurrence),
        body_(body),
        is_in_memory_(is_in_memory),
        storage_(storage),
        target_(target),
        k_(std::move(name)),
        parameters_(k_, storage),
        elements_(element_count(recurrence.elements)) {
    k_.set_resolve([this](const Value& v, std::span<const Scalar> i) { return resolve(v, i); });
    k_.set_check_number([this](const Node& node) { return storage_.check_number(node); });
  }

  RecurrenceKernel run() {
    const Scalar first = scalar(body_.first), count = scalar(body_.steps);
    const auto [from, to] = k_.piece(first, steps_of_recurrence, count);
    cut_into_tiles();
    add_buffers();
    open_tile();
    copy_states([&](const State& s, Scalar j) {
      k_.store(s.scratch, in_tile(j), k_.load(s.memory, in_elements(), s.dtype));
    });
    begin_scalars();
    make_all_steps(from, to);
    keep_scalars();
    copy_states([&](const State& s, Scalar j) {
      k_.store(s.memory, in_elements(), k_.load(s.scratch, in_tile(j), s.dtype));
    });
    k_.close();
    std::vector<IndexedAxis> indexed = k_.indexed();
    Kernel kernel = k_.finish();
    kernel.comment = comment();
    return {std::move(kernel), parameters_.buffers(), std::move(indexed)};
  }

 private:
  struct State {
    Value leaf;
    DType dtype;
    int memory;         // kernel buffer
    int scratch = -1;   // that of a tile's part
    int after = -1;     // of a scalar: that of what it becomes
    Scalar local = {};  // of a scalar: where it is between steps
    Scalar now = {};    // of a scalar or an element: its value in this step
  };

  std::string comment() const {
    std::string lines;
    for (const Value& v : body_.next) lines += line_of_comment(storage_, v) + "\n";
    for (const Value& v : body_.rows)
      if (std::ranges::find(body_.next, v) == body_.next.end())
        lines += line_of_comment(storage_, v) + "\n";
    return lines;
  }

  Scalar scalar(int buffer) {
    return k_.load(parameters_.of(buffer, DType::int64, 1, false), {}, DType::int64);
  }

  // Tiles lie along the last axis if that is long, else along all elements in order.
  void cut_into_tiles() {
    const Dim& last = recurrence_.elements.back();
    by_rows_ =
        recurrence_.elements.size() > 1 && !(last.is_constant() && last.constant() < least_row);
    length_ = by_rows_ ? last : elements_;
    std::int64_t bytes = 0;
    for (const Value& leaf : body_.states)
      if (recurrence_.is_of_elements(leaf))
        bytes += static_cast<std::int64_t>(size_of(leaf.dtype()));
    const std::int64_t most = recurrence_.is_along_time ? tile_along_time : most_tile;
    tile_ = bytes == 0 ? most : std::clamp(bytes_of_tile / bytes, least_tile, most);
    tile_ = tile_ / least_tile * least_tile;
  }

  void add_buffers() {
    for (std::size_t s = 0; s < body_.states.size(); ++s) {
      const Value& leaf = body_.states[s];
      const Dim count = element_count(leaf.shape());
      const int memory = parameters_.of(body_.memory[s], leaf.dtype(), count, !is_one(leaf));
      if (!is_one(leaf)) k_.mark(memory, false);
      states_.push_back({leaf, leaf.dtype(), memory});
      if (is_one(leaf))
        states_.back().after = parameters_.of(body_.after[s], leaf.dtype(), 1, true);
    }
    for (std::size_t r = 0; r < body_.rows.size(); ++r) {
      const Dim count = element_count(body_.rows[r].shape()) * steps_of_recurrence;
      rows_.push_back(parameters_.of(body_.parts[r], body_.rows[r].dtype(), count, true));
    }
    for (State& s : states_) {
      if (!is_of_elements(s)) continue;
      s.scratch = parameters_.add_scratch("state", s.dtype, min(length_, tile_));
      k_.set_changing(s.scratch);
    }
  }

  bool is_of_elements(const State& s) const { return recurrence_.is_of_elements(s.leaf); }
  static bool is_one(const Value& v) { return v.rank() == 0; }
  static bool is_scalar(const State& s) { return is_one(s.leaf); }
  bool has_scalars() const {
    return std::ranges::any_of(body_.states, is_one) || std::ranges::any_of(body_.rows, is_one);
  }

  void open_tile() {
    const Shape& shape = recurrence_.elements;
    const Dim& n = length_;
    const Dim tiles = floor_div(n + (tile_ - 1), tile_);
    const Dim rows = by_rows_ ? element_count(std::span(shape).first(shape.size() - 1)) : Dim(1);
    const Dim work = min(n, tile_) * Dim(steps_of_recurrence) * Dim(recurrence_.cost);
    Axis axis{"p", AxisKind::parallel};
    axis.grain = k_.grain(iterations_of_piece(target_, work));
    // Scalars have their steps where there is no element, too.
    const Dim least = has_scalars() ? 1 : 0, end = has_scalars() ? n * min(elements_, 1) : n;
    const Dim all = max(rows * tiles, least), of_row = max(tiles, least);
    piece_ = k_.open(axis, k_.integer(0), k_.extent(all), all);
    if (by_rows_)
      row_ =
          k_.split_index({shape.begin(), shape.end() - 1}, k_.floor_div(piece_, k_.extent(of_row)));
    lo_ = k_.multiply(k_.mod(piece_, k_.extent(of_row)), k_.integer(tile_));
    const bool is_whole = end.is_constant() && end.constant() <= tile_;
    hi_ = is_whole ? k_.extent(end) : k_.piece(lo_, tile_, k_.extent(end))[1];
    lanes_ = {"j", AxisKind::vector, target_.vector_bytes / std::max(4, recurrence_.widest), 1};
    lanes_.masks = target_.has_masks();
  }

  Scalar open_lanes() {
    const Scalar j = k_.open(lanes_, lo_, hi_, length_);
    axes_ = by_rows_ ? row_ : k_.split_index(recurrence_.elements, j);
    if (by_rows_) axes_.push_back(j);
    k_.set_position(axes_, recurrence_.elements);
    return j;
  }
  void close_lanes() {
    k_.close();
    k_.set_position({}, {});
  }

  template <class Copy>
  void copy_states(const Copy& copy) {
    if (std::ranges::none_of(states_, [&](const State& s) { return is_of_elements(s); })) return;
    const Scalar j = open_lanes();
    for (const State& s : states_)
      if (is_of_elements(s)) copy(s, j);
    close_lanes();
  }

  Linear in_tile(Scalar j) { return k_.linear(j) - k_.linear(lo_); }
  Linear in_elements() { return k_.offset(axes_, recurrence_.elements); }

  void begin_scalars() {
    for (State& s : states_) {
      if (!is_scalar(s)) continue;
      s.local = k_.local(s.dtype, {1}, false);
      k_.set(s.local, k_.integer(0), k_.load(s.memory, {}, s.dtype));
    }
  }

  // What the first tile does for all.
  template <class Do>
  void for_all_tiles(const Do& what) {
    k_.open_if(k_.equal(piece_, k_.integer(0)));
    what();
    k_.close();
  }

  void keep_scalars() {
    if (std::ranges::none_of(states_, is_scalar)) return;
    for_all_tiles([&] {
      for (const State& s : states_)
        if (is_scalar(s)) k_.store(s.after, {}, k_.get(s.local, k_.integer(0)));
    });
  }

  // Where a sequence lies along time, as many steps as a vector has lanes are written out, so that
  // their elements are loaded together and turned in registers. Of other small bodies some steps
  // are, between which states stay in registers.
  int steps_of_block() const {
    if (recurrence_.reads_rows)
      return lanes_.width * recurrence_.nodes <= most_nodes_of_block ? lanes_.width : 1;
    int steps = most_steps_of_block;
    while (steps > 1 && steps * recurrence_.operations > most_operations_of_block) steps /= 2;
    return steps;
  }

  void make_all_steps(Scalar from, Scalar to) {
    const int block = steps_of_block();
    Scalar first = from;
    if (block > 1) {
      const Scalar blocks = k_.floor_div(k_.subtract(to, from), k_.integer(block));
      const Scalar b = k_.open({"b", AxisKind::serial}, k_.integer(0), blocks, body_.count);
      make_steps(begun(k_.add(from, k_.multiply(b, k_.integer(block))), block), block, from);
      k_.close();
      first = k_.add(from, k_.multiply(blocks, k_.integer(block)));
    }
    make_steps(k_.open({"t", AxisKind::serial}, first, to, body_.count), 1, from);
    k_.close();
  }

  // The first step of a block, as a variable that the others are told from.
  Scalar begun(Scalar first, int block) {
    const Scalar start = k_.let(op::maximum, std::array{first, k_.integer(0)});
    k_.set_name(start, "t");
    k_.set_extent(start, body_.count - (block - 1));
    return start;
  }

  // So many steps of a tile, from `first` on. All that a step reads comes before what it writes.
  void make_steps(Scalar first, int count, Scalar from) {
    first_ = first, count_ = count;
    std::vector<std::vector<Scalar>> scalars;  // by step and state
    for (State& s : states_)
      if (is_scalar(s)) s.now = k_.get(s.local, k_.integer(0));
    for (step_ = 0; step_ < count; ++step_) {
      scalars.push_back(values_now());
      begin_step(scalars.back());
      set_scalars(next_scalars());
    }
    const std::vector<Scalar> last = values_now();
    write_elements(scalars, from);
    write_scalars(scalars, from);
    for (std::size_t s = 0; s < states_.size(); ++s)
      if (is_scalar(states_[s])) k_.set(states_[s].local, k_.integer(0), last[s]);
  }

  std::vector<Scalar> values_now() const {
    std::vector<Scalar> values;
    for (const State& s : states_) values.push_back(s.now);
    return values;
  }
  std::vector<Scalar> next_scalars() {
    std::vector<Scalar> values;
    for (std::size_t s = 0; s < states_.size(); ++s)
      values.push_back(is_scalar(states_[s]) ? k_.pull(body_.next[s], {}) : Scalar{});
    return values;
  }
  void set_scalars(const std::vector<Scalar>& values) {
    for (std::size_t s = 0; s < states_.size(); ++s)
      if (is_scalar(states_[s])) states_[s].now = values[s];
  }

  // Step `step_` of those that are written out, whose scalars are these.
  void begin_step(const std::vector<Scalar>& scalars) {
    k_.forget_values();
    time_ = k_.add(first_, k_.integer(step_));
    set_scalars(scalars);
  }

  Linear row_of_step(Scalar from) { return k_.linear(time_) - k_.linear(from); }

  void write_scalars(const std::vector<std::vector<Scalar>>& scalars, Scalar from) {
    if (std::ranges::none_of(body_.rows, is_one)) return;
    for_all_tiles([&] {
      for (step_ = 0; step_ < count_; ++step_) {
        begin_step(scalars[static_cast<std::size_t>(step_)]);
        for (std::size_t r = 0; r < rows_.size(); ++r)
          if (is_one(body_.rows[r]))
            k_.store(rows_[r], row_of_step(from), k_.pull(body_.rows[r], {}));
      }
    });
  }

  void write_elements(const std::vector<std::vector<Scalar>>& scalars, Scalar from) {
    lane_ = open_lanes();
    for (State& s : states_)
      if (is_of_elements(s)) s.now = k_.load(s.scratch, in_tile(lane_), s.dtype);
    for (step_ = 0; step_ < count_; ++step_) {
      begin_step(scalars[static_cast<std::size_t>(step_)]);
      make_step_of_elements(from);
    }
    for (const State& s : states_)
      if (is_of_elements(s)) k_.store(s.scratch, in_tile(lane_), s.now);
    close_lanes();
  }

  void make_step_of_elements(Scalar from) {
    struct Write {
      int buffer;
      Linear at;
      Scalar value;
      const Op* combine;
    };
    std::vector<Write> writes;
    std::vector<Scalar> next(states_.size());
    for (std::size_t s = 0; s < states_.size(); ++s) {
      if (is_scalar(states_[s])) continue;
      if (is_of_elements(states_[s])) {
        next[s] = k_.pull(body_.next[s], axes_);
        continue;
      }
      std::vector<Value> in_order;
      for (Value v = body_.next[s]; !(v == states_[s].leaf); v = v.input(0)) in_order.push_back(v);
      std::ranges::reverse(in_order);
      for (const Value& v : in_order) {
        const Scalar value = k_.pull(v.input(1), axes_);
        k_.set_node(v.get());
        const auto at = v.op().write.position(k_, v.node(), 1, axes_);
        writes.push_back(
            {states_[s].memory, k_.offset(at, v.shape()), value, v.op().write.combine});
      }
    }
    const Linear row = row_of_step(from) * elements_ + in_elements();
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (!is_one(body_.rows[r]))
        writes.push_back({rows_[r], row, k_.pull(body_.rows[r], axes_), nullptr});
    for (const auto& [buffer, at, value, combine] : writes)
      combine ? k_.update(buffer, at, value, *combine) : k_.store(buffer, at, value);
    for (std::size_t s = 0; s < states_.size(); ++s)
      if (is_of_elements(states_[s])) states_[s].now = next[s];
  }

  // Whether a value is that of a step: its memory has that of the first step that is made now.
  bool is_own(const Value& v) const {
    return v == body_.index || std::ranges::find(body_.states, v) != body_.states.end();
  }

  // An element of a sequence that lies along time, by way of those of all steps of the block.
  std::optional<Scalar> load_of_block(int buffer, const Linear& at, DType t) {
    if (count_ == 1 || !recurrence_.reads_rows) return std::nullopt;
    const Dim step = at.coefficient(k_.linear(first_).terms[0].first);
    if (!step.is(1) && !step.is(-1)) return std::nullopt;
    return k_.load_of_row(buffer, at, count_, step.is(1) ? step_ : count_ - 1 - step_, t);
  }

  std::optional<Scalar> resolve(const Value& v, std::span<const Scalar> index) {
    if (v == body_.index) return time_;
    for (const State& s : states_) {
      if (!(v == s.leaf)) continue;
      if (is_scalar(s) || is_of_elements(s)) return s.now;
      return k_.load(s.memory, k_.offset(index, v.shape()), s.dtype);
    }
    const Value s = storage_of(v);
    if (is_own(s) || (!is_memory(s) && !is_in_memory_(s))) return std::nullopt;
    const int buffer =
        parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), false);
    const Linear at = k_.offset(index, v.shape());
    if (const auto known = load_of_block(buffer, at, v.dtype())) return *known;
    const Scalar value = k_.load(buffer, at, v.dtype());
    if (const auto extent = storage_.extent_of_index(s)) k_.set_extent(value, *extent);
    return value;
  }

  const Recurrence& recurrence_;
  const RecurrenceBody& body_;
  const std::function<bool(const Value&)>& is_in_memory_;
  Storage& storage_;
  const Target& target_;
  KernelBuilder k_;
  KernelParameters parameters_;
  std::vector<State> states_;
  std::vector<int> rows_;  // kernel buffers
  Dim elements_;
  std::int64_t tile_ = 0;  // elements
  bool by_rows_ = false;
  std::vector<Scalar> row_;   // indices into all axes but the last
  std::vector<Scalar> axes_;  // into all axes
  Scalar piece_, lo_, hi_, lane_;
  Scalar time_, first_;       // the step that is made, the first one of a block
  int step_ = 0, count_ = 1;  // which one of the block, and how many there are
  Axis lanes_;
  Dim length_ = 0;
};

}  // namespace

RecurrenceKernel lower_recurrence(std::string name, const Recurrence& recurrence,
                                  const RecurrenceBody& body,
                                  const std::function<bool(const Value&)>& is_in_memory,
                                  Storage& storage, const Target& target) {
  return Lowerer(std::move(name), recurrence, body, is_in_memory, storage, target).run();
}

}  // namespace gnomon
