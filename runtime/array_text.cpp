// How arrays are shown: type texts and NumPy's layout of values.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "runtime/array.h"

namespace gnomon {

namespace {

constexpr std::int64_t whole_up_to = 1000;  // elements printed without leaving any out
constexpr std::int64_t edge = 3;            // indices kept at each end of a long axis
constexpr std::size_t line_width = 75;

std::string integral_text(std::int64_t v) { return fmt::format("{}", v); }

// The shortest digits that read back as the same value, NumPy's way: "1.", "0.1", "1e-10", "nan".
template <class T>
std::string float_text(T v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  std::string text = fmt::format("{}", v);
  if (text.find_first_of(".e") == std::string::npos) text += '.';
  return text;
}

template <class T>
std::string element_text(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "True" : "False";
  } else if constexpr (std::is_floating_point_v<T>) {
    return float_text(v);
  } else if constexpr (std::is_unsigned_v<T>) {
    return fmt::format("{}", static_cast<std::uint64_t>(v));
  } else {
    return integral_text(v);
  }
}

class Printer {
 public:
  explicit Printer(const Array& array) : array_(array), elide_(array.size() > whole_up_to) {}

  std::string print() {
    if (array_.size() == 0) return array_.rank() == 0 ? "" : "[]";
    visit(0, 0, [this](std::int64_t at) { width_ = std::max(width_, text(at).size()); });
    write(0, 0);
    return std::move(out_);
  }

 private:
  std::int64_t extent(int axis) const { return array_.shape()[static_cast<std::size_t>(axis)]; }
  std::int64_t stride(int axis) const { return array_.strides()[static_cast<std::size_t>(axis)]; }
  bool skips(int axis) const { return elide_ && extent(axis) > 2 * edge; }
  std::int64_t after(int axis, std::int64_t i) const {
    return skips(axis) && i == edge - 1 ? extent(axis) - edge : i + 1;
  }

  std::string text(std::int64_t at) const {
    return with_type(array_.dtype(),
                     [&](auto zero) { return element_text(array_.data<decltype(zero)>()[at]); });
  }

  template <class F>
  void visit(int axis, std::int64_t at, const F& f) {
    if (axis == array_.rank()) return f(at);
    for (std::int64_t i = 0; i < extent(axis); i = after(axis, i))
      visit(axis + 1, at + i * stride(axis), f);
  }

  void write(int axis, std::int64_t at) {
    if (axis == array_.rank()) {
      out_ += fmt::format("{:>{}}", text(at), width_);
      return;
    }
    out_ += '[';
    axis + 1 == array_.rank() ? write_row(axis, at) : write_blocks(axis, at);
    out_ += ']';
  }

  // The innermost axis: values side by side, broken into lines.
  void write_row(int axis, std::int64_t at) {
    const auto indent = static_cast<std::size_t>(array_.rank());
    std::size_t column = indent;
    const auto place = [&](const std::string& word) {
      if (column != indent) {
        const bool fits = column + 1 + word.size() <= line_width;
        out_ += fits ? std::string(" ") : "\n" + std::string(indent, ' ');
        column = fits ? column + 1 : indent;
      }
      out_ += word;
      column += word.size();
    };
    for (std::int64_t i = 0; i < extent(axis); i = after(axis, i)) {
      place(fmt::format("{:>{}}", text(at + i * stride(axis)), width_));
      if (skips(axis) && i == edge - 1) place("...");
    }
  }

  void write_blocks(int axis, std::int64_t at) {
    const auto lines = static_cast<std::size_t>(array_.rank() - axis - 1);
    const std::string gap =
        std::string(lines, '\n') + std::string(static_cast<std::size_t>(axis) + 1, ' ');
    for (std::int64_t i = 0; i < extent(axis); i = after(axis, i)) {
      if (i != 0) out_ += gap;
      write(axis + 1, at + i * stride(axis));
      if (skips(axis) && i == edge - 1) out_ += gap + "...";
    }
  }

  const Array& array_;
  const bool elide_;
  std::size_t width_ = 0;
  std::string out_;
};

}  // namespace

std::string describe(DType dtype, std::span<const std::int64_t> shape) {
  std::string text(short_name_of(dtype));
  text += '[';
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    fmt::format_to(std::back_inserter(text), "{}", shape[i]);
  }
  return text + ']';
}

std::string Array::describe() const { return gnomon::describe(dtype(), shape()); }

std::string Array::to_string() const {
  record();
  return Printer(*this).print();
}

}  // namespace gnomon
