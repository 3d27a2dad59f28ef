// The buffer protocol: arrays shown to others, and memory of others as arrays.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>

#include "frontend/python/src/arrays/array.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// ---------------------------------------------------------------------------------------- formats

constexpr std::array<const char*, dtype_count> formats = {
    "?", "b", "h", "i", "l", "B", "H", "I", "L", "e", nullptr, "f", "d", "Zf", "Zd"};

DType of_size(DType first, Py_ssize_t size) {
  const int step = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
  return static_cast<DType>(static_cast<int>(first) + step);
}

// The dtype of a format of the struct module, if it is one; the byte order is dealt with before.
std::optional<DType> dtype_of_letters(const char* format, Py_ssize_t size) {
  if (format[0] == 'Z' && format[1] != '\0' && format[2] == '\0') {
    if (format[1] == 'f') return complex64;
    return format[1] == 'd' ? std::optional(complex128) : std::nullopt;
  }
  if (format[0] == '\0' || format[1] != '\0') return std::nullopt;
  switch (format[0]) {
    case '?': return bool_;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n': return of_size(int8, size);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N': return of_size(uint8, size);
    case 'e': return float16;
    case 'f': return float32;
    case 'd': return float64;
    default: return std::nullopt;
  }
}

struct Format {
  std::optional<DType> dtype;
  bool big_endian = false;
};

Format format_of(const Py_buffer& view) {
  const char* letters = view.format == nullptr ? "B" : view.format;
  bool big_endian = false;
  if (*letters != '\0' && std::strchr("@=<>!", *letters) != nullptr) {
    big_endian = (*letters == '>' || *letters == '!') && view.itemsize > 1;
    ++letters;
  }
  return {dtype_of_letters(letters, view.itemsize), big_endian};
}

// ------------------------------------------------------------------------------- memory of others

// Strides in elements; false when elements are not aligned, or not at whole strides.
bool element_strides(const Py_buffer& view, std::int64_t* strides) {
  const Py_ssize_t size = view.itemsize;
  bool aligned = reinterpret_cast<std::uintptr_t>(view.buf) % static_cast<std::size_t>(size) == 0;
  for (int i = 0; i < view.ndim; ++i) {
    aligned = aligned && (view.shape[i] <= 1 || view.strides[i] % size == 0);
    strides[i] = view.strides[i] / size;
  }
  return aligned || view.len == 0;
}

// Whether an export has the shape and strides it was asked for. NumPy's datetime64 shows 8 bytes.
bool has_layout(const Py_buffer& view) {
  return view.ndim == 0 || (view.shape != nullptr && view.strides != nullptr);
}

