// Fusion: one pass over the graph in order, placing each root into the latest nest that takes it.
//
// A value is computed where it is used unless something forces it into memory: it is an output, a
// step reads it, it is costly and would be computed again, or it is too deep. What a root needs is
// found by building its kernel for trial: the accesses say which nests it can share.
#include "codegen/fusion/fuse.h"

#include <algorithm>
#include <map>
#include <optional>

#include "codegen/fusion/nest_contents.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int costly = 8;             // additions from which computing twice is worth avoiding
constexpr int costly_elsewhere = 40;  // the same when the price is a trip through memory
constexpr int deepest = 120;          // operations in a row of one kernel
constexpr int most_statements = 400;
constexpr int most_inlined = 300;         // operations that one value may take into its kernel
constexpr std::size_t most_streams = 10;  // arrays that one loop reads and writes at once

class Fuser {
 public:
  Fuser(const Graph& graph, Nodes nodes) : graph_(graph), nodes_(nodes) {}

  Fusion run(std::span<const Node* const> order) {
    std::vector<Value> results = graph_.outputs;
    const std::vector<Value> checked = graph_.checked_scalars();
    results.insert(results.end(), checked.begin(), checked.end());
    for (const Value& v : results) require(v);
    for (const Node* node : order) {
      if (node->op().step != StepKind::none)
        for (const Value& x : node->operands()) require(x);
      for (const Value& x : awaited_by(*node)) require(x);
      for (const Value& x : node->inputs()) ++uses_[x];
    }
    for (const Value& v : results) ++uses_[v];
    for (const Node* node : order) place(*node);
    return std::move(fusion_);
  }

 private:
  using Kind = Member::Kind;

  // What a trial build found beside what the member itself keeps.
  struct Trial {
    std::vector<Value> roots;  // values of nests, and stored ones
    std::optional<Value> promote;
    std::optional<Value> turned;  // the last transposition that was computed
  };

  // What comes before loops that read the node: values of extents, and what a barrier waits for.
  static std::span<const Value> awaited_by(const Node& node) {
    return &node.op() == &op::barrier ? node.inputs().subspan(1) : node.extent_inputs();
  }

  void require(const Value& v) {
    const Value s = storage_of(v);
    if (!is_memory(s) && !s.is(op::constant)) required_.insert(s);
  }

  void place(const Node& node) {
    const Op& o = node.op();
    if (is_leaf(o) || &o == &op::constant) {
      note_depth(node, 0, 0);
      return;
    }
    if (o.step != StepKind::none) {
      fusion_.items.push_back({-1, &node});
      position_[&node] = last_position();
      store_all(node);
    } else if (o.write) {
      place_write(node);
    } else if (is_row_reduction(node)) {
      place_in_nest({Kind::row, Value(&node, 0)}, node.input(0).shape());
      for (std::uint32_t k = 0; k < node.output_count(); ++k)
        if (required_.contains(Value(&node, k)))
          place_in_nest({Kind::store, Value(&node, k)}, node.type(k).shape);
    } else if (is_column_reduction(node)) {
      place_column(node);
    } else {
      bound_size(node);
      note_depth(node, depth_of(node), cost_of(node));
      for (std::uint32_t k = 0; k < node.output_count(); ++k) {
        const Value v(&node, k);
        if (required_.contains(v) || depth_[&node] > deepest)
          place_in_nest({Kind::store, v}, v.shape());
      }
      return;
    }
    note_depth(node, 0, 0);
  }

  void place_column(const Node& node) {
    if (is_blocked_column(node)) {
      const Shape& shape = node.input(0).shape();
      const bool rows = shape.size() == 2 && node.attribute("axes").ints()[0] == 0;
      place_in_nest({rows ? Kind::column : Kind::partial, Value(&node, 0)},
                    rows ? shape : partial_shape(node));
    }
    for (std::uint32_t k = 0; k < node.output_count(); ++k)
      if (uses_.contains(Value(&node, k)))
        place_in_nest({Kind::store, Value(&node, k)}, node.type(k).shape);
  }

  // Whether a write may share the loops of the one before it: both are of one node whose writes
  // never meet, and where they go is known without data.
  bool follows_write(const Member& m, const Shape& shape) const {
    const WriteRule& rule = m.value.op().write;
    if (!rule.every || rule.combine || m.operand <= rule.first || m.scattered) return false;
    const Nest& last = fusion_.nests.back();
    int statements = m.statements;
    for (const Member& other : last.members) statements += other.statements;
    const Member& before = last.members.back();
    return fusion_.items.back().nest == static_cast<int>(fusion_.nests.size()) - 1 &&
           before.kind == Kind::write && before.value == m.value && !before.scattered &&
           last.domain == shape && m.row_values.empty() && statements <= most_statements;
  }

