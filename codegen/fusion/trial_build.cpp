// A kernel with one member, whose memory is one buffer that stands for all.
#include "codegen/fusion/trial_build.h"

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>

#include "codegen/fusion/uses.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Bytes that a lane is to have for a value. Integers of 64 bits are places as a rule, and places
// that data tell are looked up lane by lane.
int lane_bytes(const Value& v) {
  const int bytes = static_cast<int>(size_of(v.dtype()));
  if (is_float(v.dtype())) return bytes;
  if (v.rank() == 0) return 1;
  return v.is(op::index) ? 4 : std::min(bytes, 4);
}

class TrialBuild {
 public:
  TrialBuild(Member& m, const Shape& domain, const Placement& placement, const InlineCosts& costs)
      : m_(m),
        domain_(domain),
        placement_(placement),
        fusion_(placement.fusion()),
        costs_(costs),
        memory_(k_.add_buffer({"memory", DType::float64, false, true, false, 0})) {
    for (std::size_t a = 0; a < domain.size(); ++a)
      axes_.push_back(k_.open({"a", a + 1 == domain.size() ? AxisKind::vector : AxisKind::serial},
                              k_.integer(0), k_.extent(domain[a]), domain[a]));
  }

  Trial run() {
    forget_findings();
    k_.note_computed_with();
    k_.set_resolve(
        [this](const Value& v, std::span<const Scalar> index) { return resolve(v, index); });
    const Node& node = m_.value.node();
    if (m_.kind == Kind::write && m_.operand >= 0) {
      k_.set_node(&node);
      std::vector<bool> tells(domain_.size(), false);
      const std::vector<Scalar> index = index_of_written(k_, m_, axes_);
      for (const Scalar s : node.op().write.position(k_, node, m_.operand, index)) {
        note_position(k_.linear(s));
        note_axes(k_.linear(s), tells);
      }
      note_same_places(tells);
    }
    const bool beside = m_.kind != Kind::store && maximum_beside(node);
    const Scalar value =
        payload(k_, m_, axes_,
                beside ? k_.load(memory_, k_.linear(axes_.back()), m_.value.dtype()) : Scalar{});
    m_.by_axes = m_.plain && computes_by_axes(value);
    m_.has_loop = k_.axis_count() > domain_.size();
    for (const Linear& form : k_.computed_with()) note_joined(form);
    for (const Linear& form : k_.checked()) note_joined(form);
    if (k_.dtype(value) == DType::int64) note_joined(k_.linear(value));
    if (m_.has_loop) m_.joined.assign(domain_.size(), false);
    m_.statements = static_cast<int>(k_.statement_count());
    // What is in memory by now costs nothing.
    const Node& computed = m_.kind == Kind::store ? node : node.input(0).node();
    m_.cost = 1 + std::min(costs_.cost_of(computed), k_.cost());
    return std::move(trial_);
  }

 private:
  using Kind = Member::Kind;
  using Index = std::span<const Scalar>;

  void forget_findings() {
    m_.rows.clear(), m_.row_values.clear(), m_.heavy.clear(), m_.parts.clear(), m_.loads.clear();
    m_.elsewhere.clear(), m_.tables.clear(), m_.computed.clear();
    m_.crossed = -1;
    m_.joined.assign(domain_.size(), true);
    m_.plain = true;
    m_.widest = lane_bytes(m_.value);
  }

  std::optional<Scalar> resolve(const Value& v, Index index) {
    if (trial_.promote) return some_value(v);
    if (v.get() == m_.value.get() && m_.kind == Kind::store && is_blocked_column(v.node())) {
      // The partial results of a nest that stands before.
      m_.plain = m_.plain && is_flat(domain_);
      if (maximum_beside(v.node())) shift_of(k_, v.node(), index);
      m_.joined.assign(domain_.size(), false);
      return k_.load(memory_, k_.offset(index, v.shape()), v.dtype());
    }
    if (!fusion_.given.contains(v)) note_awaited(v.node());
    if (v.is(op::transpose) && v != m_.value && !fusion_.is_stored(v)) turned_ = v;
    m_.widest = std::max(m_.widest, lane_bytes(v));
    const bool itself = v.shape() == domain_ && is_element_itself(k_, v, index, axes_, false);
    if (const auto at = at_hand(v, index, itself)) return at;
    if (itself) m_.computed.insert(v);
    if (v == m_.value) return std::nullopt;
    if (costs_.is_costly_to_look_up(v) && is_looked_up(v, index))
      return promote(v, InMemory::for_many);
    if (!costs_.is_costly(v)) return std::nullopt;
    if (itself) m_.heavy.push_back(v);
    const std::optional<InMemory> again = computed_again(v, index);
    return again ? promote(v, *again) : std::nullopt;
  }

