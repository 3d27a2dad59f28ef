// What the machine can do, measured once and kept: what a file may say, when it is made anew.
#include "frontend/machine_limits.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "runtime/threads.h"
#include "tests/support/robust_support.h"

using namespace gnomon;
using namespace robust;

namespace {

std::string text_of_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const char* const good =
    R"({"version": 1, "processor": "p", "threads": 2, "bytes_per_second": 2e10,
        "operations_per_second": 4e10, "single_per_second": 8e10})";

std::string with(const std::string& key, const nlohmann::json& value) {
  auto changed = nlohmann::json::parse(good);
  changed[key] = value;
  return changed.dump();
}

}  // namespace

TEST_CASE("a file is taken for its processor and number of threads alone, and with sane numbers") {
  const auto found = parse_machine_limits(good, "p", 2);
  REQUIRE(found);
  CHECK(found->bytes_per_second == 2e10);
  CHECK(found->operations_per_second == 4e10);
  CHECK(found->single_per_second == 8e10);
  CHECK(!parse_machine_limits(good, "another", 2));
  CHECK(!parse_machine_limits(good, "p", 3));
  const std::string whole = good;
  for (const std::string& damaged :
       {std::string(), std::string("{"), std::string("[]"), std::string("null"),
        whole.substr(0, whole.size() / 2), with("bytes_per_second", 0),
        with("bytes_per_second", -1), with("bytes_per_second", 1e300),
        with("bytes_per_second", "fast"), with("operations_per_second", nullptr),
        with("single_per_second", -5), with("version", 0), with("threads", "2"),
        with("processor", 4)}) {
    CAPTURE(damaged);
    CHECK(!parse_machine_limits(damaged, "p", 2));
  }
  // Without a compiler the operations are not known; with one they are measured again.
  CHECK(parse_machine_limits(with("operations_per_second", 0), "p", 2).has_value() ==
        !toolchain_available());
}

TEST_CASE("limits are measured once, kept, and measured again where the file does not fit") {
  const Folder folder;
  const std::filesystem::path kept = folder.path / "cache";
  CHECK(!stored_machine_limits(kept));
  const MachineLimits first = machine_limits(kept);
  CHECK(first.bytes_per_second > 1e7);
  CHECK(first.operations_per_second > 1e7);
  CHECK(first.single_per_second > 1e7);
  const std::filesystem::path file = machine_limits_file(kept);
  const std::string written = text_of_file(file);
  const auto stored = stored_machine_limits(kept);
  REQUIRE(stored);
  CHECK(stored->bytes_per_second == first.bytes_per_second);
  CHECK(stored->operations_per_second == first.operations_per_second);
  CHECK(nlohmann::json::parse(written).at("processor") == host_target().name);

  // Another folder with the file finds it, and measures nothing.
  const std::filesystem::path other = folder.path / "other";
  std::filesystem::create_directories(other);
  std::filesystem::permissions(other, std::filesystem::perms::owner_all);
  auto changed = nlohmann::json::parse(written);
  changed["bytes_per_second"] = 12345;
  std::ofstream(machine_limits_file(other)) << changed;
  CHECK(machine_limits(other).bytes_per_second == 12345);

  // Damaged, of another processor: it is made anew.
  const std::filesystem::path damaged = folder.path / "damaged";
  std::filesystem::create_directories(damaged);
  std::filesystem::permissions(damaged, std::filesystem::perms::owner_all);
  changed["processor"] = "another";
  std::ofstream(machine_limits_file(damaged)) << changed;
  CHECK(!stored_machine_limits(damaged));
  CHECK(machine_limits(damaged).bytes_per_second != 12345);
  CHECK(stored_machine_limits(damaged));
}

TEST_CASE("another number of threads has limits of its own") {
  const Folder folder;
  const std::filesystem::path kept = folder.path / "cache";
  const int threads = pool().threads();
  machine_limits(kept);
  set_threads(threads + 1);
  CHECK(!stored_machine_limits(kept));
  set_threads(threads);
  CHECK(stored_machine_limits(kept));
}

TEST_CASE("a folder that others may write to keeps nothing, and limits are known all the same") {
  const Folder folder;
  const std::filesystem::path open = folder.path / "open";
  std::filesystem::create_directories(open);
  std::filesystem::permissions(open, std::filesystem::perms::all);
  CHECK(machine_limits(open).bytes_per_second > 1e7);
  CHECK(!std::filesystem::exists(machine_limits_file(open)));
}
