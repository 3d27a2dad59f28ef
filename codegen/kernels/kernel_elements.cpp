// Elements of values by elements of their operands, and the index arithmetic their rules use.
#include <algorithm>
#include <array>
#include <cstring>

#include "codegen/kernels/kernel_builder.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr char pull_mark = 'p';  // no code of a statement

std::string pull_key(const Value& v, std::span<const Scalar> index) {
  std::string key(1, pull_mark);
  append_value(key, v.get());
  const std::uint32_t output = v.index();
  append_value(key, output);
  for (const Scalar s : index) append_value(key, s.id);
  return key;
}

// Of index sums that cannot overflow: extents that are not literals are those of arrays.
constexpr std::int64_t most_offset = std::int64_t(1) << 40, most_factor = 1 << 20;

bool is_moderate(const Dim& d, std::int64_t most) {
  return !d.is_constant() || (d.constant() <= most && d.constant() >= -most);
}

bool is_natural(const Dim& d) { return d.is_constant() && d.constant() >= 0; }

}  // namespace

// --- index arithmetic ---

void KernelBuilder::set_extent(Scalar s, const Dim& extent) {
  space_.set_extent(linear(s).terms[0].first, extent);
}

Linear KernelBuilder::linear(Scalar s) {
  Info& info = infos_[s.id];
  if (info.linear) return *info.linear;
  if (info.dtype != DType::int64) throw InternalError("kernel: an index must be int64");
  Linear l = Linear::of(space_.opaque(s.id));
  infos_[s.id].linear = l;
  forms_[l.hash()].push_back(s);
  return l;
}

int KernelBuilder::variable_depth(int v) const {
  const auto& x = space_.variable(v);
  if (x.kind == IndexSpace::Variable::Kind::axis) return axis_depth_.at(x.id);
  if (x.kind == IndexSpace::Variable::Kind::opaque) return infos_[x.id].depth;
  int depth = 0;
  for (const auto& [u, c] : x.dividend.terms) depth = std::max(depth, variable_depth(u));
  return depth;
}

bool KernelBuilder::variable_lanes(int v) const {
  const auto& x = space_.variable(v);
  if (x.kind == IndexSpace::Variable::Kind::axis)
    return kernel_.axes[x.id].kind == AxisKind::vector;
  if (x.kind == IndexSpace::Variable::Kind::opaque) return infos_[x.id].lanes;
  return std::any_of(x.dividend.terms.begin(), x.dividend.terms.end(),
                     [&](const auto& term) { return variable_lanes(term.first); });
}

Scalar KernelBuilder::form(const Linear& l) {
  auto& same = forms_[l.hash()];
  for (const Scalar s : same)
    if (*infos_[s.id].linear == l) return s;
  Info info;
  info.linear = l;
  for (const auto& [v, c] : l.terms) {
    info.depth = std::max(info.depth, variable_depth(v));
    info.lanes = info.lanes || variable_lanes(v);
  }
  const Scalar s = add_info(std::move(info));
  same.push_back(s);
  return s;
}

// Terms of outer loops first, so that their partial sums are computed there.
Scalar KernelBuilder::sum_of(const Linear& l) {
  auto terms = l.terms;
  std::stable_sort(terms.begin(), terms.end(), [&](const auto& a, const auto& b) {
    return variable_depth(a.first) < variable_depth(b.first);
  });
  const auto binary = [&](const Op& op, Scalar a, Scalar b) {
    Statement s;
    s.code = Code::let;
    s.op = &op;
    s.dtype = DType::int64;
    return emit(std::move(s), std::array{a, b});
  };
  const auto dimension = [&](const Dim& d) {
    Statement s;
    s.code = d.is_constant() ? Code::constant : Code::extent;
    s.dtype = DType::int64;
    s.dim = d;
    if (d.is_constant()) s.value.i = d.constant();
    return emit(std::move(s), {});
  };
  std::optional<Scalar> sum;
  if (!l.constant.is(0) || terms.empty()) sum = dimension(l.constant);
  for (const auto& [v, c] : terms) {
    Scalar term = variable_value(v);
    if (!c.is(1)) term = binary(op::multiply, term, dimension(c));
    sum = sum ? binary(op::add, *sum, term) : term;
  }
  return *sum;
}

