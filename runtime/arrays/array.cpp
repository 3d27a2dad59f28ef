// Making arrays, views of them and copies.
#include "runtime/arrays/array.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "runtime/memory.h"

namespace gnomon {

namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

void check_known(DType dtype) {
  if (static_cast<int>(dtype) >= dtype_count)
    throw TypeError(
        fmt::format("array: expected a dtype, found number {}", static_cast<int>(dtype)));
}

// Number of elements; checks the extents. The product must be addressable even when another extent
// is zero, so that strides can be computed without overflow.
std::int64_t count_elements(DType dtype, std::span<const std::int64_t> shape) {
  if (shape.size() > static_cast<std::size_t>(max_rank))
    throw ValueError(
        fmt::format("array: expected at most {} axes, found {}", max_rank, shape.size()));
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0)
      throw ValueError(
          fmt::format("array: expected extents of at least 0, found {}", describe(dtype, shape)));
    if (extent == 0) empty = true;
    if (__builtin_mul_overflow(product, std::max<std::int64_t>(extent, 1), &product) ||
        product > (largest >> 8) / static_cast<std::int64_t>(size_of(dtype)))
      throw ValueError(fmt::format("array: expected a size that memory can hold, found {}",
                                   describe(dtype, shape)));
  }
  return empty ? 0 : product;
}

bool lies_contiguous(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                     std::int64_t size) {
  if (size == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != expected) return false;
    expected *= shape[i];
  }
  return true;
}

void fill_contiguous(std::span<const std::int64_t> shape, std::int64_t* strides) {
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
}

// A run of elements of one size: strides in bytes for destination and source.
template <class Unit>
void copy_run(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * to_step, from + i * from_step, sizeof(Unit));
}

void copy_line(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
               std::int64_t count, std::int64_t width) {
  if (to_step == width && from_step == width) {
    std::memcpy(to, from, static_cast<std::size_t>(count * width));
    return;
  }
  switch (width) {
    case 1: return copy_run<std::uint8_t>(to, to_step, from, from_step, count);
    case 2: return copy_run<std::uint16_t>(to, to_step, from, from_step, count);
    case 4: return copy_run<std::uint32_t>(to, to_step, from, from_step, count);
    case 16: return copy_run<std::complex<double>>(to, to_step, from, from_step, count);
    default: return copy_run<std::uint64_t>(to, to_step, from, from_step, count);
  }
}

// Copies elements between two layouts of one shape.
void copy_strided(std::span<const std::int64_t> shape, void* to,
                  std::span<const std::int64_t> to_strides, const void* from,
                  std::span<const std::int64_t> from_strides, std::int64_t width) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  auto* target = static_cast<std::byte*>(to);
  const auto* source = static_cast<const std::byte*>(from);
  if (shape.empty()) {
    std::memcpy(target, source, static_cast<std::size_t>(width));
    return;
  }
  const std::size_t last = shape.size() - 1;
  std::array<std::int64_t, max_rank> index{};
  for (;;) {
    copy_line(target, to_strides[last] * width, source, from_strides[last] * width, shape[last],
              width);
    std::size_t axis = last;
    for (;;) {
      if (axis == 0) return;
      --axis;
      target += to_strides[axis] * width;
      source += from_strides[axis] * width;
      if (++index[axis] < shape[axis]) break;
      target -= shape[axis] * to_strides[axis] * width;
      source -= shape[axis] * from_strides[axis] * width;
      index[axis] = 0;
    }
  }
}

template <class T>
void fill_elements(T* data, std::int64_t size, T value) {
  std::fill_n(data, size, value);
}

// The value as an element; ValueError when it does not survive the conversion to an integer.
template <class T>
T convert(double value) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else {
    // 2^digits is exact as a double, where the largest integer itself may not be.
    const double limit = 2.0 * static_cast<double>(T{1} << (std::numeric_limits<T>::digits - 1));
    const double least = std::is_signed_v<T> ? -limit : 0.0;
    if (!(value >= least && value < limit) || static_cast<double>(static_cast<T>(value)) != value)
      throw ValueError(
          fmt::format("full: expected a value of {}, found {}", name_of(dtype_of<T>), value));
    return static_cast<T>(value);
  }
}

}  // namespace

