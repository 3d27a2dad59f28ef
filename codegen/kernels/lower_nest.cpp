// Lowering of nests. A domain of rank 1, or one whose accesses are all plain, runs as chunks of one
// flat axis in parallel; any other as rows in parallel, each with one loop a stage over the last
// axis. Reductions fold `row_chunk` elements at a time in both forms, so they give the same bits.
#include "codegen/kernels/lower_nest.h"

#include <algorithm>

#include "codegen/kernels/lowering_loops.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int lanes_of_reduction = 64;  // elements meet by index modulo this
constexpr std::size_t longest_comment = 90;

using Kind = Member::Kind;

}  // namespace

std::string line_of_comment(const Storage& storage, const Value& v) {
  const std::string line = storage.text_of(v);
  return line.size() > longest_comment ? line.substr(0, longest_comment) + "..." : line;
}

Dim iterations_of_piece(const Target& target, const Dim& work) {
  return max(floor_div(target.machine.work_of_piece, max(work, 1)), 1);
}

KernelLowering::KernelLowering(std::string name, const Fusion& fusion, Storage& storage,
                               const Target& target)
    : k_(std::move(name)),
      fusion_(fusion),
      storage_(storage),
      target_(target),
      parameters_(k_, storage) {
  k_.set_resolve([this](const Value& v, std::span<const Scalar> i) { return resolve(v, i); });
  k_.set_check_number([this](const Node& node) { return storage_.check_number(node); });
}

Kernel KernelLowering::finish() {
  Kernel kernel = k_.finish();
  kernel.comment = std::move(comment_);
  return kernel;
}

// What the nest makes, a line each, for people.
void KernelLowering::describe(const Nest& nest) {
  for (const Member& m : nest.members) {
    if (m.kind == Kind::row) continue;
    const bool store = m.kind == Kind::store || m.kind == Kind::write;
    const int buffer =
        store ? storage_.buffer_of(storage_of(m.value)) : storage_.partial_of(m.value.node(), 0);
    const std::string name = storage_.name_of(buffer);
    std::string line = line_of_comment(storage_, m.value);
    if (!name.empty()) line = name + " = " + line;
    if (m.kind == Kind::column || m.kind == Kind::partial) line += ", in parts";
    if (comment_.find(line) == std::string::npos) comment_ += line + "\n";
  }
}

Axis KernelLowering::vector_axis(const Nest& nest, const Dim& extent) const {
  // Lanes of one element could not be told from the element itself.
  if (extent.is(1)) return {"j", AxisKind::serial};
  // Rows that are reduced may be short, and then most of so many lanes would be idle.
  const bool reduces = std::ranges::any_of(
      nest.members, [](const Member& m) { return m.kind == Member::Kind::row; });
  const int bytes = std::max(reduces ? 4 : target_.narrowest_lane(), nest.widest());
  Axis axis{"j", AxisKind::vector, target_.vector_bytes / bytes, 1};
  axis.chains = std::max(1, lanes_of_reduction / axis.width);
  // Chains that get no element are left out: the tree that folds them begins with halves, so that
  // it is the same without them.
  if (extent.is_constant()) {
    const std::int64_t vectors = (extent.constant() + axis.width - 1) / axis.width;
    while (axis.chains > 1 && axis.chains / 2 >= vectors) axis.chains /= 2;
  }
  axis.masks = target_.has_masks();
  return axis;
}

void KernelLowering::begin(const Nest& nest) {
  nest_ = &nest;
  note_members(nest);
  describe(nest);
  note_work(nest);
  k_.begin_section();
  k_.set_position({}, {});
  for (const Member& m : nest.members)
    if (m.kind == Kind::store || m.kind == Kind::write) {
      const Value s = storage_of(m.value);
      parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), true);
    }
}

