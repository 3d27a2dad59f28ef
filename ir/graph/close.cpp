// Closing: numbers the symbols of a signature, solves equalities, rebuilds over parameters.
#include "ir/graph/close.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/dimension/solve.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

using Kind = Atom::Kind;

// While closing, symbol k of the signature has the number `signature_base + k`, so that it cannot
// be mistaken for a symbol of the expressions; the value of scalar parameter i stands as the symbol
// `scalar_base + i`, because its node may also occur, as another parameter, in the expressions.
constexpr std::uint64_t signature_base = std::uint64_t{1} << 62;
constexpr std::uint64_t scalar_base = signature_base + (std::uint64_t{1} << 40);

class Closer {
 public:
  /// `declared`: equalities beside those that operations ask for.
  Closer(std::string_view who, std::span<const SignatureLeaf> leaves,
         std::span<const Value> outputs, std::span<const EntryCheck> declared = {})
      : who_(who), leaves_(leaves), outputs_(outputs), declared_(declared) {}

  Graph close(bool check_signature) {
    number_symbols();
    solve_signature();
    find_nodes(check_signature);
    collect_equalities();
    solve_equalities();
    make_parameters();
    rebuild_nodes();
    finish_checks();
    for (const Value& output : outputs_) graph_.outputs.push_back(built(output));
    graph_.origins = std::make_shared<const OriginsByNode>(std::move(places_));
    return std::move(graph_);
  }

