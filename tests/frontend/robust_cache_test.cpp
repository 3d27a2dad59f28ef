// The disk cache as users meet it: whatever befalls a stored function, compile() gives right ones.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/cache/cache.h"
#include "tests/support/robust_support.h"

using namespace gnomon;
using namespace robust;
namespace fs = std::filesystem;

namespace {

// Arbitrary factor of the test function, so that each user has a function of its own.
Function make(const CompileOptions& options, double factor = 2.0) {
  const Expr x = vector("x");
  return compile({x}, {{"y", exp(x) * factor + 1.0}}, {}, options);
}

bool is_right(const Function& f, double factor = 2.0) {
  const std::vector<double> x = {0.0, 0.5, -1.25, 3.0, 1.0, 2.0, -2.0, 0.25, -0.75};
  const std::vector<double> y = f(Array::from(x))[0].to_vector<double>();
  if (y.size() != x.size()) return false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double expected = factor * std::exp(x[i]) + 1.0;
    if (std::abs(y[i] - expected) > 1e-15 * expected) return false;
  }
  return true;
}

// A damaged entry is compiled anew, once.
void check_recovers(const std::function<void(const fs::path&)>& damage) {
  const Folder f;
  const CompileOptions options = cached_in(f.path);
  CHECK_FALSE(make(options).was_cached());
  {
    const Function hit = make(options);
    CHECK(hit.was_cached());
    CHECK(is_right(hit));
  }
  damage(f.path);
  {
    const Function again = make(options);
    CHECK_FALSE(again.was_cached());
    CHECK(is_right(again));
  }
  const Function hit = make(options);
  CHECK(hit.was_cached());
  CHECK(is_right(hit));
}

// Changes an entry file and gives it the right checksum.
void edit_entry(const fs::path& folder, const std::string& from, const std::string& to) {
  const fs::path path = only(folder, ".entry");
  std::string text = slurp(path);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const std::size_t body = text.rfind("checksum ");
  text.replace(body + 9, 32, content_hash(text.substr(0, body)));
  spill(path, text);
}

}  // namespace

TEST_CASE("a second compilation comes from the cache") {
  check_recovers([](const fs::path& folder) { Cache(folder).clear(); });
}

TEST_CASE("a stored function cut short is compiled anew") {
  for (const std::string extension : {".entry", ".so"})
    for (const double part : {0.0, 0.5, 0.99}) {
      CAPTURE(extension);
      CAPTURE(part);
      check_recovers([&](const fs::path& folder) {
        const fs::path path = only(folder, extension);
        const std::string whole = slurp(path);
        spill(path, whole.substr(0, static_cast<std::size_t>(part * double(whole.size()))));
      });
    }
}

TEST_CASE("a stored function with a flipped bit is compiled anew") {
  for (const std::string extension : {".entry", ".so"})
    for (const double place : {0.0, 0.3, 0.7, 1.0}) {
      CAPTURE(extension);
      CAPTURE(place);
      check_recovers([&](const fs::path& folder) {
        const fs::path path = only(folder, extension);
        std::string bytes = slurp(path);
        char& c = bytes[static_cast<std::size_t>(place * double(bytes.size() - 1))];
        c = static_cast<char>(c ^ 4);
        spill(path, bytes);
      });
    }
}

TEST_CASE("an entry of another version or another build is compiled anew") {
  check_recovers([](const fs::path& f) { edit_entry(f, "gnomon-cache 1", "gnomon-cache 9"); });
  check_recovers([](const fs::path& f) { edit_entry(f, "\"abi\":", "\"ABI\":"); });
  check_recovers([](const fs::path& f) { edit_entry(f, "\"build\":\"", "\"build\":\"x"); });
}

TEST_CASE("an entry without its object is compiled anew") {
  check_recovers([](const fs::path& f) { fs::remove(only(f, ".so")); });
  check_recovers([](const fs::path& f) { fs::remove(only(f, ".entry")); });
}

