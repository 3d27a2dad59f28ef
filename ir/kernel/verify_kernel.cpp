// Checks that a kernel keeps the rules of kernel.h; the first fault is an InternalError that
// names the statement and its line.
#include <fmt/format.h>

#include <algorithm>

#include "ir/kernel/kernel_text.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

/// The least and greatest number of arguments.
struct Count {
  std::size_t least, most;
};

Count argument_count(const Statement& s) {
  switch (s.code) {
    case Code::cast:
    case Code::load:
    case Code::fold:
    case Code::carry:
    case Code::if_: return {1, 1};
    case Code::prefetch: return {1, 2};
    case Code::store: return {2, 3};
    case Code::read_rows:
    case Code::update:
    case Code::loop:
    case Code::yield: return {2, 2};
    case Code::reduce: return {2, 3};
    case Code::select: return {3, 3};
    case Code::check:
    case Code::transpose: return {4, 4};
    case Code::let: return {1, static_cast<std::size_t>(-1)};
    case Code::write_rows:
    case Code::update_rows: return {2, static_cast<std::size_t>(-1)};
    // The shape of the local decides; checked with it.
    case Code::get: return {2, static_cast<std::size_t>(-1)};
    case Code::set: return {3, static_cast<std::size_t>(-1)};
    default: return {0, 0};
  }
}

/// What argument 0 must be where it is not a plain value.
Code handle_of(Code code) {
  switch (code) {
    case Code::reduce:
    case Code::fold: return Code::acc;
    case Code::get:
    case Code::set: return Code::local;
    case Code::yield: return Code::carry;
    default: return Code::let;
  }
}

std::string type_text(DType t, bool lanes) {
  return fmt::format("{}{}", short_name_of(t), lanes ? " lanes" : "");
}

class KernelVerifier {
 public:
  explicit KernelVerifier(const Kernel& kernel)
      : k_(kernel), printer_(kernel), notes_(kernel.body.size()) {}
  void run();

 private:
  /// A loop, a branch of an if, or the whole kernel.
  struct Scope {
    std::int32_t parent = -1;
    std::int32_t opener = -1;  // loop, if or else
    std::int32_t axis = -1;    // of a loop
  };
  struct Note {
    std::int32_t scope = 0;  // where the result can be used
    bool done = false;       // acc: folded; carry: its next value is known
  };

  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;
  void require(bool holds, std::string_view expected, std::string_view found) const {
    if (!holds) fail(expected, found);
  }
  void check_statement();
  void check_arguments() const;
  void check_let() const;
  void check_combine() const;
  void check_memory() const;
  void check_rows() const;
  void check_transpose() const;
  void check_loop();
  void check_nesting(const Axis& axis) const;
  void check_grain(const Axis& axis) const;
  void check_branch();
  void check_end();
  void check_accumulator();
  void check_local() const;
  void check_carry();
  void check_rest() const;
  void check_finished() const;

  const Statement& current() const { return k_.body[static_cast<std::size_t>(i_)]; }
  const Statement& arg(std::size_t n) const {
    return k_.body[static_cast<std::size_t>(current().args[n])];
  }
  Note& note(std::int32_t i) { return notes_[static_cast<std::size_t>(i)]; }
  const Note& note(std::int32_t i) const { return notes_[static_cast<std::size_t>(i)]; }
  const Scope& scope(std::int32_t s) const { return scopes_[static_cast<std::size_t>(s)]; }
  std::string argument_text(std::size_t n) const {
    return fmt::format("%{}: {}", current().args[n], type_text(arg(n).dtype, arg(n).lanes));
  }
  const Axis* axis_of(std::int32_t s) const {
    return scope(s).axis < 0 ? nullptr : &k_.axes[static_cast<std::size_t>(scope(s).axis)];
  }
  bool is_open(std::int32_t s) const;
  /// Whether a loop of `kind` is open, between here and the scope `outer` if one is given.
  bool is_inside(AxisKind kind, std::int32_t outer = -1) const;
  bool any_lanes(std::size_t from = 0) const;
  void require_type(std::size_t n, DType t) const;
  void require_uniform(std::size_t n) const;
  void require_lanes(bool lanes) const;

