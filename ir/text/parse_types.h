// Parsing of what types are made of: values by name, dimensions, shapes.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "ir/graph/node.h"
#include "ir/op/type.h"
#include "ir/text/lexer.h"

namespace gnomon {

/// What names mean inside one graph of a text.
struct Scope {
  int depth = 0;  // of the graph: 1, of a body one more than that of the graph it is in
  std::unordered_map<std::string, std::uint64_t> symbols;
  std::unordered_map<std::string, Value> nodes;
};

/// Texts nest bodies and dimensions; deeper ones would exhaust the stack.
void expect_shallow(const Lexer& lexer, int depth);

/// "%3" or "%3.1", defined above.
Value parse_value(Lexer& lexer, const Scope& scope);
Dim parse_dim(Lexer& lexer, const Scope& scope);
/// "[n, 3]".
Shape parse_shape(Lexer& lexer, const Scope& scope);
/// "f32[n, 3]", of a scalar "f32".
Type parse_type(Lexer& lexer, const Scope& scope);

}  // namespace gnomon
