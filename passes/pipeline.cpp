// The array of passes, the reasons for its order, and the driver.
#include "passes/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <unordered_map>
#include <utility>

#include "ir/graph/leaf.h"
#include "ir/text/text.h"
#include "passes/engine/origins.h"
#include "passes/engine/phase.h"
#include "passes/representation.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

constexpr std::array passes = {
    Pass{.name = "widen_halves",
         .doc = "Computes float16 and bfloat16 in float32.",
         .stage = Stage::opening,
         .run = widen_halves,
         .level = RewriteLevel::none,
         .changes_representation = true},
    Pass{.name = "split_complex",
         .doc = "Computes complex numbers as pairs of floats.",
         .stage = Stage::opening,
         .run = split_complex,
         .level = RewriteLevel::none,
         .changes_representation = true},
    Pass{"open", "Opens calls of functions, and what the last passes wrote in a graph.",
         Stage::opening, rewrite_by<Phase::open>, RewriteLevel::none},
    Pass{"canonicalize",
         "Brings expressions to one form, folds constants, drops what does nothing.",
         Stage::rewriting, rewrite_by<Phase::canonicalize>, RewriteLevel::exact},
    Pass{"stabilize", "Replaces formulas that cancel or overflow.", Stage::rewriting,
         rewrite_by<Phase::stabilize>, RewriteLevel::all},
    Pass{.name = "prune_loops",
         .doc = "Leaves out of loops what nobody needs, and what is the same in every step.",
         .stage = Stage::rewriting,
         .run = prune_loops,
         .level = RewriteLevel::exact,
         .brings_new = true,
         .is_of_bodies = true},
    Pass{.name = "shorten_loops",
         .doc = "Keeps the last rows, and makes the first steps, where no more is read.",
         .stage = Stage::rewriting,
         .run = shorten_loops,
         .level = RewriteLevel::exact,
         .brings_new = true,
         .is_of_bodies = true},
    Pass{.name = "unroll_loops",
         .doc = "Writes out the few cheap steps of loops over elements.",
         .stage = Stage::rewriting,
         .run = unroll_loops,
         .level = RewriteLevel::exact,
         .brings_new = true,
         .is_of_bodies = true},
    Pass{.name = "gather_products",
         .doc = "Makes one product of those that a loop makes in its steps.",
         .stage = Stage::rewriting,
         .run = gather_products,
         .brings_new = true,
         .is_of_bodies = true},
    Pass{"lift", "Reads elements before the functions of them are computed.", Stage::rewriting,
         lift, RewriteLevel::exact},
    Pass{"match_products", "Gives matrix products their transposes, scales and addends.",
         Stage::rewriting, rewrite_by<Phase::match_products>, RewriteLevel::all},
    Pass{.name = "expand",
         .doc = "Says ops that have no kernel with simpler ones.",
         .stage = Stage::rewriting,
         .run = rewrite_by<Phase::expand>,
         .level = RewriteLevel::none,
         .brings_new = true},
    Pass{.name = "select_branches",
         .doc = "Computes both branches of a choice where that costs less.",
         .stage = Stage::rewriting,
         .run = select_branches,
         .level = RewriteLevel::exact,
         .is_of_bodies = true},
    Pass{"simplify", "Brings what was expanded to the same form.", Stage::rewriting, simplify,
         RewriteLevel::exact},
    Pass{.name = "join_loops",
         .doc = "Runs loops as one that share states, or that read each other's steps.",
         .stage = Stage::lowering,
         .run = join_loops,
         .level = RewriteLevel::exact,
         .is_of_bodies = true},
    Pass{.name = "accumulate_in_loops",
         .doc = "Lets loops add where their sums are added.",
         .stage = Stage::lowering,
         .run = accumulate_in_loops,
         .is_of_bodies = true},
    Pass{.name = "sum_behind_loops",
         .doc = "Lets each element add up what a loop sums over all of them in every step.",
         .stage = Stage::lowering,
         .run = sum_behind_loops,
         .is_of_bodies = true},
    Pass{.name = "carry_elements",
         .doc = "Lets a step take from the step before what that wrote into an array.",
         .stage = Stage::lowering,
         .run = carry_elements,
         .level = RewriteLevel::exact,
         .is_of_bodies = true},
    Pass{"specialize", "Chooses cheaper spellings.", Stage::lowering, rewrite_by<Phase::specialize>,
         RewriteLevel::exact},
    Pass{"split_reductions", "Reduces several axes one after the other.", Stage::lowering,
         rewrite_by<Phase::split_reductions>, RewriteLevel::none},
    Pass{"contract", "Adds products in one rounding.", Stage::lowering, rewrite_by<Phase::contract>,
         RewriteLevel::all},
    Pass{"pair_reductions", "Takes reductions that need each other in one pass.", Stage::lowering,
         rewrite_by<Phase::pair_reductions>, RewriteLevel::all},
};
static_assert(std::ranges::is_sorted(passes, {}, &Pass::stage));

