// x(...): NumPy's indexing by integers, ranges, ellipsis, new axes and integer arrays, as slices,
// indices and changes of shape.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "runtime/error.h"
#include "stdlib/arrays/index_writes.h"
#include "stdlib/arrays/sections.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

Index::Index(Item item, const Place& at)
    : item_(std::move(item)), origin_{at.file_name(), at.line()} {}
Index::Index(const Dim& d, Place at) : Index(Item(d), at) {}
Index::Index(WholeAxis w, Place at) : Index(Item(Range(w)), at) {}
Index::Index(const Range& r, Place at) : Index(Item(r), at) {}
Index::Index(Ellipsis e, Place at) : Index(Item(e), at) {}
Index::Index(NewAxis n, Place at) : Index(Item(n), at) {}
Index::Index(const Expr& e, Place at) : Index(Item(e), at) {}
Index::Index(const Index& other) = default;
Index::Index(Index&& other) noexcept = default;
Index& Index::operator=(const Index& other) = default;
Index& Index::operator=(Index&& other) noexcept = default;
Index::~Index() = default;

namespace {

// -------------------------------------------------------------------------------- bounds of ranges

// Extents are at least 0, and so is what keeps them so.
bool is_non_negative_atom(const AtomRef& a) {
  switch (a->kind) {
    case Atom::Kind::symbol: return true;
    case Atom::Kind::value: return false;
    case Atom::Kind::max: return is_non_negative(a->left) || is_non_negative(a->right);
    default: return is_non_negative(a->left) && is_non_negative(a->right);
  }
}

// What is known of a dimension's sign; extents are at least 0.
enum class Sign { non_negative, negative, non_positive, mixed_extents, unknown };

Sign sign_of(const Dim& d) {
  const std::int64_t c = d.constant_term();
  if (d.is_constant()) return c < 0 ? Sign::negative : Sign::non_negative;
  bool up = false, down = false;
  for (const Term& term : d.terms()) {
    if (!std::ranges::all_of(term.atoms, is_non_negative_atom)) return Sign::unknown;
    (term.coefficient > 0 ? up : down) = true;
  }
  if (!down && c >= 0) return Sign::non_negative;
  if (!up && c < 0) return Sign::negative;
  if (!up && c == 0) return Sign::non_positive;
  return Sign::mixed_extents;
}

}  // namespace

bool is_non_negative(const Dim& d) { return sign_of(d) == Sign::non_negative; }