int KernelBuilder::statement_of(Scalar s) {
  if (infos_[s.id].statement >= 0) return infos_[s.id].statement;
  const Scalar sum = sum_of(*infos_[s.id].linear);
  Info& info = infos_[s.id];
  info.statement = infos_[sum.id].statement;
  info.depth = infos_[sum.id].depth;
  scopes_[info.depth].materialized.push_back(s);
  return info.statement;
}

Scalar KernelBuilder::add(Scalar a, Scalar b) { return form(linear(a) + linear(b)); }
Scalar KernelBuilder::subtract(Scalar a, Scalar b) { return form(linear(a) - linear(b)); }

Scalar KernelBuilder::multiply(Scalar a, Scalar b) {
  const Linear x = linear(a), y = linear(b);
  if (y.is_constant()) return form(x * y.constant);
  if (x.is_constant()) return form(y * x.constant);
  return let(op::multiply, std::array{a, b});
}

Scalar KernelBuilder::floor_div(Scalar a, Scalar b) {
  const Linear y = linear(b);
  if (y.is_constant()) return form(space_.floor_div(linear(a), y.constant));
  return let(op::floor_divide, std::array{a, b});
}

Scalar KernelBuilder::mod(Scalar a, Scalar b) {
  const Linear y = linear(b);
  if (y.is_constant()) return form(space_.mod(linear(a), y.constant));
  return let(op::remainder, std::array{a, b});
}

Scalar KernelBuilder::less(Scalar a, Scalar b) { return let(op::less, std::array{a, b}); }
Scalar KernelBuilder::equal(Scalar a, Scalar b) { return let(op::equal, std::array{a, b}); }

Scalar KernelBuilder::checked_index(Scalar index, Scalar bound) {
  const Linear i = linear(index), n = linear(bound);
  if (computed_with_) checked_.push_back(i);
  const auto range = space_.range(i);
  if (range && n.is_constant()) {
    const auto& [least, greatest] = *range;
    const Dim& extent = n.constant;
    if (is_natural(least) && is_natural(extent - 1 - greatest)) return index;
    if (is_natural(-1 - greatest) && is_natural(least + extent)) return form(i + n);
  }
  const bool from_zero = range && is_natural(range->first);
  const Scalar zero = integer(0);
  Scalar wrapped = index, bad;
  if (from_zero) {
    bad = let(op::greater_equal, std::array{index, bound});
  } else {
    // Not the linear sum: the sign of `index` decides, lane by lane. What is negative still is
    // beyond any extent as an unsigned number.
    wrapped = select(less(index, zero), let(op::add, std::array{index, bound}), index);
    bad = let(op::greater_equal,
              std::array{cast(wrapped, DType::uint64), cast(bound, DType::uint64)});
  }
  add_check(bad, index, bound);
  if (n.is_constant()) note_indexed(n.constant);
  return select(bad, zero, wrapped);
}

Dim IndexedAxis::is_failing() const {
  const WriteRule& rule = node->op().write;
  const Dim count = element_count((rule ? node->input(rule.first).type() : node->type(0)).shape);
  return min(count, 1) * (1 - min(extent, 1));
}

void KernelBuilder::note_indexed(const Dim& extent) {
  if (min(extent, 1).is(1)) return;
  const bool known = std::ranges::any_of(indexed_, [&](const IndexedAxis& axis) {
    return axis.node == node_ && axis.extent == extent;
  });
  if (!known) indexed_.push_back({node_, extent});
}

