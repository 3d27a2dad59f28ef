// The services of the runtime, each with what a node that asks for it says.
#include "codegen/module/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "codegen/kernels/lower_product.h"
#include "ir/op/type.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Operand = Argument::Operand;
using Result = Argument::Result;

// A flag that the op may not have.
bool flag_of(const Node& node, std::string_view name) {
  const AttributeSpecs& specs = node.op().attributes;
  return std::ranges::any_of(specs, [&](const AttributeSpec& s) { return s.name == name; }) &&
         node.attribute(name).flag();
}

std::int64_t number_of(DType t) { return static_cast<std::int64_t>(t); }

// --- products ---

bool is_between(const Dim& d, std::int64_t least, std::int64_t most) {
  return d.is_constant() && d.constant() >= least && d.constant() <= most;
}

// Whether a library can take a product for its strides.
bool has_short_rows(const Product& p) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  return is_between(p.trans_a ? p.m : p.k, 0, longest) &&
         is_between(p.trans_b ? p.k : p.n, 0, longest) && is_between(p.n, 0, longest);
}

// Whether a product has elements, so that it needs a library.
bool has_elements(const Product& p) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return is_between(p.m, 1, most) && is_between(p.n, 1, most) && is_between(p.batch, 1, most);
}

// So many multiply-adds of the library take as long as an addition.
Dim additions(const Dim& multiply_adds, DType t) {
  return floor_div(multiply_adds, t == DType::float32 ? 16 : 8);
}

// As the library's products are cut.
Dim shares_of(const Product& p) {
  constexpr std::int64_t tile_work = 2'000'000;  // multiply-adds
  constexpr std::int64_t tile_rows = 128, tile_columns = 2048, tile_depth = 4096;
  const auto tiles = [](const Dim& side, std::int64_t tile) {
    return max(floor_div(side, tile), 1);
  };
  const Dim all =
      max(p.batch, 1) * tiles(p.m, tile_rows) * tiles(p.n, tile_columns) * tiles(p.k, tile_depth);
  return max(min(floor_div(p.batch * p.m * p.n * p.k, tile_work), all), 1);
}

// The addend of a product is in its result already.
void ask_for_product(const Node& node, ServiceStep& s) {
  const Product p = product_of(node);
  s.in.resize(2);
  s.adds = p.beta != 0;
  s.needs_library = has_elements(p);
  s.needs_only_library = has_short_rows(p);
  s.work = additions(p.batch * p.m * p.n * p.k, p.dtype);
  s.shares = shares_of(p);
  s.arguments = {
      {{"dtype", number_of(p.dtype)}},
      {{"trans_a", p.trans_a}, {"trans_b", p.trans_b}},
      {{"m", p.m}, {"n", p.n}, {"k", p.k}},
      {{"lda", p.trans_a ? p.m : p.k}, {"ldb", p.trans_b ? p.k : p.n}, {"ldc", p.n}},
      {{"batch", p.batch},
       {"stride_a", p.m * p.k},
       {"stride_b", p.k * p.n},
       {"stride_c", p.m * p.n}},
      {{"alpha", p.alpha}, {"beta", p.beta}},
      {{"a", Operand{0}}, {"b", Operand{1}}, {"c", Result{0}}},
  };
}

// --- convolutions ---

void ask_for_convolution(const Node& node, ServiceStep& s) {
  const ConvolutionKind kind = node.op().convolution;
  const Shape *x = &node.input(0).shape(), *w = &node.input(1).shape(), *y = &node.type().shape;
  if (kind == ConvolutionKind::input_gradient) std::swap(x, y);
  if (kind == ConvolutionKind::weight_gradient) std::swap(w, y);
  const std::int64_t groups = node.attribute("groups").integer();
  const Dim batch = (*x)[0], inputs = (*w)[1], outputs = floor_div((*w)[0], groups);
  const DType t = node.type().dtype;
  s.arguments = {
      {{"dtype", number_of(t)}, {"kind", static_cast<std::int64_t>(kind)}},
      {{"batch", batch}, {"groups", Dim(groups)}, {"inputs", inputs}, {"outputs", outputs}}};
  Dim taps = batch * groups * outputs * inputs;
  // Images with fewer than three spatial axes have leading ones of extent 1.
  const std::size_t axes = x->size() - 2, first = 3 - axes;
  const IntList& padding = node.attribute("padding").ints();
  for (std::size_t k = 0; k < 3; ++k) {
    const bool is_there = k >= first;
    const std::size_t axis = k - first;
    const auto extent = [&](const Shape& shape) { return is_there ? shape[2 + axis] : Dim(1); };
    const auto number = [&](std::string_view name) {
      return is_there ? node.attribute(name).ints()[axis] : 1;
    };
    const auto field = [k](std::string_view name) { return fmt::format("{}[{}]", name, k); };
    s.arguments.push_back({{field("image"), extent(*x)},
                           {field("window"), extent(*w)},
                           {field("result"), extent(*y)}});
    s.arguments.push_back({{field("stride"), number("stride")},
                           {field("before"), is_there ? padding[2 * axis] : 0},
                           {field("dilation"), number("dilation")}});
    taps = taps * extent(*w) * extent(*y);
  }
  s.arguments.push_back({{"a", Operand{0}}, {"b", Operand{1}}, {"c", Result{0}}});
  s.work = additions(taps, t);
}

// --- routines on matrices ---

