// The examples of the reference give what it says they do.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/eigen.h"
#include "frontend/gnomon.h"
#include "tests/support/folder_support.h"

using namespace gnomon;

namespace {

// What an example gives, as it is printed; of several values, one beside the other.
std::string shown(const Results& results) {
  std::vector<std::string> texts;
  for (const Array& result : results) texts.push_back(result.to_string());
  return fmt::format("{}", fmt::join(texts, " "));
}
std::string shown(std::span<const Expr> values) { return shown(compile({}, values)()); }
std::string shown(const Expr& value) { return shown(std::span(&value, 1)); }
std::string shown(const std::vector<Expr>& values) { return shown(std::span(values)); }
std::string shown(const std::pair<Expr, Expr>& values) {
  return shown(std::vector{values.first, values.second});
}
std::string shown(const Array& value) { return value.to_string(); }
std::string shown(const Dim& value) { return value.text(); }
std::string shown(const Shape& value) { return text(value); }
std::string shown(DType value) { return std::string(name_of(value)); }
std::string shown(std::string_view value) { return std::string(value); }
std::string shown(bool value) { return value ? "true" : "false"; }
template <class T>
  requires std::integral<T> || std::floating_point<T>
std::string shown(T value) {
  return fmt::format("{}", value);
}
std::string shown(const std::optional<double>& value) { return shown(value.value()); }
std::string shown(const std::vector<std::int64_t>& values) { return fmt::format("{}", values); }
std::string shown(const std::pair<double, double>& values) { return fmt::format("{}", values); }

// A fresh folder to work in, for examples that write files; and the number of threads as it was.
class Workplace {
 public:
  Workplace() { std::filesystem::current_path(folder_.path); }
  ~Workplace() {
    std::filesystem::current_path(before_);
    set_threads(threads_);
  }

 private:
  std::filesystem::path before_ = std::filesystem::current_path();
  test::Folder folder_;
  int threads_ = pool().threads();
};

void expect(const char* name, const std::string& found, const std::string& wanted) {
  CAPTURE(name);
  CHECK(found == wanted);
}

}  // namespace

// An example without a text has no value to show, or another one on each machine.
#define EXAMPLE(name, code, ...)                         \
  do {                                                   \
    __VA_OPT__(if (false)) static_cast<void>(code);      \
    __VA_OPT__(expect(#name, shown(code), __VA_ARGS__);) \
  } while (false)

// The values come first.
// clang-format off
TEST_CASE("arrays are as the reference shows them") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/arrays.h"
}

TEST_CASE("functions of each element give what the reference shows") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/scalars.h"
}

TEST_CASE("reductions give what the reference shows") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/reductions.h"
}

TEST_CASE("functions along lines give what the reference shows") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/lines.h"
}

TEST_CASE("linear algebra gives what the reference shows") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/linalg.h"
}

TEST_CASE("functions of networks give what the reference shows") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/networks.h"
}

TEST_CASE("random numbers are those that the reference shows") {
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/random.h"
}

TEST_CASE("compiled functions, derivatives, loops and files do what the reference shows") {
  const Workplace workplace;
#include "docs/cpp/examples/values.h"
#include "docs/cpp/examples/functions.h"
}
// clang-format on
