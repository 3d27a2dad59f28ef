// Every row of every rule group: the rule fires in the whole pipeline, and its patterns are sound.
#include <doctest/doctest.h>

#include <iterator>
#include <set>
#include <sstream>

#include "tests/support/rule_examples.h"
#include "tools/foreign_rewrites.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Rules by name, those that cannot be turned off too.
std::set<const Rule*> all_rules_named(const std::vector<std::string>& names) {
  std::set<const Rule*> found;
  for (const std::string& name : names) {
    const std::size_t before = found.size();
    for (const RuleGroup* group : all_rule_groups())
      for (const Rule& rule : group->rules)
        if (rule.name == name) found.insert(&rule);
    if (found.size() == before) throw std::out_of_range("no rule is called " + name);
  }
  return found;
}

}  // namespace

TEST_CASE("names of rules are unique") {
  std::set<std::string_view> names;
  for (const RuleGroup* group : all_rule_groups()) {
    for (const Rule& rule : group->rules) {
      CAPTURE(rule.name);
      CHECK(names.insert(rule.name).second);
    }
  }
  CHECK(names.size() >= 100);
}

TEST_CASE("every rule says what it does") {
  for (const RuleGroup* group : all_rule_groups()) {
    CHECK(!group->doc.empty());
    for (const Rule& rule : group->rules) {
      CAPTURE(rule.name);
      CHECK(!rule.left_text().empty());
      CHECK(!rule.right_text().empty());
      CHECK((rule.promise != Promise::finite || !rule.note.empty()));
      CHECK((rule.left.has_value() || rule.example != nullptr));
      CHECK(std::string_view(rule.at.file_name()).find("passes/") != std::string_view::npos);
    }
  }
}

TEST_CASE("each rewrite of Theano and PyTensor has rules of ours, or a reason") {
  const auto words = [](std::string_view text) {
    std::istringstream in{std::string(text)};
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  std::set<std::string> names;
  for (const ForeignFamily& family : foreign_families) {
    for (const ForeignRewrite& rewrite : family.rewrites) {
      CAPTURE(rewrite.names);
      CHECK(!words(rewrite.names).empty());
      for (const std::string& name : words(rewrite.names)) CHECK(names.insert(name).second);
      CHECK_NOTHROW((void)all_rules_named(words(rewrite.rules)));
      CHECK((!rewrite.rules.empty() || !rewrite.remark.empty()));
    }
  }
  CHECK(names.size() > 400);
}

TEST_CASE("every rule fires in the whole pipeline, or before a derivative") {
  for (const RuleGroup* group : all_rule_groups()) {
    for (const Rule& rule : group->rules) {
      int tried = 0;
      for (const DType t : {DType::float32, DType::float64}) {
        const Expr example = example_of(rule, t);
        if (!example.defined()) continue;
        ++tried;
        const bool is_fast = rule.promise == Promise::fast;
        Context context = checked_context(is_fast ? RewriteLevel::fast : RewriteLevel::all);
        context.options.multiplies_halves = true;
        const std::vector<Value> found = rewrite_example(*group, example, context);
        CAPTURE(rule.name);
        CAPTURE(context.trace.explain());
        CHECK(context.trace.rules[&rule].fired > 0);
        CHECK(context.trace.notes.empty());
        CHECK(found[0].type().text() == close({example}).outputs[0].type().text());
      }
      CAPTURE(rule.name);
      CHECK(tried > 0);
    }
  }
}

TEST_CASE("no rule that may change bits fires when only exact rewrites are admitted") {
  for (const RuleGroup* group : all_rule_groups()) {
    for (const Rule& rule : group->rules) {
      // What code generation needs and what no pass may see is done at every level.
      const bool is_needed = group == &split_rules() || group == &open_rules();
      if (rule.promise == Promise::exact || is_needed) continue;
      const Expr example = example_of(rule, DType::float32);
      if (!example.defined()) continue;
      Context context = checked_context(RewriteLevel::exact);
      run_passes(close({example}), context);
      CAPTURE(rule.name);
      CHECK(context.trace.rules[&rule].fired == 0);
    }
  }
}

TEST_CASE("the pipeline leaves its own result alone") {
  for (const RuleGroup* group : all_rule_groups()) {
    for (const Rule& rule : group->rules) {
      const Expr example = example_of(rule, DType::float64);
      if (!example.defined()) continue;
      Context context = checked_context();
      const Graph once = run_passes(close({example}), context);
      Context again = checked_context();
      const Graph twice = run_passes(once, again);
      CAPTURE(rule.name);
      CAPTURE(again.trace.explain());
      CHECK(once.outputs == twice.outputs);
    }
  }
}
