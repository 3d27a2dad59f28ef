// How far rewriting goes.
#pragma once

#include <cstdint>

namespace gnomon {

/// How much rewriting is admitted.
enum class RewriteLevel : std::uint8_t {
  none,   ///< only what code generation needs
  exact,  ///< rewrites that keep every bit
  all,    ///< rewrites by the real-number value, in no point worse than the code as written
  fast,   ///< products and sums regroup too, which may lose digits or leave the range on the way
};

}  // namespace gnomon