  const Kernel& k_;
  KernelPrinter printer_;
  std::vector<Scope> scopes_{Scope{}};
  std::int32_t scope_ = 0;  // innermost open
  std::int32_t i_ = 0;      // the statement being checked
  std::vector<Note> notes_;
};

void KernelVerifier::fail(std::string_view expected, std::string_view found) const {
  const Statement& s = current();
  const auto code = static_cast<std::size_t>(s.code);
  std::string_view what = code < code_words.size() ? code_words[code] : "statement";
  if (s.code == Code::let && s.op) what = s.op->name;
  const auto at = static_cast<std::size_t>(i_);
  throw InternalError(fmt::format("kernel {}, line {}: {}: expected {}, found {} in '{}'", k_.name,
                                  printer_.line(at), what, expected, found,
                                  printer_.statement(at)));
}

// --- shared questions ---

bool KernelVerifier::is_open(std::int32_t s) const {
  for (std::int32_t open = scope_; open >= 0; open = scope(open).parent)
    if (open == s) return true;
  return false;
}

bool KernelVerifier::is_inside(AxisKind kind, std::int32_t outer) const {
  for (std::int32_t open = scope_; open != outer && open >= 0; open = scope(open).parent)
    if (const Axis* axis = axis_of(open); axis && axis->kind == kind) return true;
  return false;
}

bool KernelVerifier::any_lanes(std::size_t from) const {
  for (std::size_t n = from; n < current().args.size(); ++n)
    if (arg(n).lanes) return true;
  return false;
}

void KernelVerifier::require_type(std::size_t n, DType t) const {
  require(arg(n).dtype == t, short_name_of(t), argument_text(n));
}

void KernelVerifier::require_uniform(std::size_t n) const {
  require(!arg(n).lanes, "a value without lanes", argument_text(n));
}

void KernelVerifier::require_lanes(bool lanes) const {
  if (current().lanes != lanes) fail(lanes ? "lanes" : "no lanes", lanes ? "none" : "lanes");
}

// --- every statement ---

void KernelVerifier::run() {
  for (; i_ < static_cast<std::int32_t>(k_.body.size()); ++i_) {
    check_arguments();
    note(i_).scope = scope_;
    check_statement();
    if (has_result(current().code) && current().lanes)
      require(is_inside(AxisKind::vector), "a vector axis around lanes", "none");
  }
  check_finished();
}

void KernelVerifier::check_finished() const {
  if (scope_ != 0) {
    const Scope& open = scope(scope_);
    throw InternalError(fmt::format("kernel {}, line {}: expected an end, found none for '{}'",
                                    k_.name, printer_.line(static_cast<std::size_t>(open.opener)),
                                    printer_.statement(static_cast<std::size_t>(open.opener))));
  }
  for (std::size_t i = 0; i < k_.body.size(); ++i)
    if (k_.body[i].code == Code::acc && !notes_[i].done)
      throw InternalError(fmt::format("kernel {}, line {}: expected a fold, found none of '{}'",
                                      k_.name, printer_.line(i), printer_.statement(i)));
}

void KernelVerifier::check_arguments() const {
  const Statement& s = current();
  const auto [least, most] = argument_count(s);
  if (s.args.size() < least || s.args.size() > most)
    fail(fmt::format("{} arguments",
                     least == most ? std::to_string(least) : fmt::format("at least {}", least)),
         std::to_string(s.args.size()));
  for (std::size_t n = 0; n < s.args.size(); ++n) {
    const std::int32_t a = s.args[n];
    require(a >= 0 && a < i_, "arguments defined above", fmt::format("%{}", a));
    const Code code = arg(n).code;
    require(has_result(code), "values", fmt::format("%{}, a statement without one", a));
    require(is_open(note(a).scope), "arguments from loops and branches around it",
            fmt::format("%{}, whose scope has ended", a));
    const Code handle = n == 0 ? handle_of(s.code) : Code::let;
    const bool rows = s.code == Code::get && code == Code::read_rows;
    if (handle != Code::let)
      require(code == handle || rows, code_words[static_cast<std::size_t>(handle)],
              argument_text(n));
    else
      require(code != Code::acc && code != Code::local && code != Code::read_rows, "values",
              fmt::format("%{}, an {}", a, code == Code::acc ? "accumulator" : "array"));
  }
}

