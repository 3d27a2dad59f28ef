// Rules of matrix products: transposes, scales and sums that a product of the BLAS takes along.
#include <algorithm>

#include "ir/op/forms.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

constexpr std::int64_t most_small = 8;        // sides of products that are small altogether
constexpr std::int64_t most_coordinates = 4;  // of points that a small matrix moves
constexpr std::int64_t most_short = 16;       // sums over an outer axis that are one loop
constexpr std::int64_t most_little = 4096;    // elements of a matrix that is no work for a library

// A product and its operands as stored; c may be none.
struct Product : ProductForm {
  Value a, b, c;
};

// The BLAS has float32 and float64.
bool is_product(const Value& v) {
  return (v.is(op::dot) || v.is(op::gemm)) &&
         (v.dtype() == DType::float32 || v.dtype() == DType::float64);
}

Product product_of(const Value& v) {
  const std::span<const Value> x = v.node().operands();
  return {product_form(v.node()), x[0], x[1], x.size() > 2 ? x[2] : Value()};
}

Expr gemm_of(const Product& p) {
  std::vector<Value> operands = {p.a, p.b};
  if (p.c) operands.push_back(p.c);
  return make_node(op::gemm, std::move(operands), attributes_of(p));
}

Expr transposed_operands(const Match& m) {
  if (!is_product(m.root)) return {};
  Product p = product_of(m.root);
  const bool a = is_matrix_transpose(p.a), b = is_matrix_transpose(p.b);
  if (!a && !b) return {};
  if (a) p.a = Value(p.a.input(0));
  if (b) p.b = Value(p.b.input(0));
  p.trans_a ^= a;
  p.trans_b ^= b;
  return gemm_of(p);
}

// (A @ B)^T is B^T @ A^T.
Expr transpose_of_product(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!is_matrix_transpose(m.root) || !is_product(inner) || !m.single_use(inner)) return {};
  Product p = product_of(inner);
  if (p.c) return {};
  std::swap(p.a, p.b);
  std::swap(p.trans_a, p.trans_b);
  p.trans_a = !p.trans_a;
  p.trans_b = !p.trans_b;
  return gemm_of(p);
}

// A number times a product that has no other use.
Expr scaled_product(const Match& m) {
  const std::span<const Value> factors = m.root.node().operands();
  if (factors.size() != 2) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<double> scale = number_of(factors[1 - i]);
    if (!scale || !factors[1 - i].is(op::constant)) continue;
    if (!is_product(factors[i]) || !m.single_use(factors[i])) continue;
    Product p = product_of(factors[i]);
    p.alpha *= *scale;
    p.beta *= *scale;
    return gemm_of(p);
  }
  return {};
}

Expr negative_product(const Match& m) {
  const Value& inner = m.root.input(0);
  if (!is_product(inner) || !m.single_use(inner)) return {};
  Product p = product_of(inner);
  p.alpha = -p.alpha;
  p.beta = -p.beta;
  return gemm_of(p);
}

// The addend of a product as c, with its number taken out as beta.
void take_addend(Product& p, const Value& addend) {
  p.beta = 1;
  p.c = addend;
  if (addend.is(op::negative)) {
    p.beta = -1;
    p.c = addend.input(0);
  }
  if (!p.c.is(op::multiply) || p.c.node().operands().size() != 2) return;
  for (std::size_t i = 0; i < 2; ++i) {
    const Value factors = p.c;
    const std::optional<double> scale = number_of(factors.input(1 - i));
    if (!scale || factors.input(i).shape() != p.c.shape()) continue;
    p.beta *= *scale;
    p.c = Value(factors.input(i));
    return;
  }
}

bool is_small(const Dim& d) { return d.is_constant() && d.constant() <= most_small; }

// The inner extent.
Dim depth_of(const Product& p) { return p.left(p.a.shape()).columns; }

// Whether a matrix, or what it is a slice of, lies in memory before anything is computed, so that
// no kernel could save it.
bool is_stored(const Value& matrix) {
  const bool is_slice = matrix.is(op::slice);
  const Node& whole = is_slice ? matrix.input(0).node() : matrix.node();
  if (matrix.shape().size() != 2 || !whole.operands().empty()) return false;
  if (is_slice && !is_dense_slice(matrix.node())) return false;
  const std::optional<std::int64_t> count = constant_count(matrix);
  return !count || *count > most_little;
}