void KernelLowering::note_members(const Nest& nest) {
  own_stores_.clear();
  first_computed_.clear();
  streamed_bytes_ = 0;
  std::unordered_set<Value> streams;
  for (const Member& m : nest.members) {
    if (m.kind == Kind::store) own_stores_.insert(m.value);
    for (const Value& v : m.loads)
      if (v.shape() == nest.domain) streams.insert(v);
    if (m.kind == Kind::store && m.value.shape() == nest.domain) streams.insert(m.value);
    for (const Value& v : m.heavy) {
      int& first = first_computed_.try_emplace(v, m.stage).first->second;
      first = std::min(first, m.stage);
    }
  }
  for (const Value& v : streams) streamed_bytes_ += static_cast<std::int64_t>(size_of(v.dtype()));
}

void KernelLowering::end() {
  nest_ = nullptr;
  loops_ = nullptr;
}

void KernelLowering::add(const Nest& nest) {
  begin(nest);
  if (nest.domain.empty()) {
    add_scalars(nest);
  } else if (is_flat_on_device(nest)) {
    add_flat(nest);
  } else if (nest.members[0].scattered) {
    add_scatter(nest);
  } else if (nest.domain.size() == 1 || nest.is_one_run() || nest.is_one_row()) {
    add_chunks(nest);
  } else if (const int jammed = jammed_axis(nest); jammed >= 0) {
    add_jammed_partial(nest, jammed);
  } else if (nest.is_of_columns()) {
    add_columns(nest);
  } else if (const int crossed = nest.crossed_axis(); crossed >= 0 && target_.device.empty()) {
    add_tiles(nest, crossed);
  } else if (runs_rows_as_lanes(nest)) {
    add_lanes(nest);
  } else if (const int jam = jammed_rows(nest)) {
    add_jammed_lanes(nest, jam);
  } else {
    add_rows(nest);
  }
  end();
}

void KernelLowering::add_scalars(const Nest& nest) {
  Loops loops;
  loops_ = &loops;
  for (const Member& m : nest.members) write(m, payload(k_, m, {}), {});
}

// --- one flat axis ---

void KernelLowering::add_chunks(const Nest& nest) {
  Loops loops;
  loops.streams = true;
  loops_ = &loops;
  const Dim n = element_count(nest.domain);
  for (int stage = 0; stage < nest.stages(); ++stage) {
    loops.stage = stage;
    run_chunked_stage(nest, stage, loops, n);
    store_rows(nest, stage, loops);
  }
}

void KernelLowering::run_chunked_stage(const Nest& nest, int stage, Loops& loops, const Dim& n) {
  std::vector<const Member*> rows;
  bool work = false;
  for (const Member& m : nest.members)
    if (m.stage == stage) {
      if (m.kind == Kind::row) rows.push_back(&m);
      work = work || m.kind == Kind::row ||
             m.value.rank() == static_cast<int>(nest.domain.size()) || m.kind != Kind::store;
    }
  if (!work) return;
  if (n.is_constant() && n.constant() <= row_chunk) {
    const auto accs = accumulators(nest, stage);
    run_stage(nest, stage, loops, k_.integer(0), k_.extent(n), n);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::uint32_t f = 0; f < rows[i]->value.node().output_count(); ++f)
        loops.rows[Value(rows[i]->value.get(), f)] = k_.fold(accs[i], static_cast<int>(f));
    return;
  }
  const Dim chunks = floor_div(n + row_chunk - 1, row_chunk);
  std::vector<std::vector<int>> partials;
  for (const Member* m : rows) {
    partials.emplace_back();
    for (std::uint32_t f = 0; f < m->value.node().output_count(); ++f) {
      const DType t = m->value.node().type(f).dtype;
      partials.back().push_back(
          parameters_.of(storage_.temporary(t, chunks, "partial"), t, chunks, true));
    }
  }
  Axis axis{"c", AxisKind::parallel};
  axis.grain = k_.grain(iterations_of_piece(target_, row_chunk * nest.cost()));
  const Scalar c = k_.open(axis, k_.integer(0), k_.extent(chunks), chunks);
  const auto [lo, hi] = k_.piece(k_.multiply(c, k_.integer(row_chunk)), row_chunk, k_.extent(n));
  const auto accs = accumulators(nest, stage);
  run_stage(nest, stage, loops, lo, hi, n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t f = 0; f < partials[i].size(); ++f)
      k_.store(partials[i][f], k_.linear(c), k_.fold(accs[i], static_cast<int>(f)));
  k_.close();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Node& node = rows[i]->value.node();
    const Scalar total = k_.accumulator(node.op(), node.type(0).dtype);
    const Scalar at = k_.open({"c", AxisKind::serial}, k_.integer(0), k_.extent(chunks), chunks);
    const Scalar value = k_.load(partials[i][0], k_.linear(at), node.type(0).dtype);
    if (partials[i].size() == 2)
      k_.reduce(total, value, k_.load(partials[i][1], k_.linear(at), DType::int64));
    else
      k_.reduce(total, value);
    k_.close();
    for (std::size_t f = 0; f < partials[i].size(); ++f)
      loops.rows[Value(&node, static_cast<std::uint32_t>(f))] = k_.fold(total, static_cast<int>(f));
  }
}

