// Rules of linear algebra: products, systems and factors of matrices whose form is known by the
// operations that made them.
#include <algorithm>

#include "ir/op/forms.h"
#include "passes/engine/facts.h"
#include "passes/engine/matrix_facts.h"
#include "passes/engine/rule.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

using V = const Value&;

V left(const Match& m) { return m.root.input(0); }
V right(const Match& m) { return m.root.input(1); }

// Which triangle `solve_triangular` reads, and whether a system is of the transposed matrix.
bool is_lower(const Value& system) { return routine_form(system.node()).lower; }
bool is_transposed(const Value& system) { return routine_form(system.node()).transposed; }

Expr turned(const Expr& x, bool transposed) { return transposed ? swap_last(x) : x; }

Expr solved(V a, const Expr& b, bool transposed) {
  return applied(op::solve, Expr(a), b, {transposed});
}

// `x` where all of the condition holds: what a routine would have refused is refused still.
Expr refusing(const Expr& x, const Expr& condition, const Op& op, std::string_view why) {
  return check(x, condition, std::string(op.name) + ": " + std::string(why));
}

constexpr std::string_view singular = "the matrix is singular: 0 on the diagonal";
constexpr std::string_view not_finite = "the matrix has numbers that are not finite";

// ---------------------------------------------------------------------------------------- products

Expr product_with_diagonal(const Match& m) {
  const MatrixFacts a = matrix_facts(left(m)), b = matrix_facts(right(m));
  if (a.identity) return right(m);
  if (b.identity) return left(m);
  if (is_square(left(m)) && a.is_diagonal())
    return scale_rows(diagonals_of(left(m)), Expr(right(m)));
  if (is_square(right(m)) && b.is_diagonal())
    return scale_columns(Expr(left(m)), diagonals_of(right(m)));
  return {};
}

Expr product_with_zeros(const Match& m) {
  if (number_of(left(m)) != 0.0 && number_of(right(m)) != 0.0) return {};
  return full(m.root.shape(), Expr(number_value(0, m.root.dtype())));
}

// An inverse that is there for one product.
Expr product_with_inverse(const Match& m) {
  if (const auto inverse = as_inverse(left(m)); inverse && m.single_use(left(m)))
    return inverse->solution(Expr(right(m)));
  const auto inverse = as_inverse(right(m));
  if (!inverse || !m.single_use(right(m))) return {};
  return swap_last(inverse->solution(swap_last(Expr(left(m))), true));
}

// Q^T Q of what `qr` gives, which has a result for any matrix.
Expr product_of_orthogonal(const Match& m) {
  const bool gram = is_matrix_transpose(left(m)) && left(m).input(0) == right(m);
  const bool square = is_matrix_transpose(right(m)) && right(m).input(0) == left(m);
  V q = gram ? right(m) : left(m);
  if ((!gram && !square) || !q.is(op::qr) || q.index() != 0) return {};
  if (square && !is_square(q)) return {};
  return identity_like(Expr(m.root), m.root.shape().back());
}

// Elements of a product on one diagonal are sums over rows and columns.
Expr diagonal_of_product(const Match& m) {
  V product = m.root.input(0);
  const std::int64_t rank = product.rank();
  if (!product.is(op::dot) || !m.single_use(product) ||
      axes_of(m.root) != IntList{rank - 2, rank - 1})
    return {};
  const auto row = run_of(m.root.input(1)), column = run_of(m.root.input(2));
  if (!row || !column || m.root.input(1).rank() != 1 || m.root.input(2).rank() != 1) return {};
  const Expr rows[] = {Expr(m.root.input(1))}, columns[] = {Expr(m.root.input(2))};
  const Expr a = index(Expr(product.input(0)), {rank - 2}, rows);
  const Expr b = index(swap_last(Expr(product.input(1))), {rank - 2}, columns);
  return sum(a * b, -1);
}

Expr transpose_of_symmetric(const Match& m) {
  return is_matrix_transpose(m.root) && matrix_facts(left(m)).symmetric ? Expr(left(m)) : Expr();
}

