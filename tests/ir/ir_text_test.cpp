// Texts of graphs: what they look like, that they parse back, where errors are.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <map>

#include "ir/graph/leaf.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

const ParseOptions by_name{find_op, {}};

Graph captured_graph(std::vector<Expr> inputs, std::vector<Expr> outputs) {
  return capture(inputs, outputs).graph;
}

/// The graph parsed from its text has the same key and the same text.
void check_round_trip(const Graph& graph) {
  const std::string text = print_graph(graph, {.origins = false});
  CAPTURE(text);
  const Graph parsed = parse_graph(text, by_name);
  CHECK(parsed.key() == graph.key());
  CHECK(print_graph(parsed, {.origins = false}) == text);
  CHECK(parsed.outputs == graph.outputs);
}

// What is said of a text, without the line that it shows (tests/python/test_graph_text.py).
std::string graph_parse_error(const std::string& text) {
  try {
    parse_graph(text, by_name);
  } catch (const ValueError& error) {
    const std::string told = error.what();
    return told.substr(0, told.find('\n'));
  }
  return "no error";
}

}  // namespace

TEST_CASE("a graph prints as readable lines") {
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", DType::float32, {n, 3}), y = tensor("y", DType::float32, {3});
  const Expr inputs[] = {x, y}, outputs[] = {sum(x * y, 1)};
  const std::string names[] = {"total"};
  const Graph graph = capture(inputs, outputs, names).graph;
  CHECK(print_graph(graph, {.origins = false}) ==
        "graph[n](x: f32[n, 3], y: f32[3]) {\n"
        "  %0 = param(index=0, dtype=f32, shape=[n, 3]): f32[n, 3]\n"
        "  %1 = param(index=1, dtype=f32, shape=[3]): f32[3]\n"
        "  %2 = multiply(%0, %1): f32[n, 3]\n"
        "  %3 = sum(%2; axes=[1], keepdims=false): f32[n]\n"
        "  return total: %3\n"
        "}\n");
  CHECK(print_graph(graph).find("# ir_text_test.cpp:") != std::string::npos);
  check_round_trip(graph);
}

TEST_CASE("every kind of attribute and dimension survives") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("two words"), same = Dim::symbol("n");
  const Expr x = tensor("x", DType::float64, {n, m}),
             y = tensor("an odd \"name\"\n", DType::float64, {same});
  const auto [value, place] = max_and_argmax(x, 1, keepdims);
  check_round_trip(captured_graph({x, y}, {value, place, check(x, x > 0, "not \"positive\"\n")}));
  check_round_trip(captured_graph({x, y}, {reshape(transpose(x), {n * m}), sum(y) + x}));
  check_round_trip(captured_graph({x}, {x(range(0, floor_div(n, 2))), x(range(1, n, 3), 0)}));
  const Expr i = scalar("i", DType::int64);
  check_round_trip(captured_graph({i}, {arange(i) + arange(Dim::value(i))}));
  check_round_trip(captured_graph({x, y}, {x(ellipsis, 0) + y}));  // a check
}

TEST_CASE("bodies print as blocks and parse to the same body") {
  const Expr x = vector("x"), w = vector("w");
  const Expr initial[] = {x};
  const std::vector<Expr> looped =
      fori(5, initial, [&](const Expr& i, std::span<const Expr> s) -> std::vector<Expr> {
        return {s[0] * w + cast(i, DType::float64)};
      });
  const Graph graph = captured_graph({x, w}, {looped[0]});
  CHECK(print_graph(graph).find("body=graph[") != std::string::npos);
  check_round_trip(graph);
}

TEST_CASE("floats keep their bits") {
  const double third = 1.0 / 3.0, nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const Array values = Array::from<double>(
      {0.0, -0.0, third, 1e-310, 5e-324, 1.7976931348623157e308, inf, -inf, nan, -nan});
  check_round_trip(captured_graph({}, {Expr(values)}));
  const Array floats = Array::from<float>({0.1f, 3.4e38f, 1e-45f, std::nanf("1"), -0.0f});
  check_round_trip(captured_graph({}, {Expr(floats)}));
  CHECK(float_text(0.1) == "0.1");
  CHECK(float_text(0.1f) == "0.1");
  CHECK(float_text(std::bit_cast<double>(0x7ff8000000000005ull)) == "nan(0x7ff8000000000005)");
}

TEST_CASE("integers and bools keep their extremes") {
  const auto low = std::numeric_limits<std::int64_t>::min();
  check_round_trip(captured_graph(
      {}, {Expr(Array::from<std::int64_t>({low, -1, 0})),
           Expr(Array::from<std::uint64_t>({~std::uint64_t{0}})),
           Expr(Array::from<std::int8_t>({-128, 127})), Expr(Array::from<bool>({true, false}))}));
}