Dim work_of(Routine routine, DType t, const Dim& rows, const Dim& n, const Dim& columns,
            const Dim& batch) {
  const Dim cube = floor_div(thirds_of_cube(routine) * min(rows, n), 3);
  constexpr int operations = 64;  // of a transform, by element
  const Dim work = is_fourier(routine) ? batch * max(rows, columns) * operations
                                       : batch * rows * n * (cube + columns);
  const int at_once = (part_of(t) == DType::float32 ? 8 : 4) / (is_complex(t) ? 4 : 1);
  return floor_div(work, at_once);
}

void ask_for_routine(const Node& node, ServiceStep& s) {
  const RoutineRule& rule = op_of_routine(node.op()).routine;
  const Shape& a = node.input(0).shape();
  DType t = node.input(0).dtype();
  Dim n = a.back(), columns = 0;
  const Dim rows = a[a.size() - 2], batch = element_count(std::span(a).first(a.size() - 2));
  if (node.operands().size() > 1) columns = node.operands().back().shape().back();
  if (node.op().routine.pairs) {
    t = complex_of(t);
    n = floor_div(n, 2), columns = floor_div(columns, 2);
  }
  if (is_fourier(rule.kind)) columns = node.type().shape[a.size() - 2];
  s.bound = n;
  s.work = work_of(rule.kind, t, rows, n, columns, batch);
  s.shares = max(batch, 1);
  s.arguments = {{{"routine", static_cast<std::int64_t>(rule.kind)}, {"dtype", number_of(t)}},
                 {{"lower", flag_of(node, "lower")},
                  {"transposed", flag_of(node, "transposed") || flag_of(node, "inverse")},
                  {"complete", flag_of(node, "complete")}}};
  const auto option = std::ranges::find_if(node.op().attributes, [](const AttributeSpec& spec) {
    return spec.kind == Attribute::Kind::integer;
  });
  if (option != node.op().attributes.end())
    if (const std::int64_t number = node.attribute(option->name).integer(); number != 0)
      s.arguments.push_back({{"option", number}});
  s.arguments.push_back({{"rows", rows}, {"n", n}, {"columns", columns}, {"batch", batch}});
  for (std::size_t i = 0; i < s.in.size(); ++i)
    s.arguments.push_back({{fmt::format("in[{}]", i), Operand{i}}});
  for (std::size_t i = 0; i < s.out.size(); ++i)
    s.arguments.push_back({{fmt::format("out[{}]", i), Result{i}}});
}

// --- routines along one axis ---

void ask_for_lines(const Node& node, ServiceStep& s) {
  const LineRule& rule = node.op().lines;
  const Shape& x = node.input(0).shape();
  const Shape& y = node.type().shape;
  Dim outer = 1, n = element_count(x), inner = 1, count = element_count(y);
  if (const auto& specs = node.op().attributes;
      std::ranges::any_of(specs, [](const AttributeSpec& spec) { return spec.name == "axis"; })) {
    const auto axis = static_cast<std::size_t>(node.attribute("axis").integer());
    outer = element_count(std::span(x).first(axis));
    n = x[axis];
    inner = element_count(std::span(x).subspan(axis + 1));
    count = y[axis];
  }
  constexpr int of_scan = 4, of_sort = 32;  // additions an element
  const bool scans = rule.combine != nullptr;
  s.work = max(n, count) * outer * inner * (scans ? of_scan : of_sort);
  s.arguments = {{{"routine", static_cast<std::int64_t>(rule.kind)},
                  {"dtype", number_of(node.input(0).dtype())},
                  {"reverse", flag_of(node, "reverse")}},
                 {{"outer", outer}, {"n", n}, {"inner", inner}, {"count", count}}};
  for (std::size_t i = 0; i < s.in.size(); ++i)
    s.arguments.push_back({{fmt::format("in[{}]", i), Operand{i}}});
  s.arguments.push_back({{"out", Result{0}}});
}

constexpr Service product{
    .name = "product",
    .record = "gnomon_gemm",
    .entry = "gemm",
    .fails_alike = true,
    .fails_first = true,
    .ask = ask_for_product,
};
constexpr Service convolution{
    .name = "convolution",
    .record = "gnomon_convolution",
    .entry = "convolve",
    .fails_alike = true,
    .ask = ask_for_convolution,
};
// Some matrices of a batch may be done when another has no result.
constexpr Service routine{
    .name = "routine",
    .record = "gnomon_routine",
    .entry = "routine",
    .reports = true,
    .ask = ask_for_routine,
};
constexpr Service lines{
    .name = "lines",
    .record = "gnomon_lines",
    .entry = "lines",
    .ask = ask_for_lines,
};

struct Row {
  StepKind kind;
  const Service* service;
};
constexpr std::array table{Row{StepKind::product, &product},
                           Row{StepKind::convolution, &convolution},
                           Row{StepKind::routine, &routine}, Row{StepKind::lines, &lines}};

}  // namespace

const Service* service_of(StepKind kind) {
  for (const auto& [of, service] : table)
    if (of == kind) return service;
  return nullptr;
}

std::vector<const Service*> all_services() {
  std::vector<const Service*> all;
  for (const Row& row : table) all.push_back(row.service);
  return all;
}

ServiceStep service_step(const Node& node) {
  ServiceStep s;
  s.service = service_of(node.op().step);
  s.op = node.op().name;
  s.in.assign(node.operands().size(), -1);
  s.out.assign(node.output_count(), -1);
  s.service->ask(node, s);
  return s;
}

}  // namespace gnomon
