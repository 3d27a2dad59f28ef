// DLPack 1.0 (https://dmlc.github.io/dlpack): its structures, capsules both ways.
#include "frontend/python/src/array.h"

// After Python.h.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>

#include <memory>

#include "runtime/error.h"

namespace gnomon::python {

namespace {

// ------------------------------------------------------------------- the published structures

struct Device {
  std::int32_t type, id;
};
constexpr std::int32_t host = 1, pinned_host = 3;

struct ElementType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
enum Code : std::uint8_t {
  code_int,
  code_uint,
  code_float,
  code_bfloat = 4,
  code_complex,
  code_bool
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  ElementType type;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: C order
  std::uint64_t byte_offset;
};

// The form before 1.0.
struct Legacy {
  Tensor tensor;
  void* owner;
  void (*deleter)(Legacy*);
  static constexpr const char *name = "dltensor", *used = "used_dltensor";
};

struct Versioned {
  std::uint32_t major, minor;
  void* owner;
  void (*deleter)(Versioned*);
  std::uint64_t flags;
  Tensor tensor;
  static constexpr const char *name = "dltensor_versioned", *used = "used_dltensor_versioned";
};
constexpr std::uint64_t read_only = 1, is_copied = 2;

// ------------------------------------------------------------------------------------- dtypes

ElementType element_type(DType t) {
  const auto bits = static_cast<std::uint8_t>(8 * size_of(t));
  if (is_bool(t)) return {code_bool, 8, 1};
  if (t == DType::bfloat16) return {code_bfloat, 16, 1};
  if (t == DType::complex64 || t == DType::complex128) return {code_complex, bits, 1};
  if (is_float(t)) return {code_float, bits, 1};
  const bool is_unsigned = t >= DType::uint8 && t <= DType::uint64;
  return {is_unsigned ? code_uint : code_int, bits, 1};
}

DType dtype_of_element(ElementType e) {
  if (e.lanes == 1) {
    for (int i = 0; i < dtype_count; ++i) {
      const ElementType known = element_type(static_cast<DType>(i));
      if (known.code == e.code && known.bits == e.bits) return static_cast<DType>(i);
    }
  }
  throw TypeError(
      fmt::format("from_dlpack: expected elements of a dtype of Gnomon, found type code {} of {} "
                  "bits, {} lanes",
                  e.code, e.bits, e.lanes));
}

// ------------------------------------------------------------------------------------- export

// A capsule's structure with what it points at.
template <class Managed>
struct Exported {
  Managed managed{};
  Array array;
  std::vector<std::int64_t> shape, strides;
};

// A capsule that nobody took still owns its structure.
template <class Managed>
void drop(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, Managed::name)) return;
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  managed->deleter(managed);
}

template <class Managed>
PyObject* capsule_of(Array array, std::uint64_t flags) {
  auto exported = std::make_unique<Exported<Managed>>();
  exported->array = std::move(array);
  const Array& a = exported->array;
  exported->shape.assign(a.shape().begin(), a.shape().end());
  exported->strides.assign(a.strides().begin(), a.strides().end());
  Managed& managed = exported->managed;
  managed.tensor = {const_cast<void*>(a.data()),
                    {host, 0},
                    a.rank(),
                    element_type(a.dtype()),
                    exported->shape.data(),
                    exported->strides.data(),
                    0};
  if constexpr (requires { managed.flags; }) {
    managed.major = 1;
    managed.flags = flags;
  }
  managed.owner = exported.get();
  managed.deleter = [](Managed* m) { delete static_cast<Exported<Managed>*>(m->owner); };
  PyObject* const capsule = PyCapsule_New(&managed, Managed::name, drop<Managed>);
  if (capsule != nullptr) exported.release();
  return capsule;
}

// ------------------------------------------------------------------------------------- import

// The tensor of a capsule as an array that owns the structure from now on.
template <class Managed>
Array take(PyObject* capsule) {
  auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, Managed::name));
  if constexpr (requires { managed->major; }) {
    if (managed->major != 1)
      throw ValueError(fmt::format("from_dlpack: expected version 1 of DLPack, found {}.{}",
                                   managed->major, managed->minor));
  }
  const Tensor& t = managed->tensor;
  if (t.device.type != host && t.device.type != pinned_host)
    throw DeviceError(
        fmt::format("from_dlpack: expected memory of the host, found device type {} number {}",
                    t.device.type, t.device.id));
  const DType dtype = dtype_of_element(t.type);
  const std::span<const std::int64_t> shape(t.shape, static_cast<std::size_t>(t.rank));
  const std::vector<std::int64_t> packed = contiguous_strides(shape);
  const std::span<const std::int64_t> strides =
      t.strides == nullptr ? packed : std::span<const std::int64_t>(t.strides, shape.size());
  // The last handle may be let go by any thread, also after the interpreter has ended.
  const std::shared_ptr<void> owner(managed, [](void* p) {
    auto* const m = static_cast<Managed*>(p);
    if (m->deleter == nullptr || !Py_IsInitialized()) return;
    const nb::gil_scoped_acquire held;
    m->deleter(m);
  });
  if (PyCapsule_SetName(capsule, Managed::used) != 0) throw nb::python_error();
  return Array::borrow(static_cast<char*>(t.data) + t.byte_offset, dtype, shape, strides, owner);
}

