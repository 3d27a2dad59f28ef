// What a nest computes and where its values lie: shapes, elements, partial results.
#include <algorithm>
#include <array>

#include "codegen/fusion/fuse.h"
#include "ir/graph/leaf.h"
#include "passes/engine/facts.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t small_domain = 4096;  // elements of a nest that shares a kernel with others
constexpr std::int64_t few_elements = 64;    // a copy of which costs less than a kernel of its own

bool moves_nothing(const Op& o) {
  return &o == &op::reshape || &o == &op::expand_dims || &o == &op::squeeze || &o == &op::shaped ||
         &o == &op::barrier;
}

}  // namespace

bool is_memory(const Value& v) { return is_leaf(v.op()) || (v.is(op::constant) && v.rank() != 0); }

bool is_computed(const Value& v) { return !is_leaf(v.op()) && !v.is(op::constant); }

Value storage_of(const Value& v) {
  Value at = v;
  while (moves_nothing(at.op())) at = at.input(0);
  return at;
}

bool is_row_reduction(const Node& node) {
  if (!node.op().reduction) return false;
  const IntList& axes = node.attribute("axes").ints();
  return axes.size() == 1 && axes[0] == node.input(0).rank() - 1;
}

bool is_column_reduction(const Node& node) {
  return node.op().reduction && !is_row_reduction(node);
}

const Dim& reduced_extent(const Node& reduction) {
  return reduction.input(0).shape()[reduction.attribute("axes").ints()[0]];
}

bool is_blocked_column(const Node& node) {
  if (!is_column_reduction(node)) return false;
  const Dim& extent = reduced_extent(node);
  return !extent.is_constant() || extent.constant() > column_block;
}

bool is_short_column(const Node& node) {
  constexpr std::int64_t most = 8;
  if (!is_column_reduction(node) || node.op().reduction.arg) return false;
  const Dim& extent = reduced_extent(node);
  return extent.is_constant() && extent.constant() <= most;
}

const Node* maximum_beside(const Node& sum) {
  return &sum.op() == &op::sum_with_max && is_blocked_column(sum) ? sum.input(1).get() : nullptr;
}

Scalar shift_of(KernelBuilder& k, const Node& sum, std::span<const Scalar> index) {
  const Value& c = sum.input(0).input(0).input(1);
  std::vector<Scalar> at(index.begin(), index.end());
  if (!sum.attribute("keepdims").flag())
    at.insert(at.begin() + sum.attribute("axes").ints()[0], k.integer(0));
  at.erase(at.begin(), at.end() - c.rank());
  for (std::size_t a = 0; a < at.size(); ++a)
    if (c.shape()[a].is(1)) at[a] = k.integer(0);
  return k.pull(c, at);
}

Shape partial_shape(const Node& node) {
  Shape shape = node.input(0).shape();
  Dim& axis = shape[node.attribute("axes").ints()[0]];
  axis = floor_div(axis + column_block - 1, column_block);
  return shape;
}

bool is_flat(const Shape& shape) {
  return shape.empty() ||
         std::all_of(shape.begin(), shape.end() - 1, [](const Dim& d) { return d.is(1); });
}

bool is_row_shaped(const Shape& shape, const Shape& domain) {
  if (domain.empty()) return false;
  const std::size_t rows = domain.size() - 1;
  if (shape.size() == domain.size()) {
    if (!shape.back().is(1) || domain.back().is(1)) return false;
  } else if (shape.size() != rows) {
    return false;
  }
  return std::equal(domain.begin(), domain.end() - 1, shape.begin());
}

bool is_element_itself(KernelBuilder& k, const Value& v, std::span<const Scalar> index,
                       std::span<const Scalar> axes, bool of_row) {
  const std::size_t rank = of_row ? axes.size() - 1 : axes.size();
  if (index.size() < rank) return false;
  for (std::size_t a = 0; a < rank; ++a)
    if (!(k.linear(index[a]) == k.linear(axes[a])) && !v.shape()[a].is(1)) return false;
  return true;
}

