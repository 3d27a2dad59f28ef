// The passes over modules: their order, what the driver records, verifies and dumps.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "runtime/error.h"
#include "tests/support/folder_support.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

std::size_t position(std::string_view name) {
  const std::span<const ModulePass> passes = all_module_passes();
  const auto at = std::ranges::find(passes, name, &ModulePass::name);
  return static_cast<std::size_t>(at - passes.begin());
}

const Target& target() {
  static const Target one = target_named("x86-64-v3");
  return one;
}

// A kernel, a product and a kernel, which read each other's results from the workspace.
Module lowered_module() {
  const Expr x = matrix("x"), y = matrix("y");
  return lower(run_passes(exp(dot(exp(x), y))), target());
}

std::string fault(const ModulePass& pass, Module module) {
  Context context = checked_context();
  try {
    run_module_pass(pass, std::move(module), target(), context);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the order of the passes over modules respects its reasons") {
  for (const PassOrder& order : module_pass_order_reasons()) {
    CAPTURE(order.first);
    CAPTURE(order.then);
    CHECK(!order.reason.empty());
    REQUIRE(position(order.first) < all_module_passes().size());
    REQUIRE(position(order.then) < all_module_passes().size());
    CHECK(position(order.first) < position(order.then));
  }
}

TEST_CASE("names of passes over modules are unique, among those of passes over graphs too") {
  std::set<std::string_view> names;
  for (const Pass& pass : all_passes()) names.insert(pass.name);
  for (const ModulePass& pass : all_module_passes()) {
    CHECK(names.insert(pass.name).second);
    CHECK(!pass.doc.empty());
  }
}

TEST_CASE("each pass over a module has a record in the trace") {
  Context context = checked_context();
  const Module module = run_module_passes(lowered_module(), target(), context);
  const std::vector<PassRecord>& records = context.trace.passes;
  REQUIRE(records.size() == all_module_passes().size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    CHECK(records[i].name == all_module_passes()[i].name);
    CHECK(records[i].size_before > module.steps.size());  // with those of both ways of the product
    CHECK(context.trace.explain().find(records[i].name) != std::string::npos);
  }
  CHECK(!module.workspace.empty());
}

TEST_CASE("an error in a pass over a module names the pass") {
  const ModulePass refuses{"refuses", "Throws.",
                           [](Module&, const Target&) { throw ValueError("no"); }};
  CHECK(fault(refuses, lowered_module()) == "pass refuses: no");
}

TEST_CASE("a pass that leaves a module in disorder is named") {
  const ModulePass reverses{"reverses", "Turns the order of the steps round.",
                            [](Module& m, const Target&) { std::ranges::reverse(m.steps); }};
  Module module = lowered_module();
  REQUIRE(module.steps.size() > 1);
  CHECK(fault(reverses, module).starts_with("pass reverses: module, step 1"));
  const ModulePass breaks{"breaks", "Leaves a loop of a kernel open.",
                          [](Module& m, const Target&) { m.kernels[0].body.pop_back(); }};
  CHECK(fault(breaks, module).starts_with("pass breaks: kernel"));
}

TEST_CASE("a module that was lowered in disorder is no fault of a pass") {
  Module module = lowered_module();
  std::ranges::reverse(module.steps);
  Context context = checked_context();
  try {
    run_module_passes(std::move(module), target(), context);
    FAIL("no error");
  } catch (const InternalError& e) {
    CHECK(std::string(e.what()).starts_with("module, step 1"));
  }
  CHECK(context.trace.passes.empty());
}

TEST_CASE("passes that change the module are dumped") {
  const Folder folder;
  Context context = checked_context();
  context.options.dump_folder = folder.path.string();
  run_module_passes(lowered_module(), target(), context);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path))
    files.push_back(entry.path().filename().string());
  // Nothing is written over a parameter, and nothing is heavy.
  CHECK(files == std::vector<std::string>{"07_find_lives.txt"});
}
