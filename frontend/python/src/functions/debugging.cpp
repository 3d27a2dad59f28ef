// Breakpoints with callbacks in Python, and the log as Python gets it.
#include <memory>
#include <string>
#include <utility>

#include "frontend/python/src/core.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/options.h"

namespace gnomon::python {

namespace {

bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030d0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// Takes the GIL, of whichever thread, and leaves the error that is set as it is.
class WithGil {
 public:
  WithGil() : state_(PyGILState_Ensure()) { PyErr_Fetch(&type_, &value_, &trace_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() {
    PyErr_Restore(type_, value_, trace_);
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

// A callable that may be given up by any thread at any time, as by the last graph that has it. Once
// the interpreter has ended, it is not given up any more.
class Callable {
 public:
  explicit Callable(nb::handle object) : object_(Py_NewRef(object.ptr())) {}
  Callable(const Callable&) = delete;
  Callable& operator=(const Callable&) = delete;
  ~Callable() {
    if (Py_IsInitialized() == 0 || is_finalizing()) return;
    const WithGil held;
    Py_DECREF(object_);
  }

  // The GIL is given away by the thread that called the function, or was never its own.
  void operator()(const Array& value) const {
    if (Py_IsInitialized() == 0 || is_finalizing())
      throw Interrupted("breakpoint: the interpreter has ended");
    const PyGILState_STATE state = PyGILState_Ensure();
    try {
      const nb::object argument = wrap(value);
      const nb::object result = nb::steal(PyObject_CallOneArg(object_, argument.ptr()));
      if (!result.is_valid()) throw nb::python_error();
    } catch (...) {
      PyGILState_Release(state);
      throw;
    }
    PyGILState_Release(state);
  }

 private:
  PyObject* object_;
};

nb::object breakpoint_at(nb::handle x, nb::handle callback, nb::handle condition) {
  if (PyCallable_Check(callback.ptr()) == 0)
    throw TypeError("breakpoint: expected a function as callback, found " +
                    std::string(nb::repr(callback).c_str()));
  const auto callable = std::make_shared<const Callable>(callback);
  const OriginScope at(caller());
  const Weak weak = is_expr(x) ? reinterpret_cast<ExprObject*>(x.ptr())->weak : Weak::no;
  return wrap(
      breakpoint(
          to_arg(x), [callable](const Array& value) { (*callable)(value); }, to_arg(condition)),
      weak);
}

// Python's logging where it is set up; the standard error else.
void tell(std::string_view subject, const std::string& text) {
  bool told = false;
  if (Py_IsInitialized() != 0 && !is_finalizing()) {
    const WithGil held;
    try {
      const nb::module_ module = nb::module_::import_("gnomon._tools.log");
      told = nb::cast<bool>(
          module.attr("tell")(nb::str(subject.data(), subject.size()), nb::str(text.c_str())));
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("gnomon: a handler of the log");
      told = true;
    }
  }
  if (!told) log_to_standard_error(subject, text);
}

}  // namespace

void add_debugging(nb::module_& m) {
  using namespace nb::literals;
  m.def("is_symbolic", &is_symbolic, "x"_a);
  m.def("breakpoint", breakpoint_at, "x"_a, "callback"_a, "condition"_a);
  m.def(
      "set_log",
      [](const std::string& subjects) {
        set_log(subjects);
        set_log_sink(tell);
      },
      "subjects"_a);
  nb::list subjects;
  for (const std::string_view name : log_subjects())
    subjects.append(nb::str(name.data(), name.size()));
  m.attr("log_subjects") = nb::tuple(subjects);
  if (log_text()) set_log_sink(tell);
}

}  // namespace gnomon::python
