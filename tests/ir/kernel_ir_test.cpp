// Kernel text round trips, its parser's errors, and each rule the verifier keeps.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <string>

#include "ir/kernel/kernel.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

std::string golden(const std::string& name) {
  std::ifstream file(std::string(GNOMON_SOURCE_DIR) + "/tests/golden/" + name + ".kernel");
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The message of the verifier, or "".
std::string fault(const Kernel& kernel) {
  try {
    verify(kernel);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

/// The message of the parser, or "".
std::string kernel_parse_error(const std::string& text) {
  try {
    parse_kernel(text);
  } catch (const ValueError& e) {
    return e.what();
  }
  return "";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What the small kernels below share; statements start on line 13 with %4.
const std::string head =
    "kernel k\n"
    "dims n\n"
    "buffer x: f32[n] in\n"
    "buffer y: f32[n] out\n"
    "axis i: serial\n"
    "axis j: vector 16\n"
    "axis p: parallel\n"
    "%0: i64 = 0\n"
    "%1: i64 = extent n\n"
    "%2: f32 = 1\n"
    "%3: bool = true\n";

std::string fault_of(const std::string& statements, const std::string& axes = "") {
  const std::size_t body = head.find("%0");
  return fault(parse_kernel(head.substr(0, body) + axes + head.substr(body) + statements));
}

std::string fault_after(const std::string& name, void (*change)(Kernel&)) {
  Kernel kernel = parse_kernel(golden(name));
  change(kernel);
  return fault(kernel);
}

}  // namespace

TEST_CASE("text of hand-written kernels reads back to the same text and keeps every rule") {
  for (const std::string name : {"argmax", "scatter_add", "carried_loop", "register_tile",
                                 "block_reduction", "short_rows"}) {
    CAPTURE(name);
    const std::string source = golden(name);
    REQUIRE(!source.empty());
    const Kernel kernel = parse_kernel(source);
    CHECK(text(kernel) == source);
    CHECK(text(parse_kernel(text(kernel))) == source);
    CHECK(fault(kernel) == "");
  }
}

TEST_CASE("text keeps names, constants and every kind of statement") {
  const std::string source =
      "kernel \"a \\\"b\\\"\" inlined\n"
      "// first line\n"
      "//\n"
      "//   third line\n"
      "dims n, \"batch size\", n#2, x.0\n"
      "values count, \"sum(x)\"\n"
      "buffer x: f32[3*n*n - 2*n*\"batch size\" + 1] in\n"
      "buffer x#2: f32[max(x.0, count)] inout worker\n"
      "buffer \"my input\": u8[n#2*mod(n, 3)] unused\n"
      "buffer offsets: i64[\"sum(x)\"*floor((n + 1) / 2)] in\n"
      "axis j: vector 16 chains 4 masks\n"
      "\n"
      "%0: i64 = 0\n"
      "%1: i64 = extent n + n#2 + count - 7\n"
      "%2: i64 = -9223372036854775808\n"
      "%3: u64 = 18446744073709551615\n"
      "%4: f32 = 0.1\n"
      "%5: f32 = -0\n"
      "%6: f64 = 0.1\n"
      "%7: f64 = 1e+300\n"
      "%8: f32 = nan\n"
      "%9: f64 = nan(0xfff8000000000001)\n"
      "%10: bool = false\n"
      "%11: i8 = -128\n"
      "%12 \"the big one\": f64 = inf\n"
      "if %10\n"
      "  prefetch x[%0]\n"
      "else\n"
      "  loop j [%0, %1)\n"
      "    %17: i64 lanes = load offsets[%0] contiguous\n"
      "    %18: f32 lanes = load x[%17] gather fill nan\n"
      "    store x#2[%0] contiguous stream = %18\n"
      "    %20: i64 lanes = cast(%18)\n"
      "    store x#2[%20] gather = %4\n"
      "    store x#2[%0] contiguous stream %1 = %18\n"
      "    prefetch x[%0] contiguous ahead %1\n"
      "  end\n"
      "end\n";
  const Kernel kernel = parse_kernel(source);
  CHECK(text(kernel) == source);
  CHECK(fault(kernel) == "");
  CHECK(kernel.name == "a \"b\"");
  CHECK(kernel.comment == "first line\n\n  third line");
  CHECK(kernel.buffers[1].name == "x");
  CHECK(kernel.buffers[1].per_worker);
  CHECK(kernel.axes[0].width == 16);
  CHECK(kernel.axes[0].chains == 4);
  CHECK(kernel.axes[0].masks);
  CHECK(kernel.body[4].value.f32 == 0.1f);
  CHECK(kernel.body[6].value.f64 == 0.1);
  CHECK(kernel.body[12].name == "the big one");
  CHECK(kernel.body[23].axis == -1);
  CHECK(kernel.body[24].axis == 0);
}

TEST_CASE("text orders dimensions as the kernel's symbols, whatever is mentioned first") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  Kernel kernel;
  kernel.name = "k";
  kernel.buffers.push_back({"x", DType::float32, false, true, false, m});
  kernel.buffers.push_back({"y", DType::float32, false, true, false, n * m + n});
  const std::string source = text(kernel);
  CHECK(contains(source, "dims n, m\n"));
  CHECK(contains(source, "buffer y: f32[n*m + n] in\n"));
  CHECK(text(parse_kernel(source)) == source);
}

TEST_CASE("numbers of values in a text are free as long as each is defined once") {
  const Kernel kernel = parse_kernel("kernel k\n%10: i64 = 2\n%7: i64 = add(%10, %10)\n");
  CHECK(text(kernel) == "kernel k\n\n%0: i64 = 2\n%1: i64 = add(%0, %0)\n");
  CHECK(kernel.body[1].op == &op::add);
}

TEST_CASE("a text that is no kernel is a ValueError that says where and what") {
  CHECK(kernel_parse_error("") == "kernel text, line 1: expected a kernel, found the end");
  CHECK(kernel_parse_error("loop") == "kernel text, line 1: expected 'kernel', found 'loop'");
  CHECK(kernel_parse_error("kernel k\n\n%0: f16 = 1") ==
        "kernel text, line 3: expected a dtype, found 'f16 = 1'");
  CHECK(kernel_parse_error("kernel k\n%0: i64 = 1.5") ==
        "kernel text, line 2: expected the end of the line, found '.5'");
  CHECK(kernel_parse_error("kernel k\n%0: i64 = add(%1, %1)") ==
        "kernel text, line 2: expected %1 to be defined above, found ', %1)'");
  CHECK(kernel_parse_error("kernel k\n%0: i64 = 1\n%0: i64 = 2") ==
        "kernel text, line 3: expected %0 to be defined once, found ': i64 = 2'");
  CHECK(kernel_parse_error("kernel k\n%0: i64 = frobnicate()") ==
        "kernel text, line 2: expected an operation instead of 'frobnicate', found '()'");
  CHECK(kernel_parse_error("kernel k\n%0: i64 = extent n") ==
        "kernel text, line 2: expected 'n' among dims or values, found the end");
  CHECK(kernel_parse_error("kernel k\nend") ==
        "kernel text, line 2: expected a loop or an if to be open, found the end");
  CHECK(kernel_parse_error("kernel k\nbuffer x: f32[3] const") ==
        "kernel text, line 2: expected in, out, inout or unused before this, found the end");
  CHECK(kernel_parse_error("kernel k\naxis i: spiral") ==
        "kernel text, line 2: expected the kind of an axis, found 'spiral'");
  CHECK(kernel_parse_error("kernel k\n%0: u8 = 1\nstore x[%0] = %0") ==
        "kernel text, line 3: expected a buffer instead of 'x', found '[%0] = %0'");
  CHECK(kernel_parse_error("kernel k\njump") ==
        "kernel text, line 2: expected a statement, found 'jump'");
}

TEST_CASE("extents nested too deeply are an error, and long ones take little time") {
  const auto extent = [](const std::string& text) {
    return "kernel k\ndims n, m\n%0: i64 = extent " + text;
  };
  const auto nested = [&](std::size_t depth, const std::string& open, const std::string& close) {
    std::string text = "n";
    for (std::size_t i = 0; i < depth; ++i) text = open + text + close;
    return kernel_parse_error(extent(text));
  };
  for (const auto& [open, close] : {std::pair("(", ")"), {"floor(", "/1)"}, {"min(m, ", ")"}}) {
    CHECK(nested(100, open, close).empty());
    CHECK(contains(nested(101, open, close), "line 3: expected at most 100 parentheses"));
  }
  std::string deepest;
  for (int i = 0; i < 100'000; ++i) deepest += "min(";
  CHECK(contains(kernel_parse_error(extent(deepest)), "at most 100 parentheses"));
  // Terms of their own: adding them one by one would copy 200 million.
  std::string long_sum = "0";
  constexpr int terms = 20'000;
  for (int i = 1; i <= terms; ++i) long_sum += fmt::format(" + mod(n, {})", i + 1);
  const Kernel kernel = parse_kernel(extent(long_sum));
  CHECK(kernel.body[0].dim.terms().size() == terms);
}

TEST_CASE("verify names the statement and its line") {
  CHECK(fault_of("%4: f32 = add(%2, %0)\n") ==
        "kernel k, line 13: add: expected f32, found %0: i64 in '%4: f32 = add(%2, %0)'");
}

TEST_CASE("verify keeps values in their scopes") {
  CHECK(contains(fault_of("loop i [%0, %1)\n%5: i64 = axis i\nend\n%7: i64 = add(%5, %5)\n"),
                 "expected arguments from loops and branches around it, found %5, whose scope"));
  CHECK(contains(fault_of("if %3\n%5: f32 = 2\nelse\nstore y[%0] = %5\nend\n"),
                 "expected arguments from loops and branches around it, found %5, whose scope"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[8].args[0] = 9; }),
                 "expected arguments defined above, found %9"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[13].args[1] = 10; }),
                 "expected values, found %10, a statement without one"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[8].args.clear(); }),
                 "multiply: expected at least 1 arguments, found 0"));
  CHECK(contains(fault_of("%4: f32 = acc sum from 0\n%5: f32 = exp(%4)\n"),
                 "expected values, found %4, an accumulator"));
  CHECK(contains(fault_of("%4: f32 = fold %2\n"), "fold: expected acc, found %2: f32"));
}

