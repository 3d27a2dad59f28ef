// Making the node of a loop, for those who build one and for its derivatives.
#pragma once

#include <span>
#include <unordered_set>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/op/op.h"
#include "stdlib/ops.h"

namespace gnomon {

/// All outputs of the node that this is the first one of.
std::vector<Expr> outputs_of(const Value& first);

/// Whether an extent is computed from one of the values.
bool depends_on(const Dim& extent, const std::unordered_set<Value, ValueHash>& values);

/// How many states a loop has.
std::size_t states_of(const Node& loop);

/// A loop's parts. Operands: the count, the initial states, the captured values. Outputs of the
/// body: the next states, then what is kept of each step, the rows. The first states of one that a
/// state ends are whether it goes on and how many steps it has made.
struct Loop {
  const Body& body;
  std::size_t states;
  bool is_conditional;
  /// See `as_attribute`.
  const IntList& checkpoints;

  Loop(const Op& op, const Attributes& a);
  explicit Loop(const Node& node) : Loop(node.op(), node.attributes()) {}
  std::size_t rows() const { return body->outputs.size() - states; }
};

/// What a gradient keeps of a loop's states, as an attribute: nothing where it keeps all.
IntList as_attribute(const LoopOptions& options);
/// The attribute of loops that a gradient with checkpoints is made of. They have no checkpoints of
/// their own, but no pass may make an array for all their steps.
IntList keeping_nothing();

/// A loop's body over leaves for the index and the states: the next states, then the rows.
struct OpenLoop {
  Expr index;
  std::vector<Expr> states, after;
  /// What each step asks of extents that are values of its own.
  std::vector<EntryCheck> checks;
  IntList checkpoints;
};
/// The body of a loop. What it captures is there as it stands around the loop.
OpenLoop open_loop(const Node& loop);
/// An output of a body that asks for the checks.
Expr with_checks(Expr output, std::span<const EntryCheck> checks);
/// The loop `op` of this body, whose outputs ask for its checks: its last states, then the rows.
/// The body captures the largest values that depend on neither the index nor the states.
std::vector<Expr> close_loop(const Op& op, const Expr& count, std::span<const Expr> initial,
                             const OpenLoop& loop, Origin at = {});

/// The loop `op` (fori, while_loop): its last states, then the rows, which the body has behind the
/// states. The body is called once.
std::vector<Expr> make_loop(const Op& op, const Expr& count, std::span<const Expr> initial,
                            const LoopBody& body, IntList checkpoints = {}, Origin at = {});

/// How many steps a loop makes: a count below 0 means none, but it is no extent.
Expr steps_of(const Expr& count);

/// The largest of the counts of all examples; 0 of none.
Expr largest_count(const Expr& counts);

}  // namespace gnomon