namespace {

// Minimum and maximum, left out where the order is known.
Dim smaller(const Dim& a, const Dim& b) {
  if (is_non_negative(b - a)) return a;
  if (is_non_negative(a - b)) return b;
  return min(a, b);
}

Dim larger(const Dim& a, const Dim& b) {
  if (is_non_negative(a - b)) return a;
  if (is_non_negative(b - a)) return b;
  return max(a, b);
}

// A bound counted from the end when it is negative, by arithmetic where only the call knows.
Dim from_front(const Dim& bound, const Dim& extent) {
  switch (sign_of(bound)) {
    case Sign::non_negative:
    case Sign::mixed_extents: return bound;
    case Sign::negative: return bound + extent;
    default: return bound - extent * max(min(bound, Dim(0)), Dim(-1));
  }
}

// The range ends one after its start: it has one element at most, whatever the call brings.
bool is_of_one(const Range& range) {
  return range.start && range.stop && (*range.stop - *range.start).is(1);
}

Section section_of(const Range& range, const Dim& n) {
  if (!range.start && !range.stop && range.step.is(1)) return {0, n, 1};
  if (range.step.is(0)) throw ValueError("index: expected a constant step, not 0, found 0");
  if (!range.step.is_constant())
    throw ValueError(
        "index: expected a constant step, found one that depends on a value: write a loop over the "
        "places, `while k < n`, or choose them by a mask of the places k = arange(n): "
        "(k >= start) & ((k - start) % step == 0)");
  const std::int64_t step = range.step.constant();
  if (step > 0) {
    const Dim start = range.start ? larger(from_front(*range.start, n), 0) : Dim(0);
    const Dim stop = range.stop ? smaller(from_front(*range.stop, n), n) : n;
    Dim length = larger(stop - start, 0);
    if (is_of_one(range)) length = min(length, 1);
    return {start, step == 1 ? length : floor_div(length + (step - 1), step), step};
  }
  const Dim last = n - 1;
  const Dim start = range.start ? smaller(from_front(*range.start, n), last) : last;
  const Dim stop = range.stop ? larger(from_front(*range.stop, n), Dim(-1)) : Dim(-1);
  const Dim length = larger(start - stop, 0);
  return {start, step == -1 ? length : floor_div(length + (-step - 1), -step), step};
}

// ------------------------------------------------------------------------------------------- plans

// An indexing, taken apart into the steps that are applied in this order.
struct Plan {
  Shape start, count, step;  // slice
  bool slices = false;
  IntList dropped;  // squeeze: axes of x read at one position
  IntList axes;     // index: axes after the squeeze
  std::vector<Expr> indices;
  IntList order;  // transpose, when the arrays' axes have to move to the front
  IntList added;  // expand_dims: new axes of the result
};

// The mask that an item is, or null.
const Expr* mask_in(const Index& item) {
  const Expr* e = std::get_if<Expr>(&item.item());
  return e && is_bool(e->dtype()) && e->rank() > 0 ? e : nullptr;
}

// Items with the ellipsis written out and the places of masks, as one per axis of x and the new
// axes between.
std::vector<Index::Item> complete(const Expr& x, std::span<const Index> items) {
  int consumed = 0, ellipses = 0;
  for (const Index& item : items) {
    const Expr* mask = mask_in(item);
    if (std::holds_alternative<Ellipsis>(item.item())) {
      ++ellipses;
    } else if (!std::holds_alternative<NewAxis>(item.item())) {
      consumed += mask ? mask->rank() : 1;
    }
  }
  const int missing = x.rank() - consumed;
  if (missing < 0) {
    throw IndexError(fmt::format("index: expected at most {} indices, found {} for {}", x.rank(),
                                 consumed, describe(x)));
  }
  if (ellipses > 1) throw IndexError("index: expected one ellipsis at most, found two");
  std::vector<Index::Item> result;
  std::size_t axis = 0;  // of x, of the next item
  const auto fill = [&] {
    result.insert(result.end(), static_cast<std::size_t>(missing), Range{});
    axis += static_cast<std::size_t>(missing);
  };
  for (const Index& item : items) {
    if (std::holds_alternative<Ellipsis>(item.item())) {
      fill();
    } else if (const Expr* mask = mask_in(item)) {
      const auto count = static_cast<std::size_t>(mask->rank());
      for (Expr& place : places_of_mask(*mask, std::span(x.shape()).subspan(axis, count)))
        result.emplace_back(std::move(place));
      axis += count;
    } else {
      result.push_back(item.item());
      axis += std::holds_alternative<NewAxis>(item.item()) ? 0 : 1;
    }
  }
  if (ellipses == 0) fill();
  return result;
}

void check_array(const Expr& x, const Expr& array) {
  if (is_integer(array.dtype())) return;
  throw TypeError(fmt::format("index: expected integers or masks, found {} for {}", describe(array),
                              describe(x)));
}

bool has_arrays(std::span<const Index::Item> items) {
  return std::ranges::any_of(items, [](const Index::Item& item) {
    const Expr* e = std::get_if<Expr>(&item);
    return e && e->rank() > 0;
  });
}

// Whether an index is computed, so that what is written there is no slice.
bool has_computed(std::span<const Index::Item> items) {
  return std::ranges::any_of(
      items, [](const Index::Item& item) { return std::holds_alternative<Expr>(item); });
}

enum class Use : std::uint8_t { read, write };

// Builds a plan item by item. A write at a computed index takes the known ones along with it: in
// x[i, 1] that is one element, and no slice of which one is written.
class Planner {
 public:
  Planner(const Expr& x, std::span<const Index> items, Use use = Use::read)
      : x_(x), items_(complete(x, items)) {
    arrays_ = has_arrays(items_) || (use == Use::write && has_computed(items_));
  }

  Plan plan() {
    for (std::size_t i = 0; i < items_.size(); ++i) add(items_[i], i);
    place_arrays();
    return std::move(plan_);
  }

 private:
  const Dim& extent_here() const { return x_.shape()[axis_]; }

