// How lanes come from memory and go there: contiguous, strided, gathered, as rows, past the caches.
#pragma once

#include <map>
#include <string>

#include "codegen/cpu/strided_accesses.h"
#include "codegen/text/kernel_outline.h"
#include "codegen/text/kernel_writer.h"

namespace gnomon {

class LaneMemory {
 public:
  LaneMemory(const KernelOutline& outline, KernelWriter& writer, const StridedAccesses& strided)
      : outline_(outline), w_(writer), strided_(strided) {}

  void load(int i);
  void store(int i);
  void update(int i);
  void prefetch(int i);
  void read_rows(int i);
  void write_rows(int i);
  void update_rows(int i);

  /// How many elements come before the first whole vector of a loop, so that stores past the caches
  /// are aligned; "" if there are none.
  std::string declare_lead(int loop);
  /// What a loop has stored past the caches is there for all threads once it ends.
  void fence(int loop);

 private:
  std::string address(const Statement& s) const;
  bool streams(const Statement& s) const;
  std::string is_far(const Statement& s) const;
  std::string stream_condition(int i) const;
  std::string strided_address(int i);
  void strided_store(int i);

  const KernelOutline& outline_;
  KernelWriter& w_;
  const StridedAccesses& strided_;
  std::map<int, std::string> past_;  // stores with a lead: whether they go past the caches
};

}  // namespace gnomon
