// Rules of reductions: factors and signs moved out, chains merged, broadcasts not summed.
#include <algorithm>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0);

bool keeps(const Value& reduction) { return reduction.node().attribute("keepdims").flag(); }

bool contains(const IntList& axes, std::int64_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

bool moves_elements(const Value& v) { return is_reshaping(v) || v.is(op::transpose); }

// The same reduction of another value over other axes.
Value reduced(const Value& like, const Value& source, IntList axes) {
  return make_node(like.op(), {source}, {Attribute(std::move(axes)), Attribute(keeps(like))});
}

// Reductions over no axis, and the axes of extent 1 of others.
Expr reduce_nothing(const Match& m) {
  const Value& source = m.root.input(0);
  const IntList& axes = axes_of(m.root);
  IntList longer;
  for (std::int64_t axis : axes)
    if (!source.shape()[static_cast<std::size_t>(axis)].is(1)) longer.push_back(axis);
  if (longer.size() == axes.size() && !axes.empty()) return {};
  const Value rest = longer.empty() ? source : reduced(m.root, source, std::move(longer));
  if (rest.dtype() != m.root.dtype()) return {};
  if (rest.shape() == m.root.shape()) return rest;
  return make_node(op::reshape, {rest}, {Attribute(m.root.shape())});
}

// Integers wrap, so what is kept of a sum needs no more bits of its terms.
Expr reduce_in_32_bits(const Match& m) {
  const Value& wide = m.root.input(0);
  const auto is_narrow = [](DType t) { return is_integer(t) && size_of(t) <= 4; };
  if (!is_narrow(m.root.dtype()) || !is_integer(wide.dtype()) || !m.single_use(wide)) return {};
  if (!wide.is(op::sum) && !wide.is(op::prod)) return {};
  const Value& terms = wide.input(0);
  if (!terms.is(op::cast) || !is_narrow(terms.input(0).dtype())) return {};
  const DType t = is_signed(m.root.dtype()) ? DType::int32 : DType::uint32;
  const Expr narrow(reduced(wide, cast(Expr(terms.input(0)), t).value(), axes_of(wide)));
  return cast(narrow, m.root.dtype());
}

// sum(sum(x, a), b) over all the axes at once.
Expr reduce_chain(const Match& m) {
  const Value& inner = m.root.input(0);
  if (&inner.op() != &m.root.op() || !m.single_use(inner) || keeps(inner) != keeps(m.root)) {
    return {};
  }
  IntList axes = axes_of(inner);
  if (keeps(inner)) {
    for (std::int64_t axis : axes_of(m.root)) {
      if (!contains(axes, axis)) axes.push_back(axis);
    }
  } else {
    IntList left;  // axes of the source that the inner reduction leaves
    for (std::int64_t axis = 0; axis < inner.input(0).rank(); ++axis) {
      if (!contains(axes_of(inner), axis)) left.push_back(axis);
    }
    for (std::int64_t axis : axes_of(m.root)) axes.push_back(left[static_cast<std::size_t>(axis)]);
  }
  std::sort(axes.begin(), axes.end());
  return reduced(m.root, inner.input(0), std::move(axes));
}

// A factor of a product without its own rank-0 factors, which `scalars` gets: those of a product
// that is only moved.
Value without_scalars(const Match& m, const Value& factor, std::vector<Value>& scalars) {
  std::vector<Value> moves;
  Value product = factor;
  while (moves_elements(product) && m.single_use(product)) {
    moves.push_back(product);
    product = product.input(0);
  }
  if (moves.empty() || !product.is(op::multiply) || !m.single_use(product)) return factor;
  std::vector<Value> own, others;
  for (const Value& each : product.node().operands())
    (each.rank() == 0 ? own : others).push_back(each);
  if (own.empty() || others.empty()) return factor;
  Value rest = others.size() == 1 ? others[0] : make_node(op::multiply, std::move(others));
  if (rest.shape() != product.shape()) return factor;
  for (; !moves.empty(); moves.pop_back())
    rest = make_node(moves.back().op(), {rest}, moves.back().node().attributes());
  scalars.insert(scalars.end(), own.begin(), own.end());
  return rest;
}

// Rank-0 factors of a sum. Where the product has more users, all of them are such sums.
Expr factor_out_of_sum(const Match& m) {
  const Value& product = m.root.input(0);
  if (!is_float(m.root.dtype()) || !product.is(op::multiply) || !m.used_alike(product)) return {};
  std::vector<Value> scalars, others;
  for (const Value& factor : product.node().operands()) {
    if (factor.rank() == 0)
      scalars.push_back(factor);
    else
      others.push_back(without_scalars(m, factor, scalars));
  }
  if (scalars.empty() || others.empty()) return {};
  const Value rest = others.size() == 1 ? others[0] : make_node(op::multiply, others);
  if (rest.shape() != product.shape()) return {};
  scalars.insert(scalars.begin(), reduced(m.root, rest, axes_of(m.root)));
  return make_node(op::multiply, std::move(scalars));
}

// Axes over which the source of a broadcast has one element.
IntList repeated_axes(const Value& broadcast, const IntList& axes) {
  const Value& source = broadcast.input(0);
  const std::int64_t shift = broadcast.rank() - source.rank();
  IntList out;
  for (std::int64_t axis : axes) {
    const bool is_new = axis < shift;
    if (is_new || (source.shape()[static_cast<std::size_t>(axis - shift)].is(1) &&
                   !broadcast.shape()[static_cast<std::size_t>(axis)].is(1))) {
      out.push_back(axis);
    }
  }
  return out;
}

Value repetitions(const Value& broadcast, const IntList& axes, DType t) {
  Dim count = 1;
  for (std::int64_t axis : axes) count = count * broadcast.shape()[static_cast<std::size_t>(axis)];
  if (count.is_constant()) return number_value(static_cast<double>(count.constant()), t);
  return cast(extent(count), t).value();
}

// A reduction over repeated elements: one of them, times their number in a sum.
Expr reduce_broadcast(const Match& m) {
  const Value& broadcast = m.root.input(0);
  if (!broadcast.is(op::broadcast_to)) return {};
  const IntList repeated = repeated_axes(broadcast, axes_of(m.root));
  if (repeated.empty()) return {};
  const bool sums = m.root.is(op::sum), checks_empty = !sums && !m.root.is(op::mean);
  Shape thin = broadcast.shape();
  for (std::int64_t axis : repeated) {
    Dim& extent = thin[static_cast<std::size_t>(axis)];
    // An empty axis gives the identity, not an element.
    if (checks_empty && !(extent.is_constant() && extent.constant() > 0)) return {};
    extent = 1;
  }
  const Value kept = make_node(op::broadcast_to, {broadcast.input(0)}, {Attribute(thin)});
  const Value result = reduced(m.root, kept, axes_of(m.root));
  if (!sums) return result;
  return make_node(op::multiply, {result, repetitions(broadcast, repeated, m.root.dtype())});
}

// The single elements that were put side by side along one of the axes, at most `most`; none where
// they are not so.
std::span<const Value> stacked_along(const Value& stack, const IntList& axes, std::size_t most) {
  if (!stack.is(op::concatenate)) return {};
  const std::int64_t axis = stack.node().attribute("axis").integer();
  const std::span<const Value> parts = stack.node().operands();
  const auto is_one = [&](const Value& v) {
    return v.shape()[static_cast<std::size_t>(axis)].is(1);
  };
  if (parts.size() > most || !contains(axes, axis) || !std::ranges::all_of(parts, is_one))
    return {};
  return parts;
}

// A reduction along the axis on which single elements were put side by side, and others perhaps.
Expr reduce_stack(const Match& m) {
  constexpr std::size_t most = 16;  // parts that become terms
  const IntList& axes = axes_of(m.root);
  const std::span<const Value> parts = stacked_along(m.root.input(0), axes, most);
  if (parts.empty() || parts[0].dtype() != m.root.dtype()) return {};
  Value total = parts[0];
  for (const Value& part : parts.subspan(1))
    total = make_node(*m.root.op().reduction.combine, {total, part});
  return reduced(m.root, total, axes);
}

// The place of the first extremum, or of the first NaN, of elements that were put side by side.
Expr place_in_stack(const Match& m) {
  constexpr std::size_t most = 8;  // parts that take two comparisons each
  const std::span<const Value> parts = stacked_along(m.root.input(0), axes_of(m.root), most);
  if (parts.empty() || axes_of(m.root).size() != 1) return {};
  Expr best = parts[0], place = constant(std::int64_t{0}, DType::int64);
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const Expr part = parts[k];
    const Expr as_good =
        m.root.is(op::max_and_argmax) ? less_equal(part, best) : greater_equal(part, best);
    const Expr better = logical_and(logical_not(as_good), equal(best, best));
    place = where(better, constant(static_cast<std::int64_t>(k), DType::int64), place);
    best = make_node(*m.root.op().reduction.combine, {best.value(), parts[k]});
  }
  return reshape(m.root.index() == 0 ? best : broadcast_to(place, best.shape()), m.root.shape());
}

