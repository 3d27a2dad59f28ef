// Prints kernels: labels, constants that read back to the same bits, statements.
#include "ir/kernel/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "ir/graph/node.h"
#include "ir/text/text.h"

namespace gnomon {

bool has_result(Code code) {
  switch (code) {
    case Code::constant:
    case Code::extent:
    case Code::let:
    case Code::cast:
    case Code::select:
    case Code::axis:
    case Code::load:
    case Code::acc:
    case Code::fold:
    case Code::local:
    case Code::get:
    case Code::carry:
    case Code::read_rows: return true;
    default: return false;
  }
}

namespace {

bool is_plain(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || c == '.' || (c >= '0' && c <= '9');
  });
}

/// A name as it stands, or in quotes where it is not a word.
std::string spell(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

/// The second of two equal names is "name#2".
std::string label(std::string_view name, std::map<std::string, int, std::less<>>& seen) {
  const int count = ++seen.try_emplace(std::string(name), 0).first->second;
  return count == 1 ? spell(name) : fmt::format("{}#{}", spell(name), count);
}

/// The shortest text that reads back to the same bits.
std::string cell_text(DType t, Cell c) {
  if (is_bool(t)) return c.b ? "true" : "false";
  if (is_signed(t)) return fmt::format("{}", c.i);
  if (t == DType::float32) return float_text(c.f32);
  if (t == DType::float64) return float_text(c.f64);
  return fmt::format("{}", c.u);
}

bool is_zero(DType t, Cell c) { return cell_text(t, c) == cell_text(t, Cell{.u = 0}); }

template <class Enum, std::size_t n>
std::string_view word(const std::array<std::string_view, n>& words, Enum e) {
  const auto i = static_cast<std::size_t>(e);
  return i < n ? words[i] : "?";
}

std::string_view at(const std::vector<std::string>& labels, std::int32_t i) {
  return i >= 0 && static_cast<std::size_t>(i) < labels.size() ? std::string_view(labels[i]) : "?";
}

std::string join_labels(const std::vector<std::pair<AtomRef, std::string>>& atoms) {
  std::vector<std::string_view> labels;
  for (const auto& [atom, text] : atoms) labels.push_back(text);
  return fmt::format("{}", fmt::join(labels, ", "));
}

}  // namespace

KernelPrinter::KernelPrinter(const Kernel& kernel) : kernel_(kernel) {
  std::map<std::string, int, std::less<>> buffers, axes;
  for (const BufferParam& b : kernel.buffers) buffers_.push_back(label(b.name, buffers));
  for (const Axis& a : kernel.axes) axes_.push_back(label(a.name, axes));
  label_atoms();
  print_head();
}

namespace {

// Of an atom in the order of terms.
using Place = std::tuple<bool, std::uint64_t, std::uint32_t>;

Place place_of(const Atom& atom) {
  if (atom.kind == Atom::Kind::symbol) return {false, atom.number, 0};
  return {true, atom.scalar->node().number(), atom.scalar->index()};
}

}  // namespace

// In the order that decides the order of terms, so that a polynomial reads back with its terms in
// place when the parser makes the symbols in the order of these lists.
void KernelPrinter::label_atoms() {
  std::set<Place> known;
  const auto note = [&](const AtomRef& atom) {
    if (!known.insert(place_of(*atom)).second) return;
    (atom->kind == Atom::Kind::symbol ? symbols_ : scalars_).emplace_back(atom, "");
  };
  for (const BufferParam& b : kernel_.buffers) b.elements.for_each_atom(note);
  for (const Statement& s : kernel_.body)
    if (s.code == Code::extent) s.dim.for_each_atom(note);
  for (auto* atoms : {&symbols_, &scalars_})
    std::ranges::sort(*atoms, {}, [](const auto& x) { return place_of(*x.first); });
  std::map<std::string, int, std::less<>> seen;
  for (auto& [atom, text] : symbols_) text = label(atom->name, seen);
  for (auto& [atom, text] : scalars_) {
    const std::string described = describe(*atom->scalar);
    text = label(described.substr(0, described.rfind(':')), seen);
  }
}

