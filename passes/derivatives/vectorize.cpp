// Batching: expressions for one example as expressions for all examples of a batch at once.
#include "passes/derivatives/vectorize.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/graph/origin.h"
#include "passes/derivatives/ragged.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/control/body.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

/// What a value becomes.
struct Image {
  Value value;
  bool batched = false;
};

// The user's line that a node comes from, as errors end with it.
std::string line_of(const Node& node) { return bracketed(first_origin(node)); }

bool has_attribute(const Op& op, std::string_view name) {
  return std::ranges::any_of(op.attributes,
                             [&](const AttributeSpec& spec) { return spec.name == name; });
}

/// Operands with the axis of examples before axes that line up from the last one.
Exprs batch_elementwise(const Batched& batch) {
  std::vector<Expr> operands = batch.x;
  for (std::size_t i = 0; i < operands.size(); ++i)
    if (batch.batched[i])
      while (operands[i].rank() <= batch.node.type().rank())
        operands[i] = expand_dims(operands[i], 1);
  return outputs_of(batch.node.op(), operands, batch.attributes);
}

BatchedBody batched_body(const Body& body, const std::vector<bool>& batched,
                         const std::vector<bool>& outputs, bool guarded);

class Vectorizer {
 public:
  /// `runs`: the examples whose results count; in the others nothing fails. Undefined: all do.
  explicit Vectorizer(Dim size, Expr runs = {}) : size_(std::move(size)), runs_(std::move(runs)) {}

  void replace(const Value& from, const Value& to) {
    stop_.push_back(from);
    images_[from] = {to, true};
    if (!is_leaf(from.op())) return;
    for (std::size_t i = 0; i < from.shape().size(); ++i) {
      const AtomRef atom = from.shape()[i].atom();
      if (atom && atom->kind == Atom::Kind::symbol && !(from.shape()[i] == to.shape()[i + 1]))
        symbols_.try_emplace(atom->number, to.shape()[i + 1]);
    }
  }

  const Image& of(const Value& v) {
    build(std::span(&v, 1));
    return images_.at(v);
  }

  /// The image with the axis of examples.
  Expr leading(const Value& v) {
    const Image image = of(v);
    if (!ragged_axes(v).empty()) refuse_rows(v);
    if (image.batched) return image.value;
    Shape shape = image.value.shape();
    shape.insert(shape.begin(), size_);
    return broadcast_to(Expr(image.value), shape);
  }

 private:
  void build(std::span<const Value> roots) {
    for (const Node* node : topological_order(roots, stop_)) {
      if (images_.contains(Value(node, 0))) continue;
      const OriginScope at(first_origin(*node));
      visit(*node);
    }
  }

  void keep(const Node& node, const Value& first) {
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      images_[Value(&node, i)] = {Value(first.get(), i == 0 ? first.index() : i), false};
  }

  /// Images of the outputs: those of one more axis are batched.
  void store(const Node& node, const Exprs& outputs) {
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      images_[Value(&node, i)] = {outputs[i].value(), outputs[i].rank() > node.type(i).rank()};
  }

