// Vectors of 64 bytes as the handwritten kernels spell them: loads, stores, folds, exponentials.
#pragma once

namespace hand {

// In memory: at any element. The compiler drops these attributes from types of templates.
typedef double DoublesAt __attribute__((ext_vector_type(8), aligned(8), may_alias));
typedef float FloatsAt __attribute__((ext_vector_type(16), aligned(4), may_alias));

template <class T>
struct LanesOf;
template <>
struct LanesOf<double> {
  using V = double __attribute__((ext_vector_type(8)));
  using I = long __attribute__((ext_vector_type(8)));
};
template <>
struct LanesOf<float> {
  using V = float __attribute__((ext_vector_type(16)));
  using I = int __attribute__((ext_vector_type(16)));
};
template <class T>
using Vec = typename LanesOf<T>::V;
template <class T>
using IntVec = typename LanesOf<T>::I;
template <class T>
inline constexpr long width = 64 / sizeof(T);

#define HAND_INLINE [[gnu::always_inline]] inline

HAND_INLINE Vec<double> load(const double* p) { return *reinterpret_cast<const DoublesAt*>(p); }
HAND_INLINE Vec<float> load(const float* p) { return *reinterpret_cast<const FloatsAt*>(p); }
HAND_INLINE void store(double* p, Vec<double> v) { *reinterpret_cast<DoublesAt*>(p) = v; }
HAND_INLINE void store(float* p, Vec<float> v) { *reinterpret_cast<FloatsAt*>(p) = v; }
/// Past the caches; `p` is a multiple of 64.
template <class T>
HAND_INLINE void stream(T* p, Vec<T> v) {
  __builtin_nontemporal_store(v, reinterpret_cast<Vec<T>*>(p));
}
/// The first `n` lanes, 0 <= n < width; the others are `fill`.
HAND_INLINE Vec<double> load_first(const double* p, long n, double fill) {
  using W = double __attribute__((vector_size(64)));
  const Vec<double> rest = fill;
  return (Vec<double>)__builtin_ia32_loadupd512_mask(p, (W)rest, (unsigned char)((1u << n) - 1));
}
HAND_INLINE Vec<float> load_first(const float* p, long n, float fill) {
  using W = float __attribute__((vector_size(64)));
  const Vec<float> rest = fill;
  return (Vec<float>)__builtin_ia32_loadups512_mask(p, (W)rest, (unsigned short)((1u << n) - 1));
}
HAND_INLINE void store_first(double* p, Vec<double> v, long n) {
  using W = double __attribute__((vector_size(64)));
  __builtin_ia32_storeupd512_mask(p, (W)v, (unsigned char)((1u << n) - 1));
}
HAND_INLINE void store_first(float* p, Vec<float> v, long n) {
  using W = float __attribute__((vector_size(64)));
  __builtin_ia32_storeups512_mask(p, (W)v, (unsigned short)((1u << n) - 1));
}
/// Waits for streamed stores; once before others read them.
HAND_INLINE void drain() { __builtin_ia32_sfence(); }
HAND_INLINE void prefetch(const void* p) { __builtin_prefetch(p, 0, 3); }

template <class V>
HAND_INLINE V greater(V a, V b) {
  return a > b ? a : b;
}
HAND_INLINE double sum(Vec<double> v) {
  const auto a = v.lo + v.hi;
  const auto b = a.lo + a.hi;
  return b[0] + b[1];
}
HAND_INLINE float sum(Vec<float> v) {
  const auto a = v.lo + v.hi;
  const auto b = a.lo + a.hi;
  const auto c = b.lo + b.hi;
  return c[0] + c[1];
}
HAND_INLINE double most(Vec<double> v) { return __builtin_reduce_max(v); }
HAND_INLINE float most(Vec<float> v) { return __builtin_reduce_max(v); }

/// exp for x <= 0 (an error below 1 ulp; results under the least normal number are rounded twice).
HAND_INLINE Vec<double> exp_of_negative(Vec<double> x) {
  using V = Vec<double>;
  using W = double __attribute__((vector_size(64)));
  x = greater<V>(x, -746.0);
  const V shifted = __builtin_elementwise_fma(x, (V)0x1.71547652b82fep0, (V)0x1.8p52);
  const V n = shifted - 0x1.8p52;
  V r = x - n * 0x1.62e42fefa39efp-1;
  r -= n * 0x1.abc9e3b39803fp-56;
  // Taylor's coefficients, in two chains: |r| <= ln(2)/2.
  const V s = r * r;
  V even = 1.0 / 39916800 * s + 1.0 / 362880, odd = 1.0 / 479001600 * s + 1.0 / 3628800;
  even = even * s + 1.0 / 5040;
  odd = odd * s + 1.0 / 40320;
  even = even * s + 1.0 / 120;
  odd = odd * s + 1.0 / 720;
  even = even * s + 1.0 / 6;
  odd = odd * s + 1.0 / 24;
  const V high = even * r + (odd * s + 0.5);
  const V p = 1.0 + (high * s + r);
  return (V)__builtin_ia32_scalefpd512_mask((W)p, (W)n, (W)p, (unsigned char)-1, 4);
}
HAND_INLINE Vec<float> exp_of_negative(Vec<float> x) {
  using V = Vec<float>;
  using W = float __attribute__((vector_size(64)));
  x = greater<V>(x, -104.0f);
  const V shifted = __builtin_elementwise_fma(x, (V)0x1.715476p0f, (V)0x1.8p23f);
  const V n = shifted - 0x1.8p23f;
  V r = x - n * 0x1.62e4p-1f;
  r -= n * 0x1.7f7d1cp-20f;
  V q = 1.0f / 720 * r + 1.0f / 120;
  q = q * r + 1.0f / 24;
  q = q * r + 1.0f / 6;
  q = q * r + 0.5f;
  const V p = 1.0f + (q * (r * r) + r);
  return (V)__builtin_ia32_scalefps512_mask((W)p, (W)n, (W)p, (unsigned short)-1, 4);
}

}  // namespace hand
