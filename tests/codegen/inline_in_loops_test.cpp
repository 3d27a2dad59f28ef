// Kernels in loops that are part of the function around them: what is inlined, what is a variable,
// and that small states of every dtype and extent have the values of the reference.
#include <algorithm>
#include <string>
#include <vector>

#include "codegen/module/accesses.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/arrays/arrays.h"
#include "tests/support/compiled_support.h"
#include "tests/support/module_support.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

bool is_variable(const Module& module, int buffer) {
  return module.buffers[buffer].role == Buffer::Role::variable;
}

// Whether all kernels that a list of steps runs are inlined.
bool calls_nothing(const Module& module, const std::vector<Step>& steps) {
  return std::ranges::all_of(steps, [&](const Step& step) {
    bool inlined = true;
    for_each_inner(step, [&](const auto& inner) { inlined &= calls_nothing(module, inner); });
    if (const auto* s = std::get_if<KernelStep>(&step.what))
      return module.kernels[s->kernel].inlined;
    return inlined && !std::holds_alternative<ServiceStep>(step.what);
  });
}

}  // namespace

TEST_CASE("a loop of scalars calls nothing and has no memory") {
  const Expr x = scalar("x"), r = scalar("r"), n = scalar("n", int64);
  const List last =
      fori(n, List{x, r}, [&](const Expr& i, States s) { return List{s[1] * s[0], s[0] + i}; });
  const Module module = module_of(last);
  const LoopStep& loop = first_loop(module);
  CHECK(calls_nothing(module, loop.body));
  CHECK(loop.is_brief);
  CHECK(module.workspace.empty());
  for (const int b : loop.current) CHECK(is_variable(module, b));
  for (const int b : loop.next) CHECK(is_variable(module, b));
  CHECK(is_variable(module, loop.index));
}

TEST_CASE("what is around loops is called") {
  const Expr x = vector("x"), n = scalar("n", int64);
  const List last = fori(n, List{x(0)}, [&](const Expr&, States s) { return List{s[0] * 0.5}; });
  const Module module = module_of({exp(x) * last[0]});
  for (const Step& step : module.steps)
    if (const auto* s = std::get_if<KernelStep>(&step.what)) {
      CHECK(!module.kernels[s->kernel].inlined);
    }
}

TEST_CASE("what services and large kernels touch is memory") {
  const Expr n = scalar("n", int64);
  SUBCASE("a routine of a matrix") {
    const Expr a = tensor("a", float64, {4, 4});
    const Module module = module_of(
        fori(n, List{a}, [](const Expr&, States s) { return List{inv(s[0]) + s[0] * 0.5}; }));
    const LoopStep& loop = first_loop(module);
    CHECK(!is_variable(module, loop.current[0]));
    CHECK(!loop.is_brief);
  }
  SUBCASE("an extent that only calls know") {
    const Expr x = vector("x");
    const Module module =
        module_of(fori(n, List{x}, [](const Expr&, States s) { return List{sin(s[0])}; }));
    const LoopStep& loop = first_loop(module);
    CHECK(!is_variable(module, loop.current[0]));
    CHECK(!loop.is_brief);
  }
  SUBCASE("many elements") {
    for (const std::int64_t extent : {64, 65}) {
      const Expr x = tensor("x", float64, {extent});
      const Module module =
          module_of(fori(n, List{x}, [](const Expr&, States s) { return List{flip(s[0])}; }));
      CHECK(is_variable(module, first_loop(module).current[0]) == (extent == 64));
    }
  }
}

TEST_CASE("a loop inside a loop is part of the same function") {
  const Expr x = scalar("x"), n = scalar("n", int64);
  const List last = fori(n, List{x}, [&](const Expr& i, States outer) {
    return fori(i, List{outer[0]}, [&](const Expr& j, States s) { return List{sin(s[0]) + j}; });
  });
  const Module module = module_of(last);
  const LoopStep& loop = first_loop(module);
  CHECK(calls_nothing(module, loop.body));
  CHECK(!loop.is_brief);
  CHECK(module.workspace.empty());
}

TEST_CASE("small states of every dtype and extent have the values of the reference") {
  for (int d = 0; d < dtype_count; ++d) {
    const auto t = static_cast<DType>(d);
    if (is_complex(t)) continue;  // pairs of numbers
    CAPTURE(name_of(t));
    const double tolerance = t == DType::float64   ? 1e-12
                             : t == DType::float32 ? 1e-5
                             : is_float(t)         ? 2e-2
                                                   : 0;
    const DType given = is_float(t) ? DType::float64 : t;
    Batch batch(std::string(name_of(t)));
    const Expr n = scalar("n", int64);
    batch.inputs = {n};
    std::vector<std::int64_t> extents;
    for (const std::int64_t extent : {0, 1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 31, 33, 63, 64}) {
      const Expr a = tensor("a" + std::to_string(extent), given, {extent});
      const Expr b = tensor("b" + std::to_string(extent), given, {extent});
      batch.inputs.insert(batch.inputs.end(), {a, b});
      extents.push_back(extent);
      // Lanes, lanes in another order, single elements, and sums.
      const List last = fori(n, List{cast(a, t), cast(b, t)}, [&](const Expr& i, States s) {
        if (extent == 0) return List{s[1], s[0]};
        const Expr one = s[0](i % extent);
        const Expr both = is_bool(t) ? s[0] != flip(s[1]) : maximum(s[0], flip(s[1]));
        const Expr total = is_bool(t) ? any(s[1]) : cast(sum(s[1]), t);
        return List{both, set_at(s[1], {Index((i + 1) % extent)}, maximum(one, total))};
      });
      for (const Expr& e : last) batch.add("state", cast(e, given), tolerance);
    }
    Samples random(static_cast<std::uint64_t>(d) + 1);
    for (const std::int64_t steps : {0, 1, 5}) {
      std::vector<Array> values{Array(steps)};
      for (const std::int64_t extent : extents)
        for (int k = 0; k < 2; ++k) values.push_back(random.small(given, {extent}));
      batch.check_with(values);
    }
  }
}

TEST_CASE("a check that fails in an inlined kernel ends the loop there") {
  const Expr s0 = scalar("s"), x = tensor("x", float64, {3}), n = scalar("n", int64);
  const List last = fori(n, List{s0, x},
                         [&](const Expr& i, States s) { return List{s[0] + s[1](i), s[1] * 0.5}; });
  Batch batch("out of range in step 3");
  batch.inputs = {s0, x, n};
  batch.add("sum", last[0]);
  Samples random(5);
  for (const std::int64_t steps : {3, 4, 100})
    batch.check_with({random.small(float64, {}), random.small(float64, {3}), Array(steps)});
}