  void add(const Index::Item& item, std::size_t position) {
    if (std::holds_alternative<NewAxis>(item)) {
      outputs_.push_back(Output::added);
    } else if (const Range* range = std::get_if<Range>(&item)) {
      const Section section = section_of(*range, extent_here());
      plan_.slices = plan_.slices || range->start || range->stop || !range->step.is(1);
      append(section);
      outputs_.push_back(Output::kept);
      ++kept_axes_;
    } else if (const Dim* d = std::get_if<Dim>(&item); d && !arrays_) {
      const Dim at = from_front(*d, extent_here());
      plan_.slices = true;
      plan_.dropped.push_back(static_cast<std::int64_t>(axis_));
      append({at, 1, 1});
    } else {
      const Expr* e = std::get_if<Expr>(&item);
      const Expr array = e ? *e : extent(inside(*std::get_if<Dim>(&item)));
      check_array(x_, array);
      add_array(array, position);
    }
  }

  // A known index, counted from the front. IndexError at once where the extent is known too.
  Dim inside(const Dim& d) const {
    const Dim &n = extent_here(), at = from_front(d, n), room = n - 1 - at;
    const auto is_below = [](const Dim& a) { return a.is_constant() && a.constant() < 0; };
    if (is_below(at) || is_below(room))
      throw IndexError(
          fmt::format("index: index {} is out of range for axis {} with extent {} of {}", d.text(),
                      axis_, n.text(), describe(x_)));
    return at;
  }

  void append(const Section& section) {
    plan_.start.push_back(section.start);
    plan_.count.push_back(section.count);
    plan_.step.push_back(section.step);
    ++axis_;
  }

  void add_array(const Expr& array, std::size_t position) {
    plan_.axes.push_back(static_cast<std::int64_t>(axis_ - plan_.dropped.size()));
    plan_.indices.push_back(array);
    append({0, extent_here(), 1});
    if (first_array_ == npos) {
      first_array_ = position;
      outputs_.push_back(Output::arrays);
    } else if (last_array_ + 1 != position) {
      scattered_ = true;
    }
    last_array_ = position;
  }

  // NumPy: the arrays' axes stand where the arrays do, or first when anything is between these.
  void place_arrays() {
    const auto here = std::ranges::find(outputs_, Output::arrays);
    std::size_t rank = 0;
    for (const Expr& i : plan_.indices) rank = std::max(rank, i.shape().size());
    if (here != outputs_.end()) {
      std::size_t before = 0;
      for (auto i = outputs_.begin(); i != here; ++i) before += *i == Output::kept;
      const bool adjacent = plan_.axes.back() - plan_.axes.front() + 1 ==
                            static_cast<std::int64_t>(plan_.axes.size());
      if (scattered_) {
        outputs_.erase(here);
        outputs_.insert(outputs_.begin(), Output::arrays);
        if (adjacent && before > 0 && rank > 0) move_to_front(before, rank);
      }
    }
    std::int64_t axis = 0;
    for (Output output : outputs_) {
      if (output == Output::added) plan_.added.push_back(axis);
      axis += output == Output::arrays ? static_cast<std::int64_t>(rank) : 1;
    }
  }

  void move_to_front(std::size_t before, std::size_t rank) {
    const std::size_t total = kept_axes_ + rank;
    for (std::size_t i = 0; i < rank; ++i) plan_.order.push_back(static_cast<int>(before + i));
    for (std::size_t i = 0; i < total; ++i) {
      if (i < before || i >= before + rank) plan_.order.push_back(static_cast<int>(i));
    }
  }

  enum class Output { kept, added, arrays };
  static constexpr std::size_t npos = static_cast<std::size_t>(-1);

