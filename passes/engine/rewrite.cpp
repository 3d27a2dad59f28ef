// The rewrite engine: one memoised bottom-up sweep with a local fixed point at each new node,
// repeated until nothing fires. Nothing here recurses over the depth of the graph.
#include "passes/engine/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <memory_resource>

#include "passes/pipeline.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

using Clock = std::chrono::steady_clock;

IndexedRule indexed(const Rule& rule, bool raw) {
  IndexedRule out;
  out.rule = &rule;
  if (!rule.left) return out;
  out.left = raw ? *rule.left : canonical(*rule.left);
  // Sums in sums are looked into for three terms and more, and by rules across groups.
  const Pattern::Node& root = out.left->node();
  const bool is_nested = root.op->has(Trait::associative) && root.operands.size() > 2;
  if (is_nested || rule.is_across) return out;
  std::size_t count = 0;
  for (const Pattern& operand : root.operands) {
    if (operand.node().kind == Pattern::Kind::node && count < out.needs.size()) {
      out.needs[count++] = operand.node().op;
    }
  }
  return out;
}

// In the canonical form sums stand for differences.
bool may_match(const Rule& rule, const Op& root) {
  if (!rule.left)
    return rule.roots.empty() || std::ranges::find(rule.roots, &root) != rule.roots.end();
  const Op* const own = rule.left->node().op;
  return own == &root || (&root == &op::add && own == &op::subtract);
}

bool has_needed(const IndexedRule& rule, const Node& node) {
  for (const Op* op : rule.needs) {
    if (op == nullptr) continue;
    const std::span<const Value> operands = node.operands();
    if (std::none_of(operands.begin(), operands.end(), [&](const Value& v) { return v.is(*op); })) {
      return false;
    }
  }
  return true;
}

bool admits(RewriteLevel level, Promise promise) {
  if (promise == Promise::exact) return true;
  return level == RewriteLevel::fast || (level == RewriteLevel::all && promise != Promise::fast);
}

// What the sweeps over one graph share.
struct Session {
  const RuleSet& rules;
  Context& context;
  OriginMap& origins;
  std::int64_t budget;
  ParameterNames names;                // for records of firings
  std::shared_ptr<const Graph> graph;  // the same
  std::uint64_t fired = 0;
  bool exhausted = false;
  std::unordered_map<const Rule*, std::uint64_t> counts = {};
};

class Sweep {
 public:
  explicit Sweep(Session& session) : session_(session) {}

  void run(std::span<const Value> outputs, std::span<const Node* const> order) {
    users_.reserve(order.size());
    images_.reserve(order.size() * 2);
    for (const Node* node : order) {
      for (const Value& input : node->inputs()) add_users(input.get(), {1, &node->op()});
    }
    for (const Value& output : outputs) add_users(output.get(), {1, nullptr});
    for (const Node* node : order) simplify(node);
  }

  Value image(const Value& v) const {
    const auto found = images_.find(v.get());
    // A value in progress meets itself only through a cycle of rules: it stays as it is.
    if (found == images_.end() || found->second.in_progress) return v;
    const Image& image = found->second;
    return v.index() == 0 ? image.first : image.more[v.index() - 1];
  }

 private:
  struct Image {
    Value keep;  // holds the key alive
    bool in_progress = true;
    Value first;
    std::vector<Value> more;
  };
  enum class Stage : std::uint8_t { enter, rebuild, chase };
  struct Frame {
    Value keep;
    Value cause = {};  // what a rule replaced to bring this node in
    Stage stage = Stage::enter;
    Value rebuilt = {};
    std::vector<Value> replacements = {};
  };

  static Users users_of(const void* self, const Node* node) {
    const auto& users = static_cast<const Sweep*>(self)->users_;
    const auto found = users.find(node);
    return found == users.end() ? Users{} : found->second;
  }

  void add_users(const Node* node, const Users& more) {
    const auto [known, fresh] = users_.try_emplace(node, more);
    if (fresh) return;
    known->second.count += more.count;
    if (known->second.op != more.op) known->second.op = nullptr;
  }

