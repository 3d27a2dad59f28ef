// Profiles: what each step of calls took, counted exactly, and nothing of it in other functions.
#include "frontend/profile.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "frontend/gnomon.h"
#include "tests/support/robust_support.h"

using namespace gnomon;
using namespace robust;

namespace {

CompileOptions profiled(std::string name = "f") {
  CompileOptions options;
  options.name = std::move(name);
  options.cache = false;
  options.profile = true;
  return options;
}

FunctionProfile profile_of(const Function& f) { return f.profile().functions().at(0); }

const StepProfile& step_of(const FunctionProfile& f, std::string_view kind) {
  const auto at = std::ranges::find(f.steps, kind, &StepProfile::kind);
  REQUIRE_MESSAGE(at != f.steps.end(), kind);
  return *at;
}

double sum_of_shares(const FunctionProfile& f) {
  double sum = 0;
  for (const StepProfile& s : f.steps)
    if (s.inside < 0) sum += s.share;
  return sum;
}

using List = std::vector<Expr>;

}  // namespace

TEST_CASE("without the option nothing of a profile is in the code, and there is none") {
  const Expr x = matrix("x"), y = matrix("y");
  CompileOptions options = profiled();
  options.explain = true;
  const Function counted = compile({x, y}, {{"z", tanh(dot(x, exp(y)))}}, {}, options);
  options.profile = false;
  const Function plain = compile({x, y}, {{"z", tanh(dot(x, exp(y)))}}, {}, options);
  CHECK(plain.source().find("profile") == std::string::npos);
  CHECK(plain.source().find("laps") == std::string::npos);
  CHECK_THROWS_AS(plain.profile(), ValueError);
  // The rest is the same text: what profiles add are lines of their own.
  std::istringstream lines(counted.source());
  std::string without;
  for (std::string line; std::getline(lines, line);)
    if (line.find("laps") == std::string::npos && line.find("gnomon_profile") == std::string::npos)
      without += line + "\n";
  const auto run_of = [](const std::string& text) {
    std::string steps = text.substr(text.find("gnomon_run("));
    steps = steps.substr(0, steps.find("\n}\n"));
    // A kernel and the end of its lap are a block.
    std::erase_if(steps, [](char c) { return c == ' ' || c == '\n' || c == '{' || c == '}'; });
    return steps;
  };
  CHECK(run_of(without) == run_of(plain.source()));
  CHECK(counted.module_text() == plain.module_text());
}

TEST_CASE("calls, stages and steps are counted, and shares sum to nearly 1") {
  const Expr x = vector("x");
  const Expr y = cumsum(exp(x), 0);
  const Function f = compile({x}, {{"y", sum(y) + y}}, {}, profiled("running"));
  const Array v = ones({100000});
  for (int i = 0; i < 20; ++i) f(v);
  const FunctionProfile p = profile_of(f);
  CHECK(p.name == "running");
  CHECK(p.signature.starts_with("x: f64["));
  CHECK(p.calls == 20);
  CHECK(p.failed == 0);
  REQUIRE(p.stages.size() == 5);
  double stages = 0;
  for (const auto& [name, seconds] : p.stages) stages += seconds;
  CHECK(stages == doctest::Approx(p.seconds));
  CHECK(p.stages[3].first == "run");
  CHECK(p.stages[3].second > 0);
  for (const StepProfile& s : p.steps) {
    CHECK(s.calls == 20);
    CHECK(s.seconds > 0);
    CHECK(s.threads >= 1);
  }
  const double shares = sum_of_shares(p);
  CHECK(shares > 0.9);
  CHECK(shares < 1.001);
  // The exponentials are read from x and written; the running sums read them and write as much.
  CHECK(step_of(p, "kernel").bytes == 20 * 2 * 8 * 100000);
  CHECK(step_of(p, "lines").bytes == 20 * 2 * 8 * 100000);
}

TEST_CASE("a step inside a loop counts each of its calls") {
  const Expr x = vector("x");
  const Expr n = scalar("n", DType::int64);
  const auto body = [](const Expr&, std::span<const Expr> s) { return List{sort(s[0] * 1.5)}; };
  const Function f = compile({x, n}, {{"y", fori(n, List{x}, body)[0]}}, {}, profiled());
  f(ones({50}), Array(std::int64_t{7}));
  f(ones({50}), Array(std::int64_t{0}));
  f(ones({50}), Array(std::int64_t{3}));
  const FunctionProfile p = profile_of(f);
  const auto at = std::ranges::find(p.steps, "loop", &StepProfile::kind);
  REQUIRE(at != p.steps.end());
  const int loop = static_cast<int>(at - p.steps.begin());
  CHECK(at->calls == 3);
  double inside = 0;
  int inner = 0;
  std::int64_t bytes = 0;
  for (const StepProfile& s : p.steps) {
    if (s.inside != loop) continue;
    ++inner;
    CHECK(s.calls == 10);
    inside += s.seconds;
    bytes += s.bytes;
  }
  CHECK(inner >= 2);
  CHECK(inside <= at->seconds);
  CHECK(at->bytes == bytes);
  CHECK(sum_of_shares(p) < 1.001);
}

