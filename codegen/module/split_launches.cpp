// Kernels for a device that would need one block become several, which run one after the other.
#include <utility>

#include "codegen/cuda/split_kernel.h"
#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"

namespace gnomon {

namespace {

class Splitting {
 public:
  explicit Splitting(Module& module) : m_(module) {}

  void run(std::vector<Step>& steps) {
    std::vector<Step> all;
    for (Step& step : steps) {
      for_each_inner(step, [this](std::vector<Step>& inner) { run(inner); });
      const auto* kernel = std::get_if<KernelStep>(&step.what);
      if (kernel == nullptr || kernel->device == of_host || !split(step, *kernel, all))
        all.push_back(std::move(step));
    }
    steps = std::move(all);
  }

 private:
  bool split(const Step& step, const KernelStep& whole, std::vector<Step>& steps) {
    SplitKernel found = split_kernel(m_.kernels[static_cast<std::size_t>(whole.kernel)]);
    if (found.parts.empty()) return false;
    std::vector<int> buffers = whole.buffers;
    for (const DType dtype : found.numbers) {
      buffers.push_back(static_cast<int>(m_.buffers.size()));
      Buffer number;
      number.dtype = dtype;
      number.device = whole.device;
      m_.buffers.push_back(std::move(number));
    }
    for (KernelPart& part : found.parts) {
      KernelStep one = whole;
      one.kernel = static_cast<int>(m_.kernels.size());
      one.buffers.clear();
      for (const int b : part.buffers) one.buffers.push_back(buffers[static_cast<std::size_t>(b)]);
      m_.kernels.push_back(std::move(part.kernel));
      steps.push_back({std::move(one), step.nodes, step.multiply_adds});
    }
    return true;
  }

  Module& m_;
};

}  // namespace

void split_launches(Module& module, const Target&) {
  if (module.is_on_device()) Splitting(module).run(module.steps);
}

}  // namespace gnomon