  void note_awaited(const Node& node) {
    for (const Value& x : awaited_by(node)) {
      trial_.roots.push_back(x);
      m_.elsewhere.insert(storage_of(x));
    }
  }

  std::optional<Scalar> promote(const Value& v, InMemory why) {
    trial_.promote = v;
    trial_.why = why;
    return some_value(v);
  }

  Scalar some_value(const Value& v) {
    return k_.constant(v.dtype(), KernelBuilder::identity(op::sum, v.dtype()));
  }

  // --- memory and results of nests ---

  // Noted, and stood for by a load of the same kind of access.
  std::optional<Scalar> at_hand(const Value& v, Index index, bool itself) {
    const bool row = is_row_reduction(v.node()) && !fusion_.given.contains(v);
    if (!row && !fusion_.is_stored(v)) return std::nullopt;
    if (v == m_.value && m_.kind == Kind::store && !row) return std::nullopt;
    if (row && !fusion_.stored.contains(v)) {
      const Shape& home = v.input(0).shape();
      const bool fits = domain_ == home || is_row_shaped(domain_, home);
      if (!fits || !is_aligned_row(v, index)) return promote(v, InMemory::rows);
      m_.rows.push_back(v.get());
      m_.row_values.push_back(v);
    }
    trial_.roots.push_back(v);
    m_.loads.insert(storage_of(v));
    if (!itself && !(is_row_shaped(v.shape(), domain_) && is_aligned_row(v, index)))
      m_.elsewhere.insert(storage_of(v));
    const Linear at = k_.offset(index, v.shape());
    if (is_table(at) && element_count(v.shape()) == domain_.back() * domain_.end()[-2])
      m_.tables.push_back(storage_of(v));
    note_crossing(at);
    note_joined(at);
    const bool uniform = v.rank() == 0 || element_count(v.shape()).is(1);
    m_.plain = m_.plain && (itself || uniform) && !row;
    return k_.load(memory_, at, v.dtype());
  }

  void note_joined(const Linear& at) {
    for (std::size_t a = 0; a + 1 < axes_.size(); ++a)
      if (m_.joined[a]) m_.joined[a] = are_one(k_, at, domain_, axes_, a);
  }

  // Only stores run in tiles, and a tile is turned once: what others, or loops over elements of the
  // tile, read so is turned before.
  void note_crossing(const Linear& at) {
    const int crossed = crossed_axis(k_, at, domain_, axes_);
    const bool in_loop =
        crossed >= 0 && is_read_in_loop(k_, at, k_.linear(axes_.back()).terms[0].first);
    if (m_.crossed < 0 && !in_loop) m_.crossed = crossed;
    const bool in_rows = m_.kind == Kind::row || m_.kind == Kind::write || !m_.rows.empty();
    if (((m_.crossed >= 0 && in_rows) || in_loop) && turned_)
      trial_.promote = turned_, trial_.why = InMemory::turned;
  }

  void note_position(const Linear& position) {
    for (const auto& [v, c] : position.terms) {
      const auto& x = k_.space().variable(v);
      if (x.kind == IndexSpace::Variable::Kind::quotient) note_position(x.dividend);
      if (x.kind != IndexSpace::Variable::Kind::opaque) continue;
      m_.scattered = true;
      m_.scattered_rows = m_.scattered_rows || k_.changes(v);
      m_.scattered_lanes = m_.scattered_lanes || k_.is_lanes({x.id});
    }
  }