TEST_CASE("products tell their operations") {
  const Expr a = matrix("a"), b = matrix("b");
  const Function f = compile({a, b}, {{"c", dot(a, b)}}, {}, profiled());
  for (const std::int64_t n : {2, 200}) f(ones({n, n}), ones({n, n}));
  std::int64_t operations = 0, bytes = 0;
  for (const StepProfile& s : profile_of(f).steps) operations += s.operations, bytes += s.bytes;
  CHECK(operations == 2 * (2 * 2 * 2 + 200 * 200 * 200));
  CHECK(bytes == 3 * 8 * (2 * 2 + 200 * 200));
}

TEST_CASE("kernels and services tell their operations, and how much of the machine's these are") {
  constexpr std::int64_t n = 1000, m = 30;
  const Expr x = matrix("x"), a = matrix("a");
  // A multiplication and an addition an element; additions of a row; a running sum; a factor.
  const Function f = compile(
      {x, a}, {{"y", x * 3.0 + 1.0}, {"r", sum(x, {1})}, {"c", cumsum(x, 1)}, {"l", cholesky(a)}},
      {}, profiled());
  Array one = zeros({m, m});
  for (std::int64_t i = 0; i < m; ++i) one.data<double>()[i * (m + 1)] = 4;
  f(ones({n, m}), one);
  const FunctionProfile p = profile_of(f);
  std::int64_t of_kernels = 0;
  for (const StepProfile& s : p.steps)
    if (s.kind == "kernel") of_kernels += s.operations;
  // x * 3 + 1 is one operation with one rounding or two; the sum is one addition, and in one kernel
  // with it one more for each row.
  CHECK(of_kernels >= 2 * n * m);
  CHECK(of_kernels <= 3 * n * m + n);
  CHECK(step_of(p, "lines").operations == n * m);
  CHECK(step_of(p, "routine").operations == m * m * m / 3);
  const MachineLimits machine = machine_limits();
  for (const StepProfile& s : p.steps) {
    CHECK(s.of_bandwidth ==
          doctest::Approx(static_cast<double>(s.bytes) / s.seconds / machine.bytes_per_second));
    CHECK(s.of_peak == doctest::Approx(static_cast<double>(s.operations) / s.seconds /
                                       machine.operations_per_second));
  }
}

TEST_CASE("operations on float32 are compared with the peak of float32") {
  const Expr x = vector("x", float32);
  const Function f = compile({x}, {{"y", exp(x)}}, {}, profiled());
  f(Array::from(std::vector<float>(1000, 1)));
  const StepProfile s = step_of(profile_of(f), "kernel");
  CHECK(s.operations >= 1000);
  CHECK(s.operations % 1000 == 0);
  CHECK(s.of_peak == doctest::Approx(static_cast<double>(s.operations) / s.seconds /
                                     machine_limits().single_per_second));
}

TEST_CASE("what is live at each step is told, and who holds the peak") {
  constexpr std::int64_t n = 5000;
  const Expr x = vector("x");
  const Expr first = sort(x);
  const int line = __LINE__ + 1;
  const Expr wide = cumsum(concatenate(std::vector<Expr>{first, first, first}, 0), 0);
  const Function f = compile({x}, {{"y", sort(wide)}, {"s", sum(wide)}}, {}, profiled());
  f(ones({10}));
  f(ones({n}));
  f(ones({20}));
  const FunctionProfile p = profile_of(f);
  // The sorted values, three times as many in a row, their sums, and the result.
  std::int64_t least = 3 * n * 8 + 3 * n * 8, all = 0;
  for (const HeldMemory& m : p.memory) all += m.bytes;
  CHECK(p.peak_bytes >= least);
  CHECK(p.peak_bytes <= all);
  REQUIRE(p.peak_step >= 0);
  CHECK(p.steps[static_cast<std::size_t>(p.peak_step)].live == p.peak_bytes);
  for (std::size_t i = 0; i < p.steps.size(); ++i) {
    std::int64_t live = 0;
    for (const HeldMemory& m : p.memory)
      if (m.first <= static_cast<int>(i) && static_cast<int>(i) <= m.last) live += m.bytes;
    CHECK(p.steps[i].live == live);
  }
  const auto result = std::ranges::find(p.memory, "y", &HeldMemory::name);
  REQUIRE(result != p.memory.end());
  CHECK(result->result);
  CHECK(result->bytes == 3 * n * 8);
  const std::string place = "profile_test.cpp:" + std::to_string(line);
  CHECK(std::ranges::any_of(p.memory, [&](const HeldMemory& m) {
    return std::ranges::find(m.lines, place) != m.lines.end();
  }));
  const std::string text = f.profile().text();
  CHECK(text.find("memory: at most ") != std::string::npos);
  CHECK(text.find(place, text.find("memory: at most ")) != std::string::npos);
}

