// Spelling of names, literals and dimensions in generated text.
#include "codegen/text/spell.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace gnomon {

std::string type_name(DType t) { return std::string(short_name_of(t)); }

std::string memory_name(DType t) { return is_bool(t) ? "u8" : type_name(t); }

std::string lanes_name(DType t, int width) { return fmt::format("{}x{}", short_name_of(t), width); }

namespace {

template <class F>
std::string float_literal(F v, std::string_view type, std::string_view suffix) {
  if (std::isnan(v)) {
    if constexpr (sizeof(F) == 4)
      return fmt::format("gn::bit_cast<f32>(0x{:08x}u)", std::bit_cast<std::uint32_t>(v));
    else
      return fmt::format("gn::bit_cast<f64>(0x{:016x}ul)", std::bit_cast<std::uint64_t>(v));
  }
  if (std::isinf(v)) return fmt::format("{}gn::infinity<{}>()", v < 0 ? "-" : "", type);
  std::string digits = fmt::format("{}", v);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + std::string(suffix);
}

}  // namespace

std::string literal(DType t, Cell value) {
  switch (t) {
    case DType::bool_: return value.b ? "true" : "false";
    case DType::float32: return float_literal(value.f32, "f32", "f");
    case DType::float64: return float_literal(value.f64, "f64", "");
    case DType::int64:
      if (value.i == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807l - 1)";
      return fmt::format("i64({})", value.i);
    default:
      if (is_unsigned(t)) return fmt::format("{}({}ul)", short_name_of(t), value.u);
      return fmt::format("{}({})", short_name_of(t), value.i);
  }
}

namespace {

using AtomName = std::function<std::string(const Atom&)>;

// How a language calls functions, and whether it shifts and masks integers as C++ does.
struct Form {
  std::string_view call;
  bool has_bits = false;
};

std::string sum_of_terms(const Dim& d, const AtomName& name, const Form& form);

bool is_sum(const Dim& d) {
  return !d.is_constant() && d.terms().size() + (d.constant_term() != 0) > 1;
}

std::string spell_atom(const Atom& a, const AtomName& name, const Form& form) {
  const auto call = [&](std::string_view function) {
    return fmt::format(fmt::runtime(form.call), function, sum_of_terms(a.left, name, form),
                       sum_of_terms(a.right, name, form));
  };
  // Quotients and remainders by a power of two, which round down.
  const auto bits = [&](std::string_view op, std::int64_t number) {
    return fmt::format(fmt::runtime(is_sum(a.left) ? "(({}) {} {})" : "({} {} {})"),
                       sum_of_terms(a.left, name, form), op, number);
  };
  const std::int64_t by = a.right.is_constant() ? a.right.constant() : 0;
  const bool by_bits =
      form.has_bits && by > 0 && std::has_single_bit(static_cast<std::uint64_t>(by));
  switch (a.kind) {
    case Atom::Kind::floor_div:
      return by_bits ? bits(">>", std::countr_zero(static_cast<std::uint64_t>(by)))
                     : call("floor_divide");
    case Atom::Kind::mod: return by_bits ? bits("&", by - 1) : call("remainder");
    case Atom::Kind::min: return call("minimum");
    case Atom::Kind::max: return call("maximum");
    default: return name(a);
  }
}

// Without parentheses around it, and plain digits if it is constant.
std::string sum_of_terms(const Dim& d, const AtomName& name, const Form& form) {
  if (d.is_constant()) return fmt::format("{}", d.constant());
  std::string text;
  for (const Term& t : d.terms()) {
    std::string product;
    for (const AtomRef& a : t.atoms)
      product += (product.empty() ? "" : " * ") + spell_atom(*a, name, form);
    const std::int64_t magnitude = t.coefficient < 0 ? -t.coefficient : t.coefficient;
    if (magnitude != 1) product = fmt::format("{} * {}", product, magnitude);
    if (text.empty())
      text = t.coefficient < 0 ? "-" + product : product;
    else
      text += (t.coefficient < 0 ? " - " : " + ") + product;
  }
  if (const std::int64_t c = d.constant_term(); c != 0)
    text += fmt::format(" {} {}", c < 0 ? '-' : '+', c < 0 ? -c : c);
  return text;
}

}  // namespace

