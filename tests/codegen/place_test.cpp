// Where kernels of a module run when there is a device, which copies that takes, and that what the
// device runs is CUDA C++ for GPUs.
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/cuda/launch.h"
#include "codegen/cuda/nvrtc.h"
#include "codegen/cuda/spread.h"
#include "codegen/module/accesses.h"
#include "codegen/text/device_kernels.h"
#include "codegen/toolchain/build.h"
#include "frontend/gnomon.h"
#include "tests/support/module_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using List = std::vector<Expr>;
using States = std::span<const Expr>;

Target gpu() {
  Target target = target_named("x86-64-v3");
  target.device = "sm_80";
  target.calls_library = false;
  return target;
}

Expr loop(const Expr& count, const Expr& x,
          const std::function<Expr(const Expr&, const Expr&)>& step) {
  return fori(count, List{x}, [&](const Expr& i, States s) { return List{step(i, s[0])}; })[0];
}

Module placed(const std::vector<Expr>& outputs, bool has_matrices = false,
              std::vector<std::string> devices = {}) {
  Context context = checked_context();
  Target target = gpu();
  target.has_matrices = has_matrices;
  target.devices = std::move(devices);
  Module module = module_of(run_passes(close(outputs), context), target);
  verify(module);
  return module;
}

// Kernels and copies by where they are: those in loops apart.
struct Counts {
  int launches = 0, called = 0, to_device = 0, to_host = 0;
};

void count(const Module& module, const std::vector<Step>& steps, Counts& counts, bool in_loops,
           bool is_in_loop = false) {
  for (const Step& step : steps) {
    if (is_in_loop == in_loops) {
      if (const auto* k = std::get_if<KernelStep>(&step.what))
        ++(k->device != of_host ? counts.launches : counts.called);
      if (const auto* c = std::get_if<CopyStep>(&step.what)) {
        const bool from = module.buffers[static_cast<std::size_t>(c->from)].is_on_device();
        const bool to = module.buffers[static_cast<std::size_t>(c->to)].is_on_device();
        counts.to_device += !from && to;
        counts.to_host += from && !to;
      }
    }
    const bool loop = is_in_loop || std::holds_alternative<LoopStep>(step.what);
    for_each_inner(step, [&](const std::vector<Step>& inner) {
      count(module, inner, counts, in_loops, loop);
    });
  }
}

Counts counts_of(const Module& module, bool in_loops = false) {
  Counts counts;
  count(module, module.steps, counts, in_loops);
  return counts;
}

}  // namespace

TEST_CASE("arrays are the device's, numbers go with launches or come back") {
  const Expr x = vector("x"), a = scalar("a");
  const Counts map = counts_of(placed({exp(x) * a}));
  CHECK(map.launches == 1);
  CHECK(map.called == 0);
  CHECK(map.to_device + map.to_host == 0);
  const Counts total = counts_of(placed({sum(x)}));
  CHECK(total.launches == 2);  // the chunks, then their sums
  CHECK(total.to_host == 1);
  CHECK(total.to_device == 0);
  const Counts numbers = counts_of(placed({a * a + 1.0}));
  CHECK(numbers.launches == 0);
  CHECK(numbers.called == 1);
}

TEST_CASE("what the host does has copies on both sides, each once") {
  const Expr m = matrix("m");
  const Expr factor = cholesky(exp(m));
  const Counts counts = counts_of(placed({factor * 2.0, factor + m, sum(factor)}));
  CHECK(counts.to_host == 2);  // what is factored, and the sum
  CHECK(counts.to_device == 1);
}

