// Looks at the results of calls: the options `nan_guard` and `check`.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "frontend/close_function.h"
#include "frontend/compile_options.h"
#include "frontend/native_form.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// Whether calls keep what arguments and shared variables were until they end: it is looked at once
/// more, and failed calls leave it as it was.
bool keeps_old_values(const Graph& captured, const CompileOptions& options);

/// Of one compiled function. Calls may come from many threads at once.
class Inspection {
 public:
  Inspection(const Closed& closed, CompileOptions options);

  /// Looks at the outputs of a call, updates after results, before anything is committed. `inputs`:
  /// arguments, constants and the values that shared variables had. FloatingPointError: an output
  /// has NaN or infinities that the inputs did not have (`nan_guard`). InternalError: an output is
  /// not what the graph says (`check`).
  void look(std::span<const Array> inputs, std::span<const Array> outputs, int threads) const;

 private:
  void look_for_nan(std::span<const Array> inputs, std::span<const Array> outputs,
                    int threads) const;
  void compare(std::span<const Array> inputs, std::span<const Array> outputs) const;
  std::string caption(std::string_view who) const;
  std::string output_name(std::size_t i) const;

  Closed closed_;  // its nodes know their positions
  CompileOptions options_;
  mutable std::once_flag evaluated_once_;
  mutable std::optional<EvaluatedGraph> evaluated_;
};

}  // namespace gnomon
