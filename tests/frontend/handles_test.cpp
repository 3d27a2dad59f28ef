// Handles that refer to nothing, default made or moved from: a clear error, whatever is asked.
#include <doctest/doctest.h>

#include <gnomon/gnomon.h>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "passes/engine/pattern_functions.h"
#include "stdlib/control/custom_gradients.h"
#include "stdlib/lines/fourier.h"
#include "stdlib/reductions/statistics.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;

namespace {

struct Case {
  std::string name;
  std::function<void()> run;
};

// Each case ends in an error of the user's: no bug of the library, no other exception.
void check_refused(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::string found = "no error";
    try {
      c.run();
    } catch (const InternalError& e) {
      found = std::string("an internal error: ") + e.what();
    } catch (const Error& e) {
      found = e.what();
      const bool tells = found.find("found none") != std::string::npos ||
                         found.find("found nothing") != std::string::npos ||
                         found.find("without a value") != std::string::npos ||
                         found.find("found no array") != std::string::npos ||
                         found.find("refers to none") != std::string::npos ||
                         found.find("one of 0 outputs") != std::string::npos ||
                         found.find("the name of an output") != std::string::npos;
      CHECK_MESSAGE(tells, found);
      continue;
    }
    FAIL_CHECK(found);
  }
}

Expr moved_from(Expr e) {
  const Expr taken = std::move(e);
  return e;
}

}  // namespace

#define GNOMON_CASE(...)                                  \
  Case {                                                  \
    #__VA_ARGS__, [&] { static_cast<void>(__VA_ARGS__); } \
  }

TEST_CASE("an expression that is none is refused by each member") {
  const Expr none, moved = moved_from(vector("x"));
  for (const Expr& e : {none, moved}) {
    CHECK(!e.defined());
    CHECK(same(e, Expr()));
    check_refused({
        GNOMON_CASE(e.type()),
        GNOMON_CASE(e.dtype()),
        GNOMON_CASE(e.rank()),
        GNOMON_CASE(e.dim(0)),
        GNOMON_CASE(e.shape()),
        GNOMON_CASE(e(0)),
        GNOMON_CASE(e(range(0, 2), newaxis)),
        GNOMON_CASE(e.value().op()),
        GNOMON_CASE(e.value().node()),
        GNOMON_CASE(e.value().type()),
        GNOMON_CASE(e.value().input(0)),
        GNOMON_CASE(e.value().is(op::add)),
        GNOMON_CASE(Arg(e).value()),
        GNOMON_CASE(Arg(e).as(float64)),
        GNOMON_CASE(Arg(e).weak_dtype()),
        GNOMON_CASE(Dim::value(e)),
    });
  }
}

