// What the members of a nest are together: a nest may have many of them, and is looked at for each
// value that could join it.
#pragma once

#include <unordered_map>
#include <unordered_set>

#include "codegen/fusion/fuse.h"

namespace gnomon {

class NestContents {
 public:
  /// A new member, whose stage is known. What several stages compute is marked as cached.
  void add(const Member& m, Nest& nest);

  /// Statements of a kernel with one more member. Values that members of the first stage share are
  /// computed once, as are the numbers, loads and indices that belong to them.
  int statements_with(const Member& m) const;
  /// Arrays that all members and one more read.
  std::size_t streams_with(const Member& m) const;
  /// Whether some of them read the same array.
  bool shares_loads_with(const Member& m) const;
  /// Whether the member itself does, and it alone.
  bool reads_what_is_read_by(const Member& m) const { return loads_in_common(m) > 0; }
  /// Whether some of them read an array.
  bool reads(const Value& array) const { return loads_.contains(array); }
  /// Whether all there is are values of the whole domain that go to memory.
  bool is_of_stores() const { return of_stores_; }
  /// Whether each member makes one element of the domain, and some write it elsewhere.
  bool is_of_elements() const { return of_elements_; }
  bool has_writes() const { return has_writes_; }
  /// Whether some are reductions of rows, and some others' elements take a loop.
  bool has_rows() const { return has_rows_; }
  bool has_loops() const { return has_loops_; }
  /// Whether memory lies across for some of them, and all are stores.
  bool is_crossed() const { return crossed_ && of_stores_; }
  bool needs_whole_blocks() const { return whole_blocks_; }

 private:
  std::size_t loads_in_common(const Member& m) const;

  std::unordered_set<Value> computed_, loads_;  // computed: in the first stage
  std::size_t computations_ = 0;                // of all members, one by one
  int first_ = 0, later_ = 0;                   // statements of the first stage, of others
  bool shares_loads_ = false;
  bool of_stores_ = true, of_elements_ = true;
  bool has_writes_ = false, has_rows_ = false, has_loops_ = false;
  bool crossed_ = false, whole_blocks_ = false;
  std::unordered_map<Value, int> heavy_;  // the stage that computes it; -1: several do
};

}  // namespace gnomon
