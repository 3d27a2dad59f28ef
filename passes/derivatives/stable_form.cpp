// Expressions as rules of stability write them, before derivatives are taken.
#include "passes/derivatives/stable_form.h"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/graph/graph.h"
#include "passes/engine/facts.h"
#include "passes/engine/phase.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// Beyond that, what reads a part in many places would be looked at once for each.
constexpr std::size_t most_exits = 256;
// Larger parts are derived as they are written: it would take longer than deriving them.
constexpr std::size_t most_nodes = 4096;

bool is_real(DType t) { return t == DType::float32 || t == DType::float64 || is_bool(t); }

// Functions that are close to one another, or to a number, somewhere.
bool is_function(const Value& v) {
  const Op& op = v.op();
  if (!op.is_elementwise() || !is_float(v.dtype())) return false;
  if (&op == &op::divide || &op == &op::reciprocal) return !is_constant(v.input(op.operands - 1));
  constexpr std::array plain = {&op::negative, &op::absolute, &op::sign,     &op::square,
                                &op::floor,    &op::ceil,     &op::trunc,    &op::round,
                                &op::add,      &op::subtract, &op::where,    &op::clip,
                                &op::minimum,  &op::maximum,  &op::multiply, &op::fma};
  return std::ranges::find(plain, &op) == plain.end();
}

bool has_function(const Value& v, int depth = 2) {
  if (is_function(v)) return true;
  if (depth == 0) return false;
  if (!v.is(op::negative) && !v.is(op::multiply) && !v.is(op::square)) return false;
  return std::ranges::any_of(v.node().operands(),
                             [&](const Value& x) { return has_function(x, depth - 1); });
}

// What overflows although its logarithm need not.
bool is_sum_of_exponentials(const Value& v) {
  return (v.is(op::sum) || v.is(op::mean)) && v.input(0).is(op::exp);
}

// Sums and quotients with a function in them, compositions of functions: where rules have something
// to say.
bool is_suspect(const Node& node) {
  const Op& op = node.op();
  if (!op.is_elementwise() || !is_float(node.type().dtype)) return false;
  const std::span<const Value> operands = node.operands();
  if (&op == &op::add || &op == &op::subtract || &op == &op::divide)
    return std::ranges::any_of(operands, [](const Value& v) { return has_function(v); });
  if (&op == &op::log && is_sum_of_exponentials(operands[0])) return true;
  return operands.size() == 1 && is_function(Value(&node, 0)) && &op != &op::reciprocal &&
         (has_function(operands[0]) || operands[0].is(op::add) || operands[0].is(op::subtract));
}

bool is_part(const Node& node) {
  if (node.output_count() != 1 || !is_real(node.type().dtype)) return false;
  if (!node.op().is_elementwise() && !is_sum_of_exponentials(Value(&node, 0))) return false;
  return std::ranges::all_of(node.inputs(), [](const Value& v) { return is_real(v.dtype()); });
}

// Rules whose form is better to compute and no better to derive: the derivative of a logarithm is a
// reciprocal, and differences of these are rules too; a power with a rounded exponent is worse.
const std::unordered_set<const Rule*>& rules_for_values_only() {
  static const auto found = [] {
    std::vector<std::string> names = {"log_difference", "entropy_difference", "arctan_difference",
                                      "exp_of_scaled_log", "log_sum_of_opposites"};
    return rules_named(names);
  }();
  return found;
}

// Whether a rule fired that is there for digits.
bool has_saved_digits(const Trace& trace) {
  constexpr Purposes digits = {Purpose::formulas, Purpose::differences, Purpose::derivatives};
  for (const RuleGroup* group : groups_for(digits))
    for (const Rule& rule : group->rules)
      if (const auto at = trace.rules.find(&rule); at != trace.rules.end() && at->second.fired > 0)
        return true;
  return false;
}

class StableForms {
 public:
  StableForms(std::span<const Value> outputs, std::span<const Value> fixed, Context& context)
      : outputs_(outputs), context_(context), order_(topological_order(outputs, fixed)) {
    std::unordered_set<Value> stays(fixed.begin(), fixed.end());
    numbers_.reserve(order_.size());
    for (const Node* node : order_)
      if (is_part(*node) && !stays.contains(Value(node, 0)))
        numbers_.emplace(node, numbers_.size());
  }

  std::vector<Value> run() {
    if (std::ranges::none_of(order_, [&](const Node* node) { return is_suspect_here(*node); }))
      return {outputs_.begin(), outputs_.end()};
    join();
    note_exits();
    for (auto& [root, part] : parts_)
      if (part.is_suspect && part.size <= most_nodes && part.exits.size() <= most_exits)
        rewrite_part(part);
    return rebuilt();
  }

