// Counts the accesses of kernels, as far as the lengths of their loops are known.
#include "codegen/module/traffic.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "codegen/module/accesses.h"
#include "codegen/module/loop_times.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

Dim whole(const Buffer& b) {
  return element_count(b.shape) * Dim(static_cast<std::int64_t>(size_of(b.dtype)));
}

// The elements that a kernel reaches in each of its buffers; nothing where that may be any of them.
std::vector<Known> elements_reached(const Kernel& kernel) {
  const Bounds bounds(kernel);
  Times times(kernel, bounds);
  std::vector<Known> reached(kernel.buffers.size(), Dim(0));
  const auto count = [&](std::int32_t buffer, const Known& more, std::int64_t ways = 1) {
    Known& sum = reached[static_cast<std::size_t>(buffer)];
    sum = sum && more ? Known(*sum + *more * Dim(ways)) : std::nullopt;
  };
  for (const Statement& s : kernel.body) {
    switch (s.code) {
      case Code::loop: times.open(s); break;
      case Code::if_: times.open(); break;
      case Code::end: times.close(); break;
      case Code::load:
      case Code::store: count(s.buffer, times.product()); break;
      case Code::update: count(s.buffer, times.product(), 2); break;
      case Code::transpose: count(s.number, std::nullopt); [[fallthrough]];
      case Code::read_rows:
      case Code::write_rows:
      case Code::update_rows: count(s.buffer, std::nullopt); break;
      default: break;
    }
  }
  return reached;
}

// The same; numbers of accesses that no integer holds are any number.
std::vector<Known> elements_reached_or_any(const Kernel& kernel) {
  try {
    return elements_reached(kernel);
  } catch (const ValueError&) {
    return std::vector<Known>(kernel.buffers.size());
  }
}

Dim of_kernel(const Module& module, const Step& step, const KernelStep& s) {
  const std::vector<Known> reached = elements_reached_or_any(module.kernels[s.kernel]);
  Dim bytes = 0;
  std::vector<std::pair<int, Dim>> most;  // by buffer: once for each way
  for (const BufferUse& use : accesses(module, step)) {
    const Buffer& b = module.buffers[use.buffer];
    const Dim once = whole(b) * Dim(use.how == BufferUse::How::adds ? 2 : 1);
    const auto known = std::ranges::find(most, use.buffer, &std::pair<int, Dim>::first);
    if (known == most.end())
      most.emplace_back(use.buffer, once);
    else
      known->second = known->second + once;
  }
  for (const auto& [buffer, limit] : most) {
    Known elements = Dim(0);
    for (std::size_t k = 0; k < s.buffers.size(); ++k) {
      if (s.buffers[k] != buffer) continue;
      elements = elements && reached[k] ? Known(*elements + *reached[k]) : std::nullopt;
    }
    const Dim size(static_cast<std::int64_t>(size_of(module.buffers[buffer].dtype)));
    bytes = bytes + (elements ? min(limit, *elements * size) : limit);
  }
  return bytes;
}

}  // namespace

Dim bytes_touched(const Module& module, const Step& step) {
  if (const auto* kernel = std::get_if<KernelStep>(&step.what))
    return of_kernel(module, step, *kernel);
  const bool is_of_memory = std::holds_alternative<ServiceStep>(step.what) ||
                            std::holds_alternative<CopyStep>(step.what) ||
                            std::holds_alternative<CheckStep>(step.what) ||
                            std::holds_alternative<PrintStep>(step.what);
  Dim bytes = 0;
  if (!is_of_memory) return bytes;
  for (const BufferUse& use : accesses(module, step))
    bytes =
        bytes + whole(module.buffers[use.buffer]) * Dim(use.how == BufferUse::How::adds ? 2 : 1);
  return bytes;
}

}  // namespace gnomon
