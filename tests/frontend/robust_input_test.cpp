// Wrong use through the public interface: which error, and what its text says.
#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/toolchain/target.h"
#include "tests/support/robust_support.h"

using namespace gnomon;
using namespace robust;

namespace {

const Expr x = matrix("x"), y = vector("y"), z = vector("z"), w = scalar("w");
const Expr i = vector("i", int64), k = scalar("k", int64), f = vector("f", float32);

// "TypeError: text" of what a call throws.
std::string error_text(const std::function<void()>& action) {
  try {
    action();
  } catch (const TypeError& e) {
    return std::string("TypeError: ") + e.what();
  } catch (const IndexError& e) {
    return std::string("IndexError: ") + e.what();
  } catch (const ValueError& e) {
    return std::string("ValueError: ") + e.what();
  } catch (const CompileError& e) {
    return std::string("CompileError: ") + e.what();
  } catch (const DeviceError& e) {
    return std::string("DeviceError: ") + e.what();
  } catch (const InternalError& e) {
    return std::string("InternalError: ") + e.what();
  }
  return "no error";
}

// The text begins with `start` and, where it is about an expression, names this file and `line`.
void check_error(const std::function<void()>& action, const std::string& start, int line = 0) {
  const std::string found = error_text(action);
  CHECK_MESSAGE(found.starts_with(start), found);
  if (line > 0) {
    const std::string place = "[robust_input_test.cpp:" + std::to_string(line) + "]";
    CHECK_MESSAGE(found.find(place) != std::string::npos, found);
  }
}

Array integer_array(std::initializer_list<std::int64_t> values) { return Array::from(values); }

}  // namespace

TEST_CASE("extents and dtypes that cannot fit are found while building") {
  const Expr p = tensor("p", float64, {3}), q = tensor("q", float64, {4});
  check_error([&] { p + q; }, "ValueError: add: extents differ: p: f64[3] and q: f64[4]", __LINE__);
  check_error([&] { x & x; }, "TypeError: bitwise_and: expected integers", __LINE__);
  check_error([&] { reshape(p, {2, 2}); }, "ValueError: reshape: expected 4 elements", __LINE__);
  check_error([&] { p(5); }, "IndexError: index: index 5 is out of range for axis 0", __LINE__);
  check_error([&] { matmul(x, w); },
              "ValueError: matmul: expected arrays with axes, found x: f64[x.0, x.1] and w: f64");
  check_error([&] { sum(x, 5); }, "IndexError: sum: expected an axis from -2 to 1, found 5");
  check_error([&] { sum(x, {0, 0}); }, "ValueError: sum: expected distinct axes, found 0, 0");
  check_error([&] { x(0, 0, 0); }, "IndexError: index: expected at most 2 indices, found 3 for x");
  check_error([&] { x(y); }, "TypeError: index: expected integers or masks, found y: f64[y.0]");
  check_error([&] { concatenate({x, y}); }, "ValueError: concatenate: expected equal dtypes");
  check_error([&] { concatenate(std::vector<Expr>()); },
              "ValueError: concatenate: expected arrays, found none");
  check_error([&] { softmax(x, 7); },
              "IndexError: softmax: expected an axis from -2 to 1, found 7");
  check_error([&] { arange(Dim(-1)); }, "ValueError: arange: expected an extent, found -1");
  check_error([&] { exp(Expr()); }, "TypeError: exp: expected an expression as operand 0");
  check_error([&] { max(tensor("e", float64, {0})); },
              "ValueError: max: expected at least one element, found e: f64[0]");
}

TEST_CASE("derivatives say what they cannot take") {
  check_error([&] { grad(y, y); }, "TypeError: grad: the cost must be a float scalar, found y");
  check_error([&] { grad(sum(i), i); }, "TypeError: grad: the cost must be a float scalar");
  check_error([&] { grad(sum(y), i); },
              "TypeError: grad: each value to derive by must be a float or complex value, found i");
  check_error([&] { grad(sum(y), z); },
              "TypeError: grad: expected values that the result depends on through differentiable "
              "operations, found z: f64[z.0]");
}

