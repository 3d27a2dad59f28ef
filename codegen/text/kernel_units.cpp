// Prints kernels and groups them into units.
#include "codegen/text/kernel_units.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "codegen/cpu/cpu_language.h"
#include "codegen/module/alike.h"

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

}  // namespace

KernelUnits kernel_units(const Module& module, const DeviceKernels& launched,
                         const HostNames& names) {
  KernelUnits made;
  std::unordered_map<const Kernel*, std::string, AlikeHash, Alike> known;
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
  made.functions.resize(module.kernels.size());
  for (const int k : launched.called) {
    const Kernel& kernel = module.kernels[static_cast<std::size_t>(k)];
    const auto [at, fresh] = known.try_emplace(&kernel, names.symbol(kernel.name));
    made.functions[static_cast<std::size_t>(k)] = at->second;
    if (!fresh) continue;
    const KernelText printed = cpu_language.kernel(
        kernel, at->second, [&names](const Atom& a) { return names.slot_of(a); });
    if (kernel.inlined) {
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
