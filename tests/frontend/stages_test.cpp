// The stages of a compilation, entered one by one.
#include <doctest/doctest.h>

#include "codegen/toolchain/target.h"
#include "frontend/compile.h"
#include "ir/text/text.h"
#include "runtime/cache/library.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

// Parameters of every kind: a symbol that two share, complex numbers, halves, a large constant.
Closed captured() {
  const Expr x = matrix("x"), y = vector("y", float16), z = vector("z", complex64);
  const Expr table(full({300}, 0.5, float64));
  const Expr rows = sum(x * table(0), 1);
  return close_function({x, y, z}, {{{"rows", rows + y}, {"squares", z * z}}, {}});
}

// The row sums of a matrix with so many rows, and the same with one number more.
Closed summed(const Dim& rows) {
  const Expr x = tensor("x", float64, {rows, 3});
  const Expr sums = sum(x, 1);
  const Expr more = concatenate({sums, Expr(full({1}, 0.5, float64))});
  return close_function({x}, {{{"sums", sums}, {"more", more}}, {}});
}

Module module_of(const Closed& closed) {
  Context context;
  const Target target = host_target();
  const Graph optimized = run_passes(closed.graph, context);
  return run_module_passes(lower(optimized, target), target, context);
}

Artifact artifact_of(const Closed& closed) {
  const Module module = module_of(closed);
  return build_artifact(emit(module, "stages"), signature_of(module), closed.constants);
}

void check_results(const Function& f) {
  const Array y = Array::from({Float16(1.0f), Float16(2.0f)});
  const Array z = Array::from({std::complex<float>(0, 2)});
  const Results found = f(full({2, 3}, 2.0, float64), y, z);
  CHECK(found["rows"].data<double>()[0] == 4.0);
  CHECK(found["rows"].data<double>()[1] == 5.0);
  CHECK(found["squares"].data<std::complex<float>>()[0] == std::complex<float>(-4, 0));
}

}  // namespace

TEST_CASE("each stage takes the value of the one before") {
  const Closed closed = captured();
  CHECK(closed.constants.size() == 1);
  const Artifact artifact = artifact_of(closed);
  CHECK(text(artifact.units).find("gnomon_run") != std::string::npos);
  check_results(Function(load(Library::open(artifact.object), closed)));
}

TEST_CASE("an object tells the signature that its artifact has") {
  const Artifact artifact = artifact_of(captured());
  const auto library = Library::open(artifact.object);
  const gnomon_info_record& info = library->info();
  CHECK(info.signature == text(artifact.signature));
  const Signature read = read_signature(info.signature, info.plan_size);
  CHECK(text(read) == text(artifact.signature));
  REQUIRE(read.inputs.size() == 4);
  CHECK(read.inputs[1].dtype == DType::uint16);
  CHECK(read.inputs[2].dtype == DType::float32);
  CHECK(read.inputs[2].rank == 2);
  CHECK(read.outputs[1].rank == 2);
}

TEST_CASE("a signature tells extents by the names of symbols") {
  const Module module = module_of(summed(Dim::symbol("n")));
  const Signature read = read_signature(text(signature_of(module)), layout_of(module).size());
  CHECK(describe(read) == "x: f64[n, 3] -> sums: f64[n], more: f64[n + 1]");
  CHECK(read.inputs[0].extents == std::vector<std::string>{"n", "3"});
  CHECK(read.outputs[1].extents == std::vector<std::string>{"n + 1"});
  CHECK(read.symbols == std::vector<std::string>{"n"});
  const Closed constant = close_function({}, {{{"", Expr(full({2}, 0.5, float64))}}, {}});
  CHECK(describe(signature_of(module_of(constant))) == "() -> f64[2]");
}

TEST_CASE("symbols of one name are told apart, and values have names of their own") {
  const Expr x = tensor("x", float64, {Dim::symbol("n"), Dim::symbol("n")});
  const Expr count = scalar("count", int64);
  const Closed closed = close_function({x, count}, {{{"", x + 1.0}, {"up", arange(count)}}, {}});
  const Signature signature = signature_of(module_of(closed));
  CHECK(describe(signature) == "x: f64[n, n2], count: i64 -> f64[n, n2], up: i64[v2]");
  CHECK(signature.symbols == std::vector<std::string>{"n", "n2"});
}

TEST_CASE("code is loaded by functions whose symbols have other names") {
  const Closed made = summed(Dim::symbol("n")), other = summed(Dim::symbol("rows"));
  CHECK(made.graph.key() == other.graph.key());
  const Function f(load(Library::open(artifact_of(made).object), other));
  CHECK(f(full({2, 3}, 2.0, float64))["more"].data<double>()[1] == 6.0);
}

TEST_CASE("a signature whose extents do not fit is refused") {
  const Module module = module_of(summed(Dim::symbol("n")));
  const std::string good = text(signature_of(module));
  const std::pair<std::string, std::string> damages[] = {
      {R"("extents":["n","3"])", R"("extents":["n"])"},
      {R"("extents":["n","3"])", R"("extents":["n",3])"},
      {R"("extents":["n","3"])", R"("extent":["n","3"])"},
      {R"("extents":["n + 1"])", R"("extents":[])"},
      {R"("extents":["n + 1"])", R"("extents":"n")"},
      {R"("symbols":["n"])", R"("symbols":[1])"},
      {R"("symbols":["n"])", R"("symbol":["n"])"}};
  for (const auto& [from, to] : damages) {
    CAPTURE(to);
    std::string bad = good;
    REQUIRE(bad.find(from) != std::string::npos);
    bad.replace(bad.find(from), from.size(), to);
    CHECK_THROWS_AS(read_signature(bad, layout_of(module).size()), DeviceError);
  }
}

