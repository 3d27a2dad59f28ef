// Type rules, promotion and errors of the ops.
#include <cmath>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "ir/graph/expr.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "tests/support/op_texts.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {}  // namespace

TEST_CASE("every record is complete and found by its name") {
  std::set<std::string_view> names;
  for (const Op* op : all_ops()) {
    CAPTURE(op->name);
    CHECK(names.insert(op->name).second);
    CHECK(find_op(op->name) == op);
    CHECK_FALSE(op->doc.empty());
    CHECK(bool(op->type));
    if (op->is_elementwise()) {
      CHECK(bool(op->scalar.host));
      CHECK(op->scalar.header.ends_with(".h"));
      CHECK(op->scalar.function == "gn::" + std::string(op->name));
    }
    if (op->linear != 0) CHECK(bool(op->transpose));
    if (op->vjp != nullptr) CHECK(bool(op->jvp));
  }
  CHECK(find_op("no_such_op") == nullptr);
}

TEST_CASE("arithmetic takes the common dtype, division and functions a float") {
  const Expr i = tensor("i", DType::int32, {3}), j = tensor("j", DType::int64, {3});
  const Expr f = tensor("f", DType::float32, {3}), d = tensor("d", DType::float64, {3});
  CHECK(type_of(i + j) == "i64[3]");
  CHECK(type_of(i * f) == "f32[3]");
  CHECK(type_of(f - d) == "f64[3]");
  CHECK(type_of(i / i) == "f64[3]");
  CHECK(type_of(exp(i)) == "f64[3]");
  CHECK(type_of(exp(f)) == "f32[3]");
  CHECK(type_of(floor(i)) == "i32[3]");
  CHECK(type_of(power(i, 2)) == "i32[3]");
  CHECK(type_of(f < d) == "bool[3]");
  CHECK(type_of(isfinite(i)) == "bool[3]");
  CHECK(type_of(logical_and(i, f)) == "bool[3]");
  CHECK(type_of(where(f > 0, i, d)) == "f64[3]");
  CHECK(type_of(maximum(i, f)) == "f32[3]");
  CHECK(type_of(i & j) == "i64[3]");
}

TEST_CASE("a plain number takes the dtype of its neighbour") {
  const Expr f = tensor("f", DType::float32, {3}), i = tensor("i", DType::int8, {3});
  CHECK(type_of(2.5 * f) == "f32[3]");
  CHECK(type_of(i + 1) == "i8[3]");
  CHECK(type_of(where(f > 0, f, 0)) == "f32[3]");
}

TEST_CASE("functions are found beside those of cmath") {
  const Expr x = gnomon::scalar("x");
  CHECK(same(log(x), gnomon::log(x)));
  CHECK(std::log(1.0) == 0);
  CHECK(same(log1p(x), log1p(x)));
}

TEST_CASE("operands broadcast, and the error names those that do not") {
  const Expr x = tensor("x", DType::float32, {4, 1}), y = tensor("y", DType::float32, {3});
  CHECK(type_of(x + y) == "f32[4, 3]");
  const Expr z = tensor("z", DType::float32, {5});
  CHECK(error_of([&] { (void)(y + z); }) == "add: extents differ: y: f32[3] and z: f32[5]");
}

TEST_CASE("dtypes that an op has no meaning for are rejected") {
  const Expr b = tensor("b", DType::bool_, {3}), f = tensor("f", DType::float32, {3});
  CHECK(error_of([&] { (void)(b - b); }) == "subtract: expected numbers, found b: bool[3]");
  CHECK(error_of([&] { (void)(f & f); }) ==
        "bitwise_and: expected integers or bools, found f: f32[3]");
  CHECK(error_of([&] { (void)left_shift(b, b); }) ==
        "left_shift: expected integers, found b: bool[3]");
}

TEST_CASE("reductions drop or keep their axes and widen sums") {
  const Expr x = tensor("x", DType::float32, {2, 3, 4}), s = tensor("s", DType::int8, {2, 3});
  CHECK(type_of(sum(x)) == "f32");
  CHECK(type_of(sum(x, -1)) == "f32[2, 3]");
  CHECK(type_of(max(x, {0, 2})) == "f32[3]");
  CHECK(type_of(mean(x, 1, keepdims)) == "f32[2, 1, 4]");
  CHECK(type_of(sum(s, 0)) == "i64[3]");
  CHECK(type_of(sum(cast(s, DType::uint8))) == "u64");
  CHECK(type_of(max(s)) == "i8");
  CHECK(type_of(mean(s)) == "f64");
  CHECK(type_of(any(x, 0)) == "bool[3, 4]");
  CHECK(type_of(argmax(x, 2)) == "i64[2, 3]");
  CHECK(type_of(softmax(s, 0)) == "f64[2, 3]");
  CHECK(same(sum(x, {2, 0}), sum(x, {0, -1})));
  CHECK_THROWS_AS(sum(x, 3), IndexError);
  CHECK_THROWS_AS(sum(x, {1, -2}), ValueError);
  CHECK_THROWS_AS(max(tensor("e", DType::float32, {0, 3}), 0), ValueError);
}

