// Closing: rebuilds the nodes of expressions over parameters, with the checks at their entry.
#include "ir/graph/close.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/dimension/solve.h"
#include "ir/graph/leaf.h"
#include "ir/graph/needed_nodes.h"
#include "ir/graph/signature_symbols.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

/// The nodes that are needed, over parameters, and the checks that remain of the equalities.
class Rebuilding {
 public:
  Rebuilding(const Closing& closing, const SignatureSymbols& symbols, const NeededNodes& needed)
      : closing_(closing), symbols_(symbols), needed_(needed) {
    graph_.symbols = symbols.names();
  }

  Graph run() {
    solve_equalities();
    make_parameters();
    rebuild_nodes();
    make_checks();
    for (const Value& output : closing_.outputs) graph_.outputs.push_back(built(output));
    graph_.origins = std::make_shared<const OriginsByNode>(std::move(places_));
    return std::move(graph_);
  }

 private:
  void solve_equalities() {
    const auto learn = [this](const EntryCheck& equality) {
      switch (solver_.equate(equality.left, equality.right)) {
        case DimSolver::Outcome::known: return;
        case DimSolver::Outcome::learned: checks_.push_back(equality); return;
        case DimSolver::Outcome::contradiction: break;
      }
      const std::string text = equality.origins.empty() ? equality.message
                                                        : fmt::format("{} [{}]", equality.message,
                                                                      equality.origins[0].text());
      if (equality.is_index) throw IndexError(text);
      throw ValueError(text);
    };
    for (const EntryCheck& equality : symbols_.equalities()) learn(equality);
    for (const EntryCheck& equality : needed_.equalities) learn(equality);
  }

  /// The final form of a dimension over the signature: numbers from 0, values of the new graph.
  Dim translated(const Dim& d) {
    return d.substitute([this](const Atom& atom) {
      if (atom.kind == Atom::Kind::value) return translated_value(*atom.scalar);
      if (atom.number >= scalar_base)
        return Dim::value(parameters_[static_cast<std::size_t>(atom.number - scalar_base)]);
      const std::uint64_t k = atom.number - signature_base;
      return Dim::symbol(k, graph_.symbols[k]);
    });
  }

  Dim translated_value(const Value& scalar) {
    const auto at = built_.find(scalar);
    if (at != built_.end()) return Dim::value(at->second);
    throw InternalError(
        fmt::format("{}: {} is needed before it is built", closing_.who, describe(scalar)));
  }

  /// What an atom of the expressions is inside the graph.
  Dim inside(const Atom& atom) {
    if (atom.kind == Atom::Kind::value) {
      if (const Dim* solution = solver_.solution(*atom.scalar))
        return translated(solver_.resolve(*solution));
      return translated_value(*atom.scalar);
    }
    if (const auto at = inside_.find(atom.number); at != inside_.end()) return at->second;
    const Dim* known = symbols_.find(atom.number);
    if (known == nullptr)
      closing_.fail(fmt::format("no input determines the extent {}", atom.name));
    return inside_.emplace(atom.number, translated(solver_.resolve(*known))).first->second;
  }

  void make_parameters() {
    for (std::size_t i = 0; i < closing_.leaves.size(); ++i) {
      const SignatureLeaf& leaf = closing_.leaves[i];
      graph_.parameters.push_back(
          {leaf.name, {leaf.value.dtype(), symbols_.shapes()[i]}, leaf.shared});
    }
    // Scalars first: they may determine the extents of others.
    parameters_.resize(closing_.leaves.size());
    for (const bool scalars : {true, false}) {
      for (std::size_t i = 0; i < closing_.leaves.size(); ++i) {
        const Type& signature = graph_.parameters[i].type;
        if ((signature.rank() == 0) != scalars) continue;
        Type type = signature;
        for (Dim& d : type.shape) d = translated(solver_.resolve(d));
        parameters_[i] = make_param(static_cast<std::int64_t>(i), type);
        built_.emplace(closing_.leaves[i].value, parameters_[i]);
      }
    }
    for (Parameter& parameter : graph_.parameters)
      for (Dim& d : parameter.type.shape) d = translated(d);
  }

