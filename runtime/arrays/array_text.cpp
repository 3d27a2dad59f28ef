// How arrays are shown: type texts and NumPy's layout of values.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>

#include "runtime/arrays/array.h"

namespace gnomon {

namespace {

constexpr std::int64_t whole_up_to = 1000;  // elements printed without leaving any out
constexpr std::int64_t edge = 3;            // indices kept at each end of a long axis
constexpr std::size_t line_width = 75;

// Digits of a float: the shortest that read back as the same value, or `precision` after the point
// when those are fewer.
template <class T>
std::string digits(T v, std::chars_format format, int precision) {
  std::array<char, 512> buffer;  // the longest double has 309 digits before the point
  char* const end = buffer.data() + buffer.size();
  char* stop = std::to_chars(buffer.data(), end, v, format).ptr;
  std::string text(buffer.data(), stop);
  const std::size_t point = text.find('.');
  const std::size_t last = std::min(text.find('e'), text.size());
  if (point == std::string::npos) return text.insert(last, ".");
  if (last - point - 1 <= static_cast<std::size_t>(precision)) return text;
  stop = std::to_chars(buffer.data(), end, v, format, precision).ptr;
  text.assign(buffer.data(), stop);
  const std::size_t exponent = std::min(text.find('e'), text.size());
  const std::size_t kept = text.find_last_not_of('0', exponent - 1) + 1;
  return text.erase(kept, exponent - kept);
}

// A lone value: as Python writes it.
template <class T>
std::string lone_float(T v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
  const T size = std::abs(v);
  const bool fixed = size == 0 || (size >= T(1e-4) && size < T(1e16));
  const auto format = fixed ? std::chars_format::fixed : std::chars_format::scientific;
  std::string text = digits(v, format, 400);
  if (const std::size_t point = text.find('.'); point + 1 == text.size())
    text += '0';
  else if (text[point + 1] == 'e')
    text.erase(point, 1);
  return text;
}

// NumPy's common format of the floats that are shown: points below each other, exponents for all
// when the range asks for them.
class FloatFormat {
 public:
  template <class T>
  explicit FloatFormat(const std::vector<T>& shown) {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (const T v : shown)
      if (std::isfinite(v) && v != 0) {
        least = std::min(least, std::abs(static_cast<double>(v)));
        most = std::max(most, std::abs(static_cast<double>(v)));
      }
    if (most != 0 && (most >= 1e8 || least < 1e-4 || most / least > 1000))
      format_ = std::chars_format::scientific;
    for (const T v : shown) {
      if (!std::isfinite(v)) continue;
      const std::string text = digits(v, format_, float_precision);
      const std::size_t point = text.find('.');
      before_ = std::max(before_, point);
      after_ = std::max(after_, std::min(text.find('e'), text.size()) - point - 1);
      exponent_ = std::max(exponent_, text.size() - std::min(text.find('e'), text.size()));
    }
    width_ = before_ + 1 + after_ + exponent_;
    for (const T v : shown)
      if (!std::isfinite(v)) width_ = std::max(width_, lone_float(v).size());
  }

  template <class T>
  std::string text(T v) const {
    if (!std::isfinite(v)) return fmt::format("{:>{}}", lone_float(v), width_);
    std::string text = digits(v, format_, float_precision);
    const std::size_t missing = after_ + 1 + text.find('.') - std::min(text.find('e'), text.size());
    // Exponents stand below each other too: there the value's further digits fill up.
    if (format_ == std::chars_format::fixed)
      text.append(missing, ' ');
    else if (missing != 0)
      text = fmt::format("{:.{}e}", v, after_);
    if (after_ == 0 && text.find('.') == std::string::npos) text.insert(text.find('e'), ".");
    if (const std::size_t e = text.find('e'); e != std::string::npos)
      text.insert(e + 2, exponent_ - (text.size() - e), '0');  // behind the exponent's sign
    return fmt::format("{:>{}}", text, width_);
  }

 private:
  static constexpr int float_precision = 8;

