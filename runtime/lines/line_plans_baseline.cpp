// Plans of Fourier transforms for any processor this library is built for.
#include "runtime/lines/library_plans.h"

namespace gnomon {

constinit const LinePlans baseline_line_plans = plans_made_here;

}  // namespace gnomon
