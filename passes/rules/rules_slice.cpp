// Rules of slices: read from what the sliced value is made of, so that only what is read is
// computed; slices written and read again; parts put together.
#include <algorithm>
#include <numeric>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/arrays/sections.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {
namespace {

const Section one{0, 1, 1};

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

bool takes_all(const Sections& sections, const Shape& shape) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (!sections[i].is_all_of(shape[i])) return false;
  return true;
}

Attributes attributes_of(const Sections& sections) {
  Shape start, count, step;
  for (const Section& s : sections) {
    start.push_back(s.start), count.push_back(s.count), step.push_back(s.step);
  }
  return {start, count, step};
}

Value sliced(const Value& x, const Sections& sections) {
  if (takes_all(sections, x.shape())) return x;
  return make_node(op::slice, {x}, attributes_of(sections));
}

// The sections of an operand that broadcasts to `whole`, which is read by `sections`; none if an
// axis is neither that of the whole nor repeated.
std::optional<Sections> sections_of_operand(const Value& operand, const Shape& whole,
                                            const Sections& sections) {
  const std::size_t shift = whole.size() - operand.shape().size();
  Sections own;
  for (std::size_t i = 0; i < operand.shape().size(); ++i) {
    const Dim& extent = operand.shape()[i];
    if (!(extent == whole[i + shift]) && !extent.is(1)) return std::nullopt;
    own.push_back(extent == whole[i + shift] ? sections[i + shift] : one);
  }
  return own;
}

// Whether the sections read a whole axis, and one of one element if it is kept with that extent.
bool spares(const Sections& sections, const Shape& shape, const IntList& axes) {
  return std::ranges::all_of(
      axes, [&](std::int64_t axis) { return sections[at(axis)].is_all_of(shape[at(axis)]); });
}

// ----------------------------------------------------------------------------------------- reading

Expr slice_of_slice(const Match& m) {
  const Sections outer = sections_of(m.root.node());
  const Value& inner = m.root.input(0);
  if (takes_all(outer, inner.shape())) return inner;
  if (!inner.is(op::slice)) return {};
  Sections both = sections_of(inner.node());
  for (std::size_t i = 0; i < both.size(); ++i)
    both[i] = {both[i].start + outer[i].start * both[i].step, outer[i].count,
               outer[i].step * both[i].step};
  return sliced(inner.input(0), both);
}

Expr slice_of_elementwise(const Match& m) {
  const Value& inner = m.root.input(0);
  if ((!inner.op().is_elementwise() && !inner.is(op::cast)) || !m.single_use(inner) ||
      inner.node().output_count() != 1)
    return {};
  const Sections sections = sections_of(m.root.node());
  std::vector<Value> operands;
  for (const Value& operand : inner.node().operands()) {
    const auto own = sections_of_operand(operand, inner.shape(), sections);
    if (!own) return {};
    operands.push_back(sliced(operand, *own));
  }
  return make_node(inner.op(), std::move(operands), inner.node().attributes());
}

Expr slice_of_broadcast(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::broadcast_to)) return {};
  const auto own = sections_of_operand(inner.input(0), inner.shape(), sections_of(m.root.node()));
  if (!own) return {};
  return broadcast_to(Expr(sliced(inner.input(0), *own)), m.root.shape());
}

Expr slice_of_transpose(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::transpose)) return {};
  const Sections sections = sections_of(m.root.node());
  const IntList& axes = axes_of(inner);
  Sections own(sections.size());
  for (std::size_t i = 0; i < sections.size(); ++i) own[at(axes[i])] = sections[i];
  return make_node(op::transpose, {sliced(inner.input(0), own)}, inner.node().attributes());
}

