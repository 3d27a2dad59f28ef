// What the host function of a module calls its symbols, dimensions and buffers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/module/module.h"
#include "codegen/text/language.h"
#include "codegen/text/spell.h"

namespace gnomon {

/// Who may call the host functions.
enum class Callers : std::uint8_t {
  runtime,  // whoever opens the object: they are exported, with `gnomon_info`
  library,  // other units of the same library: they are hidden, and nothing tells of them
};

/// Gives each dimension and buffer of a module a name of its own, and spells extents by them.
class HostNames {
 public:
  /// Symbols of the object begin with `prefix`.
  HostNames(const Module& module, const std::string& prefix, Callers callers = Callers::runtime);

  /// "gnomon_run".
  std::string symbol(std::string_view name) const;
  /// The head of the function "gnomon_run", up to its parameters.
  std::string head_of(std::string_view function) const;
  /// The symbol of a buffer of role constant.
  std::string constant(std::size_t b) const;
  const std::string& dimension(std::size_t slot) const { return dimensions_[slot]; }
  const std::string& dimension(const Atom& atom) const { return dimensions_[slot_of(atom).slot]; }
  const std::string& buffer(std::size_t b) const { return buffers_[b]; }
  /// A name that nothing else in the unit has.
  std::string fresh(std::string_view wish) { return names_.fresh(wish); }

  /// The slot of a dimension. InternalError: it has none.
  DimensionName slot_of(const Atom& atom) const;
  std::string spelled(const Dim& d) const;
  /// Whether the host function knows all that the dimension is made of.
  bool knows(const Dim& d) const;
  /// The bytes of a buffer's elements.
  std::string bytes(const Buffer& b) const;
  /// The same rounded up to whole cache lines.
  std::string whole_lines(const Buffer& b) const;

 private:
  const Module& module_;
  std::string prefix_;
  Callers callers_;
  Names names_;
  std::vector<std::string> dimensions_, buffers_;
  std::unordered_multimap<std::size_t, std::size_t> slots_;  // of dimensions, by their atoms' hash
};

}  // namespace gnomon