void KernelVerifier::check_statement() {
  switch (current().code) {
    case Code::let: return check_let();
    case Code::load:
    case Code::store:
    case Code::update:
    case Code::prefetch: return check_memory();
    case Code::transpose: return check_transpose();
    case Code::read_rows:
    case Code::write_rows:
    case Code::update_rows: return check_rows();
    case Code::loop: return check_loop();
    case Code::if_:
    case Code::else_: return check_branch();
    case Code::end: return check_end();
    case Code::acc:
    case Code::reduce:
    case Code::fold: return check_accumulator();
    case Code::local:
    case Code::get:
    case Code::set: return check_local();
    case Code::carry:
    case Code::yield: return check_carry();
    default: return check_rest();
  }
}

// --- values ---

void KernelVerifier::check_let() const {
  const Statement& s = current();
  require(s.op && s.op->is_elementwise(), "an elementwise op", s.op ? s.op->name : "none");
  const auto count = static_cast<int>(s.args.size());
  const bool fits = s.op->operands < 0 ? count >= s.op->at_least : count == s.op->operands;
  require(fits, fmt::format("{} operands", s.op->operands < 0 ? s.op->at_least : s.op->operands),
          std::to_string(count));
  // The type rules of other ops have seen to their operands.
  if (s.op->promotion != Promotion::none)
    for (std::size_t n = 1; n < s.args.size(); ++n) require_type(n, arg(0).dtype);
  const DType result = scalar_result(*s.op, arg(s.args.size() - 1).dtype);
  require(s.dtype == result, fmt::format("a result of {}", short_name_of(result)),
          short_name_of(s.dtype));
  require_lanes(any_lanes());
}

/// constant, extent, cast, select, axis, check, barrier
void KernelVerifier::check_rest() const {
  const Statement& s = current();
  switch (s.code) {
    case Code::constant:
    case Code::extent:
      if (s.code == Code::extent) require(s.dtype == DType::int64, "i64", short_name_of(s.dtype));
      return require_lanes(false);
    case Code::cast: return require_lanes(any_lanes());
    case Code::select:
      require_type(0, DType::bool_);
      require_type(1, s.dtype);
      require_type(2, s.dtype);
      return require_lanes(any_lanes());
    case Code::axis: {
      require(s.dtype == DType::int64, "i64", short_name_of(s.dtype));
      std::int32_t open = scope_;
      while (open >= 0 && (scope(open).axis < 0 || scope(open).axis != s.axis))
        open = scope(open).parent;
      require(open >= 0, "the axis of a loop around it", "none");
      return require_lanes(axis_of(open)->kind == AxisKind::vector);
    }
    case Code::check:
      require(s.number >= 0, "a number from 0", std::to_string(s.number));
      require_type(0, DType::bool_);
      for (std::size_t n = 1; n < 4; ++n) require_type(n, DType::int64);
      return require_lanes(any_lanes());
    case Code::barrier:
      require(is_inside(AxisKind::block), "a block axis around it", "none");
      return require(!is_inside(AxisKind::thread), "all threads of the block", "a thread axis");
    default: fail("a statement", "an unknown one");
  }
}

// --- memory ---

void KernelVerifier::check_combine() const {
  const Op* op = current().op;
  const std::string_view expected = "an op that combines two values of the buffer";
  require(op && op->is_elementwise(), expected, op ? op->name : "none");
  require(op->operands < 0 ? op->at_least <= 2 : op->operands == 2, expected, op->name);
  require(op->type != predicate_type || current().dtype == DType::bool_, expected, op->name);
}

