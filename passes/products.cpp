// Matrix products: transposes, scales and sums that a product of the BLAS takes along.
#include <algorithm>
#include <numeric>

#include "passes/facts.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "passes/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// alpha * A @ B + beta * C with the operands as stored.
struct Product {
  Value a, b, c;
  double alpha = 1, beta = 0;
  bool trans_a = false, trans_b = false;
};

// The BLAS has float32 and float64.
bool is_product(const Value& v) {
  return (v.is(op::dot) || v.is(op::gemm)) &&
         (v.dtype() == DType::float32 || v.dtype() == DType::float64);
}

Product product_of(const Value& v) {
  Product p;
  p.a = v.input(0);
  p.b = v.input(1);
  if (v.is(op::dot)) return p;
  const Node& node = v.node();
  if (node.operands().size() > 2) p.c = v.input(2);
  p.alpha = node.attribute("alpha").real();
  p.beta = node.attribute("beta").real();
  p.trans_a = node.attribute("trans_a").flag();
  p.trans_b = node.attribute("trans_b").flag();
  return p;
}

Expr gemm_of(const Product& p) {
  Attributes attributes;
  for (const AttributeSpec& spec : op::gemm.attributes) {
    if (spec.name == "alpha") attributes.emplace_back(p.alpha);
    if (spec.name == "beta") attributes.emplace_back(p.beta);
    if (spec.name == "trans_a") attributes.emplace_back(p.trans_a);
    if (spec.name == "trans_b") attributes.emplace_back(p.trans_b);
  }
  std::vector<Value> operands = {p.a, p.b};
  if (p.c) operands.push_back(p.c);
  return make_node(op::gemm, std::move(operands), std::move(attributes));
}

// Whether `v` exchanges the last two axes of its operand and nothing else.
bool is_matrix_transpose(const Value& v) {
  if (!v.is(op::transpose) || v.rank() < 2) return false;
  IntList plain(static_cast<std::size_t>(v.rank()));
  std::iota(plain.begin(), plain.end(), 0);
  std::swap(plain[plain.size() - 1], plain[plain.size() - 2]);
  return axes_of(v) == plain;
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

// A sum of two whose one term is a product without other use, and the other as large.
Expr product_plus(const Match& m) {
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() != 2) return {};
  for (std::size_t i = 0; i < 2; ++i) {
    const Value &product = terms[i], &addend = terms[1 - i];
    if (!is_product(product) || !m.single_use(product) || number_of(addend)) continue;
    if (addend.shape() != m.root.shape() || product.shape() != m.root.shape()) continue;
    Product p = product_of(product);
    if (p.c) continue;
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

Expr a_of(DType t) { return tensor("x", t, {Dim(4), Dim(4)}); }
Expr b_of(DType t) { return tensor("y", t, {Dim(4), Dim(4)}); }
Expr transposed_example(DType t) { return matmul(transpose(a_of(t)), b_of(t)); }
Expr transpose_example(DType t) { return transpose(matmul(a_of(t), b_of(t))); }
Expr scaled_example(DType t) { return 3 * matmul(a_of(t), b_of(t)); }
Expr negative_example(DType t) { return -matmul(a_of(t), b_of(t)); }
Expr plus_example(DType t) {
  return matmul(a_of(t), b_of(t)) + 2 * tensor("z", t, {Dim(4), Dim(4)});
}

Expr own_addend_example(DType t) {
  const Expr z = tensor("z", t, {Dim(4), Dim(4)});
  return z - 0.5 * (matmul(a_of(t), b_of(t)) + 0.25 * z);
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

const RuleGroup& product_rules() {
  static const RuleGroup group = make();
  return group;
}

Graph match_products(const Graph& graph, Context& context) {
  static const RuleSet rules({&product_rules()}, false);
  return rewrite(graph, rules, context, Flatten::no);
}

}  // namespace gnomon
