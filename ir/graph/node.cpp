// The interning table of nodes: sharded, weak, safe across fork; destruction without recursion.
#include "ir/graph/node.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>

#include "ir/graph/hash.h"
#include "ir/graph/origin.h"
#include "ir/op/op.h"
#include "runtime/error.h"
#include "runtime/place_text.h"

namespace gnomon {

/// Every live node, by hash. A node whose count is 0 is dead though still chained: whoever brought
/// the count to 0 will unchain it, and a lookup makes an equal node instead of reviving it.
class NodeTable {
 public:
  static NodeTable& instance() {
    static NodeTable* const table = make();  // never destroyed: static expressions may outlive it
    return *table;
  }

  /// What is looked for.
  struct Wanted {
    const Op& op;
    const std::vector<Value>& inputs;
    std::size_t operand_count;
    const Attributes& attributes;
    std::size_t hash;
  };

  Value find(const Wanted& wanted) {
    Shard& shard = shard_of(wanted.hash);
    const std::lock_guard lock(shard.mutex);
    return find_in(shard, wanted);
  }

  /// The node, or the equal one that another thread made in the meantime.
  Value insert(std::unique_ptr<Node> node) {
    Shard& shard = shard_of(node->hash_);
    const std::lock_guard lock(shard.mutex);
    const Wanted wanted{*node->op_, node->inputs_, node->operand_count_, node->attributes_,
                        node->hash_};
    if (Value existing = find_in(shard, wanted)) return existing;
    if (shard.count >= shard.buckets.size()) grow(shard);
    const Node*& bucket = shard.bucket(node->hash_);
    node->chain_ = bucket;
    node->uses_.store(1, std::memory_order_relaxed);
    node->number_ = next_number_.fetch_add(1, std::memory_order_relaxed);
    bucket = node.get();
    ++shard.count;
    return Value(Value::Adopt{}, node.release());
  }

  /// Deletes a node whose count has become 0, and then every node this brings to 0, in a loop.
  static void bury(const Node* node) noexcept {
    instance().unchain(node);
    node->chain_ = dead_;
    dead_ = node;
    if (burying_) return;
    burying_ = true;
    while (dead_ != nullptr) {
      const Node* next = std::exchange(dead_, dead_->chain_);
      delete next;
    }
    burying_ = false;
  }

  std::mutex& mutex_of(const Node& node) { return shard_of(node.hash_).mutex; }

  std::size_t size() {
    std::size_t sum = 0;
    for (Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      sum += shard.count;
    }
    return sum;
  }

  static std::unique_ptr<Node> make_node(const Wanted& wanted, std::vector<Type> types) {
    std::unique_ptr<Node> node(new Node);
    node->op_ = &wanted.op;
    node->inputs_ = wanted.inputs;
    node->operand_count_ = static_cast<std::uint32_t>(wanted.operand_count);
    node->attributes_ = wanted.attributes;
    node->types_ = std::move(types);
    node->hash_ = wanted.hash;
    return node;
  }

 private:
  struct alignas(64) Shard {
    std::mutex mutex;
    std::vector<const Node*> buckets = std::vector<const Node*>(64);
    std::size_t count = 0;
    const Node*& bucket(std::size_t hash) { return buckets[(hash >> 8) & (buckets.size() - 1)]; }
  };

  static NodeTable* make() {
    auto* table = new NodeTable;
    pthread_atfork([] { instance().lock_all(); }, [] { instance().unlock_all(); },
                   [] { instance().unlock_all(); });
    return table;
  }

  Shard& shard_of(std::size_t hash) { return shards_[hash & (shards_.size() - 1)]; }

  void lock_all() {
    for (Shard& shard : shards_) shard.mutex.lock();
  }
  void unlock_all() {
    for (Shard& shard : shards_) shard.mutex.unlock();
  }

