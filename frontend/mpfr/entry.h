// The one door of libgnomon-mpfr: plain data and function pointers, so that neither MPFR nor the
// C++ library crosses it.
#pragma once

#include <cstddef>

namespace gnomon {

/// Changes whenever the structure below does: a library of another version is refused.
inline constexpr int mpfr_entry_version = 1;
inline constexpr const char* mpfr_entry_name = "gnomon_mpfr_entry";

/// Real numbers of many digits, as handles of the library.
struct MpfrTable {
  int version;
  /// Bits of the numbers that this thread makes from now on; functions round up, or down.
  void (*compute_with)(long bits, bool upward);
  void* (*make)(double value);
  void* (*copy)(const void* number);
  void (*destroy)(void* number);
  double (*to_double)(const void* number);
  /// Sets `result` to the value of an operation; false where its real function is not known.
  bool (*apply)(const char* operation, const void* const* operands, std::size_t count,
                void* result);
  /// Whether two numbers are the same but for a millionth of a unit in the last place of floats of
  /// 24 or 53 bits.
  bool (*agree)(const void* one, const void* other, int bits);
  /// The distance of `found` from a number in units in the last place of floats of 24 or 53 bits;
  /// infinite where only one is infinite or NaN, or the signs differ, those of zeros apart.
  double (*distance)(const void* number, double found, int bits);
};

}  // namespace gnomon

extern "C" const gnomon::MpfrTable* gnomon_mpfr_entry();