TEST_CASE("directions have the types of their values") {
  const Expr a = tensor("a", float64, {2}), b = tensor("b", float64, {3}), twice = a * 2;
  const auto one = [](const Expr& e) { return std::span(&e, 1); };
  check_error([&] { jvp(one(twice), one(a), one(b)); },
              "ValueError: jvp: expected a tangent of the type of a: f64[2], found b: f64[3]");
  check_error([&] { vjp(one(twice), one(a), one(b)); },
              "ValueError: vjp: expected a cotangent of the type of multiply(");
  check_error([&] { jvp(one(twice), one(a), one(f)); },
              "TypeError: jvp: expected a tangent of the type of a: f64[2], found f: f32[f.0]");
  const Expr square = y * y;
  const Function open = compile({y, z}, {jvp(one(square), one(y), one(z))[0]});
  CHECK(open(ones({2}), ones({2}))[0].to_vector<double>() == std::vector<double>{2, 2});
  check_error([&] { open(ones({2}), ones({3})); },
              "ValueError: jvp: expected a tangent of the type of y: f64[y.0], found z: f64[z.0]");
  const Expr single = tensor("s", float64, {1});
  const Function stretched = compile({y, single}, {jvp(one(square), one(y), one(single))[0]});
  check_error([&] { stretched(ones({2}), ones({1})); }, "ValueError: jvp: expected a tangent");
}

TEST_CASE("rules give values of the types of what they are rules for") {
  const std::vector<Expr> inputs{y}, outputs{y * y};
  const OpFromGraphOptions::Rule longer = [](auto, auto, auto) {
    return std::vector<Expr>{Expr(ones({5}))};
  };
  const OpFromGraph f(inputs, outputs, {longer, longer, false, "f"});
  const Expr v = f(std::vector<Expr>{z})[0];
  const Function slope = compile({z}, {grad(sum(v), z)});
  check_error([&] { slope(ones({2})); },
              "ValueError: f: vjp rule: expected a value of the type of");
  CHECK(slope(ones({5}))[0].size() == 5);
}

TEST_CASE("signatures are checked") {
  const SharedVariable s = shared(zeros({3}), "s"), t = shared(zeros({3}, float32), "t");
  check_error([&] { compile({x}, {sum(x) + sum(y)}); },
              "TypeError: function: y: f64[y.0] is needed but is not among the inputs");
  check_error([&] { compile({y, y}, {sum(y)}); },
              "TypeError: function: y: f64[y.0] is an input twice");
  check_error([&] { compile({y + 1}, {sum(y + 1)}); },
              "TypeError: function: expected inputs as parameters, found add(y, 1): f64[y.0]");
  check_error([&] { compile({s}, {sum(s)}); },
              "TypeError: function: expected inputs as parameters, found s: f64[3]");
  check_error([&] { compile({Expr()}, {y}); },
              "TypeError: function: expected inputs as parameters, found none");
  check_error([&] { compile({y}, {Expr()}); },
              "TypeError: compile: expected expressions as outputs and updates, found none");
  check_error([&] { compile({y}, {{"a", y}, {"a", y * 2}}); },
              "ValueError: compile: expected distinct names of outputs, found a twice");
  check_error([&] { compile({}, {}, {{s, s + 1}, {s, s + 2}}); },
              "TypeError: function: s: f64[3] is updated twice");
  check_error(
      [&] { compile({}, {}, {{t, s + 1}}); },
      "TypeError: function: expected an update of t: f32[3] with its type, found add(s, 1)");
  check_error([&] { compile({y}, {}, {{s, sum(y)}}); },
              "ValueError: update: expected an update of s: f64[3] with its type, found sum(y)");
  CompileOptions options;
  options.givens = {{y, w}};
  check_error([&] { compile({y}, {y}, {}, options); },
              "ValueError: compile: expected a given value of the dtype and rank of y: f64[y.0], "
              "found w: f64");
}