  // What is written over comes first, then each write, in order. The result of another
  // write that nothing else needs is gone on with; else the elements that stay are copied.
  void place_write(const Node& node) {
    const WriteRule& rule = node.op().write;
    const auto nest = [&](Member m, const Shape& shape) {
      settle(m, shape);
      for (const Value& r : std::vector(m.row_values)) place_in_nest({Kind::store, r}, r.shape());
      settle(m, shape);
      if (!follows_write(m, shape)) return append_nest(std::move(m), shape);
      fusion_.nests.back().members.push_back(std::move(m));
      joined(static_cast<int>(fusion_.nests.size()) - 1);
    };
    const Value written(&node, 0);
    const bool goes_on = goes_on_with_base(node);
    std::vector<Box> boxes;
    if (goes_on)
      fusion_.continued.emplace(node.input(rule.base), written);
    else
      boxes = boxes_of_base(node);
    const bool whole = boxes.size() == 1 && boxes[0].count == node.type().shape;
    for (const Box& box : boxes) nest(Member(written, box), box.count);
    const int last = rule.every ? static_cast<int>(node.operands().size()) - 1 : rule.first;
    for (int i = rule.first; i <= last; ++i) {
      Member m{Kind::write, written, i};
      m.onto = rule.combine && !whole && !goes_on;
      nest(std::move(m), node.input(i).shape());
    }
    store_all(node);
    position_[&node] = last_position();
  }

  bool goes_on_with_base(const Node& node) const {
    const int base = node.op().write.base;
    if (base < 0 || nodes_ == Nodes::shared) return false;
    const Value x = node.input(static_cast<std::size_t>(base));
    return x.op().write && uses_.at(x) == 1;
  }

  void store_all(const Node& node) {
    for (std::uint32_t k = 0; k < node.output_count(); ++k) fusion_.stored.insert(Value(&node, k));
  }

  int last_position() const { return static_cast<int>(fusion_.items.size()) - 1; }

  // --- static measures of what a value costs where it is computed ---

  void note_depth(const Node& node, int depth, int cost) {
    depth_[&node] = depth;
    cost_[&node] = cost;
  }
  int depth_of(const Node& node) const {
    int depth = 0;
    for (const Value& x : node.operands())
      if (!fusion_.stored.contains(x)) depth = std::max(depth, depth_.at(x.get()));
    return depth + 1;
  }
  // Clang's time grows faster than the size of a function, so what one value takes in is bounded:
  // beyond it the largest operands go to memory.
  void bound_size(const Node& node) {
    std::vector<Value> inlined;
    const auto measure = [&] {
      inlined.clear();
      int size = 1;
      for (const Value& x : node.operands()) {
        const auto known = size_.find(x.get());
        const bool memory = known == size_.end() || fusion_.is_stored(x);
        size = std::min(1 << 20, size + (memory ? 1 : known->second));
        if (!memory) inlined.push_back(storage_of(x));
      }
      return size > most_inlined ? distinct_inlined(node) : size;
    };
    int size = measure();
    while (size > most_inlined && !inlined.empty()) {
      const Value largest = *std::max_element(
          inlined.begin(), inlined.end(),
          [&](const Value& a, const Value& b) { return size_.at(a.get()) < size_.at(b.get()); });
      place_in_nest({Kind::store, largest}, largest.shape());
      size = measure();
    }
    size_[&node] = size;
  }

  // Operations of `node` and what it inlines, each once; stops counting soon after the bound.
  int distinct_inlined(const Node& node) const {
    std::unordered_set<const Node*> seen{&node};
    std::vector<const Node*> open{&node};
    while (!open.empty() && seen.size() <= most_inlined) {
      const Node* at = open.back();
      open.pop_back();
      for (const Value& x : at->operands())
        if (seen.insert(x.get()).second && size_.contains(x.get()) && !fusion_.is_stored(x))
          open.push_back(x.get());
    }
    return static_cast<int>(seen.size());
  }

