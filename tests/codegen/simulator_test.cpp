// The simulated device shows the faults that a GPU has and a loop over threads has not: a barrier
// that lacks, memory that was never written, memory that is not the device's.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "codegen/cuda/cuda_language.h"
#include "codegen/toolchain/build.h"
#include "runtime/device/device.h"
#include "runtime/error.h"

using namespace gnomon;

namespace {

constexpr int threads = 128, blocks = 5;

/// Loads one kernel `k` of this text.
std::shared_ptr<const DeviceCode> loaded(Device& device, const std::string& text) {
  BuildOptions options;
  options.device = "sim";
  const Unit unit{.name = "device.cu",
                  .text = cuda_language.unit(text, {}),
                  .is_usual = false,
                  .kernels = {"k"}};
  const std::vector<char> image = build_device_image(unit, options);
  const char* const names[] = {"k"};
  return device.load(image.data(), names);
}

/// Runs a kernel of one pointer, as often as orders change; what it leaves, each time.
std::vector<std::vector<double>> results_of(const std::string& text) {
  Device& device = Device::open(device_named("sim"));
  const auto code = loaded(device, text);
  std::vector<std::vector<double>> all;
  for (int run = 0; run < 6; ++run) {
    const DeviceMemory memory = device.allocate(8 * threads * blocks, "the test");
    void* address = memory.address();
    void* const parameters[] = {&address};
    device.launch(*code, 0, blocks, threads, parameters);
    std::vector<double>& found = all.emplace_back(threads * blocks);
    device.download(found.data(), memory.address(), 8 * found.size());
    device.wait();
  }
  return all;
}

// Each thread writes a number, and reads that of the thread at the other end.
std::string exchange(bool waits) {
  return fmt::format(
      "extern \"C\" __global__ void __launch_bounds__({0}) k(f64* out) {{\n"
      "  __shared__ f64 shared[{0}];\n"
      "  shared[threadIdx.x] = threadIdx.x + 1.0;\n{1}"
      "  out[blockIdx.x * {0} + threadIdx.x] = shared[{0} - 1 - threadIdx.x];\n}}\n",
      threads, waits ? "  __syncthreads();\n" : "");
}

bool is_right(const std::vector<double>& found) {
  for (int i = 0; i < blocks * threads; ++i)
    if (found[static_cast<std::size_t>(i)] != threads - i % threads) return false;
  return true;
}

}  // namespace

TEST_CASE("threads of a block exchange numbers, in whatever order they run") {
  if (!toolchain_available()) return;
  for (const std::vector<double>& found : results_of(exchange(true))) CHECK(is_right(found));
}

TEST_CASE("a barrier that lacks is seen in each order") {
  if (!toolchain_available()) return;
  for (const std::vector<double>& found : results_of(exchange(false))) {
    CHECK(!is_right(found));
    // What the others had not written yet is no number.
    CHECK(std::ranges::any_of(found, [](double x) { return std::isnan(x); }));
  }
}

TEST_CASE("memory that nobody wrote is no number") {
  if (!toolchain_available()) return;
  const auto all = results_of(
      "extern \"C\" __global__ void k(f64* out) {\n"
      "  if (threadIdx.x == 0) out[blockIdx.x] = out[blockIdx.x + gridDim.x] + 1.0;\n}\n");
  for (const std::vector<double>& found : all)
    for (int b = 0; b < blocks; ++b) CHECK(std::isnan(found[static_cast<std::size_t>(b)]));
}

TEST_CASE("a kernel that is given memory of the host fails, and says which it is") {
  if (!toolchain_available()) return;
  // Errors stay with a device, so a process of its own has this one.
  const std::string text =
      "extern \"C\" __global__ void k(f64* out) { if (out) out[threadIdx.x] = 1; }\n";
  const pid_t child = fork();
  if (child != 0) {
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    return;
  }
  int code = 1;
  try {
    // The device was perhaps opened before: then there is no error to be seen but that of the fork.
    Device& device = Device::open(device_named("sim"));
    const auto kernel = loaded(device, text);
    double numbers[threads] = {};
    void* address = numbers;
    void* const parameters[] = {&address};
    device.launch(*kernel, 0, 1, threads, parameters);
    device.wait();
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    const bool is_told = what.find("not the device's: kernel k") != what.npos;
    code = is_told || what.find("forked") != what.npos ? 0 : 2;
  }
  _exit(code);
}
