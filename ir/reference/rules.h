// Element rules computed with numbers. Included by ir/reference/generic.h only.
#pragma once

#include "ir/reference/generic.h"

namespace gnomon {

template <class Numbers>
class Evaluator<Numbers>::Rules : public Element {
 public:
  Rules(Evaluator& evaluator, Frame& frame, const Node& node)
      : evaluator_(evaluator), frame_(frame), node_(node), numbers_(evaluator.numbers_) {}

  /// Forgets the scalars of the last element and makes those of the next index.
  std::vector<Scalar> begin(const Extent& index) {
    scalars_.clear();
    std::vector<Scalar> result;
    for (const std::int64_t i : index) result.push_back(integer(i));
    return result;
  }
  const Number& number(Scalar s) const { return at(s).number; }
  DType dtype(Scalar s) const { return at(s).dtype; }
  std::int64_t integer_of(Scalar s) const { return evaluator_.integer_of(number(s)); }

  Scalar constant(DType t, Cell value) override { return add(t, numbers_.from_cell(t, value)); }
  Scalar extent(const Dim& d) override { return integer(frame_.extents(d)); }
  Scalar let(const Op& op, std::span<const Scalar> operands) override {
    std::vector<Number> x;
    std::vector<DType> dtypes;
    for (const Scalar s : operands) {
      x.push_back(number(s));
      dtypes.push_back(dtype(s));
    }
    const DType result = evaluator_.result_dtype(op, dtypes);
    return add(result, numbers_.apply(op, dtypes.back(), result, x));
  }
  Scalar cast(Scalar x, DType to) override {
    return add(to, numbers_.cast(Number(number(x)), dtype(x), to));
  }
  Scalar select(Scalar condition, Scalar a, Scalar b) override {
    return numbers_.to_cell(DType::bool_, number(condition)).b ? a : b;
  }
  Scalar operand(std::size_t i, std::span<const Scalar> index) override {
    const Tensor<Number>& x = *evaluator_.operand(frame_, node_, i);
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
      const std::int64_t at = integer_of(index[axis]);
      if (at < 0 || at >= x.shape[axis]) out_of_range(at, x.shape[axis]);
      offset = offset * x.shape[axis] + at;
    }
    return add(x.dtype, x.data[static_cast<std::size_t>(offset)]);
  }
  Scalar add(Scalar a, Scalar b) override {
    return add(DType::int64, numbers_.add(DType::int64, number(a), number(b)));
  }
  Scalar subtract(Scalar a, Scalar b) override {
    return integer(static_cast<std::int64_t>(static_cast<std::uint64_t>(integer_of(a)) -
                                             static_cast<std::uint64_t>(integer_of(b))));
  }
  Scalar multiply(Scalar a, Scalar b) override {
    return add(DType::int64, numbers_.multiply(DType::int64, number(a), number(b)));
  }
  Scalar floor_div(Scalar a, Scalar b) override { return divided(a, b, false); }
  Scalar mod(Scalar a, Scalar b) override { return divided(a, b, true); }
  Scalar less(Scalar a, Scalar b) override { return truth(integer_of(a) < integer_of(b)); }
  Scalar equal(Scalar a, Scalar b) override { return truth(integer_of(a) == integer_of(b)); }
  Scalar checked_index(Scalar index, Scalar extent) override {
    const std::int64_t i = integer_of(index), n = integer_of(extent);
    if (i < -n || i >= n) out_of_range(i, n);
    return integer(i < 0 ? i + n : i);
  }

 private:
  struct Entry {
    DType dtype;
    Number number;
  };

