// Kernels as C++ and as CUDA C++: the texts, and what they compute.
//
// The expected texts are tests/golden/<kernel>.cpp.txt and .cu.txt; a run with GNOMON_UPDATE_GOLDEN
// set writes them anew.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <utility>

#include "codegen/cpu/cpu_language.h"
#include "codegen/cuda/cuda_language.h"
#include "codegen/cuda/nvrtc.h"
#include "codegen/lower/lower.h"
#include "codegen/text/emit.h"
#include "codegen/text/spell.h"
#include "codegen/toolchain/build.h"
#include "ir/graph/expr.h"
#include "passes/pipeline.h"
#include "runtime/abi.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

const char* const golden_kernels[] = {"argmax",        "scatter_add",     "carried_loop",
                                      "register_tile", "block_reduction", "short_rows",
                                      "turned_tile"};

std::string golden_path(const std::string& file) {
  return std::string(GNOMON_SOURCE_DIR) + "/tests/golden/" + file;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Kernel golden_kernel(const std::string& name) {
  return parse_kernel(read_text(golden_path(name + ".kernel")));
}

/// Slots in the order of the kernel's symbols.
KernelText emitted(const Kernel& kernel, const Language& language) {
  std::vector<AtomRef> atoms;
  const auto note = [&](const Dim& d) {
    if (d.is_constant()) return;
    d.for_each_atom([&](const AtomRef& atom) {
      const bool known =
          std::any_of(atoms.begin(), atoms.end(), [&](const AtomRef& a) { return *a == *atom; });
      if (atom->kind == Atom::Kind::symbol && !known) atoms.push_back(atom);
    });
  };
  for (const BufferParam& b : kernel.buffers) note(b.elements);
  for (const Statement& s : kernel.body) note(s.dim);
  std::sort(atoms.begin(), atoms.end(),
            [](const AtomRef& a, const AtomRef& b) { return a->number < b->number; });
  return language.kernel(kernel, kernel.name, [&](const Atom& atom) {
    const auto at =
        std::find_if(atoms.begin(), atoms.end(), [&](const AtomRef& a) { return *a == atom; });
    return DimensionName{static_cast<int>(at - atoms.begin()), std::string(atom.name)};
  });
}

std::string unit_of(const Kernel& kernel, const Language& language) {
  const KernelText k = emitted(kernel, language);
  return language.unit("\n" + k.comment + k.text, k.headers);
}

/// A shared object built from C++ text.
class Built {
 public:
  explicit Built(const std::string& text) {
    const Unit unit{"kernel.cpp", text};
    const auto bytes = build_shared_object({&unit, 1});
    std::string name = (std::filesystem::temp_directory_path() / "gnomon-emit-XXXXXX").string();
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    REQUIRE(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(file);
    handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    unlink(name.c_str());
    REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
  }
  ~Built() { dlclose(handle_); }
  Built(const Built&) = delete;
  Built& operator=(const Built&) = delete;

  template <class F>
  F* get(const char* name) const {
    return reinterpret_cast<F*>(dlsym(handle_, name));
  }

 private:
  void* handle_ = nullptr;
};

/// The buffers as arguments of their types.
std::string arguments(const Kernel& kernel) {
  std::string text;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
    const BufferParam& p = kernel.buffers[b];
    const std::string_view t = is_bool(p.dtype) ? "u8" : short_name_of(p.dtype);
    text += fmt::format(", ({}*)buffers[{}]", t, b);
  }
  return text;
}

bool has_checks(const Kernel& kernel) {
  for (const Statement& s : kernel.body)
    if (s.code == Code::check) return true;
  return false;
}

struct Found {
  int count = 0;
  std::int64_t number = 0, index = 0, value = 0, bound = 0;
};

/// Runs what was emitted as C++, in one thread.
Found run_cpp(const Kernel& kernel, const std::vector<std::int64_t>& dims,
              std::vector<void*> buffers) {
  const Built built(
      unit_of(kernel, cpu_language) +
      fmt::format("\nextern \"C\" __attribute__((visibility(\"default\"))) void run(const "
                  "gnomon_services* services, gnomon_context* context, const i64* dims, void** "
                  "buffers) {{\n  bool has_failed = false;\n"
                  "  {}({{services, context, nullptr, 0, &has_failed}}, dims{});\n}}\n",
                  kernel.name, arguments(kernel)));
  gnomon_services services{};
  services.threads = 1;
  services.parallel = [](gnomon_context*, std::int64_t count, std::int64_t grain, gnomon_body body,
                         void* argument) {
    for (std::int64_t lo = 0; lo < count; lo += grain)
      body(argument, lo, std::min(lo + grain, count), 0);
  };
  services.fail = [](gnomon_context* context, std::int32_t number, std::int64_t index,
                     std::int64_t value, std::int64_t bound) {
    auto& found = *reinterpret_cast<Found*>(context);
    if (found.count++ == 0) found = {1, number, index, value, bound};
  };
  Found found;
  auto* run =
      built.get<void(const gnomon_services*, gnomon_context*, const std::int64_t*, void**)>("run");
  REQUIRE((run != nullptr));
  run(&services, reinterpret_cast<gnomon_context*>(&found), dims.data(), buffers.data());
  return found;
}

// CUDA's names in C++: threads run one after the other, so a fold over a block sees one thread.
const char* const one_thread_at_a_time = R"(
struct Place { unsigned x; };
static Place blockIdx, threadIdx, blockDim, gridDim;
#define __global__ __attribute__((visibility("default")))
#define __launch_bounds__(n)
static inline void __syncthreads() {}
namespace gn {
struct Failure { i32 lock, check; i64 index, value, bound; };
inline void check(Failure* failure, i32 number, bool bad, i64 index, i64 value, i64 bound) {
  if (bad && failure->check < 0) *failure = {0, number, index, value, bound};
}
inline i64 grid_thread() { return i64(blockIdx.x) * blockDim.x + threadIdx.x; }
inline i64 grid_threads() { return i64(gridDim.x) * blockDim.x; }
constexpr i64 threads_of_warp = 1;  // a block has one thread here
inline i64 grid_warp() { return grid_thread() / threads_of_warp; }
inline i64 grid_warps() { return grid_threads() / threads_of_warp; }
inline i64 lane_of_warp() { return threadIdx.x % threads_of_warp; }
template <int, typename T, typename Combine> T block_fold(T own, Combine) { return own; }
template <int, bool, typename T> T block_best(T own) { return own; }
}
)";

