// A function of what is computed at once. First results of few elements are interpreted.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frontend/python/src/functions/function.h"
#include "ir/graph/graph.h"
#include "runtime/device/device_name.h"

namespace gnomon::python {

/// The GIL guards its members.
class EagerFunction {
 public:
  /// Of `outputs` over `leaves`; arrays are on `device`, which is the host if it has no name.
  EagerFunction(std::vector<Expr> leaves, std::vector<Expr> outputs, std::string name,
                DeviceName device);

  /// The values. `release`: the GIL is given away meanwhile. Compiles when there is much to
  /// compute. Errors as of a compilation and a call; with the extents of the arguments, and the
  /// user's line.
  std::vector<Array> operator()(std::span<const Array> arguments, bool release);

 private:
  std::optional<std::vector<Array>> interpret(std::span<const Array> arguments, bool release);
  Function compiled();

  std::vector<Expr> leaves_;
  std::vector<Expr> outputs_;
  CompileOptions options_;
  /// Made when it is first needed; null where bits may differ from those of compiled code.
  std::optional<std::shared_ptr<const Graph>> interpreted_;
  std::int64_t left_;  // elements that may still be interpreted
  Function function_;
};

}  // namespace gnomon::python
