// Random numbers: Philox's words, draws of any shape and thread count, streams, default updates.
#include <set>

#include "frontend/gnomon.h"
#include "ir/reference/evaluate.h"
#include "stdlib/prelude/random/random.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using Words = std::vector<std::uint64_t>;

Words block(std::uint64_t key, std::uint64_t counter, std::uint64_t number) {
  const auto x = gn::detail::philox<gn::u64>(key, counter, number);
  return {x.a, x.b, x.c, x.d};
}

Array values_of(const Expr& e) { return compile({}, {e})()[0]; }
std::vector<double> numbers_of(const Expr& e) { return values_of(e).to_vector<double>(); }

}  // namespace

// Random123 1.14, tests/kat_vectors, philox4x32-10: counter and key as words, the lowest first.
TEST_CASE("blocks are those of Random123's known answers") {
  CHECK(block(0, 0, 0) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(block(ones, ones, ones) == Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(block(0x299f31d0a4093822, 0x0370734413198a2e, 0x85a308d3243f6a88) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("bits are the words of Philox in their order, whatever the lanes") {
  Batch batch("philox");
  const Dim n = Dim::symbol("n");
  const Expr key = batch.input("key", Array(std::uint64_t{0}), {});
  const Expr at = batch.input("at", Array::from(Words{0}), {n});
  const Expr counter = Expr(Array(std::uint64_t{0}));
  batch.add("philox32", philox32(key, counter, at));
  batch.add("philox64", philox64(key, counter, at));
  batch.compile();
  for (const std::uint64_t first : {0, 1, 2, 3, 4, 1000}) {
    Words run(43), jumps(43);
    for (std::size_t i = 0; i < run.size(); ++i) {
      run[i] = first + i;
      jumps[i] = i % 7 == 0 ? first : first + i;
    }
    batch.check_with({Array(std::uint64_t{12345}), Array::from(run)});
    batch.check_with({Array(std::uint64_t{12345}), Array::from(jumps)});
  }
  const Expr state = random::state(0);
  CHECK(values_of(random::bits(state, {4}, DType::uint32)).to_vector<std::uint32_t>() ==
        std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(values_of(random::bits(state, {2})).to_vector<std::uint64_t>() ==
        Words{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c});
}

TEST_CASE("variates that take rejection have the bits of the reference") {
  Batch batch("variates");
  const Dim n = Dim::symbol("n");
  const Expr x = batch.input("x", Array::from({1.0}), {n});
  const Expr at = cast(arange(n), DType::uint64);
  const Expr key = Expr(Array(std::uint64_t{1})), counter = Expr(Array(std::uint64_t{2}));
  const auto add = [&](const Op& op, std::initializer_list<Expr> parameters) {
    std::vector<Arg> operands = {key, counter, at};
    for (const Expr& p : parameters) operands.emplace_back(p);
    batch.add(std::string(op.name), gnomon::apply(op, std::span<const Arg>(operands)));
  };
  add(op::random_gamma, {x});
  add(op::random_poisson, {x});
  add(op::random_vonmises, {x});
  add(op::random_zipf, {x});
  add(op::random_binomial, {floor(x), remainder(x, 1.0)});
  add(op::random_hypergeometric, {floor(x), floor(2 * x), floor(x)});
  batch.compile();
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  batch.check_with({Array::from({0.0, 0.5, 1.0, 1.5, 9.25, 10.5, 33.75, 1e3, 1e6, 1e12, -1.0, inf,
                                 -inf, nan, 1e-300, 2.5, 7.125, 12.5, 99.5})});
}

TEST_CASE("a number depends on its place in the draw, not on the shape, threads or neighbours") {
  const Expr state = random::state(7);
  const std::vector<double> all = numbers_of(random::normal(state, {100000}));
  CHECK(numbers_of(random::normal(state, {250, 400})) == all);
  const std::vector<double> few = numbers_of(random::normal(state, {13}));
  CHECK(few == std::vector<double>(all.begin(), all.begin() + 13));
  CompileOptions one;
  one.threads = 1;
  CHECK(compile({}, {random::normal(state, {100000})}, {}, one)()[0].to_vector<double>() == all);
  // A row of the middle, as what reads a part of a draw computes it.
  const Expr part = random::normal(state, {250, 400})(3);
  CHECK(numbers_of(part) == std::vector<double>(all.begin() + 1200, all.begin() + 1600));
}

TEST_CASE("states are split, folded and advanced into others") {
  const Expr state = random::state(5);
  std::set<Words> seen;
  const auto add = [&](const Expr& e) {
    const Words words = values_of(e).to_vector<std::uint64_t>();
    for (std::size_t i = 0; i + 1 < words.size(); i += 2) seen.insert({words[i], words[i + 1]});
  };
  add(state);
  add(random::split(state, 10));
  for (const int i : {0, 1, 2}) add(random::fold_in(state, i));
  add(random::fold_in(state, std::int64_t{1} << 40));
  add(random::advance(state, 3));
  CHECK(seen.size() == 16);
  CHECK(values_of(random::advance(state, 3)).to_vector<std::uint64_t>() == Words{5, 3});
  CHECK_THROWS_AS(random::normal(Expr(Array(1.0)), {3}), TypeError);
}

TEST_CASE("a function moves the streams of its draws on") {
  const RandomStream stream(3);
  const Expr x = random::normal(stream.next(), {4}), y = random::normal(stream.next(), {4});
  const Function f = compile({}, {x, y, x});
  const Results first = f(), second = f();
  const auto values = [](const Array& a) { return a.to_vector<double>(); };
  CHECK(values(first[0]) == values(first[2]));
  CHECK(values(first[0]) != values(first[1]));
  std::set<double> seen;
  for (const Results* r : {&first, &second})
    for (const int i : {0, 1})
      for (const double v : values((*r)[static_cast<std::size_t>(i)])) seen.insert(v);
  CHECK(seen.size() == 16);
  // Of another function, with a later draw alone.
  const Function g = compile({}, {random::normal(stream.next(), {4})});
  for (const double v : values(g()[0])) seen.insert(v);
  for (const double v : values(f()[0])) seen.insert(v);
  CHECK(seen.size() == 24);
  stream.seed(3);
  CHECK(values(f()[0]) == values(first[0]));
  CHECK(values(f()[0]) == values(second[0]));
  const Words state = stream.state().get().to_vector<std::uint64_t>();
  CHECK(state == Words{3, 4});
}

TEST_CASE("default updates are made once, and not where the function says otherwise") {
  const SharedVariable count = shared(Array(std::int64_t{0}), "count");
  SharedVariable(count).set_default_update(count + 1);
  const auto now = [&] { return count.get().item<std::int64_t>(); };
  const Function f = compile({}, {count * 10});
  f();
  CHECK(f()[0].item<std::int64_t>() == 10);
  CHECK(now() == 2);
  compile({}, {count * 10}, {{count, count + 5}})();
  CHECK(now() == 7);
  CompileOptions none;
  none.default_updates = false;
  compile({}, {count * 10}, {}, none)();
  none.default_updates = true;
  none.without_default_update = {count.variable()};
  compile({}, {count * 11}, {}, none)();
  CHECK(now() == 7);
  // A variable that only an update needs has its default update too.
  const SharedVariable total = shared(Array(std::int64_t{0}), "total");
  compile({}, {}, {{total, total + count}})();
  CHECK(now() == 8);
  CHECK(total.get().item<std::int64_t>() == 7);
  // Where a given value stands for it, the function does not use it.
  CompileOptions given;
  given.givens = {{count, Expr(Array(std::int64_t{3}))}};
  CHECK(compile({}, {count * 10}, {}, given)()[0].item<std::int64_t>() == 30);
  CHECK(now() == 8);
  SharedVariable(count).set_default_update(Expr());
  f();
  CHECK(now() == 9);
  CHECK_THROWS_AS(SharedVariable(count).set_default_update(Expr(Array(1.0))), TypeError);
}

TEST_CASE("draws in the body of a loop differ from step to step") {
  const RandomStream stream(11);
  const Expr zeros[] = {full({5, 3}, 0.0)};
  const Expr rows = fori(5, zeros, [&](const Expr& i, std::span<const Expr> states) {
    return std::vector<Expr>{set_at(states[0], {i}, random::normal(stream.next(), {3}))};
  })[0];
  const Function f = compile({}, {rows});
  std::set<double> seen;
  for (int call = 0; call < 2; ++call)
    for (const double v : f()[0].to_vector<double>()) seen.insert(v);
  CHECK(seen.size() == 30);
}

TEST_CASE("parameters outside their domain are errors of the call") {
  const Expr scale = vector("scale");
  const Function f = compile({scale}, {random::normal(random::state(1), {3}, 0.0, scale)});
  CHECK_NOTHROW(f(Array::from({0.0, 1.0, 2.0})));
  CHECK_THROWS_AS(f(Array::from({0.0, -1.0, 2.0})), ValueError);
  CHECK_THROWS_AS(random::normal(random::state(1), {3}, 0.0, -1.0), ValueError);
  CHECK_THROWS_AS(random::poisson(random::state(1), {3}, 1.0, DType::float64), TypeError);
  CHECK_THROWS_AS(random::normal(random::state(1), {3}, Expr(Array::from({1.0, 2.0}))), ValueError);
}

TEST_CASE("location and scale have their derivatives, and the shape of gamma has none") {
  const Expr m = scalar("m"), s = scalar("s");
  const Expr state = random::state(9);
  const Expr x = random::normal(state, {50}, m, s);
  const auto d = grad(sum(x), {m, s});
  const Function f = compile({m, s}, {d[0], d[1], sum(random::normal(state, {50}))});
  const Results r = f(Array(2.0), Array(3.0));
  CHECK(r[0].item<double>() == 50);
  CHECK(r[1].item<double>() == doctest::Approx(r[2].item<double>()));
  CHECK_THROWS_AS(grad(sum(random::gamma(state, {5}, m)), {m}), TypeError);
}

TEST_CASE("orders sort the words of their draw, and choices begin them") {
  const Expr state = random::state(21);
  const auto words = values_of(random::bits(state, {9})).to_vector<std::uint64_t>();
  const auto order = values_of(random::permutation(state, 9)).to_vector<std::int64_t>();
  for (std::size_t i = 1; i < order.size(); ++i)
    CHECK(words[static_cast<std::size_t>(order[i - 1])] <
          words[static_cast<std::size_t>(order[i])]);
  const auto few = values_of(random::choice(state, 9, 4, random::Replace::no));
  CHECK(few.to_vector<std::int64_t>() == std::vector(order.begin(), order.begin() + 4));
  const Expr x{Array::from({0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0})};
  const auto mixed = numbers_of(random::shuffle(state, x));
  CHECK(mixed == std::vector<double>(order.begin(), order.end()));
  CHECK(numbers_of(random::permuted(state, x)) == mixed);
  CHECK_THROWS_AS(values_of(random::choice(state, 3, 4, random::Replace::no)), ValueError);
}

TEST_CASE("categories of weight 0 are neither drawn nor chosen") {
  const Expr state = random::state(22);
  const Arg weights = Array::from({0.0, 1.0, 0.0, 3.0, 0.0});
  std::set<std::int64_t> seen;
  for (const auto i :
       values_of(random::categorical(state, {200}, weights)).to_vector<std::int64_t>())
    seen.insert(i);
  CHECK(seen == std::set<std::int64_t>{1, 3});
  const Arg parts = Array::from({0.0, 0.25, 0.0, 0.75, 0.0});
  const auto both = values_of(random::choice(state, 5, 2, random::Replace::no, parts));
  const auto list = both.to_vector<std::int64_t>();
  CHECK(std::set<std::int64_t>(list.begin(), list.end()) == seen);
  CHECK_THROWS_AS(values_of(random::choice(state, 5, 3, random::Replace::no, parts)), ValueError);
  CHECK_THROWS_AS(values_of(random::choice(state, 5, 2, random::Replace::no, weights)), ValueError);
  CHECK_THROWS_AS(random::categorical(state, {2}, 1.0), ValueError);
}