// Where the last axis is written out, an index that is checked again for another element of it is
// that of the row: one check will do, and says which row.
void KernelBuilder::add_check(Scalar bad, Scalar index, Scalar bound) {
  Statement s;
  s.code = Code::check;
  s.number = check_number_ ? check_number_(*node_) : 0;
  const int depth = infos_[index.id].depth;
  // It goes into the outermost loop that has the index, and means nothing where those inside are
  // empty.
  if (const Dim times = times_inside(std::max(depth, infos_[bound.id].depth)); !times.is(1))
    bad = let(op::logical_and, std::array{bad, less(integer(0), extent(times))});
  const Scalar at = form(position_at(position_axes_.size(), depth));
  const bool written_out = !position_axes_.empty() && linear(position_axes_.back()).is_constant();
  if (!written_out) {
    emit(std::move(s), std::array{bad, at, index, bound});
    return;
  }
  const auto key = std::pair(s.number, infos_[bad.id].statement);
  if (const auto known = row_checks_.find(key); known != row_checks_.end()) {
    for (Scope& scope : scopes_)
      for (Item& item : scope.items)
        if (item.id == known->second.first) item.statement.args[1] = known->second.second;
    return;
  }
  const int of_row = statement_of(form(position_at(position_axes_.size() - 1, depth)));
  const Scalar check = emit(std::move(s), std::array{bad, at, index, bound});
  row_checks_[key] = {infos_[check.id].statement, of_row};
}

// 1 if the open loops deeper than `depth` have iterations, else 0.
Dim KernelBuilder::times_inside(int depth) const {
  Dim times = 1;
  for (int v = 0; v < space_.count(); ++v) {
    const IndexSpace::Variable& x = space_.variable(v);
    if (x.kind != IndexSpace::Variable::Kind::axis) continue;
    if (const auto open = axis_depth_.find(x.id); open != axis_depth_.end() && open->second > depth)
      times = times * min(*x.extent, 1);
  }
  return times;
}

// Row-major, of the first axes of the position, those that are open at `depth`.
Linear KernelBuilder::position_at(std::size_t axes, int depth) {
  Linear position;
  for (std::size_t a = 0; a < axes; ++a) {
    const Linear axis = linear(position_axes_[a]);
    const bool open = std::all_of(axis.terms.begin(), axis.terms.end(), [&](const auto& term) {
      return variable_depth(term.first) <= depth;
    });
    if (open) position = position * position_shape_[a] + axis;
  }
  return position;
}

std::vector<Scalar> KernelBuilder::split_index(const Shape& shape, Scalar flat) {
  std::vector<Scalar> index(shape.size());
  Scalar rest = flat;
  for (std::size_t k = shape.size(); k-- > 0;) {
    const Scalar of_axis = extent(shape[k]);
    index[k] = k == 0 ? rest : mod(rest, of_axis);
    if (k > 0) rest = floor_div(rest, of_axis);
  }
  return index;
}

Linear KernelBuilder::offset(std::span<const Scalar> index, std::span<const Dim> shape) {
  Linear sum;
  Dim stride = 1;
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (!shape[k].is(1)) sum = sum + linear(index[k]) * stride;
    stride = stride * shape[k];
  }
  return sum;
}

// --- pulling values ---

Scalar KernelBuilder::operand(std::size_t i, std::span<const Scalar> index) {
  return pull(node_->input(i), index);
}

Scalar KernelBuilder::pull(const Value& v, std::span<const Scalar> index) {
  const std::string key = pull_key(v, index);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto known = scope->common.find(key); known != scope->common.end())
      return known->second;
  std::optional<Scalar> found;
  if (resolve_) found = resolve_(v, index);
  const Scalar result = found ? *found : compute(v, index);
  scopes_[infos_[result.id].depth].common.emplace(key, result);
  return result;
}

void KernelBuilder::forget_values() {
  for (Scope& scope : scopes_)
    std::erase_if(scope.common, [](const auto& one) { return one.first[0] == pull_mark; });
}

Scalar KernelBuilder::element_of(const Array& a, std::int64_t k) {
  Cell c{};
  const auto* const at = static_cast<const std::byte*>(a.data()) + k * size_of(a.dtype());
  std::memcpy(&c, at, size_of(a.dtype()));
  if (is_signed(a.dtype()))
    c.i = with_type(a.dtype(), [&](auto t) -> std::int64_t {
      decltype(t) x;
      std::memcpy(&x, at, sizeof x);
      return static_cast<std::int64_t>(x);
    });
  return constant(a.dtype(), c);
}

