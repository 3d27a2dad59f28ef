// Which of the levels of its architecture this processor has.
#pragma once

#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

#if defined(__x86_64__)

namespace detail {

struct ProcessorWords {
  u32 a, b, c, d;
};

inline ProcessorWords ask_processor(u32 leaf, u32 subleaf) {
  ProcessorWords w;
  __asm__("cpuid" : "=a"(w.a), "=b"(w.b), "=c"(w.c), "=d"(w.d) : "a"(leaf), "c"(subleaf));
  return w;
}

inline u32 saved_registers() {
  u32 low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

inline bool has_bits(u32 word, u32 bits) { return (word & bits) == bits; }

}  // namespace detail

/// 1 to 4, as in the processor supplement of the System V ABI; the operating system must save the
/// registers.
inline i32 find_processor_level() {
  using namespace detail;
  if (ask_processor(0, 0).a < 7) return 1;
  const ProcessorWords one = ask_processor(1, 0), seven = ask_processor(7, 0);
  const u32 extended = ask_processor(0x80000000u, 0).a;
  const u32 more = extended >= 0x80000001u ? ask_processor(0x80000001u, 0).c : 0;
  // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF.
  const u32 second = 1u | 1u << 9 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 23;
  if (!has_bits(one.c, second) || !has_bits(more, 1u)) return 1;
  // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; XMM and YMM are saved.
  const u32 third = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;
  if (!has_bits(one.c, third) || !has_bits(seven.b, 1u << 3 | 1u << 5 | 1u << 8)) return 2;
  if (!has_bits(more, 1u << 5) || !has_bits(saved_registers(), 0x6)) return 2;
  // AVX-512 F, DQ, CD, BW, VL; the masks and all of ZMM are saved.
  const u32 fourth = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
  return has_bits(seven.b, fourth) && has_bits(saved_registers(), 0xe6) ? 4 : 3;
}

#elif defined(__linux__) && (defined(__aarch64__) || defined(__riscv))

extern "C" {
unsigned long getauxval(unsigned long type);
int prctl(int option, ...);
}

/// 1 without the extension to vectors of any length, SVE or V, as Linux says, which must save their
/// registers; 2 with it; 3 if it is SVE and vectors have 256 bits or more.
inline i32 find_processor_level() {
  const unsigned long extensions = getauxval(16);  // AT_HWCAP
#if defined(__aarch64__)
  if (!(extensions >> 22 & 1)) return 1;
  const int length = prctl(51);  // PR_SVE_GET_VL: bytes, and flags above them
  return length > 0 && (length & 0xffff) >= 32 ? 3 : 2;
#else
  return extensions >> ('V' - 'A') & 1 ? 2 : 1;
#endif
}

#else

inline i32 find_processor_level() { return 1; }

#endif

/// The same, asked once: virtual machines answer slowly. Whoever asks at the same time finds the
/// same.
inline i32 processor_level() {
  static i32 level;
  i32 known = __atomic_load_n(&level, __ATOMIC_RELAXED);
  if (known == 0) {
    known = find_processor_level();
    __atomic_store_n(&level, known, __ATOMIC_RELAXED);
  }
  return known;
}

}  // namespace gn
