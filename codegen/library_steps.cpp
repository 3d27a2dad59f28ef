// What a node with a routine of the library says, as the step of the host function.
#include "codegen/library_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ir/op.h"
#include "ir/type.h"
#include "runtime/lapack.h"
#include "runtime/lines.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// A flag that the op may not have.
bool flag_of(const Node& node, std::string_view name) {
  const AttributeSpecs& specs = node.op().attributes;
  return std::ranges::any_of(specs, [&](const AttributeSpec& s) { return s.name == name; }) &&
         node.attribute(name).flag();
}

}  // namespace

ProductStep product_step(const Node& node) {
  ProductStep p{};
  const bool plain = &node.op() == &op::dot;
  p.trans_a = !plain && node.attribute("trans_a").flag();
  p.trans_b = !plain && node.attribute("trans_b").flag();
  p.alpha = plain ? 1 : node.attribute("alpha").real();
  p.beta = node.operands().size() == 3 ? node.attribute("beta").real() : 0;
  const Shape &a = node.input(0).shape(), &b = node.input(1).shape();
  const std::size_t last = a.size() - 1;
  p.dtype = node.type().dtype;
  p.m = a[p.trans_a ? last : last - 1];
  p.k = a[p.trans_a ? last - 1 : last];
  p.n = b[p.trans_b ? last - 1 : last];
  p.batch = element_count(std::span(a).first(last - 1));
  return p;
}

RoutineStep routine_step(const Node& node) {
  RoutineStep r{};
  r.routine = op_of_routine(node.op()).routine.kind;
  const Shape& a = node.input(0).shape();
  r.dtype = node.input(0).dtype();
  r.lower = flag_of(node, "lower");
  r.transposed = flag_of(node, "transposed") || flag_of(node, "inverse");
  r.complete = flag_of(node, "complete");
  for (const AttributeSpec& spec : node.op().attributes) {
    if (spec.kind != Attribute::Kind::integer) continue;
    r.option = node.attribute(spec.name).integer();
    break;
  }
  r.rows = a[a.size() - 2], r.n = a.back(), r.columns = 0;
  if (node.operands().size() > 1) r.columns = node.operands().back().shape().back();
  if (node.op().routine.pairs) {
    r.dtype = complex_of(r.dtype);
    r.n = floor_div(r.n, 2), r.columns = floor_div(r.columns, 2);
  }
  if (is_fourier(r.routine)) r.columns = node.type().shape[a.size() - 2];
  r.batch = element_count(std::span(a).first(a.size() - 2));
  return r;
}

std::string routine_failure(const Op& op) {
  const Op& named = op_of_routine(op);
  return fmt::format("{}: {}", named.name, named.routine.failure);
}

LinesStep lines_step(const Node& node) {
  LinesStep s{};
  s.routine = node.op().lines.kind;
  s.dtype = node.input(0).dtype();
  s.reverse = flag_of(node, "reverse");
  const Shape& x = node.input(0).shape();
  const Shape& y = node.type().shape;
  s.outer = 1, s.n = element_count(x), s.inner = 1, s.count = element_count(y);
  for (const AttributeSpec& spec : node.op().attributes) {
    if (spec.name != "axis") continue;
    const auto axis = static_cast<std::size_t>(node.attribute("axis").integer());
    s.outer = element_count(std::span(x).first(axis));
    s.n = x[axis];
    s.inner = element_count(std::span(x).subspan(axis + 1));
    s.count = y[axis];
  }
  return s;
}

// So many multiply-adds of the library take as long as an addition.
Dim work_of(const ProductStep& p) {
  return floor_div(p.batch * p.m * p.n * p.k, p.dtype == DType::float32 ? 16 : 8);
}

Dim work_of(const RoutineStep& r) {
  const Dim cube = floor_div(thirds_of_cube(r.routine) * min(r.rows, r.n), 3);
  constexpr int operations = 64;  // of a transform, by element
  const Dim work = is_fourier(r.routine) ? r.batch * max(r.rows, r.columns) * operations
                                         : r.batch * r.rows * r.n * (cube + r.columns);
  const int at_once = (part_of(r.dtype) == DType::float32 ? 8 : 4) / (is_complex(r.dtype) ? 4 : 1);
  return floor_div(work, at_once);
}

Dim work_of(const ConvolutionStep& c) {
  Dim taps = c.batch * c.groups * c.outputs * c.inputs;
  for (std::size_t k = 0; k < c.window.size(); ++k) taps = taps * c.window[k] * c.result[k];
  return floor_div(taps, c.dtype == DType::float32 ? 16 : 8);
}

Dim work_of(const LinesStep& s) {
  constexpr int of_scan = 4, of_sort = 32;  // additions an element
  const bool scans = s.routine <= LineRoutine::linear_recurrence;
  return max(s.n, s.count) * s.outer * s.inner * (scans ? of_scan : of_sort);
}

}  // namespace gnomon
