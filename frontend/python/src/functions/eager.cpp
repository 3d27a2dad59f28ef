// Computing at once: functions of one op each, made when they are first needed and kept.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "frontend/python/src/functions/apply.h"
#include "frontend/python/src/functions/eager_function.h"
#include "frontend/python/src/functions/function.h"
#include "ir/graph/hash.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"

namespace gnomon::python {

namespace {

// ------------------------------------------------------------------------------- kept functions

// Functions by key, the least recently used half let go when there are too many. The GIL guards it.
template <class Key, class Hash>
class Table {
 public:
  // Null: there is none. What is given away with the GIL outlives its place here.
  std::shared_ptr<EagerFunction> find(const Key& key) {
    const auto at = entries_.find(key);
    if (at == entries_.end()) return nullptr;
    at->second.used = ++clock_;
    return at->second.function;
  }

  std::shared_ptr<EagerFunction> insert(Key key, EagerFunction function) {
    if (entries_.size() >= most) shrink();
    auto made = std::make_shared<EagerFunction>(std::move(function));
    entries_.insert_or_assign(std::move(key), Entry{made, ++clock_});
    return made;
  }

 private:
  struct Entry {
    std::shared_ptr<EagerFunction> function;
    std::uint64_t used;
  };
  static constexpr std::size_t most = 4096;

  void shrink() {
    std::vector<std::uint64_t> times;
    for (const auto& [key, entry] : entries_) times.push_back(entry.used);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    std::erase_if(entries_, [&](const auto& e) { return e.second.used < *middle; });
  }

  std::unordered_map<Key, Entry, Hash> entries_;
  std::uint64_t clock_ = 0;
};

// --------------------------------------------------------------------------------------- leaves

// What a leaf stands for: dtype and rank, or an exponent that is part of the expression (its dtype
// and twice its value); and which extents are the literal 1.
struct Leaf {
  enum class Kind : std::uint8_t { none, array, exponent } kind = Kind::none;
  DType dtype{};
  std::int16_t number = 0;  // the rank, or what is twice the exponent
  std::uint64_t ones = 0;   // bit i: axis i
  friend bool operator==(const Leaf&, const Leaf&) = default;

  std::size_t hash() const {
    return mix_hash(static_cast<std::size_t>(kind) | static_cast<std::size_t>(dtype) << 8 |
                        static_cast<std::size_t>(static_cast<std::uint16_t>(number)) << 16,
                    ones);
  }
};
static_assert(max_rank <= 64);

Leaf leaf_of(DType dtype, int rank, std::uint64_t ones) {
  return {Leaf::Kind::array, dtype, static_cast<std::int16_t>(rank), ones};
}

std::uint64_t ones_of(const Array& a) {
  std::uint64_t ones = 0;
  for (int i = 0; i < a.rank(); ++i)
    if (a.shape()[static_cast<std::size_t>(i)] == 1) ones |= std::uint64_t{1} << i;
  return ones;
}

// A leaf in its place among the operands.
struct Placed {
  std::size_t position;
  Leaf leaf;
  friend bool operator==(const Placed&, const Placed&) = default;
};
struct PlacedHash {
  std::size_t operator()(const Placed& p) const { return mix_hash(p.leaf.hash(), p.position); }
};

Expr leaf_expr(Leaf leaf, std::size_t position) {
  static auto* const known = new std::unordered_map<Placed, Expr, PlacedHash>;
  Expr& e = (*known)[{position, leaf}];
  if (e.defined()) return e;
  const std::string name = fmt::format("x{}", position + 1);
  Shape shape;
  for (int i = 0; i < leaf.number; ++i) {
    const bool one = (leaf.ones >> i & 1) != 0;
    shape.push_back(one ? Dim(1) : Dim::symbol(fmt::format("{}.{}", name, i)));
  }
  e = tensor(name, leaf.dtype, std::move(shape));
  return e;
}

// A leaf whose type is that of the array, for messages.
Expr exact_leaf(const Array& a, std::size_t position) {
  Shape shape;
  for (const std::int64_t extent : a.shape()) shape.emplace_back(extent);
  return tensor(fmt::format("x{}", position + 1), a.dtype(), std::move(shape));
}

// The device that arrays are on: that of the first that is on one. Others than this are told of by
// the call.
DeviceName device_of_all(std::span<const Array> arrays) {
  for (const Array& a : arrays)
    if (const Device* const device = a.defined() ? device_of(a) : nullptr) return device->name();
  return {};
}

// ------------------------------------------------------------------------------ ops, by their key

struct PlanKey {
  const Op* op = nullptr;
  Attributes attributes;
  std::array<Leaf, 4> leaves{};
  DeviceName device = {};
  friend bool operator==(const PlanKey&, const PlanKey&) = default;
};

std::size_t hash_of(DeviceName device) {
  return static_cast<std::size_t>(device.kind) << 16 | static_cast<std::size_t>(device.number);
}

struct KeyHash {
  std::size_t operator()(const PlanKey& key) const {
    std::size_t h = reinterpret_cast<std::size_t>(key.op) >> 6;
    for (const Leaf& leaf : key.leaves) h = mix_hash(h, leaf.hash());
    h = mix_hash(h, hash_of(key.device));
    for (const Attribute& a : key.attributes) h = mix_hash(h, a.hash());
    return h;
  }
};

constexpr std::int64_t small_exponent = 8;
constexpr std::int64_t held_elements = 4096;  // fewer take less time than giving the GIL away

// Small exponents, whole and half ones, are compiled in: x ** 2 is a product, x ** 0.5 a root.
std::optional<std::int64_t> twice_exponent(const Op& op, std::size_t i, const Operand& o) {
  if (&op != &op::power || i != 1 || !o.is_number() || o.weak == Weak::complex) return std::nullopt;
  const double twice = o.weak == Weak::real ? 2 * o.real : 2 * static_cast<double>(o.integer);
  if (std::abs(twice) > 2 * small_exponent || twice != std::trunc(twice)) return std::nullopt;
  return static_cast<std::int64_t>(twice);
}

// One application at once: what is passed, and what function takes it.
class Application {
 public:
  Application(const Op& op, std::span<const Operand> operands, const Attributes& attributes)
      : op_(op), operands_(operands), promoted_(op, operands) {
    if (operands.size() > key_.leaves.size())
      throw InternalError("eager: too many operands for a key");
    key_.op = &op;
    key_.attributes = attributes;
    gather();
    key_.device = device_of_all(arrays_);
    if (op.is_elementwise()) {
      unite_shapes();
    } else {
      for (std::size_t i = 0; i < operands.size(); ++i)
        set_leaf(i, operands.size() > 1 ? ones_of(arrays_[i]) : 0);
    }
  }

