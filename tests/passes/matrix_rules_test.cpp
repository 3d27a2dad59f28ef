// Rules of linear algebra and of slices: what remains to be computed, what is refused still, and
// derivatives of their examples.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/reference/evaluate.h"
#include "passes/derivatives/gradient.h"
#include "passes/engine/matrix_facts.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/compiled_support.h"
#include "tests/support/rule_examples.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

Expr square_of(const char* name, Dim n = 4) { return tensor(name, float64, {n, n}); }

// What is left of an expression once rules have looked at it: names of ops, but for elementwise
// ones and movements.
std::string work_in(const Expr& e) {
  std::string text;
  for (const std::string& name : ops_of(after_pass("stabilize", e))) {
    const Op& op = *find_op(name);
    if (op.step != StepKind::none || op.expand != nullptr || op.write) text += name + " ";
  }
  return text;
}

// The message that both forms refuse the arguments with, or how they differ.
std::string refused(const Expr& e, const std::vector<Array>& arguments) {
  const auto message = [&](const Graph& graph) -> std::string {
    try {
      (void)evaluate(graph, arguments);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::string before = message(close({e})), after = message(run_passes(e));
  if (before == "no error") return before;
  return after;
}

Array diagonal_values(std::vector<double> values) { return Array::from(values); }

}  // namespace

TEST_CASE("matrices of a known form cost what that form costs") {
  const Expr a = square_of("a"), b = square_of("b"), v = tensor("v", float64, {4});
  CHECK(work_in(matmul(inv(a), b)) == "solve ");
  CHECK(work_in(matmul(b, inv(a))) == "solve ");
  CHECK(work_in(matmul(transpose(inv(a)), b)) == "solve ");
  CHECK(work_in(matmul(inv(tril(a)), b)) == "solve_triangular ");
  CHECK(work_in(solve(transpose(triu(a)), b)) == "solve_triangular ");
  CHECK(work_in(solve(diag(v), b)) == "check ");
  CHECK(work_in(matmul(matmul(diag(v), b), diag(v))) == "");
  CHECK(work_in(matmul(eye(4), b)) == "");
  CHECK(work_in(trace(matmul(a, b))) == "");
  CHECK(work_in(det(matmul(tril(a), triu(b)))) == "");
  const Expr l = cholesky(a);
  CHECK(work_in(log(det(matmul(l, transpose(l))))) == "cholesky ");
  CHECK(work_in(cholesky(matmul(l, transpose(l)))) == "cholesky ");
  CHECK(work_in(slogdet(kron(tril(a), triu(b))).logabsdet) == "");
  CHECK(work_in(solve(qr(a).q, b)) == "dot qr ");
  CHECK(work_in(transpose(inv(a + transpose(a)))) == "solve ");
  CHECK(work_in(eigvalsh(diag(v))) == "check sort ");
  CHECK(work_in(log(det(a))) == "slogdet ");
}

TEST_CASE("an inverse with other uses is computed once") {
  const Expr a = square_of("a"), b = square_of("b"), inverse = inv(a);
  const Graph graph = after_pass("stabilize", matmul(inverse, b) + inverse);
  CHECK(count_of(graph, op::solve) == 1);
  CHECK(count_of(graph, op::dot) == 1);
}

TEST_CASE("what has no result is refused whatever is known of the form") {
  const Expr v = tensor("v", float64, {3}), b = tensor("b", float64, {3, 2});
  const Array right = Array::from(std::vector<double>{1, 2, 3, 4, 5, 6}).reshape({3, 2});
  const double nan = std::nan("");
  CHECK(refused(solve(diag(v), b), {diagonal_values({1, 0, 2}), right}) ==
        "solve: the matrix is singular: 0 on the diagonal");
  CHECK(refused(solve(diag(v), b), {diagonal_values({1, 3, 2}), right}) == "no error");
  CHECK(refused(matmul(inv(diag(v)), b), {diagonal_values({0, 1, 2}), right}) ==
        "solve: the matrix is singular: 0 on the diagonal");
  CHECK(refused(cholesky(diag(v)), {diagonal_values({1, -1, 2})}) ==
        "cholesky: the matrix is not positive definite");
  CHECK(refused(cholesky(diag(v)), {diagonal_values({1, nan, 2})}) ==
        "cholesky: the matrix is not positive definite");
  CHECK(refused(eigvalsh(diag(v)), {diagonal_values({1, nan, 2})}) ==
        "eigvalsh: the matrix has numbers that are not finite");
  CHECK(refused(svd(diag(v)).u, {diagonal_values({1, inf, 2})}) ==
        "svd: the matrix has numbers that are not finite");
  // Nothing tells that a matrix is regular but its inverse.
  const Expr a = square_of("a", 2);
  const Array one = Array::from(std::vector<double>{1, 2, 2, 4}).reshape({2, 2});
  CHECK(refused(inv(inv(a)), {one}) != "no error");
  CHECK(refused(matmul(inv(a), a), {one}) != "no error");
  CHECK(work_in(inv(inv(inv(a)))) == "solve ");
}

TEST_CASE("forms are known by what made a matrix") {
  const Dim n = Dim::symbol("n");
  const Expr a = square_of("a", n), v = tensor("v", float64, {n});
  const auto facts = [](const Expr& e) {
    const MatrixFacts f = matrix_facts(e.value());
    std::string text;
    if (f.is_diagonal()) text += "diagonal ";
    if (f.is_lower() && !f.is_diagonal()) text += "lower ";
    if (f.is_upper() && !f.is_diagonal()) text += "upper ";
    if (f.symmetric) text += "symmetric ";
    if (f.orthogonal) text += "orthogonal ";
    if (f.regular) text += "regular ";
    if (f.positive_diagonal) text += "positive ";
    if (f.identity) text += "identity ";
    return text;
  };
  CHECK(facts(a) == "");
  CHECK(facts(eye(n)) == "diagonal symmetric orthogonal regular positive identity ");
  CHECK(facts(diag(v)) == "diagonal symmetric ");
  CHECK(facts(diag(v, 1)) == "upper ");
  CHECK(facts(diag(v, -2)) == "lower ");
  CHECK(facts(tril(a)) == "lower ");
  CHECK(facts(tril(a, 1)) == "");
  CHECK(facts(tril(a, -1)) == "lower ");
  CHECK(facts(triu(a)) == "upper ");
  CHECK(facts(triu(a, -1)) == "");
  CHECK(facts(triu(tril(a))) == "diagonal symmetric ");
  CHECK(facts(transpose(tril(a))) == "upper ");
  CHECK(facts(a + transpose(a)) == "symmetric ");
  CHECK(facts(a - transpose(a)) == "");
  CHECK(facts(matmul(a, transpose(a))) == "symmetric ");
  CHECK(facts(matmul(transpose(a), a)) == "symmetric ");
  CHECK(facts(matmul(a, a)) == "");
  CHECK(facts(matmul(tril(a), tril(a))) == "lower ");
  CHECK(facts(matmul(tril(a), triu(a))) == "");
  CHECK(facts(tril(a) + diag(v)) == "lower ");
  CHECK(facts(tril(a) * 3) == "lower ");
  CHECK(facts(tril(a) * a) == "lower ");
  CHECK(facts(cholesky(a)) == "lower regular positive ");
  CHECK(facts(inv(cholesky(a))) == "lower regular positive ");
  CHECK(facts(inv(a)) == "regular ");
  CHECK(facts(inv(matmul(a, transpose(a)))) == "symmetric regular ");
  CHECK(facts(qr(a).q) == "orthogonal regular ");
  CHECK(facts(qr(tensor("w", float64, {n, 2})).q) == "");
  CHECK(facts(qr(a).r) == "upper ");
  CHECK(facts(matmul(qr(a).q, svd(a).vh)) == "orthogonal regular ");
  CHECK(facts(eigh(a).vectors) == "orthogonal regular ");
  CHECK(facts(expm(a + transpose(a))) == "symmetric regular ");
  CHECK(facts(-eye(n)) == "diagonal symmetric orthogonal regular ");
}

TEST_CASE("only what is read is computed") {
  const Expr a = tensor("a", float64, {6, 5}), b = tensor("b", float64, {5, 8}),
             c = tensor("c", float64, {6, 5});
  const auto shape_in = [](const Expr& e, const Op& op) {
    Context context = checked_context();
    const Graph graph = run_pass("lift", after_pass("stabilize", e), context);
    for (const Node* node : graph.topological_order())
      if (&node->op() == &op) return text(node->type().shape);
    return std::string("none");
  };
  CHECK(shape_in(exp(a)(range(1, 3)), op::exp) == "[2, 5]");
  CHECK(shape_in(exp(a + c(0))(range(1, 3), 2), op::exp) == "[2, 1]");
  CHECK(shape_in(sum(exp(a), 1)(range(1, 3)), op::exp) == "[2, 5]");
  CHECK(shape_in(sum(exp(a), 0, keepdims)(all_of, 2), op::exp) == "[6, 1]");
  CHECK(shape_in(softmax(a, 1)(2), op::softmax) == "[1, 5]");
  CHECK(shape_in(softmax(a, 0)(2), op::softmax) == "[6, 5]");
  CHECK(shape_in(matmul(a, b)(2, range(1, 4)), op::dot) == "[1, 3]");
  CHECK(shape_in(matmul(a, b)(range(1, 6)), op::dot) == "[6, 8]");
  CHECK(shape_in(transpose(exp(a))(2), op::exp) == "[6, 1]");
  CHECK(shape_in(concatenate({exp(a), c})(range(7, 9)), op::exp) == "none");
  CHECK(shape_in(stack({exp(a), c})(0), op::concatenate) == "none");
  CHECK(shape_in(diagonal(exp(matmul(a, transpose(c)))), op::exp) == "[6]");
  CHECK(work_in(diagonal(diag(b(0)))) == "");
  CHECK(work_in(take(a, arange(6))) == "");
  CHECK(ops_of(after_pass("stabilize", take_along_axis(a, expand_dims(arange(5), 0), 1))).empty());
  CHECK(work_in(set_at(set_at(a, {0}, c(0)), {0}, c(1))) == "set_slice ");
  CHECK(work_in(set_at(a, {range(0, 3)}, 0)(range(3, 6))) == "");
  CHECK(work_in(set_at(a, {range(0, 3)}, 0)(range(2, 4))) == "set_slice ");
  CHECK(work_in(inc_at(0 * a, {2}, 1) + c) == "inc_slice ");
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  const Expr x = tensor("x", float64, {n}), y = tensor("y", float64, {m});
  CHECK(work_in(concatenate({x, y})(until(n))) == "");
  CHECK(work_in(concatenate({x, y})(from(n))) == "");
  CHECK(work_in(concatenate({x(until(1)), x(from(1))})) == "concatenate ");
}

TEST_CASE("what is read between the steps of a slice that is written is not of it") {
  const Expr a = tensor("a", float64, {20}), b = tensor("b", float64, {5});
  const Expr even = set_at(a, {range(2, 12, 2)}, b);
  CHECK(work_in(even(range(3, 12, 2))).empty());
  CHECK(work_in(even(5)).empty());
  CHECK(work_in(even(range(2, 12, 4))).empty());
  CHECK(work_in(even(6)).empty());
  CHECK(work_in(even(range(2, 9, 3))) == "set_slice ");  // some of it, and some that is not
  CHECK(work_in(even(range(0, 12, 2))) == "set_slice ");
  Samples samples(71);
  const Dim n = Dim::symbol("n");
  Batch batch("steps");
  const Range odd{1, {}, 2};
  const Expr x = batch.input("x", samples.any(float64, {40}), {n});
  const Expr y = exp(x(odd)), white = set_at(x, {odd}, y);
  batch.add("apart", white(Range{0, {}, 2}));
  batch.add("all", white(odd));
  batch.add("half", white(Range{1, {}, 4}));
  batch.add("backwards", white(Range{{}, {}, -2}));
  batch.add("one", white(5));
  batch.add("another", white(6));
  batch.add("increased", inc_at(x, {odd}, y)(Range{3, {}, 4}));
  const Expr turned = set_at(x, {Range{{}, {}, -3}}, exp(x(Range{{}, {}, -3})));
  batch.add("of turned", turned(Range{{}, {}, -6}));
  batch.add("turned back", turned(Range{mod(n - 1, 3), {}, 3}));
  CHECK(batch.check());
  for (const std::int64_t length : {7, 8, 9, 13})
    CHECK(batch.check_with({samples.any(float64, {length})}));
}

TEST_CASE("reading beyond the end is refused still") {
  const Expr a = tensor("a", float64, {6}), i = tensor("i", int64, {2});
  const Array values = Array::from(std::vector<double>{1, 2, 3, 4, 5, 6});
  const Array bad = Array::from(std::vector<std::int64_t>{1, 6});
  CHECK(refused(take(a, arange(7)), {values}) != "no error");
  CHECK(refused(take(exp(a), i), {values, bad}) != "no error");
  const Expr written = set_index(a, constant(1.0, float64), {0}, std::array{i});
  CHECK(refused(index(written, {0}, std::array{i}), {values, bad}) != "no error");
}

TEST_CASE("derivatives of what rules rewrite are those of what was written") {
  for (const RuleGroup* group :
       {&slice_rules(), &index_rules(), &linalg_rules(), &reduction_rules()}) {
    for (const Rule& rule : group->rules) {
      const Expr example = example_of(rule, DType::float64);
      if (!example.defined() || !is_float(example.dtype())) continue;
      std::vector<Expr> wrt;
      for (const Expr& input : inputs_of(std::array{example}))
        if (is_float(input.dtype())) wrt.push_back(input);
      const Expr weights =
          sin(1 + reshape(arange(element_count(example.shape()), float64), example.shape()));
      const std::vector<Expr> gradients = grad(sum(example * weights), wrt, {Disconnected::zero});
      const std::vector<Expr> inputs = inputs_of(gradients);
      if (inputs.empty()) continue;
      const Graph graph = capture(inputs, gradients).graph;
      Context context = checked_context();
      const Graph rewritten = run_passes(graph, context);
      Samples random(5);
      std::vector<Array> arguments;
      for (const Parameter& p : graph.parameters) {
        std::vector<std::int64_t> shape;
        for (const Dim& d : p.type.shape) shape.push_back(d.constant());
        arguments.push_back(random.small(p.type.dtype, shape));
      }
      const std::vector<Array> before = evaluate(graph, arguments),
                               after = evaluate(rewritten, arguments);
      for (std::size_t k = 0; k < before.size(); ++k) {
        CAPTURE(rule.name);
        CHECK(difference(after[k], before[k], 1e-8) == "");
      }
    }
  }
}
