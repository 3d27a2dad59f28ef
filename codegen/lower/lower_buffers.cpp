// Gives values their buffers: constants, outputs, partial results, memory for the rest of a kernel.
#include "codegen/lower/lower_buffers.h"

#include "codegen/lower/lowering.h"
#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

int Buffers::buffer_of(const Value& stored) {
  const Value v = last_write(stored);
  std::unordered_map<Value, int>& places = places_of(v);
  if (const auto known = places.find(v); known != places.end()) return known->second;
  Buffer b;
  b.dtype = v.dtype();
  b.shape = v.shape();
  if (v.is(op::constant)) {
    b.role = Buffer::Role::constant;
    b.value = v.node().attribute("value").array().contiguous();
    b.name = "constant";
  } else if (const std::optional<int> output = output_of(v)) {
    b.role = Buffer::Role::output;
    b.number = *output;
    b.name = graph_.results[*output].name;
  } else {
    b.name = v.op().name;
  }
  if (is_computed(v)) add_positions(graph_, v.node(), b.nodes);
  return places[v] = add(std::move(b));
}

int Buffers::partial_of(const Node& column, std::uint32_t field) {
  const auto [known, fresh] = scope_.partials.try_emplace({&column, field}, -1);
  if (fresh)
    known->second =
        temporary(column.type(field).dtype, element_count(partial_shape(column)), "partial");
  return known->second;
}

int Buffers::temporary(DType t, const Dim& elements, const std::string& name) {
  Buffer b;
  b.name = name;
  b.dtype = t;
  b.shape = {elements};
  return add(std::move(b));
}

int Buffers::add(Buffer b) {
  const bool late = module_.is_late(b.shape);
  if (late && b.role == Buffer::Role::workspace) b.role = Buffer::Role::late;
  module_.buffers.push_back(std::move(b));
  const int id = static_cast<int>(module_.buffers.size()) - 1;
  if (late && module_.buffers.back().role != Buffer::Role::row) to_allocate_.push_back(id);
  return id;
}

int Buffers::memory_of(const ServiceStep& step) {
  Buffer b;
  b.name = "memory";
  b.dtype = uint8;
  b.memory_of = std::make_shared<const ServiceStep>(step);
  // How much it is depends on all extents of the record.
  for (const std::vector<Argument>& together : step.arguments)
    for (const Argument& argument : together)
      if (const auto* d = std::get_if<Dim>(&argument.value)) b.shape.push_back(*d);
  return add(std::move(b));
}

std::optional<int> Buffers::output_of(const Value& v) const {
  const auto found = scope_.outputs.find(v);
  return found == scope_.outputs.end() ? std::nullopt : std::optional(found->second);
}

Buffers::Scope Buffers::begin_body(std::span<const Value> given) {
  Scope inside;
  for (const Value& v : given)
    if (const Value s = storage_of(v); is_computed(s)) inside.placed.emplace(s, buffer_of(s));
  return std::exchange(scope_, std::move(inside));
}

void Buffers::allocate(std::vector<Step>& steps) {
  for (const int b : to_allocate_) steps.push_back({AllocateStep{b}});
  to_allocate_.clear();
}

// The write in whose memory a value is in the end. Chains are long: a look-up shortens its own.
Value Buffers::last_write(const Value& v) {
  std::unordered_map<Value, Value>& continued = scope_.continued;
  auto on = continued.find(v);
  if (on == continued.end()) return v;
  for (auto next = continued.find(on->second); next != continued.end();
       next = continued.find(on->second)) {
    on->second = next->second;
    on = next;
  }
  return on->second;
}

// What has no value of its own in a body is where it is from the start.
std::unordered_map<Value, int>& Buffers::places_of(const Value& v) {
  return is_computed(v) ? scope_.placed : lasting_;
}

}  // namespace gnomon