  std::vector<Array> run() {
    static auto* const table = new Table<PlanKey, KeyHash>;
    std::array<Array, 4> arguments;
    std::size_t count = 0;
    std::int64_t elements = 0;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (is_exponent(i)) continue;
      elements += arrays_[i].size();
      arguments[count++] = arrays_[i];
    }
    const std::span<const Array> passed(arguments.data(), count);
    std::int64_t made = 1;
    for (const std::int64_t n : shape_) made *= n;
    std::shared_ptr<EagerFunction> function = table->find(key_);
    if (!function) function = table->insert(key_, build());
    return finish((*function)(passed, std::max(elements, made) > held_elements));
  }

 private:
  void gather() {
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const Operand& o = operands_[i];
      if (o.array.defined()) {
        arrays_[i] = o.array;
        continue;
      }
      const DType t = promoted_(i, o);
      if (const std::optional<std::int64_t> twice = twice_exponent(op_, i, o)) {
        key_.leaves[i] = {Leaf::Kind::exponent, t, static_cast<std::int16_t>(*twice)};
      }
      arrays_[i] = number_array(o, t, op_.name);
    }
  }

  bool is_exponent(std::size_t i) const { return key_.leaves[i].kind == Leaf::Kind::exponent; }

  void set_leaf(std::size_t i, std::uint64_t ones) {
    if (is_exponent(i)) return;
    key_.leaves[i] = leaf_of(arrays_[i].dtype(), arrays_[i].rank(), ones);
  }

