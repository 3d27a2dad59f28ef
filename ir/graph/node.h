// Nodes and values: the immutable, hash-consed graph every expression is made of.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string_view>
#include <vector>

#include "ir/op/attribute.h"
#include "ir/op/type.h"
#include "runtime/error.h"

namespace gnomon {

struct Op;
class Node;

/// A place in the user's code. `file` lives for ever (a literal or an interned string).
struct Origin {
  const char* file = nullptr;
  std::uint32_t line = 0;
  explicit operator bool() const { return file != nullptr; }
  friend bool operator==(const Origin&, const Origin&);
  /// "model.cpp:12" (the file without its folders), or "".
  std::string text() const;
};
/// How many origins are kept of a node: more say little, and each node has room for them.
inline constexpr std::size_t most_origins = 4;

/// Output `index` of a node: the unit of the graph. A counted reference; null when default made.
class Value {
 public:
  Value() = default;
  Value(const Node* node, std::uint32_t index);
  Value(const Value& other);
  Value(Value&& other) noexcept : node_(other.node_), index_(other.index_) {
    other.node_ = nullptr;
  }
  Value& operator=(Value other) noexcept {
    std::swap(node_, other.node_);
    std::swap(index_, other.index_);
    return *this;
  }
  ~Value();

  explicit operator bool() const { return node_ != nullptr; }
  /// This and what follows: TypeError of a null value.
  const Node& node() const {
    if (node_ == nullptr) [[unlikely]]
      throw_none();
    return *node_;
  }
  const Node* get() const { return node_; }
  std::uint32_t index() const { return index_; }
  const Op& op() const;
  const Type& type() const;
  DType dtype() const { return type().dtype; }
  const Shape& shape() const { return type().shape; }
  int rank() const { return type().rank(); }
  bool is(const Op& op) const;
  /// Operand `i` of the node.
  const Value& input(std::size_t i) const;

  /// Equal expressions are the same pointer.
  friend bool operator==(const Value& a, const Value& b) {
    return a.node_ == b.node_ && a.index_ == b.index_;
  }
  std::size_t hash() const {
    return reinterpret_cast<std::size_t>(node_) * 0x9e3779b97f4a7c15ull + index_;
  }

 private:
  friend class NodeTable;
  struct Adopt {};
  Value(Adopt, const Node* node) noexcept : node_(node) {}
  [[noreturn]] static void throw_none();

  const Node* node_ = nullptr;
  std::uint32_t index_ = 0;
};

/// One application of an op. Made only by `make_node`, which runs the type rule.
class Node {
 public:
  const Op& op() const { return *op_; }
  /// The operands, then the scalars whose values occur in the attributes' dimensions
  /// (`extent_inputs`), so that a walk over inputs reaches everything the node needs.
  std::span<const Value> inputs() const { return inputs_; }
  std::span<const Value> operands() const { return {inputs_.data(), operand_count_}; }
  std::span<const Value> extent_inputs() const {
    return std::span<const Value>(inputs_).subspan(operand_count_);
  }
  const Value& input(std::size_t i) const { return inputs_[i]; }
  const Attributes& attributes() const { return attributes_; }
  const Attribute& attribute(std::size_t i) const { return attributes_[i]; }
  /// By declared name; InternalError when the op has none such.
  const Attribute& attribute(std::string_view name) const;
  std::span<const Type> types() const { return types_; }
  const Type& type(std::size_t i = 0) const { return types_[i]; }
  std::size_t output_count() const { return types_.size(); }
  std::size_t hash() const { return hash_; }
  /// Creation order: an input's number is smaller than its user's.
  std::uint64_t number() const { return number_; }
  /// The last `most_origins` places that made this expression, the newest at the end: an expression
  /// that others keep alive names the line that has made it now. Not part of its identity.
  std::vector<Origin> origins() const;
  void add_origin(Origin origin) const;

 private:
  friend class NodeTable;
  friend class Value;
  Node() = default;

  const Op* op_ = nullptr;
  std::vector<Value> inputs_;
  std::uint32_t operand_count_ = 0;
  Attributes attributes_;
  std::vector<Type> types_;
  std::size_t hash_ = 0;
  std::uint64_t number_ = 0;
  mutable std::atomic<std::uint32_t> uses_{0};
  mutable const Node* chain_ = nullptr;  // the next of its bucket, then of those to delete
  mutable std::array<Origin, most_origins> origins_{};
};

/// While it lives, nodes made by this thread have the origin `at`, whatever their makers say: the
/// outermost one counts. Functions made of other functions use it, so that the user's line is told.
class OriginScope {
 public:
  explicit OriginScope(Origin at);
  ~OriginScope();
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  bool outermost_;
};

/// While it lives, errors of this thread begin with the name of the function, unless it is empty,
/// and end with the line of its call: the outermost one counts, and none within an OriginScope.
/// Lines of the library's own are none.
class CallPlace {
 public:
  CallPlace(std::string_view function, Origin at);
  CallPlace(std::string_view function, const std::source_location& at)
      : CallPlace(function, Origin{at.file_name(), at.line()}) {}
  ~CallPlace();
  CallPlace(const CallPlace&) = delete;
  CallPlace& operator=(const CallPlace&) = delete;

 private:
  bool outermost_;
};

/// Both, of public functions that call none of the user's.
class CallScope {
 public:
  CallScope(std::string_view function, Origin at) : place_(function, at), nodes_(at) {}

 private:
  CallPlace place_;
  OriginScope nodes_;
};

/// While it lives, no OriginScope around it counts: so the user's own functions are called by those
/// that are made of others.
class OriginPause {
 public:
  OriginPause();
  ~OriginPause();
  OriginPause(const OriginPause&) = delete;
  OriginPause& operator=(const OriginPause&) = delete;

 private:
  std::optional<Origin> around_;
  PlaceOfCall call_;
};

/// The node `op(operands; attributes)`: the existing one if an equal one lives, else a new one.
/// Runs the op's type rule: TypeError if it rejects. Thread-safe.
Value make_node(const Op& op, std::vector<Value> operands, Attributes attributes = {},
                Origin origin = {});

/// The same application on other inputs (operands and extent inputs, in the order of `inputs()`);
/// dimensions in the attributes follow the replaced extent inputs.
Value rebuild(const Node& node, std::span<const Value> inputs);
/// The same application on other operands; every symbol and value atom of the attributes'
/// dimensions becomes what `map` gives.
Value rebuild(const Node& node, std::span<const Value> operands,
              const std::function<Dim(const Atom&)>& map);

/// Live nodes of the process: for tests and diagnosis.
std::size_t live_nodes();

struct ValueHash {
  std::size_t operator()(const Value& v) const { return v.hash(); }
};

}  // namespace gnomon