  // Whether the value, or what it is computed with, has an axis of the domain in it other than as
  // part of the place of the element among all.
  bool computes_by_axes(Scalar value) {
    std::vector<int> axes;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      if (!domain_[a].is(1)) axes.push_back(k_.linear(axes_[a]).terms[0].first);
    if (axes.size() < 2) return false;
    const Linear place = k_.offset(axes_, domain_);
    const std::function<bool(const Linear&)> has_axis = [&](const Linear& form) {
      const Linear rest = form - place * form.coefficient(axes.back());
      return std::ranges::any_of(rest.terms, [&](const auto& term) {
        const auto& x = k_.space().variable(term.first);
        return x.kind == IndexSpace::Variable::Kind::quotient
                   ? has_axis(x.dividend)
                   : std::ranges::find(axes, term.first) != axes.end();
      });
    };
    return (k_.dtype(value) == DType::int64 && has_axis(k_.linear(value))) ||
           std::ranges::any_of(k_.computed_with(), has_axis);
  }

  // Which axes of the domain a position may change along.
  void note_axes(const Linear& position, std::vector<bool>& tells) {
    for (const auto& [v, c] : position.terms) {
      const auto& x = k_.space().variable(v);
      if (x.kind == IndexSpace::Variable::Kind::quotient) note_axes(x.dividend, tells);
      const bool is_data = x.kind == IndexSpace::Variable::Kind::opaque && k_.changes(v);
      const bool in_lanes = is_data && k_.is_lanes({x.id});
      for (std::size_t a = 0; a < tells.size(); ++a) {
        if (domain_[a].is(1)) continue;
        const bool is_last = a + 1 == tells.size();
        const bool is_axis = k_.linear(axes_[a]).terms[0].first == v;
        tells[a] = tells[a] || is_axis || (is_last ? in_lanes : is_data);
      }
    }
  }

  // Along others many elements go to one place, though it is known.
  void note_same_places(const std::vector<bool>& tells) {
    for (std::size_t a = 0; a < tells.size(); ++a) {
      if (tells[a] || domain_[a].is(1)) continue;
      m_.scattered = m_.scattered_rows = true;
      m_.scattered_lanes = m_.scattered_lanes || a + 1 == tells.size();
    }
  }

  // Whether an offset is that in a matrix of the last two axes, the same for all others.
  bool is_table(const Linear& at) {
    if (axes_.size() < 3) return false;
    const Linear row = k_.linear(axes_.end()[-2]), column = k_.linear(axes_.back());
    return at == row * domain_.back() + column;
  }

  bool is_aligned_row(const Value& v, Index index) {
    for (std::size_t a = 0; a < index.size(); ++a)
      if (!v.shape()[a].is(1) &&
          (a >= axes_.size() || !(k_.linear(index[a]) == k_.linear(axes_[a]))))
        return false;
    return true;
  }

  // --- costly values ---

  // Whether a costly value would be computed more than once, and how: at another index too, for
  // several elements, or here and in another nest, of another domain or where this member cannot
  // go.
  std::optional<InMemory> computed_again(const Value& v, Index index) {
    std::vector<Linear> forms;
    for (const Scalar s : index) forms.push_back(k_.linear(s));
    const auto [known, fresh] = first_index_.try_emplace(v, forms);
    if (!fresh && known->second != forms) return InMemory::at_two_places;
    if (is_repeated(index)) return InMemory::for_many;
    if (!costs_.is_costly_elsewhere(v)) return std::nullopt;
    constexpr int most_parts = 2;  // more of them would be as much as all of it
    const bool is_small = !is_in_inner_loop(index) && placement_.parts_computed(v) < most_parts &&
                          is_small_part_of(v.shape());
    const bool is_elsewhere = placement_.is_computed_elsewhere(v, domain_);
    if (is_elsewhere && !is_small) return InMemory::in_two_loops;
    if (is_elsewhere || is_slice_of(v.shape())) m_.parts.push_back(v);
    return std::nullopt;
  }

  // Whether the domain is a part of an array and has most of its elements where extents are large,
  // or hardly any, as an edge has: another part that has most has elements of it again, or is soon
  // to come.
  bool is_slice_of(const Shape& shape) const {
    if (shape.size() != domain_.size() || shape == domain_) return false;
    const auto elements = [](const Dim& d) {
      return static_cast<double>(d.evaluate([](const Atom&) { return 1000; }));
    };
    double share = 1;
    try {
      for (std::size_t a = 0; a < shape.size(); ++a)
        if (!(domain_[a] == shape[a])) share *= elements(domain_[a]) / elements(shape[a]);
    } catch (const ValueError&) {  // an extent is the product of many
      return false;
    }
    constexpr double most = 0.5, edge = 0.01;
    return share <= 1 && (share > most || (share > 0 && share < edge));
  }

