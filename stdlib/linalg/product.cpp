// Products of matrices: the batched product, the BLAS form, and NumPy's functions over them.
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

Expr swap_last(const Expr& x) {
  IntList axes;
  for (int i = 0; i < x.rank(); ++i) axes.push_back(i);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return transpose(x, axes);
}

std::pair<Expr, Expr> promoted(const Arg& a, const Arg& b) {
  DType t = promote(a.weak_dtype(), b.weak_dtype());
  if (a.is_weak() != b.is_weak())
    t = a.is_weak() ? promote_weak(b.weak_dtype(), a.weak_dtype())
                    : promote_weak(a.weak_dtype(), b.weak_dtype());
  return {cast(Expr(a.as(t)), t), cast(Expr(b.as(t)), t)};
}

Shape common_batch(const Expr& a, const Expr& b) {
  const std::size_t rank = std::max(a.shape().size(), b.shape().size()) - 2;
  Shape batch(rank, Dim(1));
  for (const Expr* x : {&a, &b}) {
    const std::size_t own = x->shape().size() - 2;
    for (std::size_t i = 0; i < own; ++i) {
      Dim& d = batch[rank - own + i];
      if (d.is(1)) d = x->shape()[i];
    }
  }
  return batch;
}

Expr with_batch(const Expr& x, Shape batch) {
  batch.insert(batch.end(), x.shape().end() - 2, x.shape().end());
  return broadcast_to(x, batch);
}

namespace {

// The type of a * b over equal leading axes.
Type product_type(TypeContext& context) {
  const Type &a = context.type(0), &b = context.type(1);
  if (a.dtype != b.dtype || is_bool(a.dtype)) {
    context.fail(fmt::format("expected numbers of one dtype, found {}", describe_both(context)));
  }
  if (a.rank() < 2 || a.rank() != b.rank()) {
    context.refuse(fmt::format("expected two matrices or two batches of them, found {}",
                               describe_both(context)));
  }
  const ProductForm form = product_form(context.attributes);
  const MatrixExtents<Dim> left = form.left(a.shape), right = form.right(b.shape);
  if (left.columns.is_constant() && right.rows.is_constant() && !(left.columns == right.rows)) {
    context.refuse(fmt::format("inner sizes differ: {}", describe_both(context)));
  }
  context.equal(left.columns, right.rows, "inner sizes");
  Type result{a.dtype, {}};
  for (std::size_t i = 0; i + 2 < a.shape.size(); ++i) {
    if (a.shape[i].is_constant() && b.shape[i].is_constant() && !(a.shape[i] == b.shape[i])) {
      context.refuse(fmt::format("leading extents differ: {}", describe_both(context)));
    }
    result.shape.push_back(context.equal(a.shape[i], b.shape[i], "leading extents"));
  }
  result.shape.push_back(left.rows);
  result.shape.push_back(right.columns);
  return result;
}

Expr matrix_product(const Expr& a, const Expr& b) {
  return Expr(make_node(op::dot, {a.value(), b.value()}));
}

// --------------------------------------------------------------------------------------------- dot

std::vector<Type> dot_type(TypeContext& context) { return {product_type(context)}; }

std::vector<Expr> expand_dot(const Node& node) {
  const Expr a(node.input(0)), b(node.input(1));
  const Expr terms = expand_dims(a, -1) * expand_dims(b, -3);
  return {cast(sum(terms, -2), a.dtype())};
}

Expr dot_transpose(const Transpose& t) {
  if (t.operand == 0) return matrix_product(t.dy, swap_last(t.x[1]));
  return matrix_product(swap_last(t.x[0]), t.dy);
}

// Where one side is the same for all examples, the rows (columns) of all of them are those of one
// product; the axis of examples goes beside them, behind the leading axes of the matrices.
Exprs dot_batch(const Batched& b) {
  if (b.batched[0] && b.batched[1]) return {matrix_product(b.x[0], b.x[1])};
  const bool left = b.batched[0];
  const Expr many = left ? b.x[0] : swap_last(b.x[1]);
  const Expr one = left ? b.x[1] : swap_last(b.x[0]);
  const int own = many.rank() - 3;
  const Expr beside = move_axis(many, 0, own);
  Shape rows = beside.shape(), result = beside.shape();
  rows.erase(rows.begin() + own);
  rows[static_cast<std::size_t>(own)] = b.size * many.dim(-2);
  result.back() = one.dim(-1);
  const Expr y = move_axis(reshape(matrix_product(reshape(beside, rows), one), result), own, 0);
  return {left ? y : swap_last(y)};
}

// -------------------------------------------------------------------------------------------- gemm

// With the type of the addend, if there is one.
std::vector<Type> with_addend(TypeContext& context, Type result) {
  if (context.operands.size() > 3) {
    context.fail(fmt::format("expected 2 or 3 operands, found {}", context.operands.size()));
  }
  if (context.operands.size() == 3) {
    const Type& c = context.type(2);
    if (c.dtype != result.dtype || c.rank() != result.rank()) {
      context.mismatch(fmt::format("expected a third operand of type {}, found {}", result.text(),
                                   describe(context.operands[2])));
    }
    for (std::size_t i = 0; i < result.shape.size(); ++i) {
      result.shape[i] = context.equal(result.shape[i], c.shape[i], "extents");
    }
  }
  return {result};
}

std::vector<Type> gemm_type(TypeContext& context) {
  Type result = product_type(context);
  if (!is_float(result.dtype)) {
    context.fail(fmt::format("expected floats, found {}", describe_both(context)));
  }
  return with_addend(context, std::move(result));
}

Expr scaled(const Expr& x, double factor) { return factor == 1 ? x : x * factor; }

Expr transposed_if(const Expr& x, bool transposed) { return transposed ? swap_last(x) : x; }

std::vector<Expr> expand_gemm(const Node& node) {
  const ProductForm gemm = product_form(node);
  const Expr a = transposed_if(Expr(node.input(0)), gemm.trans_a);
  const Expr b = transposed_if(Expr(node.input(1)), gemm.trans_b);
  const Expr ab = scaled(matrix_product(a, b), gemm.alpha);
  if (node.operands().size() == 2) return {ab};
  return {ab + scaled(Expr(node.input(2)), gemm.beta)};
}

std::vector<Type> half_gemm_type(TypeContext& context) {
  Type result = product_type(context);
  if (result.dtype != DType::uint16) {
    context.fail(fmt::format("expected uint16, found {}", describe_both(context)));
  }
  result.dtype = DType::float32;
  return with_addend(context, std::move(result));
}

std::vector<Expr> expand_half_gemm(const Node& node) {
  const auto value = [&](std::size_t i) {
    const Expr bits(node.input(i));
    return node.attribute("bfloat16").flag() ? bfloat16_value(bits) : float16_value(bits);
  };
  std::vector<Value> operands = {value(0).value(), value(1).value()};
  if (node.operands().size() == 3) operands.push_back(node.input(2));
  return {Expr(make_node(op::gemm, std::move(operands), attributes_of(product_form(node))))};
}

Exprs gemm_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (!v.dy[0].defined()) return dx;
  const ProductForm gemm = product_form(v.node);
  const Expr dy = scaled(v.dy[0], gemm.alpha);
  const Expr a = transposed_if(v.x[0], gemm.trans_a), b = transposed_if(v.x[1], gemm.trans_b);
  dx[0] = transposed_if(matrix_product(dy, swap_last(b)), gemm.trans_a);
  dx[1] = transposed_if(matrix_product(swap_last(a), dy), gemm.trans_b);
  if (dx.size() == 3) dx[2] = scaled(v.dy[0], gemm.beta);
  return dx;
}