TEST_CASE("results over the memory of variables hold none of their own") {
  const SharedVariable w = shared(ones({4000}), "w");
  const Expr x = vector("x");
  const Function f = compile({x}, {{"y", sum(x)}}, {{w, w * 2.0}}, profiled());
  f(ones({3}));
  f(ones({3}));
  for (const HeldMemory& m : profile_of(f).memory)
    CHECK((m.bytes <= 64 || m.bytes == 4000 * 8));  // the first call may have to copy
}

TEST_CASE("values that are computed once a row have their lines") {
  const Expr x = matrix("x"), y = vector("y");
  const int line = __LINE__ + 1;
  const Expr scale = exp(y) + 2.0;
  const Function f = compile({x, y}, {{"z", tanh(x * expand_dims(scale, {1}))}}, {}, profiled());
  f(ones({20, 30}), ones({20}));
  const std::string place = "profile_test.cpp:" + std::to_string(line);
  const StepProfile kernel = step_of(profile_of(f), "kernel");
  CHECK(std::ranges::find(kernel.lines, place) != kernel.lines.end());
}

TEST_CASE("a write of a few elements touches no more than these") {
  const Expr x = vector("x");
  const Expr i = vector("i", DType::int64);
  const Function f = compile({x, i}, {{"y", take(x, i, 0)}}, {}, profiled());
  f(ones({100000}), Array::from(std::vector<std::int64_t>{5, 7}));
  // Two places, two elements read and two written.
  CHECK(step_of(profile_of(f), "kernel").bytes == 3 * 2 * 8);
}

TEST_CASE("threads count by themselves") {
  const Expr x = vector("x");
  const auto body = [](const Expr&, std::span<const Expr> s) { return List{sort(s[0] + 1.0)}; };
  const Function f = compile({x}, {{"y", fori(5, List{x}, body)[0]}}, {}, profiled());
  constexpr int threads = 4, calls = 200;
  std::vector<std::thread> callers;
  for (int t = 0; t < threads; ++t)
    callers.emplace_back([&] {
      for (int c = 0; c < calls; ++c) f(ones({20}));
    });
  // Whoever looks meanwhile sees whole calls.
  for (int k = 0; k < 50; ++k) {
    const FunctionProfile p = profile_of(f);
    CHECK(step_of(p, "loop").calls == p.calls);
    CHECK(step_of(p, "lines").calls == 5 * p.calls);
  }
  for (std::thread& t : callers) t.join();
  const FunctionProfile p = profile_of(f);
  CHECK(p.calls == threads * calls);
  CHECK(step_of(p, "lines").calls == 5 * threads * calls);
}

TEST_CASE("steps side by side count in each branch") {
  const Expr a = matrix("a"), b = matrix("b");
  const Function f = compile({a, b}, {{"a", cholesky(a)}, {"b", cholesky(b)}}, {}, profiled());
  for (const std::int64_t n : {3, 150}) {
    Array one = zeros({n, n});
    for (std::int64_t i = 0; i < n; ++i) one.data<double>()[i * (n + 1)] = 4;
    f(one, one);
  }
  const FunctionProfile p = profile_of(f);
  const StepProfile& group = step_of(p, "side by side");
  CHECK(group.calls == 2);
  int branches = 0;
  for (const StepProfile& s : p.steps) branches += s.inside >= 0 && s.calls == 2 ? 1 : 0;
  CHECK(branches == 2);
}