void KernelPrinter::print_head() {
  head_.push_back("kernel " + spell(kernel_.name) + (kernel_.inlined ? " inlined" : ""));
  for (std::size_t from = 0; from < kernel_.comment.size();) {
    const std::size_t to = std::min(kernel_.comment.find('\n', from), kernel_.comment.size());
    head_.push_back(from == to ? "//" : "// " + kernel_.comment.substr(from, to - from));
    from = to + 1;
  }
  if (!symbols_.empty()) head_.push_back("dims " + join_labels(symbols_));
  if (!scalars_.empty()) head_.push_back("values " + join_labels(scalars_));
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const BufferParam& b = kernel_.buffers[i];
    const std::string_view use =
        b.writes ? (b.reads ? "inout" : "out") : (b.reads ? "in" : "unused");
    head_.push_back(fmt::format("buffer {}: {}[{}] {}{}", buffers_[i], short_name_of(b.dtype),
                                dim(b.elements), use,
                                b.per_worker ? " worker"
                                : b.aliased  ? " aliased"
                                : b.by_value ? " value"
                                             : ""));
  }
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    const Axis& a = kernel_.axes[i];
    std::string line = fmt::format("axis {}: {}", axes_[i], word(axis_words, a.kind));
    if (a.width != 1) line += fmt::format(" {}", a.width);
    if (a.chains != 1) line += fmt::format(" chains {}", a.chains);
    if (a.masks) line += " masks";
    head_.push_back(std::move(line));
  }
}

std::string KernelPrinter::dim(const Dim& d) const {
  return d.text([&](const Atom& atom) {
    const auto& atoms = atom.kind == Atom::Kind::symbol ? symbols_ : scalars_;
    const auto at = std::ranges::lower_bound(atoms, place_of(atom), {},
                                             [](const auto& x) { return place_of(*x.first); });
    return at != atoms.end() && *at->first == atom ? at->second : std::string("?");
  });
}

std::string KernelPrinter::type(const Statement& s) const {
  return fmt::format("{}{}", short_name_of(s.dtype), s.lanes ? " lanes" : "");
}

std::string KernelPrinter::value(const Statement& s, std::size_t arg) const {
  return arg < s.args.size() ? fmt::format("%{}", s.args[arg]) : "%?";
}

std::string KernelPrinter::values(const Statement& s, std::size_t from) const {
  std::string out;
  for (std::size_t k = from; k < s.args.size(); ++k) out += (k == from ? "" : ", ") + value(s, k);
  return out;
}

/// "x[%3] contiguous"
std::string KernelPrinter::place(const Statement& s) const {
  std::string out = fmt::format("{}[{}]", at(buffers_, s.buffer), value(s, 0));
  if (s.access != Access::uniform) out += fmt::format(" {}", word(access_words, s.access));
  return out;
}

