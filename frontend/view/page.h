// Pages that show functions in a browser: the graph at every stage, kernels and their profile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "frontend/close_function.h"
#include "frontend/compile_options.h"
#include "frontend/function.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// What a page says of a line of the user's program.
struct ViewedPlace {
  std::string text;      ///< the line itself; empty: not known
  std::string function;  ///< whose values are one group; empty: of none
};

struct ViewOptions {
  std::string name = {};
  /// With `has_values` those of a call: the page then has the least and the greatest of each value,
  /// and all values of the graph are in memory at once.
  std::vector<Array> arguments = {};
  bool has_values = false;
  /// What is known of lines; by default their texts, where the file can be read.
  std::function<ViewedPlace(const std::string& file, std::uint32_t line)> place = {};
};

/// The page of a function, with its profile if it has one: text of one file of HTML, which needs no
/// other. It is the same for equal graphs. TypeError, ValueError: arguments that no call takes.
std::string view_page(const Function& function, const ViewOptions& options = {});
/// The page of what was captured. `shared` are the values of its variables, if values are shown.
std::string view_page(const Closed& closed, const CompileOptions& how, const ViewOptions& options,
                      const std::vector<Array>& shared);

}  // namespace gnomon
