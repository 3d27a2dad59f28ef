// From text to a shared object in memory, through Clang and lld, and to PTX through NVRTC.
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "codegen/cuda/nvrtc.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "runtime/abi.h"
#include "runtime/error.h"

using namespace gnomon;

namespace {

#define EXPORT "extern \"C\" __attribute__((visibility(\"default\"))) "

/// A shared object mapped from bytes, under a path no other one has had.
class Loaded {
 public:
  explicit Loaded(const std::vector<char>& bytes) {
    std::string name = (std::filesystem::temp_directory_path() / "gnomon-test-XXXXXX").string();
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    REQUIRE(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(file);
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(name.c_str());
    REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
  }
  ~Loaded() { dlclose(handle_); }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  template <class F>
  F* get(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

std::vector<char> build_text(const std::string& text, const BuildOptions& options = {}) {
  const Unit unit{"unit.cpp", text};
  return build_shared_object({&unit, 1}, options);
}

/// The error of a build that must fail.
CompileError failure(std::span<const Unit> units) {
  try {
    build_shared_object(units);
  } catch (const CompileError& error) {
    return error;
  }
  FAIL("the build succeeded");
  return CompileError("");
}

CompileError failure(const std::string& text) {
  const Unit unit{"unit.cpp", text};
  return failure({&unit, 1});
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("the toolchain is there and says what it is") {
  REQUIRE(toolchain_available());
  const std::string id = toolchain_id();
  CHECK(contains(id, "clang version 19"));
  CHECK(contains(id, "-ffp-contract=off"));
  CHECK(id == toolchain_id());
  BuildOptions other;
  other.cpu = "haswell";
  CHECK(toolchain_id(other) != id);
  CHECK(contains(toolchain_id(other), "-target-cpu haswell"));
}

TEST_CASE("a built function runs") {
  const Loaded object(build_text(EXPORT "int twice(int x) { return 2 * x; }"));
  auto* twice = object.get<int(int)>("twice");
  REQUIRE((twice != nullptr));
  CHECK(twice(21) == 42);
}

TEST_CASE("units see each other's functions and hide what is not exported") {
  const std::array units = {
      Unit{"a.cpp", "int half(int); " EXPORT "int f(int x) { return half(x) + 1; }"},
      Unit{"b.cpp", "int half(int x) { return x / 2; }"},
      Unit{"c.cpp", EXPORT "int g(int x) { return x * x; }"}};
  const Loaded object(build_shared_object(units));
  CHECK(object.get<int(int)>("f")(10) == 6);
  CHECK(object.get<int(int)>("g")(7) == 49);
  CHECK((object.get<int(int)>("_Z4halfi") == nullptr));
}

TEST_CASE("a unit may include the ABI, integer types and every header of the prelude") {
  REQUIRE(!prelude_files().empty());
  std::string text = "#include <stddef.h>\n#include <stdint.h>\n#include \"runtime/abi.h\"\n";
  for (const PreludeFile& file : prelude_files()) {
    text += fmt::format("#include \"prelude/{}\"\n", file.name);
  }
  text += EXPORT "int32_t version() { return GNOMON_ABI_VERSION; }\n" EXPORT
                 "double exponential(double x) { return gn::exp(x); }\n";
  const Loaded object(build_text(text));
  CHECK(object.get<int()>("version")() == GNOMON_ABI_VERSION);
  // e to 17 digits; the prelude promises 2 units in the last place.
  const double e = object.get<double(double)>("exponential")(1.0);
  CHECK(std::abs(e - 2.71828182845904524) <= 2 * 4.5e-16);
}

TEST_CASE("the prelude tests no features but those of its precompiled levels") {
  const std::set<std::string> known = {"__CUDACC__",   "__CUDA__",     "__SSE2__",
                                       "__AVX__",      "__AVX2__",     "__FMA__",
                                       "__F16C__",     "__AVX512F__",  "__AVX512VL__",
                                       "__AVX512BW__", "__AVX512DQ__", "__CUDACC_RTC__"};
  const std::regex macro("__[A-Z0-9_]+__");
  for (const PreludeFile& file : prelude_files()) {
    const std::string text(file.text);
    for (std::sregex_iterator at(text.begin(), text.end(), macro), end; at != end; ++at)
      CHECK_MESSAGE(known.contains(at->str()), file.name << ": " << at->str());
  }
}

TEST_CASE("every level of processors gives the same bits") {
  const std::string text =
      "#include \"prelude/kernel.h\"\n#include \"prelude/exp.h\"\n" EXPORT
      "void f(const double* x, double* y, long n) {\n"
      "  gn::vector_loop<2, 1, true>(0, n, [&](long j, auto live, int) GN_BODY {\n"
      "    gn::write(y + j, gn::exp(gn::read<gn::lanes<double, 2>>(x + j, live, 0.0)), live);\n"
      "  });\n}";
  const std::vector<double> x = {-1, 0, 0.5, 1, 700};
  std::vector<double> expected;
  for (const char* cpu : {"x86-64", "x86-64-v3", "x86-64-v4", "native"}) {
    BuildOptions options;
    options.cpu = cpu;
    const std::vector<char> object = build_text(text, options);
    if (target_named(cpu, 0).vector_bytes > host_target().vector_bytes) continue;  // cannot run it
    std::vector<double> y(x.size() + 1, -5.0);
    Loaded(object).get<void(const double*, double*, long)>("f")(x.data(), y.data(), 5);
    CHECK(y.back() == -5.0);
    if (expected.empty()) expected = y;
    CHECK(y == expected);
  }
}

TEST_CASE("levels of an architecture follow one another") {
  std::set<std::string_view> architectures;
  const ProcessorLevel* last = nullptr;
  for (const ProcessorLevel& level : processor_levels()) {
    CHECK(processor_level(level.name) == &level);
    const bool first = architectures.insert(level.architecture).second;
    CHECK(level.number == (first ? 1 : last->number + 1));
    CHECK((level.name == level.architecture) == first);
    if (!first) CHECK(level.architecture == last->architecture);
    last = &level;
  }
  CHECK(processor_level("haswell") == nullptr);
}

TEST_CASE("every level is compiled for, whatever the machine") {
  const Unit unit{"unit.cpp",
                  "#include \"prelude/kernel.h\"\n#include \"prelude/exp.h\"\n" EXPORT
                  "void f(double* x) { gn::write(x, gn::exp(gn::read<gn::lanes<double, 8>>(x, "
                  "gn::Full<8>{}, 0.0)), gn::Full<8>{}); }"};
  // Elf64_Ehdr::e_machine
  const std::map<std::string_view, int> machines = {
      {"x86-64", 62}, {"aarch64", 183}, {"riscv64", 243}};
  for (const ProcessorLevel& level : processor_levels()) {
    BuildOptions options;
    options.cpu = level.name;
    const std::vector<char> object = build_shared_object({&unit, 1}, options);
    CHECK(static_cast<unsigned char>(object.at(18)) == machines.at(level.architecture));
  }
}

TEST_CASE("no system header is visible") {
  const CompileError error = failure("#include <cmath>\n");
  CHECK(contains(error.what(), "'cmath' file not found"));
}

TEST_CASE("an error names its unit, its line and shows the text") {
  const CompileError error = failure("int f() {\n  return unknown_name;\n}\n");
  CHECK(contains(error.what(), "unit.cpp:2:10: use of undeclared identifier 'unknown_name'"));
  CHECK(contains(error.source(), "return unknown_name;"));
  CHECK(contains(error.log(), "unit.cpp:2:10: error: "));
  CHECK(contains(error.log(), "\n  return unknown_name;\n         ^\n"));
}

TEST_CASE("a #line directive moves an error to the expression it comes from") {
  const CompileError error = failure("#line 7 \"softplus(x)\"\nint f() { return y; }\n");
  CHECK(contains(error.what(), "softplus(x):7:18"));
}

TEST_CASE("the unit at fault is named among many") {
  const std::array units = {Unit{"good.cpp", "int a;"}, Unit{"bad.cpp", "int b"},
                            Unit{"fine.cpp", "int c;"}};
  const CompileError error = failure(units);
  CHECK(contains(error.what(), "bad.cpp:1:6"));
  CHECK(error.source() == "int b");
}

TEST_CASE("errors of the code generator fail the build") {
  const CompileError error = failure(EXPORT "void f() { __asm__(\"no_such_instruction\"); }");
  CHECK(contains(error.log(), "no_such_instruction"));
}

TEST_CASE("an undefined symbol is an error that names it") {
  const CompileError error = failure("extern \"C\" double no_such_function(double);\n" EXPORT
                                     "double f(double x) { return no_such_function(x); }");
  CHECK(contains(error.what(), "no_such_function"));
  // A call of the C mathematics library would give other bits on another machine.
  CHECK(contains(failure(EXPORT "double f(double x) { return __builtin_sin(x); }").what(), "sin"));
}

TEST_CASE("a symbol defined twice is an error that names it") {
  const std::array units = {Unit{"a.cpp", "int twofold() { return 1; }"},
                            Unit{"b.cpp", "int twofold() { return 2; }"}};
  CHECK(contains(failure(units).what(), "twofold"));
  CHECK_NOTHROW(build_text("int after_a_failed_link;"));
}

TEST_CASE("memory functions may be left to the C library") {
  const Loaded object(build_text(
      EXPORT
      "void fill(char* p, unsigned long n) { for (unsigned long i = 0; i < n; ++i) p[i] = 7; "
      "}\n" EXPORT
      "void copy(char* p, const char* q, unsigned long n) { __builtin_memmove(p, q, n); }\n"));
  std::vector<char> bytes(1000, 0), other(1000, 1);
  object.get<void(char*, unsigned long)>("fill")(bytes.data(), bytes.size());
  CHECK(bytes == std::vector<char>(1000, 7));
  object.get<void(char*, const char*, unsigned long)>("copy")(other.data(), bytes.data(), 1000);
  CHECK(other == bytes);
}

TEST_CASE("products and sums are not contracted") {
  const Loaded object(
      build_text(EXPORT "double f(double a, double b, double c) { return a * b - c; }"));
  // (1 + 2^-30)^2 - (1 + 2^-29) is 2^-60, which the rounded product has lost.
  const double a = 1 + std::ldexp(1.0, -30);
  CHECK(object.get<double(double, double, double)>("f")(a, a, 1 + std::ldexp(1.0, -29)) == 0.0);
}

TEST_CASE("equal text gives equal bytes, however often and in however many threads") {
  const std::string text = "#include \"prelude/lanes.h\"\n#include \"prelude/exp.h\"\n" EXPORT
                           "void f(const float* x, float* y, long n) { for (long i = 0; i < n; "
                           "++i) y[i] = gn::exp(x[i]); }";
  const std::vector<char> first = build_text(text);
  for (int i = 0; i < 3; ++i) CHECK(build_text(text) == first);
  std::vector<Unit> units;
  for (int i = 0; i < 6; ++i) {
    units.push_back({fmt::format("unit{}.cpp", i),
                     fmt::format(EXPORT "int f{}(int x) {{ return x + {}; }}", i, i)});
  }
  BuildOptions serial, parallel;
  serial.threads = 1;
  parallel.threads = 4;
  CHECK(build_shared_object(units, serial) == build_shared_object(units, parallel));
}

TEST_CASE("several threads build at once") {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &good] {
      for (int i = 0; i < 3; ++i) {
        const Loaded object(
            build_text(fmt::format(EXPORT "int f(int x) {{ return x * {}; }}", 10 * t + i)));
        if (object.get<int(int)>("f")(2) == 2 * (10 * t + i)) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 12);
}

TEST_CASE("a very long expression compiles") {
  std::string text = EXPORT "double f(double x) { return x";
  for (int i = 0; i < 20000; ++i) text += "+x";
  BuildOptions quick;
  quick.opt_level = 0;
  const Loaded object(build_text(text + "; }", quick));
  CHECK(object.get<double(double)>("f")(1.0) == 20001.0);
}

TEST_CASE("assembly and LLVM IR are returned when asked for") {
  const Unit unit{"unit.cpp", EXPORT "double f(double x) { return x * x; }"};
  BuildOptions options;
  CHECK(build({&unit, 1}, options).assembly.empty());
  options.assembly = options.llvm_ir = true;
  const BuildResult result = build({&unit, 1}, options);
  REQUIRE(result.assembly.size() == 1);
  REQUIRE(result.llvm_ir.size() == 1);
  CHECK(contains(result.assembly[0], "mulsd"));
  CHECK(contains(result.llvm_ir[0], "fmul double"));
  CHECK(result.object == build_text(unit.text));
}

TEST_CASE("a loop that was to be vectorised and was not is a warning of LLVM's own passes") {
  const Unit unit{"unit.cpp", "void g(int);\nvoid g(int) { __asm__ volatile(\"\"); }\n" EXPORT
                              "void f(int n) {\n#pragma clang loop vectorize(enable)\n"
                              "  for (int i = 0; i < n; ++i) g(i);\n}"};
  BuildOptions options;
  options.opt_level = 3;
  const BuildResult result = build({&unit, 1}, options);
  REQUIRE(!result.diagnostics.empty());
  CHECK(result.diagnostics[0].severity == Diagnostic::Severity::warning);
  CHECK(contains(result.diagnostics[0].text, "not vectorized"));
}

TEST_CASE("wrong requests are refused") {
  CHECK_THROWS_AS(build_shared_object({}), ValueError);
  BuildOptions options;
  options.opt_level = 9;
  CHECK_THROWS_AS(build_text("int x;", options), ValueError);
  options = {};
  options.cpu = "abacus";
  CHECK_THROWS_AS(build_text("int x;", options), CompileError);
}

TEST_CASE("building leaves nothing behind") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / fmt::format("gnomon-test-{}", getpid());
  fs::create_directory(folder);
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before ? before : "";
  setenv("TMPDIR", folder.c_str(), 1);
  build_text("int x;");
  CHECK_THROWS_AS(build_text("int x"), CompileError);
  CHECK(fs::is_empty(folder));
  before ? setenv("TMPDIR", saved.c_str(), 1) : unsetenv("TMPDIR");
  fs::remove_all(folder);
}

TEST_CASE("the host's target names its vectors and features") {
  const Target& host = host_target();
  CHECK(!host.name.empty());
  CHECK((host.vector_bytes == 16 || host.vector_bytes == 32 || host.vector_bytes == 64));
#if defined(__x86_64__)
  // libgcc asks the processor and the operating system by itself.
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  CHECK((host.vector_bytes == 64) == avx512);
  CHECK((host.vector_bytes >= 32) == (__builtin_cpu_supports("avx2") != 0));
  const auto has = [&](const char* name) {
    return std::find(host.features.begin(), host.features.end(), name) != host.features.end();
  };
  CHECK(has("fma") == (__builtin_cpu_supports("fma") != 0));
  CHECK(has("avx512vnni") == (__builtin_cpu_supports("avx512vnni") != 0));
#endif
  CHECK(target_named("native").name == host.name);
  CHECK(target_named("x86-64-v3").vector_bytes == 32);
  CHECK(target_named("x86-64-v3", 16).vector_bytes == 16);
  CHECK_THROWS_AS(target_named("native", 24), ValueError);
  CHECK(target_named("x86-64-v3").vector_registers == 16);
  CHECK(target_named("x86-64-v4").vector_registers == 32);
  CHECK(target_named("aarch64+sve256").vector_bytes == 32);
  CHECK(target_named("aarch64+sve256").vector_registers == 32);
  CHECK_THROWS_AS(target_named("aarch64+sve512"), ValueError);
  CHECK_THROWS_WITH_AS(target_named("sm_90"), doctest::Contains("found the GPU sm_90"), ValueError);
}

TEST_CASE("the build id is a hash") {
  CHECK(std::string(build_id()).size() == 32);
  CHECK(contains(abi_header(), "gnomon_run"));
}

TEST_CASE("Clang compiles a kernel for GPUs, includes the prelude and reports errors") {
  const std::string ptx = build_ptx(
      {"device.cu",
       "#include \"prelude/exp.h\"\n"
       "extern \"C\" __global__ void __launch_bounds__(64) scale(float* x, float a, int n) {\n"
       "  __shared__ float last;\n"
       "  if (threadIdx.x == 0) last = gn::exp(x[n - 1]);\n  __syncthreads();\n"
       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] = x[i] * a + "
       "last;\n}\n"},
      "sm_90");
  for (const char* part : {".target sm_90", ".entry scale", ".maxntid 64", "bar.sync", ".shared",
                           "mul.rn.f32", "add.rn.f32", "%ctaid.x"})
    CHECK(contains(ptx, part));
  CHECK_FALSE(contains(ptx, "call"));  // all of the prelude is in line
  try {
    build_ptx({"device.cu", "__attribute__((global)) void bad() {\n  undeclared = 1;\n}\n"},
              "sm_80");
    FAIL("Clang accepted it");
  } catch (const CompileError& error) {
    CHECK(contains(error.what(), "device.cu:2"));
    CHECK(contains(error.log(), "undeclared"));
  }
  CHECK_THROWS_WITH_AS(build_ptx({"device.cu", "int i;"}, "sm_999"),
                       doctest::Contains("unknown target CPU 'sm_999'"), CompileError);
}

TEST_CASE("NVRTC compiles a kernel, includes the prelude and reports errors") {
  if (!nvrtc_available()) {
    MESSAGE("skipped: " << nvrtc_version());
    return;
  }
  std::string log;
  const auto ptx = nvrtc_ptx(
      "extern \"C\" __global__ void scale(float* x, float a, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= a;\n}\n",
      "compute_90", {}, &log);
  REQUIRE(ptx.has_value());
  CHECK(contains(*ptx, ".entry scale"));
  const auto binary = nvrtc_ptx("extern \"C\" __global__ void nothing() {}\n", "sm_90");
  REQUIRE(binary.has_value());
  CHECK(binary->starts_with("\177ELF"));

  const DeviceHeader header{"mine.h",
                            "__device__ inline float half_of(float x) { return x / 2; }\n"};
  const auto both = nvrtc_ptx(
      "#include \"mine.h\"\n#include \"prelude/exp.h\"\n"
      "extern \"C\" __global__ void f(float* x) { *x = gn::exp(half_of(*x)); }\n",
      "compute_90", {&header, 1});
  REQUIRE(both.has_value());
  CHECK(contains(*both, ".entry f"));

  try {
    nvrtc_ptx("__global__ void bad() {\n  undeclared = 1;\n}\n", "compute_90");
    FAIL("NVRTC accepted it");
  } catch (const CompileError& error) {
    CHECK(contains(error.log(), "device.cu(2)"));
    CHECK(contains(error.log(), "undeclared"));
    CHECK(contains(error.source(), "undeclared = 1"));
  }
}