std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  fill_contiguous(shape, strides.data());
  return strides;
}

Array::Record* Array::make_record(DType dtype, std::span<const std::int64_t> shape,
                                  std::int64_t data_bytes) {
  const std::size_t header =
      (sizeof(Record) + 2 * shape.size() * sizeof(std::int64_t) + block_alignment - 1) /
      block_alignment * block_alignment;
  const Block block = try_allocate_block(header + static_cast<std::size_t>(data_bytes));
  if (block.data == nullptr)
    throw DeviceError(fmt::format("array: expected memory for {}, found too little free",
                                  gnomon::describe(dtype, shape)));
  auto* record = new (block.data) Record;
  record->uses.store(1, std::memory_order_relaxed);
  record->dtype = dtype;
  record->rank = static_cast<std::uint8_t>(shape.size());
  record->size_class = block.size_class;
  record->contiguous = true;
  record->data = static_cast<std::byte*>(block.data) + header;
  record->owner = nullptr;
  record->owns_data = true;
  record->shown = false;
  record->elsewhere = false;
  std::copy(shape.begin(), shape.end(), record->dims());
  return record;
}

void Array::destroy(Record* record) noexcept {
  Record* owner = record->owner;
  const Block block{record, record->size_class};
  record->~Record();
  free_block(block);
  // An owner is no view, or one that was detached: this goes two steps deep.
  if (owner != nullptr) static_cast<void>(Array(owner));
}

Array Array::of_extents(DType dtype, std::span<const std::int64_t> shape) {
  check_known(dtype);
  const std::int64_t size = count_elements(dtype, shape);
  Record* record = make_record(dtype, shape, size * static_cast<std::int64_t>(size_of(dtype)));
  record->size = size;
  fill_contiguous(shape, record->dims() + shape.size());
  return Array(record);
}

Array Array::from_scalar(DType dtype, const void* value) {
  Array array = of_extents(dtype, {});
  std::memcpy(array.record_->data, value, size_of(dtype));
  return array;
}

Array Array::from_memory(DType dtype, const void* values, std::size_t count, Extents shape,
                         const Place& at) {
  const LineScope line(at);
  Array array = empty(dtype, shape);
  if (static_cast<std::size_t>(array.size()) != count)
    throw ValueError(fmt::format("array: expected {} values for {}, found {}", array.size(),
                                 array.describe(), count));
  if (count != 0) std::memcpy(array.record_->data, values, count * size_of(dtype));
  return array;
}

Array Array::borrow(void* data, DType dtype, Extents shape, Extents strides,
                    std::shared_ptr<void> keep_alive) {
  check_known(dtype);
  const std::int64_t size = count_elements(dtype, shape);
  if (strides.size() != shape.size())
    throw ValueError(
        fmt::format("array: expected {} strides, found {}", shape.size(), strides.size()));
  if (data == nullptr && size != 0)
    throw ValueError(fmt::format("array: expected memory for {}, found a null pointer",
                                 gnomon::describe(dtype, shape)));
  Record* record = make_record(dtype, shape, 0);
  record->size = size;
  record->data = data;
  record->owns_data = false;
  record->keep_alive = std::move(keep_alive);
  std::copy(strides.begin(), strides.end(), record->dims() + shape.size());
  record->contiguous = lies_contiguous(shape, strides, size);
  return Array(record);
}

Array Array::borrow(void* data, DType dtype, Extents shape, std::shared_ptr<void> keep_alive) {
  check_known(dtype);
  count_elements(dtype, shape);
  return borrow(data, dtype, shape, contiguous_strides(shape), std::move(keep_alive));
}

Array Array::elsewhere(void* address, DType dtype, Extents shape, std::shared_ptr<void> holder) {
  Array array = borrow(address, dtype, shape, std::move(holder));
  array.record_->elsewhere = true;
  array.record_->contiguous = false;  // nobody reads it in place
  return array;
}