  const Expr& x_;
  std::vector<Index::Item> items_;
  bool arrays_ = false, scattered_ = false;
  std::size_t axis_ = 0, kept_axes_ = 0, first_array_ = npos, last_array_ = npos;
  std::vector<Output> outputs_;
  Plan plan_;
};

// -------------------------------------------------------------------------------- reading, writing

Expr sliced(const Plan& plan, const Expr& x, Origin at) {
  if (!plan.slices) return x;
  return Expr(make_node(op::slice, {x.value()}, {plan.start, plan.count, plan.step}, at));
}

Expr squeezed(const Plan& plan, const Expr& x) {
  return plan.dropped.empty() ? x : squeeze(x, Axes(plan.dropped));
}

Expr with_axes(Expr x, const IntList& axes) {
  for (std::int64_t axis : axes) x = expand_dims(x, axis);
  return x;
}

Expr indexed(const Plan& plan, const Expr& x) {
  return plan.axes.empty() ? x : index(x, plan.axes, plan.indices);
}

Expr finish(const Plan& plan, Expr part) {
  if (!plan.order.empty()) part = transpose(part, plan.order);
  return with_axes(part, plan.added);
}

// `v` of the shape of the finished part, in the shape before `finish`.
Expr unfinish(const Plan& plan, Expr v) {
  if (!plan.added.empty()) v = squeeze(v, Axes(plan.added));
  if (plan.order.empty()) return v;
  IntList inverse(plan.order.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    inverse[static_cast<std::size_t>(plan.order[i])] = static_cast<std::int64_t>(i);
  }
  return transpose(v, inverse);
}

// Writes of one kind: whole parts by `slice`, after `combine` where slices only replace; elements
// at integer arrays by `index`.
struct Write {
  const char* name;
  const Op *slice, *index;
  const Op* combine = nullptr;
};

constexpr Write replacing{"set_at", &op::set_slice, &op::set_index};
constexpr Write adding{"inc_at", &op::inc_slice, &op::inc_index};
constexpr Write multiplying{"multiply_at", &op::set_slice, &op::multiply_index, &op::multiply};
constexpr Write dividing{"divide_at", &op::set_slice, &op::divide_index, &op::divide};
constexpr Write lowering{"minimum_at", &op::set_slice, &op::minimum_index, &op::minimum};
constexpr Write raising{"maximum_at", &op::set_slice, &op::maximum_index, &op::maximum};

// What is combined must have a dtype that the cast to that of x keeps: x * 0.5 is not x * 0.
void check_dtypes(const Expr& x, const Arg& v, const Write& how) {
  const auto kind = [](DType t) {
    return is_complex(t) ? 3 : is_float(t) ? 2 : is_integer(t) ? 1 : 0;
  };
  if (how.combine->promotion == Promotion::inexact && kind(x.dtype()) < 2)
    throw TypeError(fmt::format("{}: expected floats, found {}", how.name, describe(x)));
  if (const Value* value = v.strong(); value && kind(value->dtype()) > kind(x.dtype()))
    throw TypeError(fmt::format("{}: expected values that {} can hold, found {} for {}", how.name,
                                name_of(x.dtype()), describe(*value), describe(x)));
}

// The mask that is the whole key, if its extents are those of the first axes of `x`; else null.
const Expr* only_mask(const Expr& x, std::span<const Index> items) {
  const Expr* const mask = items.size() == 1 ? mask_in(items[0]) : nullptr;
  if (mask == nullptr || mask->rank() > x.rank()) return nullptr;
  for (std::size_t i = 0; i < mask->shape().size(); ++i) {
    const Dim &m = mask->shape()[i], &n = x.shape()[i];
    const bool differs = m.is_constant() && n.is_constant() && !(m == n);
    if (differs || (m.is(1) != n.is(1))) return nullptr;  // none of them stretches
  }
  return mask;
}

// What is written where a mask holds, for all elements of x: what is the same for those at all
// places, or a function of the elements there. Else nothing.
std::optional<Expr> over_all_places(const Expr& x, const Expr& mask, const Arg& v) {
  const Value* const strong = v.strong();
  if (strong != nullptr && strong->type().rank() > x.rank() - mask.rank())
    return over_all_places(Expr(*strong), mask);
  return Expr(v.as(x.dtype()));
}

// That is a choice for each element, and needs no places.
Expr chosen(const Expr& x, Expr mask, const Expr& v, const Write& how) {
  while (mask.rank() < x.rank()) mask = expand_dims(mask, mask.rank());
  const Expr value = broadcast_to(cast(v, x.dtype()), x.shape());
  if (how.combine) return where(mask, apply(*how.combine, {x, value}), x);
  return where(mask, how.slice == &op::set_slice ? value : x + value, x);
}

Expr write_items(const Expr& x, std::span<const Index> items, const Arg& v, const Write& how,
                 Origin at) {
  const OriginScope place(at);
  if (how.combine) check_dtypes(x, v, how);
  if (const Expr* const mask = only_mask(x, items))
    if (const std::optional<Expr> all = over_all_places(x, *mask, v))
      return chosen(x, *mask, *all, how);
  const Plan plan = Planner(x, items, Use::write).plan();
  const Expr cut = squeezed(plan, sliced(plan, x, at));
  const Expr whole = finish(plan, indexed(plan, cut));
  Expr value = cast(Expr(v.as(x.dtype())), x.dtype());
  value = unfinish(plan, broadcast_to(value, whole.shape()));
  const bool has_arrays = !plan.axes.empty();
  Expr part = value;
  if (has_arrays)
    part = write_index(*how.index, cut, value, plan.axes, plan.indices);
  else if (how.combine)
    part = apply(*how.combine, {cut, value});
  if (!plan.slices) return has_arrays || how.slice == &op::set_slice ? part : x + part;
  part = with_axes(part, plan.dropped);
  const Op& op = has_arrays ? op::set_slice : *how.slice;
  return Expr(make_node(op, {x.value(), part.value()}, {plan.start, plan.count, plan.step}, at));
}

}  // namespace

