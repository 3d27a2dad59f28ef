// The functions of cuFFT that Gnomon uses, for the simulated device: they do what NVIDIA's do, and
// refuse what those would refuse or do wrong.
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <vector>

#include "runtime/device/cufft_functions.h"
#include "runtime/simulator/queue.h"

namespace gnomon {
namespace {

using namespace simulator;
using Number = std::complex<double>;

constexpr std::size_t own_bytes = 777;  // that a plan works in

struct TransformPlan {
  int kind = 0;
  long long n = 0, in_distance = 0, out_distance = 0, batch = 0;
  bool allocates = true;
  cu::Stream stream = nullptr;
  void* memory = nullptr;
};

std::map<int, TransformPlan>& plans() {
  static auto* const all = new std::map<int, TransformPlan>;
  return *all;
}

TransformPlan* plan_of(cufft::Plan number) {
  const auto at = plans().find(number);
  return at == plans().end() ? nullptr : &at->second;
}

// The transform of n numbers that lie `stride` apart, by that of each `factor`-th of them.
void transform(const Number* x, long long n, long long stride, int direction, Number* y) {
  if (n == 1) return void(y[0] = x[0]);
  long long factor = 2;
  while (factor * factor <= n && n % factor != 0) ++factor;
  if (n % factor != 0) factor = n;
  const long long rest = n / factor;
  std::vector<Number> parts(static_cast<std::size_t>(n)), root(static_cast<std::size_t>(n));
  for (long long p = 0; p < factor; ++p)
    transform(x + p * stride, rest, stride * factor, direction, parts.data() + p * rest);
  for (long long k = 0; k < n; ++k)
    root[static_cast<std::size_t>(k)] = std::polar(
        1.0, direction * 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  for (long long k = 0; k < n; ++k) {
    Number sum = 0;
    for (long long p = 0; p < factor; ++p)
      sum += parts[static_cast<std::size_t>(p * rest + k % rest)] *
             root[static_cast<std::size_t>(p * k % n)];
    y[k] = sum;
  }
}

// Elements of T on either side of a line.
template <class T>
void transform_lines(const TransformPlan& plan, const T* in, T* out, int direction) {
  const bool takes_pairs =
      plan.kind != cufft::real_to_complex_float32 && plan.kind != cufft::real_to_complex_float64;
  const bool gives_pairs =
      plan.kind != cufft::complex_to_real_float32 && plan.kind != cufft::complex_to_real_float64;
  const auto n = static_cast<std::size_t>(plan.n);
  std::vector<Number> line(n), result(n);
  for (long long b = 0; b < plan.batch; ++b) {
    const T* const x = in + b * plan.in_distance * (takes_pairs ? 2 : 1);
    T* const y = out + b * plan.out_distance * (gives_pairs ? 2 : 1);
    for (std::size_t k = 0; k < n; ++k) {
      // The second half of a real line's transform mirrors the first.
      const bool mirrors = !gives_pairs && k > n / 2;
      const std::size_t at = mirrors ? n - k : k;
      line[k] = takes_pairs ? Number(x[2 * at], x[2 * at + 1]) : Number(x[at]);
      if (mirrors) line[k] = std::conj(line[k]);
      // What it makes of an imaginary part there nobody says.
      const bool is_real = !gives_pairs && (k == 0 || 2 * k == n);
      if (is_real && line[k].imag() != 0) line[k] = std::numeric_limits<double>::quiet_NaN();
    }
    transform(line.data(), plan.n, 1, direction, result.data());
    for (long long k = 0; k < plan.out_distance; ++k) {
      const Number value = result[static_cast<std::size_t>(k)];
      if (gives_pairs) {
        y[2 * k] = static_cast<T>(value.real()), y[2 * k + 1] = static_cast<T>(value.imag());
      } else {
        y[k] = static_cast<T>(value.real());
      }
    }
  }
}

template <class T>
int queue_transform(cufft::Plan number_of_plan, int kind, void* in, void* out, int direction,
                    bool takes_pairs, bool gives_pairs) {
  const auto lock = locked();
  const TransformPlan* const found = plan_of(number_of_plan);
  if (found == nullptr || found->kind != kind || found->memory == nullptr)
    return cufft::invalid_value;
  const TransformPlan plan = *found;
  const auto bytes = [&](long long distance, bool pairs) {
    return static_cast<std::size_t>(plan.batch * distance) * sizeof(T) * (pairs ? 2 : 1);
  };
  const std::size_t bytes_in = bytes(plan.in_distance, takes_pairs);
  if (address_of(in) % (2 * sizeof(T)) != 0 || address_of(out) % (2 * sizeof(T)) != 0 ||
      !has_memory(address_of(in), bytes_in) ||
      !has_memory(address_of(out), bytes(plan.out_distance, gives_pairs)) ||
      !has_memory(address_of(plan.memory), own_bytes))
    return cufft::invalid_value;
  const int queued = queue_work([=] {
    std::memset(seen_by_host(address_of(plan.memory)), 0xFF, own_bytes);
    transform_lines(plan, static_cast<const T*>(seen_by_host(address_of(in))),
                    static_cast<T*>(seen_by_host(address_of(out))), direction);
    if (takes_pairs && !gives_pairs) std::memset(seen_by_host(address_of(in)), 0xFF, bytes_in);
    return cu::success;
  });
  return queued == cu::success ? cufft::success : cufft::execution_failed;
}

}  // namespace
}  // namespace gnomon

using namespace gnomon;

GNOMON_EXPORTED int cufftCreate(cufft::Plan* made) {
  const auto lock = locked();
  *made = plans().empty() ? 1 : plans().rbegin()->first + 1;
  plans()[*made] = {};
  return cufft::success;
}
GNOMON_EXPORTED int cufftDestroy(cufft::Plan plan) {
  const auto lock = locked();
  return plans().erase(plan) == 1 ? cufft::success : cufft::invalid_value;
}
GNOMON_EXPORTED int cufftSetAutoAllocation(cufft::Plan plan, int does) {
  const auto lock = locked();
  TransformPlan* const found = plan_of(plan);
  if (found == nullptr) return cufft::invalid_value;
  found->allocates = does != 0;
  return cufft::success;
}
GNOMON_EXPORTED int cufftMakePlanMany64(cufft::Plan plan, int rank, long long* n,
                                        long long* in_embedded, long long in_stride,
                                        long long in_distance, long long* out_embedded,
                                        long long out_stride, long long out_distance, int kind,
                                        long long batch, std::size_t* bytes) {
  const auto lock = locked();
  TransformPlan* const found = plan_of(plan);
  if (found == nullptr || found->allocates || rank != 1 || in_stride != 1 || out_stride != 1 ||
      *n < 1 || batch < 1 || *in_embedded != in_distance || *out_embedded != out_distance)
    return cufft::invalid_value;
  const long long half = *n / 2 + 1;
  const bool from_real =
      kind == cufft::real_to_complex_float32 || kind == cufft::real_to_complex_float64;
  const bool to_real =
      kind == cufft::complex_to_real_float32 || kind == cufft::complex_to_real_float64;
  if (in_distance != (to_real ? half : *n) || out_distance != (from_real ? half : *n))
    return cufft::invalid_size;
  found->kind = kind, found->n = *n, found->batch = batch;
  found->in_distance = in_distance, found->out_distance = out_distance;
  *bytes = own_bytes;
  return cufft::success;
}
GNOMON_EXPORTED int cufftSetStream(cufft::Plan plan, cu::Stream stream) {
  const auto lock = locked();
  TransformPlan* const found = plan_of(plan);
  if (found == nullptr) return cufft::invalid_value;
  found->stream = stream;
  return cufft::success;
}
GNOMON_EXPORTED int cufftSetWorkArea(cufft::Plan plan, void* memory) {
  const auto lock = locked();
  TransformPlan* const found = plan_of(plan);
  if (found == nullptr) return cufft::invalid_value;
  found->memory = memory;
  return cufft::success;
}
GNOMON_EXPORTED int cufftExecC2C(cufft::Plan plan, void* in, void* out, int direction) {
  return queue_transform<float>(plan, cufft::complex_float32, in, out, direction, true, true);
}
GNOMON_EXPORTED int cufftExecZ2Z(cufft::Plan plan, void* in, void* out, int direction) {
  return queue_transform<double>(plan, cufft::complex_float64, in, out, direction, true, true);
}
GNOMON_EXPORTED int cufftExecR2C(cufft::Plan plan, void* in, void* out) {
  return queue_transform<float>(plan, cufft::real_to_complex_float32, in, out, cufft::forward,
                                false, true);
}
GNOMON_EXPORTED int cufftExecD2Z(cufft::Plan plan, void* in, void* out) {
  return queue_transform<double>(plan, cufft::real_to_complex_float64, in, out, cufft::forward,
                                 false, true);
}
GNOMON_EXPORTED int cufftExecC2R(cufft::Plan plan, void* in, void* out) {
  return queue_transform<float>(plan, cufft::complex_to_real_float32, in, out, cufft::inverse, true,
                                false);
}
GNOMON_EXPORTED int cufftExecZ2D(cufft::Plan plan, void* in, void* out) {
  return queue_transform<double>(plan, cufft::complex_to_real_float64, in, out, cufft::inverse,
                                 true, false);
}
