// Reductions, products, bodies and whole graphs with numbers. Only generic.h includes it.
#pragma once

#include "ir/reference/generic.h"

namespace gnomon {

template <class Numbers>
auto Evaluator<Numbers>::from_array(const Array& array) const -> Data {
  auto result = std::make_shared<Tensor<Number>>();
  result->dtype = array.dtype();
  result->shape.assign(array.shape().begin(), array.shape().end());
  const Array packed = array.contiguous();
  for (std::int64_t i = 0; i < packed.size(); ++i)
    result->data.push_back(
        numbers_.from_cell(array.dtype(), cell_load(array.dtype(), packed.data(), i)));
  return result;
}

template <class Numbers>
Array Evaluator<Numbers>::to_array(const Tensor<Number>& tensor) const {
  Array result = Array::empty(tensor.dtype, tensor.shape);
  for (std::size_t i = 0; i < tensor.data.size(); ++i)
    cell_store(tensor.dtype, result.data(), static_cast<std::int64_t>(i),
               numbers_.to_cell(tensor.dtype, tensor.data[i]));
  return result;
}

template <class Numbers>
auto Evaluator<Numbers>::elementwise(Frame& frame, const Node& node) -> Data {
  auto result = std::make_shared<Tensor<Number>>();
  result->dtype = node.type().dtype;
  const std::size_t operands = node.operands().size();
  std::vector<const Tensor<Number>*> x;
  std::size_t rank = 0;
  for (std::size_t k = 0; k < operands; ++k) {
    x.push_back(operand(frame, node, k).get());
    rank = std::max(rank, x[k]->shape.size());
  }
  result->shape.assign(rank, 1);
  for (const Tensor<Number>* t : x)
    for (std::size_t i = 0, first = rank - t->shape.size(); i < t->shape.size(); ++i)
      if (t->shape[i] != 1) result->shape[first + i] = t->shape[i];
  for (const Tensor<Number>* t : x)
    for (std::size_t i = 0, first = rank - t->shape.size(); i < t->shape.size(); ++i)
      if (t->shape[i] != 1 && t->shape[i] != result->shape[first + i])
        throw ValueError(fmt::format("{}: extents differ: {} and {}", node.op().name, t->shape[i],
                                     result->shape[first + i]));
  const std::int64_t count = count_of(result->shape, node.op().name);
  std::vector<Number> cells(operands);
  IndexWalk walk(result->shape);
  for (std::int64_t i = 0; i < count; ++i, walk.next()) {
    if (i % 4096 == 0) pause();
    for (std::size_t k = 0; k < operands; ++k) {
      std::int64_t offset = 0;
      const std::size_t first = rank - x[k]->shape.size();
      for (std::size_t axis = 0; axis < x[k]->shape.size(); ++axis)
        offset =
            offset * x[k]->shape[axis] + (x[k]->shape[axis] == 1 ? 0 : walk.index()[first + axis]);
      cells[k] = x[k]->data[static_cast<std::size_t>(offset)];
    }
    result->data.push_back(
        numbers_.apply(node.op(), x.back()->dtype, result->dtype, std::span<const Number>(cells)));
  }
  return result;
}

template <class Numbers>
auto Evaluator<Numbers>::identity(const Node& node, DType t) const -> Number {
  using Identity = Reduction::Identity;
  const Identity kind = node.op().reduction.identity;
  if (kind == Identity::no || kind == Identity::yes)
    return numbers_.from_cell(DType::bool_, cell_make(kind == Identity::yes));
  if (kind == Identity::zero || kind == Identity::one)
    return numbers_.cast(integer(kind == Identity::one), DType::int64, t);
  return with_type(t, [&]<class T>(T) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::is_floating_point_v<T>) {
      const T infinity = Limits::infinity();
      return numbers_.from_cell(t, cell_make(kind == Identity::lowest ? -infinity : infinity));
    } else {
      return numbers_.from_cell(
          t, cell_make(kind == Identity::lowest ? Limits::lowest() : Limits::max()));
    }
  });
}

