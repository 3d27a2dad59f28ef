// The disk cache: damage is a miss, a full disk is no failure, processes share it safely.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "runtime/cache/cache.h"
#include "runtime/cache/library.h"
#include "runtime/error.h"
#include "tests/support/folder_support.h"

using namespace gnomon;
using namespace gnomon::test;
namespace fs = std::filesystem;

namespace {

const std::string key(32, 'a');
const std::string other_key(32, 'b');

struct FaultsEnd {
  ~FaultsEnd() { cache_fault_after(-1); }
};

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void spill(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  ::chmod(path.c_str(), 0600);  // whatever the user's mask says
}

std::vector<char> object_of(char fill, std::size_t size = 3000) {
  return std::vector<char>(size, fill);
}

std::string as_text(const std::vector<char>& bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

TEST_CASE("what is stored is found, by other objects of the class too") {
  const Folder f;
  const Cache cache(f.path / "deep" / "cache");
  CHECK_FALSE(cache.find(key));
  const std::string manifest = "{\"a\": 1}\nwith lines\0and zero";
  const auto object = object_of('x');
  const CacheEntry stored = cache.store(key, manifest, object);
  CHECK(stored.persistent);
  const auto found = Cache(cache.folder()).find(key);
  REQUIRE(found);
  CHECK(found->manifest == manifest);
  CHECK(found->object == stored.object);
  CHECK(slurp(found->object) == as_text(object));
  CHECK_FALSE(cache.find(other_key));
  struct stat status{};
  REQUIRE(::stat(cache.folder().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("entries with the same object share the file") {
  const Folder f;
  const Cache cache(f.path);
  cache.store(key, "one", object_of('x'));
  cache.store(other_key, "two", object_of('x'));
  CHECK(cache.stats().entries == 2);
  CHECK(cache.stats().objects == 1);
  cache.store(key, "three", object_of('y'));
  CHECK(cache.find(key)->manifest == "three");
  CHECK(slurp(cache.find(key)->object) == as_text(object_of('y')));
  cache.remove(key);
  CHECK_FALSE(cache.find(key));
  CHECK(cache.find(other_key));
}

TEST_CASE("content_hash is XXH3's 128-bit hash") {
  // The published test vector of the empty input.
  CHECK(content_hash("") == "99aa06d3014798d86001c324468d497f");
}

TEST_CASE("keys are checked") {
  const Cache cache("/nonexistent");
  CHECK_THROWS_AS(cache.find("short"), ValueError);
  CHECK_THROWS_AS(cache.find(std::string(32, '/')), ValueError);
  CHECK_THROWS_AS(cache.store(std::string(32, 'G'), "", object_of('x')), ValueError);
}

TEST_CASE("a file cut short at any place is a miss and is removed") {
  for (const std::string extension : {".entry", ".so"}) {
    const Folder f;
    const Cache cache(f.path);
    const auto object = object_of('x', 200);
    cache.store(key, "manifest", object);
    const fs::path path = only(f.path, extension);
    const std::string whole = slurp(path);
    for (std::size_t size = 0; size < whole.size(); ++size) {
      cache.store(key, "manifest", object);
      spill(path, whole.substr(0, size));
      CHECK_FALSE(cache.find(key));
      CHECK(cache.stats().entries == 0);
    }
    cache.store(key, "manifest", object);
    spill(path, whole + "x");
    CHECK_FALSE(cache.find(key));
    cache.store(key, "manifest", object);
    CHECK(cache.find(key));
  }
}

TEST_CASE("any flipped bit is a miss") {
  for (const std::string extension : {".entry", ".so"}) {
    const Folder f;
    const Cache cache(f.path);
    const auto object = object_of('x', 200);
    cache.store(key, "manifest", object);
    const fs::path path = only(f.path, extension);
    const std::string whole = slurp(path);
    for (std::size_t at = 0; at < whole.size(); ++at) {
      cache.store(key, "manifest", object);
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
      spill(path, damaged);
      CHECK_FALSE(cache.find(key));
    }
  }
}

TEST_CASE("another version, another key and a missing object are misses") {
  const Folder f;
  const Cache cache(f.path);
  cache.store(key, "manifest", object_of('x'));
  const fs::path path = only(f.path, ".entry");
  std::string text = slurp(path);
  const std::size_t tail = text.size() - 33;
  text.replace(text.find("cache 1"), 7, "cache 2");
  text.replace(tail, 32, content_hash(text.substr(0, tail - 9)));  // a right checksum
  spill(path, text);
  CHECK_FALSE(cache.find(key));

  cache.store(key, "manifest", object_of('x'));
  fs::copy_file(path, f.path / (other_key + ".entry"));
  CHECK_FALSE(cache.find(other_key));
  CHECK(cache.find(key));

  fs::remove(only(f.path, ".so"));
  CHECK_FALSE(cache.find(key));
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a disk that fills at any step loses the entry, not the function") {
  const FaultsEnd end;
  const auto object = object_of('x');
  std::int64_t steps = 0;
  {
    const Folder f;
    cache_fault_after(-1);
    Cache(f.path / "cache").store(key, "manifest", object);
    steps = cache_fault_after(-1);
  }
  REQUIRE(steps >= 9);  // the folder, then open, write, close and rename of two files
  for (std::int64_t step = 0; step < steps; ++step) {
    CAPTURE(step);
    const Folder f;
    const Cache cache(f.path / "cache");
    cache_fault_after(step);  // and all later steps
    const CacheEntry lost = cache.store(key, "manifest", object);
    CHECK_FALSE(lost.persistent);
    CHECK(lost.manifest == "manifest");
    cache_fault_after(-1);
    CHECK_FALSE(cache.find(key));
    if (fs::exists(cache.folder()))
      for (const auto& file : fs::directory_iterator(cache.folder()))
        CHECK(file.path().extension() == ".so");  // no left-overs
    CHECK(cache.store(key, "manifest", object).persistent);
    CHECK(cache.find(key));
  }
}

TEST_CASE("a folder that cannot be written keeps nothing and says so") {
  const Folder f;
  spill(f.path / "file", "not a folder");
  const Cache cache(f.path / "file" / "cache");
  const CacheEntry entry = cache.store(key, "manifest", object_of('z'));
  CHECK_FALSE(entry.persistent);
  CHECK(entry.manifest == "manifest");
  CHECK(entry.object.empty());
  CHECK_FALSE(entry.file);
  CHECK_FALSE(cache.find(key));
  CHECK(cache.stats().entries == 0);
}

TEST_CASE("processes and threads that fill one entry at once all read whole files") {
  const Folder f;
  const Cache cache(f.path);
  const auto fill = [&cache](int seed) {
    for (int i = 0; i < 60; ++i) {
      const std::string k(32, "0123456789abcdef"[i % 4]);
      const auto object = object_of(static_cast<char>('a' + i % 4), 20000);
      const CacheEntry entry = cache.store(k, "m", object);
      if (!entry.persistent || slurp(entry.object) != as_text(object)) return false;
      const auto found = cache.find(std::string(32, "0123456789abcdef"[(i + seed) % 4]));
      if (found && slurp(found->object).size() != 20000) return false;
    }
    return true;
  };
  std::vector<pid_t> children;
  for (int p = 0; p < 2; ++p) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(fill(p) ? 0 : 1);
    REQUIRE(child > 0);
    children.push_back(child);
  }
  std::vector<char> right(3, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < right.size(); ++t)
    threads.emplace_back([&, t] { right[t] = fill(static_cast<int>(t)); });
  for (std::thread& t : threads) t.join();
  for (char r : right) CHECK(r);
  for (pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  CHECK(cache.stats().entries == 4);
  CHECK(cache.stats().objects == 4);
}

TEST_CASE("what a process was writing when it was killed is removed by a later one") {
  const Folder f;
  spill(f.path / "left.so.1-2.part", "half");
  spill(f.path / "now.so.3-4.part", "half");
  fs::last_write_time(f.path / "left.so.1-2.part",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  Cache(f.path).store(key, "m", object_of('x'));
  CHECK_FALSE(fs::exists(f.path / "left.so.1-2.part"));
  CHECK(fs::exists(f.path / "now.so.3-4.part"));
}

TEST_CASE("clear removes the cache's files and no others") {
  const Folder f;
  const Cache cache(f.path);
  cache.store(key, "m", object_of('x'));
  spill(f.path / "left.so.1-2.part", "half");
  spill(f.path / "mine.txt", "text");
  CHECK(cache.stats().bytes > 3000);
  cache.clear();
  CHECK(cache.stats().bytes == 0);
  CHECK(fs::exists(f.path / "mine.txt"));
  CHECK_FALSE(fs::exists(f.path / "left.so.1-2.part"));
}

TEST_CASE("trim keeps the entries used last, with their objects") {
  const Folder f;
  const Cache cache(f.path);
  std::vector<std::string> keys;
  for (int i = 0; i < 4; ++i) {
    keys.push_back(std::string(32, static_cast<char>('0' + i)));
    cache.store(keys.back(), "m", object_of(static_cast<char>('a' + i), 1000));
    fs::last_write_time(f.path / (keys.back() + ".entry"),
                        fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  CHECK(cache.find(keys[0]));  // a use
  cache.trim(100000);
  CHECK(cache.stats().entries == 4);
  cache.trim(2600);
  CHECK(cache.find(keys[0]));
  CHECK(cache.find(keys[3]));
  CHECK_FALSE(cache.find(keys[1]));
  CHECK(cache.stats().objects == 2);
}

TEST_CASE("entries are listed by their last use, with what is wrong with each") {
  const Folder f;
  const Cache cache(f.path);
  const auto hours_ago = [&](const std::string& name, int hours) {
    fs::last_write_time(f.path / name,
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  cache.store(key, "one", object_of('x', 500));
  cache.store(other_key, "two", object_of('y', 700));
  hours_ago(key + ".entry", 3);
  hours_ago(other_key + ".entry", 2);
  auto listed = cache.entries(CacheLook::contents);
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].key == other_key);
  CHECK(listed[1].manifest == "one");
  CHECK(listed[1].bytes ==
        500 + static_cast<std::int64_t>(fs::file_size(f.path / (key + ".entry"))));
  CHECK(listed[0].used > listed[1].used);
  CHECK((listed[0].damage + listed[1].damage).empty());

  const std::string object = content_hash(as_text(object_of('x', 500))) + ".so";
  std::string bytes = as_text(object_of('x', 500));
  bytes[7] = 'z';
  spill(f.path / object, bytes);
  CHECK(cache.entries()[1].damage.empty());  // the size is right
  CHECK(cache.entries(CacheLook::contents)[1].damage == "its object is damaged");
  spill(f.path / object, "short");
  CHECK(cache.entries()[1].damage == "its object is cut short, or longer than it was");
  fs::remove(f.path / object);
  CHECK(cache.entries()[1].damage == "its object is missing");
  spill(f.path / (other_key + ".entry"), "half an ent");
  hours_ago(other_key + ".entry", 5);
  listed = cache.entries();
  CHECK(listed[1].key == other_key);
  CHECK(listed[1].damage == "its file is damaged, or others may write it");
  CHECK(listed[1].manifest.empty());
  spill(f.path / "none.entry", "");
  CHECK(cache.entries()[0].damage == "its name is no key");
}

TEST_CASE("listed entries are removed with the objects that nothing else names") {
  const Folder f;
  const Cache cache(f.path);
  const std::string third(32, 'c');
  cache.store(key, "one", object_of('x'));
  cache.store(other_key, "two", object_of('x'));
  cache.store(third, "three", object_of('y'));
  spill(f.path / "mine.txt", "text");
  const std::vector<std::string> keys = {key, third, "../mine", "mine.txt"};
  cache.remove_listed(keys);
  CHECK_FALSE(cache.find(key));
  CHECK_FALSE(cache.find(third));
  CHECK(cache.find(other_key));
  CHECK(cache.stats().objects == 1);
  CHECK(fs::exists(f.path / "mine.txt"));
}

TEST_CASE("the cache folder follows the environment") {
  const auto saved = environment("GNOMON_CACHE_DIR");
  ::setenv("GNOMON_CACHE_DIR", "/somewhere/else", 1);
  CHECK(default_cache_folder() == "/somewhere/else");
  saved ? ::setenv("GNOMON_CACHE_DIR", saved->c_str(), 1) : ::unsetenv("GNOMON_CACHE_DIR");
}

TEST_CASE("a file that is no compiled function is a clear error") {
  const Folder f;
  CHECK_THROWS_AS(Library::open(f.path / "missing.so"), DeviceError);
  spill(f.path / "text.so", "no shared object");
  CHECK_THROWS_AS(Library::open(f.path / "text.so"), DeviceError);
  Dl_info info{};
  REQUIRE(::dladdr(reinterpret_cast<void*>(&::fork), &info) != 0);
  CHECK_THROWS_WITH_AS(Library::open(info.dli_fname), doctest::Contains("gnomon_info"),
                       DeviceError);
  gnomon_info_record record{};
  record.abi_version = GNOMON_ABI_VERSION + 1;
  CHECK_THROWS_AS(Library::linked(record, nullptr, nullptr), DeviceError);
  record.abi_version = GNOMON_ABI_VERSION;
  CHECK(&Library::linked(record, nullptr, nullptr)->info() == &record);
}
