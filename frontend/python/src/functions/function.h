// The objects of compiled functions, for function.cpp (what they are) and call.cpp (their calls).
#pragma once

#include "frontend/python/src/core.h"

// After Python.h.
#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "frontend/files/structure.h"
#include "runtime/error.h"

namespace gnomon::python {

/// What arguments of other dtypes than the declared one are converted.
enum class Downcast : std::uint8_t {
  numbers,   // Python numbers, and arrays without loss
  lossless,  // only what keeps its value
  any,
};

/// An input as calls see it.
struct FunctionInput {
  PyObject* name = nullptr;  // interned; null without a name
  Array value;               // the default; undefined without one
  DType dtype = DType::float64;
  std::size_t rank = 0;
  std::string declared;  // "x: f32[n, 3]"
  std::string made_at;   // " [model.py:12]", or ""
  bool donated = false;
};

/// A compiled function with the signature that Python sees.
struct FunctionObject {
  PyObject_HEAD;
  vectorcallfunc vectorcall;
  PyObject* weak_references;
  Function function;
  std::vector<FunctionInput> inputs;
  Structure structure;
  Downcast downcast;
  std::string name;
  PyObject* keys;   // of a dict of results: a tuple
  PyObject* about;  // what it was compiled from, as gnomon/_functions/function.py keeps it
};

/// What a `gn.Function` holds; TypeError for anything else.
const Function& compiled_function(nb::handle object);

/// The vectorcall of a FunctionObject (call.cpp).
PyObject* call_function(PyObject* self, PyObject* const* arguments, std::size_t flags,
                        PyObject* names);

/// How a value of another dtype is converted: by hand, or by an option of the function.
enum class Advice : bool { convert, option };
/// `object` as an array of `dtype`, converted as `downcast` allows. TypeError otherwise: `what`
/// says for what it is, and the message tells both dtypes and how to convert.
Array converted_value(nb::handle object, DType dtype, Downcast downcast, const std::string& what,
                      Advice advice = Advice::option);

/// compile() that Ctrl-C leaves: the compilation then goes on in the background.
Function compile_interruptibly(std::vector<Expr> inputs, std::vector<Output> outputs,
                               std::vector<Update> updates, CompileOptions options);

void add_shared(nb::module_& m);        // shared.cpp
void add_interruption(nb::module_& m);  // interrupt.cpp
void add_options(nb::module_& m);       // options.cpp

/// A pair of an expression and what takes its place: a number or an array becomes a constant of its
/// dtype. TypeError: it is no such pair (transforms.cpp).
Given given_of(nb::handle pair);

/// The new value of a shared variable as an expression of its dtype; TypeError where it is none.
Expr new_value(nb::handle variable, nb::handle value);

/// A value with the name that Python has for it.
template <class T>
struct Named {
  const char* name;
  T value;
};

/// The value of that name among `values`. ValueError for another: `who` asks for it as `what`.
template <class T>
T one_of(const std::string& who, const char* what, const std::string& found,
         std::span<const Named<T>> values) {
  std::string expected;
  for (const Named<T>& named : values) {
    if (found == named.name) return named.value;
    expected += fmt::format("{}'{}'", expected.empty() ? "" : ", ", named.name);
  }
  throw ValueError(fmt::format("{}: expected {} as {}, found '{}'", who, expected, what, found));
}

/// The structures of results by their names.
inline constexpr std::array structures = [] {
  std::array<Named<Structure>, 5> named{};
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto structure = static_cast<Structure>(i);
    named[i] = {name_of(structure).data(), structure};
  }
  return named;
}();

/// Of its name. ValueError for another; `who` begins the message.
RewriteLevel rewrites_of(const std::string& who, const std::string& name);

/// The options that `given` names, with the defaults of the others. TypeError: another name, or a
/// value of another type; ValueError: another level of rewrites; `who` begins the message.
CompileOptions take_options(const std::string& who, const nb::dict& given);
/// The options that decide what is computed, as Python keeps them.
nb::dict result_options(const CompileOptions& options);

}  // namespace gnomon::python
