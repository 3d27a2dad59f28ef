// Prints kernels and groups them into units.
#include "codegen/text/kernel_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "codegen/cpu/cpu_language.h"
#include "codegen/module/alike.h"
#include "codegen/text/spell.h"

namespace gnomon {

namespace {

constexpr std::size_t most_unit_statements = 300;  // of a unit
constexpr std::size_t units_at_once = 4;  // small modules are cut so that many compile at once,
constexpr std::size_t fewest_statements = 40;  // into units of at least so many statements

std::size_t statements_of_unit(const Module& module) {
  std::size_t all = 0;
  for (const Kernel& kernel : module.kernels) all += kernel.body.size();
  return std::clamp(all / units_at_once, fewest_statements, most_unit_statements);
}

std::string number_text(const Statement& s, const HostNames& names) {
  return s.code == Code::extent ? names.spelled(s.dim) : literal(s.dtype, s.value);
}

// One function: of a kernel, or of a family of them.
struct Function {
  const Kernel* kernel;
  std::string symbol;
  std::vector<std::int32_t> numbers = {};
  std::size_t others = 0;  // of the family
};

// The functions in the order of their first kernels, and which of them each kernel is.
struct Functions {
  std::vector<Function> list;
  std::vector<std::size_t> of_kernel;
};

Functions functions_of(const Module& module, const std::set<int>& called, const HostNames& names) {
  std::unordered_map<const Kernel*, std::size_t, AlikeHash, Alike> known;
  std::vector<const Kernel*> different;
  Functions made{{}, std::vector<std::size_t>(module.kernels.size())};
  for (const int k : called) {
    const Kernel& kernel = module.kernels[static_cast<std::size_t>(k)];
    const auto [at, fresh] = known.try_emplace(&kernel, different.size());
    made.of_kernel[static_cast<std::size_t>(k)] = at->second;
    if (fresh) different.push_back(&kernel);
  }
  const std::vector<KernelFamily> families = families_of(different);
  std::vector<const KernelFamily*> family_of(different.size());
  for (const KernelFamily& family : families)
    for (const std::size_t member : family.members) family_of[member] = &family;
  std::vector<std::size_t> function_of(different.size());
  for (std::size_t d = 0; d < different.size(); ++d) {
    const KernelFamily* family = family_of[d];
    if (family != nullptr && family->members.front() != d) {
      function_of[d] = function_of[family->members.front()];
      continue;
    }
    function_of[d] = made.list.size();
    made.list.push_back({different[d], names.symbol(different[d]->name)});
    if (family != nullptr) {
      made.list.back().numbers = family->numbers;
      made.list.back().others = family->members.size() - 1;
    }
  }
  for (const int k : called) {
    std::size_t& of = made.of_kernel[static_cast<std::size_t>(k)];
    of = function_of[of];
  }
  return made;
}

}  // namespace

KernelUnits kernel_units(const Module& module, const DeviceKernels& launched,
                         const HostNames& names) {
  KernelUnits made;
  std::string text;
  std::set<std::string> headers;
  std::size_t statements = 0;
  const std::size_t wanted = statements_of_unit(module);
  const auto finish_unit = [&] {
    if (text.empty()) return;
    made.units.push_back(
        {fmt::format("kernels{}.cpp", made.units.size()), cpu_language.unit(text, headers)});
    text.clear(), headers.clear();
    statements = 0;
  };
  const Functions functions = functions_of(module, launched.called, names);
  made.functions.resize(module.kernels.size());
  for (const int k : launched.called) {
    const Function& function = functions.list[functions.of_kernel[static_cast<std::size_t>(k)]];
    KernelFunction& of = made.functions[static_cast<std::size_t>(k)];
    of.symbol = function.symbol;
    for (const std::int32_t i : function.numbers)
      of.numbers.push_back(number_text(module.kernels[static_cast<std::size_t>(k)].body[i], names));
  }
  for (const Function& function : functions.list) {
    const auto print = [&](const Kernel& kernel) {
      return cpu_language.kernel(kernel, function.symbol,
                                 [&names](const Atom& a) { return names.slot_of(a); });
    };
    KernelText printed = function.numbers.empty()
                             ? print(*function.kernel)
                             : print(with_parameters(*function.kernel, function.numbers));
    if (function.others > 0)
      printed.comment +=
          comment_lines(fmt::format("and {} more with other numbers", function.others));
    if (function.kernel->inlined) {
      made.inlined += "\n" + printed.comment + printed.text;
      made.headers.insert(printed.headers.begin(), printed.headers.end());
      continue;
    }
    made.prototypes += printed.text.substr(0, printed.text.find(" {\n")) + ";\n";
    if (statements + printed.statements > wanted) finish_unit();
    text += "\n" + printed.comment + printed.text;
    headers.insert(printed.headers.begin(), printed.headers.end());
    statements += printed.statements;
  }
  // Beside the host's functions little code takes a quarter less to compile than in two units,
  // which are no sooner done on two processors.
  if (made.units.empty() && statements <= fewest_statements) {
    made.inlined += text;
    made.headers.merge(headers);
    made.prototypes.clear();
  } else {
    finish_unit();
  }
  return made;
}

}  // namespace gnomon
