// The frame of a kernel's text, and the statements that all languages spell alike.
#include "codegen/text/function_printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <utility>

#include "codegen/module/cache_lines.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::size_t columns = 100;

// A symbol or a value, which has a name of its own.
bool is_named(const Dim& d) {
  const AtomRef atom = d.atom();
  if (!atom) return false;
  const Atom::Kind kind = atom->kind;
  return kind != Atom::Kind::floor_div && kind != Atom::Kind::mod && kind != Atom::Kind::min &&
         kind != Atom::Kind::max;
}

// The exponent of a power that is a whole number, if products make it: 0 for others.
int whole_exponent(const Statement& s, const Statement& exponent) {
  constexpr int most = 64;
  if (s.op != &op::power || !is_float(s.dtype) || exponent.code != Code::constant) return 0;
  const double y = s.dtype == DType::float32 ? exponent.value.f32 : exponent.value.f64;
  return std::abs(y) > 1 && std::abs(y) <= most && y == std::trunc(y) ? static_cast<int>(y) : 0;
}

// Whether a float is held by a constant that `at_least` and `at_most` take: neither NaN nor -0.
bool is_bound(const Statement& s, const Statement& bound) {
  if (!is_float(s.dtype) || bound.code != Code::constant || bound.dtype != s.dtype) return false;
  const double y = s.dtype == DType::float32 ? bound.value.f32 : bound.value.f64;
  return !std::isnan(y) && !(y == 0 && std::signbit(y));
}

bool has_infix(const Statement& s, DType operands) {
  return !s.op->scalar.infix.empty() && is_float(operands) && s.dtype == operands;
}

}  // namespace

FunctionPrinter::FunctionPrinter(const Kernel& kernel, const DimensionNames& dimension,
                                 std::initializer_list<const char*> reserved)
    : outline_(kernel), w_(outline_, dimension, reserved) {}

// --- frame ---

KernelText FunctionPrinter::print(const std::string& name) {
  outline_.find_index_arithmetic();
  w_.suggest_names();
  for (int i = 0; i < outline_.size(); ++i) {
    if (outline_.is_released(i)) continue;
    before_statement(i);
    statement(i);
  }
  KernelText result;
  result.comment = comment_lines(kernel().comment);
  result.text = laid_out(head(name)) + " {\n" + opening() + w_.body() + "}\n";
  result.headers = w_.headers();
  result.statements = kernel().body.size();
  return result;
}

std::string FunctionPrinter::opening() const {
  std::string text;
  for (const auto& [slot, dimension] : w_.dimensions())
    text += fmt::format("  const i64 {} = dims[{}];\n", dimension, slot);
  return text;
}

std::vector<std::string> FunctionPrinter::buffer_parameters(std::string_view restrict_) const {
  std::vector<std::string> list;
  for (std::size_t b = 0; b < kernel().buffers.size(); ++b) {
    const BufferParam& p = kernel().buffers[b];
    if (p.per_worker) continue;
    if (p.by_value) {
      list.push_back(fmt::format("{} {}", memory_name(p.dtype), w_.value_of(static_cast<int>(b))));
      continue;
    }
    list.push_back(fmt::format("{}{}* {}{}", p.writes ? "" : "const ", memory_name(p.dtype),
                               p.aliased ? "" : restrict_, w_.buffer(static_cast<int>(b))));
  }
  return list;
}

std::vector<int> FunctionPrinter::scratch_buffers() const {
  std::vector<int> list;
  for (std::size_t b = 0; b < kernel().buffers.size(); ++b)
    if (kernel().buffers[b].per_worker) list.push_back(static_cast<int>(b));
  return list;
}

std::string FunctionPrinter::scratch_offset(int buffer) {
  Dim offset = 0;
  for (const int b : scratch_buffers()) {
    if (b == buffer) break;
    const BufferParam& p = kernel().buffers[b];
    offset = offset + bytes_in_lines(p.elements, p.dtype);
  }
  return offset.is_constant() ? fmt::format("{}", offset.constant()) : w_.spelled(offset);
}

std::string FunctionPrinter::laid_out(const Head& head) {
  const auto& [start, list] = head;
  std::string text = start + fmt::format("({})", fmt::join(list, ", "));
  if (text.size() + 2 <= columns) return text;
  text = start + "(";
  std::size_t used = columns;  // of the line, so that the first parameter starts one
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string part = list[k] + (k + 1 < list.size() ? "," : ")");
    const bool fits = used + 1 + part.size() + 2 <= columns;
    text += (fits ? " " : "\n    ") + part;
    used = (fits ? used + 1 : 4) + part.size();
  }
  return text;
}