constexpr std::span<const Pass> passes_of(Stage stage) {
  return std::ranges::equal_range(passes, stage, {}, &Pass::stage);
}
constexpr int most_rounds = 8;

constexpr std::array order_reasons = {
    PassOrder{"widen_halves", "split_complex",
              "halves are float32 before they are parts of complex numbers"},
    PassOrder{"split_complex", "open", "no rule knows complex numbers"},
    PassOrder{"open", "canonicalize", "rules do not see into calls"},
    PassOrder{"canonicalize", "stabilize", "patterns are written in canonical form"},
    PassOrder{"canonicalize", "prune_loops", "what is the same is one value by then"},
    PassOrder{"prune_loops", "shorten_loops", "rows that nobody needs are gone by then"},
    PassOrder{"shorten_loops", "unroll_loops", "loops make no more steps than are read by then"},
    PassOrder{"prune_loops", "gather_products", "products that no step needs are no products"},
    PassOrder{"gather_products", "match_products",
              "a product that takes its sum along hides what a state grows by"},
    PassOrder{"stabilize", "match_products", "negations and factors are in their places by then"},
    PassOrder{"stabilize", "expand",
              "rules recognise softmax and logsumexp, not their definitions"},
    PassOrder{"match_products", "simplify", "a transpose must meet its product before it moves"},
    PassOrder{"match_products", "expand", "products of integers become sums, those of floats stay"},
    PassOrder{"expand", "simplify", "definitions are not written in canonical form"},
    PassOrder{"expand", "select_branches", "what a branch costs is known by then"},
    PassOrder{"select_branches", "simplify", "what both branches compute is one by then"},
    PassOrder{"stabilize", "lift", "reads hide functions of whole rows, such as log(softmax(x))"},
    PassOrder{"lift", "expand", "what is read may be the same for every element of a softmax"},
    PassOrder{"simplify", "join_loops", "bodies of equal loops are written alike by then"},
    PassOrder{"simplify", "accumulate_in_loops", "what is added to zeros is a write by then"},
    PassOrder{"accumulate_in_loops", "sum_behind_loops", "what a loop writes is known by then"},
    PassOrder{"join_loops", "carry_elements", "what a step writes and reads is known by then"},
    PassOrder{"carry_elements", "specialize", "where a step writes is a plain sum until then"},
    PassOrder{"sum_behind_loops", "split_reductions", "sums over several axes are one by then"},
    PassOrder{"sum_behind_loops", "contract", "a sum is a term of its own until products join it"},
    PassOrder{"simplify", "specialize", "canonicalisation would undo cheaper spellings"},
    PassOrder{"simplify", "split_reductions", "canonicalisation merges chains of reductions"},
    PassOrder{"specialize", "pair_reductions", "exponents are differences by then"},
    PassOrder{"split_reductions", "pair_reductions", "each reduction has one axis by then"},
    PassOrder{"specialize", "contract", "a difference is matched before fma hides the sum"},
};

bool has_body(const Node& node) {
  for (const Attribute& attribute : node.attributes()) {
    if (attribute.kind() == Attribute::Kind::body) return true;
  }
  return false;
}

// A graph whose checks have the values of scalars, made ready for passes and put together again:
// meanwhile these scalars are further outputs, so that they are rewritten, and expanded, as all
// else is.
class CheckedScalars {
 public:
  explicit CheckedScalars(const Graph& graph) : graph_(graph), scalars_(graph.checked_scalars()) {}

  Graph lifted() const {
    if (scalars_.empty()) return graph_;
    Graph result = graph_;
    result.checks.clear();
    result.outputs.insert(result.outputs.end(), scalars_.begin(), scalars_.end());
    result.results.resize(result.outputs.size());
    return result;
  }