template <class Numbers>
auto Evaluator<Numbers>::reduction(Frame& frame, const Node& node) -> std::vector<Data> {
  const Reduction& rule = node.op().reduction;
  const Tensor<Number>& x = *operand(frame, node, 0);
  const IntList& axes = node.attribute("axes").ints();
  const bool keepdims = node.attribute("keepdims").flag();
  auto values = std::make_shared<Tensor<Number>>();
  auto indices = std::make_shared<Tensor<Number>>();
  values->dtype = x.dtype;
  indices->dtype = DType::int64;
  Extent kept = x.shape;
  for (const std::int64_t axis : axes) kept[static_cast<std::size_t>(axis)] = 1;
  const std::int64_t count = count_of(kept, node.op().name);
  // Without elements this stays the identity: that an extremum has one is an entry check of the
  // graph, so that logsumexp can be expanded over none.
  values->data.assign(static_cast<std::size_t>(count), identity(node, x.dtype));
  indices->data.assign(static_cast<std::size_t>(count), integer(0));
  std::vector<std::int64_t> seen(static_cast<std::size_t>(count), 0);
  IndexWalk walk(x.shape);
  for (const Number& element : x.data) {
    if ((&element - x.data.data()) % 4096 == 0) pause();
    std::size_t target = 0;
    for (std::size_t axis = 0; axis < kept.size(); ++axis)
      target = target * static_cast<std::size_t>(kept[axis]) +
               static_cast<std::size_t>(kept[axis] == 1 ? 0 : walk.index()[axis]);
    Number& value = values->data[target];
    const Number pair[] = {value, element};
    const Number combined =
        numbers_.apply(*rule.combine, x.dtype, x.dtype, std::span<const Number>(pair, 2));
    const std::int64_t at = seen[target]++;
    // Row-major order visits the reduced elements of each target in their own row-major order.
    const bool keeps =
        at != 0 && (numbers_.is_nan(x.dtype, value) || numbers_.equal(x.dtype, combined, value));
    if (rule.arg && !keeps) indices->data[target] = integer(at);
    value = combined;
    walk.next();
  }
  values->shape = kept;
  if (!keepdims)
    for (std::size_t k = axes.size(); k-- > 0;)
      values->shape.erase(values->shape.begin() + axes[k]);
  indices->shape = values->shape;
  if (!rule.arg) return {values};
  return {values, indices};
}

template <class Numbers>
auto Evaluator<Numbers>::product(Frame& frame, const Node& node) -> Data {
  const ProductForm form = product_form(node);
  const Tensor<Number>&a = *operand(frame, node, 0), &b = *operand(frame, node, 1);
  const std::size_t rank = a.shape.size();
  const auto [m, k] = form.left(a.shape);
  const auto [rows_of_b, n] = form.right(b.shape);
  if (rows_of_b != k || !std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin()))
    throw ValueError(fmt::format("{}: sizes differ", node.op().name));
  auto result = std::make_shared<Tensor<Number>>();
  result->dtype = a.dtype;
  result->shape = a.shape;
  result->shape[rank - 2] = m;
  result->shape[rank - 1] = n;
  const Number zero = numbers_.cast(integer(0), DType::int64, a.dtype);
  const auto real = [&](double v) {
    return numbers_.cast(numbers_.from_cell(DType::float64, cell_make(v)), DType::float64, a.dtype);
  };
  const Tensor<Number>* c = node.operands().size() > 2 ? operand(frame, node, 2).get() : nullptr;
  const std::int64_t count = count_of(result->shape, node.op().name);
  for (std::int64_t i = 0; i < count; ++i) {
    if (i % 64 == 0) pause();
    const std::int64_t batch = i / (m * n), row = i / n % m, column = i % n;
    Number sum = zero;
    for (std::int64_t t = 0; t < k; ++t) {
      const std::int64_t at_a = batch * m * k + (form.trans_a ? t * m + row : row * k + t);
      const std::int64_t at_b = batch * k * n + (form.trans_b ? column * k + t : t * n + column);
      sum = numbers_.add(a.dtype, sum,
                         numbers_.multiply(a.dtype, a.data[static_cast<std::size_t>(at_a)],
                                           b.data[static_cast<std::size_t>(at_b)]));
    }
    if (form.alpha != 1) sum = numbers_.multiply(a.dtype, real(form.alpha), sum);
    // c may be smaller: its leading axes of extent 1 stretch.
    if (c != nullptr) {
      std::int64_t offset = 0, rest = i, stride = 1;
      for (std::size_t axis = c->shape.size(); axis-- > 0;) {
        const std::int64_t extent = result->shape[rank - c->shape.size() + axis];
        if (c->shape[axis] != 1) offset += rest % extent * stride;
        rest /= extent;
        stride *= c->shape[axis];
      }
      sum = numbers_.add(
          a.dtype, sum,
          numbers_.multiply(a.dtype, real(form.beta), c->data[static_cast<std::size_t>(offset)]));
    }
    result->data.push_back(sum);
  }
  return result;
}