TEST_CASE("functions of two prefixes are in one program") {
  const Closed closed = captured();
  Context context;
  const Module module = lower(run_passes(closed.graph, context), host_target());
  std::vector<Unit> units = emit(module, "the first");
  for (const Unit& unit : emit(module, "the second", "second"))
    units.push_back({"second_" + unit.name, unit.text});
  const Artifact both = build_artifact(std::move(units), signature_of(module), closed.constants);
  const auto first = Library::open(both.object);
  check_results(Function(load(first, closed)));
  const auto second =
      Library::linked(*static_cast<const gnomon_info_record*>(first->symbol("second_info")),
                      reinterpret_cast<gnomon_plan_function>(first->symbol("second_plan")),
                      reinterpret_cast<gnomon_run_function>(first->symbol("second_run")));
  check_results(Function(load(second, closed)));
  CHECK_THROWS_AS(emit(module, "", "2nd"), ValueError);
  CHECK_THROWS_AS(emit(module, "", ""), ValueError);
}

TEST_CASE("code of another function is not loaded") {
  const Artifact artifact = artifact_of(captured());
  const Expr x = matrix("x");
  const Closed other = close_function({x}, {{{"rows", sum(x, 1)}}, {}});
  CHECK_THROWS_AS(load(Library::open(artifact.object), other), DeviceError);
}

TEST_CASE("code of another function with as many inputs and outputs is not loaded") {
  const auto total_of = [](const Expr& x) {
    return close_function({x}, {{{"total", sum(cast(x, float64))}}, {}});
  };
  const auto library = Library::open(artifact_of(total_of(matrix("x"))).object);
  CHECK_NOTHROW(load(library, total_of(matrix("y"))));
  for (const Expr& x : {vector("x"), tensor3("x"), matrix("x", float32), matrix("x", int64)})
    CHECK_THROWS_AS(load(library, total_of(x)), DeviceError);
}

TEST_CASE("code that reads more or less than its signature tells is not loaded") {
  const Closed closed = captured();
  const auto library = Library::open(artifact_of(closed).object);
  const auto loaded = [&](const gnomon_info_record& info) {
    return load(Library::linked(info, library->plan(), library->run()), closed);
  };
  CHECK_NOTHROW(loaded(library->info()));
  for (const int more : {-1, 1}) {
    gnomon_info_record extents = library->info(), buffers = library->info();
    extents.extents += more;
    buffers.buffers += more;
    CHECK_THROWS_AS(loaded(extents), DeviceError);
    CHECK_THROWS_AS(loaded(buffers), DeviceError);
  }
}

TEST_CASE("an extent that is no integer is refused") {
  const Expr x = vector("x"), count = scalar("count", int64);
  const Closed closed = close_function({x, count}, {{{"", x + 1.0}, {"up", arange(count)}}, {}});
  const auto library = Library::open(artifact_of(closed).object);
  std::string text = library->info().signature;
  const std::string good = R"("extent_parameters":[1])";
  REQUIRE(text.find(good) != std::string::npos);
  text.replace(text.find(good), good.size(), R"("extent_parameters":[0])");
  gnomon_info_record info = library->info();
  info.signature = text.c_str();
  CHECK_THROWS_AS(load(Library::linked(info, library->plan(), library->run()), closed),
                  DeviceError);
}

TEST_CASE("an input that gives way takes its extents along") {
  const Expr x = vector("x"), y = vector("y");
  CompileOptions options;
  options.givens = {{x, y}};
  const Function f = compile({y}, {arange(x.shape()[0])}, {}, options);
  CHECK(f(zeros({3}))[0].size() == 3);
}

TEST_CASE("of two values for an input the last gives elements and extents") {
  const Expr x = vector("x"), y = vector("y"), z = vector("z");
  CompileOptions options;
  options.givens = {{x, y}, {x, z}};
  const Function f = compile({y, z}, {arange(x.shape()[0]), x * 2}, {}, options);
  const Results found = f(zeros({3}), full({5}, 2.0, float64));
  CHECK(found[0].size() == 5);
  REQUIRE(found[1].size() == 5);
  CHECK(found[1].data<double>()[4] == 4.0);
}

TEST_CASE("a parsed graph is compiled") {
  const Expr x = matrix("x");
  const Closed closed = close_function({x}, {{{"rows", sum(x * 2, 1)}}, {}});
  const Graph parsed = parse_graph(print_graph(closed.graph), {find_op});
  const Function f = compile_closed(close_function(parsed));
  CHECK(f(full({2, 3}, 2.0, float64))["rows"].data<double>()[1] == 12.0);
}

TEST_CASE("a parsed graph has no shared variables") {
  const SharedVariable s = shared(zeros({3}), "s");
  const Closed closed = close_function({}, {{{"twice", s * 2}}, {}});
  CHECK_THROWS_WITH_AS(close_function(closed.graph),
                       "compile: expected a graph without shared variables, found s", ValueError);
}

TEST_CASE("a parsed graph has no updates") {
  const SharedVariable s = shared(zeros({3}), "s");
  Graph graph = close_function({}, {{}, {{s, s * 2}}}).graph;
  graph.parameters[0].shared = false;
  CHECK_THROWS_WITH_AS(close_function(graph),
                       "compile: expected a graph without updates, found one by output 0",
                       ValueError);
}