Exprs gemm_jvp(const Jvp& v) {
  const ProductForm gemm = product_form(v.node);
  const Expr a = transposed_if(v.x[0], gemm.trans_a), b = transposed_if(v.x[1], gemm.trans_b);
  std::vector<Expr> terms;
  if (v.dx[0].defined())
    terms.push_back(scaled(matrix_product(transposed_if(v.dx[0], gemm.trans_a), b), gemm.alpha));
  if (v.dx[1].defined())
    terms.push_back(scaled(matrix_product(a, transposed_if(v.dx[1], gemm.trans_b)), gemm.alpha));
  if (v.dx.size() == 3 && v.dx[2].defined()) terms.push_back(scaled(v.dx[2], gemm.beta));
  if (terms.empty()) return {Expr()};
  return {add(terms)};
}

// --------------------------------------------------------------------------------------- functions

// Rows of all batches under one another times one matrix: one large product.
Expr flat_product(const Expr& a, const Expr& b) {
  const Shape& shape = a.shape();
  const Dim rows = element_count(std::span(shape).first(shape.size() - 1));
  Shape result(shape.begin(), shape.end() - 1);
  result.push_back(b.shape().back());
  return reshape(matrix_product(reshape(a, {rows, shape.back()}), b), result);
}

Expr product_of_matrices(const Expr& a, const Expr& b, Origin at) {
  if (a.rank() == b.rank() && a.rank() == 2) {
    return Expr(make_node(op::dot, {a.value(), b.value()}, {}, at));
  }
  if (b.rank() == 2) return flat_product(a, b);
  const Shape batch = common_batch(a, b);
  return Expr(
      make_node(op::dot, {with_batch(a, batch).value(), with_batch(b, batch).value()}, {}, at));
}

// An error of the expression, with the user's line.
[[noreturn]] void reject(const Origin& at, const std::string& text) {
  const Origin place = scoped_origin_or(at);
  throw ValueError(place ? fmt::format("{} [{}]", text, place.text()) : text);
}

// The last axis of `a` must have the extent of axis `axis` of `b`: said of the operands as given.
void check_inner(const Expr& a, const Expr& b, int axis, const Origin& at) {
  const Dim m = a.dim(-1), n = b.dim(axis);
  if (m.is_constant() && n.is_constant() && !(m == n)) {
    reject(at, fmt::format("{}: inner sizes differ: {} and {}", name_of_call_or("dot"),
                           describe(a.value()), describe(b.value())));
  }
}

}  // namespace

