// Opens a BLAS library and settles its kernels and threads.
#include "runtime/linalg/blas.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "runtime/cache/own_libraries.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

// Sets an environment variable while a library initialises, and puts the old value back.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    value != nullptr ? ::setenv(name, value, 1) : ::unsetenv(name);
  }
  ~ScopedVariable() { old_ ? ::setenv(name_, old_->c_str(), 1) : ::unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

// The kernel set OpenBLAS should use, or null to let it look. It reads OPENBLAS_CORETYPE once, when
// it is loaded; a narrower value left in the environment halves every product. Versions before
// 0.3.22 overlook AVX-512 on CPUs that are not Intel's, and on Intel's they take one that came out
// after them for a Prescott, which has neither AVX nor AVX2: a quarter of the speed.
const char* wanted_core() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return __builtin_cpu_supports("avx512bf16") ? "Cooperlake" : "SkylakeX";
  if (__builtin_cpu_is("intel") && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return "Haswell";
#endif
  return nullptr;
}

// PyPI's builds of OpenBLAS put a prefix before all names, so that they get along with others.
void* find_symbol(void* handle, const std::string& name) {
  void* const plain = ::dlsym(handle, name.c_str());
  return plain != nullptr ? plain : ::dlsym(handle, ("scipy_" + name).c_str());
}

template <class F>
F symbol_of(void* handle, const char* name) {
  return reinterpret_cast<F>(find_symbol(handle, name));
}

// Threads are ours: whatever the library, each of its calls runs on the calling thread alone.
void make_single_threaded(void* handle) {
  using Set = void (*)(int);
  if (const auto set = symbol_of<Set>(handle, "openblas_set_num_threads")) set(1);
  if (const auto set = symbol_of<Set>(handle, "MKL_Set_Num_Threads")) set(1);
  if (const auto set = symbol_of<void (*)(std::int64_t)>(handle, "bli_thread_set_num_threads"))
    set(1);
}

std::string describe_library(void* handle, const std::string& path) {
  using Text = const char* (*)();
  std::string text = path;
  // The configuration starts with name and version: "OpenBLAS 0.3.21 NO_LAPACKE ...".
  if (const auto config = symbol_of<Text>(handle, "openblas_get_config")) {
    const std::string all = config();
    text += " " + all.substr(0, all.find(' ', all.find(' ') + 1));
  }
  if (const auto core = symbol_of<Text>(handle, "openblas_get_corename"))
    text += fmt::format(" ({})", core());
  return text;
}

// A build of OpenBLAS that PyPI has as a package, and where it lies in that.
constexpr const char* package_folder = "scipy_openblas32/lib";
constexpr const char* from_package = "/libscipy_openblas.so";

std::vector<std::string> candidates() {
  if (const auto path = blas_override()) return {*path};
  std::vector<std::string> paths = neighbouring_folders(std::array{package_folder});
  for (std::string& path : paths) path += from_package;
#if defined(__aarch64__)
  const std::string folder = "/usr/lib/aarch64-linux-gnu";
#else
  const std::string folder = "/usr/lib/x86_64-linux-gnu";
#endif
  for (const char* build : {"pthread", "openmp", "serial"})
    paths.push_back(fmt::format("{}/openblas-{}/libopenblas.so.0", folder, build));
  paths.insert(paths.end(), {"libopenblas.so.0", "libopenblas.so", "libblas.so.3"});
  return paths;
}

}  // namespace

BlasCallScope::BlasCallScope(const BlasCallRules& rules)
    : set_threads_(rules.get_threads != nullptr ? rules.set_threads : nullptr) {
  static std::mutex* mutex = new std::mutex;  // never destroyed, as the library
  if (rules.one_at_a_time) turn_ = std::unique_lock(*mutex);
  if (set_threads_ == nullptr) return;
  threads_ = rules.get_threads();
  set_threads_(1);
}

BlasCallScope::~BlasCallScope() {
  if (set_threads_ != nullptr) set_threads_(threads_);
}

void* Blas::symbol(const char* name) const noexcept {
  return handle_ != nullptr ? find_symbol(handle_, name) : nullptr;
}

bool Blas::open(const std::string& path) {
  const bool looks = path.ends_with(from_package);  // those are newer
  const ScopedVariable core("OPENBLAS_CORETYPE", looks ? nullptr : wanted_core());
  // Keeps the threaded builds from starting their own workers at load.
  const ScopedVariable threads("OPENBLAS_NUM_THREADS", "1");
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return false;
  void* single = find_symbol(handle, "cblas_sgemm");
  void* twice = find_symbol(handle, "cblas_dgemm");
  if (single == nullptr || twice == nullptr) {
    ::dlclose(handle);
    return false;
  }
  make_single_threaded(handle);
  // A sequential OpenBLAS shares its buffers between calls without a lock: two at once spoil each
  // other's results. One with OpenMP takes the thread count of whoever calls it.
  const auto parallel = symbol_of<int (*)()>(handle, "openblas_get_parallel");
  rules_.one_at_a_time = parallel != nullptr && parallel() == 0;
  if (parallel != nullptr && parallel() == 2) {
    rules_.get_threads = symbol_of<int (*)()>(handle, "omp_get_max_threads");
    rules_.set_threads = symbol_of<void (*)(int)>(handle, "omp_set_num_threads");
  }
  description_ = describe_library(handle, path);
  handle_ = handle;
  sgemm_ = single;
  dgemm_ = twice;
  sgemv_ = find_symbol(handle, "cblas_sgemv");
  dgemv_ = find_symbol(handle, "cblas_dgemv");
  ssyrk_ = find_symbol(handle, "cblas_ssyrk");
  dsyrk_ = find_symbol(handle, "cblas_dsyrk");
  return true;
}

Blas::Blas() {
  std::string tried;
  for (const std::string& path : candidates()) {
    if (open(path)) return;
    tried += tried.empty() ? path : ", " + path;
  }
  description_ = fmt::format("no BLAS library found; tried {}", tried);
}

const Blas& blas() {
  // Never destroyed: products may run until the process ends.
  static const Blas* instance = new Blas;
  return *instance;
}

const std::string& blas_description() { return blas().description(); }

}  // namespace gnomon
