// Options of compilation between Python and the table of frontend/compile_options.h.
#include "frontend/python/src/functions/function.h"

// After Python.h.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/filesystem.h>

#include <array>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/error.h"

namespace gnomon::python {

namespace {

constexpr Named<RewriteLevel> named(RewriteLevel level) { return {name_of(level).data(), level}; }
constexpr std::array levels = {named(RewriteLevel::none), named(RewriteLevel::exact),
                               named(RewriteLevel::all), named(RewriteLevel::fast)};

constexpr std::array decisions = {"result", "code", "work"};  // in the order of Decides

// Null if it is none.
template <class T>
std::optional<T> cast_of(nb::handle from) {
  T value{};
  if (!nb::try_cast(from, value)) return std::nullopt;
  return value;
}

// How Python writes the values of a type: its annotation; `take` is the value that an object is,
// null if it is no such value (`who` asks for it); `show` is the value as an object that JSON and
// pickles can hold.
template <class T>
struct Notation;

template <>
struct Notation<bool> {
  static std::string annotation() { return "bool"; }
  static std::optional<bool> take(const std::string& /*who*/, nb::handle from) {
    return cast_of<bool>(from);
  }
  static nb::object show(bool value) { return nb::bool_(value); }
};

template <std::integral T>
struct Notation<T> {
  static std::string annotation() { return "int"; }
  static std::optional<T> take(const std::string& /*who*/, nb::handle from) {
    if (PyIndex_Check(from.ptr()) == 0 || PyBool_Check(from.ptr())) return std::nullopt;
    return cast_of<T>(from);
  }
  static nb::object show(T value) { return nb::int_(value); }
};

template <>
struct Notation<std::string> {
  static std::string annotation() { return "str"; }
  static std::optional<std::string> take(const std::string& /*who*/, nb::handle from) {
    return cast_of<std::string>(from);
  }
  static nb::object show(const std::string& value) { return nb::str(value.c_str(), value.size()); }
};

template <>
struct Notation<FilePath> {
  static std::string annotation() { return "str | PathLike[str]"; }
  static std::optional<FilePath> take(const std::string& /*who*/, nb::handle from) {
    return cast_of<std::filesystem::path>(from);
  }
  static nb::object show(const FilePath& value) {
    return nb::steal(PyUnicode_DecodeFSDefault(value.c_str()));
  }
};

template <>
struct Notation<RewriteLevel> {
  static std::string annotation() { return "str"; }
  static std::optional<RewriteLevel> take(const std::string& who, nb::handle from) {
    const std::optional<std::string> name = cast_of<std::string>(from);
    if (!name) return std::nullopt;
    return rewrites_of(who, *name);
  }
  static nb::object show(RewriteLevel value) { return nb::str(named(value).name); }
};

template <class T>
struct Notation<std::optional<T>> {
  static std::string annotation() { return Notation<T>::annotation() + " | None"; }
  static std::optional<std::optional<T>> take(const std::string& who, nb::handle from) {
    if (from.is_none()) return std::make_optional(std::optional<T>());
    std::optional<T> value = Notation<T>::take(who, from);
    if (!value) return std::nullopt;
    return std::make_optional(std::move(value));
  }
  static nb::object show(const std::optional<T>& value) {
    return value ? Notation<T>::show(*value) : nb::object(nb::none());
  }
};

template <class T>
struct Notation<std::vector<T>> {
  static std::string annotation() { return fmt::format("Iterable[{}]", Notation<T>::annotation()); }
  static std::optional<std::vector<T>> take(const std::string& who, nb::handle from) {
    // Letters and keys are not meant.
    if (!nb::isinstance<nb::iterable>(from) || nb::isinstance<nb::str>(from) ||
        nb::hasattr(from, "keys"))
      return std::nullopt;
    std::vector<T> values;
    for (const nb::handle item : nb::iter(from)) {
      std::optional<T> value = Notation<T>::take(who, item);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  }
  static nb::object show(const std::vector<T>& value) {
    nb::list items;
    for (const T& item : value) items.append(Notation<T>::show(item));
    return nb::tuple(items);
  }
};

template <class T>
using NotationOf = Notation<std::remove_cvref_t<T>>;

[[noreturn]] void refuse_name(const std::string& who, const std::string& found) {
  std::vector<std::string> names;
  const CompileOptions options;
  for_each_option(options, [&](const CompileOption& option, const auto& /*value*/) {
    names.emplace_back(option.name);
  });
  nb::list known;
  for (const std::string& name : names) known.append(name);
  const nb::object like =
      nb::module_::import_("difflib").attr("get_close_matches")(found, known, 1);
  std::string text =
      fmt::format("{}: expected options among {}, found {}", who, fmt::join(names, ", "), found);
  for (const nb::handle name : nb::iter(like))
    text += fmt::format("; did you mean {}?", nb::cast<std::string>(name));
  throw TypeError(text);
}

// The options that `given` has, as Python keeps them: checked, and of plain types.
nb::dict checked_options(const std::string& who, const nb::dict& given) {
  const CompileOptions options = take_options(who, given);
  nb::dict found;
  for_each_option(options, [&](const CompileOption& option, const auto& value) {
    const nb::str name(option.name.data(), option.name.size());
    if (given.contains(name)) found[name] = NotationOf<decltype(value)>::show(value);
  });
  return found;
}

// The table: for each name the annotation, the default, what it decides, the documentation.
nb::dict table_of_options() {
  nb::dict table;
  const CompileOptions defaults;
  for_each_option(defaults, [&](const CompileOption& option, const auto& value) {
    using N = NotationOf<decltype(value)>;
    table[nb::str(option.name.data(), option.name.size())] = nb::make_tuple(
        N::annotation(), N::show(value), decisions.at(static_cast<std::size_t>(option.decides)),
        nb::str(option.doc.data(), option.doc.size()));
  });
  return table;
}

}  // namespace

RewriteLevel rewrites_of(const std::string& who, const std::string& name) {
  return one_of<RewriteLevel>(who, "rewrites", name, levels);
}

CompileOptions take_options(const std::string& who, const nb::dict& given) {
  CompileOptions options;
  for (const auto& item : given) {
    const auto name = nb::cast<std::string>(item.first);
    bool known = false;
    for_each_option(options, [&](const CompileOption& option, auto& value) {
      if (option.name != name) return;
      known = true;
      using N = NotationOf<decltype(value)>;
      auto taken = N::take(who, item.second);
      if (!taken)
        throw TypeError(fmt::format("{}: {}: expected {}, found {}", who, name, N::annotation(),
                                    nb::repr(item.second).c_str()));
      value = *std::move(taken);
    });
    if (!known) refuse_name(who, name);
  }
  return options;
}

nb::dict result_options(const CompileOptions& options) {
  nb::dict found;
  for_each_option(options, [&](const CompileOption& option, const auto& value) {
    if (option.decides == Decides::result)
      found[nb::str(option.name.data(), option.name.size())] =
          NotationOf<decltype(value)>::show(value);
  });
  return found;
}

void add_options(nb::module_& m) {
  using namespace nb::literals;
  m.attr("compile_options") = table_of_options();
  m.def("checked_options", checked_options, "who"_a, "given"_a,
        "Options by their names, checked, as plain values. TypeError: another name, or a value of "
        "another type; ValueError: another level of rewrites.");
}

}  // namespace gnomon::python