TEST_CASE("verify pairs loops, branches and ends") {
  CHECK(contains(fault_of("loop i [%0, %1)\n"),
                 "line 13: expected an end, found none for 'loop i [%0, %1)'"));
  CHECK(
      contains(fault_of("loop i [%0, %1)\nelse\nend\n"), "else: expected an open if, found none"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body.push_back(k.body[12]); }),
                 "end: expected an open loop or if, found none"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[12].axis = -1; }),
                 "end: expected the axis of the innermost loop, found -1"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[3].axis = 1; }),
                 "loop: expected an axis, found 1"));
  CHECK(contains(fault_of("loop i [%0, %1)\nloop i [%0, %1)\nend\nend\n"),
                 "expected an axis of its own, found one that is open"));
  CHECK(contains(fault_of("%4: i64 = axis i\n"), "expected the axis of a loop around it"));
  CHECK(contains(fault_of("if %0\nend\n"), "if: expected bool, found %0: i64"));
  CHECK(contains(fault_of("loop i [%0, %2)\nend\n"), "loop: expected i64, found %2: f32"));
}

TEST_CASE("verify checks dtypes") {
  CHECK(contains(fault_of("%4: f32 = less(%2, %2)\n"), "expected a result of bool, found f32"));
  CHECK(contains(fault_of("%4: f64 = exp(%2)\n"), "exp: expected a result of f32, found f64"));
  CHECK(contains(fault_of("%4: f32 = exp(%2, %2)\n"), "exp: expected 1 operands, found 2"));
  CHECK(contains(fault_of("%4: f32 = sum(%2)\n"), "expected an elementwise op, found sum"));
  CHECK(
      contains(fault_of("%4: f32 = select(%0, %2, %2)\n"), "select: expected bool, found %0: i64"));
  CHECK(
      contains(fault_of("%4: f32 = select(%3, %2, %0)\n"), "select: expected f32, found %0: i64"));
  CHECK(
      contains(fault_of("%4: f64 = load x[%0]\n"), "load: expected f32 of the buffer, found f64"));
  CHECK(contains(fault_of("%4: f32 = load x[%2]\n"), "load: expected i64, found %2: f32"));
  CHECK(contains(fault_of("store y[%0] = %0\n"), "store: expected f32 of the buffer, found i64"));
  CHECK(
      contains(fault_of("update y[%0] add %1\n"), "update: expected f32 of the buffer, found i64"));
  CHECK(contains(fault_of("update y[%0] less %2\n"), "expected an op that combines two values"));
  CHECK(contains(fault_of("update y[%0] exp %2\n"), "expected an op that combines two values"));
  CHECK(contains(fault_of("update y[%0] atomic add %2\n"), "atomic on an update in any order"));
  CHECK(contains(fault_of("%4: f32 = extent n\n"), "extent: expected i64, found f32"));
  CHECK(contains(fault_of("check 0 if %2 at %0 value %0 bound %1\n"), "check: expected bool"));
  CHECK(contains(fault_of("check 0 if %3 at %2 value %0 bound %1\n"), "check: expected i64"));
}