void Array::throw_elsewhere() const {
  throw DeviceError(fmt::format(
      "array: expected memory of the host, found {} in the memory of a device", describe()));
}

// The array's memory, or a part of it, as another array there.
Array Array::view_elsewhere(DType dtype, std::span<const std::int64_t> shape,
                            std::int64_t offset) const {
  const std::int64_t step = offset * static_cast<std::int64_t>(size_of(dtype));
  return elsewhere(static_cast<std::byte*>(record_->data) + step, dtype, shape,
                   record_->keep_alive);
}

Array Array::view(Extents shape, Extents strides, std::int64_t offset, Place at) const {
  const LineScope line(at);
  const std::int64_t size = count_elements(dtype(), shape);
  if (this->record().elsewhere) {
    if (lies_contiguous(shape, strides, size)) return view_elsewhere(dtype(), shape, offset);
    throw DeviceError(
        fmt::format("view: expected a part of {} that lies together in the memory of its device; a "
                    "compiled function, or a copy on the host, has any part",
                    describe()));
  }
  Record* record = make_record(record_->dtype, shape, 0);
  record->size = size;
  const std::int64_t step = offset * static_cast<std::int64_t>(size_of(record_->dtype));
  record->data = size == 0 ? record_->data : static_cast<std::byte*>(record_->data) + step;
  record->owns_data = false;
  // A view of a view holds the array that owns the memory, so chains stay short.
  const bool is_view = record_->owner != nullptr && record_->keep_alive == nullptr;
  record->owner = is_view ? record_->owner : record_;
  record->shown = record_->shown;
  record->owner->uses.fetch_add(1, std::memory_order_relaxed);
  std::copy(strides.begin(), strides.end(), record->dims() + shape.size());
  record->contiguous = lies_contiguous(shape, strides, size);
  return Array(record);
}

Array Array::transpose(Extents axes, Place at) const {
  const LineScope line(at);
  const auto old_shape = shape();
  const auto old_strides = strides();
  const std::size_t axis_count = old_shape.size();
  if (axes.size() != axis_count)
    throw ValueError(fmt::format("transpose: expected {} axes for {}, found {}", axis_count,
                                 describe(), axes.size()));
  std::array<std::int64_t, max_rank> new_shape{}, new_strides{};
  std::array<bool, max_rank> seen{};
  for (std::size_t i = 0; i < axis_count; ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank() : axes[i];
    if (axis < 0 || axis >= rank() || seen[static_cast<std::size_t>(axis)])
      throw ValueError(fmt::format("transpose: expected each axis of {} once, found {} at place {}",
                                   describe(), axes[i], i));
    const auto from = static_cast<std::size_t>(axis);
    seen[from] = true;
    new_shape[i] = old_shape[from];
    new_strides[i] = old_strides[from];
  }
  return view(std::span(new_shape).first(axis_count), std::span(new_strides).first(axis_count), 0);
}

Array Array::transpose() const {
  std::array<std::int64_t, max_rank> axes{};
  const int axis_count = rank();
  for (int i = 0; i < axis_count; ++i) axes[static_cast<std::size_t>(i)] = axis_count - 1 - i;
  return transpose(std::span<const std::int64_t>(axes).first(static_cast<std::size_t>(axis_count)));
}

Array Array::slice(int axis, std::int64_t start, std::int64_t stop, std::int64_t step,
                   Place at) const {
  const LineScope line(at);
  const int wanted = axis < 0 ? axis + rank() : axis;
  if (wanted < 0 || wanted >= rank())
    throw IndexError(fmt::format("slice: expected an axis of {}, found axis {}", describe(), axis));
  if (step == 0) throw ValueError("slice: expected a step other than 0, found 0");
  std::vector<std::int64_t> new_shape(shape().begin(), shape().end());
  std::vector<std::int64_t> new_strides(strides().begin(), strides().end());
  const auto on = static_cast<std::size_t>(wanted);
  const std::int64_t extent = new_shape[on];
  // Python's rules: negative bounds count from the end, all are clipped into the axis.
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? extent : extent - 1;
  const auto bound = [&](std::int64_t b) { return std::clamp(b < 0 ? b + extent : b, low, high); };
  const std::int64_t first = bound(start), last = bound(stop);
  std::int64_t count = 0;
  // Divided before the step's sign is turned, which could overflow.
  if (step > 0 && last > first) count = (last - first - 1) / step + 1;
  if (step < 0 && first > last) count = (last + 1 - first) / step + 1;
  const std::int64_t offset = count == 0 ? 0 : first * new_strides[on];
  new_shape[on] = count;
  new_strides[on] = count > 1 ? new_strides[on] * step : new_strides[on];
  return view(new_shape, new_strides, offset);
}

