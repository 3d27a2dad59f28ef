// Evaluation with the machine's numbers, and the extents of an evaluation.
#include "ir/reference/evaluate.h"

#include "ir/reference/generic.h"

namespace gnomon {

std::int64_t ExtentTable::operator()(const Dim& d) const {
  if (d.is_constant()) return d.constant();
  return d.evaluate([this](const Atom& atom) {
    if (atom.kind == Atom::Kind::value) return scalars_.at(*atom.scalar);
    const auto at = symbols_.find(atom.number);
    if (at == symbols_.end())
      throw ValueError(fmt::format("evaluate: no input determines the extent {}", atom.name));
    return at->second;
  });
}

Extent ExtentTable::operator()(const Shape& shape) const {
  Extent extents;
  for (const Dim& d : shape) extents.push_back((*this)(d));
  return extents;
}

void ExtentTable::match(const std::string& name, const Type& declared,
                        std::span<const std::int64_t> found, bool lone) {
  const auto reject = [&] {
    throw ValueError(fmt::format("{}: expected {}, found {}", name, declared.text(),
                                 gnomon::describe(declared.dtype, found)));
  };
  if (found.size() != declared.shape.size()) reject();
  for (std::size_t axis = 0; axis < found.size(); ++axis) {
    const Dim& d = declared.shape[axis];
    const AtomRef atom = d.atom();
    if (lone) {
      if (atom && atom->kind == Atom::Kind::symbol) symbols_.try_emplace(atom->number, found[axis]);
      continue;
    }
    bool testable = true;
    d.for_each_atom([&](const AtomRef& a) {
      testable &= a->kind == Atom::Kind::symbol ? binds(a->number) : scalars_.contains(*a->scalar);
    });
    if (testable && (*this)(d) != found[axis]) reject();
  }
}

namespace {

using Machine = Evaluator<MachineNumbers>;

std::vector<Array> to_arrays(const Machine& evaluator, const std::vector<Machine::Data>& tensors) {
  std::vector<Array> arrays;
  for (const Machine::Data& tensor : tensors) arrays.push_back(evaluator.to_array(*tensor));
  return arrays;
}

}  // namespace

std::vector<Array> evaluate(const Graph& graph, std::span<const Array> inputs) {
  const MachineNumbers numbers;
  Machine evaluator(numbers);
  std::vector<Machine::Data> tensors;
  for (const Array& input : inputs) tensors.push_back(evaluator.from_array(input));
  return to_arrays(evaluator, evaluator.run(graph, tensors));
}

std::vector<Array> evaluate(std::span<const Value> outputs,
                            const std::unordered_map<Value, Array>& leaves) {
  const MachineNumbers numbers;
  Machine evaluator(numbers);
  std::unordered_map<Value, Machine::Data> tensors;
  for (const auto& [leaf, array] : leaves) tensors.emplace(leaf, evaluator.from_array(array));
  return to_arrays(evaluator, evaluator.run(outputs, tensors));
}

}  // namespace gnomon