TEST_CASE("an object that is stored whole but cannot be opened is compiled anew") {
  check_recovers([](const fs::path& folder) {
    const Cache cache(folder);
    const std::string key = only(folder, ".entry").stem().string();
    const std::string manifest = cache.find(key)->manifest;
    cache.clear();
    cache.store(key, manifest, std::vector<char>(2000, 'x'));
    REQUIRE(cache.find(key));
  });
}

TEST_CASE("a folder that cannot be made costs the cache, not the function") {
  const Folder f;
  spill(f.path / "file", "not a folder");
  const CompileOptions options = cached_in(f.path / "file" / "cache");
  for (int i = 0; i < 2; ++i) {
    const Function function = make(options);
    CHECK_FALSE(function.was_cached());
    CHECK(is_right(function));
  }
}

namespace {

// What is said on the standard error while functions are compiled thrice, none from the cache.
std::string said_without_cache(const Folder& f, const CompileOptions& options) {
  const int errors = ::dup(2), said = ::open((f.path / "said").c_str(), O_CREAT | O_RDWR, 0600);
  REQUIRE(::dup2(said, 2) == 2);
  bool right = true, cached = false;
  for (int i = 0; i < 3; ++i) {
    const Function function = make(options, 7.0);
    right = right && is_right(function, 7.0);
    cached = cached || function.was_cached();
  }
  ::dup2(errors, 2);
  ::close(errors), ::close(said);
  CHECK(right);
  CHECK_FALSE(cached);
  return slurp(f.path / "said");
}

}  // namespace

TEST_CASE("with a folder that others may write to functions are compiled, and that is said once") {
  const Folder f;
  const CompileOptions options = cached_in(f.path / "cache");
  CHECK_FALSE(make(options, 7.0).was_cached());
  REQUIRE(make(options, 7.0).was_cached());
  REQUIRE(::chmod((f.path / "cache").c_str(), 0777) == 0);
  const std::string text = said_without_cache(f, options);
  const std::string begin =
      "gnomon: the cache in " + (f.path / "cache").string() + " is not used: ";
  CHECK_MESSAGE(text.starts_with(begin), text);
  CHECK_MESSAGE(text.find('\n') == text.size() - 1, text);
}

TEST_CASE("with a folder that cannot be written to functions are compiled, and that is said once") {
  const Folder f;
  // Nobody can make one there, root neither.
  const std::string text = said_without_cache(f, cached_in("/proc/gnomon"));
  CHECK(text ==
        "gnomon: functions are not kept in /proc/gnomon: No such file or directory; "
        "GNOMON_CACHE_DIR names another folder\n");
}

TEST_CASE("a name of a function is no way out of the folder for dumps") {
  const Folder f;
  ::setenv("GNOMON_DUMP", (f.path / "dump").c_str(), 1);
  CompileOptions options = cached_in(f.path / "cache");
  const Expr x = vector("x");
  for (const std::string name : {"../out", "/tmp/../../out", "..", "a/../../b", "plain.name"}) {
    options.name = name;
    compile({x}, {{"y", x * 11.0}}, {}, options);
  }
  ::unsetenv("GNOMON_DUMP");
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(f.path / "dump")) {
    ++folders;
    CHECK(fs::exists(entry.path() / "captured.gn"));
  }
  CHECK(folders == 5);
  CHECK(fs::exists(f.path / "dump" / "plain.name"));
  CHECK_FALSE(fs::exists(f.path / "out"));
  CHECK_FALSE(fs::exists(f.path / "b"));
}