  /// Takes a reference unless the node is dead.
  static bool acquire(const Node* node) {
    std::uint32_t uses = node->uses_.load(std::memory_order_relaxed);
    while (uses != 0)
      if (node->uses_.compare_exchange_weak(uses, uses + 1, std::memory_order_acq_rel)) return true;
    return false;
  }

  static bool matches(const Node& node, const Wanted& wanted) {
    return node.hash_ == wanted.hash && node.op_ == &wanted.op &&
           node.operand_count_ == wanted.operand_count && node.inputs_ == wanted.inputs &&
           node.attributes_ == wanted.attributes;
  }

  static Value find_in(Shard& shard, const Wanted& wanted) {
    for (const Node* node = shard.bucket(wanted.hash); node != nullptr; node = node->chain_)
      if (matches(*node, wanted) && acquire(node)) return Value(Value::Adopt{}, node);
    return {};
  }

  void unchain(const Node* node) noexcept {
    Shard& shard = shard_of(node->hash_);
    const std::lock_guard lock(shard.mutex);
    const Node** link = &shard.bucket(node->hash_);
    while (*link != node) link = &(*link)->chain_;
    *link = node->chain_;
    --shard.count;
  }

  static void grow(Shard& shard) {
    std::vector<const Node*> old(shard.buckets.size() * 2);
    old.swap(shard.buckets);
    for (const Node* node : old) {
      while (node != nullptr) {
        const Node* next = node->chain_;
        const Node*& bucket = shard.bucket(node->hash_);
        node->chain_ = bucket;
        bucket = node;
        node = next;
      }
    }
  }

  std::array<Shard, 64> shards_;
  std::atomic<std::uint64_t> next_number_{1};
  // Plain data: usable while other thread-local and static objects are being destroyed.
  static thread_local const Node* dead_;
  static thread_local bool burying_;
};

thread_local const Node* NodeTable::dead_ = nullptr;
thread_local bool NodeTable::burying_ = false;

// ------------------------------------------------------------------------------------- origins

bool operator==(const Origin& a, const Origin& b) {
  if (a.line != b.line) return false;
  return a.file == b.file || (a.file && b.file && std::strcmp(a.file, b.file) == 0);
}

std::string Origin::text() const {
  return file == nullptr ? std::string() : place_text(file, line);
}

std::vector<Origin> Node::origins() const {
  const std::lock_guard lock(NodeTable::instance().mutex_of(*this));
  std::vector<Origin> found;
  for (const Origin& origin : origins_)
    if (origin) found.push_back(origin);
  return found;
}

void Node::add_origin(Origin origin) const {
  if (!origin) return;
  const std::lock_guard lock(NodeTable::instance().mutex_of(*this));
  // The places in use come first, the newest of them last; the oldest makes room.
  const auto end = std::ranges::find(origins_, Origin());
  if (end != origins_.begin() && *(end - 1) == origin) return;
  auto at = std::find(origins_.begin(), end, origin);
  if (at == origins_.end()) at = origins_.begin();
  *at = origin;
  if (at != end) std::rotate(at, at + 1, end);
}

const Attribute& Node::attribute(std::string_view name) const {
  std::size_t i = 0;
  for (const AttributeSpec& spec : op_->attributes) {
    if (spec.name == name) return attributes_[i];
    ++i;
  }
  throw InternalError(fmt::format("{}: no attribute is named {}", op_->name, name));
}

// -------------------------------------------------------------------------------------- values

Value::Value(const Node* node, std::uint32_t index) : node_(node), index_(index) {
  if (node_) node_->uses_.fetch_add(1, std::memory_order_relaxed);
}

Value::Value(const Value& other) : Value(other.node_, other.index_) {}

Value::~Value() {
  if (node_ && node_->uses_.fetch_sub(1, std::memory_order_acq_rel) == 1) NodeTable::bury(node_);
}

const Op& Value::op() const { return node().op(); }
const Type& Value::type() const { return node().type(index_); }
bool Value::is(const Op& op) const { return &node().op() == &op; }
const Value& Value::input(std::size_t i) const { return node().input(i); }

void Value::throw_none() {
  const std::string place = scoped_origin_or({}).text();
  throw TypeError(fmt::format("expected an expression, found none: never set, or moved from{}",
                              place.empty() ? "" : " [" + place + "]"));
}

// ---------------------------------------------------------------------------------- make_node

namespace {

void check_operands(const Op& op, const std::vector<Value>& operands) {
  const int count = static_cast<int>(operands.size());
  if (op.operands >= 0 ? count != op.operands : count < op.at_least) {
    throw TypeError(fmt::format("{}: expected {}{} operands, found {}", op.name,
                                op.operands >= 0 ? "" : "at least ",
                                op.operands >= 0 ? op.operands : op.at_least, count));
  }
  for (int i = 0; i < count; ++i)
    if (!operands[i])
      throw TypeError(
          fmt::format("{}: expected an expression as operand {}, found none", op.name, i));
}

void check_attributes(const Op& op, const Attributes& attributes) {
  if (static_cast<int>(attributes.size()) != op.attributes.count)
    throw InternalError(fmt::format("{}: expected {} attributes, found {}", op.name,
                                    op.attributes.count, attributes.size()));
  std::size_t i = 0;
  for (const AttributeSpec& spec : op.attributes)
    if (attributes[i++].kind() != spec.kind)
      throw InternalError(fmt::format("{}: attribute {} has another kind", op.name, spec.name));
}

/// The scalars whose values occur in the attributes' dimensions, each once.
std::vector<Value> extent_inputs(const Attributes& attributes) {
  std::vector<Value> found;
  for (const Attribute& attribute : attributes) {
    if (attribute.kind() != Attribute::Kind::dim_list) continue;
    for (const Dim& d : attribute.dims()) {
      d.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind != Atom::Kind::value) return;
        if (std::find(found.begin(), found.end(), *atom->scalar) == found.end())
          found.push_back(*atom->scalar);
      });
    }
  }
  return found;
}

