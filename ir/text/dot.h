// Graphs as pictures: Graphviz text.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace gnomon {

/// The value of an attribute as pictures have it; arrays of more than eight elements are "...".
std::string short_text(const Attribute& attribute);

/// The graph for `dot -Tsvg`: a box for each node with its op, attributes and types; bodies as
/// clusters.
std::string to_dot(const Graph& graph);

}  // namespace gnomon
