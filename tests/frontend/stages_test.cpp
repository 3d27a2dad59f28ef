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

Artifact artifact_of(const Closed& closed) {
  Context context;
  const Target target = host_target();
  const Graph optimized = optimize(closed.graph, context);
  const Module module = run_module_passes(lower(optimized, target), target, context);
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

TEST_CASE("functions of two prefixes are in one program") {
  const Closed closed = captured();
  Context context;
  const Module module = lower(optimize(closed.graph, context), host_target());
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

TEST_CASE("an input that gives way takes its extents along") {
  const Expr x = vector("x"), y = vector("y");
  CompileOptions options;
  options.givens = {{x, y}};
  const Function f = compile({y}, {arange(x.shape()[0])}, {}, options);
  CHECK(f(zeros({3}))[0].size() == 3);
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
