// Reads the text of a kernel back: the head, dimensions, statements.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "ir/dimension/dimension_sum.h"
#include "ir/graph/expr.h"
#include "ir/kernel/kernel_cursor.h"
#include "ir/kernel/kernel_text.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

using Label = std::pair<std::string, int>;

constexpr int most_parentheses = 100;  // in one another

class KernelReader {
 public:
  explicit KernelReader(std::string_view text) : text_(text) {}
  Kernel read();

 private:
  std::optional<LineCursor> next_line();
  bool read_head_line(LineCursor& c);
  void read_buffer(LineCursor& c);
  void read_axis(LineCursor& c);
  void read_statement(LineCursor& c);
  Statement read_result(LineCursor& c, Statement s);
  Statement read_effect(LineCursor& c);
  Statement read_access(LineCursor& c, Code code);
  Statement read_block(LineCursor& c, Code code);
  Statement read_call(LineCursor& c, Statement s);
  void read_place(LineCursor& c, Statement& s);
  void read_values(LineCursor& c, Statement& s, std::string_view close);

  DType dtype(LineCursor& c);
  Cell cell(LineCursor& c, DType t);
  const Op* op(LineCursor& c);
  std::int32_t value(LineCursor& c);
  std::int32_t labelled(LineCursor& c, const std::map<Label, std::int32_t>& labels,
                        std::string_view what);
  Dim dim(LineCursor& c, int depth = 0);
  Dim term(LineCursor& c, bool negative, int depth);
  Dim factor(LineCursor& c, int depth);
  Dim pair(LineCursor& c, Dim (*make)(const Dim&, const Dim&), std::string_view between, int depth);
  /// Of the value that argument `k` names.
  DType dtype_of_arg(const Statement& s, std::size_t k) const {
    return kernel_.body[static_cast<std::size_t>(s.args[k])].dtype;
  }

  std::string_view text_;
  int line_number_ = 0;
  bool in_comment_ = false;  // its first line is read
  Kernel kernel_;
  std::map<Label, std::int32_t> buffers_, axes_;
  std::map<Label, Dim> symbols_;
  std::map<std::int64_t, std::int32_t> values_;  // by the number in the text
  std::vector<std::int32_t> open_;               // axes of the open loops; -1 of an if
};

/// The next line that is not empty.
std::optional<LineCursor> KernelReader::next_line() {
  while (!text_.empty()) {
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    LineCursor c(line, ++line_number_);
    if (!c.at_end()) return c;
  }
  return std::nullopt;
}

Kernel KernelReader::read() {
  std::optional<LineCursor> c = next_line();
  if (!c) LineCursor("", 1).fail("a kernel");
  c->expect("kernel");
  kernel_.name = c->name();
  kernel_.inlined = c->accept("inlined");
  c->finish();
  while ((c = next_line()) && read_head_line(*c)) c->finish();
  while (kernel_.comment.ends_with('\n')) kernel_.comment.pop_back();
  for (; c; c = next_line()) {
    read_statement(*c);
    c->finish();
  }
  return std::move(kernel_);
}

// --- the head ---

bool KernelReader::read_head_line(LineCursor& c) {
  if (c.accept("//")) {
    kernel_.comment += (std::exchange(in_comment_, true) ? "\n" : "") + c.rest();
    return true;
  }
  const bool symbols = c.accept("dims");
  if (symbols || c.accept("values")) {
    do {
      const Label label = c.label();
      const Dim d = symbols ? Dim::symbol(label.first)
                            : Dim::value(scalar(label.first, DType::int64).value());
      if (!symbols_.emplace(label, d).second) c.fail("names that differ before this");
    } while (c.accept(","));
    return true;
  }
  if (c.accept("buffer")) {
    read_buffer(c);
    return true;
  }
  if (!c.accept("axis")) return false;
  read_axis(c);
  return true;
}

void KernelReader::read_buffer(LineCursor& c) {
  const Label label = c.label();
  if (!buffers_.emplace(label, static_cast<std::int32_t>(kernel_.buffers.size())).second)
    c.fail("a new name before this");
  BufferParam b;
  b.name = label.first;
  c.expect(":");
  b.dtype = dtype(c);
  c.expect("[");
  b.elements = dim(c);
  c.expect("]");
  const std::string use = c.word("in, out, inout or unused");
  b.reads = use == "in" || use == "inout";
  b.writes = use == "out" || use == "inout";
  if (!b.reads && !b.writes && use != "unused") c.fail("in, out, inout or unused before this");
  b.per_worker = c.accept("worker");
  b.aliased = !b.per_worker && c.accept("aliased");
  b.by_value = !b.per_worker && !b.aliased && c.accept("value");
  kernel_.buffers.push_back(std::move(b));
}

