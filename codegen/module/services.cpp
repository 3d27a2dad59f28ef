// The services of the runtime, each with what a node that asks for it says.
#include "codegen/module/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "codegen/fusion/product_operands.h"
#include "codegen/kernels/product.h"
#include "ir/op/forms.h"
#include "ir/op/type.h"
#include "runtime/error.h"
#include "runtime/linalg/blas.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

template <class Enum>
std::int64_t number_of(Enum e) {
  return static_cast<std::int64_t>(e);
}

// --- products ---

bool is_between(const Dim& d, std::int64_t least, std::int64_t most) {
  return d.is_constant() && d.constant() >= least && d.constant() <= most;
}

// Whether a library can take a product for its strides.
bool has_short_rows(const Product& p, const Dim& row_of_a, const Dim& row_of_b) {
  constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();
  return is_between(row_of_a, 0, longest) && is_between(row_of_b, 0, longest) &&
         is_between(p.n, 0, longest);
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

// About as many threads as there are tiles in the library's grid (`gemm_grid`). Its choices want
// known extents: here rows count as if they were always cut into the thinnest tiles, which they are
// only to have up to four of them.
Dim shares_of(const Product& p) {
  const auto tiles = [](const Dim& side, std::int64_t tile) {
    return max(floor_div(side, tile), 1);
  };
  const Dim all = max(p.batch, 1) * tiles(p.m, GemmTile::thinnest) * tiles(p.n, GemmTile::columns) *
                  tiles(p.k, GemmTile::depth);
  return max(min(floor_div(p.batch * p.m * p.n * p.k, GemmTile::work), all), 1);
}

// The addend of a product is in its result already.
void ask_for_product(const Node& node, ServiceStep& s) {
  const Product p = product_of(node);
  const MatrixInMemory a = operand_in_memory(node, 0), b = operand_in_memory(node, 1);
  s.in.resize(2);
  s.adds = p.beta != 0;
  s.needs_library = has_elements(p);
  s.needs_only_library = has_short_rows(p, a.row, b.row);
  s.work = additions(p.batch * p.m * p.n * p.k, p.dtype);
  s.shares = shares_of(p);
  s.of_library = "Product", s.extra = "blas";
  s.arguments = {
      {{"dtype", number_of(p.operands)}},
      {{"trans_a", p.trans_a}, {"trans_b", p.trans_b}, {"symmetric", p.symmetric}},
      {{"m", p.m}, {"n", p.n}, {"k", p.k}},
      {{"lda", a.row}, {"ldb", b.row}, {"ldc", p.n}},
      {{"batch", p.batch},
       {"stride_a", p.m * p.k},
       {"stride_b", p.k * p.n},
       {"stride_c", p.m * p.n}},
      {{"alpha", p.alpha}, {"beta", p.beta}},
      {{"a", Argument::Operand{0, a.offset}},
       {"b", Argument::Operand{1, b.offset}},
       {"c", Argument::Result{0}}},
  };
}

// --- convolutions ---

void ask_for_convolution(const Node& node, ServiceStep& s) {
  const ConvolutionForm form = convolution_form(node);
  const auto [x, w, y] =
      form.exchanged(&node.input(0).shape(), &node.input(1).shape(), &node.type().shape);
  const Dim batch = (*x)[0], inputs = (*w)[1], outputs = floor_div((*w)[0], form.groups);
  const DType t = node.type().dtype;
  s.of_library = "Convolution";
  s.arguments = {
      {{"dtype", number_of(t)}, {"kind", number_of(form.kind)}},
      {{"batch", batch}, {"groups", Dim(form.groups)}, {"inputs", inputs}, {"outputs", outputs}}};
  Dim taps = batch * form.groups * outputs * inputs;
  // Images with fewer than three spatial axes have leading ones of extent 1.
  const std::size_t axes = x->size() - 2, first = 3 - axes;
  for (std::size_t k = 0; k < 3; ++k) {
    const bool is_there = k >= first;
    const std::size_t axis = k - first;
    const auto extent = [&](const Shape& shape) { return is_there ? shape[2 + axis] : Dim(1); };
    const auto number = [&](const IntList& list) { return is_there ? list[axis] : 1; };
    const auto field = [k](std::string_view name) { return fmt::format("{}[{}]", name, k); };
    s.arguments.push_back({{field("image"), extent(*x)},
                           {field("window"), extent(*w)},
                           {field("result"), extent(*y)}});
    s.arguments.push_back({{field("stride"), number(form.stride)},
                           {field("before"), is_there ? form.padding[2 * axis] : 0},
                           {field("dilation"), number(form.dilation)}});
    taps = taps * extent(*w) * extent(*y);
  }
  s.arguments.push_back(
      {{"a", Argument::Operand{0}}, {"b", Argument::Operand{1}}, {"c", Argument::Result{0}}});
  s.work = additions(taps, t);
  s.operations = taps * Dim(2);
}

// --- routines on matrices ---

// As LAPACK's Working Note 41 has them for real numbers. Iterations take as many as the data say.
Dim operations_of(Routine routine, const RoutineExtents& e) {
  const Dim n = e.n, square = n * n, least = min(e.rows, n), most = max(e.rows, n);
  switch (routine) {
    case Routine::cholesky: return floor_div(square * n, 3);
    case Routine::lu_factor: return floor_div(least * least * (3 * most - least), 3);
    case Routine::solve: return floor_div(2 * square * n, 3) + 2 * square * e.columns;
    case Routine::solve_triangular: return square * e.columns;
    case Routine::qr:  // and the orthogonal factor
      return floor_div(2 * least * least * (3 * most + 3 * e.rows - 2 * least), 3);
    default: return 0;
  }
}

Dim work_of(Routine routine, DType t, const RoutineExtents& e) {
  const Dim cube = floor_div(thirds_of_cube(routine) * min(e.rows, e.n), 3);
  constexpr int operations = 64;  // of a transform, by element
  const Dim work = is_fourier(routine) ? e.batch * max(e.rows, e.columns) * operations
                                       : e.batch * e.rows * e.n * (cube + e.columns);
  const int at_once = (part_of(t) == DType::float32 ? 8 : 4) / (is_complex(t) ? 4 : 1);
  return floor_div(work, at_once);
}

bool is_of_device(Routine routine, const RoutineExtents& e) {
  switch (matrices_of_device(routine)) {
    case DeviceMatricesOf::none: return false;
    case DeviceMatricesOf::one: return e.batch.is(1);
    case DeviceMatricesOf::one_or_square: return e.batch.is(1) || e.rows == e.n;
    case DeviceMatricesOf::stack: return true;
  }
  return false;
}

void ask_for_routine(const Node& node, ServiceStep& s) {
  const RoutineForm form = routine_form(node);
  const RoutineExtents e = routine_extents(node);
  const DType part = node.input(0).dtype(), t = form.pairs ? complex_of(part) : part;
  s.bound = e.n;
  s.work = work_of(form.kind, t, e);
  s.operations = e.batch * operations_of(form.kind, e) * Dim(is_complex(t) ? 4 : 1);
  s.shares = max(e.batch, 1);
  const bool transforms = is_fourier(form.kind);
  s.of_library = transforms ? "Fourier" : "Matrices", s.extra = transforms ? "fft" : "lapack";
  if (transforms)
    s.device_entry = "device_transform", s.device_kernel = {};
  else if (!is_of_device(form.kind, e))
    s.device_entry = s.device_kernel = {};
  s.arguments = {
      {{"routine", number_of(form.kind)}, {"dtype", number_of(t)}},
      {{"lower", form.lower}, {"transposed", form.transposed}, {"complete", form.complete}}};
  if (form.option != 0) s.arguments.push_back({{"option", form.option}});
  s.arguments.push_back({{"rows", e.rows}, {"n", e.n}, {"columns", e.columns}, {"batch", e.batch}});
  for (std::size_t i = 0; i < s.in.size(); ++i)
    s.arguments.push_back({{fmt::format("in[{}]", i), Argument::Operand{i}}});
  for (std::size_t i = 0; i < s.out.size(); ++i)
    s.arguments.push_back({{fmt::format("out[{}]", i), Argument::Result{i}}});
}

// --- routines along one axis ---

void ask_for_lines(LineRoutine routine, DType t, bool reverse, const LinesExtents& e,
                   ServiceStep& s) {
  s.of_library = "Lines";
  s.arguments = {{{"routine", number_of(routine)}, {"dtype", number_of(t)}, {"reverse", reverse}},
                 {{"outer", e.outer}, {"n", e.n}, {"inner", e.inner}, {"count", e.count}}};
  for (std::size_t i = 0; i < s.in.size(); ++i)
    s.arguments.push_back({{fmt::format("in[{}]", i), Argument::Operand{i}}});
  s.arguments.push_back({{"out", Argument::Result{0}}});
}

void ask_for_lines(const Node& node, ServiceStep& s) {
  const LinesForm form = lines_form(node);
  const LinesExtents e = lines_extents(node);
  constexpr int of_scan = 4, of_sort = 32;  // additions an element
  const bool scans = node.op().lines.combine != nullptr;
  s.work = max(e.n, e.count) * e.outer * e.inner * (scans ? of_scan : of_sort);
  if (scans && is_inexact(node.input(0).dtype())) s.operations = e.n * e.outer * e.inner;
  ask_for_lines(form.kind, node.input(0).dtype(), form.reverse, e, s);
}

constexpr Service product{
    .name = "product",
    .record = "gnomon_gemm",
    .entry = "gemm",
    .fails_alike = true,
    .fails_first = true,
    .device_entry = "device_gemm",
    .chosen_by = "dtype",
    .ask = ask_for_product,
};
constexpr Service convolution{
    .name = "convolution",
    .record = "gnomon_convolution",
    .entry = "convolve",
    .fails_alike = true,
    .device_entry = "device_convolve",
    .device_kernel = "GN_DEVICE_CONVOLUTION",
    .device_header = "device_convolution.h",
    .chosen_by = "kind",
    .ask = ask_for_convolution,
};
// Some matrices of a batch may be done when another has no result.
constexpr Service routine{
    .name = "routine",
    .record = "gnomon_routine",
    .entry = "routine",
    .reports = true,
    .device_entry = "device_routine",
    .device_kernel = "GN_DEVICE_MATRICES",
    .device_header = "device_matrices.h",
    .has_one_kernel = true,
    .chosen_by = "routine",
    .ask = ask_for_routine,
};
constexpr Service lines{
    .name = "lines",
    .record = "gnomon_lines",
    .entry = "lines",
    .device_entry = "device_lines",
    .device_kernel = "GN_DEVICE_LINES",
    .device_header = "device_lines.h",
    .chosen_by = "routine",
    .ask = ask_for_lines,
};

struct Row {
  StepKind kind;
  const Service* service;
};
constexpr std::array service_table{Row{StepKind::product, &product},
                                   Row{StepKind::convolution, &convolution},
                                   Row{StepKind::routine, &routine}, Row{StepKind::lines, &lines}};

}  // namespace