  Graph settled(Graph result) const {
    if (scalars_.empty()) return result;
    const std::size_t outputs = graph_.outputs.size();
    const auto now = [&](const Dim& d) {
      return d.substitute([&](const Atom& atom) {
        if (atom.kind == Atom::Kind::symbol) return Dim::symbol(atom.number, atom.name);
        const auto at = std::ranges::find(scalars_, *atom.scalar);
        return Dim::value(
            result.outputs[outputs + static_cast<std::size_t>(at - scalars_.begin())]);
      });
    };
    result.checks = graph_.checks;
    for (EntryCheck& check : result.checks) {
      check.left = now(check.left);
      check.right = now(check.right);
    }
    result.outputs.resize(outputs);
    result.results.resize(outputs);
    return result;
  }

 private:
  const Graph& graph_;
  std::vector<Value> scalars_;
};

// Whether native memory has numbers of `t` as others.
bool is_represented(DType t) { return is_half(t) || is_complex(t); }

class Driver {
 public:
  explicit Driver(Context& context) : context_(context) {}

  // `order` is that of the graph, and becomes that of the result.
  Graph run(const Pass& pass, const Graph& graph, std::vector<const Node*>& order) {
    // Most graphs have numbers of plain dtypes alone: then there is nothing to do, or to tell.
    if (pass.changes_representation && !has_dtype(graph, is_represented)) return graph;
    Graph result;
    PassRecord& record =
        run_as_pass(pass.name, context_, [&] { result = transformed(pass, graph, order); });
    const bool changed = !(result.outputs == graph.outputs);
    record.size_before = order.size();
    if (changed) order = result.topological_order();
    record.size_after = order.size();
    const bool dumps = !context_.options.dump_folder.empty();
    if (changed && dumps) dump_stage(context_, "gn", print_graph(result));
    if (changed && context_.after_pass) context_.after_pass(pass.name, graph, result);
    if (!changed && pass.changes_representation) context_.trace.passes.pop_back();
    return result;
  }

 private:
  static bool has_bodies(const std::vector<const Node*>& order) {
    return std::ranges::any_of(order, [](const Node* node) { return has_body(*node); });
  }

  Graph transformed(const Pass& pass, const Graph& graph, const std::vector<const Node*>& order) {
    if (pass.is_of_bodies && !has_bodies(order)) return graph;
    const OriginScope no_place{Origin{}};  // rewriting is not a place in the user's code
    Graph result = pass.run(graph, context_);
    if (!pass.changes_representation) {
      const bool changed = !(result.outputs == graph.outputs);
      const std::vector<const Node*> now = changed ? result.topological_order() : order;
      result = with_bodies(pass, std::move(result), now);
    }
    check_types(pass, graph, result);
    if (context_.options.verify) verify(result);
    return result;
  }

  // A pass may write the values of scalars in extents differently.
  static bool is_same(const Type& before, const Type& after) {
    if (before.dtype != after.dtype || before.rank() != after.rank()) return false;
    for (std::size_t i = 0; i < before.shape.size(); ++i)
      if (!(before.shape[i] == after.shape[i]) && !before.shape[i].has_values()) return false;
    return true;
  }

  static void check_types(const Pass& pass, const Graph& before, const Graph& after) {
    const auto check = [&](std::string_view what, std::size_t i, Type was, Type is) {
      if (pass.changes_representation) was = native_type(was), is = native_type(is);
      if (is_same(was, is)) return;
      throw InternalError(
          fmt::format("{} {}: expected {}, found {}", what, i, was.text(), is.text()));
    };
    for (std::size_t i = 0; i < before.parameters.size(); ++i)
      check("parameter", i, before.parameters[i].type, after.parameters[i].type);
    for (std::size_t i = 0; i < before.outputs.size(); ++i)
      check("output", i, before.outputs[i].type(), after.outputs[i].type());
  }

  Body run_body(const Pass& pass, const Body& body) {
    const auto known = bodies_.find(body.get());
    if (known != bodies_.end()) return known->second.second;
    // Parameters and checks of the graph stay: inside, one extent stands for all that are equal.
    const CheckedScalars scalars(*body);
    const Graph lifted = scalars.lifted();
    const bool around = std::exchange(context_.is_in_body, true);
    Graph result = transformed(pass, lifted, lifted.topological_order());
    context_.is_in_body = around;
    const Body made =
        result.outputs == lifted.outputs ? body : intern_body(scalars.settled(std::move(result)));
    bodies_.emplace(body.get(), std::pair(body, made));
    bodies_.emplace(made.get(), std::pair(made, made));
    return made;
  }