bool is_crossed(const KernelBuilder& k, const Linear& at, int row, int lane) {
  constexpr std::int64_t near = 16;  // elements: the lanes' cache lines are few
  const Dim stride = at.coefficient(lane);
  if (!at.coefficient(row).is(1) || (stride.is_constant() && stride.constant() <= near))
    return false;
  return std::ranges::none_of(at.terms, [&](const auto& term) {
    return term.first != row && term.first != lane && k.depends_on(term.first, row, lane);
  });
}

bool is_read_in_loop(const KernelBuilder& k, const Linear& at, int lane) {
  return std::ranges::any_of(at.terms,
                             [&](const auto& term) { return k.is_inside(term.first, lane); });
}

int crossed_axis(KernelBuilder& k, const Linear& at, const Shape& domain,
                 std::span<const Scalar> axes) {
  constexpr std::int64_t shortest = 16;  // elements of an axis that is worth cutting into tiles
  const auto variable = [&](std::size_t a) { return k.linear(axes[a]).terms[0].first; };
  // With the axes before it that are one with it here.
  const auto is_short = [&](std::size_t a) {
    Dim extent = domain[a];
    while (a > 0 && are_one(k, at, domain, axes, a - 1)) extent = extent * domain[--a];
    return extent.is_constant() && extent.constant() < shortest;
  };
  if (domain.empty() || is_short(domain.size() - 1)) return -1;
  for (std::size_t a = 0; a + 1 < axes.size(); ++a)
    if (!domain[a].is(1) && is_crossed(k, at, variable(a), variable(axes.size() - 1)) &&
        !is_short(a))
      return static_cast<int>(a);
  return -1;
}

bool are_one(KernelBuilder& k, const Linear& at, const Shape& domain, std::span<const Scalar> axes,
             std::size_t a) {
  if (domain[a].is(1) || domain[a + 1].is(1)) return false;  // an index that is no variable
  const int first = k.linear(axes[a]).terms[0].first, second = k.linear(axes[a + 1]).terms[0].first;
  if (at.coefficient(first) != at.coefficient(second) * domain[a + 1]) return false;
  return std::ranges::all_of(at.terms, [&](const auto& term) {
    const IndexSpace::Variable& x = k.space().variable(term.first);
    return x.kind != IndexSpace::Variable::Kind::quotient ||
           are_one(k, x.dividend, domain, axes, a);
  });
}

namespace {

// Whether few places of each row are written. Beside them would lie slivers, which take longer than
// to copy these places too, and rows of open length may be as short.
bool writes_few_places(const Node& write) {
  constexpr std::int64_t few = 8;
  const Dim& count = write.attribute("count").dims().back();
  return count.is_constant() && count.constant() <= few && !(write.type().shape.back() == count);
}

}  // namespace

bool is_copied_beside(const Node& write) {
  return is_dense_slice(write) && !writes_few_places(write);
}

Shape domain_of_written(const Node& write, int operand) {
  Shape domain = write.input(static_cast<std::size_t>(operand)).shape();
  const auto is_one = [](const Dim& d) { return d.is(1); };
  const WriteRule& rule = write.op().write;
  // No vector instruction stores bytes with gaps.
  const bool is_joined = rule.every && size_of(write.type().dtype) >= 4;
  if (!(rule.slice || is_joined) || std::ranges::all_of(domain, is_one)) return domain;
  while (domain.back().is(1)) domain.pop_back();
  return domain;
}

std::vector<Scalar> index_of_written(KernelBuilder& k, const Member& m,
                                     std::span<const Scalar> axes) {
  std::vector<Scalar> index(axes.begin(), axes.end());
  const auto operand = static_cast<std::size_t>(m.operand);
  index.resize(m.value.node().input(operand).shape().size(), k.integer(0));
  return index;
}

