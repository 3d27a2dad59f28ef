// The canonical key of a graph: a hash of what it computes and of its signature.
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "ir/graph/graph.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

/// Feeds a graph to xxHash in an order that depends on its structure only: nodes by their place in
/// the topological order, dimensions with terms sorted by text (their order in memory depends on
/// when nodes were made).
class Serializer {
 public:
  Serializer() : state_(XXH3_createState(), XXH3_freeState) {
    if (!state_) throw DeviceError("key: out of memory");
    XXH3_128bits_reset(state_.get());
  }

  void graph(const Graph& g) {
    const std::vector<const Node*> order = g.topological_order();
    for (std::size_t i = 0; i < order.size(); ++i) position_.emplace(order[i], i);
    number(g.parameters.size());
    for (const Parameter& p : g.parameters) {
      string(p.name);
      number(static_cast<std::uint64_t>(p.type.dtype));
      shape(p.type.shape);
      number(p.shared);
    }
    number(order.size());
    for (const Node* node : order) this->node(*node);
    number(g.outputs.size());
    for (const Value& output : g.outputs) value(output);
    for (const Result& result : g.results) {
      string(result.name);
      number(static_cast<std::uint64_t>(result.updates));
    }
    number(g.checks.size());
    for (const EntryCheck& check : g.checks) {
      string(text(check.left));
      string(text(check.right));
    }
  }

  std::array<std::uint64_t, 2> digest() const {
    const XXH128_hash_t h = XXH3_128bits_digest(state_.get());
    return {h.low64, h.high64};
  }

 private:
  void bytes(const void* data, std::size_t size) { XXH3_128bits_update(state_.get(), data, size); }
  void number(std::uint64_t v) { bytes(&v, sizeof v); }
  void string(std::string_view s) {
    number(s.size());
    bytes(s.data(), s.size());
  }
  void value(const Value& v) {
    number(position_.at(v.get()));
    number(v.index());
  }
  void shape(const Shape& dims) {
    number(dims.size());
    for (const Dim& d : dims) string(text(d));
  }

  void node(const Node& node) {
    string(node.op().name);
    number(node.operands().size());
    for (const Value& operand : node.operands()) value(operand);
    for (const Attribute& a : node.attributes()) attribute(a);
  }

  void attribute(const Attribute& a) {
    number(static_cast<std::uint64_t>(a.kind()));
    switch (a.kind()) {
      case Attribute::Kind::integer: number(static_cast<std::uint64_t>(a.integer())); break;
      case Attribute::Kind::real: number(std::bit_cast<std::uint64_t>(a.real())); break;
      case Attribute::Kind::flag: number(a.flag()); break;
      case Attribute::Kind::dtype: number(static_cast<std::uint64_t>(a.dtype())); break;
      case Attribute::Kind::int_list:
        number(a.ints().size());
        for (const std::int64_t v : a.ints()) number(static_cast<std::uint64_t>(v));
        break;
      case Attribute::Kind::dim_list: shape(a.dims()); break;
      case Attribute::Kind::string: string(a.string()); break;
      case Attribute::Kind::body: body(a.body()); break;
      case Attribute::Kind::array: array(a.array()); break;
      case Attribute::Kind::opaque:
        number(a.opaque().id);
        number(a.opaque().version);
        break;
    }
  }

  void body(const Body& body) {
    const auto [at, is_new] = bodies_.try_emplace(body.get());
    if (is_new) at->second = body->key();
    for (const std::uint64_t word : at->second) number(word);
  }

  void array(const Array& a) {
    number(static_cast<std::uint64_t>(a.dtype()));
    number(static_cast<std::uint64_t>(a.rank()));
    for (const std::int64_t extent : a.shape()) number(static_cast<std::uint64_t>(extent));
    const Array packed = a.contiguous();
    bytes(packed.data(), static_cast<std::size_t>(packed.bytes()));
  }

  std::string text(const Atom& atom) const {
    switch (atom.kind) {
      case Atom::Kind::symbol: return fmt::format("s{}", atom.number);
      case Atom::Kind::value:
        return fmt::format("v{}.{}", place(*atom.scalar), atom.scalar->index());
      default: break;
    }
    std::string left = text(atom.left), right = text(atom.right);
    const bool commutes = atom.kind == Atom::Kind::min || atom.kind == Atom::Kind::max;
    if (commutes && right < left) std::swap(left, right);
    return fmt::format("{}({},{})", static_cast<int>(atom.kind), left, right);
  }

  std::string text(const Dim& d) const {
    std::vector<std::string> terms;
    for (const Term& term : d.terms()) {
      std::vector<std::string> atoms;
      for (const AtomRef& atom : term.atoms) atoms.push_back(text(*atom));
      std::sort(atoms.begin(), atoms.end());
      terms.push_back(fmt::format("{}*{}", fmt::join(atoms, "*"), term.coefficient));
    }
    std::sort(terms.begin(), terms.end());
    return fmt::format("{}+{}", fmt::join(terms, "+"), d.constant_term());
  }

  std::size_t place(const Value& v) const {
    const auto at = position_.find(v.get());
    if (at == position_.end())
      throw InternalError("key: an extent is the value of a node outside the graph: " +
                          describe(v));
    return at->second;
  }

  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
  std::unordered_map<const Node*, std::size_t> position_;
  std::unordered_map<const Graph*, std::array<std::uint64_t, 2>> bodies_;
};

}  // namespace

std::array<std::uint64_t, 2> Graph::key() const {
  Serializer serializer;
  serializer.graph(*this);
  return serializer.digest();
}

}  // namespace gnomon