Array Array::reshape(Extents wanted, Place at) const {
  const LineScope line(at);
  std::vector<std::int64_t> extents(wanted.begin(), wanted.end());
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  const auto mismatch = [&] {
    return ValueError(fmt::format("reshape: expected a shape of {} elements, found {} for {}",
                                  size(), gnomon::describe(dtype(), wanted), describe()));
  };
  for (std::int64_t& extent : extents) {
    if (extent == -1 && open == nullptr) {
      open = &extent;
    } else if (extent < 0 || __builtin_mul_overflow(known, extent, &known)) {
      throw mismatch();
    }
  }
  if (open != nullptr) {
    if (known == 0 || size() % known != 0) throw mismatch();
    *open = size() / known;
    known = size();
  }
  if (known != size()) throw mismatch();
  count_elements(dtype(), extents);
  const Array source = is_contiguous() || is_elsewhere() ? *this : copy();
  return source.view(extents, contiguous_strides(extents), 0);
}

Array Array::copy() const {
  if (is_elsewhere()) return copy_on_device(*this);
  Array result = of_extents(dtype(), shape());
  pack_into(result.record_->data);
  return result;
}

Array Array::view(DType dtype, Place at) const {
  const LineScope line(at);
  check_known(dtype);
  if (size_of(dtype) != size_of(this->dtype()))
    throw TypeError(fmt::format("view: expected a dtype of {} bytes, found {}",
                                size_of(this->dtype()), name_of(dtype)));
  if (record_->elsewhere) return view_elsewhere(dtype, shape(), 0);
  Array result = borrow(record_->data, dtype, shape(), strides(), std::make_shared<Array>(*this));
  result.record_->shown = record_->shown;
  return result;
}

Array Array::copied_when_written() const {
  Array result = view(shape(), strides(), 0);
  result.record_->shown = true;
  return result;
}

// Copies what the record shows, laid out as it is, so that extents, strides and pointers that were
// read before stay good: the old elements live as long as the record.
void Array::detach() {
  if (record().elsewhere) throw_elsewhere();
  std::int64_t low = 0, high = 0;  // elements before and after the first one
  for (int axis = 0; axis < rank() && size() != 0; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t reach = (shape()[at] - 1) * strides()[at];
    (reach < 0 ? low : high) += reach;
  }
  Array own = empty(dtype(), {high - low + 1});
  const auto width = static_cast<std::int64_t>(size_of(dtype()));
  auto* const first = static_cast<std::byte*>(own.record_->data) - low * width;
  copy_strided(shape(), first, strides(), record_->data, strides(), width);
  record_->data = first;
  record_->shown = false;
  // The first time: memory that a view borrows through a handle stays too.
  auto keep = std::make_shared<std::pair<Array, std::shared_ptr<void>>>(
      std::move(own), std::move(record_->keep_alive));
  record_->keep_alive = std::move(keep);
}

Array Array::contiguous() const {
  const Record& from = record();
  if (from.elsewhere) throw_elsewhere();
  const bool aligned = reinterpret_cast<std::uintptr_t>(from.data) % block_alignment == 0;
  return from.contiguous && aligned ? *this : copy();
}

void Array::pack_into(void* destination) const {
  if (record_->elsewhere) throw_elsewhere();
  if (is_contiguous()) {
    if (size() != 0) std::memcpy(destination, record_->data, static_cast<std::size_t>(bytes()));
    return;
  }
  copy_strided(shape(), destination, contiguous_strides(shape()), record_->data, strides(),
               static_cast<std::int64_t>(size_of(dtype())));
}

