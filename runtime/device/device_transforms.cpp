// Has cuFFT do Fourier transforms.
#include "runtime/device/device_transforms.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/arrays/dtype.h"
#include "runtime/device/device.h"
#include "runtime/error.h"
#include "runtime/routines.h"

namespace gnomon {

namespace {

Routine kind_of(const gnomon_routine& r) { return static_cast<Routine>(r.routine); }
bool is_double(const gnomon_routine& r) { return static_cast<DType>(r.dtype) == DType::float64; }
// Of a pair.
std::size_t bytes_of_pair(const gnomon_routine& r) { return is_double(r) ? 16 : 8; }

int number_of(const gnomon_routine& r) {
  switch (kind_of(r)) {
    case Routine::dft: return is_double(r) ? cufft::complex_float64 : cufft::complex_float32;
    case Routine::rdft:
      return is_double(r) ? cufft::real_to_complex_float64 : cufft::real_to_complex_float32;
    default: return is_double(r) ? cufft::complex_to_real_float64 : cufft::complex_to_real_float32;
  }
}

}  // namespace

void DeviceTransforms::check(int status, const gnomon_routine& r) const {
  if (status == cufft::success) return;
  if (status == cufft::execution_failed) device_.wait();  // what failed before is told
  throw DeviceError(
      fmt::format("device {}: cuFFT does not transform {} lines of {} elements: status {}; "
                  "GNOMON_CUFFT=none does without it",
                  device_.name().text(), r.batch, std::max(r.rows, r.columns), status));
}

int DeviceTransforms::make(const gnomon_routine& r, Made& made) const {
  if (const int status = library_.create(&made.plan); status != cufft::success) return status;
  long long n = kind_of(r) == Routine::irdft ? r.columns : r.rows, in = r.rows, out = r.columns;
  int status = library_.allocate_itself(made.plan, 0);
  if (status == cufft::success)
    status = library_.make(made.plan, 1, &n, &in, 1, in, &out, 1, out, number_of(r), r.batch,
                           &made.bytes);
  if (status == cufft::success)
    status = library_.use_stream(made.plan, reinterpret_cast<cu::Stream>(device_.stream()));
  if (status != cufft::success) library_.destroy(made.plan);
  return status;
}

const DeviceTransforms::Made& DeviceTransforms::plan_of(const gnomon_routine& r) {
  const Key key{r.routine, r.dtype, r.rows, r.columns, r.batch};
  if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
  constexpr std::size_t most = 256;
  if (plans_.size() == most) {
    device_.wait();
    for (const auto& [of, made] : plans_) library_.destroy(made.plan);
    plans_.clear();
  }
  Made made;
  int status = make(r, made);
  if (status != cufft::success) {  // its tables lie in memory that was let go, perhaps
    device_.give_back();
    status = make(r, made);
  }
  check(status, r);
  return plans_[key] = made;
}

void DeviceTransforms::transform(const gnomon_routine& r,
                                 const std::function<void*(std::size_t)>& workspace) {
  if (r.batch <= 0 || r.rows <= 0 || r.columns <= 0) return;
  device_.enter();
  const std::lock_guard hold(mutex_);
  const Made& made = plan_of(r);
  const Routine kind = kind_of(r);
  const std::size_t pair = bytes_of_pair(r);
  const auto bytes_of = [&](std::int64_t elements, bool are_real) {
    const auto count = static_cast<std::size_t>(r.batch) * static_cast<std::size_t>(elements);
    return count * pair / (are_real ? 2 : 1);
  };
  const auto is_misplaced = [&](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % pair != 0;
  };
  // It writes to what it takes back to real numbers, and wants all to be aligned as pairs are.
  const bool copies_in = kind == Routine::irdft || is_misplaced(r.in[0]);
  const bool copies_out = is_misplaced(r.out[0]);
  const std::size_t bytes_in = bytes_of(r.rows, kind == Routine::rdft);
  const std::size_t bytes_out = bytes_of(r.columns, kind == Routine::irdft);
  const auto whole = [](std::size_t bytes) { return (bytes + 255) / 256 * 256; };
  const std::size_t in_at = whole(made.bytes), out_at = in_at + (copies_in ? whole(bytes_in) : 0);
  char* const memory = static_cast<char*>(workspace(out_at + (copies_out ? bytes_out : 0)));
  void* const in = copies_in ? memory + in_at : const_cast<void*>(r.in[0]);
  void* const out = copies_out ? memory + out_at : r.out[0];
  if (copies_in) device_.copy(in, r.in[0], bytes_in);
  if (kind == Routine::irdft) clear_imaginary(r, static_cast<char*>(in));
  check(library_.use_memory(made.plan, memory), r);
  check(run(r, made.plan, in, out), r);
  if (copies_out) device_.copy(r.out[0], out, bytes_out);
}

// What lines of real numbers have none of, and the library would take into account: the imaginary
// parts of the first element, and of that in the middle of an even length.
void DeviceTransforms::clear_imaginary(const gnomon_routine& r, char* lines) const {
  const std::size_t pair = bytes_of_pair(r), pitch = static_cast<std::size_t>(r.rows) * pair;
  const auto batch = static_cast<std::size_t>(r.batch);
  device_.clear_lines(lines + pair / 2, pitch, pair / 2, batch);
  if (r.columns % 2 == 0) device_.clear_lines(lines + pitch - pair / 2, pitch, pair / 2, batch);
}

int DeviceTransforms::run(const gnomon_routine& r, cufft::Plan plan, void* in, void* out) const {
  const bool wide = is_double(r);
  switch (kind_of(r)) {
    case Routine::dft:
      return (wide ? library_.complex_double : library_.complex_single)(
          plan, in, out, r.transposed == 0 ? cufft::forward : cufft::inverse);
    case Routine::rdft: return (wide ? library_.real_double : library_.real_single)(plan, in, out);
    default: return (wide ? library_.back_double : library_.back_single)(plan, in, out);
  }
}

}  // namespace gnomon
