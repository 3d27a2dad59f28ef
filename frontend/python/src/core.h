// What the parts of the extension module share: the objects Python sees and how values get in
// and out of them.
//
// Array, Expr, Shared and Function are plain CPython types, because a call must cost less than a
// microsecond; what is not called in a loop is bound with nanobind. The Python classes of the same
// names derive from them (gnomon/_namespace/classes.py) and add the methods; `types` holds those.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "frontend/gnomon.h"

namespace gnomon::python {

namespace nb = nanobind;

// ------------------------------------------------------------------------------------ objects

/// What an object shows of another one, and what shows it (arrays/views.cpp).
struct Relations;

/// Whether only the call knows if a name got an object or kept the one before, and whether
/// something was assigned to it since.
enum class Doubt : std::uint8_t { none, some, assigned };

/// An array with values. `scope`: the body of the trace that made it, or 0; that body may let the
/// object stand for another value, and for an expression: it becomes an ExprObject then, for which
/// it has the memory.
struct ArrayObject {
  PyObject_HEAD;
  PyObject* weak_references;
  Relations* relations;  // null without any
  std::uint32_t scope;
  Doubt doubt;    // whether only the call knows that a name got this object
  bool held;      // by two variables
  bool writable;  // what it exports (buffer protocol, DLPack) may be written to
  Array array;
};
inline ArrayObject* array_object(PyObject* o) { return reinterpret_cast<ArrayObject*>(o); }

/// How an expression takes part in promotion: as an array of its dtype, or like a Python number.
enum class Weak : std::uint8_t { no, boolean, integer, real, complex };

/// An expression, with a `scope` as that of an array. `weak`: a traced Python number, which takes
/// the dtype of what it meets.
struct ExprObject {
  PyObject_HEAD;
  PyObject* weak_references;
  Relations* relations;
  std::uint32_t scope;
  Doubt doubt;
  bool held;
  Weak weak;
  Expr expr;
};
inline ExprObject* expr_object(PyObject* o) { return reinterpret_cast<ExprObject*>(o); }

static_assert(sizeof(ArrayObject) <= sizeof(ExprObject) &&
              offsetof(ArrayObject, weak_references) == offsetof(ExprObject, weak_references) &&
              offsetof(ArrayObject, relations) == offsetof(ExprObject, relations) &&
              offsetof(ArrayObject, scope) == offsetof(ExprObject, scope) &&
              offsetof(ArrayObject, doubt) == offsetof(ExprObject, doubt) &&
              offsetof(ArrayObject, held) == offsetof(ExprObject, held));

/// A shared variable: an expression with a value. One object for each variable.
struct SharedObject {
  ExprObject base;
  SharedVariable variable;
};

/// The Python classes whose instances `wrap` makes; the base types until the package sets them.
struct Types {
  PyTypeObject* array;
  PyTypeObject* expr;
  PyTypeObject* shared;
};
extern Types types;

bool is_array(nb::handle object);
bool is_expr(nb::handle object);  // a shared variable too
Array& array_of(nb::handle object);
const Expr& expr_of(nb::handle object);
const SharedVariable* shared_of(nb::handle object);  // null if it is none

nb::object wrap(Array array, bool writable = true);
nb::object wrap(Expr expr, Weak weak = Weak::no);
/// The one object of a variable.
nb::object wrap(const SharedVariable& variable);

// ------------------------------------------------------------------------ values in (convert.cpp)

/// The dtypes there are, for errors.
inline constexpr const char* all_dtypes =
    "bool, int8 to int64, uint8 to uint64, float16, bfloat16, float32, float64, complex64 or "
    "complex128";
/// The dtype object `gn.float32` etc.; what NumPy, a string or a Python type calls a dtype.
nb::object dtype_object(DType dtype);
/// TypeError when it is none that Gnomon has: the message says what is supported.
DType to_dtype(nb::handle object);

enum class Copy : std::uint8_t { never, if_needed, always };
/// The array that `object` is or shows: an Array, the buffer protocol, DLPack, `__array__`, a
/// Python number, nested sequences of numbers. Without a dtype, that of the object (Python numbers:
/// bool, int64, float64). TypeError: object or text elements, an expression; ValueError: big-endian
/// memory, ragged sequences, a copy that is not allowed.
Array to_array(nb::handle object, std::optional<DType> dtype = {}, Copy copy = Copy::if_needed);

/// The memory of an argument for as long as this lives. Cheap for Array and for buffers.
class Borrowed {
 public:
  Borrowed() = default;
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed() {
    if (view_.obj != nullptr) PyBuffer_Release(&view_);
  }
  /// False when the object is neither an Array nor a buffer of numbers (no error is set).
  bool set(PyObject* object);
  const Array& array() const { return array_; }

