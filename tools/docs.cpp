// gnomon-docs: writes docs/ops.md, docs/rules.md and docs/rewrites.md from the records; with
// --check, says whether they are stale.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/module/module_passes.h"
#include "codegen/module/service.h"
#include "passes/engine/rule.h"
#include "passes/pipeline.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "tools/foreign_rewrites.h"

namespace {

using namespace gnomon;

// Bars would end the cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

std::vector<std::string> words(std::string_view text) {
  std::istringstream in{std::string(text)};
  return {std::istream_iterator<std::string>(in), {}};
}

// The rewrites of Theano and PyTensor that a rule stands for.
std::string foreign_names(const Rule& rule) {
  std::string out;
  for (const ForeignFamily& family : foreign_families) {
    for (const ForeignRewrite& rewrite : family.rewrites) {
      const std::vector<std::string> rules = words(rewrite.rules);
      if (std::find(rules.begin(), rules.end(), rule.name) == rules.end()) continue;
      for (const std::string& name : words(rewrite.names)) out += out.empty() ? name : ", " + name;
    }
  }
  return out;
}

std::string rule_row(const Rule& rule) {
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", rule.name, code(rule.left_text()),
                     code(rule.right_text()), text(rule.promise), cell(rule.note),
                     foreign_names(rule));
}

std::string rewrites_page() {
  std::size_t count = 0, by_rules = 0;
  std::string families;
  for (const ForeignFamily& family : foreign_families) {
    families +=
        fmt::format("\n## {}\n\n| rewrite | rules here | remark |\n|---|---|---|\n", family.title);
    for (const ForeignRewrite& rewrite : family.rewrites) {
      std::string rules;
      for (const std::string& rule : words(rewrite.rules))
        rules += fmt::format("{}`{}`", rules.empty() ? "" : ", ", rule);
      for (const std::string& name : words(rewrite.names)) {
        families += fmt::format("| `{}` | {} | {} |\n", name, rules, cell(rewrite.remark));
        ++count;
        by_rules += rules.empty() ? 0 : 1;
      }
    }
  }
  return fmt::format(
      "# Rewrites of Theano and PyTensor\n\nWritten by `gnomon-docs` from "
      "`tools/foreign_rewrites.h`; do not edit. Every rewrite of Theano 1.0 and PyTensor 3.3 by "
      "name,\nand the rules here ([rules.md](rules.md)) that do what it does: {} of {}. The others "
      "have a\nreason in the last column.\n{}",
      by_rules, count, families);
}

std::string reasons_text(std::span<const PassOrder> reasons) {
  std::string text = "\nReasons of the order:\n\n";
  for (const PassOrder& order : reasons) {
    text += fmt::format("* {} before {}: {}\n", order.first, order.then, order.reason);
  }
  return text;
}

std::string rules_page() {
  std::size_t count = 0;
  std::string groups;
  for (const RuleGroup* group : all_rule_groups()) {
    groups += fmt::format("\n## {}\n\n{}\n\n", group->name, group->doc);
    groups +=
        "| rule | before | after | promise | condition or points | in Theano, PyTensor |\n"
        "|---|---|---|---|---|---|\n";
    for (const Rule& rule : group->rules) groups += rule_row(rule);
    count += group->rules.size();
  }
  std::string passes = "\n## Passes\n\n| pass | what it does | level |\n|---|---|---|\n";
  constexpr std::string_view levels[] = {"none", "exact", "all", "fast"};
  for (const Pass& pass : all_passes()) {
    passes += fmt::format("| {} | {} | {} |\n", pass.name, cell(pass.doc),
                          levels[static_cast<std::size_t>(pass.level)]);
  }
  passes += reasons_text(pass_order_reasons());
  passes += "\n## Passes over modules\n\n| pass | what it does |\n|---|---|\n";
  for (const ModulePass& pass : all_module_passes()) {
    passes += fmt::format("| {} | {} |\n", pass.name, cell(pass.doc));
  }
  passes += reasons_text(module_pass_order_reasons());
  return fmt::format(
      "# Rewrite rules\n\nWritten by `gnomon-docs`; do not edit. {} rules.\n\n"
      "`exact` rules keep every bit. `accurate` rules give values no farther from the real-number\n"
      "value on finite inputs. `finite` rules are accurate but for the listed points. `fast` rules "
      "are\n"
      "those of the level `fast` alone. Commuted forms match as well; of longer sums and "
      "products,\n"
      "terms and factors that stand together (*across* rules: also z + x and y of (z + x) + y), "
      "and\n"
      "any of them of integers and at the level `fast`. [rewrites.md](rewrites.md) goes from the\n"
      "names of Theano's and PyTensor's rewrites to rules.\n{}{}",
      count, groups, passes);
}

