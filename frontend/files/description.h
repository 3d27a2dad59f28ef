// What files of graphs say in JSON, beside the text of the graph.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/compile_options.h"
#include "frontend/files/structure.h"

namespace gnomon {

/// A shared variable, whose value is elsewhere. Extents of -1 may change.
struct SharedDescription {
  std::string name;
  std::vector<std::int64_t> shape;
};

struct Description {
  bool is_function = true;
  Structure structure = Structure::list;
  std::int64_t constants = 0;  // how many there are
  std::vector<SharedDescription> shared;
  // Of expressions: the keys of a dict of them.
  std::vector<std::string> keys;
  // Of a function. An input without a name of its own has an empty one here.
  std::vector<std::string> input_names;
  std::optional<bool> allow_downcast;
  CompileOptions options;  // as of `SavedGraph`
};

/// On one line.
std::string text(const Description& description);
/// ValueError: it is no description, or says what no file may.
Description parse_description(std::string_view text);

}  // namespace gnomon