void KernelVerifier::check_memory() const {
  const Statement& s = current();
  require(s.buffer >= 0 && static_cast<std::size_t>(s.buffer) < k_.buffers.size(), "a buffer",
          std::to_string(s.buffer));
  const BufferParam& buffer = k_.buffers[static_cast<std::size_t>(s.buffer)];
  require_type(0, DType::int64);
  if (s.access == Access::gather)
    require(arg(0).lanes, "an offset with lanes", argument_text(0));
  else
    require_uniform(0);
  if (s.access == Access::contiguous)
    require(is_inside(AxisKind::vector), "a vector axis around contiguous lanes", "none");
  require(!s.stream || s.code == Code::store, "stream on a store", "it elsewhere");
  require(!s.atomic || (s.code == Code::update && s.access == Access::uniform && s.op != nullptr &&
                        is_atomic(*s.op, s.dtype)),
          "atomic on an update in any order", "it elsewhere");
  if (s.code == Code::prefetch) {
    if (s.args.size() < 2) return;
    require_type(1, DType::int64);
    return require_uniform(1);
  }
  require(s.dtype == buffer.dtype, fmt::format("{} of the buffer", short_name_of(buffer.dtype)),
          short_name_of(s.dtype));
  require_lanes(s.access != Access::uniform);
  if (s.code == Code::load) return;
  require(buffer.writes, "a buffer that is written", "one that is not");
  require_type(1, s.dtype);
  if (s.access == Access::uniform) require_uniform(1);
  if (s.code == Code::store && s.args.size() > 2) {
    require(s.stream, "stream before a condition", "none");
    require_type(2, DType::int64);
    require_uniform(2);
  }
  if (s.code == Code::update) check_combine();
}

void KernelVerifier::check_rows() const {
  const Statement& s = current();
  require(s.buffer >= 0 && static_cast<std::size_t>(s.buffer) < k_.buffers.size(), "a buffer",
          std::to_string(s.buffer));
  const BufferParam& buffer = k_.buffers[static_cast<std::size_t>(s.buffer)];
  require(is_inside(AxisKind::vector), "a vector axis around rows", "none");
  require_type(0, DType::int64);
  require_uniform(0);
  require(s.dtype == buffer.dtype, fmt::format("{} of the buffer", short_name_of(buffer.dtype)),
          short_name_of(s.dtype));
  require_lanes(true);
  if (s.code == Code::read_rows) {
    require_type(1, DType::int64);
    require_uniform(1);
    return require(s.extents.size() == 1 && s.extents[0] >= 1, "the elements of a row", "others");
  }
  require(buffer.writes, "a buffer that is written", "one that is not");
  for (std::size_t n = 1; n < s.args.size(); ++n) require_type(n, s.dtype);
  if (s.code == Code::update_rows) check_combine();
}

void KernelVerifier::check_transpose() const {
  const Statement& s = current();
  for (const std::int32_t b : {s.buffer, s.number})
    require(b >= 0 && static_cast<std::size_t>(b) < k_.buffers.size(), "a buffer",
            std::to_string(b));
  const BufferParam &from = k_.buffers[static_cast<std::size_t>(s.buffer)],
                    &to = k_.buffers[static_cast<std::size_t>(s.number)];
  require(from.reads, "a buffer that is read", "one that is not");
  require(to.writes, "a buffer that is written", "one that is not");
  for (const BufferParam* b : {&from, &to})
    require(s.dtype == b->dtype, fmt::format("{} of the buffer", short_name_of(b->dtype)),
            short_name_of(s.dtype));
  for (std::size_t n = 0; n < s.args.size(); ++n) {
    require_type(n, DType::int64);
    require_uniform(n);
  }
  require(!is_inside(AxisKind::vector), "no vector axis around it", "one");
  require(s.extents.size() == 1 && s.extents[0] >= 1, "the elements of a row", "others");
}