void KernelReader::read_axis(LineCursor& c) {
  const Label label = c.label();
  if (!axes_.emplace(label, static_cast<std::int32_t>(kernel_.axes.size())).second)
    c.fail("a new name before this");
  Axis axis;
  axis.name = label.first;
  c.expect(":");
  bool known = false;
  for (std::size_t i = 0; i < axis_words.size() && !known; ++i) {
    known = c.accept(axis_words[i]);
    if (known) axis.kind = static_cast<AxisKind>(i);
  }
  if (!known) c.fail("the kind of an axis");
  if (LineCursor::is_digit(c.peek())) axis.width = c.number<int>("a width");
  if (c.accept("chains")) axis.chains = c.number<int>("a number of chains");
  axis.masks = c.accept("masks");
  kernel_.axes.push_back(std::move(axis));
}

// --- dimensions ---

// `depth` counts the parentheses around.
Dim KernelReader::dim(LineCursor& c, int depth) {
  if (depth > most_parentheses)
    c.fail(fmt::format("at most {} parentheses in one another", most_parentheses));
  bool negative = c.accept("-");
  std::vector<Dim> parts = {term(c, negative, depth)};
  while ((negative = c.accept("-")) || c.accept("+")) parts.push_back(term(c, negative, depth));
  return sum_of(parts);
}

Dim KernelReader::term(LineCursor& c, bool negative, int depth) {
  Dim product = negative ? -1 : 1;
  if (LineCursor::is_digit(c.peek())) {
    const auto size = c.number<std::uint64_t>("an integer");
    if (size > (std::uint64_t{1} << 63) - !negative) c.fail("an int64 before this");
    product = static_cast<std::int64_t>(negative ? 0 - size : size);
    if (!c.accept("*")) return product;
  }
  do product = product * factor(c, depth);
  while (c.accept("*"));
  return product;
}

Dim KernelReader::factor(LineCursor& c, int depth) {
  if (c.accept("(")) {
    const Dim d = dim(c, depth + 1);
    c.expect(")");
    return d;
  }
  if (c.accept_call("floor"))
    return pair(c, [](const Dim& a, const Dim& b) { return floor_div(a, b); }, "/", depth);
  if (c.accept_call("mod"))
    return pair(c, [](const Dim& a, const Dim& b) { return mod(a, b); }, ",", depth);
  if (c.accept_call("min"))
    return pair(c, [](const Dim& a, const Dim& b) { return min(a, b); }, ",", depth);
  if (c.accept_call("max"))
    return pair(c, [](const Dim& a, const Dim& b) { return max(a, b); }, ",", depth);
  const Label label = c.label();
  const auto known = symbols_.find(label);
  if (known == symbols_.end()) c.fail(fmt::format("'{}' among dims or values", label.first));
  return known->second;
}

Dim KernelReader::pair(LineCursor& c, Dim (*make)(const Dim&, const Dim&), std::string_view between,
                       int depth) {
  const Dim left = dim(c, depth + 1);
  c.expect(between);
  const Dim right = dim(c, depth + 1);
  c.expect(")");
  return make(left, right);
}

// --- parts of statements ---

DType KernelReader::dtype(LineCursor& c) {
  for (int i = 0; i < dtype_count; ++i)
    if (const auto t = static_cast<DType>(i);
        !is_half(t) && !is_complex(t) && c.accept(short_name_of(t)))
      return t;
  c.fail("a dtype");
}

Cell KernelReader::cell(LineCursor& c, DType t) {
  Cell v{.u = 0};
  if (is_bool(t)) {
    v.b = c.accept("true");
    if (!v.b) c.expect("false");
  } else if (is_signed(t)) {
    v.i = c.number<std::int64_t>("an integer");
  } else if (is_unsigned(t)) {
    v.u = c.number<std::uint64_t>("an unsigned integer");
  } else if (t == DType::float32) {
    v.f32 = c.floating<float, std::uint32_t>();
  } else {
    v.f64 = c.floating<double, std::uint64_t>();
  }
  return v;
}