  int cost_of(const Node& node) const {
    int cost = node.op().is_elementwise() ? node.op().scalar.cost : 0;
    for (const Value& x : node.operands())
      if (!fusion_.stored.contains(x)) cost = std::min(1 << 20, cost + cost_.at(x.get()));
    return cost;
  }
  bool is_costly(const Value& v) const {
    return v.op().is_elementwise() && cost_.at(v.get()) >= costly;
  }

  // --- trial builds ---

  // Builds the member's value and notes what it reads. What must be in memory first is placed.
  Trial settle(Member& m, const Shape& domain) {
    for (;;) {
      Trial trial = attempt(m, domain);
      if (!trial.promote) return trial;
      place_in_nest({Kind::store, *trial.promote}, trial.promote->shape());
    }
  }

  Trial attempt(Member& m, const Shape& domain) {
    Trial trial;
    m.rows.clear(), m.row_values.clear(), m.heavy.clear(), m.loads.clear(), m.elsewhere.clear();
    m.tables.clear(), m.computed.clear();
    m.crossed = -1;
    m.plain = true;
    m.widest = is_float(m.value.dtype()) ? static_cast<int>(size_of(m.value.dtype())) : 1;
    KernelBuilder k("trial");
    const int memory = k.add_buffer({"memory", DType::float64, false, true, false, 0});
    std::vector<Scalar> axes;
    for (std::size_t a = 0; a < domain.size(); ++a)
      axes.push_back(k.open({"a", a + 1 == domain.size() ? AxisKind::vector : AxisKind::serial},
                            k.integer(0), k.extent(domain[a]), domain[a]));
    std::map<Value, std::vector<Linear>, ByAddress> first_index;
    k.set_resolve([&](const Value& v, std::span<const Scalar> index) -> std::optional<Scalar> {
      if (trial.promote) return some_value(k, v);
      if (v.get() == m.value.get() && m.kind == Kind::store && is_blocked_column(v.node())) {
        // The partial results of a nest that stands before.
        m.plain = m.plain && is_flat(domain);
        if (maximum_beside(v.node())) shift_of(k, v.node(), index);
        return k.load(memory, k.offset(index, v.shape()), v.dtype());
      }
      for (const Value& x : awaited_by(v.node())) {
        trial.roots.push_back(x);
        m.elsewhere.insert(storage_of(x));
      }
      if (v.is(op::transpose) && v != m.value && !fusion_.is_stored(v)) trial.turned = v;
      if (is_float(v.dtype())) m.widest = std::max(m.widest, static_cast<int>(size_of(v.dtype())));
      const bool itself = v.shape() == domain && is_element_itself(k, v, index, axes, false);
      if (const auto at = note_access(k, m, trial, v, index, domain, axes, memory, itself))
        return at;
      if (itself) m.computed.insert(v);
      if (v == m.value || !is_costly(v)) return std::nullopt;
      if (itself) m.heavy.push_back(v);
      std::vector<Linear> forms;
      for (const Scalar s : index) forms.push_back(k.linear(s));
      const auto [known, fresh] = first_index.try_emplace(v, forms);
      const bool elsewhere = !fresh && known->second != forms;
      if (elsewhere || is_repeated(k, m, index, axes) || is_computed_by_other(v, domain)) {
        trial.promote = v;
        return some_value(k, v);
      }
      return std::nullopt;
    });
    if (m.kind == Kind::write && m.operand >= 0) {
      k.set_node(&m.value.node());
      for (const Scalar s : m.value.op().write.position(k, m.value.node(), m.operand, axes))
        note_position(k, m, k.linear(s));
    }
    const bool beside = m.kind != Kind::store && maximum_beside(m.value.node());
    payload(k, m, axes, beside ? k.load(memory, k.linear(axes.back()), m.value.dtype()) : Scalar{});
    m.statements = static_cast<int>(k.statement_count());
    // What is in memory by now costs nothing.
    m.cost = 1 + std::min(static_cast<int>(cost_estimate(m)), k.cost());
    return trial;
  }

  static void note_position(KernelBuilder& k, Member& m, const Linear& position) {
    for (const auto& [v, c] : position.terms) {
      const auto& x = k.space().variable(v);
      if (x.kind == IndexSpace::Variable::Kind::quotient) note_position(k, m, x.dividend);
      if (x.kind != IndexSpace::Variable::Kind::opaque) continue;
      m.scattered = true;
      m.scattered_lanes = m.scattered_lanes || k.is_lanes({x.id});
    }
  }