TEST_CASE("verify checks buffers and how lanes reach them") {
  CHECK(contains(fault_of("store x[%0] = %2\n"), "expected a buffer that is written"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[6].buffer = 9; }),
                 "load: expected a buffer, found 9"));
  CHECK(contains(fault_after("carried_loop", [](Kernel& k) { k.body[6].stream = true; }),
                 "expected stream on a store"));
  CHECK(contains(fault_of("%4: f32 lanes = load x[%0] contiguous\n"),
                 "expected a vector axis around contiguous lanes"));
  CHECK(contains(fault_of("%4: f32 lanes = load x[%0] gather\n"),
                 "expected an offset with lanes, found %0: i64"));
  const std::string loop = "loop j [%0, %1)\n%5: i64 lanes = axis j\n";
  CHECK(contains(fault_of(loop + "%6: f32 lanes = load x[%5]\nend\n"),
                 "expected a value without lanes, found %5: i64 lanes"));
  CHECK(contains(fault_of(loop + "%6: f32 = load x[%0] contiguous\nend\n"), "expected lanes"));
  CHECK(contains(fault_of(loop + "%6: f32 lanes = cast(%5)\nstore y[%0] = %6\nend\n"),
                 "store: expected a value without lanes, found %6: f32 lanes"));
}

TEST_CASE("verify gives a value lanes exactly when an argument has them") {
  const std::string loop = "loop j [%0, %1)\n%5: i64 lanes = axis j\n";
  CHECK(
      contains(fault_of(loop + "%6: i64 = add(%5, %5)\nend\n"), "add: expected lanes, found none"));
  CHECK(contains(fault_of(loop + "%6: f32 = cast(%5)\nend\n"), "cast: expected lanes, found none"));
  CHECK(contains(fault_of(loop + "%6: i64 lanes = add(%0, %0)\nend\n"),
                 "add: expected no lanes, found lanes"));
  CHECK(contains(fault_of("loop j [%0, %1)\n%5: i64 = axis j\nend\n"), "axis: expected lanes"));
  CHECK(contains(fault_of("%4: i64 lanes = extent n\n"), "extent: expected no lanes"));
  CHECK(contains(fault_of(loop + "%6: bool lanes = less(%5, %0)\nif %6\nend\nend\n"),
                 "if: expected a value without lanes"));
  CHECK(contains(fault_of(loop + "loop i [%0, %5)\nend\nend\n"),
                 "loop: expected a value without lanes"));
  CHECK(contains(fault_of("%4: f32 lanes = local [2]\n"), "expected a vector axis around lanes"));
}