std::vector<Scalar> KernelLowering::accumulators(const Nest& nest, int stage) {
  std::vector<Scalar> accs;
  for (const Member& m : nest.members)
    if (m.kind == Kind::row && m.stage == stage)
      accs.push_back(k_.accumulator(m.value.op(), m.value.node().type(0).dtype));
  loops_->stage = stage;
  loops_->accumulators = accs;
  return accs;
}

// The loop over the last axis (or the flat one) of one stage.
void KernelLowering::run_stage(const Nest& nest, int stage, Loops& loops, Scalar lo, Scalar hi,
                               const Dim& n) {
  const bool of_blocks = nest.members[0].kind == Kind::partial;
  const Scalar j = k_.open(of_blocks ? tile_axis(nest, n) : vector_axis(nest, n), lo, hi, n);
  const std::size_t outer = loops.axes.size();
  if (loops.by_rows) {
    loops.axes.push_back(j);
  } else {
    for (const Scalar s : k_.split_index(nest.domain, j)) loops.axes.push_back(s);
  }
  k_.set_position(loops.axes, loops.by_rows ? nest.loops() : nest.domain);
  std::size_t acc = 0;
  for (const Member& m : nest.members) {
    if (m.stage != stage) continue;
    const bool of_row = m.kind == Kind::store && is_row_shaped(m.value.shape(), nest.domain);
    if (of_row) continue;
    if (m.kind == Kind::partial) {
      const Scalar top = maximum_of_block(m.value.node(), loops.axes);
      write_partials(m.value.node(), fold_block(k_, m, loops.axes, top), loops.axes);
      continue;
    }
    const Scalar value = payload(k_, m, loops.axes);
    if (m.kind == Kind::row) {
      k_.reduce(loops.accumulators[acc++], value,
                m.value.op().reduction.arg ? loops.axes.back() : Scalar{});
    } else if (m.kind == Kind::column) {
      const Node& node = m.value.node();
      k_.update(partial(node, 0, true), k_.offset(std::array{*loops.block, j}, partial_shape(node)),
                value, *node.op().reduction.combine);
    } else {
      write(m, value, loops.axes);
    }
  }
  k_.close();
  loops.axes.resize(outer);
}

// Results of rows that go to memory, once the stages before them are done.
void KernelLowering::store_rows(const Nest& nest, int stage, Loops& loops) {
  for (const Member& m : nest.members) {
    if (m.kind != Kind::store || !is_row_shaped(m.value.shape(), nest.domain)) continue;
    if (m.stage != stage + 1 && !(m.stage == 0 && stage == 0)) continue;
    k_.set_position(loops.axes, nest.row_shape());
    std::vector<Scalar> at = loops.axes;
    while (static_cast<int>(at.size()) < m.value.rank()) at.push_back(k_.integer(0));
    write(m, k_.pull(m.value, at), at);
  }
}

// Whether a device has a thread for each element: no element needs others, and either memory is in
// the order of the elements or rows are too short for the threads of a warp. A write to places that
// depend on data is so if no two of its elements have one place.
bool KernelLowering::is_flat_on_device(const Nest& nest) const {
  constexpr std::int64_t short_row = 32, few = 1024;  // which one block does at once
  if (target_.device.empty()) return false;
  const Dim count = element_count(nest.domain);
  if (count.is_constant() && count.constant() <= few) return false;
  const Member& first = nest.members[0];
  if (first.scattered) return !first.scattered_rows;
  if (!nest.is_of_stores() || !nest.cached.empty()) return false;
  if (nest.stages() > 1) return false;
  const Dim& n = nest.domain.back();
  return nest.domain.size() == 1 || nest.is_plain() ||
         (n.is_constant() && n.constant() < short_row);
}