  struct ByAddress {
    bool operator()(const Value& a, const Value& b) const {
      return std::pair(a.node().number(), a.index()) < std::pair(b.node().number(), b.index());
    }
  };

  std::size_t cost_estimate(const Member& m) const {
    const Node& node = m.value.node();
    const auto known = cost_.find(m.kind == Kind::store ? &node : node.input(0).get());
    return known == cost_.end() ? 1 : static_cast<std::size_t>(known->second);
  }

  // Memory and results of nests: noted, and stood for by a load of the same kind of access.
  std::optional<Scalar> note_access(KernelBuilder& k, Member& m, Trial& trial, const Value& v,
                                    std::span<const Scalar> index, const Shape& domain,
                                    std::span<const Scalar> axes, int memory, bool itself) {
    const bool row = is_row_reduction(v.node());
    const bool at_hand = fusion_.is_stored(v);
    if (!row && !at_hand) return std::nullopt;
    if (v == m.value && m.kind == Kind::store && !row) return std::nullopt;
    if (row && !fusion_.stored.contains(v)) {
      const Shape& home = v.input(0).shape();
      const bool fits = domain == home || is_row_shaped(domain, home);
      if (!fits || !is_aligned_row(k, v, index, axes)) {
        trial.promote = v;
        return some_value(k, v);
      }
      m.rows.push_back(v.get());
      m.row_values.push_back(v);
    }
    trial.roots.push_back(v);
    m.loads.insert(storage_of(v));
    if (!itself && !(is_row_shaped(v.shape(), domain) && is_aligned_row(k, v, index, axes)))
      m.elsewhere.insert(storage_of(v));
    const Linear at = k.offset(index, v.shape());
    if (is_table(k, at, domain, axes) &&
        element_count(v.shape()) == domain.back() * domain.end()[-2])
      m.tables.push_back(storage_of(v));
    const int crossed = crossed_axis(k, at, domain, axes);
    const bool in_loop =
        crossed >= 0 && is_read_in_loop(k, at, k.linear(axes.back()).terms[0].first);
    if (m.crossed < 0 && !in_loop) m.crossed = crossed;
    // Only stores run in tiles, and a tile is turned once: what others, or loops over elements of
    // the tile, read so is turned before.
    const bool in_rows = m.kind == Kind::row || m.kind == Kind::write || !m.rows.empty();
    if (((m.crossed >= 0 && in_rows) || in_loop) && trial.turned) trial.promote = trial.turned;
    const bool uniform = v.rank() == 0 || element_count(v.shape()).is(1);
    m.plain = m.plain && (itself || uniform) && !row;
    return k.load(memory, at, v.dtype());
  }

  // Whether an offset is that in a matrix of the last two axes, the same for all others.
  static bool is_table(KernelBuilder& k, const Linear& at, const Shape& domain,
                       std::span<const Scalar> axes) {
    if (axes.size() < 3) return false;
    const Linear row = k.linear(axes.end()[-2]), column = k.linear(axes.back());
    return at == row * domain.back() + column;
  }

  static bool is_aligned_row(KernelBuilder& k, const Value& v, std::span<const Scalar> index,
                             std::span<const Scalar> axes) {
    for (std::size_t a = 0; a < index.size(); ++a)
      if (!v.shape()[a].is(1) && (a >= axes.size() || !(k.linear(index[a]) == k.linear(axes[a]))))
        return false;
    return true;
  }

  static Scalar some_value(KernelBuilder& k, const Value& v) {
    return k.constant(v.dtype(), KernelBuilder::identity(op::sum, v.dtype()));
  }

  // Costly and the same for many elements of the domain: varies along the last axis, or in a loop
  // of a reduction, but not along some other one. (What varies along rows only is computed once a
  // row, but one lane at a time in the loop over a block of an outer axis.)
  static bool is_repeated(KernelBuilder& k, const Member& m, std::span<const Scalar> index,
                          std::span<const Scalar> axes) {
    const auto uses = [&](Scalar axis) {
      const int variable = k.linear(axis).terms[0].first;
      return std::any_of(index.begin(), index.end(), [&](Scalar s) {
        const Linear l = k.linear(s);
        return !l.coefficient(variable).is(0) ||
               std::any_of(l.terms.begin(), l.terms.end(), [&](const auto& t) {
                 return k.space().variable(t.first).kind != IndexSpace::Variable::Kind::axis;
               });
      });
    };
    // The loop of a partial result runs along an axis of the domain, block by block.
    const bool blocks = m.kind == Kind::partial;
    const Scalar reduced =
        blocks ? axes[static_cast<std::size_t>(m.value.node().attribute("axes").ints()[0])]
               : Scalar{};
    if (!blocks && is_in_inner_loop(k, index, axes))
      return std::any_of(axes.begin(), axes.end(), [&](Scalar a) { return !uses(a); });
    if (axes.size() < 2) return false;
    if (!uses(axes.back())) return blocks;
    return std::any_of(axes.begin(), axes.end() - 1,
                       [&](Scalar a) { return !(a == reduced) && !uses(a); });
  }

