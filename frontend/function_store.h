// Compiled functions on the disk, by the graph and the options that decide their code.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "codegen/fusion/rematerialize.h"
#include "codegen/toolchain/target.h"
#include "frontend/close_function.h"
#include "frontend/program.h"
#include "runtime/cache/cache.h"

namespace gnomon {

/// Where the object of one captured function is kept.
class FunctionStore {
 public:
  FunctionStore(const Closed& closed, const CompileOptions& options,
                const std::optional<MemoryBudget>& budget, const Target& target);

  /// The program of the stored object, if there is one that can be opened and is of this graph, and
  /// the options want no text of a stage.
  std::shared_ptr<Program> find(const Closed& closed) const;
  /// Stores a new object and opens it; without a file of its own when the cache is not wanted or
  /// not to be had, or where nothing can be run from its folder.
  std::shared_ptr<const Library> open(std::span<const char> object) const;
  /// 32 hexadecimal digits of all that decides the code.
  const std::string& key() const { return key_; }

 private:
  void tell(std::string_view what) const;  // the log

  Cache cache_;
  std::string key_, manifest_head_, name_, processor_;
  bool writes_, reads_;
};

}  // namespace gnomon