/// A statement without a result.
std::string KernelPrinter::effect(const Statement& s) const {
  const std::string_view name = word(code_words, s.code);
  switch (s.code) {
    case Code::store:
      return fmt::format("store {}{}{} = {}", place(s), s.stream ? " stream" : "",
                         s.args.size() > 2 ? " " + value(s, 2) : "", value(s, 1));
    case Code::update:
      return fmt::format("update {}{} {} {}", place(s), s.atomic ? " atomic" : "",
                         s.op ? s.op->name : "?", value(s, 1));
    case Code::loop: {
      std::string out =
          fmt::format("loop {} [{}, {})", at(axes_, s.axis), value(s, 0), value(s, 1));
      const bool known = s.axis >= 0 && static_cast<std::size_t>(s.axis) < axes_.size();
      if (known && kernel_.axes[s.axis].grain >= 0)
        out += fmt::format(" grain %{}", kernel_.axes[s.axis].grain);
      return out;
    }
    case Code::set: {
      std::string index;
      for (std::size_t k = 1; k + 1 < s.args.size(); ++k)
        index += (k == 1 ? "" : ", ") + value(s, k);
      return fmt::format("set {}[{}] = {}", value(s, 0), index,
                         value(s, std::max<std::size_t>(s.args.size(), 2) - 1));
    }
    case Code::check:
      return fmt::format("check {} if {} at {} value {} bound {}", s.number, value(s, 0),
                         value(s, 1), value(s, 2), value(s, 3));
    case Code::reduce:
    case Code::yield: return fmt::format("{} {}", name, values(s, 0));
    case Code::if_: return fmt::format("if {}", value(s, 0));
    case Code::prefetch:
      return fmt::format("prefetch {}{}", place(s),
                         s.args.size() > 1 ? " ahead " + value(s, 1) : "");
    case Code::transpose:
      return fmt::format("transpose {} {} into {} by {}", place(s), values(s, 1),
                         at(buffers_, s.number), fmt::join(s.extents, ", "));
    case Code::write_rows: return fmt::format("write_rows {} = {}", place(s), values(s, 1));
    case Code::update_rows:
      return fmt::format("update_rows {} {} {}", place(s), s.op ? s.op->name : "?", values(s, 1));
    default: return std::string(name);
  }
}

/// The right side of a statement with a result.
std::string KernelPrinter::result(const Statement& s) const {
  const std::string_view name = word(code_words, s.code);
  switch (s.code) {
    case Code::constant: return cell_text(s.dtype, s.value);
    case Code::extent: return fmt::format("extent {}", dim(s.dim));
    case Code::let: return fmt::format("{}({})", s.op ? s.op->name : "?", values(s, 0));
    case Code::axis: return fmt::format("axis {}", at(axes_, s.axis));
    case Code::load:
      return fmt::format("load {}{}", place(s),
                         is_zero(s.dtype, s.value) ? "" : " fill " + cell_text(s.dtype, s.value));
    case Code::acc:
      return fmt::format("acc {} from {}", s.op ? s.op->name : "?", cell_text(s.dtype, s.value));
    case Code::fold: {
      const std::string field = s.number == 1 ? " index" : fmt::format(" field {}", s.number);
      return fmt::format("fold {}{}", value(s, 0), s.number == 0 ? "" : field);
    }
    case Code::local: return fmt::format("local [{}]", fmt::join(s.extents, ", "));
    case Code::get: return fmt::format("get {}[{}]", value(s, 0), values(s, 1));
    case Code::carry: return fmt::format("carry {}", value(s, 0));
    case Code::read_rows:
      return fmt::format("read_rows {} {} by {}", place(s), s.extents[0], value(s, 1));
    default: return fmt::format("{}({})", name, values(s, 0));
  }
}

std::string KernelPrinter::statement(std::size_t i) const {
  const Statement& s = kernel_.body[i];
  if (!has_result(s.code)) return effect(s);
  const std::string name = s.name.empty() ? "" : ' ' + spell(s.name);
  return fmt::format("%{}{}: {} = {}", i, name, type(s), result(s));
}

std::string text(const Kernel& kernel) {
  const KernelPrinter printer(kernel);
  std::string out;
  for (const std::string& line : printer.head()) out += line + '\n';
  out += '\n';
  std::size_t depth = 0;
  for (std::size_t i = 0; i < kernel.body.size(); ++i) {
    const Code code = kernel.body[i].code;
    if ((code == Code::end || code == Code::else_) && depth > 0) --depth;
    out.append(2 * depth, ' ') += printer.statement(i) + '\n';
    if (code == Code::loop || code == Code::if_ || code == Code::else_) ++depth;
  }
  return out;
}

}  // namespace gnomon