  // Whether an index runs along an axis that is not one of the domain's: that of a reduction.
  static bool is_in_inner_loop(KernelBuilder& k, std::span<const Scalar> index,
                               std::span<const Scalar> axes) {
    std::vector<int> own;
    for (const Scalar a : axes)
      for (const auto& [variable, c] : k.linear(a).terms) own.push_back(variable);
    return std::any_of(index.begin(), index.end(), [&](Scalar s) {
      const Linear l = k.linear(s);
      return std::any_of(l.terms.begin(), l.terms.end(), [&](const auto& t) {
        return k.space().variable(t.first).kind == IndexSpace::Variable::Kind::axis &&
               std::find(own.begin(), own.end(), t.first) == own.end();
      });
    });
  }

  // Another nest computes it already, in another domain or where this member cannot go.
  bool is_computed_by_other(const Value& v, const Shape& domain) const {
    if (cost_.at(v.get()) < costly_elsewhere) return false;
    const auto home = heavy_home_.find(v);
    return home != heavy_home_.end() && fusion_.nests[home->second].domain != domain;
  }

  // --- placing ---

  void append_nest(Member m, const Shape& domain) {
    Nest nest;
    nest.domain = domain;
    nest.members.push_back(std::move(m));
    fusion_.nests.push_back(std::move(nest));
    contents_.emplace_back();
    const int n = static_cast<int>(fusion_.nests.size()) - 1;
    fusion_.items.push_back({n, nullptr});
    nest_item_.push_back(last_position());
    joined(n);
  }

  void place_in_nest(Member m, const Shape& domain) {
    if (m.kind == Kind::store && fusion_.stored.contains(m.value)) return;
    Trial trial = settle(m, domain);
    if (m.kind == Kind::store && is_row_reduction(m.value.node())) {
      // Its own nest has the result at hand, however far back it stands.
      const int home = row_nest_.at(m.value.get());
      fusion_.nests[home].members.push_back(std::move(m));
      return joined(home);
    }
    if (join(m, domain, trial)) return;
    // A nest of its own cannot see row results that no memory holds.
    while (!m.row_values.empty()) {
      const Value r = m.row_values.front();
      const Value operand = m.value.input(0);
      const bool row_of_home = is_row_shaped(operand.shape(), r.input(0).shape());
      const bool whole = m.kind != Kind::store && row_of_home && operand != r;
      const Value stored = whole ? storage_of(operand) : r;
      place_in_nest({Kind::store, stored}, stored.shape());
      trial = settle(m, domain);
      if (join(m, domain, trial)) return;
    }
    append_nest(std::move(m), domain);
  }

  bool join(Member& m, const Shape& domain, const Trial& trial) {
    for (int i = last_position(); i >= 0 && i > last_position() - 24; --i) {
      const int n = fusion_.items[i].nest;
      if (n >= 0 && may_join(m, domain, trial, n, i)) {
        fusion_.nests[n].members.push_back(std::move(m));
        joined(n);
        return true;
      }
    }
    return false;
  }

  // The last member of nest `n` is new: its stage, and what now lives there.
  void joined(int n) {
    Nest& nest = fusion_.nests[n];
    Member& m = nest.members.back();
    m.stage = 0;
    for (const Node* r : m.rows)
      if (const auto home = row_nest_.find(r); home != row_nest_.end() && home->second == n)
        m.stage = std::max(m.stage, row_stage_.at(r) + 1);
    for (const Value& v : m.loads)
      if (const auto home = fusion_.home.find(v); home != fusion_.home.end() && home->second == n)
        m.stage = std::max(m.stage, stored_stage_.at(v));
    for (const Value& v : m.heavy) heavy_home_.try_emplace(v, n);
    contents_[static_cast<std::size_t>(n)].add(m, nest);
    if (m.kind == Kind::store) {
      fusion_.stored.insert(m.value);
      fusion_.home[m.value] = n;
      stored_stage_[m.value] = m.stage;
    }
    if (m.kind == Kind::row) row_nest_[m.value.get()] = n, row_stage_[m.value.get()] = m.stage;
    if (m.kind == Kind::column || m.kind == Kind::partial) part_nest_[m.value.get()] = n;
    for (std::uint32_t k = 0; k < m.value.node().output_count(); ++k)
      if (m.kind != Kind::store || m.value.index() == k)
        nest_of_.insert_or_assign(Value(m.value.get(), k), n);
  }