void Array::assign(const Array& source, Place at) {
  const LineScope line(at);
  const auto mismatch = [&] {
    return fmt::format("assign: expected {}, found {}", describe(), source.describe());
  };
  if (source.dtype() != dtype()) throw TypeError(mismatch());
  if (!same_shape(*this, source)) throw ValueError(mismatch());
  if (record_->elsewhere) throw_elsewhere();
  if (source.record_->elsewhere) source.throw_elsewhere();
  if (source.record_ == record_) return;
  if (record_->shown) detach();
  // Views of one block may overlap: go through a copy.
  const Record* mine = record_->owner != nullptr ? record_->owner : record_;
  const Record* theirs = source.record_->owner != nullptr ? source.record_->owner : source.record_;
  const Array from = mine == theirs ? source.copy() : source;
  copy_strided(shape(), record_->data, strides(), from.record_->data, from.strides(),
               static_cast<std::int64_t>(size_of(dtype())));
}

std::int64_t Array::use_count() const noexcept {
  return record_ == nullptr ? 0 : record_->uses.load(std::memory_order_relaxed);
}

bool Array::unique() const noexcept {
  if (record_ == nullptr || record_->uses.load(std::memory_order_acquire) != 1) return false;
  // Borrowed memory and views may be seen by others.
  return record_->owns_data;
}

Array full(Extents shape, double value, DType dtype) {
  Array array = Array::empty(dtype, shape);
  if (dtype == float16) {
    fill_elements(array.data<Float16>(), array.size(), Float16(value));
  } else if (dtype == bfloat16) {
    fill_elements(array.data<BFloat16>(), array.size(), BFloat16(value));
  } else if (dtype == complex64) {
    fill_elements(array.data<std::complex<float>>(), array.size(), {static_cast<float>(value), 0});
  } else if (dtype == complex128) {
    fill_elements(array.data<std::complex<double>>(), array.size(), {value, 0});
  } else {
    with_type(dtype, [&](auto zero) {
      using T = decltype(zero);
      fill_elements(array.data<T>(), array.size(), convert<T>(value));
    });
  }
  return array;
}

namespace {

template <class Integer>
Array full_of(Extents shape, Integer value, DType dtype) {
  if (!is_integer(dtype)) return full(shape, static_cast<double>(value), dtype);
  Array array = Array::empty(dtype, shape);
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      if (!std::in_range<T>(value))
        throw ValueError(
            fmt::format("full: expected a value of {}, found {}", name_of(dtype), value));
      fill_elements(array.data<T>(), array.size(), static_cast<T>(value));
    }
  });
  return array;
}

}  // namespace

Array full_of_integer(Extents shape, std::int64_t value, DType dtype) {
  return full_of(shape, value, dtype);
}
Array full_of_integer(Extents shape, std::uint64_t value, DType dtype) {
  return full_of(shape, value, dtype);
}

Array zeros(Extents shape, DType dtype) {
  Array array = Array::empty(dtype, shape);
  if (array.size() != 0) std::memset(array.data(), 0, static_cast<std::size_t>(array.bytes()));
  return array;
}

Array ones(Extents shape, DType dtype) { return full(shape, 1, dtype); }

bool same_shape(const Array& a, const Array& b) { return std::ranges::equal(a.shape(), b.shape()); }

bool same_bits(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || !same_shape(a, b)) return false;
  if (a.size() == 0) return true;
  const Array x = a.contiguous(), y = b.contiguous();
  return std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0;
}

void Array::throw_undefined() {
  throw ValueError(
      "array: expected an array, found one without a value: never set, or donated to a call");
}

void Array::throw_dtype(DType wanted, const Place& at) const {
  const LineScope line(at);
  throw TypeError(
      fmt::format("array: expected elements of {}, found {}", name_of(wanted), describe()));
}

void Array::throw_not_one(const Place& at) const {
  const LineScope line(at);
  throw ValueError(fmt::format("item: expected an array of one element, found {}", describe()));
}

}  // namespace gnomon