// The transpose of an inverse is the inverse of the transpose, which a routine reads as it is.
Expr transpose_of_inverse(const Match& m) {
  const auto inverse = as_inverse(left(m));
  if (!inverse || !is_matrix_transpose(m.root) || !m.single_use(left(m))) return {};
  return inverse->solution(Expr(inverse->system.input(1)), true);
}

// ----------------------------------------------------------------------------------------- systems

Expr system_of_transpose(const Match& m) {
  if (!is_matrix_transpose(left(m))) return {};
  Attributes attributes = m.root.node().attributes();
  attributes.back() = Attribute(!is_transposed(m.root));
  if (m.root.is(op::solve_triangular)) attributes.front() = Attribute(!attributes.front().flag());
  return make_node(m.root.op(), {left(m).input(0), right(m)}, std::move(attributes));
}

// What is known of the matrix of a system, of which `solve_triangular` reads one triangle.
MatrixFacts facts_of_system(const Value& system) {
  MatrixFacts facts = matrix_facts(system.input(0));
  if (!system.is(op::solve_triangular)) return facts;
  if (is_lower(system))
    facts.low = std::max<std::int64_t>(facts.low, 0);
  else
    facts.high = std::min<std::int64_t>(facts.high, 0);
  return facts;
}

Expr system_of_diagonal(const Match& m) {
  const MatrixFacts facts = facts_of_system(m.root);
  if (facts.identity) return right(m);
  if (!facts.is_diagonal()) return {};
  const Expr d = diagonals_of(left(m));
  return refusing(Expr(right(m)) / expand_dims(d, -1), not_equal(d, 0), m.root.op(), singular);
}

Expr solve_of_triangular(const Match& m) {
  const MatrixFacts facts = matrix_facts(left(m));
  if (!facts.is_triangular() || facts.is_diagonal()) return {};
  return make_node(op::solve_triangular, {left(m), right(m)},
                   {facts.is_lower(), is_transposed(m.root)});
}

Expr solve_of_orthogonal(const Match& m) {
  if (!matrix_facts(left(m)).orthogonal) return {};
  return matmul(turned(Expr(left(m)), !is_transposed(m.root)), Expr(right(m)));
}

// A matrix that is known to have an inverse is that of its inverse.
Expr system_of_inverse(const Match& m) {
  const auto inverse = as_inverse(left(m));
  if (!inverse || !matrix_facts(inverse->of).regular) return {};
  if (m.root.is(op::solve_triangular)) {
    const MatrixFacts facts = matrix_facts(left(m));
    if (is_lower(m.root) ? !facts.is_lower() : !facts.is_upper()) return {};
  }
  return matmul(turned(Expr(inverse->of), inverse->transposed != is_transposed(m.root)),
                Expr(right(m)));
}

Expr inverse_of_kron(const Match& m) {
  const auto factors = as_kron(left(m));
  if (!factors || !as_inverse(m.root)) return {};
  const auto [a, b] = *factors;
  if (!is_square(a) || !is_square(b)) return {};
  const auto inverse = [&](V x) {
    return solved(x, eye(x.shape().back(), x.dtype()), is_transposed(m.root));
  };
  return kron(inverse(a), inverse(b));
}

Expr solve_of_blocks(const Match& m) {
  const std::vector<Value> blocks = diagonal_blocks(left(m));
  if (blocks.empty()) return {};
  std::vector<Expr> parts;
  Dim offset = 0;
  for (V block : blocks) {
    const Dim& n = block.shape().back();
    parts.push_back(solved(block, rows_of(Expr(right(m)), offset, n), is_transposed(m.root)));
    offset = offset + n;
  }
  return concatenate(parts, m.root.rank() - 2);
}

// One matrix for a whole batch of right-hand sides: all their columns are those of one system.
Expr system_of_broadcast(const Match& m) {
  V a = left(m);
  const std::int64_t rank = a.rank();
  if (!a.is(op::broadcast_to) || a.input(0).rank() != 2 || rank == 2 || !is_square(a.input(0)))
    return {};
  const Expr b(right(m));
  IntList there, back;  // the rows first, and to their place
  there.push_back(rank - 2);
  for (std::int64_t i = 0; i < rank - 2; ++i) there.push_back(i), back.push_back(i + 1);
  there.push_back(rank - 1), back.push_back(0), back.push_back(rank - 1);
  const Expr beside = transpose(b, there);
  const Dim columns = element_count(std::span(beside.shape()).subspan(1));
  const Expr x = applied(m.root.op(), Expr(a.input(0)),
                         reshape(beside, {beside.shape()[0], columns}), m.root.node().attributes());
  return transpose(reshape(x, beside.shape()), back);
}

