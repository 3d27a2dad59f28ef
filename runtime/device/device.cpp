// Devices over the functions of a driver.
#include "runtime/device/device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "runtime/device/device_library.h"
#include "runtime/error.h"
#include "runtime/size_text.h"

namespace gnomon {

namespace {

// Numbers of a device by name; devices are never closed: memory may go back to them at any time.
struct Registry {
  std::mutex mutex;
  std::map<std::string, Device*> devices;
};

Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

cu::Pointer pointer(const void* address) { return reinterpret_cast<cu::Pointer>(address); }

}  // namespace

std::string DeviceName::text() const {
  switch (kind) {
    case Kind::cpu: return "cpu";
    case Kind::sim:
    case Kind::cuda: break;
  }
  const std::string_view text = kind == Kind::sim ? "sim" : "cuda";
  return number == 0 ? std::string(text) : fmt::format("{}:{}", text, number);
}

DeviceName device_named(std::string_view text) {
  if (text.empty() || text == "cpu") return {};
  constexpr std::pair<std::string_view, DeviceName::Kind> kinds[] = {
      {"cuda", DeviceName::Kind::cuda}, {"sim", DeviceName::Kind::sim}};
  for (const auto& [word, kind] : kinds) {
    if (!text.starts_with(word)) continue;
    const std::string_view rest = text.substr(word.size());
    DeviceName name{kind, 0};
    if (rest.empty()) return name;
    const char* const end = rest.data() + rest.size();
    if (rest.front() != ':') break;
    const auto [at, error] = std::from_chars(rest.data() + 1, end, name.number);
    if (error == std::errc() && at == end && name.number >= 0) return name;
  }
  throw ValueError(
      fmt::format("device: expected cpu, cuda, cuda:1 and so on, or sim, found {}", text));
}

// --- memory and code ---

DeviceMemory::~DeviceMemory() {
  if (device_ != nullptr) device_->release(at_);
}

DeviceCode::~DeviceCode() {
  if (::getpid() != device_.process_) return;
  device_.driver_.context_use(device_.context_);
  device_.driver_.module_unload(module_);
}

// --- devices ---

Device& Device::open(const DeviceName& name) {
  if (name.is_host()) throw InternalError("device: the host is none");
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  Device*& device = all.devices[name.text()];
  if (device == nullptr)
    device = new Device(name, name.is_simulated() ? simulated_driver() : cuda_driver());
  return *device;
}

Device::Device(DeviceName name, const Driver& driver)
    : name_(name), driver_(driver), process_(::getpid()) {
  int count = 0;
  const int counted = driver.device_count(&count);
  if (counted == cu::no_device) count = 0;
  if (counted != cu::no_device) check(counted, "counting devices");
  if (name.number >= count)
    throw DeviceError(
        fmt::format("device {}: expected one of {} devices, found no such", name.text(), count));
  cu::Device device = 0;
  check(driver.device_get(&device, name.number), "opening it");
  char model[256] = {};
  check(driver.device_name(model, sizeof model, device), "asking for its name");
  model_ = model;
  int major = 0, minor = 0;
  check(driver.device_attribute(&multiprocessors_, cu::multiprocessor_count, device),
        "asking for its size");
  check(driver.device_attribute(&major, cu::compute_capability_major, device),
        "asking for its architecture");
  check(driver.device_attribute(&minor, cu::compute_capability_minor, device),
        "asking for its architecture");
  architecture_ = name.is_simulated() ? "sim" : fmt::format("sm_{}{}", major, minor);
  check(driver.context_retain(&context_, device), "opening it");
  enter();
  constexpr unsigned waits_for_no_other_stream = 1;
  check(driver.stream_create(&stream_, waits_for_no_other_stream), "making a stream");
  check(driver.device_pool(&pool_, device), "asking for its memory");
  std::uint64_t keeps_all = std::numeric_limits<std::uint64_t>::max();
  check(driver.pool_set(pool_, cu::release_threshold, &keeps_all), "keeping its memory");
}

void Device::enter() const {
  if (::getpid() != process_)
    throw DeviceError(fmt::format(
        "device {}: expected the process that opened it, found one that was forked from it: start "
        "processes by spawning them",
        name_.text()));
  check(driver_.context_use(context_), "using it");
}

void Device::check(int result, std::string_view doing) const {
  if (result == cu::success) return;
  throw DeviceError(
      fmt::format("device {}: {}: {}", name_.text(), doing, error_text(driver_, result)));
}

template <class Library, class Functions>
Library* Device::library(std::unique_ptr<Library>& kept) {
  enter();
  const auto& found = device_library<Functions>(name_.is_simulated());
  if (!found.is_there) return nullptr;
  const std::lock_guard hold(libraries_mutex_);
  if (kept == nullptr) kept = std::make_unique<Library>(*this, found.functions);
  return kept.get();
}

DeviceProducts* Device::products() { return library<DeviceProducts, Cublas>(products_); }
DeviceTransforms* Device::transforms() { return library<DeviceTransforms, Cufft>(transforms_); }
DeviceMatrices* Device::matrices() { return library<DeviceMatrices, Cusolver>(matrices_); }

std::pair<std::size_t, std::size_t> Device::memory() const {
  enter();
  std::size_t unused = 0, all = 0;
  check(driver_.memory_info(&unused, &all), "asking for its memory");
  return {unused, all};
}

DeviceMemory Device::allocate(std::size_t bytes, std::string of) {
  enter();
  cu::Pointer at = 0;
  const std::size_t wanted = std::max<std::size_t>(bytes, 1);
  int result = driver_.allocate(&at, wanted, stream_);
  if (result == cu::out_of_memory) {
    give_back();
    result = driver_.allocate(&at, wanted, stream_);
  }
  if (result == cu::out_of_memory) throw_out_of_memory(bytes, of);
  check(result, fmt::format("allocating {} bytes", bytes));
  DeviceMemory memory(*this, at);
  const std::lock_guard hold(mutex_);
  holdings_[at] = {bytes, std::move(of)};
  return memory;
}

void Device::throw_out_of_memory(std::size_t bytes, const std::string& of) const {
  std::vector<Holding> held;
  {
    const std::lock_guard hold(mutex_);
    for (const auto& [at, holding] : holdings_) held.push_back(holding);
  }
  std::ranges::sort(held, std::greater(), &Holding::bytes);
  constexpr std::size_t most = 8;
  std::string holders;
  for (std::size_t i = 0; i < std::min(held.size(), most); ++i)
    holders += fmt::format("{}{} {}", i == 0 ? "" : ", ", held[i].of, size_text(held[i].bytes));
  if (held.size() > most) holders += fmt::format(" and {} more", held.size() - most);
  const auto [unused, all] = memory();
  throw DeviceError(
      fmt::format("device {}: out of memory: expected {} for {}, found {} of {} "
                  "free; held by {}",
                  name_.text(), size_text(bytes), of, size_text(unused), size_text(all),
                  held.empty() ? "others" : holders));
}

void Device::release(cu::Pointer at) noexcept {
  if (::getpid() != process_) return;
  {
    const std::lock_guard hold(mutex_);
    holdings_.erase(at);
  }
  driver_.context_use(context_);
  driver_.free(at, stream_);
}

void Device::upload(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  enter();
  check(driver_.copy_in(pointer(to), from, bytes, stream_), "copying to it");
}

void Device::download(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  enter();
  check(driver_.copy_out(to, pointer(from), bytes, stream_), "copying from it");
}

void Device::copy(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  enter();
  check(driver_.copy(pointer(to), pointer(from), bytes, stream_), "copying in it");
}

// What is queued next comes behind what the other has queued.
void Device::follow(const Device& other) const {
  cu::Event reached = nullptr;
  other.enter();
  other.check(driver_.event_create(&reached, cu::disable_timing), "making an event");
  const int recorded = driver_.event_record(reached, other.stream_);
  enter();
  const int waits =
      recorded == cu::success ? driver_.stream_wait_event(stream_, reached, 0) : recorded;
  driver_.event_destroy(reached);  // once it is reached
  check(waits, fmt::format("waiting for {}", other.name_.text()));
}

void Device::copy_from(Device& other, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  follow(other);
  check(driver_.copy_peer(pointer(to), context_, pointer(from), other.context_, bytes, stream_),
        fmt::format("copying from {}", other.name_.text()));
  other.follow(*this);
  enter();
}

void Device::fill(void* memory, unsigned char value, std::size_t bytes) {
  if (bytes == 0) return;
  enter();
  check(driver_.fill(pointer(memory), value, bytes, stream_), "filling its memory");
}

void Device::clear_lines(void* memory, std::size_t pitch, std::size_t bytes, std::size_t lines) {
  enter();
  check(driver_.fill_lines(pointer(memory), pitch, 0, bytes / 4, lines, stream_),
        "filling its memory");
}

void Device::wait() {
  enter();
  check(driver_.stream_wait(stream_), "waiting for it");
}

void Device::give_back() {
  wait();
  check(driver_.pool_trim(pool_, 0), "giving memory back");
}

std::shared_ptr<const DeviceCode> Device::load(const void* image,
                                               std::span<const char* const> kernels) {
  enter();
  cu::Module module = nullptr;
  check(driver_.module_load(&module, image), "loading kernels");
  std::shared_ptr<DeviceCode> code(new DeviceCode(*this, module));
  for (const char* const name : kernels)
    check(driver_.module_function(&code->functions_.emplace_back(), module, name),
          fmt::format("loading kernel {}", name));
  return code;
}

void Device::launch(const DeviceCode& code, int kernel, std::int64_t blocks, int threads,
                    void* const* parameters) {
  enter();
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  check(driver_.launch(code.functions_[static_cast<std::size_t>(kernel)],
                       static_cast<unsigned>(std::clamp<std::int64_t>(blocks, 1, most)), 1, 1,
                       static_cast<unsigned>(threads), 1, 1, 0, stream_,
                       const_cast<void**>(parameters), nullptr),
        "launching a kernel");
}

}  // namespace gnomon
