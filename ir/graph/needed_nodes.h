// The nodes that a closed graph needs, and the equalities of extents that their operations ask for.
#pragma once

#include <vector>

#include "ir/graph/signature_symbols.h"

namespace gnomon {

struct NeededNodes {
  std::vector<const Node*> nodes;      // operands first; leaves of the signature are not entered
  std::vector<EntryCheck> equalities;  // over the signature: first those of nodes, then declared
};

/// Nodes for the outputs and for the scalars whose values equalities contain. With
/// `check_signature` also for those in extents of the signature. TypeError if an equality has an
/// extent that no input determines.
NeededNodes needed_nodes(const Closing& closing, const SignatureSymbols& symbols,
                         bool check_signature);

/// The nodes for `roots` alone.
std::vector<const Node*> nodes_above_leaves(const Closing& closing, std::span<const Value> roots);

}  // namespace gnomon