TEST_CASE("a process that is killed while it compiles leaves nothing in the temporary folder") {
  if (under_tsan) return;
  const Folder f;
  for (int round = 0; round < 6; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("TMPDIR", f.path.c_str(), 1);
      CompileOptions options;
      options.cache = false;
      for (int i = 0;; ++i) make(options, 40.0 + 100 * round + i);
    }
    REQUIRE(child > 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(60 + 70 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
  }
  CHECK(fs::is_empty(f.path));
}

TEST_CASE("functions whose descriptors have one number after the other are each their own") {
  CompileOptions options;
  options.cache = false;
  std::vector<Function> all;
  for (int i = 0; i < 4; ++i) all.push_back(make(options, 50.0 + i));
  for (int i = 0; i < 4; ++i) CHECK(is_right(all[static_cast<std::size_t>(i)], 50.0 + i));
}

TEST_CASE("without the cache nothing is read from the folder or left in it") {
  const Folder f;
  CompileOptions options = cached_in(f.path);
  CHECK(is_right(make(options)));
  const CacheStats before = Cache(f.path).stats();
  options.cache = false;
  const Function function = make(options);
  CHECK_FALSE(function.was_cached());
  CHECK(is_right(function));
  CHECK_FALSE(make(options, 3.0).was_cached());
  CHECK(Cache(f.path).stats().entries == before.entries);
  CHECK(Cache(f.path).stats().objects == before.objects);
  options.cache = true;
  CHECK(make(options).was_cached());
}

TEST_CASE("a disk that fills at any write gives right numbers or a clear error") {
  struct End {
    ~End() { cache_fault_after(-1); }
  } end;
  std::int64_t steps = 0;
  {
    const Folder f;
    cache_fault_after(-1);
    CHECK(is_right(make(cached_in(f.path / "cache"), 5.0), 5.0));
    steps = cache_fault_after(-1);
  }
  REQUIRE(steps >= 9);
  for (std::int64_t step = 0; step <= steps; ++step) {
    CAPTURE(step);
    const Folder f;
    const CompileOptions options = cached_in(f.path / "cache");
    const double factor = 10.0 + double(step);
    cache_fault_after(step);
    try {
      CHECK(is_right(make(options, factor), factor));
    } catch (const DeviceError& error) {
      CHECK(std::string(error.what())
                .starts_with("library: expected memory for a compiled function"));
    }
    cache_fault_after(-1);
    CHECK(is_right(make(options, factor), factor));
    CHECK(make(options, factor).was_cached());
  }
}

TEST_CASE("two processes fill one cache at once") {
  if (under_tsan) return;
  const Folder f;
  std::vector<pid_t> children;
  for (int p = 0; p < 2; ++p) {
    const pid_t child = ::fork();
    if (child == 0) {
      bool right = true;
      try {
        for (int i = 0; i < 4; ++i) {
          const double factor = 20.0 + (p == 0 ? i : 3 - i);
          right = right && is_right(make(cached_in(f.path), factor), factor);
        }
      } catch (...) {
        right = false;
      }
      ::_exit(right ? 0 : 1);
    }
    REQUIRE(child > 0);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  for (int i = 0; i < 4; ++i) {
    const Function hit = make(cached_in(f.path), 20.0 + i);
    CHECK(hit.was_cached());
    CHECK(is_right(hit, 20.0 + i));
  }
  CHECK(Cache(f.path).stats().entries == 4);
}

// Run by the next test, in a process of its own, with the cache in GNOMON_CACHE_DIR. Run by hand in
// a build with GNOMON_CLANG=OFF, on a folder that a build with it has filled, it shows that stored
// functions need no compiler.
TEST_CASE("in a fresh process a hit maps no compiler" * doctest::skip()) {
  const Function hit = make({}, 30.0);
  REQUIRE(hit.was_cached());
  CHECK(is_right(hit, 30.0));
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::string file = fs::path(line.substr(line.rfind(' ') + 1)).filename().string();
    CHECK_MESSAGE(file.find("libLLVM") == std::string::npos, file);
    CHECK_MESSAGE(file.find("libclang") == std::string::npos, file);
    CHECK_MESSAGE(file.find("libgnomon-clang") == std::string::npos, file);
    CHECK_MESSAGE(file.find("lld") == std::string::npos, file);
  }
}

TEST_CASE("a hit maps neither Clang nor LLVM") {
  const Folder f;
  CompileOptions options = cached_in(f.path);
  options.machine = Machine{};  // those of the other process, whose cache holds no measured ones
  CHECK_FALSE(make(options, 30.0).was_cached());
  const std::string command =
      "GNOMON_CACHE_DIR='" + f.path.string() + "' '" + fs::read_symlink("/proc/self/exe").string() +
      "' --no-skip --no-intro --minimal --test-case='in a fresh process a hit maps no compiler'";
  CHECK(std::system(command.c_str()) == 0);
}