  // The users of `old`, rebuilt as `node`, become those of `image`, which may have some of its own:
  // one of them is `node` itself where it is an operand.
  void pass_on_users(const Node* old, const Node* node, const Value& image) {
    const auto known = users_.find(old);
    if (known == users_.end() || image.get() == old) return;
    Users users = known->second;
    const auto is_image = [&](const Value& input) { return input.get() == image.get(); };
    if (std::ranges::any_of(node->inputs(), is_image)) --users.count;
    add_users(image.get(), users);
  }

  void simplify(const Node* start) {
    if (images_.contains(start)) return;
    std::vector<Frame> stack;
    stack.push_back({Value(start, 0)});
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.stage == Stage::enter) {
        enter(stack);
      } else if (top.stage == Stage::rebuild) {
        apply_rules(stack);
      } else {
        finish(top.rebuilt.get(), top.keep, top.replacements);
        stack.pop_back();
      }
    }
  }

  void enter(std::vector<Frame>& stack) {
    const Value keep = stack.back().keep;
    if (!images_.emplace(keep.get(), Image{keep, true, {}, {}}).second) {
      stack.pop_back();
      return;
    }
    const Value cause = stack.back().cause;
    if (cause && !session_.origins.has(keep.get())) session_.origins.inherit(keep, cause.get());
    stack.back().stage = Stage::rebuild;
    for (const Value& input : keep.node().inputs()) push_if_new(stack, input, cause);
  }

  void push_if_new(std::vector<Frame>& stack, const Value& v, const Value& cause) const {
    if (!images_.contains(v.get())) stack.push_back({Value(v.get(), 0), cause});
  }

  void apply_rules(std::vector<Frame>& stack) {
    Frame& top = stack.back();
    top.rebuilt = with_new_inputs(top.keep.node());
    const Node& node = top.rebuilt.node();
    if (&node != top.keep.get()) {
      const auto known = images_.emplace(&node, Image{top.rebuilt, true, {}, {}});
      if (!known.second) {
        // Rebuilt to a node met before: its image, or itself if that is still being found.
        const std::vector<Value> outputs = outputs_of(node);
        finish(top.keep.get(), top.keep, outputs);
        stack.pop_back();
        return;
      }
    }
    top.replacements = outputs_of(node);
    bool changed = false;
    for (Value& output : top.replacements) {
      if (Value better = fire(output)) {
        output = std::move(better);
        changed = true;
      }
    }
    top.stage = Stage::chase;
    if (!changed) return;
    const std::vector<Value> next = top.replacements;
    const Value cause = top.rebuilt;
    for (const Value& v : next) push_if_new(stack, v, cause);
  }

  // Notes the image of `node` and of the node it was rebuilt from.
  void finish(const Node* node, const Value& from, const std::vector<Value>& replacements) {
    std::vector<Value> images;
    for (const Value& v : replacements) images.push_back(image(v));
    for (std::size_t i = 0; i < images.size(); ++i) {
      if (i > 0 && images[i].get() == images[i - 1].get()) continue;
      pass_on_users(from.get(), node, images[i]);
      if (node != from.get()) pass_on_users(node, node, images[i]);
    }
    for (const Node* each : {node, from.get()}) {
      Image& entry = images_.at(each);
      entry.in_progress = false;
      entry.first = images[0];
      entry.more.assign(images.begin() + 1, images.end());
    }
  }

  static std::vector<Value> outputs_of(const Node& node) {
    std::vector<Value> out;
    for (std::uint32_t i = 0; i < node.output_count(); ++i) out.emplace_back(&node, i);
    return out;
  }

  Value with_new_inputs(const Node& node) {
    std::vector<Value> inputs;
    inputs.reserve(node.inputs().size());
    bool changed = false;
    for (const Value& input : node.inputs()) {
      inputs.push_back(image(input));
      changed |= !(inputs.back() == input);
    }
    if (!changed) return Value(&node, 0);
    Value made = rebuild(node, inputs);
    session_.origins.inherit(made, &node);
    return made;
  }

  Value fire(const Value& v) {
    if (session_.exhausted || v.op().has(Trait::opaque_to_rules)) return {};
    const auto& disabled = session_.context.options.disabled_rules;
    for (const IndexedRule& rule : session_.rules.rules_of(v.op())) {
      if (rule.left && !has_needed(rule, v.node())) continue;
      if (!disabled.empty() && disabled.contains(rule.rule)) continue;
      if (Value better = attempt(rule, v)) return better;
    }
    return {};
  }

  Value attempt(const IndexedRule& rule, const Value& v) {
    Trace& trace = session_.context.trace;
    const bool timed = trace.timed;
    const Clock::time_point start = timed ? Clock::now() : Clock::time_point();
    Value better = replacement(rule, v);
    if (better) check(*rule.rule, v, better);
    if (better && better == v) better = {};
    const bool fires = static_cast<bool>(better);
    if (!fires && !timed) return {};
    RuleCount& count = trace.rules[rule.rule];
    ++count.tried;
    if (timed) count.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    if (!fires) return {};
    ++count.fired;
    note_firing(*rule.rule, v, better);
    return better;
  }

  Value replacement(const IndexedRule& rule, const Value& v) {
    Match match;
    match.root = v;
    match.users_of = &users_of;
    match.engine = this;
    match.disabled = &session_.context.options.disabled_rules;
    match.is_in_body = session_.context.is_in_body;
    match.calls_library = session_.context.options.calls_library;
    match.multiplies_halves = session_.context.options.multiplies_halves;
    match.regroups = session_.rules.level() == RewriteLevel::fast || !is_inexact(v.dtype());
    return gnomon::replacement(rule, match);
  }

  // Brings a replacement to the type of what it replaces.
  static void check(const Rule& rule, const Value& before, Value& after) {
    if (after.dtype() != before.dtype()) {
      throw InternalError(fmt::format("rule {}: expected {}, found {} from {} [{}:{}]", rule.name,
                                      before.type().text(), after.type().text(), describe(before),
                                      rule.at.file_name(), rule.at.line()));
    }
    if (after.shape() != before.shape()) {
      after = make_node(op::broadcast_to, {after}, {Attribute(before.shape())});
    }
  }

  void note_firing(const Rule& rule, const Value& before, const Value& after) {
    session_.origins.inherit(after, before.get());
    Trace& trace = session_.context.trace;
    if (trace.record_firings) {
      const std::span<const Origin> places = session_.origins.lines_of(before.get());
      const std::span<const std::uint32_t> positions = session_.origins.positions_of(before.get());
      trace.firings.push_back({&rule,
                               session_.context.pass,
                               before,
                               after,
                               {places.begin(), places.end()},
                               {positions.begin(), positions.end()},
                               session_.names,
                               session_.graph});
    }
    ++session_.counts[&rule];
    if (static_cast<std::int64_t>(++session_.fired) >= session_.budget) {
      session_.exhausted = true;
      note_limit(fmt::format("{} firings", session_.budget));
    }
  }

  void note_limit(const std::string& limit) {
    std::vector<std::pair<std::uint64_t, std::string_view>> most;
    for (const auto& [rule, count] : session_.counts) most.emplace_back(count, rule->name);
    std::sort(most.rbegin(), most.rend());
    std::string text =
        fmt::format("{}: stopped after {}; most often:", session_.context.pass, limit);
    for (std::size_t i = 0; i < most.size() && i < 5; ++i) {
      text += fmt::format(" {} ({})", most[i].second, most[i].first);
    }
    session_.context.trace.notes.push_back(std::move(text));
  }

  Session& session_;
  std::pmr::monotonic_buffer_resource memory_;
  std::pmr::unordered_map<const Node*, Image> images_{&memory_};
  std::pmr::unordered_map<const Node*, Users> users_{&memory_};
};