  // Whether the domain has an element of a row, or of more axes, where an array has several: as
  // many as it has are soon computed again.
  bool is_small_part_of(const Shape& shape) const {
    constexpr std::int64_t several = 16;
    Dim spared = 1;
    for (std::size_t a = 0; a < shape.size(); ++a) {
      if (a < domain_.size() && domain_[a] == shape[a]) continue;
      if (a < domain_.size() && !domain_[a].is(1)) return false;
      spared = spared * shape[a];
    }
    return domain_.size() <= shape.size() && !(spared.is_constant() && spared.constant() < several);
  }

  // The same for many elements of the domain: varies along the last axis, or in a loop of a
  // reduction, but not along some other one. (What varies along rows only is computed once a row,
  // but one lane at a time in the loop over a block of an outer axis.)
  bool is_repeated(Index index) {
    const auto uses = [&](Scalar axis) { return varies_along(index, axis); };
    // The loop of a partial result runs along an axis of the domain, block by block.
    const bool blocks = m_.kind == Kind::partial;
    const Scalar reduced =
        blocks ? axes_[static_cast<std::size_t>(m_.value.node().attribute("axes").ints()[0])]
               : Scalar{};
    if (!blocks && is_in_inner_loop(index))
      return std::any_of(axes_.begin(), axes_.end(), [&](Scalar a) { return !uses(a); });
    if (axes_.size() < 2) return false;
    if (!uses(axes_.back())) return blocks;
    return std::any_of(axes_.begin(), axes_.end() - 1,
                       [&](Scalar a) { return !(a == reduced) && !uses(a); });
  }

  // Whether data say for each element which one of a vector is read: then elements may be more than
  // the vector has, and several read one. (Of a matrix, few elements of each row may be wanted.)
  bool is_looked_up(const Value& v, Index index) {
    const Dim spared = element_count(v.shape()) - element_count(domain_);
    if (spared.is_constant() && spared.constant() >= 0) return false;
    const auto by_data = [&](Scalar s) {
      return std::ranges::any_of(k_.linear(s).terms, [&](const auto& term) {
        const auto& x = k_.space().variable(term.first);
        return x.kind == IndexSpace::Variable::Kind::opaque && k_.is_lanes({x.id});
      });
    };
    return v.rank() == 1 && !domain_.empty() && by_data(index[0]);
  }

  // Whether the index varies along an axis, or may: it has parts that are no sums of axes.
  bool varies_along(Index index, Scalar axis) {
    const int variable = k_.linear(axis).terms[0].first;
    return std::any_of(index.begin(), index.end(), [&](Scalar s) {
      const Linear l = k_.linear(s);
      return !l.coefficient(variable).is(0) ||
             std::any_of(l.terms.begin(), l.terms.end(), [&](const auto& t) {
               return k_.space().variable(t.first).kind != IndexSpace::Variable::Kind::axis;
             });
    });
  }

  // Whether an index runs along an axis that is not one of the domain's: that of a reduction.
  bool is_in_inner_loop(Index index) {
    std::vector<int> own;
    for (const Scalar a : axes_)
      for (const auto& [variable, c] : k_.linear(a).terms) own.push_back(variable);
    return std::any_of(index.begin(), index.end(), [&](Scalar s) {
      const Linear l = k_.linear(s);
      return std::any_of(l.terms.begin(), l.terms.end(), [&](const auto& t) {
        return k_.space().variable(t.first).kind == IndexSpace::Variable::Kind::axis &&
               std::find(own.begin(), own.end(), t.first) == own.end();
      });
    });
  }

  Member& m_;
  const Shape& domain_;
  const Placement& placement_;
  const Fusion& fusion_;
  const InlineCosts& costs_;
  KernelBuilder k_{"trial"};
  const int memory_;          // the buffer of all loads
  std::vector<Scalar> axes_;  // of the domain
  Trial trial_;
  std::optional<Value> turned_;                                 // the last transpose computed here
  std::unordered_map<Value, std::vector<Linear>> first_index_;  // of costly values
};

}  // namespace

Trial build_for_trial(Member& m, const Shape& domain, const Placement& placement,
                      const InlineCosts& costs) {
  return TrialBuild(m, domain, placement, costs).run();
}

}  // namespace gnomon