TEST_CASE("verify keeps accumulators whole") {
  const std::string acc = "%4: f32 = acc sum from 0\n";
  CHECK(contains(fault_of(acc), "line 13: expected a fold, found none"));
  CHECK(contains(fault_of("%4: f32 = acc exp from 0\n"), "acc: expected a reduction, found exp"));
  CHECK(contains(fault_of(acc + "loop i [%0, %1)\n%6: f32 = fold %4\nend\n"),
                 "expected the fold where its accumulator stands"));
  CHECK(contains(fault_of(acc + "%5: f32 = fold %4\nreduce %4, %2\n"),
                 "expected an accumulator that is not folded yet"));
  CHECK(contains(fault_of(acc + "reduce %4, %0\n"), "reduce: expected f32, found %0: i64"));
  CHECK(contains(fault_of(acc + "reduce %4, %2, %0\n"), "reduce: expected no index, found one"));
  CHECK(contains(fault_of("%4: f32 = acc max_and_argmax from -inf\nreduce %4, %2\n"),
                 "reduce: expected an index, found none"));
  CHECK(contains(fault_of(acc + "%5: i64 = fold %4 index\n"),
                 "fold: expected a field of the accumulator, found 1"));
  CHECK(contains(fault_of(acc + "%5: f64 = fold %4\n"), "fold: expected f32, found f64"));
  CHECK(contains(fault_of(acc + "loop p [%0, %1)\nreduce %4, %2\nend\n"),
                 "expected an accumulator inside the parallel loop, found one outside"));
}