TEST_CASE("options are checked") {
  CompileOptions options;
  options.threads = -1;
  check_error([&] { compile({y}, {y}, {}, options); },
              "ValueError: compile: expected threads of at least 0, found -1");
  options = {};
  options.opt_level = 9;
  check_error([&] { compile({y}, {y * 9.25}, {}, options); },
              "ValueError: build: expected an optimisation level of 0 to 3, found 9");
  options = {};
  options.cpu = "z80";
  const std::string found = error_text([&] { compile({y}, {y * 9.5}, {}, options); });
  CHECK_MESSAGE(found.find("z80") != std::string::npos, found);
  options.cpu = is_of_this_architecture("aarch64") ? "x86-64" : "aarch64";
  check_error([&] { compile({y}, {y * 9.5}, {}, options); },
              "ValueError: compile: expected a processor of this machine's architecture as cpu, "
              "found " +
                  options.cpu);
}

TEST_CASE("an input that nothing uses is taken and checked") {
  const Function function = compile({y, z}, {sum(y)});
  CHECK(function(ones({2}), ones({5}))[0].item<double>() == 2.0);
  check_error([&] { function(ones({2}), ones({5, 1})); },
              "ValueError: call: argument 1: expected z");
}

TEST_CASE("arguments are checked: number, dtype, rank, extents") {
  const Function add = compile({y, z}, {{"out", y + z}});
  const int line = __LINE__ - 1;
  check_error([] { Function()(); },
              "ValueError: function: expected a compiled function, found none");
  check_error([&] { add(ones({3})); }, "TypeError: call: expected 2 arguments, found 1");
  check_error([&] { add(ones({3}), ones({3}), ones({3})); },
              "TypeError: call: expected 2 arguments, found 3");
  check_error([&] { add(ones({3}), ones({3, 1})); },
              "ValueError: call: argument 1: expected z: f64[z.0], found f64[3, 1]");
  check_error([&] { add(ones({3}), ones({3}, float32)); },
              "TypeError: call: argument 1: expected z: f64[z.0], found f32[3]");
  check_error([&] { add(ones({3}), Array()); },
              "TypeError: call: argument 1: expected z: f64[z.0], found no array");
  check_error([&] { add(ones({3}), ones({4})); },
              "ValueError: add: extents differ: y: f64[y.0] and z: f64[z.0]", line);
  const std::string clash = error_text([&] { add(ones({3}), ones({4})); });
  CHECK_MESSAGE(clash.find("; found y: f64[3], z: f64[4] [") != clash.npos, clash);
  const std::string one = error_text([&] { add(ones({3}), ones({1})); });
  CHECK_MESSAGE(
      one.find("an extent of 1 that is to be repeated must be declared as 1 [") != one.npos, one);
  const Expr p = tensor("p", float64, {3});
  const Function fixed = compile({p}, {p + 1});
  check_error([&] { fixed(ones({4})); }, "ValueError: call: expected p: f64[3]; found p: f64[4]");
  const Function product = compile({x, y}, {dot(x, y)});
  check_error([&] { product(ones({3, 4}), ones({3})); }, "ValueError: dot: inner sizes differ: x",
              __LINE__ - 2);
  CHECK(add(ones({3}), ones({3}))[0].size() == 3);
}

TEST_CASE("results are checked when they are read") {
  const Results out = compile({y}, {{"out", y * 2}})(ones({2}));
  check_error([&] { out["other"]; },
              "ValueError: call: expected the name of an output, found other");
  check_error([&] { out[1]; }, "IndexError: call: expected one of 1 outputs, found number 1");
  check_error([&] { out[0].item<double>(); },
              "ValueError: item: expected an array of one element, found f64[2]");
  check_error([&] { out[0].slice(0, 0, 1).item<float>(); },
              "TypeError: array: expected elements of float32, found f64[1]");
  check_error([&] { out[0].to_vector<std::int64_t>(); }, "TypeError: array: expected elements of");
}

