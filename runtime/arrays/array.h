// An n-dimensional array: a counted handle to one block that holds its description and its data.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/arrays/dtype.h"

namespace gnomon {

/// The most axes an array can have.
inline constexpr int max_rank = 64;

// The compilers that know the attribute warn of a reference that outlives what it points into.
#if defined(__clang__)
#define GNOMON_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define GNOMON_LIFETIMEBOUND
#endif

/// A list of extents, strides or axes as a parameter: `{784, 10}`, a vector, an array or a span.
/// It has numbers of its own, so it may be kept.
class Extents : public std::span<const std::int64_t> {
 public:
  Extents() = default;
  /// Those of a list or a range, copied.
  Extents(std::initializer_list<std::int64_t> list) { keep(list.begin(), list.size()); }
  template <class Range>
    requires(std::convertible_to<const Range&, std::span<const std::int64_t>> &&
             !std::same_as<Range, Extents>)
  Extents(const Range& range) {
    const std::span<const std::int64_t> list(range);
    keep(list.data(), list.size());
  }
  Extents(const Extents& other) : span() { keep(other.data(), other.size()); }
  Extents& operator=(const Extents& other) {
    if (this != &other) keep(other.data(), other.size());
    return *this;
  }

 private:
  static constexpr std::size_t inline_count = 8;
  void keep(const std::int64_t* list, std::size_t count) {
    if (count > inline_count) {
      more_.assign(list, list + count);
      list = more_.data();
    } else {
      for (std::size_t i = 0; i < count; ++i) few_[i] = list[i];
      list = few_;
    }
    static_cast<span&>(*this) = span(list, count);
  }

  std::int64_t few_[inline_count];
  std::vector<std::int64_t> more_;
};

template <class T>
class Elements;

/// The C++ types that an element or a scalar can have.
template <class T>
concept ScalarType = requires { dtype_of_type<T>::value; };

/// A handle to an array: copying it copies a pointer, and both handles see the same data.
/// Strides count elements and may be zero or negative. A default-made handle refers to no array;
/// asking it for anything but `defined` is a ValueError. Methods that may fail remember the line of
/// their caller for their errors.
class Array {
 public:
  using Place = std::source_location;  ///< the line of the caller
  Array() = default;
  /// A rank-0 array; the dtype is that of the C++ type.
  template <ScalarType T>
  Array(T value) : Array(from_scalar(dtype_of<T>, &value)) {}
  Array(long long value) : Array(static_cast<std::int64_t>(value)) {}
  Array(unsigned long long value) : Array(static_cast<std::uint64_t>(value)) {}