TEST_CASE("verify checks register arrays") {
  const std::string local = "%4: f32 = local [2, 3]\n";
  CHECK(contains(fault_of("%4: f32 = local [0]\n"), "local: expected literal extents from 1"));
  CHECK(contains(fault_of(local + "%5: f32 = get %4[%0]\n"), "get: expected 2 indices, found 1"));
  CHECK(
      contains(fault_of(local + "%5: f32 = get %4[%0, %2]\n"), "get: expected i64, found %2: f32"));
  CHECK(contains(fault_of(local + "%5: f64 = get %4[%0, %0]\n"), "get: expected f32, found f64"));
  CHECK(contains(fault_of(local + "set %4[%0, %0] = %1\n"), "set: expected f32, found %1: i64"));
  CHECK(contains(fault_of(local + "loop p [%0, %1)\nset %4[%0, %0] = %2\nend\n"),
                 "expected an array inside the parallel loop, found one outside"));
}

TEST_CASE("verify checks rows as lanes") {
  const std::string rows = "%4: f32 lanes = read_rows x[%0] 2 by %1\n";
  CHECK(contains(fault_of(rows), "read_rows: expected a vector axis around rows, found none"));
  const std::string loop = "loop j [%0, %1)\n%5: f32 lanes = read_rows x[%0] 2 by %1\n";
  CHECK(contains(fault_of(loop + "%6: f32 lanes = get %5[%0, %0]\nend\n"),
                 "get: expected 1 indices, found 2"));
  CHECK(contains(fault_of(loop + "%6: f32 lanes = add(%5, %5)\nend\n"),
                 "expected values, found %5, an array"));
  CHECK(contains(fault_of(loop + "write_rows y[%0] = %2, %1\nend\n"),
                 "write_rows: expected f32, found %1: i64"));
  CHECK(contains(fault_of(loop + "update_rows y[%0] exp %2\nend\n"),
                 "update_rows: expected an op that combines two values"));
  CHECK(fault_of(loop + "update_rows y[%0] add %2, %2\nend\n") == "");
}

