// The extents of a module that is being lowered: where the host function has each from, and when.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/lower/lower_buffers.h"
#include "codegen/lower/lower_failures.h"
#include "codegen/module/module.h"

namespace gnomon {

/// An extent is one of a parameter's shape, the value of a scalar parameter, or late: the value of
/// a scalar that the call computes.
class Dimensions {
 public:
  Dimensions(const Graph& graph, Module& module, Buffers& buffers, Failures& failures)
      : graph_(graph), module_(module), buffers_(buffers), failures_(failures) {}

  /// The next extent that the call gives, of a parameter.
  void add_extent(const Dim& d, int parameter);
  /// A check at entry, or once its late extents are known.
  void add_check(PlanCheck check);
  /// A check of a body, once its extents are known.
  void add_body_check(PlanCheck check, std::vector<Step>& steps);
  /// Extents that the module uses.
  void note(const Dim& d);
  void note(const Shape& shape);
  /// Those of its results, and those that it computes with.
  void note(const Node& node);

  /// Appends what reads the late extents that were noted and stand in memory which is there from
  /// the start: that of leaves, of constants, and of these values.
  void read_given(std::span<const Value> given, std::vector<Step>& steps);
  /// Appends what reads an extent that is the value in a buffer, unless it is known.
  void read_from(const Dim& d, int buffer, std::vector<Step>& steps);
  /// Whether late extents are the value of this scalar.
  bool is_extent(const Value& scalar) const { return late_.contains(scalar); }
  /// Appends what reads them, and the checks that can be made then.
  void read(const Value& scalar, std::vector<Step>& steps);
  /// InternalError when a check was not made.
  void expect_all_checked() const;

  /// What is noted and known in a graph: in the whole, or in a body, which may never run.
  struct Scope {
    std::set<int> noted;            // slots
    std::unordered_set<int> known;  // late slots that have been read
    std::vector<PlanCheck> checks;  // not made yet, for want of late extents
  };
  /// Begins a body, in which all is known that was before. The scope around it.
  Scope begin_body();
  void end_body(Scope around);

 private:
  std::optional<int> slot_of(const Atom& atom) const;
  int add_slot(const AtomRef& atom, int extent);
  bool is_known(const Dim& d) const;
  void make_checks(std::vector<Step>& steps);

  const Graph& graph_;
  Module& module_;
  Buffers& buffers_;
  Failures& failures_;
  std::unordered_multimap<std::size_t, int> slots_;   // by the hash of their atoms
  std::unordered_map<Value, std::vector<int>> late_;  // slots, by the scalar
  Scope scope_;
};

}  // namespace gnomon
