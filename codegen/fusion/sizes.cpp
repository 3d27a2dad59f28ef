// Sizes of values by their types, work by the costs that operations and library steps have.
#include "codegen/fusion/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "codegen/fusion/fuse.h"
#include "codegen/module/cache_lines.h"
#include "codegen/module/service.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/lanes/workspace.h"

namespace gnomon {

namespace {

// What an elementwise op, a reduction or a move of elements does.
Dim work_in_kernel(const Node& node) {
  const bool reduces = is_row_reduction(node) || is_column_reduction(node);
  const Dim elements = element_count(reduces ? node.input(0).shape() : node.type().shape);
  return node.op().is_elementwise() ? elements * node.op().scalar.cost : elements;
}

Dim work_of_step(const Node& node) {
  return service_of(node.op().step) ? service_step(node).work : work_in_kernel(node);
}

}  // namespace

Sizes::Sizes(const Graph& graph, const std::vector<std::vector<std::int64_t>>& shapes) {
  if (shapes.size() != graph.parameters.size())
    throw ValueError(fmt::format("memory_budget: expected shapes of {} inputs, found {}",
                                 graph.parameters.size(), shapes.size()));
  for (std::size_t i = 0; i < shapes.size(); ++i) note(graph.parameters[i], shapes[i]);
}

void Sizes::note(const Parameter& p, std::vector<std::int64_t> shape) {
  const std::vector<std::int64_t> given = shape;
  // A complex array is one of pairs by now.
  if (shape.size() + 1 == p.type.shape.size() && p.type.shape.back().is(2)) shape.push_back(2);
  bool fits = shape.size() == p.type.shape.size();
  for (std::size_t a = 0; fits && a < shape.size(); ++a) {
    const Dim& d = p.type.shape[a];
    const AtomRef atom = d.atom();
    if (atom && atom->kind == Atom::Kind::symbol) extents_.try_emplace(atom->number, shape[a]);
    fits = value(d) == shape[a];
  }
  if (!fits)
    throw ValueError(fmt::format("memory_budget: expected a shape of {}: {}, found [{}]", p.name,
                                 p.type.text(), fmt::join(given, ", ")));
}

std::optional<std::int64_t> Sizes::value(const Dim& d) const {
  bool known = true;
  if (!d.is_constant())
    d.for_each_atom([&](const AtomRef& a) {
      known = known && a->kind == Atom::Kind::symbol && extents_.contains(a->number);
    });
  if (!known) return std::nullopt;
  return d.evaluate([&](const Atom& a) { return extents_.at(a.number); });
}

std::int64_t Sizes::bytes_of(const Type& type) const {
  return bytes_in_lines(value(element_count(type.shape)).value_or(0), type.dtype);
}

double Sizes::work_of(const Node& node) const {
  if (node.op().regions != nullptr) return work_of_regions(node);
  return static_cast<double>(value(work_of_step(node)).value_or(-1));
}

double Sizes::work_of_regions(const Node& node) const {
  double work = 0;
  for (const Region& region : regions_of(node)) {
    const double one = work_of(node, region);
    if (one < 0) return -1;
    work += one;
  }
  return work;
}

double Sizes::work_of(const Node& node, const Region& region) const {
  const auto count = region.count ? value(Dim::value(node.input(*region.count))) : 1;
  if (!count) return -1;
  std::vector<Value> arguments;
  for (const Region::Parameter& p : region.parameters)
    arguments.push_back(p.operand ? node.input(*p.operand)
                                  : tensor("index", DType::int64, {}).value());
  const Graph& graph = body_of(node, region);
  if (impossible_check(graph, arguments)) return 0;  // it fails before it does anything
  const std::vector<Value> body = inline_body(graph, fitted_to_body(graph, arguments));
  double work = 0;
  for (const Node* n : topological_order(body, arguments)) {
    const double one = work_of(*n);
    if (one < 0) return -1;
    work += one;
  }
  return work * static_cast<double>(std::max<std::int64_t>(*count, 0));
}

std::int64_t Sizes::workspace_of(const Module& module) const {
  if (!module.is_on_device()) return workspace_of(module, module.workspace);
  std::int64_t bytes = 0;
  for (const std::vector<int>& placed : module.device_workspaces)
    bytes += workspace_of(module, placed);
  return bytes;
}

std::int64_t Sizes::workspace_of(const Module& module, const std::vector<int>& placed) const {
  const std::size_t n = placed.size();
  if (n == 0) return 0;
  std::vector<std::int64_t> bytes(n), offsets(n);
  const auto lives = std::make_unique<std::int32_t[][2]>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Buffer& buffer = module.buffers[placed[i]];
    const auto elements = value(element_count(buffer.shape));
    if (!elements)
      throw ValueError(
          "memory_budget: expected extents that the shapes of inputs tell, found one that is the "
          "value of an input");
    bytes[i] = bytes_in_lines(*elements, buffer.dtype);
    lives[i][0] = buffer.first, lives[i][1] = buffer.last;
  }
  std::vector<std::int32_t> order(n);
  return gn::place_buffers(static_cast<int>(n), bytes.data(), lives.get(), order.data(),
                           offsets.data());
}

}  // namespace gnomon