template <class Numbers>
auto Evaluator<Numbers>::run_region(Frame& frame, const Node& node, const Region& region)
    -> std::vector<std::pair<std::size_t, Data>> {
  const std::span<const Region::Parameter> parameters(region.parameters);
  std::vector<Data> arguments, outputs(region.results.size());
  const auto number = [&](std::int64_t i) {
    return std::make_shared<Tensor<Number>>(Tensor<Number>{DType::int64, {}, {integer(i)}});
  };
  for (const Region::Parameter& p : parameters) {
    arguments.push_back(p.operand ? operand(frame, node, *p.operand) : number(0));
    if (p.next) outputs[*p.next] = arguments.back();
  }
  std::int64_t runs = 1;
  if (region.count)
    runs = std::max<std::int64_t>(0, integer_of(operand(frame, node, *region.count)->data[0]));
  const std::size_t last = region.results.size();
  std::vector<std::vector<Number>> rows(region.rows.size());
  const auto goes_on = [&] {
    return !region.while_state ||
           numbers_.to_cell(DType::bool_, outputs[*region.while_state]->data[0]).b;
  };
  for (std::int64_t i = 0; i < runs && goes_on(); ++i) {
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const Region::Parameter& p = parameters[k];
      if (!p.operand) arguments[k] = number(i);
      if (p.next) arguments[k] = outputs[*p.next];
    }
    if (observer_ != nullptr) observer_->begin(node, region, i, arguments);
    outputs = run(body_of(node, region), arguments);
    if (observer_ != nullptr) observer_->end(outputs);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::vector<Number>& data = outputs[last + k]->data;
      rows[k].insert(rows[k].end(), data.begin(), data.end());
    }
  }
  std::vector<std::pair<std::size_t, Data>> results;
  for (std::size_t k = 0; k < last; ++k)
    results.emplace_back(region.results[k], std::move(outputs[k]));
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Type& type = node.type(static_cast<std::uint32_t>(region.rows[k]));
    Tensor<Number> stacked{type.dtype, frame.extents(type.shape), std::move(rows[k])};
    stacked.data.resize(static_cast<std::size_t>(count_of(stacked.shape, node.op().name)),
                        numbers_.from_cell(type.dtype, Cell{}));
    results.emplace_back(region.rows[k], std::make_shared<Tensor<Number>>(std::move(stacked)));
  }
  return results;
}