  void visit(const Node& node) {
    bool any = false, changed = false;
    for (const Value& x : node.operands()) any = any || images_.at(x).batched;
    for (const Value& x : node.inputs()) changed = changed || images_.at(x).value != x;
    if (is_leaf(node.op()) || (!changed && symbols_.empty() && !runs_.defined()))
      return keep(node, Value(&node, 0));
    const auto map = [this, &node](const Atom& atom) { return dimension(atom, node); };
    if (!any && &node.op() == &op::extent)
      return keep(node, extent_value(node.attribute(0).dims()[0].substitute(map)));
    std::vector<Image> x;
    std::vector<Value> operands;
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      x.push_back(operand(node, k));
      operands.push_back(x.back().value);
    }
    const bool is_guarded = runs_.defined() && !regions_of(node).empty();
    if (!any && !is_guarded) return keep(node, rebuild(node, operands, map));
    check_rows(node);
    if (!rule_of(node.op()) && node.op().expand) return expand(node);
    Batched batch{node, node.attributes(), {}, {}, size_, runs_, batched_body};
    for (Attribute& attribute : batch.attributes) {
      if (attribute.kind() != Attribute::Kind::dim_list) continue;
      Shape dims;
      for (const Dim& d : attribute.dims()) dims.push_back(d.substitute(map));
      attribute = Attribute(std::move(dims));
    }
    for (const Image& image : x) {
      batch.x.emplace_back(image.value);
      batch.batched.push_back(image.batched);
    }
    store(node, checked_rule(node)(batch));
    note_rows(node);
  }

  // What becomes of operand k: such that the op does not fail in examples that do not count.
  Image operand(const Node& node, std::size_t k) const {
    const Image& image = images_.at(node.operands()[k]);
    if (!runs_.defined()) return image;
    const Op& op = node.op();
    const Expr x(image.value);
    if (op.positions && k >= *op.positions)
      return guarded(image, constant(std::int64_t{0}, x.dtype()));
    if (&op == &op::check && k == 1) return guarded(image, constant(std::int64_t{1}, x.dtype()));
    if (op.step == StepKind::routine && k == 0 && image.batched && x.dim(-1) == x.dim(-2))
      return guarded(image, eye(x.dim(-1), x.dtype()));
    return image;
  }
  Image guarded(const Image& image, const Expr& instead) const {
    const Expr x(image.value);
    const Expr made = image.batched ? along_examples(runs_, x.rank() - 1, x, instead)
                                    : where(any(runs_), x, instead);
    return {made.value(), image.batched};
  }

  // Rows of loops whose numbers of steps differ have the largest as their extent in all examples.
  void note_rows(const Node& node) {
    if (node.op().step != StepKind::loop || !images_.at(node.operands()[0]).batched) return;
    for (const Region& region : regions_of(node))
      for (const std::size_t row : region.rows) {
        const Image& image = images_.at(Value(&node, static_cast<std::uint32_t>(row)));
        const AtomRef steps = node.type(static_cast<std::uint32_t>(row)).shape[0].atom();
        if (steps && steps->scalar) longest_.try_emplace(*steps->scalar, image.value.shape()[1]);
      }
  }

  // The axes of a value that are as long as the rows of such loops.
  std::vector<std::size_t> ragged_axes(const Value& v) const {
    std::vector<std::size_t> found;
    for (std::size_t axis = 0; axis < v.shape().size(); ++axis) {
      bool ragged = false;
      v.shape()[axis].for_each_atom([&](const AtomRef& atom) {
        ragged = ragged || (atom->kind == Atom::Kind::value && longest_.contains(*atom->scalar));
      });
      if (ragged) found.push_back(axis);
    }
    return found;
  }

  void check_rows(const Node& node) const {
    for (std::size_t k = 0; k < node.operands().size(); ++k) {
      const std::vector<std::size_t> axes = ragged_axes(node.operands()[k]);
      if (!axes.empty() && !goes_by_position(node, k, axes)) refuse_rows(node.operands()[k]);
    }
  }

  [[noreturn]] static void refuse_rows(const Value& rows) {
    throw TypeError(fmt::format(
        "vectorize: expected loops that make the same number of steps for all examples, as the "
        "rows of all steps are used together, found {}{}",
        describe(rows), line_of(rows.node())));
  }

  using Rule = Exprs (*)(const Batched&);

  static Rule rule_of(const Op& op) {
    if (op.batch) return op.batch;
    if (op.is_elementwise() || &op == &op::cast) return batch_elementwise;
    const bool placed = has_attribute(op, "axis") || has_attribute(op, "axes");
    return placed || op.step == StepKind::routine ? batch_leading : nullptr;
  }

  static Rule checked_rule(const Node& node) {
    if (const Rule rule = rule_of(node.op())) return rule;
    throw TypeError(fmt::format("vectorize: expected an op with a rule for batches, found {}{}",
                                describe(Value(&node, 0)), line_of(node)));
  }

  void expand(const Node& node) {
    std::vector<Value> simpler;
    for (const Expr& e : node.op().expand(node)) simpler.push_back(e.value());
    build(simpler);
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      images_[Value(&node, i)] = images_.at(simpler[i]);
  }

  Dim dimension(const Atom& atom, const Node& node) {
    if (atom.kind == Atom::Kind::value) {
      const Image& image = images_.at(*atom.scalar);
      if (const auto longest = longest_.find(*atom.scalar); longest != longest_.end())
        return longest->second;
      // As many elements as the rows of a loop, as those that their cotangents are added to.
      if (image.batched && &node.op() == &op::broadcast_to)
        return longest_
            .try_emplace(*atom.scalar, Dim::value(largest_count(Expr(image.value)).value()))
            .first->second;
      if (image.batched)
        throw TypeError(fmt::format(
            "vectorize: expected extents and bounds of slices that are the same for all examples, "
            "found {} that depends on {}: a mask selects another number of elements in each, while "
            "where(mask, x, 0) and sum(x, where=mask) keep all{}",
            describe(Value(&node, 0)), describe(*atom.scalar), line_of(node)));
      return Dim::value(image.value);
    }
    const auto at = symbols_.find(atom.number);
    return at == symbols_.end() ? Dim::symbol(atom.number, atom.name) : at->second;
  }

  Dim size_;
  Expr runs_;
  std::vector<Value> stop_;
  std::unordered_map<Value, Image, ValueHash> images_;
  std::unordered_map<std::uint64_t, Dim> symbols_;
  std::unordered_map<Value, Dim, ValueHash> longest_;  // by the number of steps of each example
};