void KernelLowering::add_flat(const Nest& nest) {
  Loops loops;
  loops_ = &loops;
  const Dim count = element_count(nest.domain);
  const Scalar f = k_.open({"f", AxisKind::parallel}, k_.integer(0), k_.extent(count), count);
  loops.axes = k_.split_index(nest.domain, f);
  k_.set_position(loops.axes, nest.domain);
  for (const Member& m : nest.members) write(m, payload(k_, m, loops.axes), loops.axes);
  k_.close();
}

// --- rows ---

void KernelLowering::add_rows(const Nest& nest) {
  Loops loops;
  loops.by_rows = true;
  loops.streams = true;
  loops_ = &loops;
  Shape row_shape = nest.loops();
  const Dim n = row_shape.back();
  row_shape.pop_back();
  const Dim rows = element_count(row_shape);
  std::vector<Value> cached(nest.cached.begin(), nest.cached.end());
  std::ranges::sort(cached, {},
                    [](const Value& v) { return std::pair(v.node().number(), v.index()); });
  for (const Value& v : cached) loops.scratch[v] = parameters_.add_scratch("scratch", v.dtype(), n);
  const Dim piece = iterations_of_piece(target_, n * Dim(nest.cost()));
  Axis axis{"i", AxisKind::parallel};
  const auto body = [&](Scalar row) {
    loops.axes = k_.split_index(row_shape, row);
    loops.rows.clear();
    loops.cached_at.clear();
    for (int stage = 0; stage < nest.stages(); ++stage) {
      loops.stage = stage;
      run_row_stage(nest, stage, loops);
      store_rows(nest, stage, loops);
    }
  };
  if (!nest.has_columns()) {
    axis.grain = k_.grain(piece);
    body(k_.open(axis, k_.integer(0), k_.extent(rows), rows));
    k_.close();
    return;
  }
  const Dim blocks = floor_div(rows + column_block - 1, column_block);
  axis.name = "b";
  axis.grain = k_.grain(max(floor_div(piece, column_block), 1));
  const Scalar b = k_.open(axis, k_.integer(0), k_.extent(blocks), blocks);
  loops.block = b;
  clear_partials(nest, b, k_.integer(0), k_.extent(n), vector_axis(nest, n));
  const auto [lo, hi] =
      k_.piece(k_.multiply(b, k_.integer(column_block)), column_block, k_.extent(rows));
  body(k_.open({"i", AxisKind::serial}, lo, hi, rows));
  k_.close();
  k_.close();
}

void KernelLowering::run_row_stage(const Nest& nest, int stage, Loops& loops) {
  std::vector<const Member*> rows;
  bool work = false;
  for (const Member& m : nest.members)
    if (m.stage == stage) {
      if (m.kind == Kind::row) rows.push_back(&m);
      work = work || m.kind != Kind::store || !is_row_shaped(m.value.shape(), nest.domain);
    }
  if (!work) return;
  const Dim n = nest.loops().back();
  const bool one_chunk = rows.empty() || (n.is_constant() && n.constant() <= row_chunk);
  const auto finish = [&](std::size_t i, Scalar acc) {
    for (std::uint32_t f = 0; f < rows[i]->value.node().output_count(); ++f)
      loops.rows[Value(rows[i]->value.get(), f)] = k_.fold(acc, static_cast<int>(f));
  };
  if (one_chunk) {
    const auto accs = accumulators(nest, stage);
    run_stage(nest, stage, loops, k_.integer(0), k_.extent(n), n);
    for (std::size_t i = 0; i < rows.size(); ++i) finish(i, accs[i]);
    return;
  }
  const Dim chunks = floor_div(n + row_chunk - 1, row_chunk);
  const auto totals = accumulators(nest, stage);
  const Scalar c = k_.open({"c", AxisKind::serial}, k_.integer(0), k_.extent(chunks), chunks);
  const auto [lo, hi] = k_.piece(k_.multiply(c, k_.integer(row_chunk)), row_chunk, k_.extent(n));
  const auto accs = accumulators(nest, stage);
  run_stage(nest, stage, loops, lo, hi, n);
  for (std::size_t i = 0; i < rows.size(); ++i)
    k_.reduce(totals[i], k_.fold(accs[i], 0),
              rows[i]->value.op().reduction.arg ? k_.fold(accs[i], 1) : Scalar{});
  k_.close();
  for (std::size_t i = 0; i < rows.size(); ++i) finish(i, totals[i]);
}