template <class Numbers>
auto Evaluator<Numbers>::run_regions(Frame& frame, const Node& node) -> std::vector<Data> {
  std::vector<Data> results(node.output_count());
  for (const Region& region : regions_of(node)) {
    if (const auto& when = region.condition;
        when &&
        numbers_.to_cell(DType::bool_, operand(frame, node, when->operand)->data[0]).b != when->is)
      continue;
    for (auto& [k, data] : run_region(frame, node, region)) results[k] = std::move(data);
  }
  return results;
}

template <class Numbers>
auto Evaluator<Numbers>::expanded(Frame& frame, const Node& node) -> std::vector<Data> {
  std::vector<Value> simpler;
  for (const Expr& e : node.op().expand(node)) simpler.push_back(e.value());
  compute(frame, simpler, node.inputs());
  std::vector<Data> results;
  for (const Value& v : simpler) results.push_back(frame.values.at(v));
  return results;
}

template <class Numbers>
void Evaluator<Numbers>::test_condition(Frame& frame, const Node& node) {
  const auto& holds = operand(frame, node, 1)->data;
  for (std::size_t i = 0; i < holds.size(); ++i) {
    if (numbers_.to_cell(DType::bool_, holds[i]).b) continue;
    std::string text = node.attribute("message").string();
    if (node.operands().size() == 2) throw ValueError(text);
    const std::pair<std::string_view, std::size_t> fields[] = {{"{value}", 2}, {"{bound}", 3}};
    for (const auto& [field, k] : fields) {
      const auto& data = operand(frame, node, k)->data;
      const Number& each = data[data.size() == 1 ? 0 : i];
      const auto number = std::to_string(numbers_.to_cell(DType::int64, each).i);
      for (std::size_t at; (at = text.find(field)) != std::string::npos;)
        text.replace(at, field.size(), number);
    }
    throw IndexError(text);
  }
}

template <class Numbers>
void Evaluator<Numbers>::set(Frame& frame, const Node& node, std::uint32_t output, Data data) {
  const Value v(&node, output);
  if (data->dtype != v.dtype() || static_cast<int>(data->shape.size()) != v.rank())
    throw InternalError(
        fmt::format("{}: expected {}, evaluated to another type", node.op().name, v.type().text()));
  if (data->dtype == DType::int64 && data->shape.empty())
    frame.extents.set(v, integer_of(data->data[0]));
  frame.values.insert_or_assign(v, std::move(data));
}

template <class Numbers>
void Evaluator<Numbers>::compute_node(Frame& frame, const Node& node) {
  const Op& op = node.op();
  std::vector<Data> results;
  if (&op == &op::constant) {
    results = {from_array(node.attribute(0).array())};
  } else if (is_leaf(op)) {
    throw ValueError("evaluate: no value was given for " + describe(Value(&node, 0)));
  } else if (op.step == StepKind::check) {
    test_condition(frame, node);
    results = {operand(frame, node, 0)};
  } else if (op.step == StepKind::print || op.step == StepKind::transfer) {
    results = {operand(frame, node, 0)};
  } else if (op.step == StepKind::product && node.input(0).dtype() == node.type().dtype) {
    results = {product(frame, node)};
  } else if (op.step == StepKind::routine) {
    if constexpr (requires { numbers_.perturb(std::declval<Tensor<Number>&>()); })
      results = perturbed_routine(frame, node);
    else
      results = routine(frame, node);
  } else if (op.step == StepKind::convolution) {
    results = {convolution(frame, node)};
  } else if (op.step == StepKind::lines) {
    results = {lines(frame, node)};
  } else if (op.reduction) {
    results = reduction(frame, node);
  } else if (op.is_elementwise()) {
    results = {elementwise(frame, node)};
  } else if (op.write) {
    results = {write(frame, node)};
  } else if (op.element != nullptr) {
    for (std::uint32_t i = 0; i < node.output_count(); ++i)
      results.push_back(by_element(frame, node, i));
  } else if (op.expand != nullptr) {
    results = expanded(frame, node);
  } else if (op.regions != nullptr) {
    results = run_regions(frame, node);
  } else {
    throw InternalError(fmt::format("{}: the record says nothing to evaluate", op.name));
  }
  for (std::uint32_t i = 0; i < results.size(); ++i) set(frame, node, i, results[i]);
  if (observer_ != nullptr) observer_->computed(node, results);
}

