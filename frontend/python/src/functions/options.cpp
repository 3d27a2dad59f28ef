// Options of compilation between Python and the table of frontend/compile_options.h.
#include "frontend/python/src/functions/function.h"

// After Python.h.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/filesystem.h>

#include <array>
#include <concepts>
#include <type_traits>

#include "runtime/error.h"

namespace gnomon::python {

namespace {

constexpr std::array levels = {Named{"none", RewriteLevel::none},
                               Named{"exact", RewriteLevel::exact}, Named{"all", RewriteLevel::all},
                               Named{"fast", RewriteLevel::fast}};

constexpr std::array decisions = {"result", "code", "work"};  // in the order of Decides

// How Python writes the values of a type: its annotation; `take` reads an object, and tells whether
// it is such a value; `show` is the value as an object that JSON and pickles can hold.
template <class T>
struct Notation;

template <>
struct Notation<bool> {
  static std::string annotation() { return "bool"; }
  static bool take(nb::handle from, bool& to) { return nb::try_cast(from, to); }
  static nb::object show(bool value) { return nb::bool_(value); }
};

template <std::integral T>
struct Notation<T> {
  static std::string annotation() { return "int"; }
  static bool take(nb::handle from, T& to) {
    return PyIndex_Check(from.ptr()) != 0 && nb::try_cast(from, to);
  }
  static nb::object show(T value) { return nb::int_(value); }
};

template <>
struct Notation<std::string> {
  static std::string annotation() { return "str"; }
  static bool take(nb::handle from, std::string& to) { return nb::try_cast(from, to); }
  static nb::object show(const std::string& value) { return nb::str(value.c_str(), value.size()); }
};

template <>
struct Notation<std::filesystem::path> {
  static std::string annotation() { return "str | PathLike[str]"; }
  static bool take(nb::handle from, std::filesystem::path& to) { return nb::try_cast(from, to); }
  static nb::object show(const std::filesystem::path& value) {
    return nb::steal(PyUnicode_DecodeFSDefault(value.c_str()));
  }
};

template <>
struct Notation<RewriteLevel> {
  static std::string annotation() { return "str"; }
  static bool take(nb::handle from, RewriteLevel& to) {
    std::string name;
    if (!nb::try_cast(from, name)) return false;
    to = rewrites_of(name);
    return true;
  }
  static nb::object show(RewriteLevel value) {
    for (const auto& level : levels)
      if (level.value == value) return nb::str(level.name);
    throw InternalError("options: a level of rewrites without a name");
  }
};

template <class T>
struct Notation<std::optional<T>> {
  static std::string annotation() { return Notation<T>::annotation() + " | None"; }
  static bool take(nb::handle from, std::optional<T>& to) {
    if (from.is_none()) {
      to.reset();
      return true;
    }
    return Notation<T>::take(from, to.emplace());
  }
  static nb::object show(const std::optional<T>& value) {
    return value ? Notation<T>::show(*value) : nb::object(nb::none());
  }
};

template <class T>
struct Notation<std::vector<T>> {
  static std::string annotation() { return fmt::format("Iterable[{}]", Notation<T>::annotation()); }
  static bool take(nb::handle from, std::vector<T>& to) {
    to.clear();
    if (!nb::isinstance<nb::iterable>(from) || nb::isinstance<nb::str>(from)) return false;
    for (const nb::handle item : nb::iter(from))
      if (!Notation<T>::take(item, to.emplace_back())) return false;
    return true;
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
  CompileOptions options;
  take_options(who, given, options);
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

RewriteLevel rewrites_of(const std::string& name) {
  return one_of<RewriteLevel>("rewrites", name, levels);
}

void take_options(const std::string& who, const nb::dict& given, CompileOptions& options) {
  for (const auto& item : given) {
    const auto name = nb::cast<std::string>(item.first);
    bool known = false;
    for_each_option(options, [&](const CompileOption& option, auto& value) {
      if (option.name != name) return;
      known = true;
      using N = NotationOf<decltype(value)>;
      if (!N::take(item.second, value))
        throw TypeError(fmt::format("{}: {}: expected {}, found {}", who, name, N::annotation(),
                                    nb::repr(item.second).c_str()));
    });
    if (!known) refuse_name(who, name);
  }
}

void add_options(nb::module_& m) {
  using namespace nb::literals;
  m.attr("compile_options") = table_of_options();
  m.def("checked_options", checked_options, "who"_a, "given"_a,
        "Options by their names, checked, as plain values. TypeError for others.");
}

}  // namespace gnomon::python
