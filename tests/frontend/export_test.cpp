// Exported libraries: what they are made of. tests/python/test_export.py calls them.
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <xxhash.h>

#include <array>
#include <fstream>

#include "frontend/gnomon.h"
#include "ir/graph/leaf.h"
#include "tests/support/folder_support.h"

using namespace gnomon;

namespace {

LibraryFunction doubled(const std::string& name) {
  const Expr x = vector("x");
  return {name, compile({x}, {{"y", 2.0 * x}})};
}

// As the header of `doubled("")` in a library "m" declares them.
struct Dims {
  std::int64_t x_0;
};
struct Args {
  const double* x;
  double* y;
};
using Run = std::int32_t (*)(const Dims*, const Args*, void*, std::size_t, const void*, void*);

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a library runs without the runtime") {
  const test::Folder folder;
  const ExportedLibrary library = export_library("m", std::array{doubled("")});
  const std::array<std::string, 3> kinds = {"so", "a", "cpp"};
  const auto paths = write_library(library, folder.path, kinds);
  REQUIRE(paths.size() == 4);
  CHECK(paths[0].ends_with("/m.h"));
  CHECK(read(paths[0]) == library.header);
  CHECK(read(paths[2]).starts_with("!<arch>\n"));
  void* const opened = ::dlopen(paths[1].c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(opened != nullptr);
  const auto run = reinterpret_cast<Run>(::dlsym(opened, "m_run"));
  REQUIRE(static_cast<bool>(run));
  CHECK(::dlsym(opened, "gnomon_info") == nullptr);
  const double x[3] = {1, 2, 3};
  double y[3] = {};
  const Dims dims{3};
  const Args args{x, y};
  alignas(64) char work[4096];
  CHECK(run(&dims, &args, work, sizeof work, nullptr, nullptr) == 0);
  CHECK(y[2] == 6);
  ::dlclose(opened);
}

TEST_CASE("a service of a library is a unit of its own, for the routines that are used") {
  const Expr x = vector("x");
  const LibraryFunction f{"", {x}, {{"y", sort(x)}, {"z", cumsum(x, 0)}}};
  ExportOptions options;
  options.targets = {"x86-64-v3", "x86-64-v4"};
  const ExportedLibrary library = export_library("m", std::array{f}, options);
  int units = 0;
  for (const ExportedUnit& u : library.units) {
    if (!u.unit.name.ends_with("services.cpp")) continue;
    ++units;
    const auto has = [&](const char* text) { return u.unit.text.find(text) != std::string::npos; };
    CHECK(u.unit.is_usual);
    CHECK(has("gn::Lines<1, f64>"));
    CHECK(has("gn::Lines<6, f64>"));
    CHECK_FALSE(has("gn::Lines<7, f64>"));
  }
  CHECK(units == 2);
  const LibraryFunction plain = doubled("");
  for (const ExportedUnit& u : export_library("m", std::array{plain}, options).units)
    CHECK_FALSE(u.unit.name.ends_with("services.cpp"));
}

TEST_CASE("weights in a file are in no unit, those of bodies and of few bytes among them") {
  const test::Folder folder;
  const auto made = [](double scale) {
    const Expr x = vector("x"), w(make_constant(Array::from({scale, 2.5, 3.5})));
    const Expr begin = x * Expr(make_constant(Array::from({scale, scale, 1.5})));
    const Expr looped = fori(3, std::vector<Expr>{begin}, [&](Expr, std::span<const Expr> s) {
      return std::vector<Expr>{sin(s[0]) * w};
    })[0];
    ExportOptions options;
    options.separate_weights = true;
    return export_library("m", std::array{LibraryFunction{"", {x}, {{"y", looped}}}}, options);
  };
  const ExportedLibrary one = made(0.25), other = made(0.75);
  CHECK(one.header == other.header);
  CHECK(one.object == other.object);
  CHECK(one.weights != other.weights);
  REQUIRE(one.weights.size() == 64 + 2 * 64);
  CHECK(XXH64(one.weights.data() + 16, one.weights.size() - 16, 0) ==
        *reinterpret_cast<const std::uint64_t*>(one.weights.data() + 8));
  const std::array<std::string, 1> kinds = {"o"};
  CHECK_THROWS_AS(write_library(one, folder.path, kinds), ValueError);
  CHECK_THROWS_AS(write_library(one, folder.path, kinds, folder.path / "m.o"), ValueError);
  const auto paths = write_library(one, folder.path, kinds, folder.path / "w");
  CHECK(read(paths.back()) == std::string(one.weights.begin(), one.weights.end()));
  CHECK_THROWS_AS(write_library(export_library("m", std::array{doubled("")}), folder.path, kinds,
                                folder.path / "w"),
                  ValueError);
}

TEST_CASE("services that are extras are refused unless they are asked for") {
  const Expr a = matrix("a");
  const LibraryFunction f{"", {a}, {{"y", solve(a, a)}}};
  CHECK_THROWS_WITH_AS(export_library("m", std::array{f}), doctest::Contains("solve needs LAPACK"),
                       ValueError);
  ExportOptions options;
  options.extras = {"lapack"};
  CHECK(export_library("m", std::array{f}, options).needs ==
        std::vector<std::string>{"lapack", "blas"});
  options.extras = {"fft"};
  CHECK_THROWS_AS(export_library("m", std::array{f}, options), ValueError);
}

TEST_CASE("names of a library are identifiers, each once") {
  for (const char* name : {"", "2m", "a-b", "int"})
    CHECK_THROWS_AS(export_library(name, std::array{doubled("")}), ValueError);
  CHECK_THROWS_AS(export_library("m", std::array{doubled("f"), doubled("f")}), ValueError);
  CHECK_THROWS_AS(export_library("m", std::span<const LibraryFunction>()), ValueError);
  CHECK_THROWS_AS(export_library("m", std::array{LibraryFunction{"f", Function()}}), ValueError);
}

TEST_CASE("a file that cannot be written is an error") {
  const ExportedLibrary library = export_library("m", std::array{doubled("")});
  const std::array<std::string, 1> kinds = {"o"}, wrong = {"exe"};
  CHECK_THROWS_AS(write_library(library, "/nonexistent/folder", kinds), DeviceError);
  CHECK_THROWS_AS(write_library(library, "/nonexistent/folder", wrong), ValueError);
}