TEST_CASE("shapes") {
  const Expr x = tensor("x", DType::float32, {2, 3, 4});
  CHECK(type_of(reshape(x, {6, -1})) == "f32[6, 4]");
  CHECK(type_of(transpose(x)) == "f32[4, 3, 2]");
  CHECK(type_of(transpose(x, {1, 0, 2})) == "f32[3, 2, 4]");
  CHECK(type_of(expand_dims(x, -1)) == "f32[2, 3, 4, 1]");
  CHECK(type_of(squeeze(expand_dims(x, 1))) == "f32[2, 3, 4]");
  CHECK(type_of(concatenate({x, x}, 1)) == "f32[2, 6, 4]");
  CHECK(type_of(stack({x, x}, -1)) == "f32[2, 3, 4, 2]");
  CHECK(type_of(broadcast_to(x, {5, 2, 3, 4})) == "f32[5, 2, 3, 4]");
  CHECK(type_of(eye(3)) == "f64[3, 3]");
  CHECK(error_of([&] { (void)reshape(x, {5, 5}); }) ==
        "reshape: expected 25 elements for [5, 5], found 24 in x: f32[2, 3, 4]");
  CHECK_THROWS_AS(reshape(x, {7, -1}), ValueError);
  CHECK_THROWS_AS(squeeze(x, 0), ValueError);
  CHECK_THROWS_AS(transpose(x, {0, 0, 1}), ValueError);
  CHECK_THROWS_AS(broadcast_to(x, {2, 3, 5}), ValueError);
}

TEST_CASE("symbolic extents divide out of a reshape") {
  const Expr x = tensor3("x");
  const Dim n = x.dim(0), m = x.dim(1), k = x.dim(2);
  CHECK(reshape(x, {n, -1}).dim(1) == m * k);
  CHECK(reshape(x, {-1, k}).dim(0) == n * m);
  CHECK(reshape(reshape(x, {-1}), {n, m, k}).shape() == x.shape());
}

TEST_CASE("slices of symbolic extents agree where they must") {
  const Expr x = vector("x");
  const Dim n = x.dim(0);
  CHECK(x(range(1, n)).dim(0) == x(range(0, n - 1)).dim(0));
  CHECK(x(from(1)).dim(0) == x(until(-1)).dim(0));
  CHECK(x(all_of).dim(0) == n);
  CHECK(same(x(all_of), x));
  CHECK(x(range(0, n)).dim(0) == n);
  CHECK(type_of(x(-1)) == "f64");
}

TEST_CASE("indexing errors") {
  const Expr x = tensor("x", DType::float64, {2, 3});
  CHECK_THROWS_AS(x(2), IndexError);
  CHECK_THROWS_AS(x(0, -4), IndexError);
  CHECK_THROWS_AS(x(0, 0, 0), IndexError);
  CHECK_THROWS_AS(x(ellipsis, ellipsis), IndexError);
  CHECK_THROWS_AS(x(x(0) > 0), ValueError);
  CHECK(x(x > 0).rank() == 1);
  CHECK_THROWS_AS(x(range(0, 2, 0)), ValueError);
}

TEST_CASE("products") {
  const Expr a = tensor("a", DType::float32, {2, 3}), b = tensor("b", DType::float32, {3, 4});
  const Expr v = tensor("v", DType::float32, {3}), t = tensor("t", DType::float32, {5, 2, 3});
  CHECK(type_of(dot(a, b)) == "f32[2, 4]");
  CHECK(type_of(dot(a, v)) == "f32[2]");
  CHECK(type_of(dot(v, b)) == "f32[4]");
  CHECK(type_of(dot(v, v)) == "f32");
  CHECK(type_of(matmul(t, b)) == "f32[5, 2, 4]");
  CHECK(type_of(matmul(a, tensor("u", DType::float32, {7, 3, 4}))) == "f32[7, 2, 4]");
  CHECK(type_of(dot(a, tensor("u", DType::float32, {7, 3, 4}))) == "f32[2, 7, 4]");
  CHECK(type_of(tensordot(t, a, {2, 1}, {1, 0})) == "f32[5]");
  CHECK(type_of(outer(v, v)) == "f32[3, 3]");
  CHECK(type_of(dot(a, cast(b, DType::float64))) == "f64[2, 4]");
}

TEST_CASE("a product of sizes that differ names both") {
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", DType::float32, {n, 3}), w = tensor("w", DType::float32, {5, 2});
  CHECK(error_of([&] { (void)dot(x, w); }) ==
        "dot: inner sizes differ: x: f32[n, 3] and w: f32[5, 2]");
}

TEST_CASE("loops keep the types of their states") {
  const Expr x = tensor("x", DType::float64, {3});
  const Expr first[] = {x};
  const auto grow = [](Expr, std::span<const Expr> s) {
    return std::vector<Expr>{concatenate({s[0], s[0]})};
  };
  CHECK_THROWS_AS(fori(2, first, grow), ValueError);
  const auto none = [](Expr, std::span<const Expr>) { return std::vector<Expr>{}; };
  CHECK_THROWS_AS(fori(2, first, none), TypeError);
  const auto half = [](Expr, std::span<const Expr> s) { return std::vector<Expr>{s[0] / 2}; };
  CHECK(type_of(fori(scalar("k", DType::int64), first, half)[0]) == "f64[3]");
}

TEST_CASE("what does not change in a loop is captured once") {
  const Expr x = vector("x"), w = vector("w");
  const Expr first[] = {x};
  const Expr fixed = exp(w) * 2;
  const std::vector<Expr> y = fori(
      3, first, [&](Expr, std::span<const Expr> s) { return std::vector<Expr>{s[0] + fixed}; });
  const Node& node = y[0].value().node();
  bool captured = false;
  for (const Value& operand : node.operands()) captured = captured || operand == fixed.value();
  CHECK(captured);
}