std::string spell(const Dim& d, const AtomName& name) {
  if (d.is_constant()) return fmt::format("i64({})", d.constant());
  const std::string text = sum_of_terms(d, name, {"gn::{}<i64>({}, {})", true});
  return is_sum(d) ? "(" + text + ")" : text;
}

std::string spell(const Dim& d, const AtomName& name, std::string_view call) {
  return sum_of_terms(d, name, {call});
}

std::string comment_lines(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t to = std::min(text.find('\n'), text.size());
    std::string line = "// " + std::string(text.substr(0, to));
    std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < ' '; }, ' ');
    // A backslash at the end would make the next line a comment too.
    if (line.back() == '\\') line += '.';
    result += line + "\n";
    text.remove_prefix(std::min(to + 1, text.size()));
  }
  return result;
}

std::string identifier(std::string_view name) {
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  while (result.find("__") != std::string::npos) result.replace(result.find("__"), 2, "_");
  if (result.ends_with('_') && !name.ends_with('_')) result.pop_back();
  // A leading underscore may be a macro of the compiler.
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) || result[0] == '_')
    result = "x" + result;
  // Nor may it begin as the names of the prelude and of units do.
  for (const std::string_view prefix : {"gnomon_", "GNOMON_", "GN_"})
    if (result.starts_with(prefix)) result = "x_" + result;
  return result;
}

namespace {

// Keywords of C++, then what units and their prelude call things.
constexpr std::string_view reserved_words =
    "and or not xor if else for int long float double bool char auto const static void new "
    "delete this true false return short signed unsigned struct class union enum template "
    "typename namespace using public private protected virtual operator default switch case "
    "while do break continue goto try catch throw export extern inline register volatile "
    "mutable friend explicit typedef sizeof asm concept requires constexpr consteval constinit "
    "nullptr noexcept decltype alignas wchar_t char8_t char16_t char32_t static_assert "
    "static_cast const_cast dynamic_cast reinterpret_cast typeid thread_local alignof compl "
    "bitand bitor xor_eq or_eq and_eq not_eq co_await co_return co_yield "
    "call dims worker live chain gn buffers plan workspace services context extents main i8 i16 "
    "i32 i64 u8 u16 u32 u64 f32 f64";

bool is_reserved(std::string_view name) {
  static const std::unordered_set<std::string_view> words = [] {
    std::unordered_set<std::string_view> found;
    for (std::string_view left = reserved_words; !left.empty();) {
      const std::size_t length = std::min(left.find(' '), left.size());
      found.insert(left.substr(0, length));
      left.remove_prefix(std::min(length + 1, left.size()));
    }
    return found;
  }();
  return words.contains(name);
}

bool is_lanes_name(std::string_view name) {
  const std::size_t x = name.rfind('x');
  if (x == std::string_view::npos || x == 0) return false;
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
  };
  const std::string_view type = name.substr(0, x);
  return digits(name.substr(x + 1)) &&
         (type == "bool" || (std::string_view("iuf").find(type[0]) != std::string_view::npos &&
                             digits(type.substr(1))));
}

}  // namespace

std::string Names::fresh(std::string_view wish) {
  const std::string base = identifier(wish);
  const bool ends_in_digit = std::isdigit(static_cast<unsigned char>(base.back())) != 0;
  int& number = next_.try_emplace(base, 1).first->second;
  std::string name;
  do {
    name = number == 1 ? base : fmt::format("{}{}{}", base, ends_in_digit ? "_" : "", number);
    ++number;
  } while (is_reserved(name) || is_lanes_name(name) || !taken_.insert(name).second);
  return name;
}

void Names::release(const std::string& name) {
  taken_.erase(name);
  const auto note = [this](const std::string& base, int number) {
    if (const auto known = next_.find(base); known != next_.end())
      known->second = std::min(known->second, number);
  };
  note(name, 1);
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  int number = 0;
  const auto [end, error] = std::from_chars(&name[digits], name.data() + name.size(), number);
  if (error != std::errc()) return;
  note(name.substr(0, digits), number);
  if (name[digits - 1] == '_') note(name.substr(0, digits - 1), number);
}

}  // namespace gnomon
