// Small systems of equations for any processor this library is built for.
#include "runtime/linalg/small_systems_in_lanes.h"

namespace gnomon {

constinit const SmallSystems baseline_small_systems = systems_made_here;

}  // namespace gnomon