// The extremum of what was joined along an axis that is reduced is that of the parts' extrema. A
// part has elements for sure; others count where they have some.
Expr extremum_of_joined(const Match& m) {
  constexpr std::size_t most = 4;  // parts whose extrema become operands
  const Value& joined = m.root.input(0);
  if (!joined.is(op::concatenate) || !m.single_use(joined)) return {};
  const std::span<const Value> parts = joined.node().operands();
  const std::int64_t axis = joined.node().attribute("axis").integer();
  if (parts.size() > most || !contains(axes_of(m.root), axis)) return {};
  const auto count_of = [&](const Value& part) -> const Dim& {
    return part.shape()[static_cast<std::size_t>(axis)];
  };
  const auto has_elements = [&](const Value& part) {
    return count_of(part).is_constant() && !count_of(part).is(0);
  };
  const auto first = std::ranges::find_if(parts, has_elements);
  if (first == parts.end()) return {};
  Expr extremum = reduced(m.root, *first, axes_of(m.root));
  for (const Value& part : parts) {
    if (&part == &*first || count_of(part).is(0)) continue;
    const Expr more = make_node(*m.root.op().reduction.combine,
                                {extremum.value(), reduced(m.root, part, axes_of(m.root))});
    extremum =
        has_elements(part) ? more : where(greater(extent(count_of(part)), 0), more, extremum);
  }
  return extremum;
}