// --- values at hand ---

std::optional<Scalar> KernelLowering::resolve(const Value& v, std::span<const Scalar> index) {
  if (const auto row = loops_->rows.find(v); row != loops_->rows.end()) return row->second;
  if (const auto hit = cached(v, index)) return hit;
  // A view of what the nest itself stores is looked through.
  if (const Value s = storage_of(v); own_stores_.contains(s)) {
    if (v == s && is_blocked_column(v.node())) return column_total(v, index);
    return std::nullopt;
  }
  if (!fusion_.is_stored_for(v, *nest_)) return std::nullopt;
  return load(v, index);
}

// Costly values of several stages: computed and kept by the first, read by the others.
std::optional<Scalar> KernelLowering::cached(const Value& v, std::span<const Scalar> index) {
  const auto at = loops_->scratch.find(v);
  if (at == loops_->scratch.end()) return std::nullopt;
  if (!is_element_itself(k_, v, index, loops_->axes, false) ||
      loops_->axes.size() != nest_->domain.size())
    return std::nullopt;
  const Linear j = k_.linear(loops_->axes.back());
  const auto filled = loops_->cached_at.find(v);
  if (filled != loops_->cached_at.end() && filled->second != loops_->stage)
    return k_.load(at->second, j, v.dtype());
  if (filled != loops_->cached_at.end()) return std::nullopt;
  loops_->cached_at[v] = loops_->stage;
  const Scalar value = k_.pull(v, index);
  k_.store(at->second, j, value);
  return value;
}

Scalar KernelLowering::load(const Value& v, std::span<const Scalar> index) {
  const Value s = storage_of(v);
  const Linear at = k_.offset(index, v.shape());
  if (s.is(op::constant) && at.is_constant() && at.constant.is_constant()) {
    const Array& a = s.node().attribute("value").array();
    const std::int64_t k = at.constant.constant();
    if (k >= 0 && k < a.size()) return k_.element_of(a, k);
  }
  const int buffer =
      parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), false);
  if (const auto known = load_of_row(v, index, buffer, at)) return *known;
  if (loops_->tile)
    if (const auto turned = load_crossed(buffer, at, v.dtype())) return *turned;
  const Scalar value = k_.load(buffer, at, v.dtype());
  if (const auto extent = storage_.extent_of_index(s)) k_.set_extent(value, *extent);
  prefetch(v, index, buffer, at);
  return value;
}

// The lanes of an axis count even where the result's extent is 1: the values have them.
Linear KernelLowering::offset_in_result(std::span<const Scalar> position, const Shape& shape) {
  Linear lanes;
  for (std::size_t a = 0; a < shape.size(); ++a)
    if (shape[a].is(1) && k_.is_lanes(position[a]))
      lanes = lanes + k_.linear(position[a]) * element_count(std::span(shape).subspan(a + 1));
  return k_.offset(position, shape) + lanes;
}

void KernelLowering::write(const Member& m, Scalar value, std::span<const Scalar> axes) {
  const Value s = storage_of(m.value);
  const int buffer =
      parameters_.of(storage_.buffer_of(s), s.dtype(), element_count(s.shape()), true);
  if (m.kind != Kind::write)
    return k_.store(buffer, k_.offset(axes, m.value.shape()), value, goes_past_caches(m));
  if (m.operand < 0)
    return k_.store(buffer, offset_in_result(position_in_box(k_, m, axes), m.value.shape()), value);
  put(m, place_of(m, axes), value);
}

}  // namespace gnomon