// Whether kernels compute a product as a sum. A vector by rows is a reduction of the last axis, to
// which what the matrix is computed from belongs; one that is read from memory the library reads
// faster. By columns it is a reduction of an outer axis, which is best when it is short. Many
// points by a small matrix are as many short sums.
bool is_sum(const Product& p, const Shape& shape, bool calls_library = true) {
  const Dim &m = shape[shape.size() - 2], &n = shape.back(), k = depth_of(p);
  const bool inner = m.is(1) && n.is(1);
  const bool is_short = k.is_constant() && k.constant() <= most_short;
  const auto is_row_sum = [&](const Value& matrix) {
    return is_short || !calls_library || !is_stored(matrix);
  };
  const bool by_rows = inner || (n.is(1) && !p.trans_a && is_row_sum(p.a)) ||
                       (m.is(1) && p.trans_b && is_row_sum(p.b));
  const bool line = k.is(1) || by_rows || ((m.is(1) || n.is(1)) && (is_short || !calls_library));
  const bool few_terms = k.is_constant() && k.constant() <= most_coordinates;
  const auto is_of_points = [&](const Dim& d) {
    return few_terms && d.is_constant() && d.constant() <= most_coordinates;
  };
  return line || (is_small(m) && is_small(n) && is_small(k)) || is_of_points(m) || is_of_points(n);
}

// A sum of two whose one term is a product without other use, which stays one, and the other as
// large.
Expr product_plus(const Match& m) {
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() != 2) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Value &product = terms[i], &addend = terms[1 - i];
    if (!is_product(product) || !m.single_use(product) || number_of(addend)) continue;
    if (addend.shape() != m.root.shape() || product.shape() != m.root.shape()) continue;
    Product p = product_of(product);
    if (p.c || is_sum(p, product.shape())) continue;
    take_addend(p, addend);
    return gemm_of(p);
  }
  return {};
}

// What a term is a number times of.
std::pair<double, Value> scale_of(const Value& v) {
  if (v.is(op::negative)) return {-1, v.input(0)};
  if (v.is(op::multiply) && v.node().operands().size() == 2)
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto scale = number_of(v.input(1 - i)); scale && v.input(i).shape() == v.shape())
        return {*scale, v.input(i)};
  return {1, v};
}

// A product with an addend, plus a multiple of that same addend.
Expr product_plus_its_addend(const Match& m) {
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() != 2) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_product(terms[i]) || !m.single_use(terms[i])) continue;
    Product p = product_of(terms[i]);
    if (!p.c) continue;
    const auto [inner, c] = scale_of(p.c);
    const auto [outer, other] = scale_of(terms[1 - i]);
    if (!(c == other) || c.shape() != m.root.shape()) continue;
    p.c = c;
    p.beta = p.beta * inner + outer;
    return gemm_of(p);
  }
  return {};
}

// One factor of a sum of products over three axes: its extents, leading ones added.
Shape extents_in(const Value& factor, std::size_t rank) {
  Shape extents(rank - factor.shape().size(), Dim(1));
  extents.insert(extents.end(), factor.shape().begin(), factor.shape().end());
  return extents;
}

// A factor that spans the axes `first` and `second` of three, as the matrix [first, second].
Expr matrix_over(const Value& factor, std::size_t first, std::size_t second) {
  const Shape extents = extents_in(factor, 3);
  const Shape shape = {extents[std::min(first, second)], extents[std::max(first, second)]};
  const bool only_expanded =
      (factor.is(op::expand_dims) || factor.is(op::reshape)) && factor.input(0).shape() == shape;
  const Expr matrix = only_expanded ? Expr(factor.input(0)) : reshape(Expr(factor), shape);
  return first < second ? matrix : transpose(matrix, {1, 0});
}

// sum over r of x[i, r] y[r, j], written with broadcasts over three axes in any order.
Expr product_of_sum(const Match& m) {
  const Value& terms = m.root.input(0);
  const IntList& axes = axes_of(m.root);
  if (!is_float(m.root.dtype()) || axes.size() != 1 || m.root.node().attribute("keepdims").flag())
    return {};
  if (!terms.is(op::multiply) || terms.rank() != 3 || !m.single_use(terms)) return {};
  if (terms.node().operands().size() != 2) return {};
  const auto r = static_cast<std::size_t>(axes[0]);
  const std::size_t i = r == 0 ? 1 : 0, j = r == 2 ? 1 : 2;
  for (int swapped = 0; swapped < 2; ++swapped) {
    const Value &x = terms.input(swapped), &y = terms.input(1 - swapped);
    const Shape a = extents_in(x, 3), b = extents_in(y, 3);
    if (!a[j].is(1) || !b[i].is(1) || a[i].is(1) || b[j].is(1) || a[r].is(1) || !(a[r] == b[r]))
      continue;
    return matmul(matrix_over(x, i, r), matrix_over(y, r, j));
  }
  return {};
}

// --- products as sums ---

// The extents before the matrix, and behind them `last`.
Shape with_batch(const Value& v, std::initializer_list<Dim> last) {
  Shape shape(v.shape().begin(), v.shape().end() - 2);
  shape.insert(shape.end(), last);
  return shape;
}