  std::chars_format format_ = std::chars_format::fixed;
  std::size_t before_ = 0, after_ = 0, exponent_ = 0, width_ = 0;
};

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

// A number with its sign, which stands right before the digits.
std::string with_sign(std::string text, bool negative) {
  text.insert(text.find_first_not_of(' '), negative ? "-" : "+");
  return text;
}

// A lone complex number: as Python writes it.
template <class T>
std::string lone_complex(std::complex<T> v) {
  const auto part = [](T x) {
    std::string text = lone_float(x);
    return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
  };
  const T re = v.real(), im = v.imag();
  if (re == 0 && !std::signbit(re)) return part(im) + 'j';
  return fmt::format("({}{}j)", part(re), with_sign(part(std::abs(im)), std::signbit(im)));
}

// NumPy's common format of the complex numbers that are shown: one for the real, one for the
// imaginary parts, whose filling stands behind the j.
template <class T>
std::function<std::string(std::complex<T>)> complex_format(
    const std::vector<std::complex<T>>& shown) {
  std::vector<T> re, im;
  for (const std::complex<T> v : shown) {
    re.push_back(v.real());
    im.push_back(std::abs(v.imag()));
  }
  return [real = FloatFormat(re), imaginary = FloatFormat(im)](std::complex<T> v) {
    std::string text = with_sign(imaginary.text(std::abs(v.imag())), std::signbit(v.imag()));
    text.insert(text.find_last_not_of(' ') + 1, "j");
    return real.text(v.real()) + text;
  };
}

template <class T>
std::string whole_text(T v) {
  if constexpr (std::is_same_v<T, bool>) {
    return v ? "True" : "False";
  } else {
    return fmt::format("{}", +v);
  }
}

// The type whose digits show a T.
template <class T>
using Shown = std::conditional_t<is_half_type<T>, double, T>;

// The decimal number of the fewest digits that rounds to v.
template <class T>
double shortest(T v) {
  const double exact = float{v};
  if (!std::isfinite(exact)) return exact;
  std::array<char, 64> buffer;
  for (int after = 0;; ++after) {
    char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), exact,
                                    std::chars_format::scientific, after)
                          .ptr;
    double read = 0;
    std::from_chars(buffer.data(), end, read);
    if (T(read).bits == v.bits) return read;
  }
}

template <class T>
class Printer {
  using V = Shown<T>;

 public:
  explicit Printer(const Array& array)
      : array_(array), data_(array.data<T>()), elide_(array.size() > whole_up_to) {}

  std::string print() {
    if (array_.size() == 0) return "[]";
    if (array_.rank() == 0) return lone(value(0));
    std::vector<V> shown;
    visit(0, 0, [&](std::int64_t at) { shown.push_back(value(at)); });
    if constexpr (std::is_floating_point_v<V>) {
      const FloatFormat format(shown);
      text_ = [format](V v) { return format.text(v); };
    } else if constexpr (is_complex_type<T>) {
      text_ = complex_format(shown);
    } else {
      std::size_t width = std::is_same_v<T, bool> ? 5 : 0;
      for (const V v : shown) width = std::max(width, whole_text(v).size());
      text_ = [width](V v) { return fmt::format("{:>{}}", whole_text(v), width); };
    }
    write(0, 0);
    return std::move(out_);
  }

 private:
  V value(std::int64_t at) const {
    if constexpr (is_half_type<T>) {
      return shortest(data_[at]);
    } else {
      return data_[at];
    }
  }

  static std::string lone(V v) {
    if constexpr (std::is_floating_point_v<V>) {
      return lone_float(v);
    } else if constexpr (is_complex_type<T>) {
      return lone_complex(v);
    } else {
      return whole_text(v);
    }
  }

  std::int64_t extent(int axis) const { return array_.shape()[static_cast<std::size_t>(axis)]; }
  std::int64_t stride(int axis) const { return array_.strides()[static_cast<std::size_t>(axis)]; }
  bool skips(int axis) const { return elide_ && extent(axis) > 2 * edge; }
  std::int64_t after(int axis, std::int64_t i) const {
    return skips(axis) && i == edge - 1 ? extent(axis) - edge : i + 1;
  }

  template <class F>
  void visit(int axis, std::int64_t at, const F& f) {
    if (axis == array_.rank()) return f(at);
    for (std::int64_t i = 0; i < extent(axis); i = after(axis, i))
      visit(axis + 1, at + i * stride(axis), f);
  }

  void write(int axis, std::int64_t at) {
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
        // Room is left for the closing brackets.
        const bool fits = column + 1 + word.size() <= line_width - indent;
        if (!fits) out_.erase(out_.find_last_not_of(' ') + 1);
        out_ += fits ? std::string(" ") : "\n" + std::string(indent, ' ');
        column = fits ? column + 1 : indent;
      }
      out_ += word;
      column += word.size();
    };
    for (std::int64_t i = 0; i < extent(axis); i = after(axis, i)) {
      place(text_(value(at + i * stride(axis))));
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
  const T* data_;
  const bool elide_;
  std::function<std::string(V)> text_;
  std::string out_;
};

}  // namespace

std::string describe(DType dtype, std::span<const std::int64_t> shape) {
  std::string text(short_name_of(dtype));
  text += '[';
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + ']';
}

std::string Array::describe() const { return gnomon::describe(dtype(), shape()); }

std::string Array::to_string() const {
  return with_any_type(dtype(),
                       [this](auto zero) { return Printer<decltype(zero)>(*this).print(); });
}

}  // namespace gnomon
