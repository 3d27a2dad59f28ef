// Evaluates a graph with its values kept, then walks from a bad result to where it came from.
#include "frontend/debugging/nan_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frontend/native_form.h"
#include "ir/graph/leaf.h"
#include "ir/graph/origin.h"
#include "ir/op/numbers.h"
#include "ir/reference/generic.h"
#include "ir/text/text.h"
#include "passes/engine/trace.h"
#include "passes/representation.h"
#include "runtime/arrays/finite.h"
#include "runtime/services.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Machine = Evaluator<MachineNumbers>;
using Data = Machine::Data;

enum class Badness : std::uint8_t { none, infinite, nan };

std::vector<std::int64_t> index_at(std::int64_t place, const Extent& shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    index[k] = place % shape[k];
    place /= shape[k];
  }
  return index;
}

// The place of an operand's element that the element at `place` of an elementwise result is of.
std::int64_t operand_place(std::int64_t place, const Extent& result, const Extent& operand) {
  const std::vector<std::int64_t> index = index_at(place, result);
  const std::size_t first = result.size() - operand.size();
  std::int64_t at = 0;
  for (std::size_t k = 0; k < operand.size(); ++k)
    at = at * operand[k] + (operand[k] == 1 ? 0 : index[first + k]);
  return at;
}

template <DType t>
bool has(const Graph& graph) {
  return has_dtype(graph, [](DType d) { return d == t; });
}

class NanSearch : public EvaluationObserver<Cell> {
 public:
  explicit NanSearch(const Graph& captured)
      : captured_(captured),
        names_(names_of(captured)),
        native_(native_form(captured)),
        nodes_(nodes_with_bodies(captured)) {
    if (has_halves_alike(captured)) return;
    if (has<DType::float16>(captured)) half_ = DType::float16;
    if (has<DType::bfloat16>(captured)) half_ = DType::bfloat16;
  }

  std::optional<NanPlace> run(std::span<const Array> inputs, std::span<const bool> bad) {
    const MachineNumbers numbers;
    Machine evaluator(numbers, this);
    std::vector<Data> tensors;
    frames_.emplace_back();
    for (const Array& input : inputs) tensors.push_back(evaluator.from_array(native_form(input)));
    begin_frame(tensors);
    evaluator.run(native_, tensors);
    for (std::size_t i = 0; i < native_.outputs.size(); ++i)
      if (bad[i])
        if (const auto text = source_of(native_.outputs[i])) return NanPlace{*text};
    return std::nullopt;
  }

  // ------------------------------------------------------------------------- while it evaluates

  void pause() override { interruption_(); }

  void computed(const Node& node, std::span<const Data> results) override {
    Frame& frame = frames_.back();
    for (std::uint32_t i = 0; i < results.size(); ++i)
      frame.values.insert_or_assign(Value(&node, i), results[i]);
    if (const auto at = pending_.find(&node); at != pending_.end()) {
      frame.sources.insert_or_assign(&node, std::move(at->second));
      pending_.erase(at);
    }
  }

  void begin(const Node& node, const Region& region, std::int64_t run,
             std::span<const Data> arguments) override {
    Frame& frame = frames_.emplace_back();
    frame.node = &node;
    frame.body = &body_of(node, region);
    frame.repeats = region.count.has_value();
    frame.run = run;
    begin_frame({arguments.begin(), arguments.end()});
  }

  void end(std::span<const Data> outputs) override {
    std::optional<std::string> text;
    const Frame& frame = frames_.back();
    for (std::size_t i = 0; i < outputs.size() && !text; ++i)
      if (is_bad(*outputs[i])) text = source_of(frame.body->outputs[i]);
    // Of the steps of a loop the first.
    if (text) pending_.emplace(frame.node, *std::move(text));
    frames_.pop_back();
  }

 private:
  // The values of a graph that is evaluated, and of nodes with bodies in which numbers went wrong
  // what is said of that.
  struct Frame {
    const Node* node = nullptr;
    const Graph* body = nullptr;
    bool repeats = false;
    std::int64_t run = 0;
    std::vector<Data> arguments = {};
    std::unordered_map<Value, Data, ValueHash> values = {};
    std::unordered_map<const Node*, std::string> sources = {};
  };

  void begin_frame(std::vector<Data> arguments) { frames_.back().arguments = std::move(arguments); }

  // Null where the value was not computed.
  Data data_of(const Value& v) const {
    const Frame& frame = frames_.back();
    if (v.is(op::param)) {
      const auto i = static_cast<std::size_t>(v.node().attribute(0).integer());
      return i < frame.arguments.size() ? frame.arguments[i] : nullptr;
    }
    const auto at = frame.values.find(v);
    return at == frame.values.end() ? nullptr : at->second;
  }