template <class Numbers>
auto Evaluator<Numbers>::perturbed_routine(Frame& frame, const Node& node) -> std::vector<Data> {
  std::unordered_map<Value, Data, ValueHash> kept;
  for (const Value& v : node.operands()) {
    Data& operand = frame.values.at(v);
    if (!kept.emplace(v, operand).second) continue;
    auto perturbed = std::make_shared<Tensor<Number>>(*operand);
    numbers_.perturb(*perturbed);
    operand = std::move(perturbed);
  }
  std::vector<Data> results = routine(frame, node);
  for (auto& [v, data] : kept) frame.values.at(v) = std::move(data);
  std::vector<std::shared_ptr<Tensor<Number>>> turned;
  for (const Data& data : results) turned.push_back(std::make_shared<Tensor<Number>>(*data));
  numbers_.turn(node, turned);
  return {turned.begin(), turned.end()};
}

template <class Numbers>
void Evaluator<Numbers>::compute(Frame& frame, std::span<const Value> outputs,
                                 std::span<const Value> stop) {
  for (const Node* node : topological_order(outputs, stop))
    if (!frame.values.contains(Value(node, 0))) {
      pause();
      compute_node(frame, *node);
    }
}

template <class Numbers>
auto Evaluator<Numbers>::run(const Graph& graph, std::span<const Data> inputs)
    -> std::vector<Data> {
  if (inputs.size() != graph.parameters.size())
    throw ValueError(fmt::format("evaluate: expected {} inputs, found {}", graph.parameters.size(),
                                 inputs.size()));
  Frame frame;
  for (const bool lone : {true, false}) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Parameter& p = graph.parameters[i];
      if (inputs[i]->dtype != p.type.dtype)
        throw ValueError(fmt::format("{}: expected {}, found {}", p.name, p.type.text(),
                                     gnomon::describe(inputs[i]->dtype, inputs[i]->shape)));
      frame.extents.match(p.name, p.type, inputs[i]->shape, lone);
    }
  }
  for (const Node* node : graph.topological_order())
    if (&node->op() == &op::param)
      set(frame, *node, 0, inputs[static_cast<std::size_t>(node->attribute(0).integer())]);
  for (const EntryCheck& check : graph.checks) {
    std::vector<Value> needed;
    for (const Dim& side : {check.left, check.right})
      side.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind == Atom::Kind::value) needed.push_back(*atom->scalar);
      });
    if (!needed.empty()) compute(frame, needed);
    const std::int64_t left = frame.extents(check.left), right = frame.extents(check.right);
    if (left == right) continue;
    const std::string text = fmt::format("{} ({} and {})", check.message, left, right);
    if (check.is_index) throw IndexError(text);
    throw ValueError(text);
  }
  compute(frame, graph.outputs);
  std::vector<Data> results;
  for (const Value& output : graph.outputs) results.push_back(frame.values.at(output));
  return results;
}

template <class Numbers>
auto Evaluator<Numbers>::run(std::span<const Value> outputs,
                             const std::unordered_map<Value, Data>& leaves) -> std::vector<Data> {
  Frame frame;
  for (const bool lone : {true, false})
    for (const auto& [leaf, data] : leaves)
      frame.extents.match(describe(leaf), leaf.type(), data->shape, lone);
  for (const auto& [leaf, data] : leaves) set(frame, leaf.node(), leaf.index(), data);
  std::vector<Value> known;
  for (const auto& [leaf, data] : leaves) known.push_back(leaf);
  compute(frame, outputs, known);
  std::vector<Data> results;
  for (const Value& output : outputs) results.push_back(frame.values.at(output));
  return results;
}

}  // namespace gnomon
