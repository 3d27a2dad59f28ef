// Counts the operations of kernels by their statements, and asks the steps of services for theirs.
#include "codegen/module/operations.h"

#include <variant>

#include "codegen/module/accesses.h"
#include "codegen/module/loop_times.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// Of one run of the statement, on one element.
std::int64_t operations_of_one(const Statement& s) {
  if (!is_inexact(s.dtype)) return 0;
  if (s.code == Code::let) return s.op->scalar.cost;
  return s.code == Code::reduce || s.code == Code::update || s.code == Code::update_rows ? 1 : 0;
}

Operations of_kernel(const Kernel& kernel) {
  const Bounds bounds(kernel);
  Times times(kernel, bounds);
  Operations found;
  bool is_known = true;
  for (const Statement& s : kernel.body) {
    if (s.code == Code::loop) {
      times.open(s);
    } else if (s.code == Code::if_) {
      times.open();
    } else if (s.code == Code::end) {
      times.close();
    } else if (const std::int64_t once = operations_of_one(s); once > 0) {
      const Known runs = s.code == Code::update_rows ? std::nullopt : times.product();
      is_known = is_known && runs;
      if (is_known) found.count = found.count + *runs * Dim(once);
      if (!found.dtype || size_of(*found.dtype) < size_of(s.dtype)) found.dtype = s.dtype;
    }
  }
  if (!is_known) found.count = 0;
  return found;
}

std::optional<DType> dtype_written(const Module& module, const Step& step) {
  for (const BufferUse& use : accesses(module, step))
    if (use.how != BufferUse::How::reads) return module.buffers[use.buffer].dtype;
  return std::nullopt;
}

}  // namespace

Operations operations_of(const Module& module, const Step& step) {
  try {
    const auto* kernel = std::get_if<KernelStep>(&step.what);
    const auto* service = std::get_if<ServiceStep>(&step.what);
    if (kernel == nullptr && service == nullptr) return {};
    // A product, whose kernel has tiles.
    if (!step.multiply_adds.is(0))
      return {step.multiply_adds * Dim(2), dtype_written(module, step)};
    if (kernel != nullptr) return of_kernel(module.kernels[kernel->kernel]);
    if (service->operations.is(0)) return {};
    return {service->operations, module.buffers[service->in[0]].dtype};
  } catch (const ValueError&) {  // more than an integer holds, whatever the extents
    return {};
  }
}

}  // namespace gnomon
