// What goes by position along an axis, through the bodies of loops and branches.
#include "passes/derivatives/ragged.h"

#include <algorithm>
#include <unordered_set>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Places = std::vector<std::size_t>;

// Elements at indices, or the change of them: rows[i].
bool is_at_indices(const Op& op, std::size_t operand) {
  if (&op == &op::index) return operand == 0;
  return (&op == &op::set_index || &op == &op::inc_index) && operand <= 1;
}

// A slice of all elements, or at a place that does not depend on how many there are; or the change
// of one.
bool is_at_fixed_places(const Node& node, std::size_t operand, const Places& axes) {
  const Op& op = node.op();
  if (operand != 0 || (&op != &op::slice && &op != &op::set_slice && &op != &op::inc_slice))
    return false;
  const Shape &start = node.attribute(0).dims(), &count = node.attribute(1).dims();
  const Shape& shape = node.operands()[0].shape();
  return std::ranges::all_of(axes, [&](std::size_t axis) {
    return start[axis].is_constant() && (count[axis].is_constant() || count[axis] == shape[axis]);
  });
}

// Another shape of what is behind the axes.
bool keeps_axes(const Node& node, const Places& axes) {
  if (&node.op() != &op::reshape) return false;
  const Shape &before = node.operands()[0].shape(), &after = node.type().shape;
  return std::ranges::all_of(axes, [&](std::size_t axis) {
    const auto kept = static_cast<std::ptrdiff_t>(axis) + 1;
    return std::ssize(after) >= kept &&
           std::equal(before.begin(), before.begin() + kept, after.begin());
  });
}

bool moves_axes(const Op& op) {
  return &op == &op::transpose || &op == &op::expand_dims || &op == &op::squeeze ||
         &op == &op::broadcast_to;
}

// Whether a body goes by position along axes of some of its parameters.
class Within {
 public:
  Within(const Node& node, const Region& region)
      : body_(*node.attribute(region.body).body()), region_(region) {}

  bool goes_by_position(std::size_t operand, const Places& axes) {
    for (std::size_t k = 0; k < region_.parameters.size(); ++k)
      if (region_.parameters[k].operand == operand) add(k, axes);
    for (const Node* node : body_.topological_order())
      if (!see(*node)) return false;
    return true;
  }

 private:
  void add(std::size_t parameter, const Places& axes) {
    const Shape& shape = body_.parameters[parameter].type.shape;
    for (const std::size_t axis : axes)
      if (const AtomRef atom = shape[axis].atom()) extents_.insert(atom->number);
  }

  bool see(const Node& node) const {
    if (&node.op() == &op::extent) return !of_ragged(node.attribute(0).dims()[0]);
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Shape& shape = node.operands()[k].shape();
      Places axes;
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (of_ragged(shape[axis])) axes.push_back(axis);
      if (!axes.empty() && !gnomon::goes_by_position(node, k, axes)) return false;
    }
    return true;
  }

  bool of_ragged(const Dim& d) const {
    bool found = false;
    d.for_each_atom([&](const AtomRef& atom) {
      found = found || (atom->kind == Atom::Kind::symbol && extents_.contains(atom->number));
    });
    return found;
  }

  const Graph& body_;
  const Region& region_;
  std::unordered_set<std::uint64_t> extents_;
};

}  // namespace

bool goes_by_position(const Node& node, std::size_t operand, const Places& axes) {
  const Op& op = node.op();
  if (op.is_elementwise() || &op == &op::cast || moves_axes(op)) return true;
  if (is_at_fixed_places(node, operand, axes) || keeps_axes(node, axes)) return true;
  if (op.regions == nullptr) return is_at_indices(op, operand);
  const std::vector<Region> regions = regions_of(node);
  return std::ranges::all_of(regions, [&](const Region& region) {
    return Within(node, region).goes_by_position(operand, axes);
  });
}

}  // namespace gnomon