// ------------------------------------------------------------------------------------ determinants

// What of a determinant is asked for: itself, its sign, or the logarithm of its size.
class Determinants {
 public:
  explicit Determinants(const Value& root) : root_(root) {}

  Expr of(V a) const {
    const Value made = make_node(root_.op(), {a});
    return Expr(Value(made.get(), root_.index()));
  }
  Expr of_diagonal(const Expr& d) const {
    if (is_log()) return sum(log(absolute(d)), -1);
    return prod(root_.is(op::det) ? d : sign(d), -1);
  }
  Expr product(const Expr& x, const Expr& y) const { return is_log() ? x + y : x * y; }
  Expr power(const Expr& x, const Dim& n) const {
    const Expr exponent = cast(extent(n), x.dtype());
    return is_log() ? x * exponent : gnomon::power(x, exponent);
  }
  Expr inverse(const Expr& x) const {
    return is_log() ? -x : root_.is(op::det) ? reciprocal(x) : x;
  }
  bool is_log() const { return root_.is(op::slogdet) && root_.index() == 1; }

 private:
  const Value& root_;
};

Expr det_of_transpose(const Match& m) {
  return is_matrix_transpose(left(m)) ? Determinants(m.root).of(left(m).input(0)) : Expr();
}

Expr det_of_triangular(const Match& m) {
  if (!matrix_facts(left(m)).is_triangular()) return {};
  return Determinants(m.root).of_diagonal(diagonals_of(left(m)));
}

Expr det_of_product(const Match& m) {
  if (!left(m).is(op::dot) || !is_square(left(m).input(0))) return {};
  const Determinants d(m.root);
  return d.product(d.of(left(m).input(0)), d.of(left(m).input(1)));
}

Expr det_of_inverse(const Match& m) {
  const auto inverse = as_inverse(left(m));
  if (!inverse || !matrix_facts(inverse->of).regular) return {};
  const Determinants d(m.root);
  return d.inverse(d.of(inverse->of));
}

Expr det_of_kron(const Match& m) {
  const auto factors = as_kron(left(m));
  if (!factors || !is_square(factors->first) || !is_square(factors->second)) return {};
  const Determinants d(m.root);
  const auto [a, b] = *factors;
  return d.product(d.power(d.of(a), b.shape().back()), d.power(d.of(b), a.shape().back()));
}

Expr det_of_blocks(const Match& m) {
  const std::vector<Value> blocks = diagonal_blocks(left(m));
  if (blocks.empty()) return {};
  const Determinants d(m.root);
  Expr total;
  for (V block : blocks) total = total.defined() ? d.product(total, d.of(block)) : d.of(block);
  return total;
}

Expr log_size_of_orthogonal(const Match& m) {
  if (m.root.index() != 1 || !matrix_facts(left(m)).orthogonal) return {};
  return full(m.root.shape(), constant(0.0, m.root.dtype()));
}

// log and sign of a determinant, or of its size, by way of slogdet: nothing overflows.
Expr function_of_det(const Match& m) {
  const bool of_size = left(m).is(op::absolute);
  V x = of_size ? left(m).input(0) : left(m);
  if (!x.is(op::det)) return {};
  const SlogDet parts = slogdet(Expr(x.input(0)));
  if (m.root.is(op::sign)) return of_size ? Expr() : parts.sign;
  return of_size ? parts.logabsdet : parts.logabsdet + log(parts.sign);
}

// ----------------------------------------------------------------------------------------- factors

