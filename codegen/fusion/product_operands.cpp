// Which operands of products are slices of what is in memory anyway.
#include "codegen/fusion/product_operands.h"

#include <unordered_set>

#include "codegen/fusion/fuse.h"
#include "passes/engine/facts.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Whether all values that `d` is made of make the shape too, and so are known by then.
bool is_known_with(const Shape& shape, const Dim& d) {
  std::unordered_set<Value> known;
  for (const Dim& extent : shape)
    extent.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Atom::Kind::value) known.insert(*atom->scalar);
    });
  bool all = true;
  d.for_each_atom([&](const AtomRef& atom) {
    all = all && (atom->kind != Atom::Kind::value || known.contains(*atom->scalar));
  });
  return all;
}

}  // namespace

// Kernels have two extents that are known to be short, or none is 1.
bool is_of_library(const Product& p) {
  return p.n.is(1) || (p.m.is(1) && !p.n.is_constant() && !p.k.is_constant());
}

MatrixInMemory operand_in_memory(const Node& product, std::size_t i) {
  const Value& v = product.input(i);
  MatrixInMemory own{v, 0, v.shape().back()};
  if (v.shape().size() != 2 || !v.is(op::slice) || !is_of_library(product_of(product))) return own;
  const Value& whole = v.input(0);
  const Value memory = storage_of(whole);
  if (!is_memory(memory) && !memory.op().write && memory.op().step == StepKind::none) return own;
  const Shape& start = v.node().attribute("start").dims();
  const Dim offset = start[0] * whole.shape()[1] + start[1];
  if (!is_dense_slice(v.node()) || !is_known_with(v.shape(), offset)) return own;
  return {whole, offset, whole.shape()[1]};
}

Value read_by_step(const Node& step, std::size_t i, bool calls_library) {
  const bool is_matrix = calls_library && step.op().step == StepKind::product && i < 2;
  return is_matrix ? operand_in_memory(step, i).stored : step.input(i);
}

}  // namespace gnomon
