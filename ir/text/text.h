// The text of graphs (.gn): readable single-assignment lines that parse back to the same graph.
//
//   graph[n](x: f32[n, 3], shared w: f32[n]) {
//     %0 = param(index=0, dtype=f32, shape=[n, 3]): f32[n, 3]
//     %1 = sum(%0; axes=[1], keepdims=false): f32[n]
//     %2 = max_and_argmax(%1; axes=[0], keepdims=false): f32, i64
//     check n == 3 "add: extents differ: x: f32[n, 3] and y: f32[3]"
//     return total: %1, where: %2.1, w: %1 -> 1
//   }
//
// After `graph` stand the symbols, then the parameters; `->` gives the parameter an output updates.
// A body is written as a graph in the place of the attribute. A comment begins with #.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/op/op.h"
#include "runtime/arrays/array.h"
#include "runtime/error.h"

namespace gnomon {

/// Comments at a line, each with its sign.
struct LineComments {
  std::vector<std::string> above;
  std::string behind;
};

/// The comments of a graph by what they stand at, and those of the bodies in it.
struct TextComments {
  struct OfNode;

  std::vector<OfNode> nodes;
  std::vector<LineComments> checks;
  LineComments results;
  std::vector<std::string> head, end, tail;  // above the graph, before its last sign, below it
};
struct TextComments::OfNode {
  const Node* node = nullptr;
  LineComments comments;
  std::vector<TextComments> bodies;
};

struct PrintOptions {
  /// Constants with more elements are given to `write_array`; without it they are abbreviated, and
  /// the text does not parse.
  std::int64_t inline_elements = 64;
  /// Keeps an array beside the text and returns the name to write, or "" to have it in the text.
  std::function<std::string(const Array&)> write_array = {};
  /// The user's lines as comments.
  bool origins = true;
  /// Comments in the place of those lines.
  const TextComments* comments = nullptr;
};

std::string print_graph(const Graph& graph, const PrintOptions& options = {});

struct ParseOptions {
  /// Ops by name; null if unknown.
  std::function<const Op*(std::string_view)> find_op = {};
  /// The array `write_array` named.
  std::function<Array(std::string_view name, DType dtype, std::span<const std::int64_t> shape)>
      read_array = {};
  /// The text may be anybody's: what it says of types and checks inside bodies is found anew
  /// (`closed_again`), and only parameters are leaves. `closed_again` does the same for the whole.
  bool untrusted = false;
  /// Receives the comments, if set. They know the nodes of bodies only if the text is trusted.
  TextComments* comments = nullptr;
};

/// A place in a text, from 1, where it is not what it should be: "text: line 3, column 5: ...".
class TextError : public ValueError {
 public:
  TextError(std::size_t line, std::size_t column, std::string message);
  std::size_t line() const noexcept { return line_; }
  /// In letters.
  std::size_t column() const noexcept { return column_; }
  /// What is wrong, and the line with a mark under the place.
  const std::string& message() const noexcept { return message_; }

 private:
  std::size_t line_, column_;
  std::string message_;
};

/// TextError where the text is not a graph.
Graph parse_graph(std::string_view text, const ParseOptions& options);

/// A double or float in the fewest digits that read back to the same bits.
std::string float_text(double v);
std::string float_text(float v);
/// `s` in double quotes, with C escapes.
std::string quoted(std::string_view s);

}  // namespace gnomon