// Producers older than the keywords of 2023 know none of them.
nb::object ask(nb::handle producer, Copy copy) {
  nb::object method = producer.attr("__dlpack__");
  try {
    nb::dict keywords;
    keywords["max_version"] = nb::make_tuple(1, 0);
    if (copy == Copy::always) keywords["copy"] = true;
    return method(**keywords);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_TypeError)) throw;
  }
  return method();
}

bool is_host(std::int64_t type) { return type == host || type == pinned_host; }

}  // namespace

PyObject* to_dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  PyObject *stream = Py_None, *max_version = Py_None, *device = Py_None, *copy = Py_None;
  static const char* names[] = {"stream", "max_version", "dl_device", "copy", nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", const_cast<char**>(names),
                                   &stream, &max_version, &device, &copy))
    return nullptr;
  return guarded([&]() -> PyObject* {
    const auto refuse = [](const char* why) -> PyObject* {
      PyErr_SetString(PyExc_BufferError, why);
      return nullptr;
    };
    if (!Py_IsNone(stream)) return refuse("__dlpack__: expected no stream for memory of the host");
    if (!Py_IsNone(device) && !is_host(nb::cast<std::int64_t>(nb::handle(device)[0])))
      return refuse("__dlpack__: the array is in memory of the host; copy it to the device there");
    const auto* const object = reinterpret_cast<const ArrayObject*>(self);
    const bool copied = copy == Py_True;
    const Array array = copied ? object->array.copy() : object->array;
    const bool writable = copied || object->writable;
    if (!Py_IsNone(max_version) && nb::cast<std::int64_t>(nb::handle(max_version)[0]) >= 1)
      return capsule_of<Versioned>(array, (writable ? 0 : read_only) | (copied ? is_copied : 0));
    if (!writable)
      return refuse(
          "__dlpack__: the array is read-only, which the consumer could not know: use "
          "copy=True or max_version=(1, 0)");
    return capsule_of<Legacy>(array, 0);
  });
}

PyObject* dlpack_device(PyObject*, PyObject*) { return Py_BuildValue("(ii)", host, 0); }

Taken take_dlpack(nb::handle producer, Copy copy) {
  if (nb::hasattr(producer, "__dlpack_device__")) {
    const nb::object device = producer.attr("__dlpack_device__")();
    if (!is_host(nb::cast<std::int64_t>(device[0])))
      throw DeviceError(fmt::format(
          "from_dlpack: expected memory of the host, found device {}: copy it to the host first",
          nb::repr(device).c_str()));
  }
  const nb::object capsule = ask(producer, copy);
  Taken taken;
  if (PyCapsule_IsValid(capsule.ptr(), Versioned::name)) {
    const auto* const managed =
        static_cast<const Versioned*>(PyCapsule_GetPointer(capsule.ptr(), Versioned::name));
    const std::uint64_t flags = managed->flags;
    taken = {take<Versioned>(capsule.ptr()), (flags & read_only) == 0};
    if ((flags & is_copied) != 0 && copy == Copy::always) return taken;
  } else if (PyCapsule_IsValid(capsule.ptr(), Legacy::name)) {
    taken.array = take<Legacy>(capsule.ptr());
  } else {
    throw TypeError("from_dlpack: expected a DLPack capsule that nobody has taken yet");
  }
  if (copy == Copy::always) taken = {taken.array.copy(), true};
  return taken;
}

void add_dlpack(nb::module_& m) {
  m.def(
      "from_dlpack",
      [](nb::handle x, nb::handle device, std::optional<bool> copy) {
        if (!device.is_none() && !nb::isinstance<nb::str>(device))
          if (!is_host(nb::cast<std::int64_t>(device[0])))
            throw DeviceError("from_dlpack: expected the host as the device");
        if (nb::isinstance<nb::str>(device) && nb::cast<std::string>(nb::str(device)) != "cpu")
          throw DeviceError("from_dlpack: expected device \"cpu\"");
        const Copy how = !copy ? Copy::if_needed : *copy ? Copy::always : Copy::never;
        Taken taken = take_dlpack(x, how);
        return wrap(std::move(taken.array), taken.writable);
      },
      nb::arg("x"), nb::kw_only(), nb::arg("device") = nb::none(), nb::arg("copy") = nb::none(),
      "An array over the memory of any object with __dlpack__, without a copy unless copy=True.");
}

}  // namespace gnomon::python