/// Runs what was emitted as CUDA C++ on the host.
Found run_cuda_text(const Kernel& kernel, const std::vector<std::int64_t>& dims,
                    std::vector<void*> buffers, int blocks, int threads) {
  const KernelText k = emitted(kernel, cuda_language);
  CHECK((blocks == 1 || !k.one_block));
  std::string given;
  for (const int slot : k.dimensions) given += fmt::format(", dims[{}]", slot);
  given += arguments(kernel) + (has_checks(kernel) ? ", &failure" : "");
  const Built built(
      cuda_language.unit(one_thread_at_a_time + k.text, k.headers) +
      fmt::format("extern \"C\" __global__ void run(const i64* dims, void** buffers, int blocks, "
                  "int threads, i64* found) {{\n  gn::Failure failure{{0, -1, 0, 0, 0}};\n"
                  "  gridDim.x = blocks, blockDim.x = threads;\n"
                  "  for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x)\n"
                  "    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x)\n"
                  "      {}({});\n"
                  "  found[0] = failure.check, found[1] = failure.index;\n"
                  "  found[2] = failure.value, found[3] = failure.bound;\n}}\n",
                  kernel.name, given.substr(2)));
  std::int64_t found[4];
  auto* run = built.get<void(const std::int64_t*, void**, int, int, std::int64_t*)>("run");
  REQUIRE((run != nullptr));
  run(dims.data(), buffers.data(), blocks, threads, found);
  return {found[0] >= 0, found[0], found[1], found[2], found[3]};
}

/// Runs a golden kernel both ways on copies of `outputs`, which stand behind `inputs`.
template <class Check>
void run_both(const std::string& name, const std::vector<std::int64_t>& dims,
              const std::vector<const void*>& inputs, int blocks, int threads,
              std::vector<std::vector<double>>& memory, Check check) {
  const Kernel kernel = golden_kernel(name);
  for (const bool cuda : {false, true}) {
    CAPTURE(cuda);
    std::vector<std::vector<double>> outputs = memory;
    std::vector<void*> buffers;
    for (const void* p : inputs) buffers.push_back(const_cast<void*>(p));
    for (auto& m : outputs) buffers.push_back(m.data());
    const Found found = cuda ? run_cuda_text(kernel, dims, buffers, blocks, threads)
                             : run_cpp(kernel, dims, buffers);
    check(outputs, found);
  }
}

