// Real numbers of many digits, by libgnomon-mpfr, as numbers of the reference evaluator.
#pragma once

#include <utility>

#include "frontend/mpfr/entry.h"
#include "ir/op/numbers.h"

namespace gnomon {

/// The functions of libgnomon-mpfr, which the first call opens. DeviceError when there is none.
const MpfrTable& digits_table();

/// A number of the library.
class Digits {
 public:
  Digits() : Digits(0.0) {}
  Digits(double v) : handle_(digits_table().make(v)) {}
  Digits(const Digits& other) : handle_(digits_table().copy(other.handle_)) {}
  Digits(Digits&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Digits& operator=(Digits other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Digits() {
    if (handle_ != nullptr) digits_table().destroy(handle_);
  }

  double to_double() const { return digits_table().to_double(handle_); }
  /// Whether the two are the same number as far as floats of dtype `t` can tell.
  bool agrees_with(const Digits& other, DType t) const;
  /// The distance of `found` in units in the last place of dtype `t`: see MpfrTable.
  double distance(double found, DType t) const;

 private:
  friend RealNumbers<Digits> digit_numbers();

  void* handle_;
};

/// Arithmetic of the evaluator. TypeError, when it gets there, for an operation whose real function
/// is not known.
RealNumbers<Digits> digit_numbers();

}  // namespace gnomon
