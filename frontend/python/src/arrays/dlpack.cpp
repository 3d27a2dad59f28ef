// DLPack: tensors of other libraries, both ways. The structures are those of DLPack's ABI 1.0.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "frontend/python/src/arrays/array.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// DLDevice.
struct Place {
  std::int32_t type;
  std::int32_t number;
};
struct ElementType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Place device;
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
constexpr std::int32_t cpu = 1, cuda = 2, cuda_host = 3, simulated = 12;  // 12: an extension
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

std::string device_name(Place d) {
  constexpr std::pair<std::int32_t, const char*> names[] = {
      {cuda, "cuda"}, {4, "opencl"}, {7, "vulkan"},        {8, "metal"},
      {9, "vpi"},     {10, "rocm"},  {13, "cuda managed"}, {14, "oneapi"}};
  for (const auto& [type, name] : names)
    if (type == d.type) return fmt::format("{}:{}", name, d.number);
  return fmt::format("device type {}, number {}", d.type, d.number);
}

bool is_of_host(Place place) { return place.type == cpu || place.type == cuda_host; }

// The device of a place that is not the host's. DeviceError: Gnomon cannot use it.
Device& device_at(Place place) {
  if (place.type == cuda) return Device::open({DeviceName::Kind::cuda, place.number});
  if (place.type == simulated) return Device::open({DeviceName::Kind::sim, place.number});
  throw DeviceError(fmt::format(
      "from_dlpack: expected memory of the CPU or of a GPU of NVIDIA, found a tensor on {}",
      device_name(place)));
}

Place place_of(const Array& x) {
  const Device* const device = device_of(x);
  if (device == nullptr) return {cpu, 0};
  const DeviceName& name = device->name();
  return {name.kind == DeviceName::Kind::cuda ? cuda : simulated, name.number};
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
  const DType dtype = dtype_of_element(tensor.type);
  auto* const data = static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const auto rank = static_cast<std::size_t>(tensor.rank);
  const std::span<const std::int64_t> shape(tensor.shape, rank);
  if (!is_of_host(tensor.device)) {
    Device& device = device_at(tensor.device);
    const std::vector<std::int64_t> packed = contiguous_strides(shape);
    for (std::size_t i = 0; tensor.strides != nullptr && i < rank; ++i)
      if (shape[i] > 1 && tensor.strides[i] != packed[i])
        throw ValueError(fmt::format(
            "from_dlpack: expected elements in C order on {}, found {} with strides [{}]",
            device.name().text(), describe(dtype, shape),
            fmt::join(std::span(tensor.strides, rank), ", ")));
    return borrow_on(device, data, dtype, shape, std::move(keep_alive));
  }
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

Place place_of(nb::handle object) {
  const nb::object pair = object.attr("__dlpack_device__")();
  return {nb::cast<std::int32_t>(nb::int_(pair[0])), nb::cast<std::int32_t>(nb::int_(pair[1]))};
}

// Whoever makes the capsule lets Gnomon's stream wait for its work.
nb::object capsule_of(nb::handle object, Copy copy, Place place) {
  nb::dict options;
  if (place.type == cuda) options["stream"] = device_at(place).stream();
  options["max_version"] = nb::make_tuple(1, 0);
  if (copy == Copy::never) options["copy"] = false;
  try {
    return object.attr("__dlpack__")(**options);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError) || copy == Copy::never) throw;
  }
  nb::dict older;  // than version 1
  if (place.type == cuda) older["stream"] = options["stream"];
  return object.attr("__dlpack__")(**older);
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
  managed->tensor = {x.is_elsewhere() ? kept->address() : kept->data(),
                     place_of(x),
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
    if (device != Py_None && !PyUnicode_Check(device))
      throw TypeError(
          fmt::format("from_dlpack: expected the name of a device, found {}", text_of(device)));
    if (!nb::hasattr(object, "__dlpack__"))
      throw TypeError(fmt::format("from_dlpack: expected an object with __dlpack__, found {}",
                                  Py_TYPE(object)->tp_name));
    const Copy how = copy == Py_None    ? Copy::if_needed
                     : copy == Py_False ? Copy::never
                                        : Copy::always;
    Taken taken = take_dlpack(object, how);
    const nb::object made = wrap(std::move(taken.array), taken.writable);
    if (device == Py_None) return Py_NewRef(made.ptr());
    const nb::object moved = made.attr("to_device")(nb::handle(device));
    if (how == Copy::never && !moved.is(made))
      throw ValueError(fmt::format("from_dlpack: expected no copy, but {} is not on {}",
                                   array_of(made).describe(), text_of(device)));
    return Py_NewRef(moved.ptr());
  });
}