// Complex numbers become pairs of floats: an axis more, and twice the numbers.
void check_complex(const TypeContext& context, const Type& type) {
  if (type.rank() >= max_rank)
    context.refuse(fmt::format("expected at most {} axes of complex numbers, found {}",
                               max_rank - 1, type.text()));
  std::int64_t floats = 2;
  for (const Dim& d : type.shape)
    if (d.is_constant() && !d.is(0) && __builtin_mul_overflow(floats, d.constant(), &floats))
      context.refuse(
          fmt::format("expected fewer than 2^62 complex numbers, found {}", type.text()));
}

std::vector<Type> infer_types(const Op& op, std::span<const Value> operands,
                              const Attributes& attributes, const Origin& origin) {
  if (op.type == nullptr) throw InternalError(fmt::format("{}: the op has no type rule", op.name));
  TypeContext context{op, operands, attributes};
  try {
    for (const Value& v : operands)
      if (is_complex(v.dtype()) && complex_rule(op) == nullptr)
        context.fail(fmt::format("expected real numbers, found {}", describe(v)));
    std::vector<Type> types = op.type(context);
    for (const Type& type : types) {
      if (type.rank() > max_rank)
        context.refuse(fmt::format("expected at most {} axes, found {}", max_rank, type.text()));
      if (is_complex(type.dtype)) check_complex(context, type);
    }
    return types;
  } catch (const Error& error) {
    std::string text = error.what();
    // The line of the expression says more than that of a call that works on it.
    const std::string call = text_of_call();
    if (!call.empty() && is_file_of_user(origin.file) && text.ends_with(call))
      text.resize(text.size() - call.size());
    if (!origin || ends_with_place(text)) throw;
    throw_like(error, text + bracketed(origin));
  }
}

}  // namespace

namespace {

// The origin that counts while a scope is open.
struct ScopedOrigin {
  bool open = false;
  Origin at;
};
thread_local ScopedOrigin scoped_origin;

}  // namespace

OriginScope::OriginScope(Origin at) : outermost_(!scoped_origin.open) {
  if (outermost_) scoped_origin = {true, at};
}