Scalar KernelBuilder::compute(const Value& v, std::span<const Scalar> index) {
  const Node& node = v.node();
  const Op& o = node.op();
  const Node* outer = std::exchange(node_, &node);
  Scalar result;
  if (&o == &op::constant) {
    const Array& a = node.attribute("value").array();
    if (a.rank() != 0) throw InternalError("kernel: a constant array without a buffer");
    result = element_of(a, 0);
  } else if (o.element) {
    result = o.element(*this, node, v.index(), index);
  } else if (o.is_elementwise()) {
    std::vector<Scalar> args;
    std::vector<Scalar> at;
    for (const Value& x : node.operands()) {
      at.clear();
      const Shape& shape = x.shape();
      const std::size_t skip = index.size() - shape.size();
      for (std::size_t k = 0; k < shape.size(); ++k)
        at.push_back(shape[k].is(1) ? integer(0) : index[skip + k]);
      args.push_back(pull(x, at));
    }
    node_ = &node;
    const auto sum = v.dtype() == DType::int64 ? index_sum(o, args) : std::nullopt;
    if (sum)
      result = *sum;
    else
      result = &o == &op::where ? select(args[0], args[1], args[2]) : let(o, args);
    if (dtype(result) != v.dtype())
      throw InternalError("kernel: " + std::string(o.name) + " does not give its dtype");
  } else if (o.reduction) {
    result = inline_reduction(v, index);
  } else {
    throw InternalError("kernel: no rule for one element of " + std::string(o.name));
  }
  node_ = outer;
  return result;
}

// Sums of indices whose ranges are known are exact, so their order is free. A user's numbers are
// none where they are large: their sums and products wrap.
std::optional<Scalar> KernelBuilder::index_sum(const Op& o, std::span<const Scalar> args) {
  if (&o != &op::add && &o != &op::subtract && &o != &op::multiply && &o != &op::negative)
    return std::nullopt;
  const auto has_moderate_numbers = [](const Linear& l) {
    return is_moderate(l.constant, most_offset) && std::ranges::all_of(l.terms, [](const auto& t) {
             return is_moderate(t.second, most_factor);
           });
  };
  Linear sum = linear(args[0]);
  if (!has_moderate_numbers(sum)) return std::nullopt;
  if (&o == &op::negative) sum = sum * Dim(-1);
  for (const Scalar s : args.subspan(1)) {
    const Linear other = linear(s);
    if (!has_moderate_numbers(other)) return std::nullopt;
    if (&o == &op::add) {
      sum = sum + other;
    } else if (&o == &op::subtract) {
      sum = sum - other;
    } else {
      if (!sum.is_constant() && !other.is_constant()) return std::nullopt;
      const Dim& factor = other.is_constant() ? other.constant : sum.constant;
      if (!is_moderate(factor, most_factor)) return std::nullopt;
      sum = (other.is_constant() ? sum : other) * Dim(factor);
    }
    if (!has_moderate_numbers(sum)) return std::nullopt;
  }
  const bool is_exact = std::ranges::all_of(sum.terms, [&](const auto& term) {
    const auto& extent = space_.variable(term.first).extent;
    return extent && is_moderate(*extent, most_offset);
  });
  return is_exact ? std::optional(form(sum)) : std::nullopt;
}

// One serial loop over the reduced axis; inside a vector axis each lane is a reduction of its own.
Scalar KernelBuilder::inline_reduction(const Value& v, std::span<const Scalar> index) {
  const Node& node = v.node();
  const Value& x = node.input(0);
  const IntList& axes = node.attribute("axes").ints();
  const bool kept = node.attribute("keepdims").flag();
  if (axes.size() != 1) throw InternalError("kernel: a reduction over several axes");
  const auto axis = static_cast<std::size_t>(axes[0]);
  std::vector<Scalar> at;
  for (std::size_t k = 0, from = 0; k < x.shape().size(); ++k) {
    at.push_back(k == axis ? Scalar{} : index[from]);
    if (k != axis || kept) ++from;
  }
  const Scalar acc = accumulator(node.op(), x.dtype());
  const Dim& extent_of_axis = x.shape()[axis];
  at[axis] = open({"k", AxisKind::serial}, integer(0), extent(extent_of_axis), extent_of_axis);
  reduce(acc, pull(x, at), node.op().reduction.arg ? at[axis] : Scalar{});
  close();
  return fold(acc, static_cast<int>(v.index()));
}

}  // namespace gnomon
