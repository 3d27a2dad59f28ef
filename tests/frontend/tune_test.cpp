// Constants of the machine: measured, stored, read again, part of the key of every function.
#include <sys/stat.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "codegen/toolchain/target.h"
#include "frontend/tune.h"
#include "tests/support/robust_support.h"

using namespace gnomon;
using namespace robust;

namespace {

Machine unusual() {
  Machine machine;
  std::int64_t value = 1000;
  for (const MachineConstant& c : machine_constants()) machine.*c.member = ++value;
  return machine;
}

void write(const std::filesystem::path& folder, const std::string& content) {
  std::ofstream(machine_file(folder), std::ios::binary) << content;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool is_cached(const CompileOptions& options) {
  const Expr x = vector("x");
  const Function f = compile({x}, {{"y", 3.0 * x + 0.5}}, {}, options);
  CHECK(f(Array::from<double>({1, 2, 3}))[0].to_vector<double>() ==
        std::vector<double>{3.5, 6.5, 9.5});
  return f.was_cached();
}

}  // namespace

TEST_CASE("machine: constants that are stored are read again") {
  const Folder f;
  CHECK_FALSE(read_machine(f.path, "cpu").machine);
  CHECK(read_machine(f.path, "cpu").problem.empty());
  write_machine(f.path / "new", "cpu", unusual());
  const StoredMachine stored = read_machine(f.path / "new", "cpu");
  CHECK(stored.problem.empty());
  REQUIRE(stored.machine);
  CHECK(*stored.machine == unusual());
  CHECK_FALSE(*stored.machine == Machine{});
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator(f.path / "new"))
    ++files;
  CHECK(files == 1);
}

TEST_CASE("machine: constants of another processor are ignored, with a reason") {
  const Folder f;
  write_machine(f.path, "this one", unusual());
  const StoredMachine stored = read_machine(f.path, "another one");
  CHECK_FALSE(stored.machine);
  for (const char* part : {"this one", "another one", "machine.json", "gnomon tune"})
    CHECK_MESSAGE(stored.problem.find(part) != std::string::npos, part);
  CHECK(read_machine(f.path, "this one").machine);
}

TEST_CASE("machine: a file that does not say it all properly is ignored, with a reason") {
  const Folder f;
  write_machine(f.path, "cpu", unusual());
  const std::string whole = read(machine_file(f.path));
  const auto rejects = [&](const std::string& content) {
    write(f.path, content);
    const StoredMachine stored = read_machine(f.path, "cpu");
    CHECK_MESSAGE(!stored.machine, content);
    CHECK_MESSAGE(stored.problem.find("machine.json") != std::string::npos, content);
  };
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, whole.size() / 2})
    rejects(whole.substr(0, length));
  for (const char* content : {"[]", "{}", "null", "\xff\xfe", "{\"processor\": \"cpu\"}",
                              "{\"processor\": 3, \"constants\": {}}"})
    rejects(content);
  const auto changed = [&](const char* name, const nlohmann::json& value) {
    nlohmann::json file = nlohmann::json::parse(whole);
    file["constants"][name] = value;
    return file.dump();
  };
  rejects(changed("far_bytes", "many"));
  rejects(changed("far_bytes", 1.5));
  rejects(changed("far_bytes", 0));
  rejects(changed("far_bytes", -4096));
  rejects(changed("far_bytes", std::uint64_t{1} << 63));
  rejects(changed("nearness", 5));
  nlohmann::json less = nlohmann::json::parse(whole);
  less["constants"].erase("far_bytes");
  rejects(less.dump());
  write(f.path, whole);
  CHECK(read_machine(f.path, "cpu").machine);
}

TEST_CASE("machine: constants that cannot be stored are an error, and what was there stays") {
  const Folder f;
  std::ofstream(f.path / "file") << "no folder";
  CHECK_THROWS_WITH_AS(write_machine(f.path / "file", "cpu", unusual()),
                       doctest::Contains("can be written"), DeviceError);
  CHECK(read(f.path / "file") == "no folder");
}

TEST_CASE("machine: a function compiled with other constants is another function") {
  const Folder f;
  CompileOptions options;
  options.cache_folder = f.path;
  CHECK_FALSE(is_cached(options));
  CHECK(is_cached(options));
  for (const MachineConstant& c : machine_constants()) {
    options.machine = host_target().machine;
    CHECK(is_cached(options));
    *options.machine.*c.member *= 2;
    CHECK_FALSE_MESSAGE(is_cached(options), c.name);
    CHECK(is_cached(options));
  }
  CHECK(target_named("x86-64-v3").machine == Machine{});
}

TEST_CASE("tune: measures the constants named and stores all") {
  const Folder f;
  TuneOptions options;
  options.folder = f.path;
  options.rounds = 1;
  options.names = {"work_of_piece"};
  std::string said;
  options.progress = [&](const TunedConstant& c) { said += c.text(); };
  options.store = false;
  CHECK(tune(options).path.empty());
  CHECK_FALSE(std::filesystem::exists(machine_file(f.path)));
  CHECK(said.starts_with("work_of_piece "));
  options.store = true;
  const Tuning tuning = tune(options);
  REQUIRE(tuning.constants.size() == 1);
  const TunedConstant& c = tuning.constants[0];
  CHECK(c.standard == Machine{}.work_of_piece);
  CHECK(tuning.machine.work_of_piece == c.best);
  CHECK((c.best == c.standard || c.gain > 1.03));
  CHECK((!c.note.empty() || c.tried.size() >= 3));
  CHECK(tuning.path == machine_file(f.path));
  const StoredMachine stored = read_machine(f.path, host_target().name);
  REQUIRE(stored.machine);
  CHECK(*stored.machine == tuning.machine);
  options.names = {"speed"};
  CHECK_THROWS_WITH_AS(tune(options), doctest::Contains("speed"), ValueError);
}
