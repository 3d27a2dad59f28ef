// What is read was written before: modules made by hand that break the order, and functions whose
// nests, extents and indices once did.
#include <cmath>
#include <string>
#include <vector>

#include "codegen/module/module_passes.h"
#include "codegen/module/verify_module.h"
#include "passes/pipeline.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/lines/sorting.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// A module of float64 buffers of n elements: x (0), which is given, some workspace, and the output,
// the last one. Kernels read buffer `from` and write buffer `to`.
struct OrderedModule {
  explicit OrderedModule(int workspace) {
    add(Buffer::Role::parameter, "x");
    for (int i = 0; i < workspace; ++i) add(Buffer::Role::workspace, "w");
    add(Buffer::Role::output, "y");
    module.outputs = {static_cast<int>(module.buffers.size()) - 1};
    module.over = {-1};
    module.parameters = 1;
  }

  void add(Buffer::Role role, const std::string& name) {
    Buffer b;
    b.role = role;
    b.name = name;
    b.shape = {n};
    module.buffers.push_back(std::move(b));
  }
  static Step copy(int from, int to) { return {CopyStep{from, to}}; }
  // Two buffers, `in` and `out`, over which the statements run.
  Step kernel(const std::string& statements, int from, int to) {
    module.kernels.push_back(parse_kernel(
        "kernel k\ndims n\nbuffer in: f64[n] inout\nbuffer out: f64[n] inout\naxis i: serial\n"
        "axis j: serial\n%0: i64 = 0\n%1: i64 = extent n\n%2: f64 = 1\n" +
        statements));
    verify(module.kernels.back());
    return {KernelStep{static_cast<int>(module.kernels.size()) - 1, {from, to}}};
  }
  std::string fault(std::vector<Step> steps) {
    module.steps = std::move(steps);
    try {
      verify_order(module);
    } catch (const InternalError& e) {
      return e.what();
    }
    return "";
  }

  Dim n = Dim::symbol(0, "n");
  Module module;
};

const std::string plus_one =
    "loop i [%0, %1)\n%4: i64 = axis i\n%5: f64 = load in[%4]\n%6: f64 = add(%5, %2)\n"
    "store out[%4] = %6\nend\n";

std::vector<Step> list(Step a) {
  std::vector<Step> steps;
  steps.push_back(std::move(a));
  return steps;
}
template <class... Rest>
std::vector<Step> list(Step a, Rest... rest) {
  std::vector<Step> steps = list(std::move(a));
  for (Step& s : list(std::move(rest)...)) steps.push_back(std::move(s));
  return steps;
}

bool starts(const std::string& text, const std::string& start) { return text.starts_with(start); }

CompileOptions at_level(RewriteLevel level) {
  CompileOptions options;
  options.rewrites = level;
  return options;
}

constexpr RewriteLevel levels[] = {RewriteLevel::none, RewriteLevel::exact, RewriteLevel::all};

Array numbers(std::int64_t n) {
  Array a = Array::empty(DType::float64, {n});
  for (std::int64_t i = 0; i < n; ++i) a.data<double>()[i] = static_cast<double>(i) + 0.5;
  return a;
}

// Each output at each level against the reference.
void check_levels(const std::string& name, const std::vector<Expr>& inputs,
                  const std::vector<Array>& values, const std::vector<Expr>& outputs) {
  for (const RewriteLevel level : levels) {
    Batch batch(name);
    batch.options.rewrites = level;
    batch.inputs = inputs;
    batch.values = values;
    for (const Expr& e : outputs) batch.add("out", e, 1e-12);
    batch.check();
  }
}

}  // namespace