TEST_CASE("large constants live beside the text") {
  std::vector<double> many(65, 0.5);
  const Graph graph = captured_graph({}, {Expr(Array::from(many))});
  std::map<std::string, Array> files;
  const PrintOptions options{.write_array = [&](const Array& a) {
    files["c0"] = a;
    return std::string("c0");
  }};
  const std::string text = print_graph(graph, options);
  CHECK(text.find("f64[65]@\"c0\"") != std::string::npos);
  const ParseOptions with_files{find_op,
                                [&](std::string_view name, DType, std::span<const std::int64_t>) {
                                  return files.at(std::string(name));
                                }};
  CHECK(parse_graph(text, with_files).key() == graph.key());
  CHECK_THROWS_AS(parse_graph(text, by_name), ValueError);
  CHECK_THROWS_AS(parse_graph(print_graph(graph), by_name), ValueError);
}

TEST_CASE("errors name the line and the column") {
  CHECK(graph_parse_error("") == "text: line 1, column 1: expected graph, found the end");
  CHECK(graph_parse_error("graph() {\n  %0 = nothing()\n}") ==
        "text: line 2, column 8: expected an op, found nothing");
  CHECK(graph_parse_error("graph() {\n  %0 = exp(%1): f64\n  return %0\n}") ==
        "text: line 2, column 12: expected a value defined above, found %1");
  CHECK(graph_parse_error("graph(x: f32[n]) {\n  return\n}") ==
        "text: line 1, column 14: expected a symbol, found n");
  CHECK(graph_parse_error(
            "graph(x: f32) {\n  %0 = param(index=0, dtype=f32, shape=[]): f64\n  return %0 }") ==
        "text: line 2, column 45: expected f32, found f64");
  CHECK(graph_parse_error("graph() { %0 = constant(value=f32[2]{1}): f32[2] return %0 }")
            .find("expected 2 elements, found 1") != std::string::npos);
  CHECK(graph_parse_error("graph() { return } more").find("expected the end, found more") !=
        std::string::npos);
}

TEST_CASE("damaged texts are refused, never accepted silently or fatal") {
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", DType::float32, {n, 3});
  const std::string text =
      print_graph(captured_graph({x}, {sum(exp(x) + 2.5, 0), x(0)}), {.origins = false});
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (const char c : {'\0', '(', '9', '%', '"', 'n'}) {
      std::string damaged = text;
      damaged[i] = c;
      try {
        verify(parse_graph(damaged, by_name));
      } catch (const ValueError&) {
      }
    }
    try {
      parse_graph(text.substr(0, i), by_name);
    } catch (const ValueError&) {
    }
  }
  const std::string deep(100000, '(');
  CHECK(graph_parse_error("graph(x: f32[" + deep).find("at most 100 graphs") != std::string::npos);
}

TEST_CASE("comments are found at their lines, in bodies too, and printed there") {
  const std::string text =
      "# above\n"
      "graph[n](x: f64[n]) {  # behind the first line\n"
      "  %0 = param(index=0, dtype=f64, shape=[n]): f64[n]  # x\n"
      "  # before\n"
      "  %1 = exp(%0  # inside\n"
      "  ): f64[n]\n"
      "  %2 = constant(value=i64{3}): i64\n"
      "  %3 = fori(%2, %1; # in front of the body\n"
      "    body=graph[n](\"\": i64, \"\": f64[n]) {\n"
      "    # in it\n"
      "    %0 = param(index=1, dtype=f64, shape=[n]): f64[n]\n"
      "    %1 = sin(%0): f64[n]  # its sine\n"
      "    return %1  # its result\n"
      "    # its end\n"
      "  }, states=1, checkpoints=[]): f64[n]  # the loop\n"
      "  return %3\n"
      "}\n"
      "# below";
  TextComments comments;
  ParseOptions options = by_name;
  options.comments = &comments;
  const Graph graph = parse_graph(text, options);
  const std::string printed = print_graph(graph, {.comments = &comments});
  CHECK(printed ==
        "# above\n"
        "graph[n](x: f64[n]) {\n"
        "  %0 = constant(value=i64{3}): i64\n"
        "  # behind the first line\n"
        "  %1 = param(index=0, dtype=f64, shape=[n]): f64[n]  # x\n"
        "  # before\n"
        "  # inside\n"
        "  %2 = exp(%1): f64[n]\n"
        "  # in front of the body\n"
        "  %3 = fori(%0, %2; body=graph[n](\"\": i64, \"\": f64[n]) {\n"
        "    # in it\n"
        "    %0 = param(index=1, dtype=f64, shape=[n]): f64[n]\n"
        "    %1 = sin(%0): f64[n]  # its sine\n"
        "    return %1  # its result\n"
        "    # its end\n"
        "  }, states=1, checkpoints=[]): f64[n]  # the loop\n"
        "  return %3\n"
        "}\n"
        "# below\n");
  TextComments again;
  options.comments = &again;
  const Graph parsed = parse_graph(printed, options);
  CHECK(print_graph(parsed, {.comments = &again}) == printed);
}

TEST_CASE("errors of texts have a line and a column") {
  try {
    parse_graph("graph() {\n  %0 = nothing()", by_name);
    FAIL("no error");
  } catch (const TextError& error) {
    CHECK(error.line() == 2);
    CHECK(error.column() == 8);
    CHECK(error.message() ==
          "expected an op, found nothing\n"
          "    %0 = nothing()\n"
          "         ^");
  }
}