const Op* KernelReader::op(LineCursor& c) {
  const std::string name = c.word("an operation");
  const Op* found = find_op(name);
  if (!found) c.fail(fmt::format("an operation instead of '{}'", name));
  return found;
}

std::int32_t KernelReader::value(LineCursor& c) {
  c.expect("%");
  const auto number = c.number<std::int64_t>("the number of a value");
  const auto known = values_.find(number);
  if (known == values_.end()) c.fail(fmt::format("%{} to be defined above", number));
  return known->second;
}

std::int32_t KernelReader::labelled(LineCursor& c, const std::map<Label, std::int32_t>& labels,
                                    std::string_view what) {
  const Label label = c.label();
  const auto known = labels.find(label);
  if (known == labels.end()) c.fail(fmt::format("{} instead of '{}'", what, label.first));
  return known->second;
}

/// Values up to `close`, which is passed.
void KernelReader::read_values(LineCursor& c, Statement& s, std::string_view close) {
  if (c.accept(close)) return;
  do s.args.push_back(value(c));
  while (c.accept(","));
  c.expect(close);
}

void KernelReader::read_place(LineCursor& c, Statement& s) {
  s.buffer = labelled(c, buffers_, "a buffer");
  c.expect("[");
  s.args.push_back(value(c));
  c.expect("]");
  if (c.accept("contiguous")) s.access = Access::contiguous;
  if (c.accept("gather")) s.access = Access::gather;
}

// --- statements ---

void KernelReader::read_statement(LineCursor& c) {
  if (c.peek() != '%') {
    kernel_.body.push_back(read_effect(c));
    return;
  }
  c.expect("%");
  const auto number = c.number<std::int64_t>("the number of a value");
  const auto position = static_cast<std::int32_t>(kernel_.body.size());
  if (values_.contains(number)) c.fail(fmt::format("%{} to be defined once", number));
  Statement s;
  if (c.peek() != ':') s.name = c.name();
  c.expect(":");
  s.dtype = dtype(c);
  s.lanes = c.accept("lanes");
  c.expect("=");
  kernel_.body.push_back(read_result(c, std::move(s)));
  values_.emplace(number, position);
}

Statement KernelReader::read_result(LineCursor& c, Statement s) {
  if (c.accept("extent")) {
    s.code = Code::extent;
    s.dim = dim(c);
  } else if (c.accept("axis")) {
    s.code = Code::axis;
    s.axis = labelled(c, axes_, "an axis");
  } else if (c.accept("load")) {
    s.code = Code::load;
    read_place(c, s);
    s.value = c.accept("fill") ? cell(c, s.dtype) : Cell{.u = 0};
  } else if (c.accept("acc")) {
    s.code = Code::acc;
    s.op = op(c);
    c.expect("from");
    s.value = cell(c, s.dtype);
  } else if (c.accept("fold")) {
    s.code = Code::fold;
    s.args.push_back(value(c));
    s.number = c.accept("index");
  } else if (c.accept("local")) {
    s.code = Code::local;
    c.expect("[");
    do s.extents.push_back(c.number<std::int64_t>("an extent"));
    while (c.accept(","));
    c.expect("]");
  } else if (c.accept("get")) {
    s.code = Code::get;
    s.args.push_back(value(c));
    c.expect("[");
    read_values(c, s, "]");
  } else if (c.accept("carry")) {
    s.code = Code::carry;
    s.args.push_back(value(c));
  } else if (c.accept("read_rows")) {
    s.code = Code::read_rows;
    read_place(c, s);
    s.extents.push_back(c.number<std::int64_t>("the elements of a row"));
    c.expect("by");
    s.args.push_back(value(c));
  } else {
    return read_call(c, std::move(s));
  }
  return s;
}

/// A constant, or something called with values.
Statement KernelReader::read_call(LineCursor& c, Statement s) {
  const auto is_constant = [&] {
    if (LineCursor::is_digit(c.peek()) || c.peek() == '-') return true;
    LineCursor ahead = c;
    for (const std::string_view word : {"inf", "nan", "true", "false"})
      if (ahead.accept(word)) return true;
    return false;
  };
  if (is_constant()) {
    s.code = Code::constant;
    s.value = cell(c, s.dtype);
    if (s.dtype == DType::int64) s.dim = s.value.i;
    return s;
  }
  if (c.accept_call("cast")) {
    s.code = Code::cast;
  } else if (c.accept_call("select")) {
    s.code = Code::select;
  } else {
    s.code = Code::let;
    s.op = op(c);
    c.expect("(");
  }
  read_values(c, s, ")");
  return s;
}

