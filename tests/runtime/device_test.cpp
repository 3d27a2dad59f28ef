// Devices over the simulated driver: memory, copies, order of work, errors.
#include "runtime/device/device.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/arrays/shared.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"

using namespace gnomon;

namespace {

Device& sim() { return Device::open(device_named("sim")); }

std::string message(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("devices have names") {
  CHECK(device_named("cpu").is_host());
  CHECK(device_named("").is_host());
  CHECK(device_named("cuda").text() == "cuda");
  CHECK(device_named("cuda:0").text() == "cuda");
  CHECK(device_named("cuda:3").number == 3);
  CHECK(device_named("sim").text() == "sim");
  CHECK(device_named("sim:1").text() == "sim:1");
  for (const char* const none :
       {"gpu", "cuda:", "cuda:x", "cuda:-1", "cuda0", "sim:", "simple", "CUDA"})
    CHECK_THROWS_AS(device_named(none), ValueError);
}

TEST_CASE("memory of a device is there behind a wait, and starts as NaN") {
  Device& device = sim();
  const std::vector<double> numbers{1, 2, 3};
  DeviceMemory one = device.allocate(24, "one"), other = device.allocate(24, "other");
  device.upload(one.address(), numbers.data(), 24);
  std::vector<double> found(3, 7.0);
  device.download(found.data(), other.address(), 24);
  CHECK(found[0] == 7.0);  // it is queued
  device.wait();
  CHECK(std::isnan(found[0]));
  device.copy(other.address(), one.address(), 24);
  device.download(found.data(), other.address(), 24);
  device.wait();
  CHECK(found == numbers);
  device.fill(other.address(), 0, 16);
  device.download(found.data(), other.address(), 24);
  device.wait();
  CHECK(found == std::vector<double>{0, 0, 3});
}

TEST_CASE("bytes that are uploaded may change at once") {
  Device& device = sim();
  double number = 5;
  const DeviceMemory memory = device.allocate(8, "a number");
  device.upload(memory.address(), &number, 8);
  number = 6;
  double found = 0;
  device.download(&found, memory.address(), 8);
  device.wait();
  CHECK(found == 5);
}

TEST_CASE("who asks for too much memory is told who has it") {
  Device& device = sim();
  const auto [unused, all] = device.memory();
  CHECK(unused <= all);
  const DeviceMemory held = device.allocate(all / 4, "the table of f");
  const std::string text = message([&] { device.allocate(all, "the workspace of g"); });
  CHECK(has(text, "device sim: out of memory"));
  CHECK(has(text, "for the workspace of g"));
  CHECK(has(text, "held by the table of f"));
  CHECK(device.memory().first < all);
  {
    const DeviceMemory rest = device.allocate(all / 2, "more");
  }
  // What was given back is there again, though it was only queued.
  const DeviceMemory again = device.allocate(all / 2, "more");
}

TEST_CASE("the host cannot read memory of a device") {
  const DeviceMemory memory = sim().allocate(64, "a line");
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    const volatile int* const address = static_cast<const int*>(memory.address());
    _exit(*address == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(!(WIFEXITED(status) && WEXITSTATUS(status) <= 1));
}

TEST_CASE("a process that was forked cannot use the device") {
  Device& device = sim();
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = message([&] { device.wait(); });
    _exit(has(text, "forked") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("arrays go to a device and back") {
  const Array numbers = Array::from<double>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Array there = to_device(sim(), numbers.transpose(), "numbers");
  CHECK(device_of(there) == &sim());
  CHECK(device_of(numbers) == nullptr);
  CHECK(has(message([&] { static_cast<void>(there.data<double>()); }), "memory of a device"));
  CHECK(to_host(there).to_vector<double>() == std::vector<double>{1, 4, 2, 5, 3, 6});
  CHECK(to_host(numbers).address() == numbers.address());
  CHECK(to_device(sim(), there, "numbers").address() == there.address());
}

TEST_CASE("arrays on a device have parts that lie together, and copies") {
  Device& device = sim();
  const Array rows = Array::from({1.0, 2.0, 3.0, 4.0, 5.0, 6.0}, {2, 3});
  const Array there = to_device(device, rows, "rows");
  CHECK(to_host(there.slice(0, 1, 2)).to_vector<double>() == std::vector<double>{4, 5, 6});
  CHECK(to_host(there.reshape({3, -1})).shape()[1] == 2);
  CHECK(to_host(there.view(DType::int64)).dtype() == DType::int64);
  CHECK_THROWS_WITH_AS(there.transpose(), doctest::Contains("lies together"), DeviceError);
  CHECK_THROWS_AS(there.contiguous(), DeviceError);
  CHECK_THROWS_AS(Array(there).assign(rows), DeviceError);
  CHECK_THROWS_AS(rows.copy().assign(there), DeviceError);
  const Array copied = there.copy();
  CHECK(copied.address() != there.address());
  CHECK(to_host(copied).to_vector<double>() == rows.to_vector<double>());
}

TEST_CASE("memory of others on a device is let go with the last handle") {
  Device& device = sim();
  const Array owner = to_device(device, Array::from({1.0, 2.0}), "owner");
  auto kept = std::make_shared<int>(0);
  const std::weak_ptr<int> alive = kept;
  {
    const Array shown = borrow_on(device, owner.address(), DType::float64, owner.shape(), kept);
    kept.reset();
    CHECK(device_of(shown) == &device);
    CHECK(to_host(shown.slice(0, 1, 2)).item<double>() == 2);
    CHECK(!alive.expired());
  }
  CHECK(alive.expired());
}

TEST_CASE("the value of a shared variable is the host's, wherever it is") {
  Shared variable("w", Array::from<double>({1, 2}));
  const Array value = variable.get();
  variable.move(value, to_device(sim(), value, "w"));
  CHECK(variable.get().to_vector<double>() == std::vector<double>{1, 2});
  CHECK(variable.home().is_host());
  CHECK(Shared("v", to_device(sim(), value, "v")).home() == device_named("sim"));
  // It is another value by now.
  variable.set(Array::from<double>({3, 4}));
  variable.move(value, to_device(sim(), value, "w"));
  CHECK(variable.get().to_vector<double>() == std::vector<double>{3, 4});
}

TEST_CASE("a missing driver is told of") {
  const std::string text = message([] { Device::open(device_named("cuda")); });
  if (!text.empty()) CHECK(has(text, "device cuda"));
}
