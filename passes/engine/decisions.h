// What the compiler decided, and why: recorded where it decides, for whoever asked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "passes/engine/trace.h"

namespace gnomon {

/// The answer to a question that the compiler asks itself.
struct Decision {
  std::string_view pass;      ///< that decided: "fuse", "find_in_place"
  std::string_view question;  ///< "in one loop", "in place"
  bool is_so = false;
  std::string subject;               ///< what it is about
  std::string other = {};            ///< the second of two; or empty
  std::string reason;                ///< a clause: "they run over other elements"
  std::vector<std::uint32_t> nodes;  ///< of the captured graph, by position
};

/// All that was decided, in order. What is said once more is not said again.
class Decisions {
 public:
  void add(Decision decision);
  const std::vector<Decision>& all() const { return all_; }

 private:
  std::vector<Decision> all_;
};

/// Where decisions on the values of a graph are recorded, in the names of its parameters. Nobody
/// asked if it is false: then nothing is to be computed for it.
class Recording {
 public:
  Recording() = default;
  /// `graph` outlives it.
  Recording(Decisions* decisions, const Graph& graph);

  explicit operator bool() const { return decisions_ != nullptr; }
  std::string text(const Value& v) const;
  void add(std::string_view pass, std::string_view question, bool is_so, const Value& subject,
           std::string reason, const Value& other = {}) const;

 private:
  Decisions* decisions_ = nullptr;
  const Graph* graph_ = nullptr;
  ParameterNames names_;
};

}  // namespace gnomon