// Axes of extent 1 come and go; leading axes that stay are sliced before those behind them change.
Expr slice_of_reshape(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!is_reshaping(inner)) return {};
  const Shape &from = inner.input(0).shape(), &to = inner.shape();
  const Sections sections = sections_of(m.root.node());
  Sections own;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    if (i < from.size() && j < to.size() && from[i] == to[j]) {
      own.push_back(sections[j]);
      ++i, ++j;
    } else if (j < to.size() && to[j].is(1)) {
      if (!sections[j].is_all_of(1)) return {};
      ++j;
    } else if (i < from.size() && from[i].is(1)) {
      own.push_back(one);
      ++i;
    } else {
      break;
    }
  }
  for (; j < to.size(); ++j)
    if (!sections[j].is_all_of(to[j])) return {};
  for (; i < from.size(); ++i) own.push_back({0, from[i], 1});
  return reshape(Expr(sliced(inner.input(0), own)), m.root.shape());
}

// A reduction of what is read: the reduced axes whole.
Expr slice_of_reduction(const Match& m) {
  const Value& inner = m.root.input(0);
  const Op& op = inner.op();
  if ((!op.reduction && &op != &op::mean && &op != &op::logsumexp) || !m.single_use(inner))
    return {};
  const Shape& whole = inner.input(0).shape();
  const bool keeps = inner.node().attribute("keepdims").flag();
  const Sections sections = sections_of(m.root.node());
  Sections own;
  for (std::size_t axis = 0, j = 0; axis < whole.size(); ++axis) {
    const bool reduced = contains(axes_of(inner), static_cast<std::int64_t>(axis));
    if (reduced && keeps && !sections[j].is_all_of(1)) return {};
    own.push_back(reduced ? Section{0, whole[axis], 1} : sections[j]);
    if (!reduced || keeps) ++j;
  }
  const Value made = make_node(op, {sliced(inner.input(0), own)}, inner.node().attributes());
  return Value(made.get(), inner.index());
}

Expr slice_of_softmax(const Match& m) {
  const Value& inner = m.root.input(0);
  if ((!inner.is(op::softmax) && !inner.is(op::log_softmax)) || !m.single_use(inner)) return {};
  const Sections sections = sections_of(m.root.node());
  if (!spares(sections, inner.shape(), {inner.node().attribute("axis").integer()})) return {};
  return make_node(inner.op(), {sliced(inner.input(0), sections)}, inner.node().attributes());
}

// Whether a section reads at most half of an axis, as far as the extents tell: then it pays to copy
// an operand of a product.
bool is_part(const Section& s, const Dim& extent) {
  if (s.count.is(1)) return !extent.is(1);
  return s.count.is_constant() && extent.is_constant() &&
         2 * s.count.constant() <= extent.constant();
}

// Rows of a product are the product of rows, its columns that of columns.
Expr slice_of_product(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::dot) || !m.single_use(inner)) return {};
  const Sections sections = sections_of(m.root.node());
  const std::size_t rank = sections.size();
  bool pays = false;
  for (std::size_t i = 0; i < rank; ++i) pays = pays || is_part(sections[i], inner.shape()[i]);
  if (!pays) return {};
  const Value &a = inner.input(0), &b = inner.input(1);
  Sections left = sections, right = sections;
  left[rank - 1] = right[rank - 2] = {0, a.shape().back(), 1};
  return make_node(op::dot, {sliced(a, left), sliced(b, right)});
}

// ------------------------------------------------------------------------------- reading of joins

Expr slice_of_concatenate(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!inner.is(op::concatenate)) return {};
  const std::size_t axis = at(inner.node().attribute("axis").integer());
  Sections sections = sections_of(m.root.node());
  const Section along = sections[axis];
  const bool whole = along.is_all_of(inner.shape()[axis]);
  if (whole && !m.single_use(inner)) return {};
  std::vector<Expr> parts;
  Dim offset = 0;
  for (const Value& part : inner.node().operands()) {
    const Dim& extent = part.shape()[axis];
    const auto own = whole ? Section{0, extent, 1} : within(along, {offset, extent, 1});
    if (own) {
      sections[axis] = *own;
      parts.emplace_back(sliced(part, sections));
      if (!whole) return parts[0];
    }
    offset = offset + extent;
  }
  return whole ? concatenate(parts, static_cast<std::int64_t>(axis)) : Expr();
}

// -------------------------------------------------------------------------------- writing, reading

bool writes_slice(const Value& v) { return v.is(op::set_slice) || v.is(op::inc_slice); }

