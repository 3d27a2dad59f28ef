// The user's line: the innermost Python frame outside of this package, and of those installed.
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_set>

#include "frontend/python/src/core.h"

namespace gnomon::python {

namespace {

bool enabled = true;

// File names live as long as the process: nodes point to them.
const char* interned(const char* name) {
  static auto* const names = new std::unordered_set<std::string>;
  return names->emplace(name).first->c_str();
}

// Whether code with these globals belongs to the package.
bool is_package(PyObject* globals) {
  PyObject* name = PyDict_GetItemString(globals, "__name__");
  if (name == nullptr || !PyUnicode_Check(name)) return false;
  const char* text = PyUnicode_AsUTF8(name);
  if (text == nullptr) {
    PyErr_Clear();
    return false;
  }
  return std::strncmp(text, "gnomon", 6) == 0 && (text[6] == '\0' || text[6] == '.');
}

// Whether a file belongs to the interpreter or to what was installed for it.
bool is_installed(std::string_view file) {
  const auto lies_in = [&](std::string_view folder) {
    return file.find(folder) != std::string_view::npos;
  };
  return lies_in("/site-packages/") || lies_in("/dist-packages/") || lies_in("/lib/python3");
}

// What is known of an instruction. Keeps its code alive, so that no other code has its address.
struct Place {
  PyCodeObject* code = nullptr;
  int instruction = 0;
  bool inside = false;     // of the package
  bool installed = false;  // of another one: SciPy, say, that calls a user's function
  Origin origin;
};

Place& place_of(PyCodeObject* code, int instruction, PyFrameObject* frame) {
  static std::array<Place, 1024> places;  // the GIL guards it
  const std::size_t hash =
      (reinterpret_cast<std::size_t>(code) >> 4) * 31 + static_cast<std::size_t>(instruction);
  Place& place = places[hash % places.size()];
  if (place.code == code && place.instruction == instruction) return place;
  Place fresh{code, instruction, false, false, {}};
  PyObject* globals = PyFrame_GetGlobals(frame);
  fresh.inside = is_package(globals);
  Py_DECREF(globals);
  if (!fresh.inside) {
    const char* file = PyUnicode_AsUTF8(code->co_filename);
    const int line = PyCode_Addr2Line(code, instruction);
    if (file == nullptr) PyErr_Clear();
    fresh.installed = file != nullptr && is_installed(file);
    if (file != nullptr && line > 0)
      fresh.origin = {interned(file), static_cast<std::uint32_t>(line)};
  }
  Py_INCREF(code);
  PyCodeObject* old = place.code;
  place = fresh;
  Py_XDECREF(old);
  return place;
}

}  // namespace

Origin caller() {
  if (!enabled) return {};
  Origin innermost;  // where all frames are of something installed
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const Place& place = place_of(code, PyFrame_GetLasti(frame), frame);
    const bool passed = place.inside || place.installed;
    const Origin origin = place.origin;
    if (place.installed && !innermost) innermost = origin;
    Py_DECREF(code);
    PyFrameObject* back = passed ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    if (!passed) return origin;
    frame = back;
  }
  return innermost;
}

std::optional<int> names_to_unpack() {
  static const long unpack =
      nb::cast<long>(nb::module_::import_("opcode").attr("opmap")["UNPACK_SEQUENCE"]);
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  if (frame == nullptr) return std::nullopt;
  const nb::object owned = nb::steal(reinterpret_cast<PyObject*>(frame));
  const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  const nb::object text = nb::steal(PyCode_GetCode(reinterpret_cast<PyCodeObject*>(code.ptr())));
  const int at = PyFrame_GetLasti(frame);
  if (!text.is_valid() || at < 0 || at + 1 >= PyBytes_GET_SIZE(text.ptr())) return std::nullopt;
  const auto* bytes = reinterpret_cast<const unsigned char*>(PyBytes_AS_STRING(text.ptr()));
  if (bytes[at] != unpack) return std::nullopt;
  return bytes[at + 1];
}

void set_origins(bool on) { enabled = on; }

}  // namespace gnomon::python