std::vector<float> float_values(std::size_t n, unsigned seed) {
  std::vector<float> v(n);
  for (float& x : v) {
    seed = seed * 1664525u + 1013904223u;
    x = static_cast<float>(static_cast<int>(seed >> 20) - 2048) / 64;
  }
  return v;
}

std::vector<Kernel> lowered_kernels(const Expr& input, const Expr& output) {
  const Captured captured = capture(std::vector{input}, std::vector{output});
  Context context;
  return lower(run_passes(captured.graph, context), target_named("x86-64-v4")).kernels;
}

}  // namespace

TEST_CASE("golden kernels print as the committed C++ and CUDA C++") {
  const bool update = std::getenv("GNOMON_UPDATE_GOLDEN") != nullptr;
  for (const std::string name : golden_kernels)
    for (const auto& [language, suffix] :
         {std::pair{&cpu_language, ".cpp.txt"}, std::pair{&cuda_language, ".cu.txt"}}) {
      const std::string file = name + suffix;
      CAPTURE(file);
      const Kernel kernel = golden_kernel(name);
      REQUIRE_NOTHROW(verify(kernel));
      const std::string text = unit_of(kernel, *language);
      if (update) std::ofstream(golden_path(file)) << text;
      CHECK(text == read_text(golden_path(file)));
    }
}

TEST_CASE("the kernel shown in docs/debugging.md is one") {
  const std::string page = read_text(std::string(GNOMON_SOURCE_DIR) + "/docs/debugging.md");
  const std::size_t from = page.find("kernel argmax\n");
  REQUIRE(from != std::string::npos);
  const std::string shown = page.substr(from, page.find("```", from) - from);
  CHECK_NOTHROW(verify(parse_kernel(shown)));
  CHECK(text(parse_kernel(shown)) == shown);
}

TEST_CASE("argmax finds the first of the greatest, NaN before all") {
  if (!toolchain_available()) return;
  for (const std::int64_t m : {1, 15, 16, 64, 100, 300}) {
    CAPTURE(m);
    constexpr std::int64_t n = 5;
    std::vector<float> x = float_values(n * m, 3);
    x[m / 2] = std::numeric_limits<float>::quiet_NaN();
    std::vector<std::vector<double>> memory{std::vector<double>(n), std::vector<double>(n)};
    run_both("argmax", {n, m}, {x.data()}, 3, 1, memory, [&](auto& outputs, const Found&) {
      const auto* best = reinterpret_cast<const float*>(outputs[0].data());
      const auto* at = reinterpret_cast<const std::int64_t*>(outputs[1].data());
      for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t first = 0;
        for (std::int64_t j = 1; j < m; ++j) {
          const float v = x[i * m + j], top = x[i * m + first];
          if (!std::isnan(top) && (std::isnan(v) || v > top)) first = j;
        }
        CHECK(at[i] == first);
        CHECK((best[i] == x[i * m + first] || (std::isnan(best[i]) && i == 0)));
      }
    });
  }
}

TEST_CASE("scatter_add adds rows in order, counts from the end, reports what is out of range") {
  if (!toolchain_available()) return;
  constexpr std::int64_t n = 4, m = 11, k = 6;
  const std::int64_t good[k] = {0, 3, -1, 3, 1, -4};
  std::int64_t bad[k] = {0, 3, -1, 9, 1, -5};
  std::vector<double> dw(m * k);
  for (std::size_t i = 0; i < dw.size(); ++i) dw[i] = 0.25 * static_cast<double>(i % 17);
  std::vector<std::vector<double>> memory{std::vector<double>(n * m, 1.0)};
  run_both("scatter_add", {n, m, k}, {good, dw.data()}, 1, 4, memory,
           [&](auto& outputs, const Found& found) {
             std::vector<double> w(n * m, 1.0);
             for (std::int64_t i = 0; i < k; ++i)
               for (std::int64_t j = 0; j < m; ++j)
                 w[(good[i] < 0 ? good[i] + n : good[i]) * m + j] += dw[i * m + j];
             CHECK(outputs[0] == w);
             CHECK(found.count == 0);
           });
  run_both("scatter_add", {n, m, k}, {bad, dw.data()}, 1, 4, memory,
           [&](auto&, const Found& found) {
             CHECK(found.count > 0);
             CHECK(found.number == 0);
             CHECK(found.index == 3);
             CHECK(found.value == 9);
             CHECK(found.bound == n);
           });
}