TEST_CASE("verify checks blocks that are turned") {
  CHECK(fault_of("transpose x[%0] %1, %1, %1 into y by 8\n") == "");
  CHECK(contains(fault_of("transpose x[%0] %1, %1 into y by 8\n"),
                 "transpose: expected 4 arguments, found 3"));
  CHECK(contains(fault_of("transpose x[%0] %1, %1, %2 into y by 8\n"),
                 "transpose: expected i64, found %2: f32"));
  CHECK(contains(fault_of("transpose x[%0] %1, %1, %1 into x by 8\n"),
                 "transpose: expected a buffer that is written, found one that is not"));
  CHECK(contains(fault_of("transpose x[%0] %1, %1, %1 into y by 0\n"),
                 "transpose: expected the elements of a row, found others"));
  CHECK(contains(fault_of("loop j [%0, %1)\ntranspose x[%0] %1, %1, %1 into y by 8\nend\n"),
                 "transpose: expected no vector axis around it, found one"));
}

TEST_CASE("verify checks carried values") {
  CHECK(
      contains(fault_of("%4: f32 = carry %2\n"), "expected a serial loop around a carried value"));
  CHECK(contains(fault_of("loop i [%0, %1)\n%5: f32 = carry %2\nend\n"),
                 "expected a yield of every carried value, found none of %5"));
  CHECK(contains(fault_of("loop i [%0, %1)\n%5: f32 = carry %2\nyield %5, %2\nyield %5, %2\nend\n"),
                 "expected one yield of a carry"));
  CHECK(contains(fault_of("loop i [%0, %1)\n%5: f32 = carry %2\nif %3\nyield %5, %2\nend\nend\n"),
                 "expected the yield in the loop of its carry"));
  CHECK(contains(fault_of("loop i [%0, %1)\n%5: f32 = carry %2\nyield %5, %0\nend\n"),
                 "yield: expected f32, found %0: i64"));
  CHECK(contains(fault_of("loop i [%0, %1)\n%5: f32 = carry %0\nyield %5, %2\nend\n"),
                 "carry: expected f32, found %0: i64"));
}

TEST_CASE("verify checks where each kind of loop may stand") {
  CHECK(contains(fault_of("loop i [%0, %1)\nloop p [%0, %1)\nend\nend\n"),
                 "expected a parallel loop outermost"));
  CHECK(contains(fault_of("loop j [%0, %1)\nloop j2 [%0, %1)\nend\nend\n", "axis j2: vector 8\n"),
                 "expected one vector axis, found one inside another"));
  CHECK(contains(fault_of("loop u [%0, %1)\nend\n", "axis u: unroll\n"),
                 "expected constants as bounds of an unrolled loop, found %1: i64"));
  CHECK(contains(fault_of("loop i [%0, %1)\nloop b [%0, %1)\nend\nend\n", "axis b: block\n"),
                 "expected a block axis outermost or in another one"));
  CHECK(contains(fault_of("loop t [%0, %1)\nend\n", "axis t: thread 64\n"),
                 "expected a block axis around a thread axis"));
  const std::string axes = "axis b: block\naxis t: thread 64\naxis t2: thread 64\n";
  CHECK(contains(fault_of("loop b [%0, %1)\nloop t [%0, %1)\nloop t2 [%0, %1)\n", axes),
                 "expected one thread axis"));
  CHECK(contains(fault_of("loop b [%0, %1)\nloop t [%0, %1)\nbarrier\nend\nend\n", axes),
                 "barrier: expected all threads of the block"));
  CHECK(contains(fault_of("barrier\n"), "barrier: expected a block axis around it"));
  CHECK(contains(fault_of("loop s [%0, %1)\nend\n", "axis s: serial 4\n"),
                 "expected no width, found 4"));
  CHECK(contains(fault_of("loop v [%0, %1)\nend\n", "axis v: vector 4 chains 0\n"),
                 "expected chains from 1, found 0"));
  CHECK(
      contains(fault_of("loop p [%0, %1) grain %2\nend\n"), "expected grain of i64 without lanes"));
  CHECK(contains(fault_of("loop i [%0, %1) grain %1\nend\n"), "expected grain on a parallel loop"));
}

}  // namespace gnomon