TEST_CASE("what is computed from a transferred value runs where it is") {
  const Expr x = vector("x"), y = vector("y");
  const auto devices_of_kernels = [](const Module& module) {
    std::vector<int> found;
    for (const Step& step : module.steps)
      if (std::holds_alternative<KernelStep>(step.what)) found.push_back(device_of(step));
    return found;
  };
  const auto on_two = [](const std::vector<Expr>& outputs) {
    return placed(outputs, false, {"sim", "sim:1"});
  };
  const Expr there = transfer(exp(x), "sim:1");
  CHECK(devices_of_kernels(on_two({there * 2.0})) == std::vector{0, 1});
  // Operands of several devices: the first decides, and sums of like elements stay apart.
  CHECK(devices_of_kernels(on_two({transfer(x, "sim:1") * transfer(y, "sim")})) == std::vector{1});
  CHECK(devices_of_kernels(on_two({x * 2.0, transfer(x, "sim:1") * 2.0})) == std::vector{0, 1});
  CHECK(devices_of_kernels(on_two({transfer(there, "cpu") * 2.0})) == std::vector{0, of_host});
  CHECK(devices_of_kernels(on_two({transfer(there, "") * 2.0})) == std::vector{0, 0});
  const Module module = on_two({there * y, there + 1.0});
  int copies = 0;
  for (const Step& step : module.steps)
    if (const auto* c = std::get_if<CopyStep>(&step.what)) {
      CHECK(module.buffers[static_cast<std::size_t>(c->from)].device == 0);
      CHECK(module.buffers[static_cast<std::size_t>(c->to)].device == 1);
      ++copies;
    }
  CHECK(copies == 1);
}

TEST_CASE("copies of what a loop leaves alone are made before it") {
  const Expr m = matrix("m"), n = scalar("n", int64);
  const Expr factor = cholesky(m);
  const Expr found =
      loop(n, m, [&](const Expr& i, const Expr& s) { return s * factor + cast(i, float64); });
  const Module module = placed({found});
  CHECK(counts_of(module).to_device == 1);
  const Counts inside = counts_of(module, true);
  CHECK(inside.launches == 1);
  CHECK(inside.to_device + inside.to_host == 0);
  // Factored anew in each step: there and back.
  const Expr other = loop(n, m, [&](const Expr&, const Expr& s) { return cholesky(s) * m; });
  const Counts each = counts_of(placed({other}), true);
  CHECK(each.to_device == 1);
  CHECK(each.to_host == 1);
}

TEST_CASE("routines along an axis and convolutions are the device's") {
  const Expr x = vector("x"), m = matrix("m");
  const Expr image = tensor4("image"), window = tensor4("window");
  const std::vector<std::vector<Expr>> programs = {
      {cumsum(exp(x), 0) * 2.0}, {sort(x, 0) + x}, {argsort(m, 0)}, {conv(tanh(image), window)}};
  for (const std::vector<Expr>& outputs : programs) {
    const Module module = placed(outputs);
    const Counts counts = counts_of(module);
    CHECK(counts.to_device + counts.to_host + counts.called == 0);
    const DeviceKernels kernels = device_kernels(module, HostNames(module, "gnomon"));
    CHECK(kernels.routines.size() == 1);
  }
  // A scattered write of floats is two of them between three kernels; of integers it is one kernel.
  const Expr i = tensor("i", int64, {Dim::symbol(7, "k")});
  const Module module = placed({inc_at(x, {i}, 1.0)});
  CHECK(counts_of(module).to_device + counts_of(module).to_host == 0);
  CHECK(device_kernels(module, HostNames(module, "gnomon")).routines.size() == 2);
  const Counts of_integers = counts_of(placed({inc_at(cast(x, int64), {i}, 1)}));
  CHECK(of_integers.launches == 2);
  CHECK(of_integers.to_device + of_integers.to_host + of_integers.called == 0);
}

TEST_CASE("linear algebra is the device's where it has a library") {
  const Expr m = matrix("m"), n = scalar("n", int64);
  const Expr other = loop(n, m, [&](const Expr&, const Expr& s) { return cholesky(s) * m; });
  const Counts inside = counts_of(placed({other}, true), true);
  CHECK(inside.launches == 1);
  CHECK(inside.to_device + inside.to_host == 0);
  const Expr stack = tensor("stack", float64, {3, Dim::symbol(7, "k"), Dim::symbol(7, "k")});
  CHECK(counts_of(placed({svd(m).u * 2.0}, true)).to_device == 0);
  CHECK(counts_of(placed({svd(stack).u * 2.0}, true)).to_device == 1);
}

