// Explanations: each reason is told of a program that it holds for, and not of one a little apart.
#include "frontend/explanation.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/compile.h"
#include "frontend/gnomon.h"
#include "frontend/lower_function.h"

using namespace gnomon;

namespace {

Explanation explained(std::vector<Expr> inputs, std::vector<Output> outputs,
                      std::vector<Update> updates = {}, CompileOptions options = {}) {
  options.machine = Machine{};  // whatever was tuned
  return explain_closed(
      close_function(std::move(inputs), resolve(std::move(outputs), std::move(updates), options)),
      options);
}

bool mentions(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// How often a question has that answer for that reason; `about` is in one of the two subjects.
auto count_of(const Explanation& e, std::string_view question, bool is_so, std::string_view reason,
              std::string_view about = "") {
  const std::vector<ExplainedDecision>& all = e.decisions();
  return std::ranges::count_if(all, [&](const ExplainedDecision& d) {
    return d.question == question && d.is_so == is_so && mentions(d.reason, reason) &&
           (mentions(d.subject, about) || mentions(d.other, about));
  });
}

bool says(const Explanation& e, std::string_view question, bool is_so, std::string_view reason,
          std::string_view about = "") {
  return count_of(e, question, is_so, reason, about) > 0;
}

// The text shows what a test misses.
#define CHECK_SAYS(e, ...) CHECK_MESSAGE(says(e, __VA_ARGS__), (e).text())
#define CHECK_SAYS_NOT(e, ...) CHECK_MESSAGE(!says(e, __VA_ARGS__), (e).text())

CompileOptions donating(std::vector<int> inputs) {
  CompileOptions options;
  options.donated = std::move(inputs);
  return options;
}

using States = std::span<const Expr>;
using List = std::vector<Expr>;

struct Inputs {
  const Expr x = matrix("x"), y = matrix("y"), v = vector("v"), n = scalar("n", int64);

  // A loop over one state of the shape of v.
  Explanation of_loop(const std::function<Expr(const Expr& i, const Expr& state)>& step) const {
    return explained(
        {v, n},
        {fori(n, List{v * 2}, [&](const Expr& i, States s) { return List{step(i, s[0])}; })[0]});
  }
};

}  // namespace

TEST_CASE_FIXTURE(Inputs, "values are in one loop where they run over the same elements") {
  const Explanation apart = explained({x, v}, {{"rows", sum(exp(x), 1)}, {"w", sin(v)}});
  CHECK_SAYS(apart, "in one loop", false, "the loops run over other elements: [", "sin(v)");
  CHECK_SAYS_NOT(apart, "in one loop", true, "both run over", "sin");
  const Explanation together = explained({x}, {{"e", exp(x)}, {"s", sin(x)}});
  CHECK_SAYS(together, "in one loop", true, "both run over [", "sin(x)");
  CHECK_SAYS_NOT(together, "in one loop", false, "");
  CHECK(together.steps().size() == 1);
}

TEST_CASE_FIXTURE(Inputs, "what reads other elements of a result has a loop of its own") {
  const Expr e = exp(v);
  const Explanation apart = explained({v}, {{"e", e}, {"r", flip(e) + 1}});
  CHECK_SAYS(apart, "in one loop", false, "it reads other elements of a result than", "slice");
  const Explanation together = explained({v}, {{"e", e}, {"r", e + 1}});
  CHECK_SAYS_NOT(together, "in one loop", false, "it reads other elements");
  CHECK_SAYS(together, "in one loop", true, "both run over [");
}

TEST_CASE_FIXTURE(Inputs, "an element for each row goes with the rows") {
  const Explanation e = explained({x}, {{"l", log(sum(square(x), 1))}});
  CHECK_SAYS(e, "in one loop", true, "it has an element for each row of [", "log");
  CHECK_SAYS_NOT(explained({x}, {{"l", log(square(x))}}), "in one loop", true, "for each row");
}

TEST_CASE_FIXTURE(Inputs, "values are in memory for a reason") {
  CHECK_SAYS(explained({v}, {exp(v)}), "in memory", true, "it is a result", "exp(v)");
  const Explanation product = explained({x, y}, {dot(exp(x), y)});
  CHECK_SAYS(product, "in memory", true, "a step that is no part of a kernel reads it", "exp(x)");
  CHECK_SAYS_NOT(explained({x, y}, {exp(x) + y}), "in memory", true, "no part of a kernel");
  CHECK_SAYS(explained({x}, {sum(x, 0)}), "in memory", true, "sums over an outer axis", "sum(x)");
  CHECK_SAYS_NOT(explained({x}, {sum(x, 1)}), "in memory", true, "sums over an outer axis");
  // Costly for each row again; a sum of two is not.
  const auto spread = [&](const Expr& row) { return explained({x, v}, {x * row}); };
  CHECK_SAYS(spread(exp(v)), "in memory", true, "again for each of many elements", "exp(v)");
  CHECK_SAYS_NOT(spread(v + 1), "in memory", true, "again for each of many elements");
}

TEST_CASE_FIXTURE(Inputs, "long chains and large expressions go through memory") {
  Expr deep = v, wide = v;
  for (int i = 0; i < 130; ++i) deep = sin(deep) + 1;
  CHECK_SAYS(explained({v}, {deep}), "in memory", true, "too many operations would follow");
  CHECK_SAYS_NOT(explained({v}, {sin(sin(v))}), "in memory", true, "too many operations");
  for (int i = 1; i < 400; ++i) wide = wide + sin(v * i);
  CHECK_SAYS(explained({v}, {wide}), "in memory", true, "too many operations");
}

TEST_CASE_FIXTURE(Inputs, "what two loops compute again is told, and what they keep") {
  const Explanation again = explained({x}, {exp(x) / sum(exp(x), 0)});
  CHECK_SAYS(again, "computed again", true, "2 loops compute it, for", "exp(x)");
  CHECK_SAYS_NOT(explained({x}, {exp(x) / (exp(x) + 1)}), "computed again", true, "");
  const Expr dear = tan(exp(sin(x)));
  const Explanation kept = explained({x, y}, {sum(dear, 1), transpose(dear) * y});
  CHECK_SAYS(kept, "in memory", true, "loops over other elements would compute it again", "tan");
  CHECK_SAYS_NOT(kept, "computed again", true, "");
  CHECK_SAYS_NOT(explained({x, y}, {sum(dear, 1), dear * y}), "in memory", true,
                 "compute it again");
}

TEST_CASE_FIXTURE(Inputs, "loops are in one kernel where one of them is short") {
  const Explanation together = explained({x, v}, {sum(x * x), sum(v)});
  CHECK_SAYS(together, "in one kernel", true, "one of them is small");
  Expr a = x, b = v;
  for (int i = 0; i < 60; ++i) a = a * x + sin(a), b = b * v + sin(b);
  const Explanation apart = explained({x, v}, {sum(a, 1), sum(b)});
  CHECK_SAYS(apart, "in one kernel", false, " statements, more than 96");
  CHECK_SAYS_NOT(apart, "in one kernel", true, "");
  const Expr dear = tan(exp(sin(x)));
  CHECK_SAYS(explained({x, y}, {sum(dear, 1), transpose(dear) * y}), "in one kernel", false,
             "both are long, and kernels compile at once");
}

TEST_CASE_FIXTURE(Inputs, "products are calls of a library for a reason") {
  const Expr narrow = tensor("p", float64, {Dim::symbol("k"), 4}),
             few = tensor("q", float64, {Dim::symbol("r"), 8});
  CHECK_SAYS(explained({x, v}, {dot(x, v)}), "call of a library", true, "one column");
  const Explanation kernel = explained({few, y}, {dot(few, y)});
  CHECK_SAYS(kernel, "call of a library", false, "the sums are short; it is [", "dot");
  CHECK_SAYS(explained({x, narrow}, {dot(x, narrow)}), "call of a library", false,
             "the columns are few");
  const Explanation open = explained({x, y}, {dot(x, y)});
  CHECK_SAYS(open, "call of a library", true, "a kernel is faster for few rows", "dot");
  CHECK(std::ranges::count(open.steps(), "product", &ExplainedStep::kind) == 1);
  CHECK_SAYS_NOT(explained({x, y}, {x * y}), "call of a library", true, "");
}

TEST_CASE_FIXTURE(Inputs, "results are written over what they take the place of, or not") {
  const auto w = shared(Array::from<double>({1, 2, 3, 4}), "w");
  CHECK_SAYS(explained({}, {}, {{w, w * 2 + 1}}), "in place", true, "read for the last time",
             "the new value of w");
  const Explanation turned = explained({}, {}, {{w, flip(w) * 2}});
  CHECK_SAYS(turned, "in place", false, "elements of the old value are needed after", "w");
  const auto of_whole_and_part = [&](std::int64_t part) {
    Expr a = w, b = w(range(0, part));
    for (int i = 0; i < 40; ++i) a = a * w + sin(a), b = b * w(range(0, part)) + sin(b);
    return explained({}, {a, b}, {{w, w * 2}});
  };
  CHECK_SAYS(of_whole_and_part(2), "in place", false,
             "the old value is still needed once the new one is begun, by kernel", "w");
  CHECK_SAYS(of_whole_and_part(4), "in place", true, "", "w");
  const auto m = shared(Array::from<double>({4, 1, 1, 4}, {2, 2}), "m");
  CHECK_SAYS(explained({}, {cholesky(m + 1)}, {{m, m * 2}}), "in place", false,
             "a call that fails changes nothing, and routine cholesky may fail", "m");
  CHECK_SAYS(explained({}, {m + 1}, {{m, m * 2}}), "in place", true, "", "m");
}

TEST_CASE_FIXTURE(Inputs, "arguments are written over if they were given away") {
  CHECK_SAYS(explained({v}, {{"r", v + 1}}), "in place", false, "arguments that are not donated",
             "r");
  CHECK_SAYS(explained({v}, {{"r", v + 1}}, {}, donating({0})), "in place", true, "", "v");
  CHECK_SAYS(explained({v}, {{"r", cast(v, float32)}}, {}, donating({0})), "in place", false,
             "they are not alike: f32[", "v");
  CHECK_SAYS_NOT(explained({v}, {{"r", cast(v, float32)}}), "in place", false, "not donated");
}

TEST_CASE_FIXTURE(Inputs, "states of loops are in place, or not, by what steps read of them") {
  const Explanation own = of_loop([](const Expr&, const Expr& s) { return s + sum(s); });
  CHECK_SAYS(own, "element by element", false, "an element needs others", "fori");
  CHECK_SAYS(own, "in place", true, "", "state 0 of the loop: f64[");
  const Explanation turned = of_loop([](const Expr&, const Expr& s) { return flip(s) * 0.5; });
  CHECK_SAYS(turned, "in place", false, "elements of the old value are needed",
             "state 0 of the loop");
  const Expr few = tensor("few", float64, {3});
  const Explanation small = explained(
      {few, n}, {fori(n, List{few}, [](const Expr&, States s) { return List{flip(s[0])}; })[0]});
  CHECK_SAYS(small, "in place", false, "two memories of so few numbers cost nothing", "first few");
  CHECK_SAYS(small, "part of the loop", true, "it is small, and one thread runs it");
  CHECK_SAYS(turned, "part of the loop", false, "threads may share its elements");
}

TEST_CASE_FIXTURE(Inputs, "loops whose elements need no others go through steps by themselves") {
  const Explanation own = of_loop([](const Expr&, const Expr& s) { return sin(s) * 0.5; });
  CHECK_SAYS(own, "element by element", true, "no element needs others", "fori");
  CHECK_SAYS_NOT(own, "element by element", false, "");
  const List until = while_loop(
      List{v, n}, [](States s) { return s[1] > 0; },
      [](States s) { return List{sin(s[0]), s[1] - 1}; });
  CHECK_SAYS(explained({v, n}, {until[0]}), "element by element", false,
             "until a condition ends it");
}

TEST_CASE_FIXTURE(Inputs,
                  "loops begin in the memory of what they begin with, if nobody else needs it") {
  const auto step = [](const Expr&, States s) { return List{s[0] + sum(s[0])}; };
  const Expr first = sin(v);
  CHECK_SAYS(explained({v, n}, {fori(n, List{first}, step)[0]}), "begins in place", true,
             "nothing else needs what the loop begins with", "first sin");
  CHECK_SAYS(explained({v, n}, {dot(fori(n, List{first}, step)[0], first)}), "begins in place",
             false, "something else needs what the loop begins with");
  CHECK_SAYS(explained({v, n}, {fori(n, List{v}, step)[0]}), "begins in place", false,
             "is an argument, a variable or a constant", "first v");
}

TEST_CASE_FIXTURE(Inputs,
                  "what no step of a loop changes is copied once, if it is the same each time") {
  const auto relaxed = [](const Expr& u) {
    const Expr sides = u(until(-2), range(1, -1)) + u(from(2), range(1, -1));
    return set_at(u, {range(1, -1), range(1, -1)}, sides * 0.5);
  };
  const auto of_step = [&](const LoopBody& step) {
    return explained({x, n}, {fori(n, List{x}, step)[0]});
  };
  const Explanation heat = of_step([&](const Expr&, States s) { return List{relaxed(s[0])}; });
  CHECK_SAYS(heat, "copied once", true, "all steps write the same elements", "state 0 of the loop");
  const Explanation chosen = of_step([&](const Expr& i, States s) {
    return List{set_at(relaxed(s[0]), {Index(i % 3)}, s[0](1) * 0.5)};
  });
  CHECK_SAYS(chosen, "copied once", false, "steps write other elements each time", "state 0");
  CHECK_SAYS_NOT(of_loop([](const Expr&, const Expr& s) { return flip(s); }), "copied once", true,
                 "");
}

TEST_CASE_FIXTURE(Inputs,
                  "versions of an array that a step changes in parts are one memory, or not") {
  const auto of_step = [&](const std::function<Expr(const Expr& w, const Expr& s)>& use) {
    return explained({x, n}, {fori(n, List{x}, [&](const Expr& i, States s) {
                       const Expr begun = exp(s[0]);
                       const Expr first = set_at(begun, {Index(i % 3)}, sum(s[0], 0));
                       const Expr last = set_at(first, {Index((i + 1) % 3)}, sort(first(1)));
                       return List{use(last, first)};
                     })[0]});
  };
  const Explanation one = of_step([](const Expr& w, const Expr&) { return flip(w); });
  const Explanation two = of_step([](const Expr& w, const Expr& s) { return flip(w) + flip(s); });
  CHECK_SAYS(one, "one memory", true, "read for the last time");
  CHECK_SAYS(two, "one memory", false, "elements of the old value are needed after");
}

TEST_CASE_FIXTURE(Inputs, "loops are one where they share what they do") {
  const auto loop = [](const Expr& count, const Expr& begin, double by) {
    return fori(count, List{begin, begin * 2}, [&](const Expr&, States s) {
      return List{s[0] + sum(s[0]), s[1] * by + sum(s[0])};
    })[1];
  };
  const Expr m = scalar("m", int64);
  const Explanation one = explained({v, n}, {loop(n, v, 0.5), loop(n, v, 0.25)});
  CHECK_SAYS(one, "one loop", true, "they have states in common");
  CHECK(std::ranges::count(one.steps(), "loop", &ExplainedStep::kind) == 1);
  const Explanation counts = explained({v, n, m}, {loop(n, v, 0.5), loop(m, v, 0.25)});
  CHECK_SAYS(counts, "one loop", false, "they make different numbers of steps");
  const Explanation chained = explained({v, n}, {loop(n, loop(n, v, 0.5), 0.25)});
  CHECK_SAYS(chained, "one loop", false, "");
}

TEST_CASE_FIXTURE(Inputs, "heavy steps run side by side where neither needs the other") {
  const Explanation beside = explained({x, y}, {cholesky(x), cholesky(y)});
  CHECK_SAYS(beside, "side by side", true, "neither needs what the other makes", "cholesky");
  const Explanation chained = explained({x}, {cholesky(cholesky(x) + 1)});
  CHECK_SAYS(chained, "side by side", false, "one needs what the other", "cholesky");
  CHECK_SAYS_NOT(chained, "side by side", true, "");
  const Expr few = tensor("few", float64, {3, 3});
  CHECK_SAYS(explained({few}, {cholesky(few)}), "side by side", false, "it is the work of ");
}

TEST_CASE_FIXTURE(Inputs, "both branches are computed where that costs less than a choice") {
  const Expr a = scalar("a");
  const auto branches = [&](const std::function<Expr()>& then) {
    return explained({a, v},
                     {cond(a > 0, [&] { return List{then()}; }, [&] { return List{-a}; })[0]});
  };
  CHECK_SAYS(branches([&] { return a * 2; }), "both branches", true, "both cost ");
  CHECK_SAYS(branches([&] { return sin(exp(a)) * cos(exp(a)); }), "both branches", false,
             "both cost ");
  CHECK_SAYS(branches([&] { return sum(v); }), "both branches", false, "a branch makes arrays");
  CHECK_SAYS(explained({a}, {cond(
                                Expr(Array(true)), [&] { return List{sin(a)}; },
                                [&] { return List{-a}; })[0]}),
             "one branch alone", true, "the condition is true");
}

TEST_CASE_FIXTURE(Inputs, "a memory budget says what it keeps and what it computes again") {
  const Expr input = tensor("h", float64, {64, 32});
  List weights;
  Expr h = input;
  for (int k = 0; k < 8; ++k) {
    weights.push_back(tensor("w" + std::to_string(k), float64, {32, 32}));
    h = tanh(dot(h, weights.back()));
  }
  List inputs{input};
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  std::vector<Output> outputs;
  for (const Expr& g : grad(mean(square(h)), weights)) outputs.emplace_back(g);
  const auto with = [&](std::int64_t budget) {
    CompileOptions options;
    options.memory_budget = budget;
    return explained(inputs, outputs, {}, options);
  };
  const Explanation tight = with(140'000);
  CHECK_SAYS(tight, "kept in memory", false, "to fit 140000 bytes");
  CHECK_SAYS(tight, "kept in memory", true, "begins with it");
  CHECK_SAYS_NOT(with(100'000'000), "kept in memory", false, "");
}

TEST_CASE_FIXTURE(Inputs, "arguments that calls copy are told with what is wrong with them") {
  const Explanation e = explained({x, v}, {sum(x) + sum(v)});
  const Array whole = zeros({4, 6}, float64);
  const Array turned = whole.transpose(), line = zeros({5}, float64);
  const Explanation copied = e.with_arguments(std::vector{turned, line});
  CHECK_SAYS(copied, "copied", true, "along axis 1 are 6 apart in memory, not 1", "x");
  CHECK_SAYS(copied, "copied", false, "lies in memory as kernels read it", "v");
  CHECK_SAYS(e.with_arguments(std::vector{whole, line}), "copied", false, "", "x");
  const std::vector<char> bytes(48);
  const Array odd = Array::borrow(const_cast<char*>(bytes.data()) + 1, DType::float64, {5});
  CHECK_SAYS(e.with_arguments(std::vector{whole, odd}), "copied", true, "does not begin at", "v");
  CHECK_SAYS(e.with_arguments(std::vector{whole, line}, std::vector<std::string>{"a list", ""}),
             "copied", true, "a list", "x");
  CHECK_THROWS_AS(e.with_arguments(std::vector{whole}), TypeError);
  CHECK_THROWS_AS(e.with_arguments(std::vector{line, line}), TypeError);
}

TEST_CASE_FIXTURE(
    Inputs, "rewrites have their rule, their line, their cost and, if asked for, their accuracy") {
  const Explanation e = explained({v}, {log(1 + exp(v))});
  const auto at = std::ranges::find(e.rewrites(), "softplus", &ExplainedRewrite::rule);
  REQUIRE(at != e.rewrites().end());
  CHECK(at->pass == "stabilize");
  CHECK(at->promise == "accurate");
  CHECK(at->after == "softplus(v)");
  CHECK(!at->cost_before.empty());
  CHECK(at->cost_before != at->cost_after);
  REQUIRE(at->lines.size() == 1);
  CHECK(mentions(at->lines[0], "explanation_test.cpp:"));
  CHECK(std::ranges::any_of(at->nodes, [](const std::string& s) { return mentions(s, " log"); }));
  CHECK(!at->accuracy);
  CHECK(at->accuracy_unknown.empty());
  const Explanation measured =
      e.only({.rule = "softplus"}).with_accuracy({.ranges = {{"v", {1e-12, 700}}}, .points = 20});
  REQUIRE(measured.rewrites().size() == 1);
  const std::optional<RewriteAccuracy> accuracy = measured.rewrites()[0].accuracy;
  REQUIRE(accuracy);
  CHECK(accuracy->compared == 60);
  CHECK(accuracy->worst_after < 3);
  CHECK(accuracy->mean_before >= accuracy->mean_after);
  CHECK_THROWS_AS(e.with_accuracy({.ranges = {{"z", {0, 1}}}}), ValueError);
  CHECK_THROWS_AS(e.with_accuracy({.extents = {{"z", 1}}}), ValueError);
  CHECK_THROWS_AS(e.with_accuracy({.points = 0}), ValueError);
  const Expr half = tensor("half", DType::float16, {Dim::symbol("k")});
  const Explanation narrow = explained({half}, {log(1 + exp(half))}).with_accuracy();
  REQUIRE(!narrow.rewrites().empty());
  CHECK(mentions(narrow.rewrites()[0].accuracy_unknown, "half is float16"));
}

TEST_CASE_FIXTURE(Inputs, "rewrites inside of loops are told with their lines") {
  const Explanation e =
      of_loop([](const Expr&, const Expr& s) { return log(1 + exp(s)) + sum(s); });
  const Explanation only = e.only({.rule = "softplus"});
  REQUIRE(only.rewrites().size() >= 1);
  CHECK(mentions(only.rewrites()[0].lines.at(0), "explanation_test.cpp:"));
  CHECK(only.with_accuracy({.points = 5}).rewrites()[0].accuracy);
  CHECK(only.steps().empty());
}

TEST_CASE_FIXTURE(
    Inputs, "filters leave what is about a line, a node, a rule, a pass, and know no other names") {
  const Expr e = log(1 + exp(v));
  const Expr other = sum(x, 1);
  const Explanation all = explained({v, x}, {{"soft", e}, {"rows", other}});
  const std::string line = e.value().node().origins().at(0).text();
  const Explanation of_line = all.only({.line = line});
  CHECK(!of_line.rewrites().empty());
  CHECK(of_line.steps().size() == 1);
  for (const ExplainedDecision& d : of_line.decisions())
    CHECK(std::ranges::count(d.lines, line) == 1);
  CHECK(all.only({.line = line.substr(line.rfind(':') + 1)}).json() == of_line.json());
  CHECK(all.only({.line = "explanation_test.cpp"}).rewrites().size() == all.rewrites().size());
  CHECK(all.only({.node = "softplus"}).rewrites().size() < all.rewrites().size());
  CHECK(!all.only({.node = "sum"}).steps().empty());
  CHECK(!all.only({.node = "x"}).decisions().empty());
  CHECK(all.only({.rule = "softplus"}).decisions().empty());
  const Explanation fused = all.only({.pass = "fuse"});
  CHECK(!fused.decisions().empty());
  CHECK(std::ranges::all_of(fused.decisions(), [](const auto& d) { return d.pass == "fuse"; }));
  CHECK(fused.rewrites().empty());
  CHECK(all.only({}).json() == all.json());
  for (const ExplanationFilter& wrong : std::vector<ExplanationFilter>{{.line = "nowhere.py:1"},
                                                                       {.line = "999999"},
                                                                       {.node = "%1000"},
                                                                       {.node = "nothing"},
                                                                       {.rule = "softplus_"},
                                                                       {.pass = "fusion"}})
    CHECK_THROWS_AS(all.only(wrong), ValueError);
  CHECK_THROWS_WITH_AS(all.only({.rule = "softplu"}),
                       doctest::Contains("explain: there is no rule softplu; there are softplus, "),
                       ValueError);
}

TEST_CASE_FIXTURE(Inputs,
                  "an explanation is valid JSON, the same each time, of a cached function too") {
  const Expr cost = mean(square(dot(x, v)));
  const Expr slope = grad(cost, v);
  const Explanation e = explained({x, v}, {cost, slope});
  CHECK(e.json() == explained({x, v}, {cost, slope}).json());
  const nlohmann::json told = nlohmann::json::parse(e.json());
  CHECK(told["rewrites"].size() == e.rewrites().size());
  CHECK(told["decisions"].size() == e.decisions().size());
  CHECK(told["decisions"][0]["reason"] == e.decisions()[0].reason);
  CHECK(told["steps"].size() == e.steps().size());
  CHECK(told["passes"].size() == e.passes().size());
  const Function first = compile({v}, {{"r", sin(v) + 1}}),
                 again = compile({v}, {{"r", sin(v) + 1}});
  CHECK(first.explanation().json() == again.explanation().json());
  CHECK(again.explanation().steps().size() == 1);
}

TEST_CASE_FIXTURE(Inputs, "the graph is there as each pass left it") {
  const auto stages = explained({v}, {log(1 + exp(v))}).stages();
  REQUIRE(stages.size() > 2);
  CHECK(stages[0].first == "captured");
  CHECK(stages[0].second.outputs[0].is(op::log));
  const auto stabilized =
      std::ranges::find(stages, "stabilize", [](const auto& s) { return s.first; });
  REQUIRE(stabilized != stages.end());
  CHECK(stabilized->second.outputs[0].is(op::softplus));
}

TEST_CASE_FIXTURE(Inputs, "a function is lowered alike whether somebody asks why or not") {
  const auto w = shared(Array::from<double>({1, 2, 3}), "w");
  const Closed closed = close_function(
      {x, v, n},
      resolve(
          {softmax(dot(exp(x), transpose(x))),
           fori(n, List{v}, [](const Expr&, States s) { return List{flip(s[0]) + sum(s[0])}; })[0]},
          {{w, w * 2}}, {}));
  const Target target = target_of({}, closed.graph);
  LoweringRecord record;
  const LoweredFunction plain = lower_function(closed, {}, target, std::nullopt);
  const LoweredFunction told =
      lower_function(closed, {}, target, std::nullopt, std::nullopt, [](const char*) {}, &record);
  CHECK(plain.module.text() == told.module.text());
  CHECK(!record.decisions.all().empty());
}