  const Value& built(const Value& v) const { return built_.at(v); }

  void add_origins(const Node& old, const Value& now) {
    const std::vector<Origin> origins = old.origins();
    if (origins.empty()) return;
    const auto [at, fresh] = places_.try_emplace(now.get());
    if (fresh) at->second.node = Value(now.get(), 0);
    std::vector<Origin>& all = at->second.lines;
    for (const Origin& origin : origins)
      if (all.size() < most_origins && std::find(all.begin(), all.end(), origin) == all.end())
        all.push_back(origin);
  }

  Value rebuilt(const Node& node, std::vector<Value>& operands) {
    const auto map = [this](const Atom& atom) { return inside(atom); };
    if (&node.op() == &op::extent) return extent_value(node.attribute(0).dims()[0].substitute(map));
    operands.clear();
    for (const Value& operand : node.operands()) operands.push_back(built(operand));
    return rebuild(node, operands, map);
  }

  void rebuild_nodes() {
    std::vector<Value> operands;
    for (const Node* node : needed_.nodes) {
      if (is_leaf(node->op()))
        closing_.fail(
            fmt::format("{} is needed but is not among the inputs", describe(Value(node, 0))),
            node->origins());
      const Value now = rebuilt(*node, operands);
      add_origins(*node, now);
      for (std::uint32_t i = 0; i < node->output_count(); ++i)
        built_.try_emplace(Value(node, i), Value(now.get(), i));
    }
  }

  /// Of a check on scalars that nothing inside needs, what remains when solutions stand for them.
  Dim checkable(const Dim& d) {
    return d.substitute([this](const Atom& atom) -> Dim {
      if (atom.kind == Atom::Kind::symbol) return Dim::symbol(atom.number, atom.name);
      const Dim* solution = solver_.solution(*atom.scalar);
      return solution && !built_.contains(*atom.scalar) ? *solution : Dim::value(*atom.scalar);
    });
  }

  bool is_built(const Dim& d) const {
    bool all = true;
    d.for_each_atom([&](const AtomRef& atom) {
      all &= atom->kind != Atom::Kind::value || built_.contains(*atom->scalar);
    });
    return all;
  }

  void make_checks() {
    for (EntryCheck& check : checks_) {
      const Dim left = checkable(check.left), right = checkable(check.right);
      if (left == right || !is_built(left) || !is_built(right)) continue;
      Dim one = translated(left), other = translated(right);
      // Passes close graphs again, and their nodes say once more what was checked.
      const bool is_known = std::ranges::any_of(graph_.checks, [&](const EntryCheck& known) {
        return (known.left == one && known.right == other) ||
               (known.left == other && known.right == one);
      });
      if (is_known) continue;
      graph_.checks.push_back({std::move(one), std::move(other), std::move(check.message),
                               std::move(check.origins), check.is_index});
    }
  }

  const Closing& closing_;
  const SignatureSymbols& symbols_;
  const NeededNodes& needed_;
  Graph graph_;
  OriginsByNode places_;
  DimSolver solver_;
  std::vector<EntryCheck> checks_;
  std::vector<Value> parameters_;
  std::unordered_map<Value, Value, ValueHash> built_;
  std::unordered_map<std::uint64_t, Dim> inside_;  // symbols of the expressions
};

Graph close(const Closing& closing, bool check_signature) {
  const SignatureSymbols symbols(closing);
  symbols.expect_solved();
  const NeededNodes needed = needed_nodes(closing, symbols, check_signature);
  return Rebuilding(closing, symbols, needed).run();
}

}  // namespace

std::vector<SignatureLeaf> signature_leaves(std::span<const Value> values) {
  std::vector<SignatureLeaf> leaves;
  for (const Value& v : free_values({}, values))
    leaves.push_back({v, leaf_name(v), v.is(op::shared_variable)});
  return leaves;
}

