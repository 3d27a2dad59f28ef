// Functions in files, as programs write and read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "frontend/files/values.h"
#include "frontend/function.h"

namespace gnomon {

/// Writes the function that `compile` makes of the same arguments to a file that ends with `.gn`,
/// without compiling it: a text that people can read, with large constants and the values of shared
/// variables in a file of the same name beside it. Python's `gn.load` reads both. Of the options, a
/// file has the name, the donated inputs and those that decide what is computed.
/// FileError: as of `save_values`; TypeError, ValueError: as of `compile`, or of another path.
void save_function(const std::string& path, std::vector<Expr> inputs, std::vector<Output> outputs,
                   std::vector<Update> updates = {}, const CompileOptions& options = {},
                   ValuesFormat values = ValuesFormat::npz);

/// The function in a file that `save_function` or Python's `gn.save` wrote, compiled anew unless
/// the cache has its code. Its shared variables are its own: `read_graph` gives them, and defaults
/// of arguments, which this function does without. A file decides what is computed, `options` how:
/// what they say of the result comes before the file where it is not the default. `most_bytes`: as
/// of `load_values`.
/// FileError: there is no such file, or its values are missing; ValueError: the file is damaged,
/// says what no file may, or has expressions and no function; CompileError: as of `compile`.
Function load_function(const std::string& path, CompileOptions options = {},
                       std::optional<std::int64_t> most_bytes = {});

}  // namespace gnomon