  /// Copies refer to the same array; a handle that was moved from refers to none.
  Array(const Array& other) noexcept : record_(other.record_) { retain(); }
  Array(Array&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  Array& operator=(const Array& other) noexcept {
    Array copy(other);
    std::swap(record_, copy.record_);
    return *this;
  }
  Array& operator=(Array&& other) noexcept {
    Array moved(std::move(other));
    std::swap(record_, moved.record_);
    return *this;
  }
  ~Array() {
    if (record_ != nullptr) release();
  }

  /// Uninitialised, C-contiguous, 64-byte aligned. TypeError: unsupported dtype; ValueError: a
  /// negative extent, too many axes or a size that overflows; DeviceError: out of memory.
  static Array empty(DType dtype, const Extents& shape) { return of_extents(dtype, shape); }
  /// The same for extents that lie somewhere already.
  static Array of_extents(DType dtype, std::span<const std::int64_t> shape);

  /// A copy of `values` in C order; without a shape, of rank 1. ValueError: the shape has another
  /// number of elements.
  template <ScalarType T>
  static Array from(std::span<const T> values, Extents shape, Place at = Place::current()) {
    return from_memory(dtype_of<T>, values.data(), values.size(), shape, at);
  }
  template <ScalarType T>
  static Array from(const std::vector<T>& values, Extents shape, Place at = Place::current());
  template <ScalarType T>
  static Array from(const std::vector<T>& values) {
    return from(values, {static_cast<std::int64_t>(values.size())});
  }
  template <ScalarType T>
  static Array from(std::initializer_list<T> values, Extents shape, Place at = Place::current()) {
    return from_memory(dtype_of<T>, values.begin(), values.size(), shape, at);
  }
  template <ScalarType T>
  static Array from(std::initializer_list<T> values) {
    return from(values, {static_cast<std::int64_t>(values.size())});
  }
  /// A rank-0 array.
  template <ScalarType T>
  static Array scalar(T value) {
    return Array(value);
  }

  /// An array over memory that Gnomon does not own; `keep_alive` is let go with the last handle.
  /// Strides in elements; without them, C-contiguous. ValueError: as of `empty`, another number of
  /// strides, or a null pointer for an array with elements.
  static Array borrow(void* data, DType dtype, Extents shape, Extents strides,
                      std::shared_ptr<void> keep_alive);
  static Array borrow(void* data, DType dtype, Extents shape,
                      std::shared_ptr<void> keep_alive = nullptr);

  /// An array in memory that is not the host's, C-contiguous: see runtime/device/device_array.h.
  static Array elsewhere(void* address, DType dtype, Extents shape, std::shared_ptr<void> holder);
  /// Whether it is in the memory of a device.
  bool is_elsewhere() const { return record().elsewhere; }
  /// The first element, wherever it is.
  void* address() const { return record().data; }
  /// What the memory belongs to.
  const void* holder() const { return record().keep_alive.get(); }

  /// Whether the handle refers to an array.
  bool defined() const noexcept { return record_ != nullptr; }
  /// The type of the elements.
  DType dtype() const { return record().dtype; }
  /// The number of axes.
  int rank() const { return record().rank; }
  /// The extents.
  std::span<const std::int64_t> shape() const& GNOMON_LIFETIMEBOUND {
    return {record().dims(), record_->rank};
  }
  /// Of an array that ends with the expression: numbers of their own.
  std::vector<std::int64_t> shape() const&& { return list_of(0); }
  /// Elements from one index to the next, for each axis.
  std::span<const std::int64_t> strides() const& GNOMON_LIFETIMEBOUND {
    return {record().dims() + record_->rank, record_->rank};
  }
  std::vector<std::int64_t> strides() const&& { return list_of(record().rank); }
  /// Number of elements.
  std::int64_t size() const { return record().size; }
  /// Bytes of the elements.
  std::int64_t bytes() const { return size() * static_cast<std::int64_t>(size_of(dtype())); }
  /// The first element. What the value of a shared variable shows is copied before it can be
  /// written to (`copied_when_written`).
  void* data() & GNOMON_LIFETIMEBOUND {
    if (record().shown || record_->elsewhere) detach();
    return record_->data;
  }
  /// DeviceError: it is in the memory of a device.
  const void* data() const& GNOMON_LIFETIMEBOUND { return here(); }
  const void* data() const&& GNOMON_LIFETIMEBOUND { return here(); }
  /// The elements; TypeError unless `T` is the dtype's type.
  template <ScalarType T>
      T* data(Place at = Place::current()) & GNOMON_LIFETIMEBOUND {
    check_dtype(dtype_of<T>, at);
    return static_cast<T*>(data());
  }
  template <ScalarType T>
  const T* data(Place at = Place::current()) const& GNOMON_LIFETIMEBOUND {
    check_dtype(dtype_of<T>, at);
    return static_cast<const T*>(here());
  }
  /// Of an array that ends with the expression, as in `f(x)[0].data<double>()[2]`: an object that
  /// keeps the array.
  template <ScalarType T>
  Elements<T> data(Place at = Place::current()) const&&;

  /// The value of an array of one element; ValueError on another size, TypeError on another dtype.
  template <ScalarType T>
  T item(Place at = Place::current()) const {
    check_one_element(at);
    check_dtype(dtype_of<T>, at);
    return *static_cast<const T*>(here());
  }
  /// All elements in C order; TypeError on another dtype.
  template <ScalarType T>
  std::vector<T> to_vector(Place at = Place::current()) const;

  /// Whether the elements lie in C order without gaps.
  bool is_contiguous() const { return record().contiguous; }
  /// Itself when C-contiguous and 64-byte aligned, else a packed copy.
  Array contiguous() const;
  /// A packed copy.
  Array copy() const;
  /// Copies the elements of an array into this one. TypeError: it has another dtype; ValueError:
  /// another shape.
  void assign(const Array& source, Place at = Place::current());

  /// Handles and views that share this array.
  std::int64_t use_count() const noexcept;
  /// Whether nothing else can see the data: one handle, memory of its own.
  bool unique() const noexcept;

  /// A view, as are those below: they share the data. Its axis i is axis axes[i] of this array.
  /// ValueError: it is no permutation.
  Array transpose(Extents axes, Place at = Place::current()) const;
  /// Reverses the axes.
  Array transpose() const;
  /// Every `step`-th index from `start` up to `stop` (excluded); Python's rules for negative and
  /// out-of-range bounds when `step` is positive. A negative step counts down. IndexError: there is
  /// no such axis; ValueError: the step is 0.
  Array slice(int axis, std::int64_t start, std::int64_t stop, std::int64_t step = 1,
              Place at = Place::current()) const;
  /// The same elements in C order under another shape; one extent may be -1. A view when the array
  /// is contiguous, else a packed copy. ValueError: it has another number of elements.
  Array reshape(Extents shape, Place at = Place::current()) const;
  /// The same memory as elements of another dtype of the same size; TypeError if it has another.
  Array view(DType dtype, Place at = Place::current()) const;
  /// A view of the same elements that cannot change them: it, and what it shows, is copied when
  /// `data()` of a handle that is not const asks for it, or `assign`.
  Array copied_when_written() const;
  /// Any view: its first element is `offset` elements after this array's. All it shows must be
  /// within what this array shows, which is not checked. Strides may be zero or negative.
  Array view(Extents shape, Extents strides, std::int64_t offset,
             Place at = Place::current()) const;

  /// Type text: "f32[3, 4]".
  std::string describe() const;
  /// The values as NumPy prints them; the middle of a long axis is left out.
  std::string to_string() const;

 private:
  // Followed in memory by the extents, then the strides, then (when the array owns them) the data.
  struct Record {
    std::atomic<std::int32_t> uses;
    DType dtype;
    std::uint8_t rank, size_class;
    bool contiguous : 1, owns_data : 1;
    bool shown : 1;      // memory that is somebody else's to write to
    bool elsewhere : 1;  // memory of a device
    std::int64_t size;
    void* data;
    Record* owner;                     // of the memory that a view shows
    std::shared_ptr<void> keep_alive;  // of borrowed memory

    std::int64_t* dims() { return reinterpret_cast<std::int64_t*>(this + 1); }
  };

  explicit Array(Record* record) noexcept : record_(record) {}
  static Array from_scalar(DType dtype, const void* value);
  static Array from_memory(DType dtype, const void* values, std::size_t count, Extents shape,
                           const Place& at);
  static Record* make_record(DType dtype, std::span<const std::int64_t> shape,
                             std::int64_t data_bytes);
  static void destroy(Record* record) noexcept;

  Record& record() const {
    if (record_ == nullptr) throw_undefined();
    return *record_;
  }
  void retain() const noexcept {
    if (record_ != nullptr) record_->uses.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    // The only holder needs no locked instruction.
    if (record_->uses.load(std::memory_order_acquire) == 1 ||
        record_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy(record_);
  }
  void check_dtype(DType wanted, const Place& at) const {
    if (record().dtype != wanted) throw_dtype(wanted, at);
  }
  void check_one_element(const Place& at) const {
    if (record().size != 1) throw_not_one(at);
  }
  std::vector<std::int64_t> list_of(std::size_t first) const {
    return {record().dims() + first, record_->dims() + first + record_->rank};
  }
  void detach();
  const void* here() const {
    if (record().elsewhere) throw_elsewhere();
    return record_->data;
  }
  [[noreturn]] void throw_elsewhere() const;
  Array view_elsewhere(DType dtype, std::span<const std::int64_t> shape, std::int64_t offset) const;
  void pack_into(void* destination) const;
  [[noreturn]] static void throw_undefined();
  [[noreturn]] void throw_dtype(DType wanted, const Place& at) const;
  [[noreturn]] void throw_not_one(const Place& at) const;

  Record* record_ = nullptr;
};

/// The elements of an array that has no name, which it keeps. No pointer: it would outlive them.
template <class T>
class Elements {
 public:
  /// Those of an array of this dtype.
  explicit Elements(Array array) : array_(std::move(array)) {}
  /// The element at a position in memory, which is not checked; the first one.
  const T& operator[](std::int64_t i) const { return get()[i]; }
  const T& operator*() const { return *get(); }
  /// For the rest of the expression.
  const T* get() const GNOMON_LIFETIMEBOUND { return array_.data<T>(); }
  /// Does not compile, and says what to write.
  template <class U>
  operator U*() const {
    static_assert(!std::same_as<U, U>,
                  "the array ends with this expression, and its elements with it: give it a name "
                  "first, as in `auto y = f(x)[0]; auto* p = y.data<double>();`, or use get() for "
                  "the rest of the expression");
    return nullptr;
  }

 private:
  Array array_;
};

/// All elements 0 (false).
Array zeros(Extents shape, DType dtype = float64);
/// All elements 1 (true).
Array ones(Extents shape, DType dtype = float64);
/// All elements `value`, converted to the dtype; ValueError when an integer dtype cannot hold it.
Array full(Extents shape, double value, DType dtype = float64);
/// The same for integers, of which a double would lose digits.
Array full_of_integer(Extents shape, std::int64_t value, DType dtype);
Array full_of_integer(Extents shape, std::uint64_t value, DType dtype);
template <std::integral T>
Array full(Extents shape, T value, DType dtype = float64) {
  if constexpr (std::is_signed_v<T>)
    return full_of_integer(shape, static_cast<std::int64_t>(value), dtype);
  else
    return full_of_integer(shape, static_cast<std::uint64_t>(value), dtype);
}

/// Same dtype, same shape and the same bits in every element (so NaN equals itself, 0 is not -0).
bool same_bits(const Array& a, const Array& b);

/// Whether both have the same extents.
bool same_shape(const Array& a, const Array& b);

/// Type text of a dtype and extents: "f32[3, 4]".
std::string describe(DType dtype, std::span<const std::int64_t> shape);

/// Strides in elements of a C-contiguous array.
std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape);

template <ScalarType T>
Array Array::from(const std::vector<T>& values, Extents shape, Place at) {
  if constexpr (std::same_as<T, bool>) {
    const auto bytes = std::make_unique<bool[]>(values.size());  // vector<bool> has no array
    for (std::size_t i = 0; i < values.size(); ++i) bytes[i] = values[i];
    return from_memory(bool_, bytes.get(), values.size(), shape, at);
  } else {
    return from_memory(dtype_of<T>, values.data(), values.size(), shape, at);
  }
}

template <ScalarType T>
Elements<T> Array::data(Place at) const&& {
  check_dtype(dtype_of<T>, at);
  return Elements<T>(*this);
}

template <ScalarType T>
std::vector<T> Array::to_vector(Place at) const {
  check_dtype(dtype_of<T>, at);
  const Array packed = contiguous();
  const T* first = static_cast<const T*>(packed.record_->data);
  return std::vector<T>(first, first + packed.size());
}

}  // namespace gnomon