  // Where the item that makes `v` stands; -1 for leaves.
  int position_of(const Value& v) const {
    const Value s = storage_of(v);
    if (is_memory(s) || s.is(op::constant)) return -1;
    if (const auto at = position_.find(s.get()); at != position_.end()) return at->second;
    const auto n = nest_of_.find(s);
    if (n == nest_of_.end()) throw InternalError("fuse: a value was read before it was placed");
    return nest_item_[n->second];
  }

  bool may_join(const Member& m, const Shape& domain, const Trial& trial, int n, int at) const {
    const Nest& nest = fusion_.nests[n];
    const Node* maximum = m.kind == Kind::store ? nullptr : maximum_beside(m.value.node());
    const int beside = maximum ? part_nest_.at(maximum) : -1;
    if (beside >= 0 && nest_item_[beside] > at) return false;
    const bool partial = m.kind == Kind::partial || nest.members[0].kind == Kind::partial;
    if ((partial && beside != n) || nest.members[0].kind == Kind::write) return false;
    const bool full = nest.domain == domain;
    const bool of_rows =
        m.kind == Kind::store && is_row_shaped(domain, nest.domain) && needs_rows_of(m, n);
    if (!full && !of_rows) return false;
    const NestContents& contents = contents_[static_cast<std::size_t>(n)];
    if (!partial && (m.needs_whole_block() || contents.needs_whole_blocks()) &&
        !nest.is_of_columns(&m))
      return false;  // no loop over rows is around columns that need their block at once
    const bool stored =
        contents.is_of_stores() && m.kind == Kind::store && m.value.shape() == domain;
    const bool crossed = contents.is_crossed();
    if ((m.crossed >= 0 || crossed) && !(stored && full)) return false;
    for (const Value& r : m.row_values)
      if (!fusion_.stored.contains(r) && row_nest_.at(r.get()) != n) return false;
    // What adds up partial results comes after the nest that makes them.
    if (m.kind == Kind::store && is_blocked_column(m.value.node()) && position_of(m.value) >= at)
      return false;
    bool shares = of_rows || beside == n;
    for (const Value& v : trial.roots) {
      const Value s = storage_of(v);
      const int where = position_of(v);
      if (where > at) return false;
      if (where == at) {
        if (!is_usable_in(v, m)) return false;
        shares = true;
      }
    }
    const std::size_t streams = contents.streams_with(m);
    shares = shares || contents.shares_loads_with(m);
    if (!shares && streams + nest.members.size() >= most_streams) return false;
    return contents.statements_with(m) <= most_statements;
  }

  bool needs_rows_of(const Member& m, int n) const {
    return std::any_of(m.rows.begin(), m.rows.end(), [&](const Node* r) {
      const auto home = row_nest_.find(r);
      return home != row_nest_.end() && home->second == n;
    });
  }

  // A result of the nest itself is usable at the element it was computed for.
  bool is_usable_in(const Value& v, const Member& m) const {
    return !m.elsewhere.contains(storage_of(v));
  }

  const Graph& graph_;
  Nodes nodes_;
  Fusion fusion_;
  std::unordered_map<Value, int> uses_;
  std::unordered_set<Value> required_;
  std::unordered_map<const Node*, int> depth_, cost_, size_, position_, row_nest_, part_nest_;
  std::unordered_map<const Node*, int> row_stage_;
  std::unordered_map<Value, int> heavy_home_, nest_of_, stored_stage_;
  std::vector<NestContents> contents_;  // of the nests
  std::vector<int> nest_item_;
};

}  // namespace

Fusion fuse(const Graph& graph, Nodes nodes, std::span<const Node* const> order) {
  return Fuser(graph, nodes).run(order.empty() ? graph.topological_order() : order);
}

}  // namespace gnomon
