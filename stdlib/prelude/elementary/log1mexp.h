// log(1 - e^x): the logarithm of what a probability with logarithm x leaves of 1.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

/// log(1 - e^x) for x <= 0, without cancellation at either end (Maechler 2012, formula 7).
template <typename F>
GN_FN F log1mexp(F x) {
  return select(x > constant<F>(-0x1.62e42fefa39efp-1), log(-expm1(x)), log1p(-exp(x)));
}

}  // namespace gn
