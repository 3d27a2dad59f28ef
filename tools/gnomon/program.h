// Functions of Python programs, as commands take them beside files.
#pragma once

#include <string>
#include <vector>

#include "frontend/files/graph_file.h"

namespace gnomon {

/// Whether it names a function of a program, "model.py:loss(x: f64[n, 3])" or "module:loss(...)",
/// and no file.
bool is_program(const std::string& model);

/// The name of the function in a program.
std::string function_name(const std::string& program);

/// The function, traced by Python: the interpreter that GNOMON_PYTHON names, else `python3`. The
/// program's files are added to `read`. ValueError: what is wrong with the program, with its lines,
/// or with the interpreter.
SavedGraph traced_program(const char* command, const std::string& program,
                          std::vector<std::string>& read);

}  // namespace gnomon