TEST_CASE("carried_loop carries its state from step to step") {
  if (!toolchain_available()) return;
  for (const std::int64_t n : {0, 1, 9}) {
    std::vector<double> a(n, 0.5), b(n);
    for (std::int64_t t = 0; t < n; ++t) b[t] = static_cast<double>(t);
    std::vector<std::vector<double>> memory{std::vector<double>(n), std::vector<double>(1)};
    run_both("carried_loop", {n}, {a.data(), b.data()}, 1, 1, memory,
             [&](auto& outputs, const Found&) {
               double s = 1;
               for (std::int64_t t = 0; t < n; ++t) {
                 s = a[t] * s + b[t];
                 CHECK(outputs[0][t] == s);
               }
               CHECK(outputs[1][0] == s);
             });
  }
}

TEST_CASE("register_tile is the product of its matrices") {
  if (!toolchain_available()) return;
  constexpr std::int64_t m = 2, n = 21, k = 7;  // 4m rows, 4n columns
  const std::vector<float> a = float_values(4 * m * k, 5), b = float_values(4 * n * k, 7);
  std::vector<std::vector<double>> memory{std::vector<double>(8 * m * n)};
  run_both("register_tile", {m, n, k}, {a.data(), b.data()}, 2, 3, memory,
           [&](auto& outputs, const Found&) {
             const auto* c = reinterpret_cast<const float*>(outputs[0].data());
             for (std::int64_t i = 0; i < 4 * m; ++i)
               for (std::int64_t j = 0; j < 4 * n; ++j) {
                 float sum = 0;
                 for (std::int64_t p = 0; p < k; ++p)
                   sum = std::fma(a[i * k + p], b[p * 4 * n + j], sum);
                 CHECK(c[i * 4 * n + j] == sum);
               }
           });
}

TEST_CASE("block_reduction takes the greatest of each row off it") {
  if (!toolchain_available()) return;
  constexpr std::int64_t n = 3, m = 50;
  const std::vector<float> x = float_values(n * m, 11);
  std::vector<std::vector<double>> memory{std::vector<double>(n * m)};
  run_both("block_reduction", {n, m}, {x.data()}, 2, 1, memory, [&](auto& outputs, const Found&) {
    const auto* y = reinterpret_cast<const float*>(outputs[0].data());
    for (std::int64_t i = 0; i < n; ++i) {
      const float top = *std::max_element(x.begin() + i * m, x.begin() + (i + 1) * m);
      for (std::int64_t j = 0; j < m; ++j) CHECK(y[i * m + j] == x[i * m + j] - top);
    }
  });
}

TEST_CASE("short_rows takes the least of each row off it") {
  if (!toolchain_available()) return;
  for (const std::int64_t n : {1, 16, 37}) {
    const std::vector<float> x = float_values(3 * n, 13);
    std::vector<std::vector<double>> memory{std::vector<double>(3 * n)};
    run_both("short_rows", {n}, {x.data()}, 1, 4, memory, [&](auto& outputs, const Found&) {
      const auto* y = reinterpret_cast<const float*>(outputs[0].data());
      for (std::int64_t i = 0; i < 3 * n; ++i) {
        const float* row = x.data() + i / 3 * 3;
        CHECK(y[i] == x[i] - *std::min_element(row, row + 3));
      }
    });
  }
}