TEST_CASE("an expression that is none is refused by each function of expressions") {
  const Expr none, x = vector("x"), a = matrix("a"), k = vector("k", int64);
  const Expr s = random::state(1);
  const std::vector<Expr> one{none}, two{x, none};
#define GNOMON_UNARY_CASE(name) cases.push_back({#name, [&] { name(none); }});
#define GNOMON_BINARY_CASE(name)                              \
  cases.push_back({#name " first", [&] { name(none, x); }});  \
  cases.push_back({#name " second", [&] { name(x, none); }}); \
  cases.push_back({#name " with a number", [&] { name(1.0, none); }});
#define GNOMON_TERNARY_CASE(name)                               \
  cases.push_back({#name " first", [&] { name(none, x, x); }}); \
  cases.push_back({#name " last", [&] { name(x, x, none); }});
  std::vector<Case> cases;
  GNOMON_UNARY_OPS(GNOMON_UNARY_CASE)
  GNOMON_BINARY_OPS(GNOMON_BINARY_CASE)
  GNOMON_NARY_OPS(GNOMON_BINARY_CASE)
  GNOMON_TERNARY_OPS(GNOMON_TERNARY_CASE)
#undef GNOMON_UNARY_CASE
#undef GNOMON_BINARY_CASE
#undef GNOMON_TERNARY_CASE
  check_refused(cases);
  check_refused({
      GNOMON_CASE(-none),
      GNOMON_CASE(~none),
      GNOMON_CASE(!none),
      GNOMON_CASE(none && x),
      GNOMON_CASE(x || none),
      GNOMON_CASE(none && true),
      GNOMON_CASE(none == none),
      GNOMON_CASE(none < 1),
      GNOMON_CASE(x + none),
      GNOMON_CASE(cast(none, float32)),
      GNOMON_CASE(complex(x, none)),
      GNOMON_CASE(real(none)),
      GNOMON_CASE(angle(none)),
      GNOMON_CASE(sum(none)),
      GNOMON_CASE(prod(none, 0)),
      GNOMON_CASE(max(none)),
      GNOMON_CASE(any(none)),
      GNOMON_CASE(mean(none)),
      GNOMON_CASE(logsumexp(none)),
      GNOMON_CASE(argmax(none, 0)),
      GNOMON_CASE(max_and_argmax(none)),
      GNOMON_CASE(reshape(none, {2})),
      GNOMON_CASE(transpose(none)),
      GNOMON_CASE(expand_dims(none, 0)),
      GNOMON_CASE(squeeze(none)),
      GNOMON_CASE(broadcast_to(none, {2})),
      GNOMON_CASE(concatenate(two)),
      GNOMON_CASE(concatenate(one)),
      GNOMON_CASE(stack(two)),
      GNOMON_CASE(stack({none})),
      GNOMON_CASE(arange(none)),
      GNOMON_CASE(full({2}, none)),
      GNOMON_CASE(matmul(a, none)),
      GNOMON_CASE(dot(none, a)),
      GNOMON_CASE(tensordot(a, none, {0}, {0})),
      GNOMON_CASE(outer(none, x)),
      GNOMON_CASE(conv(none, a)),
      GNOMON_CASE(max_pool(none, {2})),
      GNOMON_CASE(softmax(none)),
      GNOMON_CASE(log_softmax(none)),
      GNOMON_CASE(barrier(none)),
      GNOMON_CASE(stop_gradient(none)),
      GNOMON_CASE(undefined_grad(none)),
      GNOMON_CASE(print(none, "x")),
      GNOMON_CASE(check(none, x > 0, "x")),
      GNOMON_CASE(check(x, none, "x")),
      GNOMON_CASE(x(none)),
      GNOMON_CASE(set_at(none, {0}, x)),
      GNOMON_CASE(inc_at(x, {0}, none)),
      GNOMON_CASE(multiply_at(x, {none}, 1)),
      GNOMON_CASE(indicator(none, 2, 2)),
      GNOMON_CASE(take(x, none)),
      GNOMON_CASE(take(none, k)),
      GNOMON_CASE(einsum("i,i", two)),
      GNOMON_CASE(grad(none, x)),
      GNOMON_CASE(grad(sum(x), none)),
      GNOMON_CASE(vjp(one, std::vector{x}, std::vector{x})),
      GNOMON_CASE(jvp(one, std::vector{x}, std::vector{x})),
      GNOMON_CASE(grad_clip(none, 0, 1)),
      GNOMON_CASE(fft::fft(none)),
      GNOMON_CASE(fft::fftshift(none)),
      GNOMON_CASE(cumsum(none)),
      GNOMON_CASE(sort(none)),
      GNOMON_CASE(cholesky(none)),
      GNOMON_CASE(solve(a, none)),
      GNOMON_CASE(inv(none)),
      GNOMON_CASE(det(none)),
      GNOMON_CASE(flip(none)),
      GNOMON_CASE(tile(none, {2})),
      GNOMON_CASE(diag(none)),
      GNOMON_CASE(kron(none, a)),
      GNOMON_CASE(linspace(none, 1)),
      GNOMON_CASE(median(none)),
      GNOMON_CASE(take_along_axis(none, k)),
      GNOMON_CASE(nn::relu(none)),
      GNOMON_CASE(nn::linear(none, a)),
      GNOMON_CASE(nn::linear(x, none)),
      GNOMON_CASE(nn::layer_norm(none)),
      GNOMON_CASE(nn::mse_loss(none, x)),
      GNOMON_CASE(nn::cross_entropy(a, none)),
      GNOMON_CASE(nn::cross_entropy(none, k)),
      GNOMON_CASE(random::normal(none, {2})),
      GNOMON_CASE(random::normal(s, {2}, none)),
      GNOMON_CASE(random::state(none)),
      GNOMON_CASE(random::advance(none)),
      GNOMON_CASE(nn::dropout(none, x)),
      GNOMON_CASE(fori(
          none, std::vector{x},
          [](Expr, std::span<const Expr> v) { return std::vector<Expr>(v.begin(), v.end()); })),
      GNOMON_CASE(fori(
          3, one,
          [](Expr, std::span<const Expr> v) { return std::vector<Expr>(v.begin(), v.end()); })),
      GNOMON_CASE(fori(3, std::vector{x},
                       [](Expr, std::span<const Expr>) { return std::vector<Expr>(1); })),
      GNOMON_CASE(compile({none}, {x})),
      GNOMON_CASE(compile({x}, {none})),
      GNOMON_CASE(compile({}, {}, {{SharedVariable(), x}})),
      GNOMON_CASE(compile({}, {}, {{shared(zeros({2}), "w"), none}})),
      GNOMON_CASE(compile({x}, {x}, {}, {.givens = {{none, x}}})),
      GNOMON_CASE(compile({x}, {x}, {}, {.givens = {{x, none}}})),
      GNOMON_CASE(shared(zeros({2}), "w").set_default_update(moved_from(x)(0))),
      GNOMON_CASE(OpFromGraph(one, std::vector{x})),
      GNOMON_CASE(OpFromGraph(std::vector{x}, one)),
      GNOMON_CASE(OpFromGraph(std::vector{x}, std::vector{x * 2})(one)),
  });
}

TEST_CASE("arrays, variables, streams, functions and results that are none are refused") {
  Array array = zeros({2});
  const Array moved_array = std::move(array);
  SharedVariable variable = shared(zeros({2}), "w");
  const SharedVariable moved_variable = std::move(variable);
  RandomStream stream(1);
  const RandomStream moved_stream = std::move(stream);
  const Expr x = vector("x");
  OpFromGraph graph(std::vector{x}, std::vector{x * 2});
  const OpFromGraph moved_graph = std::move(graph);
  const std::vector<Expr> arguments{x};
  const Array good = zeros({2});
  const SharedVariable v = shared(zeros({2}), "v");
  for (const Array& a : {Array(), array}) {
    CHECK(!a.defined());
    CHECK(a.use_count() == 0);
    CHECK(!a.unique());
    Array other = a;
    check_refused({
        GNOMON_CASE(a.dtype()),
        GNOMON_CASE(a.rank()),
        GNOMON_CASE(a.shape()),
        GNOMON_CASE(Array(a).shape()),
        GNOMON_CASE(a.strides()),
        GNOMON_CASE(a.size()),
        GNOMON_CASE(a.bytes()),
        GNOMON_CASE(a.data()),
        GNOMON_CASE(other.data()),
        GNOMON_CASE(a.data<double>()),
        GNOMON_CASE(Array(a).data<double>()),
        GNOMON_CASE(a.item<double>()),
        GNOMON_CASE(a.to_vector<double>()),
        GNOMON_CASE(a.is_contiguous()),
        GNOMON_CASE(a.contiguous()),
        GNOMON_CASE(a.copy()),
        GNOMON_CASE(other.assign(good)),
        GNOMON_CASE(Array(good).assign(a)),
        GNOMON_CASE(a.transpose()),
        GNOMON_CASE(a.transpose({0})),
        GNOMON_CASE(a.slice(0, 0, 1)),
        GNOMON_CASE(a.reshape({2})),
        GNOMON_CASE(a.view(int64)),
        GNOMON_CASE(a.view({1}, {1}, 0)),
        GNOMON_CASE(a.copied_when_written()),
        GNOMON_CASE(a.describe()),
        GNOMON_CASE(a.to_string()),
        GNOMON_CASE(same_bits(a, good)),
        GNOMON_CASE(same_shape(good, a)),
        GNOMON_CASE(Expr(a)),
        GNOMON_CASE(x + a),
        GNOMON_CASE(x(a)),
        GNOMON_CASE(Shared("w", a)),
        GNOMON_CASE(shared(a, "w")),
        GNOMON_CASE(SharedVariable(v).set(a)),
    });
  }
  for (const SharedVariable& w : {SharedVariable(), variable}) {
    CHECK(!w.defined());
    check_refused({
        GNOMON_CASE(w.get()),
        GNOMON_CASE(SharedVariable(w).set(good)),
        GNOMON_CASE(SharedVariable(w).set_default_update(x)),
        GNOMON_CASE(w.default_update()),
        GNOMON_CASE(w.variable().name()),
        GNOMON_CASE(w.variable().id()),
        GNOMON_CASE(w.variable().dtype()),
        GNOMON_CASE(w.variable().rank()),
        GNOMON_CASE(w.variable().shape()),
        GNOMON_CASE(w + 1),
        GNOMON_CASE(w.shape()),
        GNOMON_CASE(Shared(w.variable()).adopt(good)),
        GNOMON_CASE(SharedVariable(Shared())),
        GNOMON_CASE(compile({}, {}, {{w, x}})),
        GNOMON_CASE(compile({}, {w})),
    });
  }
  for (const RandomStream& s : {RandomStream(), stream})
    check_refused({GNOMON_CASE(s.next()), GNOMON_CASE(s.take()), GNOMON_CASE(s.seed(1)),
                   GNOMON_CASE(s.draws()), GNOMON_CASE(s.state().get()),
                   GNOMON_CASE(RandomStream(SharedVariable(), 0))});
  for (const OpFromGraph& g : {OpFromGraph(), graph}) check_refused({GNOMON_CASE(g(arguments))});
  CHECK(moved_array.defined());
  CHECK(moved_variable.defined());
  CHECK(moved_stream.draws() == 0);
  CHECK(moved_graph(arguments).size() == 1);
}

TEST_CASE("functions and results that are none are refused, and results move whole") {
  const Expr x = vector("x");
  Function f = compile({x}, {Output("a", x), x + 1, x + 2, x + 3, x + 4, x + 5});
  const Array v = Array::from({1.0, 2.0});
  Results six = f(v);
  const Results moved = std::move(six);
  CHECK(moved.size() == 6);
  CHECK(moved["a"].to_vector<double>() == std::vector{1.0, 2.0});
  CHECK(moved[5].to_vector<double>() == std::vector{6.0, 7.0});
  CHECK(six.size() == 0);
  CHECK(six.begin() == six.end());
  Results copy = moved;
  CHECK(copy.take(5).to_vector<double>() == std::vector{6.0, 7.0});
  CHECK(moved[5].defined());
  CHECK_THROWS_AS(copy.take(6), ValueError);
  const Function g = std::move(f);
  CHECK(g.defined());
  for (const Results& r : {Results(), six})
    check_refused({GNOMON_CASE(r[0]), GNOMON_CASE(r["a"]), GNOMON_CASE(Results(r)[0]),
                   GNOMON_CASE(Results(r).take(0))});
  for (const Function& none : {Function(), f}) {
    CHECK(!none.defined());
    check_refused({
        GNOMON_CASE(none(v)),
        GNOMON_CASE(none(1.0)),
        GNOMON_CASE(none()),
        GNOMON_CASE(none.was_cached()),
        GNOMON_CASE(none.timings()),
        GNOMON_CASE(none.graph_text()),
        GNOMON_CASE(none.module_text()),
        GNOMON_CASE(none.source()),
        GNOMON_CASE(none.explain()),
        GNOMON_CASE(none.memory_table()),
        GNOMON_CASE(none.explanation()),
        GNOMON_CASE(none.profile()),
        GNOMON_CASE(none.kernels()),
        GNOMON_CASE(none.products()),
        GNOMON_CASE(none.workspace_bytes(std::vector{v})),
    });
  }
  CHECK_THROWS_AS(g.workspace_bytes(std::vector<Array>{}), TypeError);
  CHECK_THROWS_AS(g(Array()), TypeError);
  CHECK(g(v)[1].to_vector<double>() == std::vector{2.0, 3.0});
}

TEST_CASE("explanations that are none are refused") {
  const Expr x = vector("x");
  Explanation told = compile({x}, {x + 1}).explanation();
  const Explanation moved = std::move(told);
  CHECK(!moved.steps().empty());
  for (const Explanation& none : {Explanation(), told})
    check_refused({
        GNOMON_CASE(none.rewrites()),
        GNOMON_CASE(none.decisions()),
        GNOMON_CASE(none.steps()),
        GNOMON_CASE(none.passes()),
        GNOMON_CASE(none.stages()),
        GNOMON_CASE(none.notes()),
        GNOMON_CASE(none.only({})),
        GNOMON_CASE(none.with_accuracy()),
        GNOMON_CASE(none.with_arguments({})),
        GNOMON_CASE(none.text()),
        GNOMON_CASE(none.json()),
    });
}

TEST_CASE("what a call without a name gives may be kept") {
  const Expr x = vector("x");
  const Function f = compile({x}, {Output("twice", 2 * x), x + 1});
  const Array v = Array::from({1.0, 2.0, 3.0});
  const Array& first = f(v)[0];
  const Array& named = f(v)["twice"];
  const auto elements = f(v)[1].data<double>();
  const auto shape = f(v)[0].shape();
  const auto strides = f(v)[0].strides();
  const Extents kept = {3};
  const std::string& text = compile({x}, {x - 1}, {}, {.cache = false}).source();
  const Shape& open = (x + 1).shape();
  double sum = 0;
  for (const Array& a : f(v)) sum += a.data<double>()[2];
  CHECK(first.data<double>()[2] == 6);
  CHECK(named.data<double>()[1] == 4);
  CHECK(elements[0] == 2);
  CHECK(*elements == 2);
  CHECK(f(v)[0].data<double>().get()[2] == 6);
  CHECK(shape == std::vector<std::int64_t>{3});
  CHECK(strides == std::vector<std::int64_t>{1});
  CHECK(zeros(kept).shape()[0] == 3);
  CHECK(!text.empty());
  CHECK(open[0] == x.dim(0));
  CHECK(sum == 10);
}

TEST_CASE("the value of a shared variable cannot be written to") {
  const Expr x = scalar("x");
  const SharedVariable w = shared(Array::from({1.0, 2.0, 3.0, 4.0}, {2, 2}), "w");
  Array a = w.get(), b = a, row = a.slice(0, 1, 2), turned = w.get().transpose();
  const double* before = std::as_const(a).data<double>();
  const auto strides = a.strides();
  a.data<double>()[0] = 99;
  CHECK(b.data<double>()[0] == 99);  // a copy of the handle is the same array
  CHECK(before[0] == 1);
  CHECK(strides[0] == 2);
  row.data<double>()[0] = 98;
  turned.data<double>()[1] = 97;  // element [1, 0] of the transpose has stride 1
  CHECK(turned.transpose().to_vector<double>() == std::vector{1.0, 97.0, 3.0, 4.0});
  Array c = w.get();
  c.assign(zeros({2, 2}));
  Array same_bytes = c.view(int64);
  same_bytes.data<std::int64_t>()[0] = 1;
  Array bits = w.get().view(int64);
  bits.data<std::int64_t>()[0] = 0;
  CHECK(w.get().to_vector<double>() == std::vector{1.0, 2.0, 3.0, 4.0});
  const Function f = compile({}, {}, {{w, w + 1}});
  f();
  CHECK(w.get().to_vector<double>() == std::vector{2.0, 3.0, 4.0, 5.0});
  CHECK(before[0] == 1);
  CHECK(a.to_vector<double>() == std::vector{99.0, 2.0, 3.0, 4.0});
  Array view = a.slice(0, 0, 1);
  a = Array();
  b = Array();
  CHECK(view.to_vector<double>() == std::vector{99.0, 2.0});
}

TEST_CASE("numbers beyond the largest int64 are exact or refused") {
  const std::uint64_t largest = 18446744073709551615ull;
  const Expr x = vector("x", int64), u = vector("u", uint64), y = vector("y");
  CHECK_THROWS_AS(x + largest, TypeError);
  CHECK_THROWS_AS(x * (std::size_t{1} << 63), TypeError);
  CHECK_THROWS_AS(x(largest) + vector("k", int8)(0) + Expr(zeros({2}, int64))(largest), Error);
  CHECK_THROWS_AS(full({2}, largest, int64), ValueError);
  const Function f =
      compile({u, y}, {u + largest, y + largest, where(u > 0, std::size_t{1} << 63, u)});
  const Results r = f(Array::from<std::uint64_t>({0, 2}), Array::from({-1.0, 5.0}));
  CHECK(r[0].to_vector<std::uint64_t>() == std::vector<std::uint64_t>{largest, 1});
  CHECK(r[1].to_vector<double>() == std::vector{0x1p64, 0x1p64});
  CHECK(r[2].to_vector<std::uint64_t>() == std::vector<std::uint64_t>{0, 1ull << 63});
  CHECK(full({1}, largest, uint64).item<std::uint64_t>() == largest);
  CHECK(full({1}, (std::int64_t{1} << 53) + 1, int64).item<std::int64_t>() == 9007199254740993);
}

TEST_CASE("numbers as arguments of calls are as weak as in expressions") {
  const Expr x = scalar("x"), n = scalar("n", int64), s = scalar("s", float32),
             b = scalar("b", bool_);
  const Expr c = scalar("c", complex64), k = scalar("k", uint8), v = vector("v");
  const Function f = compile({x, n, s, b, c, k}, {x * 2, n * 2, s * 2, !b, c * 2, k});
  const Results r = f(5, 500, 2.5, true, 1.5, 255);
  CHECK(r[0].item<double>() == 10);
  CHECK(r[1].item<std::int64_t>() == 1000);
  CHECK(r[2].item<float>() == 5);
  CHECK(r[3].item<bool>() == false);
  CHECK(r[4].item<std::complex<float>>() == std::complex<float>(3));
  CHECK(r[5].item<std::uint8_t>() == 255);
  CHECK(f(5u, true, 2, false, std::complex<double>(0, 1), short{7})[1].item<std::int64_t>() == 2);
  CHECK_THROWS_AS(f(5, 2.5, 2.5, true, 1, 1), TypeError);   // a float where an integer is meant
  CHECK_THROWS_AS(f(5, 5, 2.5, 1, 1, 1), TypeError);        // an integer for a truth value
  CHECK_THROWS_AS(f(5, 5, 2.5, true, 1, 256), ValueError);  // beyond uint8
  CHECK_THROWS_AS(f(5, 5, 2.5, true, 1, -1), ValueError);
  CHECK_THROWS_AS(f(5, 1ull << 63, 2.5, true, 1, 1), ValueError);
  CHECK_THROWS_AS(f(std::complex<double>(0, 1), 1, 1, true, 1, 1), TypeError);
  CHECK_THROWS_AS(f(Array(5), 1, 1, true, 1, 1), TypeError);  // arrays have their dtype
  CHECK_THROWS_AS(compile({v}, {v})(5), ValueError);
}

TEST_CASE("comparisons and logical operators build expressions") {
  const Expr x = vector("x"), y = vector("y");
  const Function f = compile({x, y}, {where(x > 0.0 && x < 1.0, x, 0.0), x == y, x != y, !(x > 0),
                                      x > 0 || y > 0, (x > 0) == (y > 0), x == 0.5});
  const Results r = f(Array::from({-5.0, 0.5, 9.0}), Array::from({-5.0, 1.0, -9.0}));
  const auto flags = [&](std::size_t i) { return r[i].to_vector<bool>(); };
  CHECK(r[0].to_vector<double>() == std::vector{0.0, 0.5, 0.0});
  CHECK(flags(1) == std::vector{true, false, false});
  CHECK(flags(2) == std::vector{false, true, true});
  CHECK(flags(3) == std::vector{true, false, false});
  CHECK(flags(4) == std::vector{false, true, true});
  CHECK(flags(5) == std::vector{true, true, false});
  CHECK(flags(6) == std::vector{false, true, false});
  CHECK(same(x == y, equal(x, y)));
  CHECK(text(variable(0) == variable(1)) == text(equal(variable(0), variable(1))));
}
