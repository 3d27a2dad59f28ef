// Spells loops over threads and lanes, and what lanes compute in another way than one element.
#include "codegen/cpu/cpu_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Divisions of a kernel from which on the loop waits for the divider, which works beside the other
// units: then most are made of products.
constexpr int many_divisions = 4;
constexpr int divided = 5;  // one of so many is left to the divider

bool is_word(const std::string& name) {
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

bool divides_lanes(const Statement& s) {
  return s.code == Code::let && s.op == &op::divide && s.lanes;
}

// Whether a body is a function that gets the vectors.
bool is_called_body(Vectors v) { return v == Vectors::apart || v == Vectors::few; }

}  // namespace

CpuPrinter::Head CpuPrinter::head(const std::string& name) const {
  Head result{(kernel().inlined ? "static GN_FN void " : "void ") + name,
              {"const gn::Call& call", "const i64* dims"}};
  for (std::string& p : buffer_parameters("__restrict ")) result.parameters.push_back(std::move(p));
  return result;
}

// --- loops ---

// Numbers that all lanes of a loop divide by: their reciprocals are taken before it.
void CpuPrinter::before_loop(int loop) {
  if (outline_.axis_of(loop).kind != AxisKind::vector) return;
  if (vectors_.of(loop) == Vectors::part) return;
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    if (!divides_lanes(s)) continue;
    const std::int32_t by = s.args[1];
    if (outline_[by].lanes || outline_.is_inside(by, loop) || divisors_.contains(by)) continue;
    divisors_[by] = w_.fresh("by_" + (is_word(w_.name(by)) ? w_.name(by) : "number"));
    w_.line(fmt::format("const gn::Divisor<{}> {}({});", type_name(s.dtype), divisors_[by],
                        w_.use(by)));
  }
}

void CpuPrinter::open_loop(int i, const std::string& j) {
  const Statement& s = outline_[i];
  const AxisKind kind = outline_.axis_of(i).kind;
  if (kind == AxisKind::parallel) return open_parallel_loop(i, j);
  if (kind == AxisKind::vector) return open_vector_loop(i, j);
  if (kind == AxisKind::unroll) w_.line("#pragma clang loop unroll(full)");
  w_.open(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, w_.plain(s.args[0]),
                      w_.plain(s.args[1])));
}

void CpuPrinter::close_loop(int i) {
  switch (outline_.axis_of(i).kind) {
    case AxisKind::parallel:
      w_.close("}");
      memory_.fence(i);
      return w_.close("});");
    case AxisKind::vector:
      w_.close_lanes();
      divisors_.clear();
      if (vectors_.of(i) == Vectors::together) w_.close("}");
      return w_.close(is_called_body(vectors_.of(i)) ? "});" : "}");
    default: return w_.close("}");
  }
}

void CpuPrinter::open_parallel_loop(int i, const std::string& j) {
  const int piece = outline_.grain_of(i);
  const std::string hi = w_.plain(outline_[i].args[1]);
  const std::string grain = piece >= 0 ? w_.plain(piece) : "1";
  const std::string from = w_.fresh(j + "_from"), to = w_.fresh(j + "_to");
  std::vector<int> scratch;
  for (const int b : scratch_buffers())
    if (uses_buffer(i, b)) scratch.push_back(b);
  w_.open(fmt::format("call.parallel({}, {}, [=](i64 {}, i64 {}, i32{}) {{", hi, grain, from, to,
                      scratch.empty() ? "" : " worker"));
  for (const int b : scratch)
    w_.line(fmt::format("{0}* {1} = call.scratch_of<{0}>(worker, {2});",
                        memory_name(kernel().buffers[b].dtype), w_.buffer(b), scratch_offset(b)));
  w_.open(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, from, to));
}

bool CpuPrinter::uses_buffer(int loop, int buffer) const {
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    if (s.buffer == buffer || (s.code == Code::transpose && s.number == buffer)) return true;
  }
  return false;
}

// The body knows which lanes are live, and the chain that the vector feeds.
void CpuPrinter::open_vector_loop(int i, const std::string& j) {
  const Statement& s = outline_[i];
  const int width = outline_.axis_of(i).width;
  const std::string lo = w_.plain(s.args[0]), hi = w_.plain(s.args[1]);
  w_.open_lanes(j, width);
  switch (vectors_.of(i)) {
    case Vectors::apart:
    case Vectors::few: return open_calls(i, j);
    case Vectors::together: return open_parts(i, j);
    case Vectors::part:
      w_.open("{");
      w_.line(fmt::format("const i64 {} = {};", j, lo));
      return declare_part(width, outline_[s.args[1]].value.i - outline_[s.args[0]].value.i);
    case Vectors::whole:
      w_.open(fmt::format("for (i64 {0} = {1}; {0} < {2}; {0} += {3}) {{", j, lo, hi, width));
      return w_.line(fmt::format("const gn::Full<{}> live;", width));
  }
}

// Chains meet elements by their numbers, so loops with chains cannot lead.
std::string CpuPrinter::declare_lead(int loop) {
  return accumulators_.feeds_chains(loop) ? "" : memory_.declare_lead(loop);
}

// One vector that is not full.
void CpuPrinter::declare_part(int width, std::int64_t live) {
  w_.line(fmt::format("const {} live;", part_type(width, live)));
}