OriginScope::~OriginScope() {
  if (outermost_) scoped_origin.open = false;
}

CallPlace::CallPlace(std::string_view function, Origin at)
    : outermost_(!scoped_origin.open && place_of_call().file == nullptr &&
                 is_file_of_user(at.file)) {
  if (outermost_) place_of_call() = {function, at.file, at.line};
}

CallPlace::~CallPlace() {
  if (outermost_) place_of_call() = {};
}

OriginPause::OriginPause() : call_(std::exchange(place_of_call(), {})) {
  if (scoped_origin.open) around_ = scoped_origin.at;
  scoped_origin.open = false;
}

OriginPause::~OriginPause() {
  place_of_call() = call_;
  if (around_) scoped_origin = {true, *around_};
}

Origin scoped_origin_or(const Origin& at) { return scoped_origin.open ? scoped_origin.at : at; }

Origin first_origin(const Node& node) {
  const std::vector<Origin> origins = node.origins();
  return origins.empty() ? Origin() : origins.front();
}

std::string bracketed(const Origin& at) {
  const bool is_own = has_call_places() && !is_file_of_user(at.file);
  return at && !is_own ? " [" + at.text() + "]" : std::string();
}

Value make_node(const Op& op, std::vector<Value> operands, Attributes attributes, Origin origin) {
  origin = scoped_origin_or(origin);
  check_operands(op, operands);
  check_attributes(op, attributes);
  const std::size_t operand_count = operands.size();
  std::vector<Value> inputs = std::move(operands);
  for (Value& v : extent_inputs(attributes)) inputs.push_back(std::move(v));

  std::size_t hash = mix_hash(reinterpret_cast<std::size_t>(&op), operand_count);
  for (const Value& v : inputs) hash = mix_hash(hash, v.hash());
  for (const Attribute& attribute : attributes) hash = mix_hash(hash, attribute.hash());

  NodeTable& table = NodeTable::instance();
  const NodeTable::Wanted wanted{op, inputs, operand_count, attributes, hash};
  Value result = table.find(wanted);
  if (!result) {
    const std::span<const Value> first(inputs.data(), operand_count);
    result = table.insert(NodeTable::make_node(wanted, infer_types(op, first, attributes, origin)));
  }
  result.node().add_origin(origin);
  return result;
}

Value rebuild(const Node& node, std::span<const Value> operands,
              const std::function<Dim(const Atom&)>& map) {
  Attributes attributes = node.attributes();
  for (Attribute& attribute : attributes) {
    if (attribute.kind() != Attribute::Kind::dim_list) continue;
    Shape dims = attribute.dims();
    for (Dim& d : dims) d = d.is_constant() ? d : d.substitute(map);
    attribute = std::move(dims);
  }
  Value result = make_node(node.op(), {operands.begin(), operands.end()}, std::move(attributes));
  if (result.get() != &node)
    for (const Origin& origin : node.origins()) result.node().add_origin(origin);
  return result;
}

Value rebuild(const Node& node, std::span<const Value> inputs) {
  if (inputs.size() != node.inputs().size())
    throw InternalError(fmt::format("{}: expected {} inputs, found {}", node.op().name,
                                    node.inputs().size(), inputs.size()));
  if (std::equal(inputs.begin(), inputs.end(), node.inputs().begin())) return Value(&node, 0);
  const std::size_t count = node.operands().size();
  return rebuild(node, inputs.first(count), [&](const Atom& atom) -> Dim {
    if (atom.kind == Atom::Kind::symbol) return Dim::symbol(atom.number, atom.name);
    const std::span<const Value> extents = node.extent_inputs();
    const auto at = std::find(extents.begin(), extents.end(), *atom.scalar);
    return Dim::value(inputs[count + static_cast<std::size_t>(at - extents.begin())]);
  });
}

std::size_t live_nodes() { return NodeTable::instance().size(); }

}  // namespace gnomon