TEST_CASE("updates and failures are counted, and a reset begins anew") {
  const SharedVariable w = shared(Array::from({1.0, 2.0}), "w");
  const Expr i = scalar("i", DType::int64);
  const Function f = compile({i}, {{"y", take(w * 2, i, 0)}}, {{w, w + 1}}, profiled());
  f(Array(std::int64_t{1}));
  CHECK_THROWS_AS(f(Array(std::int64_t{9})), IndexError);
  CHECK_THROWS_AS(f(Array(1.0)), TypeError);
  FunctionProfile p = profile_of(f);
  CHECK(p.calls == 3);
  CHECK(p.failed == 2);
  CHECK(w.get().to_vector<double>() == std::vector{2.0, 3.0});
  f.profile().reset();
  p = profile_of(f);
  CHECK(p.calls == 0);
  CHECK(std::ranges::all_of(p.steps, [](const StepProfile& s) { return s.calls == 0; }));
  f(Array(std::int64_t{0}));
  CHECK(profile_of(f).calls == 1);
}

TEST_CASE("functions from the cache are profiled too, with their own lines") {
  const Folder folder;
  CompileOptions options = profiled();
  options.cache = true;
  options.cache_folder = folder.path / "cache";
  std::vector<std::string> lines;
  for (int k = 0; k < 2; ++k) {
    const Expr x = vector("x");
    const int line = __LINE__ + 1;
    const Expr y = k == 0 ? exp(x) * 3 : Expr();
    const Expr z = k == 1 ? exp(x) * 3 : Expr();
    const Function f = compile({x}, {{"y", k == 0 ? y : z}}, {}, options);
    CHECK(f.was_cached() == (k == 1));
    f(ones({10}));
    const FunctionProfile p = profile_of(f);
    CHECK(p.was_cached == (k == 1));
    CHECK(step_of(p, "kernel").calls == 1);
    REQUIRE(!step_of(p, "kernel").lines.empty());
    CHECK(step_of(p, "kernel").lines[0] == "profile_test.cpp:" + std::to_string(line + k));
  }
  // Another function has the code without counts.
  options.profile = false;
  const Expr x = vector("x");
  const Function plain = compile({x}, {{"y", exp(x) * 3}}, {}, options);
  CHECK(!plain.was_cached());
  CHECK_THROWS_AS(plain.profile(), ValueError);
}

TEST_CASE("texts, JSON and traces say what was counted") {
  const Folder folder;
  const Expr x = vector("x");
  const auto body = [](const Expr&, std::span<const Expr> s) { return List{sort(s[0] * 1.5)}; };
  const Function f = compile({x}, {{"y", fori(4, List{x}, body)[0]}}, {}, profiled("told"));
  for (int k = 0; k < 6; ++k) f(ones({30}));
  const Profile p = f.profile();
  const std::string text = p.text();
  CAPTURE(text);
  for (const char* word : {"told: x: f64[", "6 calls", "loop for", "GB/s",
                           "profile_test.cpp:", "compilation", "between steps"})
    CHECK_MESSAGE(text.find(word) != std::string::npos, word);
  const auto json = nlohmann::json::parse(p.json());
  const auto& told = json.at("functions").at(0);
  CHECK(told.at("calls") == 6);
  CHECK(told.at("steps").size() == p.functions()[0].steps.size());
  CHECK(told.at("compilation").contains("build"));
  CHECK(told.at("stages").contains("run"));

  std::filesystem::create_directories(folder.path);
  p.write_trace(folder.path / "trace.json");
  std::ifstream in(folder.path / "trace.json");
  const auto trace = nlohmann::json::parse(in);
  int calls = 0, sorts = 0;
  std::int64_t most = 0;
  double before = 0;  // where the last stage of compilation ended
  std::vector<std::string> stages;
  for (const auto& e : trace.at("traceEvents")) {
    if (e.at("ph") == "C") most = std::max(most, e.at("args").at("bytes").get<std::int64_t>());
    if (e.at("ph") == "X" && e.at("cat") == "compilation") {
      stages.push_back(e.at("name"));
      CHECK(e.at("ts").get<double>() >= before - 1e3);
      before = e.at("ts").get<double>() + e.at("dur").get<double>();
    }
    if (e.at("ph") != "X") continue;
    CHECK(e.at("dur").get<double>() >= 0);
    CHECK(e.at("ts").get<double>() >= 0);
    calls += e.at("cat") == "call";
    sorts += e.at("cat") == "lines";
  }
  CHECK(calls == 4);  // the last ones
  CHECK(most == p.functions()[0].peak_bytes);
  const std::vector<std::string> made = {"capture", "find",  "rewrite", "fuse",
                                         "print",   "clang", "link",    "load"};
  const std::vector<std::string> found = {"capture", "find", "load"};
  CHECK(stages == (p.functions()[0].was_cached ? found : made));
  CHECK(sorts == 4 * calls);
  CHECK_THROWS_AS(p.write_trace(folder.path / "none" / "trace.json"), DeviceError);
}
