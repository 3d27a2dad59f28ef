// Where everything stands in a graph that is being cut: the nests and steps so far, their contents.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/fusion/nest_contents.h"

namespace gnomon {

class Placement {
 public:
  /// `fusion`: nests, items and stored values go there.
  explicit Placement(Fusion& fusion) : fusion_(fusion) {}

  const Fusion& fusion() const { return fusion_; }

  /// The latest nest that may take the member, of the last items; none if it needs one of its own.
  /// `roots`: values of nests, and stored ones, that it reads.
  std::optional<int> nest_for(const Member& m, const Shape& domain,
                              std::span<const Value> roots) const;
  /// The nest that computes the reduction of a row.
  int nest_of_row(const Node& reduction) const { return row_nest_.at(&reduction); }
  /// Whether a nest of another domain computes the value at its own element.
  bool is_computed_elsewhere(const Value& v, const Shape& domain) const;

  void append_step(const Node& node);
  void append_nest(Member m, const Shape& domain);
  void add(int nest, Member m);
  /// All results of the node are in memory from the last item on.
  void note_stored(const Node& node);

 private:
  int last_item() const { return static_cast<int>(fusion_.items.size()) - 1; }
  int item_of(const Value& v) const;
  bool has_extents_before(int item, const Shape& shape) const;
  bool is_row_of(const Node* reduction, int n) const;
  std::optional<int> nest_beside(const Member& m) const;
  int stage_in(int n, const Member& m) const;
  bool may_join(int n, const Member& m, const Shape& domain, std::span<const Value> roots) const;
  bool is_for_rows_of(int n, const Member& m, const Shape& domain) const;
  bool writes_beside(int n, const Member& m) const;
  bool has_loops_for(int n, const Member& m, const Shape& domain) const;
  bool may_write_in(int n, const Member& m) const;
  static bool gathers_in_lanes(const NestContents& contents, const Member& m);
  bool has_row_values_for(int n, const Member& m) const;

  Fusion& fusion_;
  std::vector<NestContents> contents_;              // by nest
  std::vector<int> nest_item_;                      // by nest: its item
  std::unordered_map<const Node*, int> position_;   // of steps and writes: their last item
  std::unordered_map<Value, int> nest_of_;          // the last nest with a member for the value
  std::unordered_map<const Node*, int> row_nest_;   // of reductions of rows
  std::unordered_map<const Node*, int> row_stage_;  // of the same, in that nest
  std::unordered_map<const Node*, int> part_nest_;  // of partial results of columns
  std::unordered_map<Value, int> heavy_home_;       // the first nest that computes a costly value
  std::unordered_map<Value, int> stored_stage_;     // of the member that stores the value
};

}  // namespace gnomon
