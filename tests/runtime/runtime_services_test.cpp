// The service table that generated code calls: failures, memory, outputs, products, printing.
#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/error.h"
#include "runtime/services.h"

using namespace gnomon;

namespace {

struct PrintCaught {
  std::vector<std::string> texts;
  PrintCaught() {
    set_print_sink([this](const std::string& text) { texts.push_back(text); });
  }
  ~PrintCaught() { set_print_sink({}); }
};

}  // namespace

TEST_CASE("of several failures the one with the smallest check and index counts") {
  const gnomon_services s = services();
  gnomon_context context;
  CHECK(context.failure().check == 0);
  s.fail(&context, 3, 1, 10, 11);
  s.fail(&context, 2, 9, 20, 21);
  s.fail(&context, 2, 4, 30, 31);
  s.fail(&context, 2, 5, 40, 41);
  CHECK(context.failure().check == 2);
  CHECK(context.failure().index == 4);
  CHECK(context.failure().value == 30);
  CHECK(context.failure().bound == 31);
}

TEST_CASE("failures reported by many workers keep the smallest") {
  const gnomon_services s = services();
  gnomon_context context;
  struct Both {
    const gnomon_services* s;
    gnomon_context* context;
  } both{&s, &context};
  s.parallel(
      &context, 1000, 7,
      [](void* argument, std::int64_t lo, std::int64_t hi, std::int32_t) {
        const Both& b = *static_cast<Both*>(argument);
        for (; lo < hi; ++lo)
          if (lo % 10 == 5) b.s->fail(b.context, 1, lo, lo, 0);
      },
      &both);
  CHECK(context.failure().index == 5);
}

TEST_CASE("memory of a call is aligned, distinct and ends with the call") {
  const gnomon_services s = services();
  gnomon_context context;
  void* a = s.allocate(&context, 100);
  void* b = s.allocate(&context, 0);
  REQUIRE(a != nullptr);
  REQUIRE(b != nullptr);
  CHECK(a != b);
  CHECK(reinterpret_cast<std::uintptr_t>(a) % 64 == 0);
  CHECK(s.allocate(&context, std::int64_t{1} << 50) == nullptr);
  CHECK(s.allocate(&context, -1) == nullptr);
  CHECK(context.trouble() == "too little memory for a call");
}

TEST_CASE("an output of late shape is made with its dtype") {
  const gnomon_services s = services();
  std::vector<LateOutput> late(2);
  late[1].dtype = int32;
  late[1].rank = 2;
  gnomon_context context(0, late);
  const std::int64_t shape[] = {3, 4};
  void* data = s.output(&context, 1, shape);
  CHECK(data == late[1].array.data());
  CHECK(late[1].array.describe() == "i32[3, 4]");
  CHECK(s.output(&context, 2, shape) == nullptr);
  const std::int64_t negative[] = {-3, 4};
  CHECK(s.output(&context, 1, negative) == nullptr);
  CHECK_FALSE(context.trouble().empty());
}

TEST_CASE("a product that cannot run says why") {
  const gnomon_services s = services(1);
  CHECK(s.abi_version == GNOMON_ABI_VERSION);
  CHECK(s.threads == 1);
  gnomon_context context(1);
  double x[] = {1, 2, 3, 4}, y[4] = {};
  gnomon_gemm g{static_cast<int>(float64), 0, 0, 0, 2, 2, 2, 2, 2, 2, 1, 0, 0, 0, 1, 0, x, x, y};
  CHECK(s.gemm(&context, &g) == 0);
  CHECK(std::vector<double>(y, y + 4) == std::vector<double>{7, 10, 15, 22});
  g.lda = 1;
  CHECK(s.gemm(&context, &g) != 0);
  CHECK_FALSE(context.trouble().empty());
}

TEST_CASE("print operations reach the sink, one text each") {
  PrintCaught caught;
  const gnomon_services s = services();
  const std::vector<std::string> messages = {"x =", ""};
  gnomon_context context(0, {}, messages);
  const float values[] = {1, 2.5F, -3};
  const std::int64_t shape[] = {3};
  s.print(&context, 0, static_cast<int>(float32), 1, shape, values);
  s.print(&context, 1, static_cast<int>(float32), 0, nullptr, values);
  CHECK(caught.texts == std::vector<std::string>{"x = [ 1.   2.5 -3. ]", "1.0"});
}

TEST_CASE("an error in a sink does not cross into generated code") {
  set_print_sink([](const std::string&) { throw ValueError("the sink fails"); });
  const gnomon_services s = services();
  gnomon_context context;
  const double value = 1;
  s.print(&context, 0, static_cast<int>(float64), 0, nullptr, &value);
  set_print_sink({});
  CHECK(context.trouble() == "the sink fails");
}
