// Who may have written what is loaded: owners, modes, links, pipes and sizes of cached files.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "codegen/toolchain/machine.h"
#include "runtime/cache/cache.h"
#include "runtime/cache/cache_file.h"
#include "runtime/cache/safe_folder.h"
#include "tests/support/folder_support.h"

using namespace gnomon;
using namespace gnomon::test;
namespace fs = std::filesystem;

namespace {

const std::string folder_key(32, 'a');
constexpr uid_t somebody = 12345;

// What lies at `path` belongs to somebody else: root gives it away, others pretend to be another.
class Foreign {
 public:
  explicit Foreign(const fs::path& path) : path_(path) {
    if (::geteuid() == 0) {
      REQUIRE(::lchown(path.c_str(), somebody, static_cast<gid_t>(-1)) == 0);
    } else {
      pretend_user(somebody);
    }
  }
  ~Foreign() {
    pretend_user(-1);
    if (::geteuid() == 0) (void)!::lchown(path_.c_str(), 0, static_cast<gid_t>(-1));
  }
  Foreign(const Foreign&) = delete;
  Foreign& operator=(const Foreign&) = delete;

 private:
  fs::path path_;
};

const std::vector<char> object(3000, 'x');

// A cache whose folder is as `arrange` leaves it gives nothing and keeps nothing.
void check_not_used(const fs::path& folder, const std::string& problem) {
  CAPTURE(problem);
  const Cache cache(folder);
  CHECK_FALSE(cache.find(folder_key));
  CHECK_FALSE(cache.store(folder_key, "manifest", object).persistent);
  const OpenedFolder opened = open_folder(folder);
  CHECK_FALSE(opened.descriptor);
  CHECK_MESSAGE(opened.problem.find(problem) != std::string::npos, opened.problem);
  CHECK(cache.stats().entries == 0);
}

// A stored entry of which one file is replaced by `replace` is absent, and can be stored again.
void check_absent(const std::string& extension,
                  const std::function<void(const fs::path&)>& replace) {
  CAPTURE(extension);
  const Folder f;
  const Cache cache(f.path);
  REQUIRE(cache.store(folder_key, "manifest", object).persistent);
  REQUIRE(cache.find(folder_key));
  replace(only(f.path, extension));
  CHECK_FALSE(cache.find(folder_key));
  REQUIRE(cache.store(folder_key, "manifest", object).persistent);
  CHECK(cache.find(folder_key));
}

}  // namespace

