// Sums of sums and products of products as one node each, or two by two as they are written.
#include <algorithm>
#include <unordered_map>

#include "ir/graph/graph.h"
#include "passes/engine/rewrite.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

class Flattener {
 public:
  Flattener(std::span<const Value> outputs, std::span<const Node* const> order, Flatten mode,
            OriginMap& origins)
      : mode_(mode), origins_(origins), order_(order) {
    uses_.reserve(order_.size());
    images_.reserve(order_.size());
    for (const Node* node : order_) {
      for (const Value& input : node->inputs()) ++uses_[input.get()];
    }
    for (const Value& output : outputs) ++uses_[output.get()];
  }

  std::vector<Value> run(std::span<const Value> outputs) {
    mark_inner();
    for (const Node* node : order_) {
      if (!inner_.contains(node)) rebuilt(*node);
    }
    std::vector<Value> result;
    for (const Value& output : outputs) result.push_back(image(output));
    return result;
  }

 private:
  struct Term {
    const Node* node;
    std::uint32_t index;
    bool negative;
  };

  static bool is_chain(const Op& op) { return &op == &op::add || &op == &op::multiply; }

  // Whether the user's grouping counts: it does for floats, whose sums and products are rounded.
  bool keeps_grouping(const Node& node) const {
    return mode_ == Flatten::as_written && is_inexact(node.type().dtype);
  }

  // The chain node that `operand` of a chain of `root` continues in; a negation in a sum is seen
  // through when it has one user as well.
  const Node* continuation(const Node& root, const Value& operand, bool& negative) const {
    if (keeps_grouping(root)) return nullptr;
    const Node* node = operand.get();
    if (&root.op() == &op::add && operand.is(op::negative) && uses_.at(node) == 1) {
      node = node->input(0).get();
      negative = true;
    }
    if (&node->op() != &root.op() || uses_.at(node) != 1) return nullptr;
    return node->type() == root.type() ? node : nullptr;
  }

  // Chain nodes that a user absorbs are never built by themselves.
  void mark_inner() {
    for (const Node* node : order_) {
      if (!is_chain(node->op())) continue;
      for (const Value& operand : node->operands()) {
        bool negative = false;
        if (const Node* next = continuation(*node, operand, negative)) {
          inner_.insert({next, true});
          if (negative) inner_.insert({operand.get(), true});
        }
      }
    }
  }

  // The terms of the chain from `root` down, in the order of evaluation.
  std::vector<Term> terms(const Node& root) const {
    std::vector<Term> out;
    struct Pending {
      const Value* operand;
      bool negative;
    };
    std::vector<Pending> stack;
    const auto push = [&](const Node& node, bool negative) {
      const std::span<const Value> operands = node.operands();
      for (std::size_t i = operands.size(); i-- > 0;) {
        stack.push_back({&operands[i], negative});
      }
    };
    push(root, false);
    while (!stack.empty()) {
      const Pending top = stack.back();
      stack.pop_back();
      bool negative = false;
      if (const Node* next = continuation(root, *top.operand, negative)) {
        push(*next, top.negative != negative);
      } else {
        out.push_back({top.operand->get(), top.operand->index(), top.negative});
      }
    }
    return out;
  }

  Value image(const Value& v) const {
    const Value& node = images_.at(v.get());
    return Value(node.get(), v.index());
  }

  // ((a + b) + c) + d for the sum of four terms, which is computed so.
  Value two_by_two(const Node& node) {
    Value total = image(node.operands()[0]);
    for (const Value& operand : node.operands().subspan(1)) {
      total = make_node(node.op(), {total, image(operand)});
      origins_.inherit(total, &node);
    }
    return total;
  }

  void rebuilt(const Node& node) {
    std::vector<Value> inputs;
    bool changed = false;
    if (is_chain(node.op()) && keeps_grouping(node) && node.operands().size() > 2) {
      images_.emplace(&node, two_by_two(node));
      return;
    }
    if (is_chain(node.op()) && !keeps_grouping(node)) {
      for (const Term& term : terms(node)) {
        Value v = image(Value(term.node, term.index));
        if (term.negative) v = v.is(op::negative) ? v.input(0) : make_node(op::negative, {v});
        inputs.push_back(std::move(v));
      }
      if (inputs.size() != node.operands().size()) {
        const Value made = make_node(node.op(), std::move(inputs));
        origins_.inherit(made, &node);
        images_.emplace(&node, made);
        return;
      }
      inputs.clear();
    }
    for (const Value& input : node.inputs()) {
      inputs.push_back(image(input));
      changed |= !(inputs.back() == input);
    }
    const Value made = changed ? rebuild(node, inputs) : Value(&node, 0);
    origins_.inherit(made, &node);
    images_.emplace(&node, made);
  }

  Flatten mode_;
  OriginMap& origins_;
  std::span<const Node* const> order_;
  std::unordered_map<const Node*, std::uint32_t> uses_;
  std::unordered_map<const Node*, bool> inner_;
  std::unordered_map<const Node*, Value> images_;
};

}  // namespace

std::vector<Value> flatten_chains(std::span<const Value> outputs,
                                  std::span<const Node* const> order, Flatten flatten,
                                  OriginMap& origins) {
  const bool has_chain = std::any_of(order.begin(), order.end(), [](const Node* node) {
    return &node->op() == &op::add || &node->op() == &op::multiply;
  });
  if (flatten == Flatten::no || !has_chain) return {outputs.begin(), outputs.end()};
  return Flattener(outputs, order, flatten, origins).run(outputs);
}

}  // namespace gnomon
