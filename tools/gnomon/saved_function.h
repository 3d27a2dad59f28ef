// Functions in files, as commands take them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "frontend/close_function.h"
#include "frontend/files/graph_file.h"

namespace gnomon {

/// What is said of an argument that names a function.
constexpr const char* model_help = "a file of a function, or PROGRAM.py:FUNCTION(NAME: TYPE, ...)";

/// The function in a file or a program, and in `read` the files that were read for it, if anybody
/// asks. ValueError with the name of the command: it has expressions instead.
SavedGraph function_in(const char* command, const std::string& path,
                       std::vector<std::string>* read = nullptr);
/// What the function of a file or a program is called.
std::string stem_of(const std::string& path);

/// What calls call an input.
std::string name_of(const SavedInput& input);
std::vector<std::string> input_names(const SavedGraph& graph);
/// What a result is called where it is shown or written: one without a name by its place.
std::string result_name(const SavedGraph& graph, std::size_t i);

/// A function of a file with what is needed to call it, or to compute it in another way.
struct CapturedFunction {
  std::string path;
  SavedGraph graph;
  Closed closed;
};
CapturedFunction captured_in(const char* command, const std::string& path);

/// For each input of `other`, which of `one` it is: the one of its name. ValueError that says what
/// differs: names, dtypes or ranks.
std::vector<std::size_t> same_inputs(const char* command, const CapturedFunction& one,
                                     const CapturedFunction& other);

}  // namespace gnomon