 private:
  Py_buffer view_{};
  Array array_;
};

/// Whether a sequence, or one in it, has an expression or an extent.
bool has_symbols(PyObject* sequence);
/// The expression that a sequence with such stands for.
nb::object of_sequence(nb::handle sequence);

/// A copy with another dtype, values converted as `cast` does.
Array converted(const Array& array, DType dtype);

// --------------------------------------------------------------------- application (apply.cpp)

/// The user's line: the innermost frame outside of this package.
Origin caller();
/// How many names the running instruction of Python unpacks a sequence into, as `a, b = x` does.
std::optional<int> names_to_unpack();

/// What stands for a value in a graph: an expression, an array, a number, a dimension.
Arg to_arg(nb::handle object);
/// The same of an array: what is computed from one on a device runs there.
Expr captured(const Array& array);
bool is_symbolic(nb::handle object);  // an expression or a dimension

/// Applies `op` with the promotion of its record: an expression when an operand is symbolic, else
/// computed at once. One object per output.
std::vector<nb::object> apply_all(const Op& op, std::span<const nb::handle> operands,
                                  Attributes attributes = {});
nb::object apply(const Op& op, std::span<const nb::handle> operands, Attributes attributes = {});

/// Computes at once what `build` makes of leaves that stand for `operands`. The compiled function
/// is kept by the expressions built, so what depends on values must be an operand.
Array evaluate_one(std::span<const Array> operands,
                   const std::function<Expr(std::span<const Expr>)>& build);
std::vector<Array> evaluate(std::span<const Array> operands,
                            const std::function<std::vector<Expr>(std::span<const Expr>)>& build);

/// As `build`'s function over expressions or arrays: symbolic when an operand is.
nb::object apply(std::span<const nb::handle> operands,
                 const std::function<Expr(std::span<const Expr>)>& build);

/// A dimension: an int, a `Dim`, or an integer expression of rank 0. And a shape of such.
Dim to_dim(nb::handle object);
Shape to_shape(nb::handle object);
/// An int when it is constant, else a `Dim`.
nb::object wrap(const Dim& dim);

/// `x[key]` of an expression (index.cpp) and of an array, where basic keys give views (array.cpp).
nb::object get_item(nb::handle x, nb::handle key);
/// How a part is written: set_at, inc_at and their like.
using Write = Expr (*)(const Arg& x, std::span<const Index> items, const Arg& v);
/// x with x[key] written by v: a new value, x is not changed.
nb::object set_item(nb::handle x, nb::handle key, nb::handle v, Write write);
/// By what is done with the part: "set", "add", "multiply", "divide", "minimum", "maximum".
Write write_called(std::string_view name);

/// The slots of arithmetic that Array and Expr share, ended by {0, nullptr} (operators.cpp).
std::span<const PyType_Slot> operator_slots();

// --------------------------------------------------------------------------------------- types

/// A slot with a function, a table or a text.
template <class T>
PyType_Slot slot(int id, T* value) {
  return {id, reinterpret_cast<void*>(value)};
}
inline PyType_Slot slot(int id, const char* text) { return {id, const_cast<char*>(text)}; }
/// A function as tables of methods have it, whatever arguments it takes.
template <class F>
PyCFunction as_method(F* f) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(f));
}
/// A new reference to a text.
inline PyObject* unicode_of(std::string_view s) {
  return PyUnicode_FromStringAndSize(s.data(), static_cast<Py_ssize_t>(s.size()));
}
/// Makes a type of the module from slots; `base` may be null. Throws Python's exception.
PyTypeObject* make_type(const char* name, std::size_t size, unsigned long flags,
                        std::vector<PyType_Slot> slots, PyTypeObject* base = nullptr);

