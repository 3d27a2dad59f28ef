// Infinity and NaN as tests write them.
#pragma once

#include <limits>

namespace gnomon::test {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace gnomon::test