// --- loops and branches ---

void KernelVerifier::check_loop() {
  const Statement& s = current();
  require(s.axis >= 0 && static_cast<std::size_t>(s.axis) < k_.axes.size(), "an axis",
          std::to_string(s.axis));
  for (std::int32_t open = scope_; open >= 0; open = scope(open).parent)
    require(scope(open).axis != s.axis, "an axis of its own", "one that is open");
  const Axis& axis = k_.axes[static_cast<std::size_t>(s.axis)];
  for (const std::size_t n : {0, 1}) {
    require_type(n, DType::int64);
    require_uniform(n);
    if (axis.kind == AxisKind::unroll)
      require(arg(n).code == Code::constant, "constants as bounds of an unrolled loop",
              argument_text(n));
  }
  check_nesting(axis);
  check_grain(axis);
  scopes_.push_back({scope_, i_, s.axis});
  scope_ = static_cast<std::int32_t>(scopes_.size()) - 1;
}

void KernelVerifier::check_nesting(const Axis& axis) const {
  const bool wide = axis.kind == AxisKind::vector || axis.kind == AxisKind::thread;
  require(wide ? axis.width >= 1 : axis.width == 1, wide ? "a width from 1" : "no width",
          std::to_string(axis.width));
  require(axis.kind == AxisKind::vector ? axis.chains >= 1 : axis.chains == 1,
          axis.kind == AxisKind::vector ? "chains from 1" : "no chains",
          std::to_string(axis.chains));
  switch (axis.kind) {
    case AxisKind::parallel:
      return require(scope_ == 0, "a parallel loop outermost", "one inside another block");
    case AxisKind::vector:
      return require(!is_inside(AxisKind::vector), "one vector axis", "one inside another");
    case AxisKind::block:
      for (std::int32_t open = scope_; open > 0; open = scope(open).parent)
        require(axis_of(open) && axis_of(open)->kind == AxisKind::block,
                "a block axis outermost or in another one", "another scope around it");
      return;
    case AxisKind::thread:
      require(is_inside(AxisKind::block), "a block axis around a thread axis", "none");
      return require(!is_inside(AxisKind::thread) && !is_inside(AxisKind::vector),
                     "one thread axis", "one inside another or inside a vector axis");
    default: return;
  }
}

void KernelVerifier::check_grain(const Axis& axis) const {
  if (axis.grain == -1) return;
  require(axis.kind == AxisKind::parallel, "grain on a parallel loop", "it elsewhere");
  require(axis.grain >= 0 && axis.grain < i_, "grain defined above",
          fmt::format("%{}", axis.grain));
  const Statement& grain = k_.body[static_cast<std::size_t>(axis.grain)];
  require(has_result(grain.code) && is_open(note(axis.grain).scope), "grain that is a value here",
          fmt::format("%{}", axis.grain));
  require(grain.dtype == DType::int64 && !grain.lanes, "grain of i64 without lanes",
          fmt::format("%{}: {}", axis.grain, type_text(grain.dtype, grain.lanes)));
}

void KernelVerifier::check_branch() {
  if (current().code == Code::if_) {
    require_type(0, DType::bool_);
    require_uniform(0);
    scopes_.push_back({scope_, i_, -1});
  } else {
    const Scope& open = scope(scope_);
    require(open.opener >= 0 && k_.body[static_cast<std::size_t>(open.opener)].code == Code::if_,
            "an open if", "none");
    scopes_.push_back({open.parent, i_, -1});
  }
  scope_ = static_cast<std::int32_t>(scopes_.size()) - 1;
}

void KernelVerifier::check_end() {
  require(scope_ != 0, "an open loop or if", "none");
  const Scope closed = scope(scope_);
  require(current().axis == closed.axis, "the axis of the innermost loop",
          std::to_string(current().axis));
  for (std::int32_t a = closed.opener + 1; a < i_; ++a) {
    if (k_.body[static_cast<std::size_t>(a)].code != Code::carry || note(a).scope != scope_)
      continue;
    require(note(a).done, "a yield of every carried value", fmt::format("none of %{}", a));
    note(a).scope = closed.parent;
  }
  scope_ = closed.parent;
}

