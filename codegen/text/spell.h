// How names, numbers and dimensions are spelled in the text of every language.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "ir/dimension/dimension.h"
#include "ir/op/element.h"
#include "runtime/arrays/dtype.h"

namespace gnomon {

/// The prelude's name of an element type ("f32"), bool included.
std::string type_name(DType t);
/// The type of elements in memory: bools are bytes.
std::string memory_name(DType t);
/// "f32x16".
std::string lanes_name(DType t, int width);
/// A literal that reads back as the same bits.
std::string literal(DType t, Cell value);
/// An int64 expression; `name` spells symbols and values.
std::string spell(const Dim& d, const std::function<std::string(const Atom&)>& name);
/// The same for another language: "{}({}, {})" is how it calls floor_divide, remainder, minimum and
/// maximum.
std::string spell(const Dim& d, const std::function<std::string(const Atom&)>& name,
                  std::string_view call);
/// The text as comment lines, whatever characters are in it; nothing for an empty text.
std::string comment_lines(std::string_view text);
/// A C++ identifier made of the letters, digits and underscores of a user's name.
std::string identifier(std::string_view name);

/// Hands out identifiers, each once: "exp", "exp2", "exp3".
class Names {
 public:
  std::string fresh(std::string_view wish);
  /// Lets a name be given out again.
  void release(const std::string& name);
  void reserve(std::string name) { taken_.insert(std::move(name)); }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> next_;  // the least number that may be free, by name
};

}  // namespace gnomon
