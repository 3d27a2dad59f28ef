// Finds where the host function has each extent from, and makes checks once theirs are known.
#include "codegen/lower/lower_dimensions.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

// The first axis whose extent is just a symbol defines it; any other is checked.
void Dimensions::add_extent(const Dim& d, int parameter) {
  const int position = module_.extents++;
  const AtomRef atom = d.atom();
  if (atom && atom->kind == Atom::Kind::symbol && !slot_of(*atom)) {
    add_slot(atom, position);
    return;
  }
  FailureText failure{"call: expected {of}", {}};
  failure.parameter = failure.of = parameter;
  PlanCheck check{0, d};
  check.extent = position;
  check.number = failures_.add(std::move(failure));
  module_.plan_checks.push_back(std::move(check));
}

void Dimensions::add_check(PlanCheck check) {
  note(check.left), note(check.right);
  const bool late = module_.is_late({check.left, check.right});
  (late ? scope_.checks : module_.plan_checks).push_back(std::move(check));
}

void Dimensions::add_body_check(PlanCheck check, std::vector<Step>& steps) {
  note(check.left), note(check.right);
  scope_.checks.push_back(std::move(check));
  make_checks(steps);
}

// Values of scalar parameters are known at entry; those of computed scalars when they are stored.
void Dimensions::note(const Dim& d) {
  if (d.is_constant()) return;
  d.for_each_atom([&](const AtomRef& atom) {
    if (const std::optional<int> slot = slot_of(*atom)) {
      scope_.noted.insert(*slot);
      return;
    }
    if (atom->kind == Atom::Kind::symbol)
      throw InternalError("lower: no parameter gives the dimension " + atom->name);
    const Value& scalar = *atom->scalar;
    if (scalar.is(op::param)) {
      add_slot(atom, module_.extents + static_cast<int>(module_.extent_parameters.size()));
      module_.extent_parameters.push_back(static_cast<int>(param_index(scalar.node())));
      return;
    }
    late_[storage_of(scalar)].push_back(add_slot(atom, -1));
  });
}

void Dimensions::note(const Shape& shape) {
  for (const Dim& d : shape) note(d);
}

void Dimensions::note(const Node& node) {
  for (const Type& t : node.types()) note(t.shape);
  for (const Attribute& attribute : node.attributes())
    if (attribute.kind() == Attribute::Kind::dim_list) note(attribute.dims());
}

void Dimensions::read_given(std::span<const Value> given, std::vector<Step>& steps) {
  std::unordered_set<Value> there;
  for (const Value& v : given) there.insert(storage_of(v));
  for (const int slot : scope_.noted) {
    if (module_.dimensions[slot].extent != -1 || scope_.known.contains(slot)) continue;
    const Value s = storage_of(*module_.dimensions[slot].atom->scalar);
    if (!is_computed(s) || there.contains(s)) read(s, steps);
  }
}

void Dimensions::read_from(const Dim& d, int buffer, std::vector<Step>& steps) {
  note(d);
  const AtomRef atom = d.atom();
  if (!atom || is_known(d)) return;
  const int slot = *slot_of(*atom);
  steps.push_back({DimensionStep{slot, buffer}});
  scope_.known.insert(slot);
}

Dimensions::Scope Dimensions::begin_body() {
  Scope inside{{}, scope_.known, {}};
  return std::exchange(scope_, std::move(inside));
}

void Dimensions::end_body(Scope around) {
  expect_all_checked();
  scope_ = std::move(around);
}

void Dimensions::read(const Value& scalar, std::vector<Step>& steps) {
  for (const int slot : late_.at(scalar)) {
    steps.push_back({DimensionStep{slot, buffers_.buffer_of(scalar)}});
    scope_.known.insert(slot);
  }
  make_checks(steps);
}

void Dimensions::make_checks(std::vector<Step>& steps) {
  std::erase_if(scope_.checks, [&](const PlanCheck& c) {
    if (!is_known(c.left) || !is_known(c.right)) return false;
    steps.push_back({ExtentCheckStep{c.left, c.right, c.number}});
    return true;
  });
}

void Dimensions::expect_all_checked() const {
  if (!scope_.checks.empty())
    throw InternalError("lower: no step makes the check: " +
                        module_.failures[scope_.checks[0].number - 1].text);
}

std::optional<int> Dimensions::slot_of(const Atom& atom) const {
  const auto [first, last] = slots_.equal_range(atom.hash);
  for (auto at = first; at != last; ++at)
    if (*module_.dimensions[at->second].atom == atom) return at->second;
  return std::nullopt;
}

int Dimensions::add_slot(const AtomRef& atom, int extent) {
  DimensionSlot slot{atom, {}, extent};
  const bool named = atom->kind == Atom::Kind::symbol && atom->number < graph_.symbols.size();
  slot.name = named ? graph_.symbols[atom->number] : fmt::format("v{}", module_.dimensions.size());
  module_.dimensions.push_back(std::move(slot));
  const int number = static_cast<int>(module_.dimensions.size()) - 1;
  slots_.emplace(atom->hash, number);
  scope_.noted.insert(number);
  return number;
}

// Whether all late extents in `d` have been computed.
bool Dimensions::is_known(const Dim& d) const {
  bool known = true;
  if (!d.is_constant())
    d.for_each_atom([&](const AtomRef& atom) {
      const int slot = *slot_of(*atom);
      known = known && (module_.dimensions[slot].extent != -1 || scope_.known.contains(slot));
    });
  return known;
}

}  // namespace gnomon