Graph close_graph(std::string_view who, std::span<const SignatureLeaf> leaves,
                  std::span<const Value> outputs, bool check_signature) {
  return close({who, leaves, outputs}, check_signature);
}

namespace {

std::vector<SignatureLeaf> unnamed(std::span<const Value> leaves) {
  std::vector<SignatureLeaf> signature;
  for (const Value& leaf : leaves) signature.push_back({leaf, {}, false});
  return signature;
}

}  // namespace

std::vector<Value> scalars_in_equalities(std::span<const Value> parameters,
                                         std::span<const Value> outputs) {
  const std::vector<SignatureLeaf> signature = unnamed(parameters);
  const Closing closing{"body", signature, outputs};
  std::vector<Value> scalars;
  std::unordered_set<Value, ValueHash> seen;
  const auto visit = [&](const Dim& d) {
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Atom::Kind::value && seen.insert(*atom->scalar).second)
        scalars.push_back(*atom->scalar);
    });
  };
  for (const EntryCheck& equality :
       needed_nodes(closing, SignatureSymbols(closing), false).equalities) {
    visit(equality.left);
    visit(equality.right);
  }
  return scalars;
}

std::vector<Dim> undetermined_symbols(std::span<const Value> leaves,
                                      std::span<const Value> outputs) {
  const std::vector<SignatureLeaf> signature = unnamed(leaves);
  const Closing closing{"body", signature, outputs};
  const SignatureSymbols symbols(closing);
  std::vector<Dim> missing;
  std::unordered_set<std::uint64_t> seen;
  const auto visit = [&](const Dim& d) {
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Atom::Kind::symbol && symbols.find(atom->number) == nullptr &&
          seen.insert(atom->number).second)
        missing.push_back(Dim::symbol(atom->number, atom->name));
    });
  };
  for (const EntryCheck& equation : symbols.unsolved()) visit(equation.right);
  for (const Node* node : nodes_above_leaves(closing, outputs))
    for (const Attribute& attribute : node->attributes())
      if (attribute.kind() == Attribute::Kind::dim_list)
        for (const Dim& d : attribute.dims()) visit(d);
  return missing;
}

std::vector<Value> signature_inputs(const Graph& graph, std::vector<Value> given) {
  std::vector<Dim> symbols;
  for (const std::string& name : graph.symbols) symbols.push_back(Dim::symbol(name));
  given.resize(graph.parameters.size());
  const auto extent = [&](const Atom& atom) {
    if (atom.kind == Atom::Kind::symbol) return symbols.at(atom.number);
    if (!atom.scalar->is(op::param))
      throw InternalError("graph: expected extents of inputs, found a computed one");
    return Dim::value(
        given.at(static_cast<std::size_t>(atom.scalar->node().attribute(0).integer())));
  };
  // Scalars first: extents of others may be their values.
  for (const bool scalars : {true, false}) {
    for (std::size_t i = 0; i < given.size(); ++i) {
      const Parameter& p = graph.parameters[i];
      if (given[i] || (p.type.rank() == 0) != scalars) continue;
      Shape shape;
      for (const Dim& d : p.type.shape) shape.push_back(d.substitute(extent));
      given[i] = tensor(p.name, p.type.dtype, std::move(shape)).value();
    }
  }
  return given;
}

Graph closed_again(const Graph& graph) {
  const std::vector<Value> inputs = signature_inputs(graph);
  std::vector<SignatureLeaf> leaves;
  for (std::size_t i = 0; i < graph.parameters.size(); ++i)
    leaves.push_back({inputs[i], graph.parameters[i].name, graph.parameters[i].shared});
  const InlinedBody inlined = inline_whole_body(graph, inputs);
  const std::vector<EntryCheck> checks = checks_of_body(graph, inputs, inlined.checked_scalars);
  Graph result = close({"graph", leaves, inlined.outputs, checks}, true);
  result.results = graph.results;
  return result;
}

}  // namespace gnomon
