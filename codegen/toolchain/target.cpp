// Asks the processor what it offers.
#include "codegen/toolchain/target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/error.h"
#include "runtime/hash_text.h"
#include "runtime/options.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gnomon {
namespace {

#if defined(__x86_64__)

enum Register { eax, ebx, ecx, edx };
using Leaf = std::array<unsigned, 4>;

Leaf cpuid(unsigned leaf, unsigned subleaf = 0) {
  Leaf r{};
  __get_cpuid_count(leaf, subleaf, &r[eax], &r[ebx], &r[ecx], &r[edx]);
  return r;
}

/// Which register sets the operating system saves; a feature without that must not be used.
std::uint64_t saved_state() {
  if (!(cpuid(1)[ecx] >> 27 & 1)) return 0;  // no XGETBV
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

struct Feature {
  const char* name;
  unsigned leaf, subleaf;
  Register where;
  int bit;
  std::uint64_t state;  // bits of `saved_state` it needs
};

constexpr std::uint64_t ymm = 0x6, zmm = 0xe6;
constexpr Feature feature_table[] = {
    {"sse4.1", 1, 0, ecx, 19, 0},
    {"sse4.2", 1, 0, ecx, 20, 0},
    {"popcnt", 1, 0, ecx, 23, 0},
    {"avx", 1, 0, ecx, 28, ymm},
    {"fma", 1, 0, ecx, 12, ymm},
    {"f16c", 1, 0, ecx, 29, ymm},
    {"avx2", 7, 0, ebx, 5, ymm},
    {"bmi", 7, 0, ebx, 3, 0},
    {"bmi2", 7, 0, ebx, 8, 0},
    {"lzcnt", 0x80000001, 0, ecx, 5, 0},
    {"avx512f", 7, 0, ebx, 16, zmm},
    {"avx512dq", 7, 0, ebx, 17, zmm},
    {"avx512cd", 7, 0, ebx, 28, zmm},
    {"avx512bw", 7, 0, ebx, 30, zmm},
    {"avx512vl", 7, 0, ebx, 31, zmm},
    {"avx512vbmi", 7, 0, ecx, 1, zmm},
    {"avx512vbmi2", 7, 0, ecx, 6, zmm},
    {"avx512vnni", 7, 0, ecx, 11, zmm},
    {"avx512bitalg", 7, 0, ecx, 12, zmm},
    {"avx512vpopcntdq", 7, 0, ecx, 14, zmm},
    {"avx512bf16", 7, 1, eax, 5, zmm},
    {"avx512fp16", 7, 0, edx, 23, zmm},
    {"avxvnni", 7, 1, eax, 4, ymm},
    {"avxifma", 7, 1, eax, 23, ymm},
};

std::string model_name() {
  const Leaf vendor = cpuid(0), version = cpuid(1);
  std::string name;
  for (const Register r : {ebx, edx, ecx}) {
    for (int byte = 0; byte < 4; ++byte) name += static_cast<char>(vendor[r] >> (8 * byte) & 0xff);
  }
  const unsigned base_family = version[eax] >> 8 & 0xf;
  const unsigned family = base_family + (base_family == 0xf ? version[eax] >> 20 & 0xff : 0);
  const unsigned model = (version[eax] >> 4 & 0xf) | (version[eax] >> 12 & 0xf0);
  return fmt::format("{}-{}-{}", name, family, model);
}

Target find_host() {
  Target target;
  const std::uint64_t saved = saved_state();
  for (const Feature& f : feature_table) {
    if ((saved & f.state) != f.state) continue;
    if (cpuid(f.leaf, f.subleaf)[f.where] >> f.bit & 1) target.features.emplace_back(f.name);
  }
  std::sort(target.features.begin(), target.features.end());
  const auto has = [&](const char* name) {
    return std::binary_search(target.features.begin(), target.features.end(), name);
  };
  const bool wide = has("avx512f") && has("avx512bw") && has("avx512dq") && has("avx512vl");
  target.vector_bytes = wide ? 64 : has("avx2") ? 32 : 16;
  target.name = fmt::format("{}-{:016x}", model_name(),
                            hash_text(fmt::format("{}", fmt::join(target.features, ","))));
  return target;
}

#else

Target find_host() {
  Target target;
  target.name = "generic";
  return target;
}

#endif

// stdlib/prelude/export/processor.h finds the numbers.
constexpr ProcessorLevel levels[] = {
    {"x86-64", "x86-64", 1, 16},          {"x86-64-v2", "x86-64", 2, 16},
    {"x86-64-v3", "x86-64", 3, 32},       {"x86-64-v4", "x86-64", 4, 64},
    {"aarch64", "aarch64", 1, 16},        {"aarch64+sve", "aarch64", 2, 16},
    {"aarch64+sve256", "aarch64", 3, 32},  // with vectors of 256 bits or more
    {"riscv64", "riscv64", 1, 16},        {"riscv64+v", "riscv64", 2, 16},
};

#if defined(__x86_64__)
constexpr std::string_view this_architecture = "x86-64";
#elif defined(__aarch64__)
constexpr std::string_view this_architecture = "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
constexpr std::string_view this_architecture = "riscv64";
#else
constexpr std::string_view this_architecture = "another";
#endif

/// By the level, or by names of processors with AVX-512, then with AVX2; others have 16-byte
/// vectors.
int vector_bytes_of(std::string_view cpu) {
  constexpr std::array wide = {"znver4",     "znver5",         "skylake-avx512", "cascadelake",
                               "cooperlake", "icelake-client", "icelake-server", "tigerlake",
                               "rocketlake", "sapphirerapids", "emeraldrapids",  "graniterapids"};
  constexpr std::array middle = {"haswell",    "broadwell", "skylake", "alderlake",
                                 "raptorlake", "znver1",    "znver2",  "znver3"};
  if (const ProcessorLevel* level = processor_level(cpu)) return level->vector_bytes;
  if (std::find(wide.begin(), wide.end(), cpu) != wide.end()) return 64;
  if (std::find(middle.begin(), middle.end(), cpu) != middle.end()) return 32;
  return 16;
}

/// Of the architectures x86-64 alone has 16, before AVX-512.
int vector_registers_of(std::string_view cpu, int vector_bytes) {
  const ProcessorLevel* const level = processor_level(cpu);
  const std::string_view architecture = level == nullptr ? this_architecture : level->architecture;
  return architecture == "x86-64" && vector_bytes < 64 ? 16 : 32;
}

}  // namespace

const Target& host_target() {
  static const Target target = [] {
    Target host = find_host();
    host.vector_registers = vector_registers_of(host.cpu, host.vector_bytes);
    const StoredMachine stored = read_machine(default_cache_folder(), host.name);
    if (!stored.problem.empty()) fmt::print(stderr, "gnomon: {}\n", stored.problem);
    host.machine = stored.machine.value_or(Machine{});
    return host;
  }();
  return target;
}

std::span<const ProcessorLevel> processor_levels() { return levels; }

std::string processor_level_names() {
  std::vector<std::string_view> names;
  for (const ProcessorLevel& level : levels) names.push_back(level.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const ProcessorLevel* processor_level(std::string_view name) {
  const auto* const at = std::ranges::find(levels, name, &ProcessorLevel::name);
  return at == std::end(levels) ? nullptr : at;
}

bool is_of_this_architecture(std::string_view cpu) {
  const ProcessorLevel* const level = processor_level(cpu);
  return level == nullptr || level->architecture == this_architecture;
}

Target target_named(const std::string& cpu, int vector_bytes) {
  if (vector_bytes != 0 && vector_bytes != 16 && vector_bytes != 32 && vector_bytes != 64) {
    throw ValueError(
        fmt::format("target: expected vectors of 16, 32 or 64 bytes, found {}", vector_bytes));
  }
  if (cpu.find('+') != cpu.npos && processor_level(cpu) == nullptr)
    throw ValueError(fmt::format("target: expected a processor or one of {}, found {}",
                                 processor_level_names(), cpu));
  if (cpu.starts_with("sm_"))
    throw ValueError(fmt::format("target: expected a processor or one of {}, found the GPU {}",
                                 processor_level_names(), cpu));
  Target target = host_target();
  if (cpu != "native") {
    target.cpu = cpu;
    target.name = cpu;
    target.features.clear();
    target.machine = {};
    target.vector_bytes = vector_bytes_of(cpu);
  }
  if (vector_bytes != 0) target.vector_bytes = vector_bytes;
  target.vector_registers = vector_registers_of(cpu, target.vector_bytes);
  return target;
}

}  // namespace gnomon