// --- statements ---

void FunctionPrinter::statement(int i) {
  const Statement& s = outline_[i];
  switch (s.code) {
    case Code::constant: return w_.set_name(i, literal(s.dtype, s.value));
    case Code::extent: return extent(i);
    case Code::let: return let(i);
    case Code::cast:
      return w_.define(
          i, fmt::format("gn::convert<{}>({})", w_.type(s.dtype, s.lanes), w_.use(s.args[0])));
    case Code::select:
      return w_.define(i, fmt::format("gn::select({}, {}, {})", w_.use(s.args[0], s.lanes),
                                      w_.use(s.args[1], s.lanes), w_.use(s.args[2], s.lanes)));
    case Code::axis: return axis_value(i);
    case Code::load: return load(i);
    case Code::store: return store(i);
    case Code::update: return update(i);
    case Code::loop: return loop(i);
    case Code::end: return end(i);
    case Code::acc: return accumulators().declare(i);
    case Code::reduce: return accumulators().reduce(i);
    case Code::fold: return accumulators().fold(i);
    case Code::local: return local(i);
    case Code::get: return w_.define(i, element_of_local(s, s.args.size()));
    case Code::set:
      return w_.line(fmt::format("{} = {};", element_of_local(s, s.args.size() - 1),
                                 w_.use(s.args.back(), outline_[s.args[0]].lanes)));
    case Code::check: return check(i);
    case Code::carry: return;  // declared before its loop
    case Code::yield: return yields_.back().push_back(i);
    case Code::if_: return w_.open(fmt::format("if ({}) {{", w_.use(s.args[0])));
    case Code::else_: return w_.reopen("} else {");
    case Code::prefetch: return prefetch(i);
    case Code::transpose: return transpose(i);
    case Code::read_rows: return read_rows(i);
    case Code::write_rows: return write_rows(i);
    case Code::update_rows: return update_rows(i);
    case Code::barrier: return barrier();
  }
}

void FunctionPrinter::extent(int i) {
  const Dim& d = outline_[i].dim;
  if (is_named(d))
    w_.set_name(i, w_.spelled(d));
  else
    w_.define(i, w_.spelled(d));
}

void FunctionPrinter::let(int i) {
  const Statement& s = outline_[i];
  if (outline_.is_plain_index(i)) return w_.define_index(i);
  w_.include(s.op->scalar.header);
  std::string text = w_.use(s.args[0], s.lanes);
  if (has_infix(s, outline_[s.args[0]].dtype)) {
    const std::string symbol(s.op->scalar.infix);
    if (s.args.size() == 1) return w_.define(i, symbol + (text[0] == '-' ? " " : "") + text);
    for (std::size_t a = 1; a < s.args.size(); ++a)
      text += " " + symbol + " " + w_.use(s.args[a], s.lanes);
    return w_.define(i, text);
  }
  if (s.args.size() == 2)
    if (const int n = whole_exponent(s, outline_[s.args[1]]))
      return w_.define(i, fmt::format("gn::whole_power<{}>({})", n, text));
  if (const std::string bounded = bounded_text(s); !bounded.empty()) return w_.define(i, bounded);
  const std::string function(s.op->scalar.function);
  if (s.op->operands < 0) {
    for (std::size_t a = 1; a < s.args.size(); ++a)
      text = fmt::format("{}({}, {})", function, text, w_.use(s.args[a], s.lanes));
    return w_.define(i, text);
  }
  for (std::size_t a = 1; a < s.args.size(); ++a) text += ", " + w_.use(s.args[a], s.lanes);
  w_.define(i, fmt::format("{}({})", function, text));
}

// A minimum, a maximum or what is between constants; empty for anything else.
std::string FunctionPrinter::bounded_text(const Statement& s) const {
  const auto with = [&](const char* function, int x, int bound) {
    return fmt::format("gn::{}({}, {})", function, w_.use(x, s.lanes), w_.plain(bound));
  };
  const auto is_bounded_by = [&](int a) { return is_bound(s, outline_[s.args[a]]); };
  if (s.op == &op::clip && is_bounded_by(1) && is_bounded_by(2))
    return fmt::format("gn::at_most({}, {})", with("at_least", s.args[0], s.args[1]),
                       w_.plain(s.args[2]));
  if (s.args.size() != 2 || (s.op != &op::maximum && s.op != &op::minimum)) return {};
  const char* function = s.op == &op::maximum ? "at_least" : "at_most";
  if (is_bounded_by(1)) return with(function, s.args[0], s.args[1]);
  return is_bounded_by(0) ? with(function, s.args[1], s.args[0]) : std::string();
}