TEST_CASE("indices out of range name index, extent and line") {
  const Function gather = compile({y, i}, {y(i)});
  const int line = __LINE__ - 1;
  check_error([&] { gather(ones({3}), integer_array({0, 3})); },
              "IndexError: index: index 3 is out of range for axis 0 with extent 3 of y: f64[y.0]",
              line);
  check_error([&] { gather(ones({3}), integer_array({-4, 0})); },
              "IndexError: index: index -4 is out of range for axis 0 with extent 3 of y: f64[y.0]",
              line);
  CHECK(gather(ones({3}), integer_array({-3, 2}))[0].size() == 2);
  const Function row = compile({x, k}, {x(k)});
  const int row_line = __LINE__ - 1;
  check_error([&] { row(ones({3, 2}), Array(std::int64_t{3})); },
              "IndexError: index: index 3 is out of range for axis 0 with extent 3 of x", row_line);
  const Function fourth = compile({y}, {y(3)});
  const int fourth_line = __LINE__ - 1;
  check_error(
      [&] { fourth(ones({3})); },
      "IndexError: index: index 3 is out of range for axis 0 with extent y.0 of y: f64[y.0]",
      fourth_line);
  const Function write = compile({i, y}, {set_at(zeros({4}), {i}, y)});
  const int write_line = __LINE__ - 1;
  check_error([&] { write(integer_array({0, 4}), ones({2})); },
              "IndexError: set_index: index 4 is out of range for axis 0 with extent 4",
              write_line);
}

TEST_CASE("messages have the names of a function's own graph, whatever graph its code is from") {
  for (const std::string& name : {std::string("first"), std::string("second")}) {
    const Expr v = tensor("v", float64, {Dim::symbol(name), Dim::symbol("of " + name)});
    const Expr u = tensor("u", float64, {v.dim(0) * 2});
    const Function f = compile({v, i, u}, {v(i) + sum(u)});
    check_error([&] { f(ones({3, 2}), integer_array({7}), ones({6})); },
                "IndexError: index: index 7 is out of range for axis 0 with extent 3 of v: f64[" +
                    name + ", of " + name + "]");
    check_error([&] { f(ones({3, 2}), integer_array({0}), ones({5})); },
                "ValueError: call: expected u: f64[2*" + name + "]");
  }
}

TEST_CASE("extents that only values know are checked") {
  const Function count = compile({k}, {arange(k)});
  check_error([&] { count(Array(std::int64_t{-2})); },
              "ValueError: arange: expected k to be at least 0");
  const std::string found = error_text([&] { count(Array(std::int64_t{-2})); });
  CHECK_MESSAGE(found.find("; found k: i64 = -2") != found.npos, found);
  CHECK(count(Array(std::int64_t{0}))[0].size() == 0);
  const Function largest = compile({y}, {max(y)});
  check_error([&] { largest(zeros({0})); },
              "ValueError: max: expected at least one element, found y: f64[y.0]", __LINE__ - 2);
  const Function where_largest = compile({x}, {argmax(x, 1)});
  check_error([&] { where_largest(zeros({2, 0})); }, "ValueError: ", __LINE__ - 1);
  const Function pairs = compile({y}, {reshape(y, {Dim(2), Dim(-1)})});
  check_error([&] { pairs(ones({3})); }, "ValueError: reshape: numbers of elements differ: y",
              __LINE__ - 2);
  CHECK(pairs(ones({4}))[0].rank() == 2);
}

TEST_CASE("the user's own checks carry their text and line") {
  const Function positive = compile({y}, {check(y, y > 0, "y must be positive")});
  check_error([&] { positive(zeros({3})); }, "ValueError: y must be positive", __LINE__ - 1);
  CHECK(positive(ones({3}))[0].size() == 3);
}

TEST_CASE("shared variables keep their type") {
  const SharedVariable s = shared(zeros({3}), "s");
  check_error([&] { SharedVariable(s).set(zeros({4})); },
              "ValueError: shared: expected f64[3] for s, found f64[4]");
  check_error([&] { SharedVariable(s).set(zeros({3}, float32)); },
              "TypeError: shared: expected f64[3] for s, found f32[3]");
  const Function assign = compile({y}, {}, {{s, y + 1}});
  check_error([&] { assign(ones({4})); }, "ValueError: update: extents differ: s: f64[3]",
              __LINE__ - 2);
  CHECK(same_bits(s.get(), zeros({3})));
}