TEST_CASE("steps read what steps before have written, and nothing writes it after") {
  OrderedModule m(1);
  CHECK(m.fault(list(m.kernel(plus_one, 0, 1), m.copy(1, 2))) == "");
  CHECK(m.fault(list(m.copy(1, 2), m.kernel(plus_one, 0, 1))) ==
        "module, step 1: b1:w: expected a write before what reads it, found none");
  CHECK(starts(m.fault(list(m.kernel(plus_one, 1, 2), m.copy(0, 1))),
               "module, step 1, kernel k: b1:w: expected a write before what reads it"));
  CHECK(m.fault(list(m.copy(0, 1), m.copy(1, 2), m.copy(0, 1))) ==
        "module, step 3: b1:w: expected no write behind a step that reads the buffer, found one");
  CHECK(m.fault(list(m.copy(0, 1))) ==
        "module, the end: b2:y: expected a write before what reads it, found none");
  CHECK(
      starts(m.fault(list(m.copy(0, 0), m.copy(0, 2))), "module, step 1: b0:x: expected a buffer"));
  ServiceStep p;
  p.service = service_of(StepKind::product);
  p.in = {0, 1}, p.out = {2};
  p.adds = true;
  CHECK(starts(m.fault(list(m.copy(0, 1), Step{p})), "module, step 2: b2:y: expected a write"));
  CHECK(m.fault(list(m.copy(0, 1), m.copy(0, 2), Step{p})) == "");
}

TEST_CASE("loops of a kernel read what loops before have written") {
  const auto fault = [&](const std::string& body) {
    OrderedModule m(1);
    return m.fault(list(m.kernel(body, 0, 1), m.copy(1, 2)));
  };
  // As it once was: a row's result is read from memory that the next statement fills.
  CHECK(starts(fault("%3: f64 = load out[%0]\nstore out[%0] = %3\n"),
               "kernel k, line 12: out: expected no write behind the loops that read the buffer"));
  CHECK(starts(fault("loop i [%0, %1)\n%4: i64 = axis i\n%5: f64 = load out[%4]\n"
                     "store out[%4] = %5\nend\n"),
               "module, step 1, kernel k: b1:w: expected a write before what reads it"));
  CHECK(fault("loop i [%0, %1)\n%4: i64 = axis i\nstore out[%4] = %2\nupdate out[%4] add %2\n"
              "%7: f64 = load out[%4]\nend\n") == "");
  OrderedModule m(1);
  m.module.kernels.push_back(
      parse_kernel("kernel k\ndims n\nbuffer kept: f64[n] inout worker\n%0: i64 = 0\n"
                   "%1: f64 = load kept[%0]\nstore kept[%0] = %1\n"));
  CHECK(starts(m.fault(list(Step{KernelStep{0, {-1}}})),
               "kernel k, line 6: kept: expected scratch that was written before"));
}

TEST_CASE("bodies, choices and branches keep the order too") {
  OrderedModule m(6);
  const int y = 7;
  // Count, index, current, next; the result is y.
  const auto loop = [&](std::vector<Step> body) {
    LoopStep l{1, 2, -1, {0}, {3}, {4}, {y}, {}, {}};
    l.body = std::move(body);
    return Step{std::move(l)};
  };
  CHECK(m.fault(list(m.copy(0, 1), loop(list(m.copy(3, 4))))) == "");
  CHECK(m.fault(list(m.copy(0, 1), loop(list(m.copy(5, 4), m.copy(0, 5))))) ==
        "module, step 3: b5:w: expected a write before what reads it, found none");
  CHECK(starts(m.fault(list(m.copy(0, 1), loop(list(m.copy(0, 5))))),
               "module, step 3: b4:w: expected a write before"));
  // What a body made may not be there: it may never have run.
  CHECK(m.fault(list(m.copy(0, 1), loop(list(m.copy(3, 4), m.copy(0, 5))), m.copy(5, 6))) ==
        "module, step 5: b5:w: expected a write before what reads it, found none");

  const auto choice = [&](std::vector<Step> few, std::vector<Step> many) {
    return Step{ChoiceStep{{{m.n, 1, 5}}, -1, std::move(few), std::move(many)}};
  };
  CHECK(m.fault(list(choice(list(m.copy(0, 1)), list(m.copy(0, 1))), m.copy(1, y))) == "");
  CHECK(starts(m.fault(list(choice(list(m.copy(0, 1)), list(m.copy(0, 2))), m.copy(1, y))),
               "module, step 4: b1:w: expected a write before"));

  const auto branches = [&](std::vector<Step> a, std::vector<Step> b) {
    SideBySideStep s;
    s.branches.resize(2);
    s.branches[0].steps = std::move(a), s.branches[1].steps = std::move(b);
    return Step{std::move(s)};
  };
  CHECK(m.fault(list(branches(list(m.copy(0, 1)), list(m.copy(0, 2))), m.copy(2, y))) == "");
  CHECK(starts(m.fault(list(branches(list(m.copy(0, 1)), list(m.copy(1, 2))), m.copy(2, y))),
               "module, step 3: b1:w: expected branches side by side that do not need"));
  CHECK(starts(
      m.fault(list(m.copy(0, 1), branches(list(m.copy(1, 2)), list(m.copy(0, 1))), m.copy(2, y))),
      "module, step 4: b1:w: expected no write behind a step that reads"));
}