BatchedBody batched_body(const Body& body, const std::vector<bool>& batched,
                         const std::vector<bool>& outputs, bool guarded) {
  const Dim size = Dim::symbol("examples");
  const Expr runs = guarded ? tensor("runs", DType::bool_, {size}) : Expr();
  Vectorizer vectorizer(size, runs);
  std::vector<Expr> leaves;
  std::vector<Value> parameters;
  for (std::size_t i = 0; i < body->parameters.size(); ++i) {
    const Type& type = body->parameters[i].type;
    leaves.push_back(tensor(fmt::format("p{}", i), type.dtype, type.shape));
    parameters.push_back(leaves.back().value());
    if (!batched[i]) continue;
    Shape shape = type.shape;
    shape.insert(shape.begin(), size);
    parameters.back() = tensor(fmt::format("p{}", i), type.dtype, shape).value();
    vectorizer.replace(leaves[i].value(), parameters[i]);
  }
  if (guarded) parameters.push_back(runs.value());
  BatchedBody result;
  std::vector<Value> found;
  const std::vector<Expr> inlined = apply_checked_body(body, leaves);
  for (std::size_t i = 0; i < inlined.size(); ++i) {
    const Value& v = inlined[i].value();
    result.outputs.push_back(outputs[i] || vectorizer.of(v).batched);
    found.push_back(result.outputs[i] ? vectorizer.leading(v).value() : vectorizer.of(v).value);
  }
  result.body = make_body(parameters, found);
  return result;
}

/// The extent that the leading axes have in common: a known one if there is one.
Dim common_size(std::span<const Expr> examples) {
  Dim size = examples[0].shape()[0];
  for (const Expr& each : examples) {
    const Dim& other = each.shape()[0];
    if (!other.is_constant()) continue;
    if (size.is_constant() && !(size == other))
      throw ValueError(fmt::format("vectorize: expected one number of examples, found {} and {}",
                                   describe(examples[0]), describe(each)));
    size = other;
  }
  return size;
}

}  // namespace

std::vector<Expr> vectorize(const ExprList& outputs, const ExprList& inputs,
                            const ExprList& examples) {
  const CallPlace call("", outputs.origin());
  if (inputs.empty() || inputs.size() != examples.size())
    throw ValueError(fmt::format("vectorize: expected examples for each of {} inputs, found {}",
                                 inputs.size(), examples.size()));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (examples[i].dtype() != inputs[i].dtype() || examples[i].rank() != inputs[i].rank() + 1) {
      const std::string text =
          fmt::format("vectorize: expected examples of {} behind a leading axis, found {}",
                      describe(inputs[i]), describe(examples[i]));
      if (examples[i].dtype() != inputs[i].dtype()) throw TypeError(text);
      throw ValueError(text);
    }
  const Dim size = common_size(examples);
  Vectorizer vectorizer(size);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Shape shape = examples[i].shape();
    shape[0] = size;
    // Notes that the extents are equal.
    vectorizer.replace(inputs[i], broadcast_to(examples[i], shape));
  }
  std::vector<Expr> results;
  for (const Expr& output : outputs) {
    if (!output.defined()) throw TypeError("vectorize: each output must be a value, found nothing");
    results.push_back(vectorizer.leading(output));
  }
  return results;
}

}  // namespace gnomon
