// Nodes: hash-consing, promotion, origins, threads, memory, fork.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <limits>
#include <thread>

#include "ir/graph/leaf.h"
#include "ir/graph/node.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

TEST_CASE("equal applications are the same node") {
  const Expr x = vector("x"), y = vector("y");
  CHECK(same(exp(x) + y, exp(x) + y));
  CHECK(!same(x + y, y + x));
  CHECK(!same(vector("x"), x));
  CHECK(same(sum(x, 0), sum(x, -1)));
}

TEST_CASE("float constants are told apart by their bits") {
  const auto c = [](double v) { return constant(v, DType::float64); };
  CHECK(!same(c(0.0), c(-0.0)));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(same(c(nan), c(nan)));
  CHECK(!same(c(1.0), constant(1.0, DType::float32)));
}

TEST_CASE("a constant does not follow later writes to its array") {
  Array a = Array::from<double>({1, 2});
  const Expr c(a);
  a.data<double>()[0] = 5;
  CHECK(constant_array(c)->to_vector<double>() == std::vector<double>{1, 2});
}

TEST_CASE("plain numbers take the dtype they meet") {
  const Expr f = scalar("f", DType::float32), i = scalar("i", DType::int32);
  CHECK((f + 1).dtype() == DType::float32);
  CHECK((f * 0.1).dtype() == DType::float32);
  CHECK((i + 1).dtype() == DType::int32);
  CHECK((i + 0.5).dtype() == DType::float64);
  CHECK((i + f).dtype() == DType::float32);
  CHECK_THROWS_AS(scalar("b", DType::uint8) + 300, TypeError);
}

TEST_CASE("dtypes promote by the tables of the Array API") {
  CHECK(promote(DType::int8, DType::uint8) == DType::int16);
  CHECK(promote(DType::int64, DType::uint32) == DType::int64);
  CHECK(promote(DType::int8, DType::uint64) == DType::float64);
  CHECK(promote(DType::bool_, DType::int8) == DType::int8);
  CHECK(promote(DType::int64, DType::float32) == DType::float32);
  CHECK(promote(DType::float32, DType::float64) == DType::float64);
}

TEST_CASE("type errors name the op, the operands and the line") {
  const Expr x = tensor("x", DType::float32, {3}), y = tensor("y", DType::float32, {4});
  try {
    static_cast<void>(x + y);
    FAIL("no error");
  } catch (const ValueError& error) {
    const std::string message = error.what();
    CHECK(message.find("add: extents differ: x: f32[3] and y: f32[4]") == 0);
    CHECK(message.find("[ir_node_test.cpp:") != std::string::npos);
  }
}

TEST_CASE("origins are kept beside the node, the last four") {
  const Expr x = scalar("x");
  const Value v = make_node(op::exp, {x.value()}, {}, {"/a/b/model.cpp", 12});
  make_node(op::exp, {x.value()}, {}, {"/a/b/model.cpp", 13});
  make_node(op::exp, {x.value()}, {}, {"/a/b/model.cpp", 12});
  const auto lines = [&] {
    std::vector<std::uint32_t> found;
    for (const Origin& origin : v.node().origins()) found.push_back(origin.line);
    return found;
  };
  CHECK(v.node().origins()[0].text() == "model.cpp:13");
  CHECK(lines() == std::vector<std::uint32_t>{13, 12});  // 12 has made it again
  for (const std::uint32_t line : {20, 21, 22, 23, 24, 22, 12})
    make_node(op::exp, {x.value()}, {}, {"model.cpp", line});
  CHECK(lines() == std::vector<std::uint32_t>{23, 24, 22, 12});
}

TEST_CASE("scalars whose values are extents are inputs of the node") {
  const Expr count = scalar("count", DType::int64);
  const Expr range = arange(Dim::value(count));
  REQUIRE(range.value().node().extent_inputs().size() == 1);
  CHECK(range.value().node().extent_inputs()[0] == count.value());
  // Replacing the scalar replaces the extent.
  const Value three = constant(std::int64_t{3}, DType::int64).value();
  const Value inputs[] = {three};
  CHECK(rebuild(range.value().node(), inputs).type().text() == "i64[3]");
}

TEST_CASE("a chain of a million nodes is freed without recursion") {
  const std::size_t before = live_nodes();
  {
    const Expr x = scalar("x");
    Value v = x.value();
    for (int i = 0; i < 1000000; ++i) v = make_node(op::exp, {v});
    CHECK(live_nodes() >= before + 1000001);
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("threads building and dropping equal expressions agree") {
  const std::size_t before = live_nodes();
  {
    const Expr x = scalar("x");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int round = 0; round < 300; ++round) {
          Expr y = x;
          for (int i = 0; i < 20; ++i) y = exp(y) + y;
        }
      });
    }
    for (std::thread& t : threads) t.join();
    CHECK(same(exp(x), exp(x)));
  }
  CHECK(live_nodes() == before);
}

TEST_CASE("a forked child can build expressions while other threads did") {
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    const Expr x = scalar("x");
    while (!stop) static_cast<void>(exp(x) + x);
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // a deadlock ends as a failure
      const Expr y = scalar("y");
      _exit(same(exp(y), exp(y)) ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
  }
  stop = true;
  busy.join();
}