// Whether a value is a cast of integers to a dtype that has all of them.
bool keeps_integers(const Value& v) {
  return v.is(op::cast) && is_integer(v.dtype()) && is_integer(v.input(0).dtype()) &&
         promote(v.input(0).dtype(), v.dtype()) == v.dtype();
}

// The extremum of an increasing function is the function of the extremum.
Expr extremum_of_increasing(const Match& m) {
  const Value& inner = m.root.input(0);
  const bool increases = inner.node().operands().size() == 1 && inner.op().has(Trait::increasing) &&
                         !inner.op().has(Trait::piecewise_constant) && m.single_use(inner) &&
                         inner.op().is_elementwise() && inner.input(0).dtype() == inner.dtype();
  if (!increases && !keeps_integers(inner)) return {};
  return make_node(inner.op(), {reduced(m.root, inner.input(0), axes_of(m.root))},
                   inner.node().attributes());
}

// Where the extremum of an increasing function is, that of its operand is.
Expr place_of_extremum(const Match& m) {
  const Value& inner = m.root.input(0);
  if (m.root.index() != 1 || !m.single_use(m.root) || !m.single_use(inner)) return {};
  const bool along = (inner.is(op::softmax) || inner.is(op::log_softmax)) &&
                     axes_of(m.root) == IntList{inner.node().attribute("axis").integer()};
  const bool increases = inner.node().operands().size() == 1 && inner.op().is_elementwise() &&
                         inner.op().has(Trait::increasing) &&
                         !inner.op().has(Trait::piecewise_constant) &&
                         inner.input(0).dtype() == inner.dtype();
  if (!along && !increases) return {};
  const Value made = make_node(m.root.op(), {inner.input(0)}, m.root.node().attributes());
  return Value(made.get(), 1);
}

