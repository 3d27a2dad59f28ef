// Expressions as the text of a graph with its arrays beside it, and the way back.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/function.h"
#include "frontend/variable.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// A graph as text that names arrays by their places in a list.
struct GraphText {
  std::string text;
  std::vector<Array> arrays;
};

/// Constants with many elements go to the list.
GraphText print_apart(const Graph& graph);
/// The graph of a text that anybody may have written: see `ParseOptions::untrusted`. ValueError,
/// TypeError: it is no graph, or names an array that is not in the list.
Graph parse_apart(std::string_view text, std::span<const Array> arrays);

/// The text of a graph laid out anew, with its comments and the names of its arrays. Lines that
/// nothing needs are left out, and their comments with them; so are the first `head` lines, which
/// are comments. ValueError, TypeError: as of `parse_apart`.
std::string laid_out(std::string_view text, std::size_t head, std::span<const Array> arrays);

/// The outputs of the graph over `arguments`, with its checks, and with the lines of the program
/// that made it, which `text` has as comments.
std::vector<Expr> expressions_over(std::span<const Value> arguments, const Graph& graph,
                                   std::string_view text);

/// A function as text. `shared` are the variables of the shared parameters, in order.
struct ExportedGraph {
  GraphText graph;
  std::vector<SharedVariable> shared;
};

/// TypeError: as of `capture`.
ExportedGraph export_graph(std::span<const Expr> inputs, std::span<const Output> outputs,
                           std::span<const Update> updates);

/// What a text describes: the parts of a function, over inputs of its own.
struct ImportedGraph {
  std::vector<Expr> inputs;
  std::vector<Output> outputs;
  std::vector<Update> updates;
};

/// ValueError, TypeError: as of `parse_apart`, or the variables are not those of the text.
ImportedGraph import_graph(std::string_view text, std::span<const Array> arrays,
                           std::span<const SharedVariable> shared);

}  // namespace gnomon