  // The common shape of elementwise operands. Where all have it or are one element, they are passed
  // as vectors and scalars, so that few functions do for all shapes.
  void unite_shapes() {
    for (std::size_t i = 0; i < operands_.size(); ++i) widen(arrays_[i]);
    std::int64_t size = 1;
    for (const std::int64_t n : shape_) size *= n;
    bool flat = true;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      flat = flat && (arrays_[i].size() == 1 || std::ranges::equal(arrays_[i].shape(), shape_));
    reshaped_ = flat && shape_.size() != (size == 1 ? 0u : 1u);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      Array& a = arrays_[i];
      if (!flat) {
        set_leaf(i, stretched(a));
        continue;
      }
      if (a.size() == 1 && size == 1) {
        if (a.rank() != 0) a = a.reshape({});
      } else if (a.size() == 1 && !std::ranges::equal(a.shape(), shape_)) {
        if (a.rank() != 0) a = a.reshape({});
      } else if (a.rank() != 1) {
        a = a.reshape({size});
      }
      set_leaf(i, 0);
    }
  }

  void widen(const Array& a) {
    const std::span<const std::int64_t> shape = a.shape();
    if (shape.size() > shape_.size())
      shape_.insert(shape_.begin(), shape.size() - shape_.size(), 1);
    const std::size_t first = shape_.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
      std::int64_t& n = shape_[first + i];
      if (n == 1) {
        n = shape[i];
      } else if (shape[i] != 1 && shape[i] != n) {
        reject_shapes();
      }
    }
  }

  [[noreturn]] void reject_shapes() const {
    std::string found;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      found += fmt::format("{}{}", i ? " and " : "", arrays_[i].describe());
    throw ValueError(fmt::format("{}: extents differ: {}{}", op_.name, found, at_caller()));
  }

  // Which extents of 1 stand for more.
  std::uint64_t stretched(const Array& a) const {
    std::uint64_t ones = 0;
    const std::size_t first = shape_.size() - a.shape().size();
    for (std::size_t i = 0; i < a.shape().size(); ++i)
      if (a.shape()[i] == 1 && shape_[first + i] != 1) ones |= std::uint64_t{1} << i;
    return ones;
  }

  Value built_from(std::span<const Expr> x, const Origin& at) const {
    std::vector<Value> values;
    for (std::size_t i = 0, next = 0; i < operands_.size(); ++i) {
      if (is_exponent(i)) {
        values.push_back(number_value(operands_[i], promoted_(i, operands_[i]), op_.name));
      } else {
        values.push_back(cast(x[next++], promoted_(i, operands_[i])).value());
      }
    }
    return make_node(op_, std::move(values), key_.attributes, at);
  }

  EagerFunction build() const {
    std::vector<Expr> leaves;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!is_exponent(i)) leaves.push_back(leaf_expr(key_.leaves[i], leaves.size()));
    Value made;
    try {
      const OriginScope nowhere({});
      made = built_from(leaves, {});
    } catch (const Error& e) {
      explain();
      throw_like(e, e.what() + at_caller());
    }
    std::vector<Expr> outputs;
    for (std::uint32_t i = 0; i < made.node().output_count(); ++i)
      outputs.emplace_back(Value(made.get(), i));
    return {std::move(leaves), std::move(outputs), std::string(op_.name), key_.device};
  }

  // The type rule again, over the operands as they were given: its message names their types.
  void explain() const {
    std::vector<Expr> leaves;
    for (std::size_t i = 0; i < operands_.size(); ++i)
      if (!is_exponent(i))
        leaves.push_back(
            exact_leaf(operands_[i].is_number() ? arrays_[i] : operands_[i].array, leaves.size()));
    built_from(leaves, caller());
  }

  std::vector<Array> finish(std::vector<Array> arrays) const {
    if (reshaped_)
      for (Array& a : arrays) a = a.reshape(shape_);
    return arrays;
  }

  const Op& op_;
  std::span<const Operand> operands_;
  Promoted promoted_;
  std::array<Array, 4> arrays_;
  std::vector<std::int64_t> shape_;
  bool reshaped_ = false;
  PlanKey key_;
};

struct ValuesKey {
  std::vector<Value> values;
  DeviceName device;
  friend bool operator==(const ValuesKey&, const ValuesKey&) = default;
};

struct ValuesHash {
  std::size_t operator()(const ValuesKey& key) const {
    std::size_t h = mix_hash(key.values.size(), hash_of(key.device));
    for (const Value& v : key.values) h = mix_hash(h, v.hash());
    return h;
  }
};

}  // namespace

std::vector<Array> compute(const Op& op, std::span<const Operand> operands,
                           const Attributes& attributes) {
  if (operands.size() <= 4) return Application(op, operands, attributes).run();
  const Promoted promoted(op, operands);
  std::vector<Array> arrays;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& o = operands[i];
    arrays.push_back(o.array.defined() ? o.array : number_array(o, promoted(i, o), op.name));
  }
  return evaluate(arrays, [&](std::span<const Expr> x) {
    std::vector<Value> values;
    for (std::size_t i = 0; i < x.size(); ++i)
      values.push_back(cast(x[i], promoted(i, operands[i])).value());
    const Value made = make_node(op, std::move(values), attributes);
    std::vector<Expr> outputs;
    for (std::uint32_t i = 0; i < made.node().output_count(); ++i)
      outputs.emplace_back(Value(made.get(), i));
    return outputs;
  });
}

Array evaluate_one(std::span<const Array> operands,
                   const std::function<Expr(std::span<const Expr>)>& build) {
  return evaluate(operands, [&](std::span<const Expr> x) { return std::vector{build(x)}; })[0];
}

std::vector<Array> evaluate(std::span<const Array> operands,
                            const std::function<std::vector<Expr>(std::span<const Expr>)>& build) {
  static auto* const table = new Table<ValuesKey, ValuesHash>;
  std::vector<Expr> leaves;
  for (std::size_t i = 0; i < operands.size(); ++i)
    leaves.push_back(
        leaf_expr(leaf_of(operands[i].dtype(), operands[i].rank(), ones_of(operands[i])), i));
  // The same over the very types of the operands: its message names them.
  const auto explain = [&] {
    std::vector<Expr> exact;
    for (std::size_t i = 0; i < operands.size(); ++i) exact.push_back(exact_leaf(operands[i], i));
    const OriginScope at(caller());
    build(exact);
  };
  std::vector<Expr> outputs;
  try {
    const OriginScope nowhere({});
    outputs = build(leaves);
  } catch (const Error& e) {
    explain();
    throw_like(e, e.what() + at_caller());
  }
  ValuesKey key{{outputs.begin(), outputs.end()}, device_of_all(operands)};
  try {
    std::shared_ptr<EagerFunction> function = table->find(key);
    if (!function) {
      const DeviceName device = key.device;
      function = table->insert(std::move(key), {leaves, outputs, "eager", device});
    }
    return (*function)(operands, true);
  } catch (const ValueError&) {
    explain();  // where the extents do not go together
    throw;
  }
}

}  // namespace gnomon::python
