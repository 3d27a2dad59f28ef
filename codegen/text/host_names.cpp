// Names and spelled extents of host functions.
#include "codegen/text/host_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/module/cache_lines.h"
#include "runtime/error.h"

namespace gnomon {

HostNames::HostNames(const Module& module, const std::string& prefix, Callers callers)
    : module_(module), prefix_(prefix), callers_(callers) {
  for (const Service* service : all_services()) names_.reserve(std::string(service->name));
  for (const char* own :
       {"shape", "last", "sizes", "lives", "order", "d", "work", "shares", "status", "bytes"})
    names_.reserve(own);
  if (module_.is_on_device())
    for (const char* own :
         {"device_workspace", "blocks", "parameters", "scratch", "scratch_bytes", "failure"})
      names_.reserve(own);
  for (std::size_t d = 0; d < module_.devices.size(); ++d)
    names_.reserve(fmt::format("device_workspace_{}", d));
  if (module_.profile)
    for (const char* own : {"profile", "laps"}) names_.reserve(own);
  for (const DimensionSlot& d : module_.dimensions) {
    slots_.emplace(d.atom->hash, dimensions_.size());
    dimensions_.push_back(names_.fresh(d.name));
  }
  for (const Buffer& b : module_.buffers)
    buffers_.push_back(names_.fresh(b.name.empty() ? "t" : b.name));
}

std::string HostNames::symbol(std::string_view name) const {
  return fmt::format("{}_{}", prefix_, name);
}

std::string HostNames::head_of(std::string_view function) const {
  return fmt::format(
      "extern \"C\" {}i32 {}",
      callers_ == Callers::runtime ? "__attribute__((visibility(\"default\"))) " : "",
      symbol(function));
}

std::string HostNames::constant(std::size_t b) const {
  return symbol(fmt::format("constant_{}", b));
}

DimensionName HostNames::slot_of(const Atom& atom) const {
  const auto [first, last] = slots_.equal_range(atom.hash);
  for (auto at = first; at != last; ++at)
    if (const DimensionSlot& slot = module_.dimensions[at->second]; *slot.atom == atom)
      return {static_cast<int>(at->second), slot.name};
  throw InternalError("emit: a dimension without a slot: " + atom.name);
}

std::string HostNames::spelled(const Dim& d) const {
  return spell(d, [this](const Atom& a) { return dimension(a); });
}

bool HostNames::knows(const Dim& d) const {
  bool all = true;
  d.for_each_atom([&](const AtomRef& atom) {
    const auto [first, last] = slots_.equal_range(atom->hash);
    all = all && std::any_of(first, last, [&](const auto& at) {
            return *module_.dimensions[at.second].atom == *atom;
          });
  });
  return all;
}

std::string HostNames::bytes(const Buffer& b) const {
  return spelled(element_count(b.shape) * Dim(static_cast<std::int64_t>(size_of(b.dtype))));
}

std::string HostNames::whole_lines(const Buffer& b) const {
  return fmt::format("(({0} + {1}) & ~i64({1}))", bytes(b), line_bytes - 1);
}

}  // namespace gnomon