// L of L L^T, and U^T of U^T U.
Expr cholesky_of_product(const Match& m) {
  V product = left(m);
  if (!product.is(op::dot)) return {};
  V a = product.input(0), b = product.input(1);
  const bool gram =
      (is_matrix_transpose(b) && b.input(0) == a) || (is_matrix_transpose(a) && a.input(0) == b);
  const MatrixFacts facts = matrix_facts(a);
  return gram && facts.is_lower() && facts.positive_diagonal ? Expr(a) : Expr();
}

Expr diagonal_like(const Expr& d, const Value& like) {
  return broadcast_to(diagonal_matrix(d), like.shape());
}

Expr cholesky_of_diagonal(const Match& m) {
  if (!matrix_facts(left(m)).is_diagonal()) return {};
  const Expr d = diagonals_of(left(m));
  return refusing(diagonal_like(sqrt(d), m.root), d > 0, op::cholesky,
                  "the matrix is not positive definite");
}

Expr expm_of_diagonal(const Match& m) {
  if (!matrix_facts(left(m)).is_diagonal()) return {};
  return diagonal_like(exp(diagonals_of(left(m))), m.root);
}

// No rows change places, and nothing is left to eliminate.
Expr factors_of_upper(const Match& m) {
  if (!matrix_facts(left(m)).is_upper() || !is_square(left(m))) return {};
  const Dim& n = left(m).shape().back();
  if (m.root.is(op::lu_factor))
    return m.root.index() == 0 ? Expr(left(m)) : broadcast_to(arange(n), m.root.shape());
  return m.root.index() == 1 ? Expr(left(m)) : identity_like(Expr(left(m)), n);
}

// Rows (i) or columns (j) of the identity in the order of places [..., n].
Expr selected(const Expr& places, bool rows, DType t) {
  const Expr places_of_rows = expand_dims(arange(places.dim(-1)), 1), here = arange(places.dim(-1));
  const Expr mask =
      rows ? equal(expand_dims(places, -1), here) : equal(places_of_rows, expand_dims(places, -2));
  return cast(mask, t);
}

// Eigenvalues are the diagonal in ascending order; singular values its sizes in descending order.
Expr spectrum_of_diagonal(const Match& m) {
  if (!matrix_facts(left(m)).is_diagonal() || !is_square(left(m))) return {};
  const Expr d = diagonals_of(left(m));
  const DType t = d.dtype();
  const Op& op = m.root.op();
  const bool singular_values = &op == &op::svd || &op == &op::svdvals;
  const Expr key = singular_values ? -absolute(d) : d;
  const bool of_values = &op == &op::eigvalsh || &op == &op::svdvals;
  Expr result;
  if (of_values || m.root.index() == (singular_values ? 1u : 0u)) {
    const Expr sorted = sort(key);
    result = singular_values ? -sorted : sorted;
  } else {
    const Expr order = argsort(key);
    result = selected(order, singular_values && m.root.index() == 2, t);
    if (singular_values && m.root.index() == 2)
      result = result * expand_dims(where(d < 0, constant(-1.0, t), 1), -2);
  }
  return refusing(result, isfinite(d), op, not_finite);
}

// ---------------------------------------------------------------------------------------- examples

Expr a_of(DType t) { return tensor("a", t, {Dim(4), Dim(4)}) + 4 * eye(4, t); }
Expr b_of(DType t) { return tensor("b", t, {Dim(4), Dim(3)}); }
Expr square_b(DType t) { return tensor("b", t, {Dim(4), Dim(4)}) - 4 * eye(4, t); }
Expr v_of(DType t) { return tensor("v", t, {Dim(4)}); }
Expr regular_diagonal(DType t) { return diag(square(v_of(t)) + 0.5); }
Expr factor_of(DType t) {
  const Expr a = a_of(t);
  return cholesky(matmul(a, transpose(a)) + eye(4, t));
}
Expr blocks_of(DType t) {
  const Expr c = tensor("c", t, {Dim(2), Dim(2)}) + 4 * eye(2, t), none = constant(0.0, t);
  return concatenate(
      {concatenate({a_of(t), full({4, 2}, none)}, 1), concatenate({full({2, 4}, none), c}, 1)}, 0);
}
Expr kron_of(DType t) { return kron(a_of(t), tensor("c", t, {Dim(2), Dim(2)}) + 4 * eye(2, t)); }