DeviceMatricesOf matrices_of_device(Routine routine) {
  switch (routine) {
    case Routine::cholesky:
    case Routine::solve_triangular:
    case Routine::solve:
    case Routine::eigh:
    case Routine::eigvalsh: return DeviceMatricesOf::stack;
    case Routine::lu_factor: return DeviceMatricesOf::one_or_square;
    case Routine::qr:
    case Routine::svd:
    case Routine::svdvals: return DeviceMatricesOf::one;
    default: return DeviceMatricesOf::none;
  }
}

std::int64_t number_in(const ServiceStep& step, std::string_view field) {
  for (const std::vector<Argument>& together : step.arguments)
    for (const Argument& argument : together)
      if (argument.field == field) return std::get<std::int64_t>(argument.value);
  throw InternalError(fmt::format("service {}: no field {}", step.service->name, field));
}

const Service* service_of(StepKind kind) {
  for (const auto& [of, service] : service_table)
    if (of == kind) return service;
  return nullptr;
}

std::vector<const Service*> all_services() {
  std::vector<const Service*> all;
  for (const Row& row : service_table) all.push_back(row.service);
  return all;
}

ServiceStep lines_step(std::string_view op, LineRoutine routine, DType t, const Dim& n) {
  ServiceStep s;
  s.service = &lines;
  s.device_entry = lines.device_entry, s.device_kernel = lines.device_kernel;
  s.op = op;
  const bool searches = routine == LineRoutine::searchsorted;
  s.in.assign(searches ? 2 : 1, -1);
  s.out.assign(1, -1);
  ask_for_lines(routine, t, searches, {1, n, 1, n}, s);
  return s;
}

ServiceStep service_step(const Node& node) {
  ServiceStep s;
  s.service = service_of(node.op().step);
  s.op = node.op().name;
  s.in.assign(node.operands().size(), -1);
  s.out.assign(node.output_count(), -1);
  s.device_entry = s.service->device_entry, s.device_kernel = s.service->device_kernel;
  s.service->ask(node, s);
  return s;
}

}  // namespace gnomon