TEST_CASE("a number that tells a loop to go on is read by the host") {
  const Expr x = vector("x");
  const List halved = while_loop(
      List{x}, [](States s) { return sum(s[0]) > 1.0; }, [](States s) { return List{s[0] * 0.5}; });
  const Counts inside = counts_of(placed(halved), true);
  CHECK(inside.launches >= 2);
  CHECK(inside.to_host == 1);
  CHECK(inside.to_device == 0);
}

TEST_CASE("no kernel of many elements is one block") {
  const Expr x = vector("x"), m = matrix("m"), k = scalar("k", int64);
  const Expr i = tensor("i", int64, {Dim::symbol(7, "k")});
  const std::vector<std::vector<Expr>> programs = {
      {sum(x)},    {x / sum(x)}, {sum(m, 0)},           {sum(m, 1)},         {softmax(m)},
      {argmax(x)}, {var(m, 0)},  {inc_at(x, {i}, 1.0)}, {set_at(m, {i}, x)}, {set_at(m, {k}, x)}};
  for (const std::vector<Expr>& outputs : programs) {
    const Module module = placed(outputs);
    std::function<void(const std::vector<Step>&)> see = [&](const std::vector<Step>& steps) {
      for (const Step& step : steps) {
        for_each_inner(step, see);
        const auto* k = std::get_if<KernelStep>(&step.what);
        if (k == nullptr || k->device == of_host) continue;
        const Kernel& kernel = module.kernels[static_cast<std::size_t>(k->kernel)];
        const Launch launch = launch_of(kernel);
        if (!launch.blocks || !launch.blocks->is(1)) continue;
        // What is left for one block are sums of chunks.
        CAPTURE(text(kernel));
        for (const BufferParam& b : kernel.buffers)
          CHECK((b.name.find("partial") != std::string::npos || b.elements.is(1)));
      }
    };
    see(module.steps);
  }
}

TEST_CASE("what a device runs compiles for GPUs") {
  if (!toolchain_available()) return;
  const Expr x = vector("x"), m = matrix("m"), a = scalar("a"), n = scalar("n", int64);
  const Expr i = tensor("i", int64, {Dim::symbol(7, "k")});
  const Expr image = tensor4("image"), window = tensor4("window");
  const std::vector<std::vector<Expr>> programs = {
      {exp(x) * a + sum(x)},
      {softmax(m), sum(m, 0), transpose(m) + 1.0},
      {matmul(m, tanh(m)), argmax(m, 1)},
      {take(x, i, 0), inc_at(x, {i}, 1.0)},
      {cumsum(x, 0), sort(m, 1), argsort(x, 0), searchsorted(x, x)},
      {inc_at(cast(m, int32), {i}, 1), inc_at(cast(x, uint64), {i}, 1)},
      {minimum_at(cast(x, uint32), {i}, 1), maximum_at(cast(x, int64), {i}, 1)},
      {solve(m, cholesky(m)), cast(solve(cast(m, float32), cast(m, float32)), float64)},
      {conv(image, window), grad(sum(conv(image, window)), {image, window})[1]},
      {loop(n, x, [&](const Expr& k, const Expr& s) { return sin(s) * x + cast(k, float64); })},
  };
  for (const std::vector<Expr>& outputs : programs) {
    const Module module = placed(outputs, true);
    const DeviceKernels kernels = device_kernels(module, HostNames(module, "gnomon"));
    REQUIRE(!kernels.text.empty());
    for (const char* const gpu : {"sm_80", "sm_90"}) {
      BuildOptions options;
      options.device = gpu;
      const std::vector<char> ptx = build_device_image(
          {.name = "device.cu", .text = kernels.text, .kernels = kernels.names}, options);
      const std::string text(ptx.begin(), ptx.end());
      CHECK(text.back() == '\0');
      for (const std::string& name : kernels.names)
        CHECK(text.find(".entry " + name + "(") != std::string::npos);
      if (!nvrtc_available()) continue;
      options.device_compiler = "nvrtc";
      const std::vector<char> code = build_device_image(
          {.name = "device.cu", .text = kernels.text, .kernels = kernels.names}, options);
      CHECK(std::string_view(code.data(), 4) ==
            "\x7f"
            "ELF");
    }
  }
}