Expr slice_of_write(const Match& m) {
  Value write = m.root.input(0);
  if (!writes_slice(write)) return {};
  const Sections read = sections_of(m.root.node());
  Sections written = sections_of(write.node());
  // Many writes one after the other are passed at once.
  while (are_apart(read, written)) {
    write = write.input(0);
    if (!writes_slice(write)) break;
    written = sections_of(write.node());
  }
  if (!writes_slice(write)) return sliced(write, read);
  Sections own;
  for (std::size_t i = 0; i < read.size(); ++i)
    if (const auto section = within(read[i], written[i])) own.push_back(*section);
  if (own.size() < read.size())
    return write == m.root.input(0) ? Expr() : Expr(sliced(write, read));
  const Value v = sliced(write.input(1), own);
  if (write.is(op::set_slice)) return v;
  return Expr(sliced(write.input(0), read)) + Expr(v);
}

Expr write_of_write(const Match& m) {
  const Value &inner = m.root.input(0), &v = m.root.input(1);
  if (!writes_slice(inner) || inner.node().attributes() != m.root.node().attributes()) return {};
  if (m.root.is(op::set_slice))
    return make_node(op::set_slice, {inner.input(0), v}, m.root.node().attributes());
  if (!inner.is(op::set_slice) || !m.single_use(inner)) return {};
  const Expr total = Expr(inner.input(1)) + Expr(v);
  return make_node(op::set_slice, {inner.input(0), total.value()}, m.root.node().attributes());
}

// Writes that leave nothing of the base, or change nothing.
Expr write_of_all(const Match& m) {
  const Value &x = m.root.input(0), &v = m.root.input(1);
  const Sections sections = sections_of(m.root.node());
  if (takes_all(sections, x.shape())) return m.root.is(op::set_slice) ? Expr(v) : Expr(x) + Expr(v);
  const bool same = m.root.is(op::set_slice) && v.is(op::slice) && v.input(0) == x &&
                    v.node().attributes() == m.root.node().attributes();
  return same ? Expr(x) : Expr();
}

bool is_zeros(const Value& v) { return number_of(v) == 0.0; }

// Whether each element of the result is written once at most: places that are told by arrays may
// be equal.
bool writes_apart(const Value& v) {
  if (writes_slice(v)) return true;
  if (!v.is(op::set_index) && !v.is(op::inc_index)) return false;
  const std::span<const Value> indices = v.node().operands().subspan(2);
  return std::ranges::all_of(indices, [](const Value& i) { return i.rank() == 0; });
}

// The write that adds to what is there.
const Op& adding(const Op& write) {
  return &write == &op::set_slice || &write == &op::inc_slice ? op::inc_slice : op::inc_index;
}

// Terms that are something written to zeros are added where they are.
Expr sum_with_written_zeros(const Match& m) {
  std::vector<Value> writes, rest;
  for (const Value& term : m.root.node().operands()) {
    const bool sparse = writes_apart(term) && is_zeros(term.input(0)) && m.single_use(term) &&
                        term.shape() == m.root.shape();
    (sparse ? writes : rest).push_back(term);
  }
  if (writes.empty()) return {};
  if (rest.empty()) {
    rest.push_back(writes.front());
    writes.erase(writes.begin());
  }
  Value total = rest.size() == 1 ? rest[0] : make_node(op::add, std::move(rest));
  total = broadcast_to(Expr(total), m.root.shape()).value();
  for (const Value& write : writes) {
    std::vector<Value> operands(write.node().operands().begin(), write.node().operands().end());
    operands[0] = total;
    total = make_node(adding(write.op()), std::move(operands), write.node().attributes());
  }
  return total;
}

// ------------------------------------------------------------------------------------------- joins

// Parts that are joins along the same axis, empty parts, parts of one array that follow each other.
Expr joined_parts(const Match& m) {
  const std::int64_t axis = m.root.node().attribute("axis").integer();
  std::vector<Value> parts;
  bool changed = false;
  for (const Value& part : m.root.node().operands()) {
    const bool nested = part.is(op::concatenate) && m.single_use(part) &&
                        part.node().attribute("axis").integer() == axis;
    if (nested) {
      parts.insert(parts.end(), part.node().operands().begin(), part.node().operands().end());
    } else if (!part.shape()[at(axis)].is(0)) {
      parts.push_back(part);
    }
    changed |= nested || part.shape()[at(axis)].is(0);
  }
  if (parts.empty()) return m.root.input(0);
  if (parts.size() == 1) return parts[0];
  return changed ? Expr(make_node(op::concatenate, std::move(parts), m.root.node().attributes()))
                 : Expr();
}

