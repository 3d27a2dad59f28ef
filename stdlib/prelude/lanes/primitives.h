// Lane types and the primitives of the prelude: one text for g++, Clang and NVRTC.
//
// A function of the prelude is a template over F. F is a scalar (every compiler) or lanes<T, W>
// (Clang only) and both give the same bits. Nothing includes a header of others or calls a library
// function.
#pragma once

#include "stdlib/prelude/lanes/cuda_names.h"

#if defined(__CUDACC__)
#define GN_FN __device__ __forceinline__
#define GN_COLD __device__ __noinline__
#else
#define GN_FN inline __attribute__((always_inline))
#define GN_COLD inline __attribute__((noinline, cold))
#endif

#if defined(__clang__) && !defined(__CUDACC__)
#define GN_LANES 1
// Every function that takes lanes is inlined, so how wide ones would be passed does not matter.
#pragma clang diagnostic ignored "-Wpsabi"
#else
#define GN_LANES 0
#endif

namespace gn {

using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long;
using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;
using f32 = float;
using f64 = double;
static_assert(sizeof(i64) == 8 && sizeof(i32) == 4 && sizeof(i16) == 2);

// ---------------------------------------------------------------------------------------- traits

namespace detail {
template <typename A, typename B>
inline constexpr bool same = false;
template <typename A>
inline constexpr bool same<A, A> = true;

template <bool C, typename A, typename B>
struct Choose {
  using type = A;
};
template <typename A, typename B>
struct Choose<false, A, B> {
  using type = B;
};

template <int Bytes>
struct IntOfSize;
template <>
struct IntOfSize<1> {
  using sign = i8;
  using plain = u8;
};
template <>
struct IntOfSize<2> {
  using sign = i16;
  using plain = u16;
};
template <>
struct IntOfSize<4> {
  using sign = i32;
  using plain = u32;
};
template <>
struct IntOfSize<8> {
  using sign = i64;
  using plain = u64;
};

template <typename F>
struct Shape {
  using element = F;
  static constexpr int width = 1;
  template <typename T>
  using with = T;
};
}  // namespace detail

#if GN_LANES
/// W values of type T side by side; lanes<bool, W> is a mask.
template <typename T, int W>
using lanes = T __attribute__((ext_vector_type(W)));

namespace detail {
template <typename E, int W>
struct Shape<E __attribute__((ext_vector_type(W)))> {
  using element = E;
  static constexpr int width = W;
  template <typename T>
  using with = lanes<T, W>;
};
}  // namespace detail
#endif

/// The scalar type of F's elements.
template <typename F>
using element_of = typename detail::Shape<F>::element;
/// The number of lanes of F: 1 for a scalar.
template <typename F>
inline constexpr int width_of = detail::Shape<F>::width;
/// As many lanes as F has, of elements T.
template <typename F, typename T>
using with_element = typename detail::Shape<F>::template with<T>;
/// The signed integers of the size and number of F's elements.
template <typename F>
using int_of = with_element<F, typename detail::IntOfSize<sizeof(element_of<F>)>::sign>;
/// The unsigned integers of the size and number of F's elements.
template <typename F>
using uint_of = with_element<F, typename detail::IntOfSize<sizeof(element_of<F>)>::plain>;
/// bool for a scalar, lanes<bool, W> for lanes.
template <typename F>
using mask_of = with_element<F, bool>;

/// Whether F is one scalar, not lanes.
template <typename F>
inline constexpr bool is_scalar = width_of<F> == 1;
/// Whether F's elements are floating-point numbers.
template <typename F>
inline constexpr bool is_float =
    detail::same<element_of<F>, f32> || detail::same<element_of<F>, f64>;
/// Whether F's elements are bool.
template <typename F>
inline constexpr bool is_bool = detail::same<element_of<F>, bool>;
/// Whether F's elements are signed integers.
template <typename F>
inline constexpr bool is_signed =
    !is_float<F> && !is_bool<F> && (static_cast<element_of<F>>(-1) < static_cast<element_of<F>>(0));

/// The layout of a floating-point type: what code on bit patterns needs.
template <typename T>
struct float_format;
template <>
struct float_format<f32> {
  static constexpr int mantissa_bits = 23;
  static constexpr i32 bias = 127;
  static constexpr i32 sign_bit = static_cast<i32>(0x80000000u);
  static constexpr i32 mantissa_mask = 0x007fffff;
  static constexpr i32 infinity_bits = 0x7f800000;
  static constexpr i32 nan_bits = 0x7fc00000;
};
template <>
struct float_format<f64> {
  static constexpr int mantissa_bits = 52;
  static constexpr i64 bias = 1023;
  static constexpr i64 sign_bit = static_cast<i64>(0x8000000000000000ul);
  static constexpr i64 mantissa_mask = 0x000fffffffffffffl;
  static constexpr i64 infinity_bits = 0x7ff0000000000000l;
  static constexpr i64 nan_bits = 0x7ff8000000000000l;
};
/// The layout of F's elements.
template <typename F>
using format_of = float_format<element_of<F>>;

// ------------------------------------------------------------------------------- values and bits

/// All lanes equal to `value`.
template <typename F>
GN_FN F splat(element_of<F> value) {
  return static_cast<F>(value);
}

/// The same bits read as To, which has the size of From.
template <typename To, typename From>
GN_FN To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

/// +infinity in all lanes.
template <typename F>
GN_FN F infinity() {
  return splat<F>(bit_cast<element_of<F>>(format_of<F>::infinity_bits));
}

/// A quiet NaN in all lanes.
template <typename F>
GN_FN F quiet_nan() {
  return splat<F>(bit_cast<element_of<F>>(format_of<F>::nan_bits));
}

#if GN_LANES
namespace detail {
template <int... I>
struct LaneNumbers {
  template <typename V>
  static GN_FN V make() {
    return V{static_cast<element_of<V>>(I)...};
  }
  /// The first lanes of x, as many as I has.
  template <typename V>
  static GN_FN auto first(V x) {
    return __builtin_shufflevector(x, x, I...);
  }
};
template <typename T, T... I>
using LaneNumbersOf = LaneNumbers<I...>;
template <int W>
using LanesUpTo = __make_integer_seq<LaneNumbersOf, int, W>;
}  // namespace detail
#endif

/// 0, 1, 2 ... in the lanes of I; 0 for a scalar.
template <typename I>
GN_FN I iota() {
  if constexpr (is_scalar<I>) {
    return static_cast<I>(0);
  } else {
#if GN_LANES
    return detail::LanesUpTo<width_of<I>>::template make<I>();
#endif
  }
}

// ----------------------------------------------------------------------------------------- masks

/// The mask of a condition: a bool, lanes<bool, W>, or the integer lanes a native comparison gives.
template <typename M>
GN_FN mask_of<M> to_mask(M condition) {
  if constexpr (is_bool<M>) {
    return condition;
  } else if constexpr (is_scalar<M>) {
    return condition != 0;
  } else {
#if GN_LANES
    return __builtin_convertvector(condition != M(0), mask_of<M>);
#endif
  }
}

/// Where both conditions hold.
template <typename M>
GN_FN M both(M a, M b) {
  if constexpr (is_scalar<M> && is_bool<M>) {
    return a && b;  // no detour over int
  } else {
    return static_cast<M>(a & b);
  }
}

/// Where at least one condition holds.
template <typename M>
GN_FN M either(M a, M b) {
  if constexpr (is_scalar<M> && is_bool<M>) {
    return a || b;
  } else {
    return static_cast<M>(a | b);
  }
}

/// a where the condition holds, b elsewhere. Both are always evaluated.
template <typename M, typename F>
GN_FN F select(M condition, F a, F b) {
  if constexpr (is_scalar<M>) {
    return condition ? a : b;
  } else {
#if GN_LANES
    if constexpr (is_bool<F>) {
      const mask_of<F> m = to_mask(condition);
      return (m & a) | (~m & b);
    } else if constexpr (detail::same<M, int_of<F>>) {
      return condition ? a : b;
    } else {
      return (__builtin_convertvector(to_mask(condition), int_of<F>) != int_of<F>(0)) ? a : b;
    }
#endif
  }
}

#if GN_LANES
namespace detail {
/// Whether a mask is one integer of the processor's, to be compared as such.
#if defined(__AVX512F__)
template <typename M>
inline constexpr bool is_mask_word = width_of<M> == 8 || width_of<M> == 16;
#else
template <typename M>
inline constexpr bool is_mask_word = false;
#endif
template <typename M>
using mask_word = typename Choose<width_of<M> == 8, u8, u16>::type;
}  // namespace detail
#endif

/// Whether the condition holds in some lane.
template <typename M>
GN_FN bool any(M condition) {
  if constexpr (is_scalar<M>) {
    return to_mask(condition);
  } else {
#if GN_LANES
    if constexpr (detail::is_mask_word<M>) {
      return bit_cast<detail::mask_word<M>>(to_mask(condition)) != 0;
    }
    using Bytes = with_element<M, i8>;
    return __builtin_reduce_or(__builtin_convertvector(to_mask(condition), Bytes)) != 0;
#endif
  }
}

/// Whether the condition holds in all lanes.
template <typename M>
GN_FN bool all(M condition) {
  if constexpr (is_scalar<M>) {
    return to_mask(condition);
  } else {
#if GN_LANES
    if constexpr (detail::is_mask_word<M>) {
      using Word = detail::mask_word<M>;
      return bit_cast<Word>(to_mask(condition)) == static_cast<Word>(-1);
    }
    using Bytes = with_element<M, i8>;
    return __builtin_reduce_and(__builtin_convertvector(to_mask(condition), Bytes)) != 0;
#endif
  }
}

// ------------------------------------------------------------------------------- number conversion

namespace detail {
/// C's cast, lane by lane: float to integer only where the value fits.
template <typename To, typename From>
GN_FN To plain_cast(From x) {
  if constexpr (is_scalar<To>) {
    return static_cast<To>(x);
  } else {
#if GN_LANES
    return __builtin_convertvector(x, To);
#endif
  }
}

/// 2^exponent as a T.
template <typename T>
GN_FN constexpr T power_of_two(int exponent) {
  T value = 1;
  for (int i = 0; i < exponent; ++i) value *= 2;
  return value;
}

template <typename To, typename From>
GN_FN To saturating_cast(From x) {
  using T = element_of<To>;
  using E = element_of<From>;
  constexpr int value_bits = static_cast<int>(sizeof(T)) * 8 - (is_signed<T> ? 1 : 0);
  constexpr T highest =
      is_signed<T> ? static_cast<T>(~(1ul << (sizeof(T) * 8 - 1))) : static_cast<T>(-1);
  constexpr T lowest =
      is_signed<T> ? static_cast<T>(1ul << (sizeof(T) * 8 - 1)) : static_cast<T>(0);
  constexpr E above = power_of_two<E>(value_bits);
  constexpr E below = is_signed<T> ? -above : E(0);
  const auto fits = (x >= From(below)) & (x < From(above));
  const To inside = plain_cast<To>(select(fits, x, From(0)));
  const To capped = select(x >= From(above), To(highest), inside);
  return select(x < From(below), To(lowest), capped);
}
}  // namespace detail

/// C's cast where that is defined; float to integer saturates, NaN gives 0; to bool is `!= 0`.
template <typename To, typename From>
GN_FN To convert(From x) {
  if constexpr (detail::same<To, From>) {
    return x;
  } else if constexpr (is_scalar<From> && !is_scalar<To>) {
    return splat<To>(convert<element_of<To>>(x));
  } else if constexpr (is_bool<To>) {
    return to_mask(x != From(0));
  } else if constexpr (is_bool<From>) {
    return select(x, To(1), To(0));
  } else if constexpr (is_float<From> && !is_float<To>) {
    return detail::saturating_cast<To>(x);
  } else {
    return detail::plain_cast<To>(x);
  }
}

// ---------------------------------------------------------------- arithmetic of one instruction

#if GN_LANES
#define GN_ROUNDING(name, lanes_builtin, name32, name64) \
  template <typename F>                                  \
  GN_FN F name(F x) {                                    \
    if constexpr (!is_float<F>)                          \
      return x;                                          \
    else if constexpr (detail::same<F, f32>)             \
      return name32(x);                                  \
    else if constexpr (detail::same<F, f64>)             \
      return name64(x);                                  \
    else                                                 \
      return lanes_builtin(x);                           \
  }
#else
#define GN_ROUNDING(name, lanes_builtin, name32, name64) \
  template <typename F>                                  \
  GN_FN F name(F x) {                                    \
    if constexpr (!is_float<F>)                          \
      return x;                                          \
    else if constexpr (detail::same<F, f32>)             \
      return name32(x);                                  \
    else                                                 \
      return name64(x);                                  \
  }
#endif

#if defined(__CUDACC__)
#define GN_BUILTIN(device, host) ::device
#else
#define GN_BUILTIN(device, host) host
#endif

/// The square root, correctly rounded.
GN_ROUNDING(sqrt, __builtin_elementwise_sqrt, GN_BUILTIN(sqrtf, __builtin_sqrtf),
            GN_BUILTIN(sqrt, __builtin_sqrt))
/// The largest integer not above x.
GN_ROUNDING(floor, __builtin_elementwise_floor, GN_BUILTIN(floorf, __builtin_floorf),
            GN_BUILTIN(floor, __builtin_floor))
/// The smallest integer not below x.
GN_ROUNDING(ceil, __builtin_elementwise_ceil, GN_BUILTIN(ceilf, __builtin_ceilf),
            GN_BUILTIN(ceil, __builtin_ceil))
/// The integer part.
GN_ROUNDING(trunc, __builtin_elementwise_trunc, GN_BUILTIN(truncf, __builtin_truncf),
            GN_BUILTIN(trunc, __builtin_trunc))
/// The nearest integer, half to even.
GN_ROUNDING(rint, __builtin_elementwise_roundeven, GN_BUILTIN(rintf, __builtin_roundevenf),
            GN_BUILTIN(rint, __builtin_roundeven))

/// a * b + c with one rounding.
template <typename F>
GN_FN F fma(F a, F b, F c) {
  if constexpr (detail::same<F, f32>) {
    return GN_BUILTIN(fmaf, __builtin_fmaf)(a, b, c);
  } else if constexpr (detail::same<F, f64>) {
    return GN_BUILTIN(fma, __builtin_fma)(a, b, c);
  } else {
#if GN_LANES
    return __builtin_elementwise_fma(a, b, c);
#endif
  }
}

#undef GN_ROUNDING
#undef GN_BUILTIN

/// |x|. The most negative integer stays itself.
template <typename F>
GN_FN F abs(F x) {
  using U = uint_of<F>;
  if constexpr (is_float<F>) {
    return bit_cast<F>(bit_cast<int_of<F>>(x) & int_of<F>(~format_of<F>::sign_bit));
  } else if constexpr (is_signed<F>) {
    return select(x < F(0), bit_cast<F>(static_cast<U>(U(0) - bit_cast<U>(x))), x);
  } else {
    return x;
  }
}

/// The magnitude of x with the sign of `sign`.
template <typename F>
GN_FN F copysign(F x, F sign) {
  // Not spelled in bits for lanes: for AVX-512, Clang 19 miscompiles a select between `sign` and
  // such a blend of bits with a constant.
#if GN_LANES
  if constexpr (!is_scalar<F>) return __builtin_elementwise_copysign(x, sign);
#endif
  using I = int_of<F>;
  return bit_cast<F>((bit_cast<I>(x) & I(~format_of<F>::sign_bit)) |
                     (bit_cast<I>(sign) & I(format_of<F>::sign_bit)));
}

}  // namespace gn
