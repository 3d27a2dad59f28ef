// Where everything stands in a graph that is being cut: the nests and steps so far, their contents.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/fusion/nest_contents.h"

namespace gnomon {

/// Why a nest does not take a member.
enum class Refusal : std::uint8_t {
  none,
  other_device,     // it runs elsewhere
  beside_later,     // the maximum beside its parts comes later
  extents_later,    // so do extents of the memory that it is written to
  parts_apart,      // partial results have loops of their own
  other_elements,   // the loops run over others
  writes_apart,     // elements go to other places than their own
  short_rows,       // reduced ones are lanes, which would gather
  whole_blocks,     // columns that need a block of all rows at once
  crossed,          // memory lies across the loops
  other_rows,       // results of rows that no memory holds are of another nest
  partial_results,  // made there, or later
  made_later,       // something it reads
  read_elsewhere,   // results of the nest, at other elements or in memory that is written
  many_arrays,
  long_kernel,
};
/// In words: a clause of which the member is the subject.
std::string_view text_of(Refusal refusal);

class Placement {
 public:
  /// `fusion`: nests, items and stored values go there.
  explicit Placement(Fusion& fusion) : fusion_(fusion) {}

  const Fusion& fusion() const { return fusion_; }

  /// The latest nest that may take the member, of the last items; none if it needs one of its own.
  /// `roots`: values of nests, and stored ones, that it reads.
  std::optional<int> nest_for(const Member& m, const Shape& domain,
                              std::span<const Value> roots) const;
  /// The nests that were asked before, from the last one back, that have to do with the member:
  /// they read what it reads, or make what it reads; and the last one whatever it does.
  struct Refused {
    int nest;
    Refusal why;
  };
  std::vector<Refused> refused_by(const Member& m, const Shape& domain,
                                  std::span<const Value> roots) const;
  /// The nest that computes the reduction of a row.
  int nest_of_row(const Node& reduction) const { return row_nest_.at(&reduction); }
  /// Whether a nest of another domain computes the value at its own element.
  bool is_computed_elsewhere(const Value& v, const Shape& domain) const;
  /// How many members compute elements of it again.
  int parts_computed(const Value& v) const {
    const auto at = parts_.find(v);
    return at == parts_.end() ? 0 : at->second;
  }

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
  Refusal refusal(int n, const Member& m, const Shape& domain, std::span<const Value> roots) const;
  bool is_for_rows_of(int n, const Member& m, const Shape& domain) const;
  bool writes_beside(int n, const Member& m) const;
  Refusal refusal_of_loops(int n, const Member& m, const Shape& domain) const;
  bool may_write_in(int n, const Member& m) const;
  bool may_write_part_in(int n, const Member& m) const;
  bool is_read_from(int item, const Value& v) const;
  bool is_related(int n, const Member& m, std::span<const Value> roots) const;
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
  std::unordered_map<Value, int> parts_;            // members that compute elements again
  std::unordered_map<Value, int> stored_stage_;     // of the member that stores the value
};

}  // namespace gnomon