PyMethodDef dlpack_functions[] = {
    {"from_dlpack", as_method(from_dlpack), METH_VARARGS | METH_KEYWORDS,
     "from_dlpack(x, /, device=None, copy=None)\n--\n\nThe array of another library's tensor."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

Taken take_dlpack(nb::handle object, Copy copy) {
  Place place{cpu, 0};
  if (nb::hasattr(object, "__dlpack_device__")) place = place_of(object);
  if (!is_of_host(place)) device_at(place);
  Taken taken = take_capsule(capsule_of(object, copy, place).ptr());
  const Array& x = taken.array;
  if (x.is_elsewhere()) return copy == Copy::always ? Taken{x.copy()} : taken;
  const bool aligned = reinterpret_cast<std::uintptr_t>(x.data()) % size_of(x.dtype()) == 0;
  if (copy == Copy::always) return {x.copy()};
  if (aligned || x.size() == 0) return taken;
  if (copy == Copy::never)
    throw ValueError("from_dlpack: expected no copy, but the elements are not aligned");
  return {x.copy()};
}

PyObject* dlpack_device(PyObject* o, PyObject*) {
  return guarded([o] {
    const Place place = place_of(array_of(o));
    return Py_BuildValue("(ii)", place.type, place.number);
  });
}

PyObject* cuda_array_interface(PyObject* o, void*) {
  return guarded([o]() -> PyObject* {
    const Array& x = array_of(o);
    if (place_of(x).type != cuda || x.dtype() == bfloat16) {
      PyErr_SetString(
          PyExc_AttributeError,
          "__cuda_array_interface__: the array is not on a GPU, or has a dtype that the "
          "interface has no name for");
      return nullptr;
    }
    device_of(x)->wait();
    nb::list shape;
    for (const std::int64_t extent : x.shape()) shape.append(extent);
    const char kind = is_bool(x.dtype())       ? 'b'
                      : is_signed(x.dtype())   ? 'i'
                      : is_unsigned(x.dtype()) ? 'u'
                      : is_complex(x.dtype())  ? 'c'
                                               : 'f';
    nb::dict told;
    told["shape"] = nb::tuple(shape);
    told["typestr"] =
        fmt::format("{}{}{}", is_bool(x.dtype()) ? '|' : '<', kind, size_of(x.dtype()));
    told["data"] =
        nb::make_tuple(reinterpret_cast<std::uintptr_t>(x.address()), !array_object(o)->writable);
    told["strides"] = nb::none();
    told["stream"] = nb::none();
    told["version"] = 3;
    return told.release().ptr();
  });
}

PyObject* to_dlpack(PyObject* o, PyObject* args, PyObject* keywords) {
  static const char* const names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &version, &device, &copy))
    return nullptr;
  return guarded([&]() -> PyObject* {
    const Array& x = array_of(o);
    const Place place = place_of(x);
    if (stream != Py_None && is_of_host(place))
      throw ValueError("__dlpack__: expected no stream for the CPU");
    const auto asks_for = [&](Place p) {
      return nb::handle(device).equal(nb::make_tuple(p.type, p.number));
    };
    const bool to_cpu = device != Py_None && !is_of_host(place) && asks_for({cpu, 0});
    if (device != Py_None && !to_cpu && !asks_for(place))
      return buffer_error(
          fmt::format("__dlpack__: expected the device ({}, {}), where the array is", place.type,
                      place.number));
    if (to_cpu && copy == Py_False)
      return buffer_error("__dlpack__: expected no copy, but the array is on another device");
    // Gnomon's work on the memory is done, whatever stream the other library uses it in.
    if (!is_of_host(place) && !nb::handle(stream).equal(nb::int_(-1))) device_of(x)->wait();
    const bool versioned =
        version != Py_None && nb::cast<int>(nb::int_(nb::handle(version)[0])) >= 1;
    const bool writable = array_object(o)->writable;
    if (copy == Py_True || to_cpu) {
      const Array own = to_cpu ? to_host(x) : x.copy();
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
