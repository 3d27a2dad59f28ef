// Nests -> kernels: those that may share one are gathered, then the module gets it with a step.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/kernels/lower_nest.h"
#include "codegen/lower/lowering.h"

namespace gnomon {

/// Appends a kernel to the module, and its call, over these buffers, to the steps.
KernelStep& add_kernel(Kernel kernel, std::vector<int> buffers, Module& module,
                       std::vector<Step>& steps);

/// No index into an axis without elements is safe to load: if a kernel has one, the call ends
/// before it.
void add_checks_of_none(std::span<const IndexedAxis> indexed, Lowering& l,
                        std::vector<Step>& steps);

class KernelGathering {
 public:
  KernelGathering(const Fusion& fusion, Lowering& lowering, std::vector<Step>& steps)
      : fusion_(fusion), lowering_(lowering), steps_(steps) {}

  /// The next nest. Its kernel is a step once one comes that is better apart, or `finish`.
  void add(const Nest& nest);
  /// Appends the kernel of the nests so far.
  void finish();

 private:
  void add_by_places(const Nest& nest);
  void add_at_once(const Nest& nest);
  void add_choice(const Nest& nest, std::vector<ExtentRange> where);
  void add_kernel_of(KernelLowering& nests, std::vector<Step>& steps);
  void note_nodes_of(const Nest& nest);
  void record(const Nest& nest, bool together, bool may, int statements) const;
  std::unique_ptr<KernelLowering> new_kernel() const;

  const Fusion& fusion_;
  Lowering& lowering_;
  std::vector<Step>& steps_;
  std::unique_ptr<KernelLowering> kernel_;  // of the last nests
  std::vector<std::uint32_t> nodes_;        // of the captured graph: what these compute
  Value last_value_;                        // that the last nest makes
  std::optional<int> asked_;                // where these are wanted
  bool last_small_ = false;
  const Node* last_box_of_ = nullptr;
};

}  // namespace gnomon