Range range(Dim start, Dim stop, Dim step) {
  return Range{std::move(start), std::move(stop), std::move(step)};
}

Range from(Dim start, Dim step) { return Range{std::move(start), std::nullopt, std::move(step)}; }

Range until(Dim stop, Dim step) { return Range{std::nullopt, std::move(stop), std::move(step)}; }

Expr index(const Expr& x, std::span<const Index> items, Origin at) {
  const CallScope call("index", at ? at : items.empty() ? Origin{} : items[0].origin());
  const Plan plan = Planner(x, items).plan();
  return finish(plan, indexed(plan, squeezed(plan, sliced(plan, x, at))));
}

Expr set_at(const Arg& x, std::initializer_list<Index> items, const Arg& v) {
  const CallScope call("set_at", x.origin());
  return set_at(x, std::span(items.begin(), items.size()), v);
}

Expr inc_at(const Arg& x, std::initializer_list<Index> items, const Arg& v) {
  const CallScope call("inc_at", x.origin());
  return inc_at(x, std::span(items.begin(), items.size()), v);
}

Expr multiply_at(const Arg& x, std::initializer_list<Index> items, const Arg& v) {
  const CallScope call("multiply_at", x.origin());
  return multiply_at(x, std::span(items.begin(), items.size()), v);
}

Expr divide_at(const Arg& x, std::initializer_list<Index> items, const Arg& v) {
  const CallScope call("divide_at", x.origin());
  return divide_at(x, std::span(items.begin(), items.size()), v);
}

Expr minimum_at(const Arg& x, std::initializer_list<Index> items, const Arg& v) {
  const CallScope call("minimum_at", x.origin());
  return minimum_at(x, std::span(items.begin(), items.size()), v);
}

Expr maximum_at(const Arg& x, std::initializer_list<Index> items, const Arg& v) {
  const CallScope call("maximum_at", x.origin());
  return maximum_at(x, std::span(items.begin(), items.size()), v);
}

Expr set_at(const Arg& x, std::span<const Index> items, const Arg& v) {
  const CallScope call("set_at", x.origin());
  return write_items(Expr(x.value()), items, v, replacing, x.origin());
}

Expr inc_at(const Arg& x, std::span<const Index> items, const Arg& v) {
  const CallScope call("inc_at", x.origin());
  return write_items(Expr(x.value()), items, v, adding, x.origin());
}

Expr multiply_at(const Arg& x, std::span<const Index> items, const Arg& v) {
  const CallScope call("multiply_at", x.origin());
  return write_items(Expr(x.value()), items, v, multiplying, x.origin());
}

Expr divide_at(const Arg& x, std::span<const Index> items, const Arg& v) {
  const CallScope call("divide_at", x.origin());
  return write_items(Expr(x.value()), items, v, dividing, x.origin());
}

Expr minimum_at(const Arg& x, std::span<const Index> items, const Arg& v) {
  const CallScope call("minimum_at", x.origin());
  return write_items(Expr(x.value()), items, v, lowering, x.origin());
}

Expr maximum_at(const Arg& x, std::span<const Index> items, const Arg& v) {
  const CallScope call("maximum_at", x.origin());
  return write_items(Expr(x.value()), items, v, raising, x.origin());
}

Expr Expr::operator()(const Index& i) const { return index(*this, std::array{i}); }
Expr Expr::operator()(const Index& i, const Index& j) const {
  return index(*this, std::array{i, j});
}
Expr Expr::operator()(const Index& i, const Index& j, const Index& k) const {
  return index(*this, std::array{i, j, k});
}
Expr Expr::operator()(const Index& i, const Index& j, const Index& k, const Index& l) const {
  return index(*this, std::array{i, j, k, l});
}
Expr Expr::operator()(const Index& i, const Index& j, const Index& k, const Index& l,
                      const Index& m) const {
  return index(*this, std::array{i, j, k, l, m});
}

}  // namespace gnomon