Expr matrix_of(DType t, Dim columns = 5) { return tensor("x", t, {Dim(4), columns}); }
Expr nothing_example(DType t) { return sum(exp(matrix_of(t, 1)), 1); }
Expr chain_example(DType t) { return sum(sum(exp(matrix_of(t)), 1), 0); }
Expr factor_example(DType t) { return sum(3 * exp(matrix_of(t))); }
Expr broadcast_example(DType t) { return sum(broadcast_to(tensor("x", t, {Dim(5)}), {4, 5}), 0); }
Expr place_example(DType t) { return argmax(softmax(matrix_of(t), 1), 1); }
Expr stack_example(DType t) {
  const Expr x = tensor("x", t, {Dim(5)}), y = tensor("y", t, {Dim(5)});
  return sum(stack({x, exp(y), x * y}), 0);
}
Expr narrow_example(DType) { return cast(sum(matrix_of(DType::int16), 0), DType::int32); }
Expr joined_example(DType t) {
  return max(concatenate({matrix_of(t), exp(matrix_of(t, 3))}, 1), 1);
}
Expr place_in_stack_example(DType t) {
  const Expr x = tensor("x", t, {Dim(5)}), y = tensor("y", t, {Dim(5)});
  return argmax(stack({x, exp(y), x * y}), 0);
}
Expr increasing_example(DType t) { return max(exp(matrix_of(t)), 1); }

RuleGroup make() {
  const std::vector<const Op*> chains = {&op::sum, &op::prod, &op::max,
                                         &op::min, &op::any,  &op::all};
  return {
      "reduction",
      "Factors and signs moved out of reductions, chains merged, repeated elements not reduced.",
      {
          rule("reduce_nothing", Promise::accurate, chains, reduce_nothing, "sum(x) over extents 1",
               "reshape(x), without those axes", nothing_example),
          rule("reduce_chain", Promise::accurate, chains, reduce_chain, "sum(sum(x, a), b)",
               "sum(x, a and b)", chain_example),
          rule("reduce_in_32_bits", Promise::exact, {&op::cast}, reduce_in_32_bits,
               "cast(sum(cast(x, int64)), int32) of small integers", "sum(cast(x, int32))",
               narrow_example),
          rule("sum_of_negative", Promise::accurate, sum(-x), -sum(x)),
          rule("mean_of_negative", Promise::accurate, mean(-x), -mean(x)),
          rule("max_of_negative", Promise::exact, max(-x), -min(x)),
          rule("min_of_negative", Promise::exact, min(-x), -max(x)),
          rule("factor_out_of_sum", Promise::finite, {&op::sum, &op::mean}, factor_out_of_sum,
               "sum(c * x), sum(transpose(c * x) * y)", "c * sum(x) for rank-0 c", factor_example)
              .except("sums that overflow"),
          rule("reduce_broadcast", Promise::finite,
               {&op::sum, &op::max, &op::min, &op::any, &op::all, &op::mean}, reduce_broadcast,
               "sum(broadcast_to(x, s))", "n * sum(x)", broadcast_example)
              .except("infinite elements repeated no times"),
          rule("reduce_stack", Promise::accurate, chains, reduce_stack, "sum(stack([x, y]), 0)",
               "x + y", stack_example),
          rule("place_in_stack", Promise::exact, {&op::max_and_argmax, &op::min_and_argmin},
               place_in_stack, "argmax(stack([x, y]), 0)", "where(y > x, 1, 0)",
               place_in_stack_example),
          rule("extremum_of_joined", Promise::exact, {&op::max, &op::min}, extremum_of_joined,
               "max(concatenate([x, y]))", "maximum(max(x), max(y))", joined_example),
          rule("extremum_of_increasing", Promise::finite, {&op::max, &op::min},
               extremum_of_increasing, "max(f(x))", "f(max(x)) for increasing f",
               increasing_example)
              .except("x outside the domain of f"),
          rule("place_of_extremum", Promise::finite, {&op::max_and_argmax, &op::min_and_argmin},
               place_of_extremum, "argmax(f(x)), argmax(softmax(x))", "argmax(x) for increasing f",
               place_example)
              .except("x outside the domain of f; places that f rounds to one value"),
      }};
}

}  // namespace

const RuleGroup& reduction_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
