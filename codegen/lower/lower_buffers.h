// The buffers of a module that is being lowered: where its values live.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/kernels/lower_nest.h"
#include "codegen/lower/lower_failures.h"
#include "codegen/module/module.h"
#include "passes/engine/trace.h"

namespace gnomon {

class Buffers : public Storage {
 public:
  Buffers(const Graph& graph, Module& module, Failures& failures)
      : graph_(graph), module_(module), failures_(failures), names_(names_of(graph)) {}

  int buffer_of(const Value& stored) override;
  int partial_of(const Node& column, std::uint32_t field) override;
  int temporary(DType t, const Dim& elements, const std::string& name) override;
  std::string name_of(int buffer) const override { return module_.buffers[buffer].name; }
  std::string text_of(const Value& v) const override { return expression_text(v, 5, names_); }
  int check_number(const Node& node) override { return failures_.number_of(node); }

  /// Memory that a library's service works in.
  int memory_of(const ServiceStep& step);

  /// A further buffer. In a workspace it is late if its extents are.
  int add(Buffer b);
  /// The buffer of the value whose memory `v` is.
  int buffer_behind(const Value& v) { return buffer_of(storage_of(v)); }

  /// The leaf is the index of a loop, below `extent`.
  void note_index(const Value& leaf, const Dim& extent) { indices_.emplace(leaf, extent); }
  std::optional<Dim> extent_of_index(const Value& leaf) const override {
    const auto known = indices_.find(leaf);
    return known == indices_.end() ? std::nullopt : std::optional(known->second);
  }

  /// The value lives in that buffer.
  void place(const Value& v, int buffer) { places_of(v)[v] = buffer; }
  bool is_placed(const Value& v) const { return scope_.placed.contains(v) || lasting_.contains(v); }
  /// The value is made in the memory of an output, unless it is that of one already.
  void make_output(const Value& v, int output) { scope_.outputs.try_emplace(v, output); }
  /// The output in whose memory the value is made.
  std::optional<int> output_of(const Value& v) const;

  /// Results of writes that a later write, their only user, goes on with in the same memory.
  void continue_by(std::unordered_map<Value, Value> continued) {
    scope_.continued = std::move(continued);
  }

  /// Where the computed values of a graph are: of the whole, or of a body. A body may compute a
  /// value that the graph around it computes too, at another time: they do not share memory.
  struct Scope {
    std::unordered_map<Value, int> placed, outputs;
    std::unordered_map<Value, Value> continued;  // by the write that goes on in its memory
    std::map<std::pair<const Node*, std::uint32_t>, int> partials;  // by node and field
  };
  /// Begins a body that finds these values where they are now. The scope around it.
  Scope begin_body(std::span<const Value> given);
  void end_body(Scope around) { scope_ = std::move(around); }

  /// Appends the allocation of the late buffers that were added since the last time.
  void allocate(std::vector<Step>& steps);

 private:
  Value last_write(const Value& v);
  std::unordered_map<Value, int>& places_of(const Value& v);

  const Graph& graph_;
  Module& module_;
  Failures& failures_;
  ParameterNames names_;
  std::unordered_map<Value, int> lasting_;  // leaves and constants
  std::unordered_map<Value, Dim> indices_;  // of loops
  Scope scope_;
  std::vector<int> to_allocate_;
};

}  // namespace gnomon