  using Element::integer;
  const Entry& at(Scalar s) const { return scalars_[static_cast<std::size_t>(s.id)]; }
  Scalar add(DType t, Number number) {
    scalars_.push_back({t, std::move(number)});
    return {static_cast<std::int32_t>(scalars_.size() - 1)};
  }
  Scalar truth(bool v) { return add(DType::bool_, numbers_.from_cell(DType::bool_, cell_make(v))); }
  /// As the ops floor_divide and remainder: by 0 gives 0.
  Scalar divided(Scalar a, Scalar b, bool remainder) {
    const std::int64_t x = integer_of(a), y = integer_of(b);
    if (y == 0) return integer(0);
    if (y == -1) return integer(remainder ? 0 : static_cast<std::int64_t>(-std::uint64_t(x)));
    const bool down = x % y != 0 && (x < 0) != (y < 0);
    return integer(remainder ? x % y + (down ? y : 0) : x / y - down);
  }
  [[noreturn]] void out_of_range(std::int64_t index, std::int64_t extent) const {
    throw IndexError(fmt::format("{}: index {} is out of range for an axis of extent {}",
                                 node_.op().name, index, extent));
  }

  Evaluator& evaluator_;
  Frame& frame_;
  const Node& node_;
  const Numbers& numbers_;
  std::vector<Entry> scalars_;
};

/// The dtype an elementwise op gives for scalars: what its type rule says of rank-0 parameters.
template <class Numbers>
DType Evaluator<Numbers>::result_dtype(const Op& op, std::span<const DType> operands) {
  std::string key(op.name);
  for (const DType t : operands) key += static_cast<char>('A' + static_cast<int>(t));
  if (const auto at = result_dtypes_.find(key); at != result_dtypes_.end()) return at->second;
  std::vector<Value> scalars;
  for (const DType t : operands) scalars.push_back(make_param(0, Type{t, {}}));
  const DType result = make_node(op, std::move(scalars)).dtype();
  result_dtypes_.emplace(std::move(key), result);
  return result;
}

template <class Numbers>
auto Evaluator<Numbers>::by_element(Frame& frame, const Node& node, std::uint32_t output) -> Data {
  auto result = std::make_shared<Tensor<Number>>();
  result->dtype = node.type(output).dtype;
  result->shape = frame.extents(node.type(output).shape);
  const std::int64_t count = count_of(result->shape, node.op().name);
  Rules rules(*this, frame, node);
  IndexWalk walk(result->shape);
  for (std::int64_t i = 0; i < count; ++i, walk.next()) {
    const std::vector<Scalar> index = rules.begin(walk.index());
    result->data.push_back(rules.number(node.op().element(rules, node, output, index)));
  }
  return result;
}

template <class Numbers>
auto Evaluator<Numbers>::write(Frame& frame, const Node& node) -> Data {
  const WriteRule& rule = node.op().write;
  auto result = std::make_shared<Tensor<Number>>();
  result->dtype = node.type().dtype;
  result->shape = frame.extents(node.type().shape);
  const std::int64_t count = count_of(result->shape, node.op().name);
  if (rule.base >= 0) {
    *result = *operand(frame, node, static_cast<std::size_t>(rule.base));
  } else {
    result->data.assign(static_cast<std::size_t>(count),
                        numbers_.cast(integer(0), DType::int64, result->dtype));
  }
  const auto combined = [&](const Op& op, const Number& old, const Number& element) {
    const Number pair[] = {old, element};
    return numbers_.apply(op, result->dtype, result->dtype, std::span<const Number>(pair, 2));
  };
  Rules rules(*this, frame, node);
  const int last = rule.every ? static_cast<int>(node.operands().size()) : rule.first + 1;
  for (int written = rule.first; written < last; ++written) {
    const Tensor<Number>& x = *operand(frame, node, static_cast<std::size_t>(written));
    IndexWalk walk(x.shape);
    for (const Number& element : x.data) {
      const std::vector<Scalar> index = rules.begin(walk.index());
      const std::vector<Scalar> position = rule.position(rules, node, written, index);
      std::int64_t offset = 0;
      for (std::size_t axis = 0; axis < result->shape.size(); ++axis) {
        const std::int64_t i = rules.integer_of(position[axis]);
        if (i < 0 || i >= result->shape[axis])
          throw IndexError(fmt::format("{}: index {} is out of range for an axis of extent {}",
                                       node.op().name, i, result->shape[axis]));
        offset = offset * result->shape[axis] + i;
      }
      Number& target = result->data[static_cast<std::size_t>(offset)];
      target = rule.combine ? combined(*rule.combine, target, element) : element;
      walk.next();
    }
  }
  return result;
}

}  // namespace gnomon
