// DLPack: tensors of other libraries, both ways. The structures are those of DLPack's ABI 1.0.
#include <fmt/format.h>

#include <array>
#include <memory>

#include "frontend/python/src/arrays/array.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

struct Device {
  std::int32_t type;
  std::int32_t number;
};
struct ElementType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  ElementType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C-contiguous
  std::uint64_t byte_offset;
};
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};
struct Versioned {
  std::uint32_t major, minor;
  void* context;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;
};

constexpr std::uint64_t read_only = 1, is_copied = 2;
constexpr std::int32_t cpu = 1, cuda_host = 3;
constexpr std::uint8_t code_int = 0, code_uint = 1, code_float = 2, code_bfloat = 4,
                       code_complex = 5, code_bool = 6;

template <class M>
struct Names;
template <>
struct Names<Managed> {
  static constexpr const char *fresh = "dltensor", *used = "used_dltensor";
};
template <>
struct Names<Versioned> {
  static constexpr const char *fresh = "dltensor_versioned", *used = "used_dltensor_versioned";
};

std::string device_name(Device d) {
  constexpr std::pair<std::int32_t, const char*> names[] = {
      {2, "cuda"}, {4, "opencl"}, {7, "vulkan"},        {8, "metal"},
      {9, "vpi"},  {10, "rocm"},  {13, "cuda managed"}, {14, "oneapi"}};
  for (const auto& [type, name] : names)
    if (type == d.type) return fmt::format("{}:{}", name, d.number);
  return fmt::format("device type {}, number {}", d.type, d.number);
}

ElementType element_type(DType t) {
  const auto code = is_bool(t)       ? code_bool
                    : is_signed(t)   ? code_int
                    : is_unsigned(t) ? code_uint
                    : is_complex(t)  ? code_complex
                    : t == bfloat16  ? code_bfloat
                                     : code_float;
  return {code, static_cast<std::uint8_t>(8 * size_of(t)), 1};
}

DType dtype_of_element(ElementType e) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto t = static_cast<DType>(i);
    const ElementType own = element_type(t);
    if (own.code == e.code && own.bits == e.bits && e.lanes == 1) return t;
  }
  throw TypeError(fmt::format(
      "from_dlpack: expected elements of {}, found type code {} with {} bits and {} lanes",
      all_dtypes, e.code, e.bits, e.lanes));
}

// ----------------------------------------------------------------------------------------- import

Array shown(const Tensor& tensor, std::shared_ptr<void> keep_alive) {
  if (tensor.device.type != cpu && tensor.device.type != cuda_host)
    throw DeviceError(fmt::format("from_dlpack: expected memory of the CPU, found a tensor on {}",
                                  device_name(tensor.device)));
  const DType dtype = dtype_of_element(tensor.type);
  auto* const data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const auto rank = static_cast<std::size_t>(tensor.rank);
  const std::span<const std::int64_t> shape(tensor.shape, rank);
  if (tensor.strides == nullptr) return Array::borrow(data, dtype, shape, std::move(keep_alive));
  return Array::borrow(data, dtype, shape, std::span<const std::int64_t>(tensor.strides, rank),
                       std::move(keep_alive));
}

// Takes the tensor out of its capsule; the deleter runs with the last array.
template <class M>
std::shared_ptr<M> take_out(PyObject* capsule) {
  auto* const managed = static_cast<M*>(PyCapsule_GetPointer(capsule, Names<M>::fresh));
  if (managed == nullptr || PyCapsule_SetName(capsule, Names<M>::used) != 0)
    throw nb::python_error();
  return std::shared_ptr<M>(managed, [](M* m) {
    if (m->deleter != nullptr) m->deleter(m);
  });
}

Taken take_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Names<Versioned>::fresh) != 0) {
    const std::shared_ptr<Versioned> managed = take_out<Versioned>(capsule);
    if (managed->major != 1)
      throw ValueError(fmt::format("from_dlpack: expected version 1 of DLPack, found {}.{}",
                                   managed->major, managed->minor));
    return {shown(managed->tensor, managed), (managed->flags & read_only) == 0};
  }
  if (PyCapsule_IsValid(capsule, Names<Managed>::fresh) != 0) {
    const std::shared_ptr<Managed> managed = take_out<Managed>(capsule);
    return {shown(managed->tensor, managed), false};  // old capsules do not tell
  }
  throw ValueError("from_dlpack: expected a fresh capsule from __dlpack__, found another object");
}

Device device_of(nb::handle object) {
  const nb::object pair = object.attr("__dlpack_device__")();
  return {nb::cast<std::int32_t>(nb::int_(pair[0])), nb::cast<std::int32_t>(nb::int_(pair[1]))};
}