/// Takes the GIL given away. When the interpreter has ended meanwhile the thread stays here for
/// ever: Python would end it by an unwinding that noexcept code and handlers do not let pass.
void take_back(PyThreadState* state) noexcept;

/// Gives the GIL away for as long as this lives, when wanted.
class Released {
 public:
  explicit Released(bool wanted = true) : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  Released(const Released&) = delete;
  Released& operator=(const Released&) = delete;
  ~Released() {
    if (state_ != nullptr) take_back(state_);
  }

 private:
  PyThreadState* state_;
};

// -------------------------------------------------------------------------------------- errors

/// Throws the Python exception for a C++ one, from code that nanobind does not call: returns null
/// with the error set.
PyObject* set_error() noexcept;
/// Throws Python's TypeError with the object as its attribute `asks`: who traces may find its value
/// in the call that is traced, and trace anew.
[[noreturn]] void ask_for_value(nb::handle object, const std::string& message);
/// Throws Python's TypeError with the object as one of its attributes.
[[noreturn]] void throw_about(nb::handle object, const char* attribute, const std::string& message);
/// Runs `f`, which gives a new reference, and turns C++ exceptions into Python's.
template <class F>
PyObject* guarded(F&& f) noexcept {
  try {
    return f();
  } catch (...) {
    return set_error();
  }
}

// What each file adds to the module.
void add_errors(nb::module_& m);       // errors.cpp
void add_dtypes(nb::module_& m);       // dtype.cpp
void add_arrays(nb::module_& m);       // array.cpp (with convert.cpp, dlpack.cpp)
void add_expressions(nb::module_& m);  // expr.cpp (with dim.cpp, index.cpp, operators.cpp)
void add_operations(nb::module_& m);   // apply.cpp: the op table, application
void add_creation(nb::module_& m);     // create.cpp: filled arrays, ranges
void add_shapes(nb::module_& m);       // shape.cpp: moves and joins of elements, products
void add_sorting(nb::module_& m);      // sorting.cpp: places, sets, quantiles
void add_transforms(nb::module_& m);   // transforms.cpp: grad, vjp, jvp, op_from_graph
void add_loops(nb::module_& m);        // loops.cpp: fori, scan, while_loop, cond
void add_solvers(nb::module_& m);      // solvers.cpp: what gnomon.optimize is made of
void add_functions(nb::module_& m);    // function.cpp (with call.cpp, shared.cpp)
void add_compiled(nb::module_& m);     // compiled.cpp: what gn.compiled goes through
void add_questions(nb::module_& m);    // questions.cpp: what traced functions ask of extents
void add_files(nb::module_& m);        // files.cpp: save and load
void add_pickles(nb::module_& m);      // pickles.cpp: pickles of expressions and extents
void add_shown(nb::module_& m);        // shown.cpp: texts and pictures of graphs
void add_optimizers(nb::module_& m);   // optimizers.cpp
void add_tune(nb::module_& m);         // tune.cpp
void add_export(nb::module_& m);       // export.cpp
void add_config(nb::module_& m);       // configuration.cpp: what gn.show_config tells
void add_accuracy(nb::module_& m);     // accuracy.cpp
void add_profile(nb::module_& m);      // profile.cpp
void add_debugging(nb::module_& m);    // debugging.cpp: breakpoints, the log
void add_explanation(nb::module_& m);  // explanation.cpp
void add_view(nb::module_& m);         // view.cpp
void add_random(nb::module_& m);       // random.cpp: draws, states, streams
void add_networks(nb::module_& m);     // networks.cpp (with images.cpp): what gnomon.nn is made of

}  // namespace gnomon::python