// --- accumulators, register arrays, carried values ---

void KernelVerifier::check_accumulator() {
  const Statement& s = current();
  if (s.code == Code::acc) {
    require(s.op && s.op->reduction, "a reduction", s.op ? s.op->name : "none");
    return require_lanes(false);
  }
  const bool indexed = arg(0).op && arg(0).op->reduction.arg;
  Note& acc = note(s.args[0]);
  if (s.code == Code::reduce) {
    require(!acc.done, "an accumulator that is not folded yet", argument_text(0));
    require(!is_inside(AxisKind::parallel, acc.scope) && !is_inside(AxisKind::block, acc.scope),
            "an accumulator inside the parallel loop", "one outside");
    require_type(1, arg(0).dtype);
    require((s.args.size() == 3) == indexed, indexed ? "an index" : "no index",
            indexed ? "none" : "one");
    if (indexed) require_type(2, DType::int64);
    return;
  }
  require(acc.scope == scope_, "the fold where its accumulator stands", "it in another scope");
  require(s.number == 0 || (s.number == 1 && indexed), "a field of the accumulator",
          std::to_string(s.number));
  const DType t = s.number == 0 ? arg(0).dtype : DType::int64;
  require(s.dtype == t, short_name_of(t), short_name_of(s.dtype));
  require_lanes(is_inside(AxisKind::vector));
  acc.done = true;
}

void KernelVerifier::check_local() const {
  const Statement& s = current();
  if (s.code == Code::local) {
    require(!s.extents.empty() && std::ranges::min(s.extents) >= 1, "literal extents from 1",
            "others");
    return;
  }
  const std::size_t index = s.args.size() - (s.code == Code::set ? 2 : 1);
  const std::size_t rank = arg(0).code == Code::read_rows ? 1 : arg(0).extents.size();
  require(index == rank, fmt::format("{} indices", rank), std::to_string(index));
  for (std::size_t n = 1; n <= index; ++n) {
    require_type(n, DType::int64);
    require_uniform(n);
  }
  if (s.code == Code::get) {
    require(s.dtype == arg(0).dtype, short_name_of(arg(0).dtype), short_name_of(s.dtype));
    return require_lanes(arg(0).lanes);
  }
  require(!is_inside(AxisKind::parallel, note(s.args[0]).scope) &&
              !is_inside(AxisKind::block, note(s.args[0]).scope) &&
              !is_inside(AxisKind::thread, note(s.args[0]).scope),
          "an array inside the parallel loop", "one outside");
  require_type(index + 1, arg(0).dtype);
  if (!arg(0).lanes) require_uniform(index + 1);
}

void KernelVerifier::check_carry() {
  const Statement& s = current();
  if (s.code == Code::carry) {
    const Axis* axis = axis_of(scope_);
    require(axis && (axis->kind == AxisKind::serial || axis->kind == AxisKind::unroll),
            "a serial loop around a carried value", "none");
    require_type(0, s.dtype);
    if (!s.lanes) require_uniform(0);
    return;
  }
  Note& carry = note(s.args[0]);
  require(carry.scope == scope_, "the yield in the loop of its carry", "it in another scope");
  require(!carry.done, "one yield of a carry", "a second one");
  require_type(1, arg(0).dtype);
  if (!arg(0).lanes) require_uniform(1);
  carry.done = true;
}

}  // namespace

bool is_atomic(const Op& op, DType t) {
  constexpr std::string_view names[] = {"add", "minimum", "maximum"};
  return is_integer(t) && size_of(t) >= 4 && std::ranges::find(names, op.name) != std::end(names);
}

void verify(const Kernel& kernel) { KernelVerifier(kernel).run(); }

}  // namespace gnomon