TEST_CASE("a folder of the user's, also below one that is sticky, is used") {
  const Folder f;
  const Cache cache(f.path / "a" / "b");
  CHECK(open_folder(f.path / "a").problem.empty());  // it is only not there
  CHECK(cache.store(folder_key, "manifest", object).persistent);
  CHECK(cache.find(folder_key));
  struct stat status{};
  REQUIRE(::stat((f.path / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("a folder that others may write to is not used, nor one below it") {
  for (const mode_t mode : {0770, 0707, 0777}) {
    const Folder f;
    REQUIRE(Cache(f.path / "a" / "b").store(folder_key, "manifest", object).persistent);
    REQUIRE(::chmod((f.path / "a" / "b").c_str(), mode) == 0);
    check_not_used(f.path / "a" / "b", "may be written by others");
    REQUIRE(::chmod((f.path / "a" / "b").c_str(), 0700) == 0);
    REQUIRE(::chmod((f.path / "a").c_str(), mode) == 0);
    check_not_used(f.path / "a" / "b", "may be written by others");
    // A sticky folder keeps what is in it, but not from being added to.
    REQUIRE(::chmod((f.path / "a").c_str(), mode | S_ISVTX) == 0);
    CHECK(Cache(f.path / "a" / "b").find(folder_key));
    REQUIRE(Cache(f.path / "a").store(folder_key, "manifest", object).persistent == false);
  }
}

TEST_CASE("a folder of another user is not used, nor one below it") {
  const Folder f;
  const fs::path inner = f.path / "a" / "b";
  REQUIRE(Cache(inner).store(folder_key, "manifest", object).persistent);
  {
    const Foreign foreign(inner);
    check_not_used(inner, "belongs to user");
  }
  {
    const Foreign foreign(f.path / "a");
    check_not_used(inner, "belongs to user");
  }
  CHECK(Cache(inner).find(folder_key));
}

TEST_CASE("the folder that stands in for a home that is not set is not used when another made it") {
  const Folder f;
  const auto saved = [](const char* name) { return environment(name); };
  const auto home = saved("HOME"), xdg = saved("XDG_CACHE_HOME"), own = saved("GNOMON_CACHE_DIR"),
             temporary = saved("TMPDIR");
  for (const char* name : {"HOME", "XDG_CACHE_HOME", "GNOMON_CACHE_DIR"}) ::unsetenv(name);
  ::setenv("TMPDIR", f.path.c_str(), 1);
  const fs::path folder = default_cache_folder();
  const auto restore = [](const char* name, const auto& value) {
    value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
  };
  restore("HOME", home), restore("XDG_CACHE_HOME", xdg), restore("GNOMON_CACHE_DIR", own);
  restore("TMPDIR", temporary);
  REQUIRE(folder.parent_path() == f.path);
  REQUIRE(::chmod(f.path.c_str(), 01777) == 0);
  CHECK(Cache(folder).store(folder_key, "manifest", object).persistent);  // ours
  const Foreign foreign(folder);
  check_not_used(folder, "belongs to user");
}

TEST_CASE("links: above the folder those of the user are followed, the folder itself is none") {
  const Folder f;
  REQUIRE(Cache(f.path / "real" / "cache").store(folder_key, "manifest", object).persistent);
  fs::create_directory_symlink(f.path / "real", f.path / "absolute");
  fs::create_directory_symlink("real", f.path / "relative");
  CHECK(Cache(f.path / "absolute" / "cache").find(folder_key));
  CHECK(Cache(f.path / "relative" / "cache").find(folder_key));
  fs::create_directory_symlink(f.path / "real" / "cache", f.path / "cache");
  check_not_used(f.path / "cache", "is a symbolic link");
  fs::create_directory_symlink("loop", f.path / "loop");
  CHECK_FALSE(Cache(f.path / "loop" / "cache").find(folder_key));
  const Foreign foreign(f.path / "relative");
  check_not_used(f.path / "relative" / "cache", "belongs to user");
}

TEST_CASE("files that others may have written, links, pipes and huge files are absent") {
  for (const std::string extension : {".entry", ".so"}) {
    for (const mode_t mode : {0620, 0602, 0666})
      check_absent(extension,
                   [&](const fs::path& path) { REQUIRE(::chmod(path.c_str(), mode) == 0); });
    check_absent(extension, [](const fs::path& path) {
      fs::rename(path, path.string() + ".real");
      fs::create_symlink(path.string() + ".real", path);
    });
    check_absent(extension, [](const fs::path& path) {
      fs::remove(path);
      REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    });
    check_absent(extension, [](const fs::path& path) {
      REQUIRE(::truncate(path.c_str(), off_t{1} << 42) == 0);
    });
  }
}

TEST_CASE("a file of another user is absent") {
  if (::geteuid() != 0) {  // only root can make one here; another's folder is tested by all
    pretend_user(somebody);
    const Folder f;
    CHECK_FALSE(Cache(f.path).store(folder_key, "manifest", object).persistent);
    pretend_user(-1);
    return;
  }
  for (const std::string extension : {".entry", ".so"})
    check_absent(extension, [](const fs::path& path) {
      REQUIRE(::chown(path.c_str(), somebody, static_cast<gid_t>(-1)) == 0);
    });
}

TEST_CASE("what was verified is what stays open, whatever takes its name") {
  const Folder f;
  const Cache cache(f.path);
  cache.store(folder_key, "manifest", object);
  const auto entry = cache.find(folder_key);
  REQUIRE(entry);
  fs::remove(entry->object);
  std::ofstream(entry->object) << "something else";
  CHECK(read_file(entry->file) == std::string(object.begin(), object.end()));
}

TEST_CASE("clearing a folder that is a link removes nothing behind it") {
  const Folder f;
  const Cache real(f.path / "real");
  real.store(folder_key, "manifest", object);
  fs::create_directory_symlink(f.path / "real", f.path / "link");
  Cache(f.path / "link").clear();
  Cache(f.path / "link").trim(0);
  CHECK(real.find(folder_key));
}

TEST_CASE("constants of the machine that others may have written are ignored, and that is said") {
  const Folder f;
  write_machine(f.path / "tuned", "cpu", Machine{});
  REQUIRE(read_machine(f.path / "tuned", "cpu").machine);
  const auto check_ignored = [&](const std::string& why) {
    const StoredMachine stored = read_machine(f.path / "tuned", "cpu");
    CHECK_FALSE(stored.machine);
    CHECK_MESSAGE(stored.problem.find(why) != std::string::npos, stored.problem);
  };
  REQUIRE(::chmod(machine_file(f.path / "tuned").c_str(), 0666) == 0);
  check_ignored("others may write it");
  REQUIRE(::chmod(machine_file(f.path / "tuned").c_str(), 0600) == 0);
  REQUIRE(::chmod((f.path / "tuned").c_str(), 0777) == 0);
  check_ignored("may be written by others");
  REQUIRE(::chmod((f.path / "tuned").c_str(), 0700) == 0);
  REQUIRE(::truncate(machine_file(f.path / "tuned").c_str(), off_t{1} << 42) == 0);
  check_ignored("cannot be read");
}

TEST_CASE("a library is looked for in no folder that others may write to") {
  const Folder f;
  std::ofstream(f.path / "lib.so") << "code";
  ::chmod((f.path / "lib.so").c_str(), 0644);
  fs::create_symlink("lib.so", f.path / "name.so");
  CHECK(is_safe_file(f.path / "lib.so"));
  CHECK(is_safe_file(f.path / "name.so"));
  CHECK_FALSE(is_safe_file(f.path / "none.so"));
  ::chmod(f.path.c_str(), 0777);
  CHECK_FALSE(is_safe_file(f.path / "lib.so"));
  ::chmod(f.path.c_str(), 0755);
  const Foreign foreign(f.path / "lib.so");
  CHECK_FALSE(is_safe_file(f.path / "name.so"));
}
