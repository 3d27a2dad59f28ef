// Kernels and units of kernels in C++.
#include "codegen/cpu/cpu_language.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

#include "codegen/cpu/cpu_printer.h"
#include "codegen/text/spell.h"

namespace gnomon {

namespace {

KernelText cpu_kernel(const Kernel& kernel, const std::string& name,
                      const DimensionNames& dimension) {
  return CpuPrinter(kernel, dimension).print(name);
}

// The lanes types a text uses: a name is that of the dtype, an x, and the width.
std::string lanes_types(std::string_view text) {
  std::set<std::pair<int, int>> used;
  for (std::size_t x = text.find('x'); x != text.npos; x = text.find('x', x + 1)) {
    int width = 0;
    std::from_chars(text.data() + x + 1, text.data() + text.size(), width);
    if (width < 2 || !std::has_single_bit(static_cast<unsigned>(width))) continue;
    for (int d = 0; d < dtype_count; ++d)
      if (text.substr(0, x).ends_with(short_name_of(static_cast<DType>(d))))
        used.insert({d, width});
  }
  std::string result;
  for (const auto& [d, width] : used) {
    const auto t = static_cast<DType>(d);
    result += fmt::format("using {} = gn::lanes<{}, {}>;\n", lanes_name(t, width),
                          is_bool(t) ? "bool" : type_name(t), width);
  }
  return result;
}

std::string cpu_unit(const std::string& functions, const std::set<std::string>& headers) {
  return unit_head(headers) + lanes_types(functions) + functions;
}

}  // namespace

constinit const Language cpu_language{cpu_kernel, cpu_unit};

}  // namespace gnomon