std::string operands_text(const Op& op) {
  return op.operands < 0 ? fmt::format("{} or more", op.at_least) : fmt::format("{}", op.operands);
}

std::string attributes_text(const Op& op) {
  std::string out;
  for (const AttributeSpec& spec : op.attributes) {
    if (!out.empty()) out += ", ";
    out += spec.name;
  }
  return out;
}

std::string ulp_text(const Op& op) {
  if (!op.is_elementwise() || (op.ulp.f32 == 0 && op.ulp.f64 == 0)) return "";
  return fmt::format("{}, {}", op.ulp.f32, op.ulp.f64);
}

// Its transforms are routines once complex numbers are pairs.
bool is_fourier(const Op& op) { return &op == &op::fft || &op == &op::rfft || &op == &op::irfft; }

// Those of complex numbers have steps of their own once these are pairs.
bool is_routine(const Op& op) {
  return op.routine.kind != Routine{} && !gnomon::is_fourier(op.routine.kind) && !is_fourier(op);
}

bool is_of_matrices(const Op& op, DeviceMatricesOf which) {
  return is_routine(op) && matrices_of_device(op.routine.kind) == which;
}

// Who does the operations that are no kernels where a function has a device.
std::string device_text() {
  struct Host {
    const char* reason;
    bool (*has)(const Op&);
  };
  constexpr Host hosts[] = {
      {"Linear algebra that cuSOLVER has not, by LAPACK",
       [](const Op& op) { return is_of_matrices(op, DeviceMatricesOf::none); }},
      {"The same of stacks, or of a number of matrices that is not known to be 1",
       [](const Op& op) { return is_of_matrices(op, DeviceMatricesOf::one); }},
      {"The same of stacks that are not square",
       [](const Op& op) { return is_of_matrices(op, DeviceMatricesOf::one_or_square); }},
      {"All linear algebra where cuSOLVER is not found, by LAPACK",
       [](const Op& op) { return is_routine(op) && !is_of_matrices(op, DeviceMatricesOf::none); }},
      {"Fourier transforms where cuFFT is not found, by ducc", is_fourier},
      {"Shown by the processor", [](const Op& op) { return op.step == StepKind::print; }},
  };
  std::string text =
      "\n## On a device\n\nOf a function with a [device](devices.md) the processor does these, "
      "with copies of their operands.\nAll others are kernels or library calls of the device, or "
      "choose between steps.\n\n| why | operations |\n|---|---|\n";
  for (const Host& host : hosts) {
    std::string names;
    for (const Op* op : all_ops())
      if (host.has(*op)) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", op->name);
    text += fmt::format("| {} | {} |\n", host.reason, names);
  }
  return text;
}

std::string ops_page() {
  std::string rows;
  for (const Op* op : all_ops()) {
    rows += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", op->name, operands_text(*op),
                        attributes_text(*op), cell(op->doc), op->is_differentiable() ? "yes" : "",
                        ulp_text(*op));
  }
  return fmt::format(
             "# Operations\n\nWritten by `gnomon-docs`; do not edit. {} operations. The last "
             "column is "
             "the\n"
             "largest error in units in the last place, for float32 and float64.\n\n"
             "| op | operands | attributes | what it is | derivative | ulp "
             "|\n|---|---|---|---|---|---|\n{}",
             all_ops().size(), rows) +
         device_text();
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char** argv) try {
  bool check = false;
  std::filesystem::path folder = "docs";
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--check") {
      check = true;
    } else if (argument.starts_with("-")) {
      fmt::print(stderr, "usage: gnomon-docs [--check] [folder]\n");
      return 2;
    } else {
      folder = argument;
    }
  }
  int stale = 0;
  const std::pair<const char*, std::string> pages[] = {
      {"ops.md", ops_page()}, {"rules.md", rules_page()}, {"rewrites.md", rewrites_page()}};
  for (const auto& [name, page] : pages) {
    const std::filesystem::path path = folder / name;
    if (read(path) == page) continue;
    if (check) {
      fmt::print(stderr, "{} is stale: run gnomon-docs\n", path.string());
      ++stale;
      continue;
    }
    std::filesystem::create_directories(folder);
    std::ofstream(path, std::ios::binary) << page;
  }
  return stale == 0 ? 0 : 1;
} catch (const std::exception& error) {
  fmt::print(stderr, "gnomon-docs: {}\n", error.what());
  return 1;
}