  /// The symbols that stay unknown when only the signature is known.
  std::vector<Dim> undetermined() {
    number_symbols();
    solve_signature(true);
    find_nodes(false);
    std::vector<Dim> missing;
    std::unordered_set<std::uint64_t> seen;
    const auto visit = [&](const Dim& d) {
      d.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind == Kind::symbol && !known_.contains(atom->number) &&
            seen.insert(atom->number).second)
          missing.push_back(Dim::symbol(atom->number, atom->name));
      });
    };
    for (const Equality& pending : pending_) visit(pending.right);
    for (const Node* node : nodes_)
      for (const Attribute& attribute : node->attributes())
        if (attribute.kind() == Attribute::Kind::dim_list)
          for (const Dim& d : attribute.dims()) visit(d);
    return missing;
  }

 private:
  struct Equality {
    Dim left, right;
    std::string message;
    std::vector<Origin> origins;
    bool is_index = false;
  };

  [[noreturn]] void fail(const std::string& message,
                         const std::vector<Origin>& origins = {}) const {
    throw TypeError(fmt::format("{}: {}{}", who_, message,
                                origins.empty() ? "" : " [" + origins[0].text() + "]"));
  }

  // ---- the signature

  static std::unordered_set<std::uint64_t> lone_symbols(std::span<const SignatureLeaf> leaves) {
    std::unordered_set<std::uint64_t> lone;
    for (const SignatureLeaf& leaf : leaves)
      for (const Dim& d : leaf.value.shape())
        if (const AtomRef atom = d.atom(); atom && atom->kind == Kind::symbol)
          lone.insert(atom->number);
    return lone;
  }

  Dim new_symbol(std::string name) {
    const std::uint64_t number = signature_base + graph_.symbols.size();
    graph_.symbols.push_back(name);
    return Dim::symbol(number, std::move(name));
  }

  Dim numbered(const Atom& atom) {
    const auto [at, is_new] = known_.try_emplace(atom.number);
    if (is_new) at->second = new_symbol(atom.name);
    return at->second;
  }

  /// Gives each axis of the signature its dimension; what does not follow from extents that stand
  /// alone gets a symbol of its own and an equation to solve.
  void number_symbols() {
    const std::unordered_set<std::uint64_t> lone = lone_symbols(leaves_);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const SignatureLeaf& leaf = leaves_[i];
      Type type{leaf.value.dtype(), {}};
      for (const Dim& d : leaf.value.shape()) {
        bool follows = true;
        d.for_each_atom([&](const AtomRef& atom) {
          follows &= atom->kind == Kind::symbol && lone.contains(atom->number);
        });
        if (follows) {
          type.shape.push_back(d.substitute([this](const Atom& atom) { return numbered(atom); }));
        } else {
          type.shape.push_back(new_symbol(d.text()));
          pending_.push_back(
              {type.shape.back(), d,
               fmt::format("{}: expected {} to be {}", who_, d.text(), describe(leaf.value)),
               leaf.value.node().origins()});
        }
      }
      if (leaf.value.is(op::extent)) {
        const Dim scalar = Dim::symbol(scalar_base + i, "");
        pending_.push_back({scalar, leaf.value.node().attribute(0).dims()[0], "", {}});
      }
      graph_.parameters.push_back({leaf.name, std::move(type), leaf.shared});
    }
  }

  /// `d` over the symbols of the signature; symbols that are not known yet stay.
  Dim over_signature(const Dim& d) const {
    return d.substitute([this](const Atom& atom) {
      if (atom.kind == Kind::value) return Dim::value(*atom.scalar);
      const auto at = known_.find(atom.number);
      return at == known_.end() ? Dim::symbol(atom.number, atom.name) : at->second;
    });
  }

  static bool is_unknown(const AtomRef& atom) {
    return atom->kind == Kind::symbol &&
           (atom->number < signature_base || atom->number >= 2 * signature_base);
  }

  static std::vector<AtomRef> unknown_symbols(const Dim& d) {
    std::vector<AtomRef> unknown;
    d.for_each_atom([&](const AtomRef& atom) {
      if (is_unknown(atom)) unknown.push_back(atom);
    });
    return unknown;
  }

  /// Solves left = right for its one unknown symbol: right = c * symbol + rest.
  bool solve_pending(Equality& equation) {
    const Dim right = over_signature(equation.right);
    const std::vector<AtomRef> unknown = unknown_symbols(right);
    if (unknown.size() > 1) return false;
    if (unknown.size() == 1) {
      const Atom& symbol = *unknown[0];
      const auto at = [&](std::int64_t v) {
        return right.substitute([&](const Atom& atom) -> Dim {
          if (atom == symbol) return v;
          return atom.kind == Kind::symbol ? Dim::symbol(atom.number, atom.name)
                                           : Dim::value(*atom.scalar);
        });
      };
      const Dim slope = at(1) - at(0);
      // Not linear, or with a slope that is not a number: another equation may determine it.
      if (!slope.is_constant() || slope.is(0) || !(at(2) - at(1) == slope) ||
          !(right == at(0) + slope * Dim::symbol(symbol.number, symbol.name)))
        return false;
      known_.emplace(symbol.number, floor_div(equation.left - at(0), slope));
    }
    equation.right = over_signature(right);
    signature_.push_back(equation);
    return true;
  }

  void solve_signature(bool may_stay = false) {
    bool progress = true;
    while (progress && !pending_.empty()) {
      const std::size_t before = pending_.size();
      std::erase_if(pending_, [this](Equality& equation) { return solve_pending(equation); });
      progress = pending_.size() != before;
    }
    if (pending_.empty() || may_stay) return;
    const Equality& left_over = pending_.front();
    fail(fmt::format("no input determines the extent {}", left_over.right.text()),
         left_over.origins);
  }

  // ---- the equalities inside

  void find_nodes(bool check_signature) {
    roots_.assign(outputs_.begin(), outputs_.end());
    if (check_signature)
      for (const Equality& equality : signature_) add_roots(equality.right);
    for (const EntryCheck& check : declared_) add_roots(check.left), add_roots(check.right);
    order_nodes();
  }

  // The computed scalars in a dimension.
  void add_roots(const Dim& d) {
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Kind::value) roots_.push_back(*atom->scalar);
    });
  }

  void order_nodes() {
    std::vector<Value> stop;
    for (const SignatureLeaf& leaf : leaves_) stop.push_back(leaf.value);
    nodes_ = topological_order(roots_, stop);
  }

  Dim known(const Dim& d, const Node& node) const {
    const Dim result = over_signature(d);
    for (const AtomRef& atom : unknown_symbols(result))
      fail(fmt::format("no input determines the extent {} of {}", atom->name,
                       describe(Value(&node, 0))),
           node.origins());
    return result;
  }

  static std::string default_message(const std::pair<Dim, Dim>& pair) {
    const AtomRef atom = pair.first.atom();
    if (atom && atom->kind == Kind::min && atom->left == pair.second)
      return fmt::format("expected {} to be at least {}", atom->right.text(), pair.second.text());
    return fmt::format("expected {} to be {}", pair.first.text(), pair.second.text());
  }

  void collect_equalities() {
    for (std::size_t first = 0; first < nodes_.size();) {
      const std::size_t known = equalities_.size(), next = nodes_.size(), roots = roots_.size();
      collect_equalities_of(std::span(nodes_).subspan(first));
      // Nodes with bodies ask for values that bodies compute; more roots come last in the order.
      for (const Equality& equality : std::span(equalities_).subspan(known))
        add_roots(equality.left), add_roots(equality.right);
      if (roots_.size() > roots) order_nodes();
      first = next;
    }
    for (const EntryCheck& check : declared_)
      equalities_.push_back({over_signature(check.left), over_signature(check.right), check.message,
                             check.origins, check.is_index});
  }

  void collect_equalities_of(std::span<const Node* const> nodes) {
    std::vector<std::pair<Dim, Dim>> pairs;
    std::vector<TypeContext::Reason> reasons;
    for (const Node* node : nodes) {
      if (is_leaf(node->op())) continue;  // refused later, with a better message
      pairs.clear();
      reasons.clear();
      TypeContext context{node->op(), node->operands(), node->attributes(), &pairs, &reasons};
      node->op().type(context);
      if (pairs.empty()) continue;
      reasons.resize(pairs.size());
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (reasons[i].text.empty())
          reasons[i].text = fmt::format("{}: {}", node->op().name, default_message(pairs[i]));
        equalities_.push_back({known(pairs[i].first, *node), known(pairs[i].second, *node),
                               std::move(reasons[i].text), node->origins(), reasons[i].is_index});
      }
    }
  }

  void solve_equalities() {
    const auto learn = [this](const Equality& equality) {
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
    for (const Equality& equality : signature_) learn(equality);
    for (const Equality& equality : equalities_) learn(equality);
  }

  // ---- the graph

  /// The final form of a dimension over the signature: numbers from 0, values of the new graph.
  Dim translated(const Dim& d) {
    return d.substitute([this](const Atom& atom) {
      if (atom.kind == Kind::value) return translated_value(*atom.scalar);
      if (atom.number >= scalar_base)
        return Dim::value(parameter(static_cast<std::size_t>(atom.number - scalar_base)));
      const std::uint64_t k = atom.number - signature_base;
      return Dim::symbol(k, graph_.symbols[k]);
    });
  }

  Dim translated_value(const Value& scalar) {
    const auto at = built_.find(scalar);
    if (at != built_.end()) return Dim::value(at->second);
    throw InternalError(fmt::format("{}: {} is needed before it is built", who_, describe(scalar)));
  }

  /// What an atom of the expressions is inside the graph.
  Dim inside(const Atom& atom) {
    if (atom.kind == Kind::value) {
      if (const Dim* solution = solver_.solution(*atom.scalar))
        return translated(solver_.resolve(*solution));
      return translated_value(*atom.scalar);
    }
    if (const auto at = inside_.find(atom.number); at != inside_.end()) return at->second;
    const auto at = known_.find(atom.number);
    if (at == known_.end()) fail(fmt::format("no input determines the extent {}", atom.name));
    return inside_.emplace(atom.number, translated(solver_.resolve(at->second))).first->second;
  }

  const Value& parameter(std::size_t i) const { return parameters_[i]; }

  void make_parameters() {
    // Scalars first: they may determine the extents of others.
    parameters_.resize(leaves_.size());
    for (const bool scalars : {true, false}) {
      for (std::size_t i = 0; i < leaves_.size(); ++i) {
        const Type& signature = graph_.parameters[i].type;
        if ((signature.rank() == 0) != scalars) continue;
        Type type = signature;
        for (Dim& d : type.shape) d = translated(solver_.resolve(d));
        parameters_[i] = make_param(static_cast<std::int64_t>(i), type);
        built_.emplace(leaves_[i].value, parameters_[i]);
      }
    }
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      for (Dim& d : graph_.parameters[i].type.shape) d = translated(d);
  }

  const Value& built(const Value& v) const { return built_.at(v); }

  void add_origins(const Node& old, const Value& now) {
    const std::vector<Origin> origins = old.origins();
    if (origins.empty()) return;
    const auto [at, fresh] = places_.try_emplace(now.get());
    if (fresh) at->second.node = Value(now.get(), 0);
    std::vector<Origin>& all = at->second.lines;
    for (const Origin& origin : origins)
      if (all.size() < 4 && std::find(all.begin(), all.end(), origin) == all.end())
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
    for (const Node* node : nodes_) {
      if (is_leaf(node->op()))
        fail(fmt::format("{} is needed but is not among the inputs", describe(Value(node, 0))),
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
      if (atom.kind == Kind::symbol) return Dim::symbol(atom.number, atom.name);
      const Dim* solution = solver_.solution(*atom.scalar);
      return solution && !built_.contains(*atom.scalar) ? *solution : Dim::value(*atom.scalar);
    });
  }

  bool is_built(const Dim& d) const {
    bool all = true;
    d.for_each_atom([&](const AtomRef& atom) {
      all &= atom->kind != Kind::value || built_.contains(*atom->scalar);
    });
    return all;
  }

  void finish_checks() {
    for (Equality& check : checks_) {
      const Dim left = checkable(check.left), right = checkable(check.right);
      if (left == right || !is_built(left) || !is_built(right)) continue;
      graph_.checks.push_back({translated(left), translated(right), std::move(check.message),
                               std::move(check.origins), check.is_index});
    }
  }

  std::string_view who_;
  std::span<const SignatureLeaf> leaves_;
  std::span<const Value> outputs_;
  std::span<const EntryCheck> declared_;
  Graph graph_;
  OriginsByNode places_;
  std::unordered_map<std::uint64_t, Dim> known_;  // symbols of the expressions over the signature
  std::vector<Equality> pending_, signature_, equalities_, checks_;
  DimSolver solver_;
  std::vector<Value> roots_;
  std::vector<const Node*> nodes_;
  std::vector<Value> parameters_;
  std::unordered_map<Value, Value, ValueHash> built_;
  std::unordered_map<std::uint64_t, Dim> inside_;
};

}  // namespace

Graph close_graph(std::string_view who, std::span<const SignatureLeaf> leaves,
                  std::span<const Value> outputs, bool check_signature) {
  return Closer(who, leaves, outputs).close(check_signature);
}

std::vector<Dim> undetermined_symbols(std::span<const Value> leaves,
                                      std::span<const Value> outputs) {
  std::vector<SignatureLeaf> signature;
  for (const Value& leaf : leaves) signature.push_back({leaf, {}, false});
  return Closer("body", signature, outputs).undetermined();
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
  Graph result = Closer("graph", leaves, inlined.outputs, checks).close(true);
  result.results = graph.results;
  return result;
}

}  // namespace gnomon
