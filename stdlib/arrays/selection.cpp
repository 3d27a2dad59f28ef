// Selections: how many elements a condition lets pass is an extent that the call computes.
#include "stdlib/arrays/selection.h"
#include "stdlib/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <unordered_map>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/batch.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// How many elements of a mask are true, as `true_places` counts them.
bool is_count_of_true(const Dim& d) {
  const AtomRef atom = d.atom();
  if (!atom || atom->kind != Atom::Kind::value || !atom->scalar->is(op::sum)) return false;
  const Value& counted = atom->scalar->input(0);
  return counted.is(op::cast) && is_bool(counted.input(0).dtype());
}

std::vector<Type> flatnonzero_type(TypeContext& context) {
  const Type& mask = context.type(0);
  const Shape& count = context.attributes[0].dims();
  const Shape& shape = context.attributes[1].dims();
  if (!is_bool(mask.dtype) || count.size() != 1 || shape.size() != mask.shape.size()) {
    const std::string text =
        fmt::format("expected bools and an extent for each of their axes, found {} and {}",
                    describe(context.operands[0]), gnomon::text(shape));
    is_bool(mask.dtype) ? context.refuse(text) : context.fail(text);
  }
  if (!is_count_of_true(count[0])) require_extents(context, count);
  for (std::size_t i = 0; i < shape.size(); ++i)
    context.equal(mask.shape[i], shape[i], "extents of the mask and of what it selects from");
  return {{DType::int64, count}};
}

// Each example would select as many elements as it likes.
Exprs batch_flatnonzero(const Batched& batch) {
  throw TypeError(
      "flatnonzero: expected a mask that is the same for all examples of a batch, found " +
      describe(Value(&batch.node, 0)));
}

Expr as_mask(const Arg& x) {
  const Expr v(x.value());
  return is_bool(v.dtype()) ? v : not_equal(v, 0);
}

// The places of the true elements of a mask that must have the shape.
Expr true_places(const Expr& mask, std::span<const Dim> shape) {
  const Dim count = Dim::value(sum(mask).value());
  return Expr(make_node(op::flatnonzero, {mask.value()},
                        {Attribute(Shape{count}), Attribute(Shape(shape.begin(), shape.end()))}));
}

// Rebuilds what is computed of selected elements, whose first axis counts them, over the axes of
// the mask that selects them.
class AllPlaces {
 public:
  explicit AllPlaces(const Expr& mask) : mask_(mask), count_(Dim::value(sum(mask).value())) {}

  std::optional<Expr> of(const Value& root) {
    std::vector<Value> path = {root};
    while (!path.empty()) {
      const Value v = path.back();
      if (images_.contains(v)) {
        path.pop_back();
        continue;
      }
      if (!is_selected(v)) return std::nullopt;
      const std::size_t size = path.size();
      if (!v.is(op::index))
        for (const Value& x : v.node().operands())
          if (x.type().rank() == v.type().rank() || v.is(op::expand_dims))
            if (!is_one(x) && !images_.contains(x)) path.push_back(x);
      if (path.size() > size) continue;
      std::optional<Expr> image = made(v);
      if (!image) return std::nullopt;
      images_.emplace(v, std::move(*image));
      path.pop_back();
    }
    return images_.at(root);
  }

 private:
  bool is_selected(const Value& v) const { return !v.shape().empty() && v.shape()[0] == count_; }
  // What all selected elements have in common.
  static bool is_one(const Value& v) { return !v.shape().empty() && v.shape()[0].is(1); }

  Shape over_all(const Shape& shape) const {
    Shape result = mask_.shape();
    result.insert(result.end(), shape.begin() + 1, shape.end());
    return result;
  }

  // An operand whose first axis is not that of the result is the same for all of them.
  Expr image_of(const Value& x, int rank) const {
    const auto known = x.type().rank() == rank ? images_.find(x) : images_.end();
    return known == images_.end() ? Expr(x) : known->second;
  }

  std::optional<Expr> made(const Value& v) const {
    const Node& node = v.node();
    if (&node.op() == &op::index) return selected(node);
    const int rank = v.type().rank();
    if (&node.op() == &op::broadcast_to)
      return broadcast_to(image_of(node.operands()[0], rank), over_all(v.shape()));
    if (&node.op() == &op::expand_dims) {
      Expr x = images_.at(node.operands()[0]);
      for (const std::int64_t axis : node.attribute(0).ints())
        x = expand_dims(x, axis + mask_.rank() - 1);
      return x;
    }
    if (!node.op().is_elementwise() && &node.op() != &op::cast) return std::nullopt;
    std::vector<Expr> operands;
    for (const Value& x : node.operands()) operands.push_back(image_of(x, rank));
    return outputs_of(node.op(), operands, node.attributes())[v.index()];
  }