// x[a:b] and x[b:c] as x[a:c].
std::optional<Value> adjoined(const Value& x, const Value& y, std::size_t axis) {
  if (!x.is(op::slice) || !y.is(op::slice) || !(x.input(0) == y.input(0))) return std::nullopt;
  Sections first = sections_of(x.node());
  const Sections second = sections_of(y.node());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Section &a = first[i], &b = second[i];
    if (!(a.step == b.step)) return std::nullopt;
    if (i != axis && (!(a.start == b.start) || !(a.count == b.count))) return std::nullopt;
    if (i == axis && !(a.start + a.count * a.step == b.start)) return std::nullopt;
  }
  first[axis].count = first[axis].count + second[axis].count;
  return sliced(x.input(0), first);
}

Expr concatenate_of_slices(const Match& m) {
  const std::int64_t axis = m.root.node().attribute("axis").integer();
  std::vector<Expr> parts;
  for (const Value& part : m.root.node().operands()) {
    const auto both = parts.empty() ? std::nullopt : adjoined(parts.back(), part, at(axis));
    if (both)
      parts.back() = *both;
    else
      parts.emplace_back(part);
  }
  if (parts.size() == m.root.node().operands().size()) return {};
  return parts.size() == 1 ? parts[0] : concatenate(parts, axis);
}

// The one axis of which a write leaves something, and what it takes of it; none when there are
// several or it has steps.
std::optional<std::pair<std::size_t, Section>> axis_in_part(const Value& write) {
  const Sections sections = sections_of(write.node());
  std::optional<std::pair<std::size_t, Section>> found;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (sections[i].is_all_of(write.shape()[i])) continue;
    if (found || !sections[i].step.is(1)) return std::nullopt;
    found.emplace(i, sections[i]);
  }
  return found;
}

// A function of parts that nothing else reads is one of each part, which is written where it goes.
// Its other operands are the same all along the axis.
Expr elementwise_of_concatenate(const Match& m) {
  constexpr std::size_t most_functions = 4;
  const Node& node = m.root.node();
  if ((!node.op().is_elementwise() && !m.root.is(op::cast)) || node.output_count() != 1) return {};
  const auto is_join = [&](const Value& v) {
    return v.is(op::concatenate) && m.single_use(v) && v.shape() == m.root.shape() &&
           v.node().operands().size() <= most_functions;
  };
  const auto joined = std::ranges::find_if(node.operands(), is_join);
  if (joined == node.operands().end()) return {};
  const std::int64_t axis = joined->node().attribute("axis").integer();
  const std::int64_t behind = m.root.rank() - axis;
  for (const Value& x : node.operands())
    if (x != *joined && x.rank() >= behind && !x.shape()[at(x.rank() - behind)].is(1)) return {};
  std::vector<Expr> parts;
  for (const Value& part : joined->node().operands()) {
    std::vector<Value> operands(node.operands().begin(), node.operands().end());
    std::ranges::replace(operands, *joined, part);
    parts.emplace_back(make_node(node.op(), std::move(operands), node.attributes()));
  }
  return concatenate(parts, axis);
}

// What is written where on the axis of one array of zeros.
struct Written {
  std::size_t axis = 0;
  std::vector<std::pair<Section, Value>> parts;
};

// Each part becomes a loop: more are left as they are.
constexpr std::size_t most_parts = 16;

// Adds what `v` writes to zeros; false when it is anything else.
bool add_written(Written& written, Value v) {
  for (; writes_slice(v); v = v.input(0)) {
    const auto part = axis_in_part(v);
    if (!part || (!written.parts.empty() && part->first != written.axis)) return false;
    if (written.parts.size() == most_parts) return false;
    written.axis = part->first;
    written.parts.emplace_back(part->second, v.input(1));
  }
  return is_zeros(v);
}