  // The graph with the pass run in the bodies of its nodes.
  Graph with_bodies(const Pass& pass, Graph graph, const std::vector<const Node*>& order) {
    if (!has_bodies(order)) return graph;
    OriginMap origins(graph);
    std::unordered_map<const Node*, Value> images;
    for (const Node* node : order) {
      const Value image = with_body(pass, *node, images);
      origins.inherit(image, node);
      images.emplace(node, image);
    }
    std::vector<Value> outputs;
    for (const Value& v : graph.outputs) {
      outputs.push_back(Value(images.at(v.get()).get(), v.index()));
    }
    Graph result = with_outputs(graph, std::move(outputs));
    origins.store(result);
    return result;
  }

  Value with_body(const Pass& pass, const Node& node,
                  const std::unordered_map<const Node*, Value>& images) {
    std::vector<Value> inputs;
    bool changed = false;
    for (const Value& input : node.inputs()) {
      inputs.emplace_back(images.at(input.get()).get(), input.index());
      changed |= !(inputs.back() == input);
    }
    Value result = changed ? rebuild(node, inputs) : Value(&node, 0);
    if (!has_body(node)) return result;
    Attributes attributes = result.node().attributes();
    for (Attribute& attribute : attributes) {
      if (attribute.kind() != Attribute::Kind::body) continue;
      attribute = Attribute(run_body(pass, attribute.body()));
    }
    const std::span<const Value> operands = result.node().operands();
    return make_node(node.op(), {operands.begin(), operands.end()}, std::move(attributes));
  }

  Context& context_;
  // Bodies of the running pass; the first of each pair keeps the key alive.
  std::unordered_map<const Graph*, std::pair<Body, Body>> bodies_;
};

struct AfterPasses {
  Graph graph;
  bool has_new = false;  // what rules look at again
};

AfterPasses run_all(std::span<const Pass> some, Graph graph, Context& context) {
  AfterPasses after{std::move(graph)};
  std::vector<const Node*> order = after.graph.topological_order();
  for (const Pass& pass : some) {
    if (pass.level > context.options.level) continue;
    Graph result = Driver(context).run(pass, after.graph, order);
    after.has_new |= pass.brings_new && !(result.outputs == after.graph.outputs);
    after.graph = std::move(result);
  }
  return after;
}

}  // namespace

PassRecord& run_as_pass(std::string_view name, Context& context,
                        const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  context.pass = name;
  context.trace.passes.push_back({.name = name});
  const Clock::time_point start = Clock::now();
  try {
    work();
  } catch (const Error& error) {
    throw InternalError(fmt::format("pass {}: {}", name, error.what()));
  }
  PassRecord& record = context.trace.passes.back();
  record.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return record;
}

void dump_stage(const Context& context, std::string_view extension, const std::string& text) {
  const std::filesystem::path folder = context.options.dump_folder;
  std::error_code ignored;  // a dump that cannot be written is no reason to fail
  std::filesystem::create_directories(folder, ignored);
  const std::string name =
      fmt::format("{:02}_{}.{}", context.trace.passes.size(), context.pass, extension);
  std::ofstream(folder / name) << text;
}

std::span<const Pass> all_passes() { return passes; }

std::span<const PassOrder> pass_order_reasons() { return order_reasons; }

Graph run_passes(const Graph& graph, Context& context) {
  const CheckedScalars scalars(graph);
  Graph current = run_all(passes_of(Stage::opening), scalars.lifted(), context).graph;
  for (int round = 1;; ++round) {
    AfterPasses after = run_all(passes_of(Stage::rewriting), current, context);
    const bool changed = !(after.graph.outputs == current.outputs);
    current = std::move(after.graph);
    if (!after.has_new || !changed) break;
    if (round == most_rounds) {
      context.trace.notes.push_back(fmt::format("rewriting goes on after {} rounds", most_rounds));
      break;
    }
  }
  return scalars.settled(run_all(passes_of(Stage::lowering), current, context).graph);
}

Graph run_pass(std::string_view name, const Graph& graph, Context& context) {
  for (const Pass& pass : passes) {
    if (pass.name != name) continue;
    const CheckedScalars scalars(graph);
    const Graph lifted = scalars.lifted();
    std::vector<const Node*> order = lifted.topological_order();
    return scalars.settled(Driver(context).run(pass, lifted, order));
  }
  throw InternalError(fmt::format("pass: expected the name of a pass, found {}", name));
}

}  // namespace gnomon
