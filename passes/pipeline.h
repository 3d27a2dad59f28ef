// The passes over graphs: one array, one driver.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>

#include "ir/graph/graph.h"
#include "passes/engine/trace.h"
#include "passes/rewrite_level.h"

namespace gnomon {

class Decisions;
struct Rule;

struct PassOptions {
  RewriteLevel level = RewriteLevel::all;
  /// Check the graph, and the module it is lowered to, after each pass.
  bool verify =
#ifdef NDEBUG
      false;
#else
      true;
#endif
  /// Whether the code can call a library for products.
  bool calls_library = true;
  /// And for those of float16 and bfloat16 by their bits.
  bool multiplies_halves = false;
  /// Rules that do not fire: see `rules_named`.
  std::unordered_set<const Rule*> disabled_rules;
  /// Folder that receives the graph, or the module, after each pass that changed it; none when
  /// empty.
  std::string dump_folder;
  /// Firings admitted per node of the graph, in one pass.
  int firings_per_node = 64;
};

/// What every pass gets beside its graph.
struct Context {
  PassOptions options;
  Trace trace;
  /// The pass that runs, for records.
  std::string_view pass;
  /// Whether it runs over the body of a node.
  bool is_in_body = false;
  /// Where passes say what they decided and why, if anybody asks.
  Decisions* decisions = nullptr;
  /// Called for each pass that changed the graph, with what it was given and what it made.
  std::function<void(std::string_view pass, const Graph& before, const Graph& after)> after_pass =
      {};
};

/// Where in `optimize` a pass stands.
enum class Stage : std::uint8_t {
  opening,    // once, before all others
  rewriting,  // again and again, until no pass brings anything new
  lowering,   // once, after all others
};

/// graph -> graph, equal in value as far as the level admits.
struct Pass {
  std::string_view name, doc;
  Stage stage;
  Graph (*run)(const Graph&, Context&);
  /// The lowest level it runs at.
  RewriteLevel level = RewriteLevel::all;
  /// Whether types of parameters and outputs become others of the same memory (`native_type`). Such
  /// a pass sees to bodies with the nodes that have them, whose operands change too.
  bool changes_representation = false;
  /// Of the rewriting stage: whether what it makes is to be seen by the passes before it.
  bool brings_new = false;
  /// Whether it does nothing to graphs without bodies.
  bool is_of_bodies = false;
};

/// Every pass in order.
std::span<const Pass> all_passes();

/// A reason of the order: `first` runs before `then`.
struct PassOrder {
  std::string_view first, then, reason;
};
std::span<const PassOrder> pass_order_reasons();

/// Runs the passes of the level, inside bodies of loops too. Errors carry the name of the pass.
Graph run_passes(const Graph& graph, Context& context);
/// Runs one pass by name, as the driver would: for tests and tools.
Graph run_pass(std::string_view name, const Graph& graph, Context& context);

/// What drivers of passes share: does the work of a pass under its name, with a timed record in the
/// trace, which is returned. InternalError with the name: whatever goes wrong is a fault of the
/// pass, not of the user's expression.
PassRecord& run_as_pass(std::string_view name, Context& context, const std::function<void()>& work);
/// Writes what the last pass made into the folder of the options, under its number and name.
void dump_stage(const Context& context, std::string_view extension, const std::string& text);

// The passes that are more than a phase of rules.
Graph widen_halves(const Graph&, Context&);
Graph split_complex(const Graph&, Context&);
Graph prune_loops(const Graph&, Context&);
Graph shorten_loops(const Graph&, Context&);
Graph unroll_loops(const Graph&, Context&);
Graph gather_products(const Graph&, Context&);
Graph lift(const Graph&, Context&);
Graph select_branches(const Graph&, Context&);
Graph simplify(const Graph&, Context&);
Graph join_loops(const Graph&, Context&);
Graph accumulate_in_loops(const Graph&, Context&);
Graph sum_behind_loops(const Graph&, Context&);
Graph carry_elements(const Graph&, Context&);

}  // namespace gnomon