TEST_CASE("a choice of which one way has no steps stays as it is beside others") {
  OrderedModule m(2);
  for (const bool by_extents : {true, false})
    for (const bool first_is_empty : {true, false}) {
      ChoiceStep choice{{}, -1, list(m.copy(0, 1)), {}};
      if (by_extents) choice.where = {{m.n, 1, 5}};
      if (!by_extents) choice.condition = 2;
      if (first_is_empty) std::swap(choice.then, choice.otherwise);
      m.module.steps = list(Step{choice}, Step{choice}, m.copy(0, 3));
      group_side_by_side(m.module, target_named("x86-64-v3"));
      REQUIRE(m.module.steps.size() == 3);
      CHECK(std::holds_alternative<ChoiceStep>(m.module.steps[0].what));
    }
}

TEST_CASE("extents are known and memory is there before they are used") {
  OrderedModule m(1);
  const Expr count = scalar("count", int64);
  const Dim late = Dim::value(count.value());
  m.module.dimensions.push_back({late.atom(), "v0", -1});
  m.add(Buffer::Role::late, "late");
  m.module.buffers.back().shape = {late};
  m.add(Buffer::Role::workspace, "count");
  const Step allocate{AllocateStep{3}}, extent{DimensionStep{0, 4}};
  CHECK(m.fault(list(m.copy(0, 4), extent, allocate, m.copy(0, 3), m.copy(3, 2))) == "");
  CHECK(m.fault(list(m.copy(0, 4), extent, m.copy(0, 3), m.copy(3, 2))) ==
        "module, step 3: b3:late: expected memory allocated before, found none");
  CHECK(m.fault(list(m.copy(0, 4), allocate, extent, m.copy(0, 3), m.copy(3, 2))) ==
        "module, step 2: expected the extent v0 known before, found it is not");
  CHECK(starts(m.fault(list(extent, allocate, m.copy(0, 3), m.copy(3, 2))),
               "module, step 1: b4:count: expected a write before"));
}

TEST_CASE("what is written over a parameter leaves nothing of it") {
  OrderedModule m(1);
  m.module.over = {0};
  CHECK(m.fault(list(m.copy(0, 1), m.copy(1, 2))) == "");
  CHECK(m.fault(list(m.copy(0, 2), m.copy(0, 1))) ==
        "module, step 2: b0:x: expected a write before what reads it, found none");
}

TEST_CASE("views of a row's result come from the result, not from memory it has yet to reach") {
  for (const bool is_known : {false, true}) {
    const Dim n = is_known ? Dim(5) : Dim::symbol("n"), k = is_known ? Dim(3) : Dim::symbol("k");
    const Expr x = tensor("x", float64, {n}), y = tensor("y", float64, {k});
    const Expr z = tensor("z", float64, {k, n});
    const Expr s = stack({sum(x)}), rows = sum(z, 1), most = max(z, 1, keepdims);
    check_levels(
        "views_of_rows", {x, y, z},
        {numbers(5), numbers(3),
         [] {
           Samples samples(1);
           return samples.small(DType::float64, {3, 5});
         }()},
        {flip(s), y + s, reshape(s, {1, 1}) * 2.0, expand_dims(s, 0), s(newaxis)(range(0, 1)),
         flip(expand_dims(rows, 1)), expand_dims(rows, 1) + z, y * rows, flip(most),
         reshape(most, {-1}) + y, concatenate({s, s}), squeeze(s) + y});
  }
}