constinit const Op op::dot{
    .name = "dot",
    .doc = "Product of matrices [..., m, k] and [..., k, n] over equal leading axes.",
    .operands = 2,
    .type = dot_type,
    .expand = expand_dot,
    .step = StepKind::product,
    .linear = 3,
    .transpose = dot_transpose,
    .batch = dot_batch};

constinit const Op op::gemm{.name = "gemm",
                            .doc =
                                "alpha * a * b + beta * c, of matrices that may be read "
                                "transposed; c may be absent.",
                            .operands = -1,
                            .at_least = 2,
                            .attributes = product_specs,
                            .type = gemm_type,
                            .expand = expand_gemm,
                            .step = StepKind::product,
                            .vjp = gemm_vjp,
                            .jvp = gemm_jvp};

constinit const Op op::half_gemm{
    .name = "half_gemm",
    .doc =
        "gemm in float32 of matrices of float16, or bfloat16, that are given by their bits "
        "(uint16).",
    .operands = -1,
    .at_least = 2,
    .attributes = half_product_specs,
    .type = half_gemm_type,
    .expand = expand_half_gemm,
    .step = StepKind::product};

Expr matmul(const Arg& a, const Arg& b) {
  const CallScope call("matmul", a.origin());
  const auto [x, y] = promoted(a, b);
  if (x.rank() == 0 || y.rank() == 0) {
    reject(a.origin(), fmt::format("matmul: expected arrays with axes, found {} and {}",
                                   describe(x.value()), describe(y.value())));
  }
  check_inner(x, y, y.rank() == 1 ? -1 : -2, a.origin());
  if (x.rank() == 1 && y.rank() == 1) return cast(sum(x * y), x.dtype());
  if (y.rank() == 1) {
    return squeeze(product_of_matrices(x, expand_dims(y, 1), a.origin()), -1);
  }
  if (x.rank() == 1) {
    return squeeze(product_of_matrices(expand_dims(x, 0), y, a.origin()), -2);
  }
  return product_of_matrices(x, y, a.origin());
}

Expr dot(const Arg& a, const Arg& b) {
  const CallScope call("dot", a.origin());
  const Expr x(a.value()), y(b.value());
  if (x.rank() == 0 || y.rank() == 0) return multiply(a, b);
  if (x.rank() <= 2 && y.rank() <= 2) return matmul(a, b);
  if (y.rank() == 1) return matmul(a, b);
  check_inner(x, y, -2, a.origin());
  return tensordot(a, b, {x.rank() - 1}, {y.rank() - 2});
}

Expr tensordot(const Arg& a, const Arg& b, const IntList& axes_a, const IntList& axes_b) {
  const CallScope call("tensordot", a.origin());
  const auto [x, y] = promoted(a, b);
  if (axes_a.size() != axes_b.size()) {
    reject(a.origin(),
           fmt::format("tensordot: expected as many axes of each operand, found {} and {}",
                       axes_a.size(), axes_b.size()));
  }
  IntList inner_x, inner_y;
  for (std::int64_t i : axes_a) inner_x.push_back(normalize_axis(i, x.rank(), "tensordot"));
  for (std::int64_t i : axes_b) inner_y.push_back(normalize_axis(i, y.rank(), "tensordot"));
  for (std::size_t i = 0; i < inner_x.size(); ++i) {
    const Dim m = x.dim(static_cast<int>(inner_x[i])), n = y.dim(static_cast<int>(inner_y[i]));
    if (m.is_constant() && n.is_constant() && !(m == n)) {
      reject(a.origin(), fmt::format("tensordot: extents differ: {} and {}", describe(x.value()),
                                     describe(y.value())));
    }
  }
  IntList order_x, order_y = inner_y;
  Shape result;
  Dim rows = 1, columns = 1, inner = 1;
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    if (contains(inner_x, i)) continue;
    order_x.push_back(i);
    result.push_back(x.dim(static_cast<int>(i)));
    rows = rows * result.back();
  }
  for (std::int64_t i : inner_x) {
    order_x.push_back(i);
    inner = inner * x.dim(static_cast<int>(i));
  }
  for (std::int64_t i = 0; i < y.rank(); ++i) {
    if (contains(inner_y, i)) continue;
    order_y.push_back(i);
    result.push_back(y.dim(static_cast<int>(i)));
    columns = columns * result.back();
  }
  const Expr left = order_x.empty() ? x : transpose(x, order_x);
  const Expr right = order_y.empty() ? y : transpose(y, order_y);
  const Dim inner_of_y = element_count(std::span(right.shape()).first(inner_y.size()));
  return reshape(
      matrix_product(reshape(left, {rows, inner}), reshape(right, {inner_of_y, columns})), result);
}

Expr outer(const Arg& a, const Arg& b) {
  const CallScope call("outer", a.origin());
  const Expr x = reshape(a, {Dim(-1)}), y = reshape(b, {Dim(-1)});
  return expand_dims(x, 1) * expand_dims(y, 0);
}

}  // namespace gnomon
