// What slices take of each axis, and how two of them lie to each other.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// What a slice reads of an axis, or writes.
struct Section {
  Dim start, count, step;

  /// Its ends are those of one that is not empty: an empty one may be anywhere.
  Dim last() const;
  bool descends() const { return step.constant() < 0; }
  Dim low() const { return descends() ? last() : start; }
  Dim high() const { return descends() ? start : last(); }
  bool is_all_of(const Dim& extent) const { return start.is(0) && step.is(1) && count == extent; }
};
using Sections = std::vector<Section>;

/// Those of a slice, set_slice or inc_slice, an axis each.
Sections sections_of(const Node& slice);

/// Whether no element of one is in the other, because one ends before the other begins or because
/// their steps never meet. It may be so where this says no.
bool are_apart(const Section& a, const Section& b);
/// The same of slices of one array: they are apart if they are so along one axis.
bool are_apart(const Sections& a, const Sections& b);

/// Where in what `write` takes the elements of `read` are, if all are there: x[write][result] is
/// x[read]. None where that is not known.
std::optional<Section> within(const Section& read, const Section& write);

}  // namespace gnomon