TEST_CASE("Clang and NVRTC compile golden kernels, and kernels of expressions, for the device") {
  if (!toolchain_available()) return;
  if (!nvrtc_available()) MESSAGE("without NVRTC: " << nvrtc_version());
  std::vector<Kernel> kernels;
  for (const std::string name : golden_kernels) kernels.push_back(golden_kernel(name));
  const Expr x = matrix("x", float32);
  for (const Expr& e : {exp(x) * 2.0f + x, softmax(x), sum(x, {0}), sum(tanh(x), {1}), argmax(x, 1),
                        sum(x), transpose(x) * 2.0f})
    for (Kernel& kernel : lowered_kernels(x, e)) kernels.push_back(std::move(kernel));
  for (const Kernel& kernel : kernels) {
    const std::string text = unit_of(kernel, cuda_language);
    CAPTURE(text);
    try {
      for (const std::string version : {"80", "90"}) {
        const std::string by_clang = build_ptx({"device.cu", text}, "sm_" + version);
        CHECK(by_clang.find(".target sm_" + version) != std::string::npos);
        CHECK(by_clang.find(".entry " + kernel.name) != std::string::npos);
        if (!nvrtc_available()) continue;
        const auto by_nvrtc = nvrtc_ptx(text, "compute_" + version);
        REQUIRE(by_nvrtc.has_value());
        CHECK(by_nvrtc->find(".entry " + kernel.name) != std::string::npos);
      }
    } catch (const CompileError& error) {
      FAIL_CHECK(error.log());
    }
  }
}

TEST_CASE("a sum of rows is the same number however its loops are spelled") {
  if (!toolchain_available()) return;
  constexpr std::int64_t n = 9, m = 83;
  const std::vector<float> values = float_values(n * m, 17);  // multiples of 1/64: sums are exact
  const Expr x = matrix("x", float32);
  const auto kernels = lowered_kernels(x, sum(x, {1}));
  REQUIRE(kernels.size() == 1);
  for (const bool cuda : {false, true}) {
    CAPTURE(cuda);
    std::vector<float> y(n);
    std::vector<void*> buffers;
    for (const BufferParam& b : kernels[0].buffers)
      buffers.push_back(b.writes ? y.data() : const_cast<float*>(values.data()));
    if (cuda)
      run_cuda_text(kernels[0], {n, m}, buffers, 4, 1);
    else
      run_cpp(kernels[0], {n, m}, buffers);
    for (std::int64_t i = 0; i < n; ++i) {
      float wanted = 0;
      for (std::int64_t j = 0; j < m; ++j) wanted += values[i * m + j];
      CHECK(y[i] == wanted);
    }
  }
}

TEST_CASE("kernels of expressions compute the same as CUDA C++, thread after thread") {
  if (!toolchain_available()) return;
  constexpr std::int64_t n = 130, m = 37;
  const std::vector<float> values = float_values(n * m, 13);
  const Expr x = matrix("x", float32);
  const auto kernels = lowered_kernels(x, x * 2.0f + 1.0f);
  REQUIRE(kernels.size() == 1);
  std::vector<float> y(n * m);
  std::vector<void*> buffers;
  for (const BufferParam& b : kernels[0].buffers)
    buffers.push_back(b.writes ? y.data() : const_cast<float*>(values.data()));
  run_cuda_text(kernels[0], {n, m}, buffers, 3, 32);
  for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == values[i] * 2.0f + 1.0f);
}

TEST_CASE("what users write cannot leave a comment or break a name") {
  Kernel kernel = golden_kernel("carried_loop");
  kernel.comment = "first\\\nsecond\rint x;";
  kernel.buffers[0].name = "for";
  kernel.buffers[1].name = "two words";
  const KernelText k = emitted(kernel, cpu_language);
  CHECK(k.comment == "// first\\.\n// second int x;\n");
  CHECK(k.text.find("const f64* __restrict for2") != std::string::npos);
  CHECK(k.text.find("const f64* __restrict two_words") != std::string::npos);
}

TEST_CASE("names are handed out once, and again when they are free") {
  Names names;
  names.reserve("x3");
  for (const char* next : {"x", "x2", "x4"}) CHECK(names.fresh("x") == next);
  CHECK(names.fresh("x2") == "x2_2");
  names.release("x2");
  CHECK(names.fresh("x") == "x2");
  CHECK(names.fresh("x") == "x5");
  names.release("x2");
  CHECK(names.fresh("x2") == "x2");
  names.release("x2_2");
  CHECK(names.fresh("x2") == "x2_2");
  CHECK(names.fresh("f32x8") == "f32x8_2");  // a type
  names.release("x");
  CHECK(names.fresh("x") == "x");
  const std::string long_name = "y99999999999999999999";
  CHECK(names.fresh(long_name) == long_name);
  names.release(long_name);
  CHECK(names.fresh(long_name) == long_name);
}