std::string CpuPrinter::part_type(int width, std::int64_t live) const {
  return fmt::format("gn::{}<{}, {}>", kernel().inlined ? "Part" : "Known", width, live);
}

// A body that is called with full vectors and with the rest.
void CpuPrinter::open_calls(int i, const std::string& j) {
  const Statement& s = outline_[i];
  const Axis& axis = outline_.axis_of(i);
  const bool chained = accumulators_.feeds_chains(i);
  const std::string body =
      fmt::format("[&](i64 {}, auto live, int{}) GN_BODY {{", j, chained ? " chain" : "");
  if (vectors_.of(i) == Vectors::few) {
    const std::int64_t n = outline_[s.args[1]].value.i - outline_[s.args[0]].value.i;
    return w_.open(fmt::format("gn::few_vectors<{}, {}, {}, {}>({}, {}", axis.width,
                               chained ? axis.chains : 1, n, part_type(axis.width, n % axis.width),
                               w_.plain(s.args[0]), body));
  }
  const std::string lead = declare_lead(i);
  const std::string loop = lead.empty()
                               ? fmt::format("vector_loop<{}, {}, {}>(", axis.width,
                                             chained ? axis.chains : 1, vectors_.is_short(i))
                               : fmt::format("led_loop<{}>({}, ", axis.width, lead);
  w_.open(fmt::format("gn::{}{}, {}, {}", loop, w_.plain(s.args[0]), w_.plain(s.args[1]), body));
}

// A body under a mask, in a loop over the parts of the range that have the same mask.
void CpuPrinter::open_parts(int i, const std::string& j) {
  const Statement& s = outline_[i];
  const Axis& axis = outline_.axis_of(i);
  const std::string lo = w_.plain(s.args[0]), hi = w_.plain(s.args[1]);
  const std::string lead = declare_lead(i), part = w_.fresh("part");
  w_.open(fmt::format("for (gn::Parts<{0}> {1}({2}, {3}{4}); {1}.remain(); {1}.next()) {{",
                      axis.width, part, lo, hi, lead.empty() ? "" : ", " + lead));
  w_.open(
      fmt::format("for (i64 {0} = {1}.from; {0} < {1}.to; {0} += {2}) {{", j, part, axis.width));
  w_.line(fmt::format("const gn::Most<{}> live = {}.live;", axis.width, part));
  if (accumulators_.feeds_chains(i) && axis.chains > 1)
    w_.line(fmt::format("const i64 chain = ({}{}) / {} % {};", j, lo == "0" ? "" : " - " + lo,
                        axis.width, axis.chains));
}

// --- values ---

bool CpuPrinter::is_product_of_reciprocal(int i) {
  const auto is_division = [](const Statement& s) {
    return divides_lanes(s) && s.dtype == DType::float64;
  };
  if (!is_division(outline_[i])) return false;
  if (std::ranges::count_if(kernel().body, is_division) < many_divisions) return false;
  return divisions_++ % divided != 0;
}

void CpuPrinter::let(int i) {
  const Statement& s = outline_[i];
  if (!divides_lanes(s)) return FunctionPrinter::let(i);
  if (const auto by = divisors_.find(s.args[1]); by != divisors_.end())
    return w_.define(i,
                     fmt::format("gn::divide({}, {}, live)", w_.use(s.args[0], true), by->second));
  if (!is_product_of_reciprocal(i)) return FunctionPrinter::let(i);
  w_.include("division.h");
  w_.define(i,
            fmt::format("gn::quotient({}, {})", w_.use(s.args[0], true), w_.use(s.args[1], true)));
}

void CpuPrinter::axis_value(int i) {
  const Statement& s = outline_[i];
  if (!s.lanes) return FunctionPrinter::axis_value(i);
  if (outline_.uses(i) == 0) return;
  const std::string& j = w_.index_of(s.axis);
  w_.define_as(s.name.empty() ? j + "_lanes" : s.name, i,
               fmt::format("gn::indices<{}>({})", w_.type(DType::int64, true), j));
}

void CpuPrinter::load(int i) {
  const int buffer = outline_[i].buffer;
  if (kernel().buffers[buffer].by_value) return w_.set_name(i, w_.value_of(buffer));
  if (is_uniform(i)) return FunctionPrinter::load(i);
  memory_.load(i);
}

void CpuPrinter::store(int i) {
  if (is_uniform(i)) return FunctionPrinter::store(i);
  memory_.store(i);
}

void CpuPrinter::update(int i) {
  if (is_uniform(i)) return FunctionPrinter::update(i);
  memory_.update(i);
}

void CpuPrinter::check(int i) {
  const Statement& s = outline_[i];
  const bool lanes = s.lanes || outline_[s.args[0]].lanes;
  const auto value = [&](std::size_t k) {
    return lanes ? w_.use(s.args[k], true) : w_.plain(s.args[k]);
  };
  std::string rest;
  for (std::size_t k = 1; k < s.args.size(); ++k) rest += ", " + value(k);
  w_.line(lanes
              ? fmt::format("call.check<{}>({}, {}, live{});", w_.width(), s.number, value(0), rest)
              : fmt::format("call.check({}, {}{});", s.number, value(0), rest));
}

}  // namespace gnomon