nb::object capsule_of(nb::handle object, Copy copy) {
  nb::dict options;
  options["max_version"] = nb::make_tuple(1, 0);
  if (copy == Copy::never) options["copy"] = false;
  try {
    return object.attr("__dlpack__")(**options);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError) || copy == Copy::never) throw;
  }
  return object.attr("__dlpack__")();  // of before version 1
}

// ----------------------------------------------------------------------------------------- export

template <class M>
void let_go(M* managed) {
  delete static_cast<Array*>(managed->context);
  delete managed;
}

template <class M>
void end_capsule(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, Names<M>::fresh) == 0) return;
  auto* const managed = static_cast<M*>(PyCapsule_GetPointer(capsule, Names<M>::fresh));
  managed->deleter(managed);
}

template <class M>
PyObject* capsule(const Array& x, std::uint64_t flags) {
  auto managed = std::make_unique<M>();
  if constexpr (std::is_same_v<M, Versioned>) {
    managed->major = 1;
    managed->minor = 0;
    managed->flags = flags;
  }
  auto kept = std::make_unique<Array>(x);
  managed->tensor = {kept->data(),
                     {cpu, 0},
                     x.rank(),
                     element_type(x.dtype()),
                     const_cast<std::int64_t*>(x.shape().data()),
                     const_cast<std::int64_t*>(x.strides().data()),
                     0};
  managed->context = kept.release();
  managed->deleter = let_go<M>;
  PyObject* const made = PyCapsule_New(managed.get(), Names<M>::fresh, end_capsule<M>);
  made == nullptr ? managed->deleter(managed.release()) : static_cast<void>(managed.release());
  return made;
}

PyObject* buffer_error(const std::string& message) {
  PyErr_SetString(PyExc_BufferError, message.c_str());
  return nullptr;
}

// from_dlpack(x, /, device=None, copy=None)
PyObject* from_dlpack(PyObject*, PyObject* args, PyObject* keywords) {
  static const char* const names[] = {"", "device", "copy", nullptr};
  PyObject *object = nullptr, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO:from_dlpack", const_cast<char**>(names),
                                   &object, &device, &copy))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (device != Py_None && !(PyUnicode_Check(device) && nb::handle(device).equal(nb::str("cpu"))))
      throw DeviceError(
          fmt::format("from_dlpack: expected the device 'cpu', found {}", text_of(device)));
    if (!nb::hasattr(object, "__dlpack__"))
      throw TypeError(fmt::format("from_dlpack: expected an object with __dlpack__, found {}",
                                  Py_TYPE(object)->tp_name));
    const Copy how = copy == Py_None    ? Copy::if_needed
                     : copy == Py_False ? Copy::never
                                        : Copy::always;
    Taken taken = take_dlpack(object, how);
    return wrap(std::move(taken.array), taken.writable).release().ptr();
  });
}

PyMethodDef dlpack_functions[] = {
    {"from_dlpack", as_method(from_dlpack), METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(x, /, device=None, copy=None)\n--\n\nThe array of another library's tensor."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

Taken take_dlpack(nb::handle object, Copy copy) {
  if (nb::hasattr(object, "__dlpack_device__")) {
    const Device device = device_of(object);
    if (device.type != cpu && device.type != cuda_host)
      throw DeviceError(fmt::format("from_dlpack: expected memory of the CPU, found a tensor on {}",
                                    device_name(device)));
  }
  Taken taken = take_capsule(capsule_of(object, copy).ptr());
  const Array& x = taken.array;
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data()) % size_of(x.dtype()) == 0;
  if (copy == Copy::always) return {x.copy()};
  if (aligned || x.size() == 0) return taken;
  if (copy == Copy::never)
    throw ValueError("from_dlpack: expected no copy, but the elements are not aligned");
  return {x.copy()};
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", cpu, 0); }

PyObject* to_dlpack(PyObject* o, PyObject* args, PyObject* keywords) {
  static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &version, &device, &copy))
    return nullptr;
  return guarded([&]() -> PyObject* {
    if (stream != Py_None) throw ValueError("__dlpack__: expected no stream for the CPU");
    if (device != Py_None && !nb::handle(device).equal(nb::make_tuple(cpu, 0)))
      return buffer_error("__dlpack__: expected the device (1, 0), the CPU");
    const bool versioned =
        version != Py_None && nb::cast<int>(nb::int_(nb::handle(version)[0])) >= 1;
    const bool writable = array_object(o)->writable;
    if (copy == Py_True) {
      const Array own = array_of(o).copy();
      return versioned ? capsule<Versioned>(own, is_copied) : capsule<Managed>(own, 0);
    }
    if (versioned) return capsule<Versioned>(array_of(o), writable ? 0 : read_only);
    if (!writable)
      return buffer_error(
          "__dlpack__: the array is read-only, which needs max_version=(1, 0), or copy=True");
    return capsule<Managed>(array_of(o), 0);
  });
}

void add_dlpack(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), dlpack_functions) != 0) throw nb::python_error();
}

}  // namespace gnomon::python
