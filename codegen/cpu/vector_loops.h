// How the vectors of each loop over lanes run: with one body or two, with or without a rest.
#pragma once

#include <map>

#include "codegen/cpu/strided_accesses.h"
#include "codegen/text/kernel_outline.h"

namespace gnomon {

/// `apart`: the full vectors and the masked rest have a body each. `together`: one body under a
/// mask serves both. `part`: one vector, not full. `whole`: no rest. `few`: some vectors, one after
/// the other.
enum class Vectors { apart, together, part, whole, few };

class VectorLoops {
 public:
  VectorLoops(const KernelOutline& outline, const StridedAccesses& strided);

  Vectors of(int loop) const { return vectors_.at(loop); }
  /// Whether vectors have too little work in flight one at a time.
  bool is_short(int loop) const;

 private:
  Vectors choose(int loop) const;
  int work_in(int loop) const;
  bool scatters(int loop) const;

  const KernelOutline& outline_;
  const StridedAccesses& strided_;
  std::map<int, Vectors> vectors_;
};

}  // namespace gnomon