  // y[mask] is y.
  std::optional<Expr> selected(const Node& node) const {
    const Expr y(node.operands()[0]);
    const auto rank = static_cast<std::size_t>(mask_.rank());
    const IntList& axes = node.attribute(0).ints();
    const std::span<const Value> arrays = std::span(node.operands()).subspan(1);
    if (axes.size() != rank || arrays.size() != rank) return std::nullopt;
    const std::vector<Expr> places = places_of_mask(mask_, std::span(y.shape()).first(rank));
    for (std::size_t i = 0; i < rank; ++i)
      if (axes[i] != static_cast<std::int64_t>(i) || arrays[i] != places[i].value())
        return std::nullopt;
    Shape shape = y.shape();
    std::ranges::copy(mask_.shape(), shape.begin());
    return broadcast_to(y, shape);
  }

  Expr mask_;
  Dim count_;
  std::unordered_map<Value, Expr, ValueHash> images_;
};

// Whether an element of a sorted line is the first of all, or differs from the one before it.
Expr begins(const Expr& sorted) {
  const Expr place = arange(sorted.dim(0));
  const Expr differs = not_equal(sorted, take(sorted, maximum(place - 1, 0)));
  return logical_or(differs, equal(place, 0));
}

// From each place to the next one, or to the end.
Expr lengths(const Expr& firsts, const Dim& n) {
  return diff(concatenate({firsts, reshape(extent(n), {1})}));
}

Expr sorted_line(const Arg& x) { return sort(reshape(Expr(x.value()), {-1})); }

}  // namespace

constinit const Op op::flatnonzero{
    .name = "flatnonzero",
    .doc =
        "The places of the `count` true elements of an array of the given shape, in row-major "
        "order.",
    .attributes = {{"count", Attribute::Kind::dim_list}, {"shape", Attribute::Kind::dim_list}},
    .type = flatnonzero_type,
    .step = StepKind::lines,
    .lines = {LineRoutine::flatnonzero},
    .batch = batch_flatnonzero};

Expr flatnonzero(const Arg& x) {
  const CallScope call("flatnonzero", x.origin());
  const Expr mask = as_mask(x);
  return true_places(mask, mask.shape());
}

std::vector<Expr> places_of_mask(const Expr& mask, std::span<const Dim> shape) {
  return indices_of_places(true_places(mask, shape), shape);
}

std::optional<Expr> over_all_places(const Expr& value, const Expr& mask) {
  return AllPlaces(mask).of(value.value());
}

std::vector<Expr> nonzero(const Arg& x) {
  const CallScope call("nonzero", x.origin());
  const Expr mask = as_mask(x);
  if (mask.rank() == 0)
    throw ValueError(fmt::format("nonzero: expected an array, found {}", describe(mask)));
  return places_of_mask(mask, mask.shape());
}

Expr argwhere(const Arg& x) {
  const CallScope call("argwhere", x.origin());
  return stack(nonzero(x), 1);
}

Expr compress(const Arg& condition, const Arg& x, std::int64_t axis) {
  const CallScope call("compress", x.origin());
  const Expr mask = as_mask(condition);
  if (mask.rank() != 1)
    throw ValueError(fmt::format("compress: expected a vector, found {}", describe(mask)));
  return take(x, flatnonzero(mask), axis);
}

Expr extract(const Arg& condition, const Arg& x) {
  const CallScope call("extract", x.origin());
  return index(Expr(x.value()), std::array{Index(as_mask(condition))});
}

Expr unique_values(const Arg& x) {
  const CallScope call("unique_values", x.origin());
  const Expr sorted = sorted_line(x);
  return take(sorted, flatnonzero(begins(sorted)));
}

std::pair<Expr, Expr> unique_counts(const Arg& x) {
  const CallScope call("unique_counts", x.origin());
  const Expr sorted = sorted_line(x);
  const Expr firsts = flatnonzero(begins(sorted));
  return {take(sorted, firsts), lengths(firsts, sorted.dim(0))};
}

Unique unique(const Arg& x) {
  const CallScope call("unique", x.origin());
  const Expr line = reshape(Expr(x.value()), {-1});
  const Dim n = line.dim(0);
  const Expr order = argsort(line);
  const Expr sorted = take(line, order);
  const Expr is_first = begins(sorted);
  const Expr firsts = flatnonzero(is_first);
  const Expr number = cumsum(is_first) - 1;
  const Expr nothing = full({n}, constant(std::int64_t{0}, DType::int64));
  const Expr at[] = {order};
  const Expr inverse = reshape(set_index(nothing, number, {0}, at), x.value().shape());
  return {take(sorted, firsts), take(order, firsts), inverse, lengths(firsts, n)};
}

}  // namespace gnomon