// The operands of a sum or product that a match left over, with the replacement in the place of the
// first that matched.
Value with_leftover(const Value& v, const Leftover& left, Value made) {
  if (left.beside) return make_node(v.op(), {left.beside, made});
  const std::vector<bool>& used = left.used;
  if (std::find(used.begin(), used.end(), false) == used.end()) return made;
  std::vector<Value> operands;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) operands.push_back(v.node().operands()[i]);
    if (used[i] && made) operands.push_back(std::exchange(made, {}));
  }
  return make_node(v.op(), std::move(operands));
}

}  // namespace

Value replacement(const IndexedRule& rule, Match& match) {
  const Rule& row = *rule.rule;
  const Value& root = match.root;
  Leftover left;
  if (row.root_condition && !row.root_condition(match)) return {};
  if (rule.left) {
    if (!match_pattern(*rule.left, row, root, match, left)) return {};
  } else if (row.condition && !row.condition(match)) {
    return {};
  }
  Value made = row.rewriting ? row.rewriting(match).value()
                             : instantiate(*row.right, match, root.dtype()).value();
  return made ? with_leftover(root, left, std::move(made)) : Value();
}

RuleSet::RuleSet(const Purposes& purposes, RewriteLevel level, const Op* root) : level_(level) {
  for (const RuleGroup* group : groups_for(purposes)) {
    for (const Rule& rule : group->rules) {
      if (!admits(level, rule.promise) || (root != nullptr && !may_match(rule, *root))) continue;
      IndexedRule row = indexed(rule, defines_form(*group));
      if (row.left) {
        by_op_[row.left->node().op].push_back(std::move(row));
        continue;
      }
      if (rule.roots.empty()) any_.push_back(row);
      for (const Op* op : rule.roots) by_op_[op].push_back(row);
    }
  }
  for (auto& [op, rules] : by_op_) rules.insert(rules.end(), any_.begin(), any_.end());
}

