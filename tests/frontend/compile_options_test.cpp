// The table of options: what decides the code is in keys of the cache, and wrong values are errors.
#include "frontend/compile_options.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "codegen/fusion/rematerialize.h"
#include "codegen/toolchain/target.h"
#include "frontend/gnomon.h"

using namespace gnomon;

namespace {

// Another value than the default.
void change(bool& value) { value = !value; }
void change(int& value) { ++value; }
void change(RewriteLevel& value) { value = RewriteLevel::none; }
void change(std::string& value) { value += "x"; }
void change(std::optional<std::int64_t>& value) { value = 7; }
void change(std::vector<std::string>& value) { value.emplace_back("x"); }
void change(std::vector<std::vector<std::int64_t>>& value) { value = {{3}}; }

std::string key_of(const CompileOptions& options) {
  const Expr x = vector("x");
  const Expr inputs[] = {x}, outputs[] = {exp(x)};
  Target target = host_target();
  if (options.cpu != "native") target.name = options.cpu;
  target.device = options.device;
  return cache_key(capture(inputs, outputs).graph, options, MemoryBudget{1, options.memory_shapes},
                   target);
}

}  // namespace

TEST_CASE("keys of the cache tell options apart that decide the code, and no others") {
  const CompileOptions defaults;
  for_each_option(defaults, [&](const CompileOption& option, const auto& /*value*/) {
    CAPTURE(option.name);
    CompileOptions changed;
    for_each_option(changed, [&](const CompileOption& other, auto& value) {
      if (other.name == option.name) change(value);
    });
    CHECK((key_of(changed) == key_of(defaults)) == (option.decides == Decides::work));
  });
}

TEST_CASE("keys of the cache know sets of rules and what a call may write to") {
  CompileOptions one, other;
  one.disabled_rules = {"expm1", "log1p"};
  other.disabled_rules = {"log1p", "expm1"};
  CHECK(key_of(one) == key_of(other));
  other.donated = {0};
  CHECK(key_of(one) != key_of(other));
}

TEST_CASE("designated initialisers name options in their order") {
  const CompileOptions options{.name = "f",
                               .givens = {},
                               .default_updates = false,
                               .without_default_update = {},
                               .donated = {0},
                               .machine = {},
                               .rewrites = RewriteLevel::exact,
                               .disabled_rules = {"expm1"},
                               .threads = 1,
                               .cpu = "x86-64-v3",
                               .opt_level = 3,
                               .cache = false,
                               .cache_folder = "folder",
                               .explain = true,
                               .memory_budget = 8,
                               .memory_shapes = {{2}},
                               .profile = true};
  CHECK_NOTHROW(check_options(options, 1));
}

TEST_CASE("options are documented by sentences") {
  const CompileOptions defaults;
  for_each_option(defaults, [&](const CompileOption& option, const auto& /*value*/) {
    CAPTURE(option.name);
    CHECK(option.doc.ends_with('.'));
  });
}

TEST_CASE("shapes for a memory budget have extents that arrays can have") {
  CompileOptions options;
  for (const std::int64_t n : {std::int64_t{-1}, std::int64_t{1} << 48, std::int64_t{1} << 62}) {
    options.memory_shapes = {{2, n}};
    CHECK_THROWS_AS(check_options(options, 1), ValueError);
  }
  options.memory_shapes = {{2, 0}};
  CHECK_NOTHROW(check_options(options, 1));
}

TEST_CASE("a memory budget is at least 0 bytes") {
  CompileOptions options;
  options.memory_budget = 0;
  CHECK_NOTHROW(check_options(options, 1));
  options.memory_budget = -1;
  CHECK_THROWS_WITH_AS(check_options(options, 1),
                       "compile: expected memory_budget of at least 0, found -1", ValueError);
}
