// Names and values in the text of a kernel.
#include "codegen/text/kernel_writer.h"

#include <fmt/format.h>

#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::size_t longest_inlined = 48;  // characters of index arithmetic

}  // namespace

KernelWriter::KernelWriter(const KernelOutline& outline, const DimensionNames& dimension,
                           std::initializer_list<const char*> reserved)
    : outline_(outline),
      dimension_(dimension),
      values_(outline.kernel().body.size()),
      wishes_(outline.kernel().body.size()),
      is_sum_(outline.kernel().body.size()) {
  for (const char* name : reserved) names_.reserve(name);
  for (const BufferParam& b : outline.kernel().buffers)
    buffers_.push_back(names_.fresh(b.name.empty() ? (b.writes ? "out" : "in") : b.name));
  for (std::size_t b = 0; b < buffers_.size(); ++b)
    buffer_values_.push_back(
        outline.kernel().buffers[b].by_value ? names_.fresh(buffers_[b] + "_value") : "");
}

// --- lines ---

void KernelWriter::line(const std::string& text) {
  body_.append(2 * indent_, ' ');
  body_ += text;
  body_ += '\n';
}

void KernelWriter::open(const std::string& text) {
  line(text);
  ++indent_;
}

void KernelWriter::close(const std::string& text) {
  --indent_;
  line(text);
}

void KernelWriter::reopen(const std::string& text) {
  close(text);
  ++indent_;
}

// --- names ---

// Outside its loop a name means nothing, so another loop may use it.
std::string KernelWriter::fresh(const std::string& wish) {
  std::string name = names_.fresh(wish);
  if (!scopes_.empty()) scopes_.back().push_back(name);
  return name;
}

void KernelWriter::wish_for(int i, const std::string& name) {
  if (outline_[i].name.empty() && wishes_[i].empty()) wishes_[i] = name;
}

void KernelWriter::suggest_names() {
  for (int i = 0; i < outline_.size(); ++i) suggest_names_in(i);
}

// "j_to" for the bound of a loop, "x_at" for an offset.
void KernelWriter::suggest_names_in(int i) {
  const Statement& s = outline_[i];
  if (s.code == Code::loop) {
    const Axis& axis = outline_.axis_of(i);
    const std::string j = axis.name.empty() ? "i" : axis.name;
    wish_for(s.args[0], j + "_from");
    wish_for(s.args[1], j + "_to");
    if (const int grain = outline_.grain_of(i); grain >= 0) wish_for(grain, j + "_grain");
  } else if (s.buffer >= 0) {
    wish_for(s.args[0], buffers_[s.buffer] + "_at");
    if (s.code == Code::store && s.args.size() > 2)
      wish_for(s.args[2], buffers_[s.buffer] + "_stream");
    if (s.code == Code::prefetch && s.args.size() > 1)
      wish_for(s.args[1], buffers_[s.buffer] + "_ahead");
    if (s.code == Code::transpose) {
      wish_for(s.args[2], "rows");
      wish_for(s.args[3], "columns");
    }
  } else if (s.code == Code::check) {
    wish_for(s.args[0], "bad");
  }
}

std::string KernelWriter::wish(int i) const {
  const Statement& s = outline_[i];
  if (!s.name.empty()) return s.name;
  if (!wishes_[i].empty()) return wishes_[i];
  if (outline_.is_plain_index(i)) return "at";
  if (s.op) return std::string(s.op->name);
  if (s.code == Code::extent) return "count";
  if (s.code == Code::load)
    return buffers_[s.buffer] + "_" + (open_.empty() ? "value" : open_.back());
  if (s.code == Code::get) return values_[s.args[0]] + "_value";
  return s.code == Code::select ? "chosen" : "t";
}

std::string KernelWriter::dimension(const Atom& atom) {
  const DimensionName d = dimension_(atom);
  const auto [known, fresh] = dims_.try_emplace(d.slot);
  if (fresh) known->second = names_.fresh(d.name);
  return known->second;
}

std::string KernelWriter::spelled(const Dim& d) {
  return spell(d, [this](const Atom& a) { return dimension(a); });
}

// --- axes ---

std::string KernelWriter::open_axis(int axis) {
  scopes_.emplace_back();
  const std::string& name = outline_.kernel().axes[axis].name;
  open_.push_back(fresh(name.empty() ? "i" : name));
  return indices_[axis] = open_.back();
}

void KernelWriter::close_axis() {
  open_.pop_back();
  for (const std::string& name : scopes_.back()) names_.release(name);
  scopes_.pop_back();
}

// --- values ---

std::string KernelWriter::type(DType t, bool lanes) const {
  return lanes && width() > 0 ? lanes_name(t, width()) : type_name(t);
}

void KernelWriter::define_as(const std::string& name, int i, const std::string& expression) {
  const Statement& s = outline_[i];
  values_[i] = fresh(name);
  line(fmt::format("const {} {} = {};", type(s.dtype, s.lanes), values_[i], expression));
}

void KernelWriter::define_index(int i) {
  const Statement& s = outline_[i];
  const bool sum = s.op == &op::add;
  std::string text;
  for (const std::int32_t a : s.args)
    text += (text.empty() ? "" : (sum ? " + " : " * ")) + (sum ? plain(a) : factor(a));
  // Only in the same loop: a sum that was hoisted stays outside.
  const bool here = outline_.is_used_once_beside(i) && s.name.empty();
  if (!here || text.size() > longest_inlined) return define(i, text);
  values_[i] = text;
  is_sum_[i] = sum;
}

std::string KernelWriter::use(int i, bool lanes) const {
  const Statement& s = outline_[i];
  if (lanes && !s.lanes && width() > 0)
    return fmt::format("gn::splat<{}>({})", lanes_name(s.dtype, width()), values_[i]);
  return values_[i];
}

std::string KernelWriter::plain(int i) const {
  const Statement& s = outline_[i];
  if (s.code == Code::constant && s.dtype == DType::int64 && s.value.i >= 0)
    return fmt::format("{}", s.value.i);
  return use(i);
}

std::string KernelWriter::factor(int i) const {
  return is_sum_[i] ? "(" + values_[i] + ")" : plain(i);
}

}  // namespace gnomon