// Zeros, an axis of which is written part by part and each element once.
Expr writes_side_by_side(const Match& m) {
  Written written;
  if (writes_slice(m.root)) {
    if (!add_written(written, m.root)) return {};
  } else {
    for (const Value& term : m.root.node().operands())
      if (!writes_slice(term) || term.shape() != m.root.shape() || !add_written(written, term))
        return {};
  }
  auto& [axis, parts] = written;
  if (parts.size() < 2) return {};
  std::vector<Expr> ordered;
  Dim end = 0;
  while (ordered.size() < parts.size()) {
    const auto next =
        std::ranges::find(parts, end, [](const auto& part) { return part.first.start; });
    if (next == parts.end()) return {};
    ordered.emplace_back(next->second);
    end = end + next->first.count;
    next->first.start = -1;
  }
  if (!(end == m.root.shape()[axis])) return {};
  return concatenate(ordered, static_cast<std::int64_t>(axis));
}

// ---------------------------------------------------------------------------------------- examples

Expr line(DType t) { return tensor("x", t, {Dim(20)}); }
Expr square_of(DType t) { return tensor("x", t, {Dim(6), Dim(5)}); }

Expr slice_example(DType t) { return line(t)(range(2, 18, 2))(range(1, 7, 2)); }
Expr elementwise_example(DType t) {
  return (square_of(t) * exp(tensor("y", t, {Dim(6), Dim(1)})))(range(1, 3), 2);
}
Expr broadcast_example(DType t) {
  return broadcast_to(tensor("y", t, {Dim(6), Dim(1)}), {3, 6, 5})(1, range(2, 4));
}
Expr transpose_example(DType t) { return transpose(square_of(t))(range(1, 3), 2); }
Expr reshape_example(DType t) {
  return reshape(tensor("x", t, {Dim(6), Dim(10)}), {6, 1, 2, 5})(range(1, 3));
}
Expr reduction_example(DType t) { return sum(exp(square_of(t)), 1)(range(1, 3)); }
Expr softmax_example(DType t) { return softmax(square_of(t), 1)(range(1, 3)); }
Expr product_example(DType t) {
  return matmul(square_of(t), tensor("y", t, {Dim(5), Dim(8)}))(2, range(1, 4));
}
Expr concatenate_example(DType t) {
  return concatenate({line(t), exp(tensor("y", t, {Dim(7)}))})(range(21, 25));
}
Expr read_example(DType t) {
  const Expr value = tensor("y", t, {Dim(6)});
  const Expr written = inc_at(set_at(line(t), {range(2, 8)}, value), {range(4, 10)}, 2 * value);
  return written(range(4, 6));
}
Expr twice_written_example(DType t) {
  const Expr value = tensor("y", t, {Dim(4)});
  const Expr once = set_at(line(t), {range(2, 10, 2)}, value);
  return inc_at(once, {range(2, 10, 2)}, exp(value));
}
Expr all_written_example(DType t) { return inc_at(line(t), {range(0, 20)}, exp(line(t))); }
Expr zeros_example(DType t) {
  const Expr value = tensor("y", t, {Dim(4)});
  return exp(line(t)) + inc_at(full({20}, constant(0.0, t)), {range(2, 10, 2)}, value);
}
Expr beside_example(DType t) {
  const Expr x = tensor("x", t, {Dim(4), Dim(3)}), zeros = full({4, 6}, constant(0.0, t));
  return inc_at(inc_at(zeros, {all_of, range(3, 6)}, exp(x)), {all_of, range(0, 3)}, x);
}
Expr join_example(DType t) {
  const Expr y = tensor("y", t, {Dim(7)});
  return concatenate({line(t), concatenate({y, exp(y)})});
}
Expr parts_example(DType t) {
  return maximum(concatenate({line(t), exp(tensor("y", t, {Dim(7)}))}), 0);
}
Expr adjoined_example(DType t) {
  const Expr x = line(t);
  return concatenate({x(range(2, 5)), x(range(5, 9)), exp(x)});
}

