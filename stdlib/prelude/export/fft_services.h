// Fourier transforms of exported libraries, for those that are asked to have them.
#pragma once

#include "runtime/lines/transforms.h"
#include "stdlib/prelude/export/services.h"

namespace gn {

/// A Fourier transform. `Table`: what it needs for the one length that it has; null: any length,
/// whose table each call makes.
template <int Kind, typename T, const T* Table = nullptr>
struct Fourier {
  static constexpr auto routine = static_cast<gnomon::Routine>(Kind);
  static gnomon::ServiceMemory memory(const gnomon_routine& what) {
    return gnomon::memory_of_transforms<routine, T>(what, Table != nullptr);
  }
  static bool run(gnomon_routine& what, const LentCrew& crew) {
    what.failed = -1;
    return gnomon::run_transforms<routine, T>(what, Table, crew);
  }
};

}  // namespace gn
