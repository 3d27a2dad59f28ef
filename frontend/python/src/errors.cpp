// The exception classes of Python, and C++ exceptions as such.
#include "runtime/error.h"

#include "frontend/python/src/core.h"

namespace gnomon::python {

namespace {

struct Classes {
  PyObject* error;
  PyObject* type;
  PyObject* value;
  PyObject* index;
  PyObject* compile;
  PyObject* device;
  PyObject* floating_point;
  PyObject* internal;
};
Classes classes{};

PyObject* make_class(nb::module_& m, const char* name, PyObject* first, PyObject* second,
                     const char* doc) {
  const std::string full = std::string("gnomon.") + name;
  const nb::object bases = first == nullptr
                               ? nb::borrow(second)
                               : nb::object(nb::make_tuple(nb::borrow(first), nb::borrow(second)));
  PyObject* const made = PyErr_NewExceptionWithDoc(full.c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) throw nb::python_error();
  m.attr(name) = nb::handle(made);
  return made;
}

// Paths need not be UTF-8.
void set(PyObject* type, std::string_view text) noexcept {
  PyObject* const message =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (message == nullptr) return;
  PyErr_SetObject(type, message);
  Py_DECREF(message);
}

// As Python's own: FileNotFoundError, PermissionError and so on, by the number.
void set(const FileError& error) noexcept {
  PyObject* const path =
      error.path().empty() ? Py_NewRef(Py_None) : PyUnicode_DecodeFSDefault(error.path().c_str());
  if (path == nullptr) return;
  PyObject* const reason = PyUnicode_DecodeFSDefault(error.reason().c_str());
  PyObject* const arguments = reason == nullptr ? nullptr
                              : error.path().empty()
                                  ? Py_BuildValue("(iO)", error.code(), reason)
                                  : Py_BuildValue("(iOO)", error.code(), reason, path);
  PyObject* const made =
      arguments == nullptr ? nullptr : PyObject_CallObject(PyExc_OSError, arguments);
  if (made != nullptr) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made)), made);
  Py_XDECREF(made);
  Py_XDECREF(arguments);
  Py_XDECREF(reason);
  Py_DECREF(path);
}

// With the source and the toolchain's log as attributes.
void set(const CompileError& error) noexcept {
  PyObject* const made = PyObject_CallFunction(classes.compile, "s", error.what());
  if (made == nullptr) return;
  PyObject* const source = PyUnicode_DecodeUTF8(
      error.source().c_str(), static_cast<Py_ssize_t>(error.source().size()), "replace");
  PyObject* const log = PyUnicode_DecodeUTF8(
      error.log().c_str(), static_cast<Py_ssize_t>(error.log().size()), "replace");
  const bool ok = source != nullptr && log != nullptr &&
                  PyObject_SetAttrString(made, "source", source) == 0 &&
                  PyObject_SetAttrString(made, "log", log) == 0;
  Py_XDECREF(source);
  Py_XDECREF(log);
  if (ok) PyErr_SetObject(classes.compile, made);
  Py_DECREF(made);
}

}  // namespace

PyObject* set_error() noexcept {
  try {
    throw;
  } catch (nb::python_error& e) {
    e.restore();
  } catch (const TypeError& e) {
    set(classes.type, e.what());
  } catch (const IndexError& e) {
    set(classes.index, e.what());
  } catch (const ValueError& e) {
    set(classes.value, e.what());
  } catch (const CompileError& e) {
    set(e);
  } catch (const FileError& e) {
    set(e);
  } catch (const DeviceError& e) {
    set(classes.device, e.what());
  } catch (const FloatingPointError& e) {
    set(classes.floating_point, e.what());
  } catch (const Interrupted&) {  // by a signal handler, whose exception is set
    if (PyErr_Occurred() == nullptr) PyErr_SetNone(PyExc_KeyboardInterrupt);
  } catch (const InternalError& e) {
    set(classes.internal, e.what());
  } catch (const Error& e) {
    set(classes.error, e.what());
  } catch (const nb::cast_error& e) {
    set(classes.type, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& e) {
    set(classes.internal, e.what());
  } catch (...) {
    set(classes.internal, "unknown: a foreign exception");
  }
  return nullptr;
}

void ask_for_value(nb::handle object, const std::string& message) {
  throw_about(object, "asks", message);
}

void throw_about(nb::handle object, const char* attribute, const std::string& message) {
  const nb::object error = nb::handle(classes.type)(message);
  error.attr(attribute) = object;
  PyErr_SetObject(classes.type, error.ptr());
  throw nb::python_error();
}

void add_errors(nb::module_& m) {
  classes.error = make_class(m, "Error", nullptr, PyExc_Exception, "Base of all errors of gnomon.");
  PyObject* const base = classes.error;
  classes.type = make_class(m, "TypeError", base, PyExc_TypeError,
                            "Something is of a wrong kind: a dtype, a structure, an operation that "
                            "lacks what is asked of it.");
  classes.value =
      make_class(m, "ValueError", base, PyExc_ValueError,
                 "Something of the right kind has a wrong value: extents, a parameter, a check.");
  classes.index = make_class(m, "IndexError", classes.value, PyExc_IndexError,
                             "An index, a label or an axis is out of range.");
  classes.compile = make_class(m, "CompileError", base, PyExc_RuntimeError,
                               "The toolchain is missing or failed; see `source` and `log`.");
  classes.device = make_class(m, "DeviceError", base, PyExc_RuntimeError,
                              "The machine failed: no memory, no disk, no such device or library.");
  classes.floating_point = make_class(
      m, "FloatingPointError", base, PyExc_FloatingPointError,
      "A result is NaN or infinite, and what it was computed from is not: see the option "
      "`nan_guard`.");
  classes.internal = make_class(m, "InternalError", base, PyExc_RuntimeError, "A bug of gnomon.");
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const Error&) {
      set_error();
    }
  });
}

}  // namespace gnomon::python