std::vector<Box> boxes_of_base(const Node& write) {
  const WriteRule& rule = write.op().write;
  if (rule.base < 0) return {};
  const Shape& shape = write.type().shape;
  const Shape zeros(shape.size(), Dim(0));
  if (!rule.slice || !is_copied_beside(write)) return {{zeros, shape}};
  const Shape &start = write.attribute("start").dims(), &count = write.attribute("count").dims();
  // On each axis what comes before the slice and after it, within the slice on the axes before.
  std::vector<Box> boxes;
  Box within{zeros, shape};
  for (std::size_t a = 0; a < shape.size(); ++a) {
    const Dim stop = start[a] + count[a];
    Box before = within, after = within;
    // An empty slice may start past the end.
    before.count[a] = start[a].is(0) ? start[a] : min(start[a], shape[a]);
    after.start[a] = stop;
    after.count[a] = stop == shape[a] ? Dim(0) : max(shape[a] - stop, 0);
    for (Box* box : {&before, &after})
      if (!box->count[a].is(0)) boxes.push_back(std::move(*box));
    within.start[a] = start[a], within.count[a] = count[a];
  }
  return boxes;
}

std::vector<Scalar> position_in_box(KernelBuilder& k, const Member& m,
                                    std::span<const Scalar> axes) {
  std::vector<Scalar> at(axes.begin(), axes.end());
  for (std::size_t a = 0; a < at.size(); ++a)
    if (!m.box.start[a].is(0)) at[a] = k.add(at[a], k.extent(m.box.start[a]));
  return at;
}

namespace {

// An element of what a column reduces. Beside a maximum it is below that of its block, which stands
// for the shift if it is a number.
Scalar element_of_column(KernelBuilder& k, const Node& node, std::span<const Scalar> at,
                         Scalar top) {
  const Value& e = node.input(0);
  if (!maximum_beside(node)) return k.pull(e, at);
  const Scalar zero = k.constant(e.dtype(), KernelBuilder::identity(op::sum, e.dtype()));
  const Scalar shift = k.select(k.let(op::isfinite, std::array{top}), top, zero);
  const Scalar below = k.let(op::subtract, std::array{k.pull(e.input(0).input(0), at), shift});
  return k.let(op::exp, std::array{below});
}

}  // namespace

Scalar payload(KernelBuilder& k, const Member& m, std::span<const Scalar> axes, Scalar top) {
  const Node& node = m.value.node();
  if (m.kind == Member::Kind::row) return k.pull(node.input(0), axes);
  if (m.kind == Member::Kind::column) return element_of_column(k, node, axes, top);
  if (m.kind == Member::Kind::write) {
    const WriteRule& rule = node.op().write;
    if (m.operand < 0) return k.pull(node.input(rule.base), position_in_box(k, m, axes));
    const std::vector<Scalar> index = index_of_written(k, m, axes);
    const Scalar value = k.pull(node.input(m.operand), index);
    if (!m.onto) return value;
    k.set_node(&node);
    const auto at = rule.position(k, node, m.operand, index);
    return k.let(*rule.combine, std::array{k.pull(node.input(rule.base), at), value});
  }
  if (m.kind == Member::Kind::store) {
    if (m.value.rank() == static_cast<int>(axes.size())) return k.pull(m.value, axes);
    return k.pull(m.value, axes.first(m.value.rank()));
  }
  return k.fold(fold_block(k, m, axes, top), 0);
}

Scalar fold_block(KernelBuilder& k, const Member& m, std::span<const Scalar> axes, Scalar top) {
  const Node& node = m.value.node();
  const Value& x = node.input(0);
  const auto axis = static_cast<std::size_t>(node.attribute("axes").ints()[0]);
  const Dim& extent = x.shape()[axis];
  std::vector<Scalar> at(axes.begin(), axes.end());
  const auto [lo, hi] =
      k.piece(k.multiply(axes[axis], k.integer(column_block)), column_block, k.extent(extent));
  const Scalar acc = k.accumulator(node.op(), x.dtype());
  at[axis] = k.open({"k", AxisKind::serial}, lo, hi, extent);
  k.reduce(acc, element_of_column(k, node, at, top), node.op().reduction.arg ? at[axis] : Scalar{});
  k.close();
  return acc;
}

bool Member::needs_whole_block() const {
  return kind == Kind::column && (value.op().reduction.arg || maximum_beside(value.node()));
}

bool Member::is_of_element(const Shape& domain) const {
  if (!rows.empty()) return false;
  if (kind != Kind::write) return kind == Kind::store && value.shape() == domain;
  const WriteRule& rule = value.op().write;
  return (rule.every || (rule.slice && operand >= 0)) && !rule.combine && !scattered;
}