template <auto f>
Expr example(DType t) {
  return f(t);
}

RuleGroup make() {
  const std::vector<const Op*> systems = {&op::solve, &op::solve_triangular},
                               dets = {&op::det, &op::slogdet};
  return {
      "linalg",
      "Products, systems, determinants and factors of matrices of a known form. Values are "
      "compared "
      "by the norm of a matrix.",
      {
          rule("product_with_diagonal", Promise::finite, {&op::dot}, product_with_diagonal,
               "dot(diag(v), x), dot(x, eye)", "expand_dims(v, -1) * x, x",
               example<[](DType t) { return matmul(diag(v_of(t)), b_of(t)); }>)
              .except("inf and NaN beside zeros"),
          rule("product_with_zeros", Promise::finite, {&op::dot}, product_with_zeros,
               "dot(x, zeros)", "zeros", example<[](DType t) {
                 return matmul(a_of(t), full({4, 3}, constant(0.0, t))) + b_of(t);
               }>)
              .except("inf, NaN"),
          rule("product_with_inverse", Promise::accurate, {&op::dot}, product_with_inverse,
               "dot(inv(a), b)", "solve(a, b) when inv(a) has no other use",
               example<[](DType t) { return matmul(inv(a_of(t)), b_of(t)); }>),
          rule("product_of_orthogonal", Promise::accurate, {&op::dot}, product_of_orthogonal,
               "dot(transpose(q), q)", "eye for q of qr(x)", example<[](DType t) {
                 const Expr q = qr(b_of(t)).q;
                 return matmul(transpose(q), q) + tensor("c", t, {Dim(3), Dim(3)});
               }>),
          rule("diagonal_of_product", Promise::accurate, {&op::index}, diagonal_of_product,
               "diagonal(dot(x, y)), trace(dot(x, y))", "sum(x * transpose(y), -1)",
               example<[](DType t) { return trace(matmul(a_of(t), square_b(t))); }>),
          rule("transpose_of_symmetric", Promise::accurate, {&op::transpose},
               transpose_of_symmetric, "transpose(x)", "x for symmetric x", example<[](DType t) {
                 const Expr a = tensor("a", t, {Dim(4), Dim(4)});
                 return transpose(a + transpose(a) + diag(v_of(t))) / 2;
               }>),
          rule("transpose_of_inverse", Promise::accurate, {&op::transpose}, transpose_of_inverse,
               "transpose(inv(a))", "solve(a, eye, transposed)",
               example<[](DType t) { return transpose(inv(a_of(t))); }>),
          rule("system_of_transpose", Promise::accurate, systems, system_of_transpose,
               "solve(transpose(a), b)", "solve(a, b, transposed)",
               example<[](DType t) { return solve(transpose(a_of(t)), b_of(t)); }>),
          rule("system_of_diagonal", Promise::finite, systems, system_of_diagonal,
               "solve(diag(v), b)", "b / expand_dims(v, -1), checked for zeros",
               example<[](DType t) { return solve(regular_diagonal(t), b_of(t)); }>)
              .except("inf and NaN"),
          rule("system_of_inverse", Promise::accurate, systems, system_of_inverse,
               "solve(inv(a), b), inv(inv(a))", "dot(a, b), a for a that is known to be regular",
               example<[](DType t) { return solve(inv(factor_of(t)), b_of(t)); }>),
          rule("solve_of_triangular", Promise::accurate, {&op::solve}, solve_of_triangular,
               "solve(l, b)", "solve_triangular(l, b) for triangular l",
               example<[](DType t) { return solve(tril(a_of(t)), b_of(t)); }>),
          rule("solve_of_orthogonal", Promise::accurate, {&op::solve}, solve_of_orthogonal,
               "solve(q, b)", "dot(transpose(q), b) for orthogonal q",
               example<[](DType t) { return solve(qr(a_of(t)).q, b_of(t)); }>),
          rule("inverse_of_kron", Promise::accurate, {&op::solve}, inverse_of_kron,
               "inv(kron(a, b))", "kron(inv(a), inv(b))",
               example<[](DType t) { return inv(kron_of(t)); }>),
          rule("solve_of_blocks", Promise::accurate, {&op::solve}, solve_of_blocks,
               "solve(block_diag(a, c), b)", "concatenate([solve(a, b[:n]), solve(c, b[n:])])",
               example<[](DType t) {
                 return solve(blocks_of(t), tensor("b", t, {Dim(6), Dim(3)}));
               }>),
          rule("system_of_broadcast", Promise::accurate, systems, system_of_broadcast,
               "solve(broadcast_to(a, s), b)", "solve(a, columns of all b)", example<[](DType t) {
                 return solve(a_of(t), tensor("b", t, {Dim(5), Dim(4), Dim(2)}));
               }>),
          rule("det_of_transpose", Promise::accurate, dets, det_of_transpose, "det(transpose(a))",
               "det(a)", example<[](DType t) { return det(transpose(a_of(t))); }>),
          rule("det_of_triangular", Promise::accurate, dets, det_of_triangular, "det(l)",
               "prod(diagonal(l)) for triangular l",
               example<[](DType t) { return det(triu(a_of(t))); }>),
          rule("det_of_product", Promise::finite, dets, det_of_product, "det(dot(a, b))",
               "det(a) * det(b)",
               example<[](DType t) { return det(matmul(a_of(t), square_b(t))); }>)
              .except("determinants that leave the range"),
          rule("det_of_inverse", Promise::finite, dets, det_of_inverse, "det(inv(a))",
               "1 / det(a) for a that is known to be regular",
               example<[](DType t) { return det(inv(expm(a_of(t) / 8))); }>)
              .except("determinants that leave the range"),
          rule("det_of_kron", Promise::finite, dets, det_of_kron, "det(kron(a, b))",
               "power(det(a), n) * power(det(b), m)",
               example<[](DType t) { return det(kron_of(t)); }>)
              .except("determinants that leave the range"),
          rule("det_of_blocks", Promise::finite, dets, det_of_blocks, "det(block_diag(a, b))",
               "det(a) * det(b)", example<[](DType t) { return det(blocks_of(t)); }>)
              .except("determinants that leave the range"),
          rule("log_size_of_orthogonal", Promise::accurate, {&op::slogdet}, log_size_of_orthogonal,
               "slogdet(q)", "0 for the logarithm of an orthogonal q",
               example<[](DType t) { return slogdet(qr(a_of(t)).q).logabsdet + v_of(t); }>),
          rule("function_of_det", Promise::accurate, {&op::log, &op::sign}, function_of_det,
               "log(det(a)), log(absolute(det(a))), sign(det(a))", "slogdet(a)",
               example<[](DType t) { return log(det(a_of(t))); }>),
          rule("cholesky_of_product", Promise::accurate, {&op::cholesky}, cholesky_of_product,
               "cholesky(dot(l, transpose(l)))", "l, lower with a diagonal above 0",
               example<[](DType t) {
                 const Expr l = factor_of(t);
                 return cholesky(matmul(l, transpose(l)));
               }>),
          rule("cholesky_of_diagonal", Promise::accurate, {&op::cholesky}, cholesky_of_diagonal,
               "cholesky(diag(v))", "diag(sqrt(v)), checked",
               example<[](DType t) { return cholesky(regular_diagonal(t)); }>),
          rule("expm_of_diagonal", Promise::finite, {&op::expm}, expm_of_diagonal, "expm(diag(v))",
               "diag(exp(v))", example<[](DType t) { return expm(diag(v_of(t))); }>)
              .except("inf and NaN"),
          rule("factors_of_upper", Promise::accurate, {&op::qr, &op::lu_factor}, factors_of_upper,
               "qr(u), lu_factor(u)", "eye and u, u and arange for upper triangular u",
               example<[](DType t) { return lu_factor(triu(a_of(t))).lu; }>),
          rule("spectrum_of_diagonal", Promise::accurate,
               {&op::eigh, &op::eigvalsh, &op::svd, &op::svdvals}, spectrum_of_diagonal,
               "eigh(diag(v)), svd(diag(v))", "sort(v), eye in that order, checked",
               example<[](DType t) { return svdvals(diag(v_of(t))); }>),
      }};
}

}  // namespace

const RuleGroup& linalg_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