std::span<const IndexedRule> RuleSet::rules_of(const Op& op) const {
  const auto found = by_op_.find(&op);
  return found == by_op_.end() ? std::span<const IndexedRule>(any_) : found->second;
}

Graph rewrite(const Graph& graph, const RuleSet& rules, Context& context, Flatten flatten) {
  constexpr int max_sweeps = 12;
  std::vector<const Node*> order = graph.topological_order();
  // Most phases have nothing to say about most graphs.
  const bool concerned = std::any_of(order.begin(), order.end(), [&](const Node* node) {
    return !rules.rules_of(node->op()).empty();
  });
  if (!concerned) return graph;
  OriginMap origins(graph);
  const std::int64_t budget =
      context.options.firings_per_node * (static_cast<std::int64_t>(order.size()) + 16);
  const bool is_recorded = context.trace.record_firings;
  Session session{rules,
                  context,
                  origins,
                  budget,
                  is_recorded ? names_of(graph) : nullptr,
                  is_recorded ? std::make_shared<const Graph>(graph) : nullptr};
  Graph current = graph;
  for (int sweeps = 0; sweeps < max_sweeps && !session.exhausted; ++sweeps) {
    std::vector<Value> outputs = flatten_chains(current.outputs, order, flatten, origins);
    if (outputs != current.outputs) order = topological_order(outputs);
    const std::uint64_t before = session.fired;
    Sweep sweep(session);
    sweep.run(outputs, order);
    for (Value& output : outputs) output = sweep.image(output);
    if (!context.trace.passes.empty()) ++context.trace.passes.back().sweeps;
    if (outputs == current.outputs) break;
    current = with_outputs(current, std::move(outputs));
    order = current.topological_order();
    if (session.fired == before) break;
  }
  if (!context.trace.passes.empty()) context.trace.passes.back().fired += session.fired;
  if (current.outputs != graph.outputs) origins.store(current);
  return current;
}

}  // namespace gnomon
