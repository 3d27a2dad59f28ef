// The real-number meaning of operations as the numbers of the reference evaluator.
#pragma once

#include <utility>

#include "frontend/mpfr/real_functions.h"
#include "ir/reference/generic.h"
#include "tests/support/mpfr_reference.h"

namespace gnomon::test {

using RealArithmetic = RealNumbers<Real>;

inline RealArithmetic real_numbers() {
  RealTable all = real_functions();
  all.insert(parameter_functions().begin(), parameter_functions().end());
  return RealArithmetic(std::move(all), [](const Real& x) { return x.to_double(); });
}

}  // namespace gnomon::test