void FunctionPrinter::axis_value(int i) { w_.set_name(i, w_.index_of(outline_[i].axis)); }

void FunctionPrinter::local(int i) {
  const Statement& s = outline_[i];
  w_.set_name(i, w_.fresh(s.name.empty() ? "tile" : s.name));
  std::string extents;
  for (const std::int64_t e : s.extents) extents += fmt::format("[{}]", e);
  w_.line(fmt::format("{} {}{};", w_.type(s.dtype, s.lanes), w_.name(i), extents));
}

std::string FunctionPrinter::element_of_local(const Statement& s, std::size_t args) const {
  std::string text = w_.name(s.args[0]);
  for (std::size_t a = 1; a < args; ++a) text += fmt::format("[{}]", w_.plain(s.args[a]));
  return text;
}

// --- memory ---

std::string FunctionPrinter::element(const Statement& s) const {
  return fmt::format("{}[{}]", w_.buffer(s.buffer), w_.plain(s.args[0]));
}

// Bools are bytes in memory.
void FunctionPrinter::load(int i) {
  const Statement& s = outline_[i];
  w_.define(i, element(s) + (is_bool(s.dtype) ? " != 0" : ""));
}

void FunctionPrinter::store(int i) {
  const Statement& s = outline_[i];
  effect(i, fmt::format("{} = {};", element(s), w_.use(s.args[1])));
}

void FunctionPrinter::update(int i) {
  const Statement& s = outline_[i];
  w_.include(s.op->scalar.header);
  const std::string e = element(s);
  if (s.atomic) {
    w_.include("atomics.h");
    return effect(i, fmt::format("gn::atomic_{}(&{}, {});", s.op->name, e, w_.use(s.args[1])));
  }
  if ((s.op == &op::maximum || s.op == &op::minimum) && !is_bool(s.dtype))
    return effect(i, fmt::format("gn::{}({}, {});", s.op == &op::maximum ? "raise" : "lower", e,
                                 w_.use(s.args[1])));
  effect(i, fmt::format("{0} = {1}({0}{2}, {3});", e, s.op->scalar.function,
                        is_bool(s.dtype) ? " != 0" : "", w_.use(s.args[1])));
}

void FunctionPrinter::transpose(int i) {
  const Statement& s = outline_[i];
  w_.include("rows.h");
  w_.line(fmt::format("gn::transpose({} + {}, {}, {}, {}, {}, {});", w_.buffer(s.buffer),
                      w_.plain(s.args[0]), w_.plain(s.args[1]), w_.plain(s.args[2]),
                      w_.plain(s.args[3]), w_.buffer(s.number), s.extents[0]));
}

// --- loops ---

void FunctionPrinter::loop(int i) {
  before_loop(i);
  declare_carries(i);
  const std::string j = w_.open_axis(outline_[i].axis);
  yields_.emplace_back();
  open_loop(i, j);
}

void FunctionPrinter::end(int i) {
  const int opener = outline_.opener_of(i);
  if (!outline_.is_loop(opener)) return w_.close("}");
  print_yields();
  w_.close_axis();
  close_loop(opener);
}

void FunctionPrinter::declare_carries(int loop) {
  for (int i = loop + 1; i < outline_.end_of(loop); ++i) {
    const Statement& s = outline_[i];
    if (s.code != Code::carry || outline_.parent(i) != loop) continue;
    w_.set_name(i, w_.fresh(s.name.empty() ? "carried" : s.name));
    w_.line(fmt::format("{} {} = {};", w_.type(s.dtype, s.lanes), w_.name(i),
                        w_.use(s.args[0], s.lanes)));
  }
}

// All at once: the next value of one carry may be the old value of another.
void FunctionPrinter::print_yields() {
  const auto yields = std::move(yields_.back());
  yields_.pop_back();
  std::vector<std::string> next;
  for (const int y : yields) {
    const Statement& s = outline_[y];
    const Statement& carry = outline_[s.args[0]];
    if (yields.size() == 1)
      return w_.line(fmt::format("{} = {};", w_.name(s.args[0]), w_.use(s.args[1], carry.lanes)));
    next.push_back(w_.fresh("next"));
    w_.line(fmt::format("const {} {} = {};", w_.type(carry.dtype, carry.lanes), next.back(),
                        w_.use(s.args[1], carry.lanes)));
  }
  for (std::size_t k = 0; k < yields.size(); ++k)
    w_.line(fmt::format("{} = {};", w_.name(outline_[yields[k]].args[0]), next[k]));
}

}  // namespace gnomon