TEST_CASE("a matrix that a nest makes itself is not turned before it is made") {
  const Expr x = tensor("x", float64, {1, Dim::symbol("n"), 4});
  const Expr y = exp(x) * 0.5;
  Samples samples(2);
  const Array value = samples.small(DType::float64, {1, 37, 4});
  check_levels("own_table", {x}, {value}, {y, sum(square(y), 2), y(range(0, 1), all_of, all_of)});
  check_levels("own_softmax", {x}, {value},
               {x * 2.0, softmax(x * 2.0, 2), sort(softmax(x * 2.0, 2))});
}

TEST_CASE("scalars that only checks need are rewritten like all others") {
  const Expr b = vector("b", bool_), x = tensor("x", float64, {Dim::symbol("n"), 1, 1});
  const Expr d = scalar("d");
  Array mask = Array::empty(DType::bool_, {3});
  for (int i = 0; i < 3; ++i) mask.data<bool>()[i] = true;
  // The count of a mask that itself has as many elements as a mask has true ones.
  check_levels("mask_of_mask", {b, x}, {mask, Array::empty(DType::float64, {3, 1, 1})},
               {where(extract(b, b), 1.0, 2.0), 0 * cast(isnan(max(x)), int64)});
  const Expr places = cast(flatnonzero(d > 0), float64);
  check_levels("mask_of_one", {d}, {Array(1.5)},
               {places, roll(places, 1), places + roll(places, 2)});
  // Inside, the extent of y stands for the number of places, which only the check needs.
  const Expr y = vector("y");
  const Expr product = cast(flatnonzero(b), float64) * y;
  check_levels("as_many_places", {b, y}, {mask, numbers(3)}, {product});
  CHECK_THROWS_AS(compile({b, y}, {product})(mask, numbers(4)), ValueError);
  const Expr m = matrix("m");
  Samples samples(3);
  const Expr chosen = compress(max(softmax(m, 1), 1) > 0, m);
  check_levels("mask_of_softmax", {m}, {samples.small(DType::float64, {4, 6})},
               {chosen + compress(max(softmax(m, 1), 1) > 0, m * 2.0)});
}

TEST_CASE("extents that turn out to be 0 divide nothing") {
  const Expr y = vector("y"), e = vector("e", int64);
  check_levels("roll_of_none", {y}, {numbers(4)}, {roll(extract(isnan(y), y), 3)});
  const Expr none = extract(e < e, e);
  Array four = Array::empty(DType::int64, {4});
  for (int i = 0; i < 4; ++i) four.data<std::int64_t>()[i] = i;
  check_levels("roll_of_no_integers", {e}, {four},
               {roll(none, 3), tile(none, {2}), reshape(none, {-1, 2}), repeat(none, 3)});
  // A quotient by an extent, where rewriting finds that there is none.
  const Dim n = Dim::symbol("n"), q = floor_div(Dim(12), n) + mod(Dim(7), n);
  CHECK(q.substitute([](const Atom&) { return Dim(0); }).is(0));
  CHECK(q.substitute([](const Atom&) { return Dim(5); }).is(4));
}

