// A closed graph: what is compiled, what a body is, what passes map to one another.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/graph/node.h"

namespace gnomon {

struct TypeContext;

/// Extents that must be equal at entry. `operation` is the place to blame in messages.
struct EntryCheck {
  Dim left, right;
  std::string message;
  std::vector<Origin> origins;
  bool is_index = false;  // it is about an index: an IndexError
};

/// A leaf of the signature.
struct Parameter {
  std::string name;
  Type type;
  bool shared = false;
};

/// An output of the signature. Outputs of bodies have no names.
struct Result {
  std::string name;
  /// Index of the shared parameter this output becomes the new value of, or -1.
  int updates = -1;
};

/// Where a node comes from. It stays alive.
struct NodeOrigins {
  Value node;
  std::vector<Origin> lines;             // of the user's code
  std::vector<std::uint32_t> positions;  // among the nodes of the captured graph
};
using OriginsByNode = std::unordered_map<const Node*, NodeOrigins>;
/// Positions of the nodes of an op, in the captured graph and its bodies, that were made at a line.
struct OpAtLine {
  const Op* op;
  std::string_view file;
  std::uint32_t line;
  friend auto operator<=>(const OpAtLine&, const OpAtLine&) = default;
};
using PositionsByLine = std::map<OpAtLine, std::vector<std::uint32_t>>;

/// Immutable. Leaves are `param(i)` nodes; symbols are numbered from 0 in order of first use in
/// the parameters' shapes; checks hold at entry and belong to the graph, so no rule can lose one.
///
/// Every symbol stands alone as the extent of some axis of a parameter: the first such axis gives
/// its value, every other axis of the signature must have the extent its dimension then has.
/// `parameters` and `checks` keep the symbols apart that the checks make equal; the type of a
/// `param` node has the one representative that is used everywhere inside. A check may contain the
/// value of a computed scalar: it can be tested only once that scalar is known.
class Graph {
 public:
  std::vector<Parameter> parameters;
  std::vector<Value> outputs;
  std::vector<Result> results;
  std::vector<EntryCheck> checks;
  /// Display names of symbols, by number.
  std::vector<std::string> symbols;
  /// What each node stands for; graphs made of one another share it. Null: none.
  std::shared_ptr<const OriginsByNode> origins;
  /// For nodes of bodies, which `origins` does not have. Null: there are none.
  std::shared_ptr<const PositionsByLine> lines;

  /// The user's lines a node stands for.
  std::span<const Origin> origins_of(const Node* node) const;
  /// The nodes of the captured graph that it stands for, as `with_positions` numbered them: those
  /// of its op and lines where no more is known.
  std::vector<std::uint32_t> positions_of(const Node* node) const;
  /// The computed scalars whose values checks contain, each once.
  std::vector<Value> checked_scalars() const;
  /// Nodes from leaves to outputs, each once, operands first; with those only checks need. Without
  /// `given` values and what only these need.
  std::vector<const Node*> topological_order(std::span<const Value> given = {}) const;
  /// 128-bit canonical key: two captures of the same mathematics have the same one.
  std::array<std::uint64_t, 2> key() const;
};

using GraphRef = std::shared_ptr<const Graph>;

/// An update of a shared variable by a function.
struct CaptureUpdate {
  Value variable;
  Value value;
};

/// What `capture` found: the graph and, for each shared parameter in order, its leaf.
struct Captured {
  Graph graph;
  std::vector<Value> shared;
};

/// Closes over `inputs`: renumbers leaves, solves extents, collects checks. TypeError for an
/// expression that needs an input not in the list, a duplicate input, a variable updated twice, an
/// update of another type, a dimension no input determines.
Captured capture(std::span<const Expr> inputs, std::span<const Expr> outputs,
                 std::span<const std::string> output_names = {},
                 std::span<const CaptureUpdate> updates = {});

/// A body: closes `outputs` over `parameters` (leaves or any values, cut there). Everything else it
/// needs must be among them: see `free_values`. Equal bodies are the same object.
Body make_body(std::span<const Value> parameters, std::span<const Value> outputs);
/// The one object for a closed graph: the existing body if an equal one lives.
Body intern_body(Graph graph);
/// The types of the outputs of a body applied to `arguments`, for the type rules of ops with a
/// body; notes the extents that must be equal. TypeError where an argument does not fit.
/// `checked_from`: the body's entry checks that are over the parameters from this one on hold where
/// the node stands, with 0 those of computed scalars too; nothing: none do, as it may never run.
std::vector<Type> body_types(TypeContext& context, const Graph& body,
                             std::span<const Value> arguments,
                             std::optional<std::size_t> checked_from);
/// The leaves (inputs, shared variables) and extents that `outputs` need beside `parameters`.
std::vector<Value> free_values(std::span<const Value> parameters, std::span<const Value> outputs);
/// The scalars whose values occur in what operations ask of extents, as where an extent of a
/// parameter is one.
std::vector<Value> scalars_in_equalities(std::span<const Value> parameters,
                                         std::span<const Value> outputs);
/// The body's entry checks in terms of the arguments, but for those that hold. `scalars` are its
/// `checked_scalars` over the arguments; without them checks of computed extents are left out, as
/// are those of the values of scalar parameters before `first`. ValueError for one that cannot
/// hold.
std::vector<EntryCheck> checks_of_body(const Graph& body, std::span<const Value> arguments,
                                       std::span<const Value> scalars = {}, std::size_t first = 0);
/// The first of its checks that cannot hold, whatever the values are; none: inlining it is safe.
std::optional<EntryCheck> impossible_check(const Graph& body, std::span<const Value> arguments);
/// The shapes that the body's parameters have inside, where one extent stands for all that must be
/// equal, in terms of the arguments. Where that needs a scalar that the body computes, those of the
/// arguments.
std::vector<Shape> shapes_inside(const Graph& body, std::span<const Value> arguments);
/// The body's outputs with its parameters replaced, by values of the shapes inside. The caller sees
/// to its entry checks.
std::vector<Value> inline_body(const Graph& body, std::span<const Value> arguments);
/// The same with what its checks need.
struct InlinedBody {
  std::vector<Value> outputs, checked_scalars;
};
InlinedBody inline_whole_body(const Graph& body, std::span<const Value> arguments);

/// Outputs with some values replaced, rebuilt bottom up without recursion.
std::vector<Value> substitute(std::span<const Value> outputs,
                              const std::unordered_map<Value, Value>& replacements);
/// Nodes the values need, operands first; values in `stop` are not entered.
std::vector<const Node*> topological_order(std::span<const Value> outputs,
                                           std::span<const Value> stop = {});

/// The nodes of the graph, operands first, then those of the bodies inside, each once.
std::vector<const Node*> nodes_with_bodies(const Graph& graph);
/// The graph with each node known by its place among `nodes_with_bodies`, whatever rewriting makes
/// of it.
Graph with_positions(Graph graph);
/// The same graph with other outputs (same number and types up to what became known).
Graph with_outputs(const Graph& graph, std::vector<Value> outputs);

/// InternalError naming the first broken invariant and its neighbourhood.
void verify(const Graph& graph);

}  // namespace gnomon