// Python 3.13 made the question public.
bool is_finalizing() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// An export of another object, given back by whichever thread lets the last array go.
class Held {
 public:
  ~Held() {
    if (view.obj == nullptr || !Py_IsInitialized()) return;
    const bool has_lock = PyGILState_Check() != 0;
    if (has_lock) PyBuffer_Release(&view);
    if (has_lock || is_finalizing()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(&view);
    PyGILState_Release(state);
  }
  Py_buffer view{};
};

std::string name_of_elements(nb::handle object, const Py_buffer& view) {
  if (nb::hasattr(object, "dtype")) return text_of(object.attr("dtype"));
  return fmt::format("the format '{}'", view.format);
}

DType checked_dtype(nb::handle object, const Py_buffer& view) {
  const Format format = format_of(view);
  if (format.big_endian)
    throw ValueError(
        fmt::format("asarray: expected memory in the byte order of the machine, found "
                    "{}: use x.astype(x.dtype.newbyteorder(\"=\"))",
                    name_of_elements(object, view)));
  if (!format.dtype)
    throw TypeError(fmt::format("asarray: expected elements of {}, found {}", all_dtypes,
                                name_of_elements(object, view)));
  if (view.ndim > max_rank)
    throw ValueError(
        fmt::format("asarray: expected at most {} axes, found {}", max_rank, view.ndim));
  return *format.dtype;
}

std::span<const std::int64_t> buffer_shape(const Py_buffer& view) {
  return {view.shape, static_cast<std::size_t>(view.ndim)};
}

// -------------------------------------------------------------------------------------- exporting

// What a view of ours needs for as long as it is out.
struct Export {
  Array array;
  std::array<Py_ssize_t, max_rank> strides;
};

int refuse_buffer(const std::string& message) {
  PyErr_SetString(PyExc_BufferError, message.c_str());
  return -1;
}

int export_array(PyObject* o, Py_buffer* view, int flags) {
  const Array& x = array_of(o);
  const bool writable = array_object(o)->writable;
  const char* const format = formats[static_cast<std::size_t>(x.dtype())];
  const auto wants = [flags](int what) { return (flags & what) == what; };
  if (x.is_elsewhere())
    return refuse_buffer(fmt::format(
        "buffer: {} is in the memory of a device: copy it by x.to_device('cpu')", x.describe()));
  if (format == nullptr)
    return refuse_buffer(fmt::format("buffer: {} has no format: use DLPack", name_of(x.dtype())));
  if (wants(PyBUF_WRITABLE) && !writable)
    return refuse_buffer(fmt::format("buffer: {} is read-only", x.describe()));
  const bool fortran = x.transpose().is_contiguous();
  const bool fits = wants(PyBUF_ANY_CONTIGUOUS) ? x.is_contiguous() || fortran
                    : wants(PyBUF_F_CONTIGUOUS) ? fortran
                    : wants(PyBUF_C_CONTIGUOUS) || !wants(PyBUF_STRIDES) ? x.is_contiguous()
                                                                         : true;
  if (!fits)
    return refuse_buffer(
        fmt::format("buffer: {} does not lie contiguous in the wanted order", x.describe()));
  auto* const kept = new Export{x, {}};
  const auto size = static_cast<Py_ssize_t>(size_of(x.dtype()));
  for (std::size_t i = 0; i < x.strides().size(); ++i) kept->strides[i] = x.strides()[i] * size;
  view->buf = kept->array.data();
  view->obj = Py_NewRef(o);
  view->len = x.bytes();
  view->itemsize = size;
  view->readonly = writable ? 0 : 1;
  view->ndim = x.rank();
  view->format = wants(PyBUF_FORMAT) ? const_cast<char*>(format) : nullptr;
  view->shape = wants(PyBUF_ND) ? const_cast<Py_ssize_t*>(kept->array.shape().data()) : nullptr;
  view->strides = wants(PyBUF_STRIDES) ? kept->strides.data() : nullptr;
  view->suboffsets = nullptr;
  view->internal = kept;
  return 0;
}

}  // namespace

int get_buffer(PyObject* o, Py_buffer* view, int flags) {
  view->obj = nullptr;
  try {
    return export_array(o, view, flags);
  } catch (...) {
    set_error();
    return -1;
  }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Export*>(view->internal); }

std::optional<Taken> take_buffer(nb::handle object, Copy copy) {
  if (PyObject_CheckBuffer(object.ptr()) == 0) return std::nullopt;
  const auto held = std::make_shared<Held>();
  Py_buffer& view = held->view;
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return std::nullopt;
  }
  if (!has_layout(view)) return std::nullopt;
  const DType dtype = checked_dtype(object, view);
  std::array<std::int64_t, max_rank> strides{};
  if (element_strides(view, strides.data())) {
    Array shown =
        Array::borrow(view.buf, dtype, buffer_shape(view),
                      std::span(strides).first(static_cast<std::size_t>(view.ndim)), held);
    if (copy == Copy::always) return Taken{shown.copy()};
    return Taken{std::move(shown), view.readonly == 0};
  }
  if (copy == Copy::never)
    throw ValueError("asarray: expected no copy, but the elements are not aligned");
  Array packed = Array::empty(dtype, buffer_shape(view));
  if (PyBuffer_ToContiguous(packed.data(), &view, view.len, 'C') != 0) throw nb::python_error();
  return Taken{std::move(packed)};
}

bool Borrowed::set(PyObject* object) {
  if (is_array(object)) {
    array_ = array_of(object);
    return true;
  }
  // Whoever made the call holds the object.
  if (std::optional<Array> memory = ndarray_memory(object)) {
    array_ = std::move(*memory);
    return true;
  }
  if (PyObject_CheckBuffer(object) == 0) return false;
  PyBuffer_Release(&view_);
  if (PyObject_GetBuffer(object, &view_, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    view_.obj = nullptr;
    return false;
  }
  if (!has_layout(view_)) return false;
  const Format format = format_of(view_);
  std::array<std::int64_t, max_rank> strides;
  if (!format.dtype || format.big_endian || view_.ndim > max_rank ||
      !element_strides(view_, strides.data()))
    return false;
  array_ = Array::borrow(view_.buf, *format.dtype, buffer_shape(view_),
                         std::span(strides).first(static_cast<std::size_t>(view_.ndim)), nullptr);
  return true;
}

}  // namespace gnomon::python