bool Nest::needs_whole_blocks() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Member& m) { return m.needs_whole_block(); });
}

bool Nest::has_paired_columns() const {
  return std::any_of(members.begin(), members.end(), [](const Member& m) {
    return m.kind == Member::Kind::column && maximum_beside(m.value.node());
  });
}

bool Nest::is_small() const {
  if (is_flat(domain)) return true;
  const Dim n = element_count(domain);
  return n.is_constant() && n.constant() <= small_domain;
}

const Node* Nest::box_written() const {
  const Member& m = members[0];
  const Dim n = element_count(m.value.shape());
  const bool few = n.is_constant() && n.constant() <= few_elements;
  return m.kind == Member::Kind::write && m.operand < 0 && !few ? m.value.get() : nullptr;
}

bool Nest::stores(const Value& v) const {
  return std::any_of(members.begin(), members.end(), [&](const Member& m) {
    return m.kind == Member::Kind::store && m.value == v;
  });
}

bool Nest::has_columns() const {
  return std::any_of(members.begin(), members.end(),
                     [](const Member& m) { return m.kind == Member::Kind::column; });
}

bool Nest::is_of_columns(const Member* more) const {
  const auto fits = [&](const Member& m) {
    return m.kind == Member::Kind::column ||
           (m.kind == Member::Kind::store && m.value.shape() == domain);
  };
  const bool any = has_columns() || (more && more->kind == Member::Kind::column);
  return any && (!more || fits(*more)) && std::all_of(members.begin(), members.end(), fits);
}

bool Nest::is_plain() const {
  return std::ranges::all_of(members, [](const Member& m) {
    const bool is_whole = m.kind == Member::Kind::write && m.operand < 0 &&
                          m.box.count == m.value.shape();  // then it starts at the first element
    return m.plain && (m.kind == Member::Kind::store || is_whole);
  });
}

bool Nest::is_one_run() const {
  return is_plain() && std::ranges::none_of(members, &Member::by_axes);
}

bool Nest::is_one_row() const {
  return is_flat(domain) && std::all_of(members.begin(), members.end(), [](const Member& m) {
           return m.kind == Member::Kind::store || m.kind == Member::Kind::row;
         });
}

bool Nest::is_of_stores() const {
  return std::all_of(members.begin(), members.end(), [&](const Member& m) {
    return m.kind == Member::Kind::store && m.value.shape() == domain;
  });
}

int Nest::crossed_axis() const {
  const auto has = [](const Member& m) { return m.crossed >= 0; };
  const auto first = std::find_if(members.begin(), members.end(), has);
  return first == members.end() || !is_of_stores() ? -1 : first->crossed;
}

Shape Nest::loops() const {
  Shape loops = domain;
  if (!is_of_stores() || stages() > 1) return loops;
  for (std::size_t a = 0; a + 1 < domain.size(); ++a) {
    const auto joins = [&](const Member& m) { return m.joined[a]; };
    if (domain[a].is(1) || domain[a + 1].is(1) || !std::ranges::all_of(members, joins)) continue;
    loops[a + 1] = loops[a] * loops[a + 1];
    loops[a] = 1;
  }
  return loops;
}

int Nest::stages() const {
  int last = 0;
  for (const Member& m : members) last = std::max(last, m.stage);
  return last + 1;
}

int Nest::cost() const {
  int sum = 0;
  for (const Member& m : members) sum += m.cost;
  return sum;
}

int Nest::widest() const {
  int bytes = 1;
  for (const Member& m : members) bytes = std::max(bytes, m.widest);
  return bytes;
}

bool Fusion::is_stored(const Value& v) const {
  const Value s = storage_of(v);
  return is_memory(s) || stored.contains(s);
}

bool Fusion::is_stored_for(const Value& v, const Nest& nest) const {
  if (!is_stored(v)) return false;
  const auto at = home.find(storage_of(v));
  return at == home.end() || at->second <= &nest - nests.data();
}

}  // namespace gnomon
