// Looks for exponents of ones only, without a branch in the loop.
#include "runtime/arrays/finite.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "runtime/threads.h"

namespace gnomon {

namespace {

// Adding the least bit of the exponent carries into the sign where all its bits are set; what was
// found is gathered in the sign bits of some lanes, so that any compiler makes vectors of them.
template <class Bits, Bits exponent, Bits least>
bool has_none(const void* data, std::int64_t count) {
  constexpr std::int64_t lanes = 64 / sizeof(Bits);
  const auto* const bytes = static_cast<const char*>(data);
  Bits carried[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Bits x[lanes];
    std::memcpy(x, bytes + static_cast<std::size_t>(i) * sizeof(Bits), sizeof x);
    for (std::int64_t k = 0; k < lanes; ++k)
      carried[k] |= static_cast<Bits>((x[k] & exponent) + least);
  }
  for (; i < count; ++i) {
    Bits x;
    std::memcpy(&x, bytes + static_cast<std::size_t>(i) * sizeof(Bits), sizeof x);
    carried[0] |= static_cast<Bits>((x & exponent) + least);
  }
  Bits all = 0;
  for (const Bits each : carried) all |= each;
  return (all >> (8 * sizeof(Bits) - 1)) == 0;
}

bool is_finite_part(DType t, const void* data, std::int64_t count) {
  switch (t) {
    case DType::float64:
      return has_none<std::uint64_t, 0x7ff0000000000000, 0x0010000000000000>(data, count);
    case DType::float32: return has_none<std::uint32_t, 0x7f800000, 0x00800000>(data, count);
    case DType::float16: return has_none<std::uint16_t, 0x7c00, 0x0400>(data, count);
    case DType::bfloat16: return has_none<std::uint16_t, 0x7f80, 0x0080>(data, count);
    default: return true;
  }
}

constexpr std::int64_t grain = 1 << 17;  // numbers that are worth a thread

struct Search {
  DType dtype;
  const char* data;
  std::atomic<bool> finite{true};
};

void search(void* argument, std::int64_t lo, std::int64_t hi, std::int32_t /*worker*/) {
  auto& all = *static_cast<Search*>(argument);
  const auto size = static_cast<std::int64_t>(size_of(all.dtype));
  if (!is_finite_part(all.dtype, all.data + lo * size, hi - lo))
    all.finite.store(false, std::memory_order_relaxed);
}

}  // namespace

bool is_all_finite(const Array& array, int threads) {
  if (!is_inexact(array.dtype()) || array.size() == 0) return true;
  const Array packed = array.contiguous();
  const DType t = part_of(packed.dtype());
  const std::int64_t count = packed.size() * (is_complex(packed.dtype()) ? 2 : 1);
  if (threads <= 1 || count < 2 * grain) return is_finite_part(t, packed.data(), count);
  Search all{t, static_cast<const char*>(packed.data())};
  pool().parallel_for(count, grain, search, &all, threads);
  return all.finite.load(std::memory_order_relaxed);
}

}  // namespace gnomon
