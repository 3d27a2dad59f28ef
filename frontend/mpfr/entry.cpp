// libgnomon-mpfr: real numbers of many digits, for reports of accuracy.
#include "frontend/mpfr/entry.h"

#include <vector>

#include "frontend/mpfr/real_functions.h"

namespace {

using namespace gnomon::exact;

const Real& real(const void* number) { return *static_cast<const Real*>(number); }

void compute_with(long bits, bool upward) {
  Real::precision = bits;
  Real::rounding = upward ? MPFR_RNDU : MPFR_RNDD;
}

void* make(double value) { return new Real(value); }
void* copy(const void* number) { return new Real(real(number)); }
void destroy(void* number) { delete static_cast<Real*>(number); }
double to_double(const void* number) { return real(number).to_double(); }

bool apply(const char* operation, const void* const* operands, std::size_t count, void* result) {
  const auto found = real_functions().find(operation);
  if (found == real_functions().end()) return false;
  std::vector<Real> reals;
  for (std::size_t i = 0; i < count; ++i) reals.push_back(real(operands[i]));
  *static_cast<Real*>(result) = found->second(reals);
  return true;
}

bool agree(const void* one, const void* other, int bits) {
  const Real& a = real(one);
  const Real& b = real(other);
  if (mpfr_equal_p(a.get(), b.get())) return true;
  if (!mpfr_number_p(a.get()) || !mpfr_number_p(b.get())) return false;
  return (bits == 24 ? ulp_between<float> : ulp_between<double>)(a.get(), b.get()) < 0x1p-20;
}

double distance(const void* number, double found, int bits) {
  if (found == 0 && mpfr_zero_p(real(number).get())) return 0;
  return bits == 24 ? ulp_error(static_cast<float>(found), real(number))
                    : ulp_error(found, real(number));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const gnomon::MpfrTable* gnomon_mpfr_entry() {
  static const gnomon::MpfrTable table = {gnomon::mpfr_entry_version,
                                          compute_with,
                                          make,
                                          copy,
                                          destroy,
                                          to_double,
                                          apply,
                                          agree,
                                          distance};
  return &table;
}
