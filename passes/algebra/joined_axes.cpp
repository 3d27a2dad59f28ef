// Two adjacent axes of an expression as one: free where its arrays lie in memory whole.
#include "passes/algebra/joined_axes.h"

#include <unordered_map>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/engine/facts.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

class Joining {
 public:
  // Axes are counted from the last one, so that operands of fewer axes have the same numbers: the
  // second of the two is `from_last`.
  Value of(const Value& v, std::size_t from_last) {
    const std::size_t rank = v.shape().size();
    if (rank <= from_last) return v;  // it has neither
    if (const auto known = known_.find(v); known != known_.end()) return known->second;
    if (++nodes_ > most_nodes) return {};
    const Value joined = rank == from_last + 1 ? without_second(v, from_last) : made(v, from_last);
    known_.emplace(v, joined);
    return joined;
  }

 private:
  static constexpr int most_nodes = 64;
  static constexpr int dear = 4;  // additions

  // It has the second axis alone, along which it must be the same.
  static Value without_second(const Value& v, std::size_t from_last) {
    return axis_of(v, from_last).is(1) ? v : Value();
  }
  static const Dim& axis_of(const Value& v, std::size_t from_last) {
    return v.shape()[v.shape().size() - 1 - from_last];
  }

  static Shape joined_shape(const Value& v, std::size_t from_last) {
    Shape shape = v.shape();
    const std::size_t second = shape.size() - 1 - from_last;
    shape[second - 1] = shape[second - 1] * shape[second];
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(second));
    return shape;
  }

  static Value stored(Value v) {
    while (is_reshaping(v)) v = v.input(0);
    return v;
  }
  static bool is_in_memory(const Value& v) {
    const Op& o = v.op();
    return is_leaf(o) || &o == &op::param || &o == &op::constant || o.reduction ||
           o.step != StepKind::none;
  }

  Value made(const Value& v, std::size_t from_last) {
    const Op& o = v.op();
    const bool both_are_one = axis_of(v, from_last).is(1) && axis_of(v, from_last + 1).is(1);
    if (const Value x = stored(v); both_are_one || is_in_memory(x))
      return reshape(Expr(x), joined_shape(v, from_last)).value();
    if (&o == &op::broadcast_to) {
      const Value& x = v.input(0);
      // Repeated along one of them, its elements would be in no order that one axis has.
      const std::size_t rank = x.shape().size();
      for (const std::size_t k : {from_last, from_last + 1})
        if (rank > k && !axis_of(x, k).is(1) && axis_of(x, k) != axis_of(v, k)) return {};
      const bool has_second = rank > from_last && !axis_of(x, from_last).is(1);
      const bool has_first = rank > from_last + 1 && !axis_of(x, from_last + 1).is(1);
      if (has_first != has_second) return {};
      const Value joined = of(x, from_last);
      if (!joined) return {};
      return broadcast_to(Expr(joined), joined_shape(v, from_last)).value();
    }
    if (!o.is_elementwise() && &o != &op::cast) return {};
    if (o.scalar.cost > dear) return {};
    std::vector<Value> operands;
    for (const Value& x : v.node().operands()) {
      const std::size_t rank = x.shape().size();
      const auto is_one = [&](std::size_t k) { return rank <= k || axis_of(x, k).is(1); };
      // An operand that stretches along one axis alone.
      if (is_one(from_last) != is_one(from_last + 1) &&
          !(axis_of(v, from_last).is(1) || axis_of(v, from_last + 1).is(1)))
        return {};
      operands.push_back(of(x, from_last));
      if (!operands.back()) return {};
    }
    return Value(rebuild(v.node(), operands).get(), v.index());
  }

  std::unordered_map<Value, Value, ValueHash> known_;
  int nodes_ = 0;
};

}  // namespace

Value with_axes_joined(const Value& x, std::size_t axis) {
  return Joining().of(x, x.shape().size() - 2 - axis);
}

}  // namespace gnomon