  // Halves are their bits.
  bool is_half_bits(DType t) const { return t == DType::uint16 && half_ != DType::uint16; }

  double number(const Tensor<Cell>& x, std::int64_t i) const {
    const Cell& cell = x.data[static_cast<std::size_t>(i)];
    if (!is_half_bits(x.dtype)) return cell_get<double>(cell_cast(cell, x.dtype, DType::float64));
    const auto bits = static_cast<std::uint16_t>(cell.u);
    return cell_get<float>(cell_load(half_, &bits, 0));
  }

  Badness badness(const Tensor<Cell>& x, std::int64_t i) const {
    if (!is_float(x.dtype) && !is_half_bits(x.dtype)) return Badness::none;
    const double v = number(x, i);
    return std::isnan(v) ? Badness::nan : std::isinf(v) ? Badness::infinite : Badness::none;
  }

  bool is_bad(const Tensor<Cell>& x) const {
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(x.data.size()); ++i)
      if (badness(x, i) != Badness::none) return true;
    return false;
  }

  // ------------------------------------------------------------------ where a bad value came from

  struct Bad {
    Value value;
    std::int64_t place;
    Badness badness;
  };

  // The operands whose badness may have made that of an element, those that are NaN first.
  std::vector<Bad> bad_operands(const Bad& of) const {
    const Node& node = of.value.node();
    const Op& op = node.op();
    std::vector<Bad> found;
    const Data result = data_of(of.value);
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Value& v = node.operands()[k];
      const Data x = data_of(v);
      if (x == nullptr || x->data.empty()) continue;
      if (!op.is_elementwise() || result == nullptr) {
        add_bad(v, *x, found);
        continue;
      }
      if (op.promotion == Promotion::choice && k > 0 && !takes(node, k, of.place, *result))
        continue;
      const std::int64_t place = operand_place(of.place, result->shape, x->shape);
      if (const Badness b = badness(*x, place); b != Badness::none) found.push_back({v, place, b});
    }
    std::ranges::stable_sort(found, std::greater<>(), &Bad::badness);
    return found;
  }

  // All elements that are bad, up to many.
  void add_bad(const Value& v, const Tensor<Cell>& x, std::vector<Bad>& to) const {
    constexpr std::size_t most = 1 << 16;
    const auto count = static_cast<std::int64_t>(x.data.size());
    const std::size_t begin = to.size();
    for (std::int64_t i = 0; i < count && to.size() - begin < most; ++i)
      if (const Badness b = badness(x, i); b != Badness::none) to.push_back({v, i, b});
  }

  // Whether the element of a choice is that of operand k.
  bool takes(const Node& node, std::size_t k, std::int64_t place,
             const Tensor<Cell>& result) const {
    const Data condition = data_of(node.operands()[0]);
    if (condition == nullptr) return true;
    const std::int64_t at = operand_place(place, result.shape, condition->shape);
    return condition->data[static_cast<std::size_t>(at)].b == (k == 1);
  }

  // What is said of where the badness of a value came from; nothing: it was given.
  std::optional<std::string> source_of(const Value& start) const {
    const Data first = data_of(start);
    if (first == nullptr) return std::nullopt;
    std::vector<Bad> starts;
    add_bad(start, *first, starts);
    std::ranges::stable_sort(starts, std::greater<>(), &Bad::badness);
    struct Open {
      Bad bad;
      std::vector<Bad> operands;
      std::size_t next = 0;
    };
    std::vector<Open> open;
    // By element where an element is made of elements, else all that a value is made of at once.
    std::unordered_map<Value, std::unordered_set<std::int64_t>, ValueHash> seen;
    const auto enter = [&](const Bad& bad) {
      const std::int64_t place = bad.value.op().is_elementwise() ? bad.place : -1;
      if (seen[bad.value].insert(place).second) open.push_back({bad, bad_operands(bad)});
    };
    for (std::size_t i = 0; i < starts.size() || !open.empty();) {
      if (open.empty()) {
        enter(starts[i++]);
        continue;
      }
      Open& top = open.back();
      const Node& node = top.bad.value.node();
      const auto& sources = frames_.back().sources;
      if (const auto at = sources.find(&node); at != sources.end()) return at->second;
      if (top.next < top.operands.size()) {
        enter(top.operands[top.next++]);
        continue;
      }
      const bool given = node.operands().empty() || is_leaf(node.op());
      const bool is_new =
          top.operands.empty() ||
          (top.bad.badness == Badness::nan && top.operands.front().badness == Badness::infinite);
      // Bodies whose values are not known here pass on what they were given.
      if (!given && is_new && node.op().regions == nullptr) return text_of(top.bad);
      open.pop_back();
    }
    return std::nullopt;
  }

  // ----------------------------------------------------------------------------- what is said

  // What rounds to a half belongs to what it rounds.
  static const Node& before_rounding(const Node& node) {
    const bool rounds = &node.op() == &op::float16_bits || &node.op() == &op::bfloat16_bits;
    return rounds ? node.input(0).node() : node;
  }

  // The node of the captured graph, which users know; the node itself where that is not known.
  const Node& captured_of(const Node& node) const {
    const Node& rounded = before_rounding(node);
    for (const std::uint32_t position : native_.positions_of(&rounded))
      if (position < nodes_.size() && !is_leaf(nodes_[position]->op())) return *nodes_[position];
    return rounded;
  }

  // `body`: the graph that has the node, null for the whole one.
  std::string line_of(const Node& node, const Graph* body) const {
    const Node& rounded = before_rounding(node);
    for (const Graph* graph : {body, &native_})
      if (graph != nullptr)
        if (const auto lines = graph->origins_of(&rounded); !lines.empty())
          return bracketed(lines.front());
    return bracketed(first_origin(captured_of(node)));
  }

  // Parameters of bodies have none.
  ParameterNames names() const { return frames_.size() == 1 ? names_ : ParameterNames(); }

  std::string statistics(const Tensor<Cell>& x) const {
    const std::string type =
        describe(is_half_bits(x.dtype) ? half_ : x.dtype, std::span<const std::int64_t>(x.shape));
    if (x.data.empty()) return type + ", no elements";
    const bool floats = is_float(x.dtype) || is_half_bits(x.dtype);
    double least = inf, most = -inf, sum = 0;
    std::int64_t nans = 0, infinities = 0;
    const auto count = static_cast<std::int64_t>(x.data.size());
    for (std::int64_t i = 0; i < count; ++i) {
      const double v = number(x, i);
      if (std::isnan(v)) ++nans;
      if (std::isinf(v)) ++infinities;
      if (!std::isfinite(v)) continue;
      least = std::min(least, v), most = std::max(most, v), sum += v;
    }
    std::string text = type;
    if (const std::int64_t finite = count - nans - infinities; finite > 0)
      text += fmt::format(", min {:.6g}, max {:.6g}, mean {:.6g}", least, most,
                          sum / static_cast<double>(finite));
    if (floats) text += fmt::format(", {} NaN, {} infinite", nans, infinities);
    return text;
  }

  std::string text_of(const Bad& bad) const {
    const Node& node = bad.value.node();
    const Node& known = captured_of(node);
    const Data result = data_of(bad.value);
    const double v = number(*result, bad.place);
    std::string text = fmt::format(
        "{} gives {}{}{}", known.op().name,
        std::isnan(v) ? "NaN"
        : v > 0       ? "inf"
                      : "-inf",
        result->shape.empty()
            ? std::string()
            : fmt::format(" at [{}]", fmt::join(index_at(bad.place, result->shape), ", ")),
        line_of(node, frames_.back().body));
    text += fmt::format("\n  {}: {}", expression_text(Value(&known, 0), 3, names()),
                        statistics(*result));
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const Data x = data_of(node.operands()[k]);
      if (x == nullptr) continue;
      const bool same = known.operands().size() == node.operands().size();
      text +=
          fmt::format("\n  operand {}: {}: {}", k,
                      expression_text(same ? known.operands()[k] : node.operands()[k], 2, names()),
                      statistics(*x));
      if (node.op().is_elementwise() && !x->shape.empty() && !x->data.empty())
        text += fmt::format(", there {:.9g}",
                            number(*x, operand_place(bad.place, result->shape, x->shape)));
    }
    for (std::size_t f = frames_.size(); f-- > 1;)
      text += frames_[f].repeats
                  ? fmt::format("\n  in step {} of {}{}", frames_[f].run,
                                captured_of(*frames_[f].node).op().name,
                                line_of(*frames_[f].node, frames_[f - 1].body))
                  : fmt::format("\n  in {}{}", captured_of(*frames_[f].node).op().name,
                                line_of(*frames_[f].node, frames_[f - 1].body));
    return text;
  }

  const Graph& captured_;
  const ParameterNames names_;
  const Graph native_;
  const std::vector<const Node*> nodes_;
  DType half_ = DType::uint16;  // none
  std::vector<Frame> frames_;
  std::unordered_map<const Node*, std::string> pending_;  // of nodes whose bodies have run
  InterruptionPoint interruption_;
};

}  // namespace

bool has_halves_alike(const Graph& captured) {
  const bool first = has<DType::float16>(captured), second = has<DType::bfloat16>(captured);
  return (first && second) || ((first || second) && has<DType::uint16>(captured));
}

std::optional<NanPlace> find_nan(const Graph& captured, std::span<const Array> inputs,
                                 std::span<const bool> bad) {
  return NanSearch(captured).run(inputs, bad);
}

}  // namespace gnomon