// The sum over the inner axis of op(a) * op(b), of the product's shape. Nothing is transposed: the
// axes of the terms stand in the order that a, or the matrix of the two, has.
Expr sum_of_terms(const Product& p, const Dim& m, const Dim& n, const Dim& k) {
  const Expr a(p.a), b(p.b);
  const Shape result = with_batch(p.a, {m, n});
  if (k.is(1)) return reshape(a, with_batch(p.a, {m, 1})) * reshape(b, with_batch(p.b, {1, n}));
  if (m.is(1) && n.is(1)) {
    const Shape line = with_batch(p.a, {k});
    return reshape(sum(reshape(a, line) * reshape(b, line), -1), result);
  }
  if (n.is(1)) {
    if (p.trans_a) return reshape(sum(a * reshape(b, with_batch(p.b, {k, 1})), -2), result);
    return reshape(sum(a * reshape(b, with_batch(p.b, {1, k})), -1), result);
  }
  if (m.is(1)) {
    if (p.trans_b) return reshape(sum(reshape(a, with_batch(p.a, {1, k})) * b, -1), result);
    return reshape(sum(reshape(a, with_batch(p.a, {k, 1})) * b, -2), result);
  }
  const Expr right = p.trans_b ? swap_last(b) : b;
  if (p.trans_a) return sum(expand_dims(a, -1) * expand_dims(right, -2), -3);
  return sum(expand_dims(a, -1) * expand_dims(right, -3), -2);
}

Expr a_of(DType t) { return tensor("x", t, {Dim(4), Dim(4)}); }
Expr b_of(DType t) { return tensor("y", t, {Dim(4), Dim(4)}); }
Expr transposed_example(DType t) { return matmul(transpose(a_of(t)), b_of(t)); }
Expr transpose_example(DType t) { return transpose(matmul(a_of(t), b_of(t))); }
Expr scaled_example(DType t) { return 3 * matmul(a_of(t), b_of(t)); }
Expr negative_example(DType t) { return -matmul(a_of(t), b_of(t)); }
// Large enough to stay products.
Expr product_of_large(DType t) {
  return matmul(tensor("x", t, {Dim(9), Dim(9)}), tensor("y", t, {Dim(9), Dim(9)}));
}
Expr plus_example(DType t) { return product_of_large(t) + 2 * tensor("z", t, {Dim(9), Dim(9)}); }

Expr own_addend_example(DType t) {
  const Expr z = tensor("z", t, {Dim(9), Dim(9)});
  return z - 0.5 * (product_of_large(t) + 0.25 * z);
}

Expr sum_example(DType t) { return sum(expand_dims(a_of(t), 2) * expand_dims(b_of(t), 0), 1); }

RuleGroup make() {
  const std::vector<const Op*> products = {&op::dot, &op::gemm};
  return {
      "product",
      "Transposes, scales and sums that a matrix product takes along. Products are compared with "
      "the stated bound of the BLAS.",
      {
          rule("product_of_sum", Promise::accurate, {&op::sum}, product_of_sum,
               "sum over r of x[i, r] * y[r, j]", "dot(x, y)", sum_example),
          rule("transposed_operands", Promise::accurate, products, transposed_operands,
               "dot(transpose(x), y)", "gemm(x, y, trans_a)", transposed_example),
          rule("transpose_of_product", Promise::accurate, {&op::transpose}, transpose_of_product,
               "transpose(dot(x, y))", "gemm(y, x, trans_a, trans_b)", transpose_example),
          rule("scaled_gemm", Promise::accurate, {&op::multiply}, scaled_product, "c * dot(x, y)",
               "gemm(x, y, alpha=c)", scaled_example),
          rule("negative_gemm", Promise::accurate, {&op::negative}, negative_product, "-dot(x, y)",
               "gemm(x, y, alpha=-1)", negative_example),
          rule("product_plus", Promise::accurate, {&op::add}, product_plus, "dot(x, y) + c * z",
               "gemm(x, y, z, beta=c)", plus_example),
          rule("product_plus_its_addend", Promise::accurate, {&op::add}, product_plus_its_addend,
               "gemm(x, y, b * z) + c * z", "gemm(x, y, z, beta=beta * b + c)", own_addend_example),
      }};
}

}  // namespace

Expr as_sum(const Value& v, bool calls_library) {
  if (!is_product(v)) return {};
  const Product p = product_of(v);
  if (!is_sum(p, v.shape(), calls_library)) return {};
  Expr result = sum_of_terms(p, v.shape()[v.shape().size() - 2], v.shape().back(), depth_of(p));
  if (p.alpha != 1) result = result * p.alpha;
  if (!p.c || p.beta == 0) return result;
  return result + (p.beta == 1 ? Expr(p.c) : Expr(p.c) * p.beta);
}

const RuleGroup& product_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