RuleGroup make() {
  return {
      "slice",
      "Only what is read is computed; what was written is read from where it came; joins of parts.",
      {
          rule("slice", Promise::exact, {&op::slice}, slice_of_slice, "x[a][b]", "x[a of b], or x",
               slice_example),
          rule("slice_of_broadcast", Promise::exact, {&op::slice}, slice_of_broadcast,
               "broadcast_to(x, s)[a]", "broadcast_to(x[a], t)", broadcast_example),
          rule("slice_of_transpose", Promise::exact, {&op::slice}, slice_of_transpose,
               "transpose(x, p)[a]", "transpose(x[a in order p], p)", transpose_example),
          rule("slice_of_reshape", Promise::exact, {&op::slice}, slice_of_reshape,
               "reshape(x, s)[a]", "reshape(x[a], t) when the sliced axes stay", reshape_example),
          rule("slice_of_reduction", Promise::accurate, {&op::slice}, slice_of_reduction,
               "sum(x, axes)[a]", "sum(x[a], axes) when the sum has no other use",
               reduction_example),
          rule("slice_of_softmax", Promise::accurate, {&op::slice}, slice_of_softmax,
               "softmax(x)[a]", "softmax(x[a]) on other axes, without other use", softmax_example),
          rule("slice_of_product", Promise::accurate, {&op::slice}, slice_of_product,
               "dot(x, y)[i, j]", "dot(x[i], y[:, j]) for half or less, without other use",
               product_example),
          rule("slice_of_concatenate", Promise::exact, {&op::slice}, slice_of_concatenate,
               "concatenate([x, y])[a]", "y[a], or concatenate([x[a], y[a]]) on other axes",
               concatenate_example),
          rule("slice_of_write", Promise::exact, {&op::slice}, slice_of_write, "x[a].set(y)[b]",
               "y[b in a], or x[b] apart from a; for inc x[b] + y[b in a]", read_example),
          rule("write_of_write", Promise::exact, {&op::set_slice, &op::inc_slice}, write_of_write,
               "x[a].set(y)[a].set(z)", "x[a].set(z); for inc x[a].set(y + z)",
               twice_written_example),
          rule("write_of_all", Promise::exact, {&op::set_slice, &op::inc_slice}, write_of_all,
               "x[:].set(y), x[a].set(x[a])", "y, x; for inc x + y", all_written_example),
          rule("writes_side_by_side", Promise::accurate, {&op::set_slice, &op::inc_slice, &op::add},
               writes_side_by_side,
               "zeros[:, :k].inc(x)[:, k:].inc(y), zeros[:, :k].inc(x) + zeros[:, k:].inc(y)",
               "concatenate([x, y], 1)", beside_example),
          rule("sum_with_written_zeros", Promise::accurate, {&op::add}, sum_with_written_zeros,
               "x + zeros[a].set(y)", "x[a].inc(y) for slices and scalar indices", zeros_example),
          rule("joined_parts", Promise::exact, {&op::concatenate}, joined_parts,
               "concatenate([x, concatenate([y, z]), empty])", "concatenate([x, y, z])",
               join_example),
          rule("concatenate_of_slices", Promise::exact, {&op::concatenate}, concatenate_of_slices,
               "concatenate([x[a:b], x[b:c]])", "x[a:c]", adjoined_example),
      }};
}

}  // namespace

const RuleGroup& slice_rules() {
  static const RuleGroup group = make();
  return group;
}

const RuleGroup& slice_lift_rules() {
  static const RuleGroup group = {
      "slice_lift",
      "Elementwise functions of what is read. Not before functions of reductions are recognised, "
      "such as log(softmax(x)).",
      {rule("slice_of_elementwise", Promise::exact, {&op::slice}, slice_of_elementwise,
            "f(x, y)[a]", "f(x[a], y[a]) when f(x, y) has no other use", elementwise_example),
       rule("elementwise_of_concatenate", Promise::exact, {}, elementwise_of_concatenate,
            "f(concatenate([x, y]), c)",
            "concatenate([f(x, c), f(y, c)]) when the parts have no other use", parts_example)}};
  return group;
}

}  // namespace gnomon
