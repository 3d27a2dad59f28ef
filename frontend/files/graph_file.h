// Files of graphs (.gn): functions, or expressions, as a text that people can read.
//
//     # gnomon graph, format 1, written by gnomon 0.1.0
//     # values: 6a3f01c2 npz
//     # checksum: 1b7c90de (of what follows; delete it to edit)
//     # about: {"kind": "function", "name": "step", ...}
//     graph[n](x: f64[n], shared w: f64[n]) { ... }
//
// Constants with many elements, values of shared variables and defaults of inputs are in a file of
// values beside it, of the same name: as constant_0, shared_0, argument_0 and so on. The second
// line has the checksum of that file, and is there if the file is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/files/structure.h"
#include "frontend/files/values.h"
#include "frontend/function.h"

namespace gnomon {

/// An input of a function in a file.
struct SavedInput {
  Expr value;                ///< an input
  std::string name = {};     ///< what calls call it, if not by the name of `value`
  Array default_value = {};  ///< none where calls have to give it
};

/// What a file says: a function, or expressions alone.
struct SavedGraph {
  bool is_function = true;                ///< else expressions
  Structure structure = Structure::list;  ///< of the results, or of the expressions, in Python
  std::vector<SavedInput> inputs;         ///< of a function
  std::vector<Output> outputs;            ///< with the keys of a dict as names
  std::vector<Update> updates;            ///< of a function
  /// Of a function: which dtypes calls convert, see `gn.function` of Python.
  std::optional<bool> allow_downcast;
  /// Of a function: its name, the donated inputs, and the options that decide what is computed. A
  /// file has no others.
  CompileOptions options;
  /// Of a graph that was read: the file of its arrays, if it has one.
  std::string values = {};
};

/// The inputs, as `compile` takes them.
std::vector<Expr> inputs_of(const SavedGraph& graph);

/// Writes a graph to `path`, and its arrays to a file beside it if there are any. FileError: as of
/// `save_values`; TypeError: as of `capture`.
void write_graph(const std::string& path, const SavedGraph& graph,
                 ValuesFormat values = ValuesFormat::npz);

/// Reads what `write_graph` wrote. Inputs and shared variables are new ones. `most_bytes`: as of
/// `load_values`. FileError: there is no such file, or its values are missing; ValueError: the file
/// is damaged, of another format, says what no file may, or has other values beside it.
SavedGraph read_graph(const std::string& path, std::optional<std::int64_t> most_bytes = {});

/// The text of such a file as it would be written: with its comments in the graph, a checksum and
/// the arrays that it has beside it. It is made of the text alone, so that lines have the names of
/// values and of arrays. Errors as of `read_graph`.
std::string canonical_text(const std::string& path);

}  // namespace gnomon