 private:
  // Elementwise nodes and sums of exponentials that hang together: what enters, what others read,
  // and how it is written.
  struct Part {
    bool is_suspect = false;
    std::size_t size = 0;
    std::vector<Value> entries, exits;
    std::unordered_map<Value, Value> inputs;  // stand-ins for the entries
    std::unordered_map<Value, Value> forms;   // of the exits
  };

  bool is_suspect_here(const Node& node) const {
    return numbers_.contains(&node) && is_suspect(node);
  }

  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void join() {
    parent_.resize(numbers_.size());
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const auto& [node, number] : numbers_)
      for (const Value& input : node->inputs())
        if (const auto at = numbers_.find(input.get()); at != numbers_.end())
          parent_[root(at->second)] = root(number);
  }

  Part* part_of(const Node* node) {
    const auto at = numbers_.find(node);
    return at == numbers_.end() ? nullptr : &parts_[root(at->second)];
  }

  void note_exits() {
    std::unordered_set<Value> known;
    for (const Node* node : order_) {
      Part* part = part_of(node);
      if (part != nullptr) part->is_suspect |= is_suspect(*node), ++part->size;
      for (const Value& input : node->inputs()) {
        Part* from = part_of(input.get());
        if (from == part) continue;
        if (from != nullptr && known.insert(input).second) from->exits.push_back(input);
        if (part != nullptr && !is_constant(input)) note_entry(*part, input);
      }
    }
    for (const Value& output : outputs_)
      if (Part* from = part_of(output.get()); from != nullptr && known.insert(output).second)
        from->exits.push_back(output);
  }

  static void note_entry(Part& part, const Value& v) {
    const auto [place, fresh] = part.inputs.try_emplace(v);
    if (!fresh) return;
    place->second = tensor("", v.dtype(), v.shape()).value();
    part.entries.push_back(v);
  }

  void rewrite_part(Part& part) {
    Graph graph;
    graph.outputs = substitute(part.exits, part.inputs);
    auto origins = std::make_shared<OriginsByNode>();
    for (const Node* node : topological_order(graph.outputs))
      if (const auto places = node->origins(); !places.empty())
        origins->emplace(node, NodeOrigins{Value(node, 0), places, {}});
    graph.origins = origins;
    Context context;
    context.trace.record_firings = context_.trace.record_firings;
    context.options.disabled_rules = rules_for_values_only();
    const OriginScope no_place{Origin{}};
    // First the form that patterns are written in, as in the pipeline.
    graph = rewrite_by(Phase::plain_form, graph, context);
    graph = rewrite_by(Phase::stable_form, graph, context);
    if (!has_saved_digits(context.trace)) return;
    note(context.trace);
    for (const Node* node : topological_order(graph.outputs))
      for (const Origin& origin : graph.origins_of(node)) node->add_origin(origin);
    for (std::size_t i = 0; i < part.exits.size(); ++i)
      if (graph.outputs[i].type() == part.exits[i].type())
        part.forms.emplace(part.exits[i], graph.outputs[i]);
  }

  void note(const Trace& trace) {
    for (const auto& [rule, count] : trace.rules) context_.trace.rules[rule].fired += count.fired;
    context_.trace.firings.insert(context_.trace.firings.end(), trace.firings.begin(),
                                  trace.firings.end());
  }

  std::vector<Value> rebuilt() {
    std::unordered_map<Value, Value> images;  // of exits, and of what changed because of them
    const auto image = [&](const Value& v) {
      const auto at = images.find(v);
      return at == images.end() ? v : at->second;
    };
    for (const Node* node : order_) {
      const Value v(node, 0);
      const Part* part = part_of(node);
      const auto form = part == nullptr ? decltype(part->forms.end()){} : part->forms.find(v);
      if (part != nullptr && form != part->forms.end()) {
        std::unordered_map<Value, Value> entries;
        for (const Value& entry : part->entries)
          entries.emplace(part->inputs.at(entry), image(entry));
        images.emplace(v, substitute(std::span(&form->second, 1), entries)[0]);
        continue;
      }
      std::vector<Value> inputs;
      bool changed = false;
      for (const Value& input : node->inputs()) {
        inputs.push_back(image(input));
        changed |= !(inputs.back() == input);
      }
      if (!changed) continue;
      const Value made = rebuild(*node, inputs);
      for (std::uint32_t i = 0; i < node->output_count(); ++i)
        images.emplace(Value(node, i), Value(made.get(), i));
    }
    std::vector<Value> result;
    for (const Value& output : outputs_) result.push_back(image(output));
    return result;
  }

  std::span<const Value> outputs_;
  Context& context_;
  std::vector<const Node*> order_;
  std::unordered_map<const Node*, std::size_t> numbers_;  // of the nodes of parts
  std::vector<std::size_t> parent_;
  std::unordered_map<std::size_t, Part> parts_;
};

}  // namespace

std::vector<Value> stable_forms(std::span<const Value> outputs, std::span<const Value> fixed,
                                Context& context) {
  return StableForms(outputs, fixed, context).run();
}

}  // namespace gnomon