Statement KernelReader::read_effect(LineCursor& c) {
  for (const Code code : {Code::store, Code::update, Code::prefetch, Code::transpose,
                          Code::write_rows, Code::update_rows})
    if (c.accept(code_words[static_cast<std::size_t>(code)])) return read_access(c, code);
  for (const Code code : {Code::loop, Code::if_, Code::else_, Code::end})
    if (c.accept(code_words[static_cast<std::size_t>(code)])) return read_block(c, code);
  Statement s;
  const auto next = [&](std::string_view before) {
    c.expect(before);
    s.args.push_back(value(c));
  };
  if (c.accept("barrier")) {
    s.code = Code::barrier;
  } else if (c.accept("check")) {
    s.code = Code::check;
    s.number = c.number<std::int32_t>("the number of the check");
    for (const std::string_view before : {"if", "at", "value", "bound"}) next(before);
    for (const std::int32_t a : s.args)
      s.lanes = s.lanes || kernel_.body[static_cast<std::size_t>(a)].lanes;
  } else if (c.accept("set")) {
    s.code = Code::set;
    s.args.push_back(value(c));
    c.expect("[");
    read_values(c, s, "]");
    next("=");
    s.dtype = dtype_of_arg(s, s.args.size() - 1);
  } else {
    s.code = c.accept("reduce") ? Code::reduce : Code::yield;
    if (s.code == Code::yield && !c.accept("yield")) c.fail("a statement");
    s.args.push_back(value(c));
    next(",");
    s.dtype = dtype_of_arg(s, 1);
    if (c.accept(",")) s.args.push_back(value(c));
  }
  return s;
}

/// store, update, prefetch, transpose, write_rows, update_rows
Statement KernelReader::read_access(LineCursor& c, Code code) {
  Statement s;
  s.code = code;
  read_place(c, s);
  if (code == Code::prefetch) {
    if (c.accept("ahead")) s.args.push_back(value(c));
    return s;
  }
  if (code == Code::transpose) {
    read_values(c, s, "into");
    s.number = labelled(c, buffers_, "a buffer");
    s.dtype = kernel_.buffers[static_cast<std::size_t>(s.buffer)].dtype;
    c.expect("by");
    s.extents.push_back(c.number<std::int64_t>("the elements of a row"));
    return s;
  }
  const bool rows = code == Code::write_rows || code == Code::update_rows;
  s.lanes = rows || s.access != Access::uniform;
  if (code == Code::update) s.atomic = c.accept("atomic");
  if (code == Code::update || code == Code::update_rows) s.op = op(c);
  std::int32_t condition = -1;
  if (code == Code::store) {
    s.stream = c.accept("stream");
    if (!c.accept("=")) {
      condition = value(c);
      c.expect("=");
    }
  }
  if (code == Code::write_rows) c.expect("=");
  do s.args.push_back(value(c));
  while (rows && c.accept(","));
  if (condition >= 0) s.args.push_back(condition);
  s.dtype = dtype_of_arg(s, 1);
  return s;
}

/// loop, if, else, end
Statement KernelReader::read_block(LineCursor& c, Code code) {
  Statement s;
  s.code = code;
  if (code == Code::loop) {
    s.dtype = DType::int64;
    s.axis = labelled(c, axes_, "an axis");
    Axis& axis = kernel_.axes[static_cast<std::size_t>(s.axis)];
    s.name = axis.name;
    c.expect("[");
    s.args.push_back(value(c));
    c.expect(",");
    s.args.push_back(value(c));
    c.expect(")");
    if (c.accept("grain")) axis.grain = value(c);
    open_.push_back(s.axis);
  } else if (code == Code::if_) {
    s.args.push_back(value(c));
    open_.push_back(-1);
  } else if (open_.empty()) {
    c.fail("a loop or an if to be open");
  } else if (code == Code::end) {
    s.axis = open_.back();
    open_.pop_back();
  }
  return s;
}

}  // namespace

Kernel parse_kernel(std::string_view text) { return KernelReader(text).read(); }

}  // namespace gnomon