TEST_CASE("an index into nothing is an error, wherever the array lies") {
  const Dim n = Dim::symbol("n"), k = Dim::symbol("k");
  const Expr y = tensor("y", float64, {n}), w = tensor("w", float64, {n, k});
  const Expr i = vector("i", int64);
  // A row of 8 MB: an element of one that is not there lies far outside.
  const Array none = Array::empty(DType::float64, {0});
  const Array wide = Array::empty(DType::float64, {0, 1'000'000});
  Array at = Array::empty(DType::int64, {4});
  for (int j = 0; j < 4; ++j) at.data<std::int64_t>()[j] = j;
  const Array nowhere = Array::empty(DType::int64, {0});
  const auto run = [&](const Expr& e, const Expr& x, const Array& value, const Array& places) {
    return compile({x, i}, {e})(std::vector{value, places})[0].size();
  };
  const auto rejects = [&](const Expr& e, const Expr& x, const Array& value) {
    CHECK_THROWS_WITH_AS(run(e, x, value, at),
                         doctest::Contains("an index is out of range for "
                                           "extent 0 of"),
                         ValueError);
    CHECK(run(e, x, value, nowhere) == 0);
  };
  rejects(take(y, i, 0), y, none);
  rejects(take(sort(y), i, 0), y, none);
  rejects(take(w, i, 0), w, wide);
  rejects(take(exp(w) + 1.0, i, 0), w, wide);
  rejects(set_at(w, {i}, 1.0), w, wide);
  rejects(inc_at(w, {i}, 1.0), w, wide);
  rejects(take(extract(isnan(y), y), i, 0), y, none);
  CHECK(run(take(y, i, 0), y, numbers(6), at) == 4);
}

TEST_CASE("the quantiles of no elements are NaN") {
  const Expr y = vector("y"), w = matrix("w"), q = vector("q");
  const Expr late = extract(isnan(y), y);
  const Array none = Array::empty(DType::float64, {0}), some = numbers(5);
  const Array wide = Array::empty(DType::float64, {0, 3}),
              high = Array::empty(DType::float64, {3, 0});
  const auto all_nan = [](const Array& a, std::int64_t size) {
    CHECK(a.size() == size);
    const Array c = a.contiguous();
    for (std::int64_t j = 0; j < a.size(); ++j) CHECK(std::isnan(c.data<double>()[j]));
  };
  const Expr literal = tensor("literal", float64, {0});
  Array part = Array::empty(DType::float64, {2});
  part.data<double>()[0] = 0.25, part.data<double>()[1] = 1;
  for (const RewriteLevel level : levels) {
    const CompileOptions options = at_level(level);
    all_nan(compile({y}, {median(y)}, {}, options)(std::vector{none})[0], 1);
    all_nan(compile({y}, {median(late)}, {}, options)(std::vector{some})[0], 1);
    all_nan(compile({literal}, {median(literal)}, {}, options)(std::vector{none})[0], 1);
    all_nan(compile({w}, {median(w)}, {}, options)(std::vector{wide})[0], 1);
    all_nan(compile({w}, {median(w, 0)}, {}, options)(std::vector{wide})[0], 3);
    all_nan(compile({w}, {median(w, 1)}, {}, options)(std::vector{high})[0], 3);
    all_nan(compile({w, q}, {quantile(w, q, 0)}, {}, options)(std::vector{wide, part})[0], 6);
    for (const Interpolation method : {Interpolation::lower, Interpolation::higher,
                                       Interpolation::midpoint, Interpolation::nearest})
      all_nan(
          compile({y, q}, {quantile(y, q, {}, method)}, {}, options)(std::vector{none, part})[0],
          2);
    CHECK(compile({y}, {median(y)}, {}, options)(std::vector{some})[0].item<double>() == 2.5);
  }
}

TEST_CASE("memory starts as no number and no index") {
  // tests/main.cpp asks for it.
  const Array f = Array::empty(DType::float64, {100}), g = Array::empty(DType::float32, {33});
  const Array i = Array::empty(DType::int64, {7}), s = Array::empty(DType::int16, {7});
  for (std::int64_t k = 0; k < f.size(); ++k) CHECK(std::isnan(f.data<double>()[k]));
  for (std::int64_t k = 0; k < g.size(); ++k) CHECK(std::isnan(g.data<float>()[k]));
  for (std::int64_t k = 0; k < i.size(); ++k) CHECK(i.data<std::int64_t>()[k] > 1'000'000'000'000);
  for (std::int64_t k = 0; k < s.size(); ++k) CHECK(s.data<std::int16_t>()[k] == 32765);
}
