// Closing of expressions over a signature: what captures of functions and bodies have in common.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// A value that becomes a parameter.
struct SignatureLeaf {
  Value value;
  std::string name;
  bool shared = false;
};

/// The leaves and extents that the values need, with their names.
std::vector<SignatureLeaf> signature_leaves(std::span<const Value> values);

/// The outputs as a graph over `leaves`: parameters, outputs, checks, symbols and origins are set.
/// `who` begins the messages. With `check_signature`, extents of leaves that are values of scalars
/// are checked even if nothing else needs those scalars.
Graph close_graph(std::string_view who, std::span<const SignatureLeaf> leaves,
                  std::span<const Value> outputs, bool check_signature);

/// Values for the parameters, as the signature describes them: those of `given` that are one, for
/// others new inputs with symbols of their own.
std::vector<Value> signature_inputs(const Graph& graph, std::vector<Value> given = {});

/// The same mathematics closed again: what a text says of inner types is left out, and found anew
/// from its operations, for graphs that nobody vouches for; so are checks, to which those of the
/// text come. TypeError: they do not fit.
Graph closed_again(const Graph& graph);

/// The symbols `values` use and the shapes (or `extent` nodes) of `leaves` do not determine.
std::vector<Dim> undetermined_symbols(std::span<const Value> leaves,
                                      std::span<const Value> outputs);

}  // namespace gnomon
