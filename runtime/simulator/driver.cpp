// libgnomon-sim: the functions of NVIDIA's driver that Gnomon uses, over memory and threads of this
// machine. What is queued is done when somebody waits, as late as a device may do it.
#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/device/driver.h"
#include "runtime/simulator/memory.h"
#include "runtime/simulator/queue.h"
#include "runtime/simulator/simulated_image.h"
#include "runtime/simulator/threads.h"

namespace gnomon {
namespace {

using namespace simulator;

constexpr int multiprocessors = 3;  // few, so that loops over blocks go round
constexpr unsigned most_threads = 1024;

std::uint64_t number_in_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc() && *end == 0 ? value : otherwise;
}

/// An image that is open. The loader knows libraries by their paths, so the file stays open too: no
/// other one has its number meanwhile.
struct Image {
  const void* device = nullptr;  // it was loaded in
  int file = -1;
  void* library = nullptr;
  gnomon_simulated_state* state = nullptr;

  Image() = default;
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  ~Image() {
    if (library != nullptr) dlclose(library);
    if (file >= 0) ::close(file);
  }
};

struct Kernel {
  std::string name;
  std::shared_ptr<Image> image;
  gnomon_simulated_kernel run = nullptr;
  std::vector<std::uint32_t> sizes;  // of its parameters
};

struct LoadedImage {
  std::shared_ptr<Image> image;
  std::deque<Kernel> kernels;
};

class Simulated;
thread_local Simulated* in_use = nullptr;  // by this thread
std::string culprit;                       // the kernel that failed last

/// A device: one thread at a time.
class Simulated {
 public:
  explicit Simulated(int number)
      : number(number),
        memory_(number_in_environment("GNOMON_SIM_MEMORY", std::uint64_t{4} << 30)),
        seed_(static_cast<unsigned>(number_in_environment("GNOMON_SIM_SEED", 0))) {}

  const int number;

  Memory& memory() { return memory_; }

  int queue(std::function<int()> work) {
    if (failed_ != cu::success) return failed_;
    queue_.push_back(std::move(work));
    ++queued_;
    return cu::success;
  }
  // Errors stay, as they do where a device has one.
  int wait() { return wait_until(queued_); }
  /// How much was queued so far.
  std::uint64_t queued() const { return queued_; }
  /// Until so much is done. What is done may ask for this itself, of what comes before it.
  int wait_until(std::uint64_t count) {
    Simulated* const before = std::exchange(in_use, this);
    while (begun_ < count && failed_ == cu::success) {
      const std::function<int()> work = std::move(queue_.front());
      queue_.pop_front();
      ++begun_;
      if (const int result = work(); result != cu::success) failed_ = result;
    }
    if (failed_ != cu::success) queue_.clear(), begun_ = queued_;
    in_use = before;
    return failed_;
  }

  int run(const Kernel& kernel, unsigned blocks, unsigned threads, std::vector<char> values) {
    std::vector<void*> arguments;
    std::size_t at = 0;
    for (const std::uint32_t size : kernel.sizes) {
      arguments.push_back(values.data() + at);
      at += room_of(size);
    }
    gnomon_simulated_state& state = *kernel.image->state;
    state.block_size.x = threads, state.grid_size.x = blocks;
    const unsigned launch = launches_++;
    const std::function<void()> thread = [&] { kernel.run(arguments.data()); };
    const std::function<void(unsigned)> enter = [&](unsigned t) { state.thread_index.x = t; };
    for (unsigned n = 0; n < blocks; ++n) {
      // Neither the first nor the last block comes first each time.
      state.block_index.x = (launch + seed_) % 2 == 0 ? n : blocks - 1 - n;
      std::memset(state.shared_begin, 0xFF,
                  static_cast<std::size_t>(state.shared_end - state.shared_begin));
      const auto order = static_cast<Order>((launch / 2 + n + seed_) % 3);
      if (!run_block(threads, order, seed_ + launch + n, enter, thread))
        return fail(cu::launch_failed, kernel);
      if (std::exchange(has_strayed_, false)) return fail(cu::illegal_address, kernel);
    }
    return cu::success;
  }

  /// Of a parameter, so that all of them are aligned.
  static std::size_t room_of(std::uint32_t size) { return (size + 15) & ~std::size_t{15}; }

  void stray() { has_strayed_ = true; }

 private:
  static int fail(int error, const Kernel& kernel) {
    culprit = kernel.name;
    return error;
  }

  Memory memory_;
  unsigned seed_, launches_ = 0;
  bool has_strayed_ = false;
  int failed_ = cu::success;
  std::deque<std::function<int()>> queue_;
  std::uint64_t queued_ = 0, begun_ = 0;
};

/// What was queued on a device when it was recorded.
struct Event {
  Simulated* device = nullptr;
  std::uint64_t until = 0;
};

int device_count() {
  constexpr std::uint64_t most = 16;
  static const std::uint64_t count = number_in_environment("GNOMON_SIM_DEVICES", 1);
  return static_cast<int>(std::clamp(count, std::uint64_t{1}, most));
}

// Never destroyed: arrays may go when the process ends.
std::recursive_mutex& mutex() {
  static auto* const one = new std::recursive_mutex;
  return *one;
}

Simulated& device_numbered(int number) {
  static auto* const all = new std::map<int, Simulated>;
  return all->try_emplace(number, number).first->second;
}

// Whose context the thread uses; as the first thing in a process, that of device 0.
Simulated& device() { return in_use != nullptr ? *in_use : device_numbered(0); }

struct Locked {
  std::unique_lock<std::recursive_mutex> hold = locked();
};

// Of a kernel's parameter: what is no memory of the device is null.
void* translate(const void* address) {
  if (address == nullptr) return nullptr;
  void* const found = device().memory().translate(reinterpret_cast<std::uint64_t>(address));
  if (found == nullptr) device().stray();
  return found;
}

std::size_t bytes_of_image(const void* image) {
  const auto* head = static_cast<const Elf64_Ehdr*>(image);
  if (std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return 0;
  return head->e_shoff + std::size_t{head->e_shnum} * head->e_shentsize;
}

std::shared_ptr<Image> open_image(const void* bytes, std::size_t size) {
  auto image = std::make_shared<Image>();
  image->device = &device();
  image->file = memfd_create("gnomon-sim", MFD_CLOEXEC);
  if (image->file < 0) return nullptr;
  for (std::size_t at = 0; at < size;) {
    const ssize_t got = ::write(image->file, static_cast<const char*>(bytes) + at, size - at);
    if (got <= 0) return nullptr;
    at += static_cast<std::size_t>(got);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(image->file);
  image->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image->library == nullptr) return nullptr;
  auto* const state_of =
      reinterpret_cast<gnomon_simulated_state* (*)()>(dlsym(image->library, "gnomon_simulated"));
  if (state_of != nullptr) image->state = state_of();
  if (image->state == nullptr || image->state->version != gnomon_simulated_version) return nullptr;
  image->state->wait = wait_for_block;
  image->state->translate = translate;
  return image;
}

struct ErrorName {
  int number;
  const char *name, *text;
};
constexpr std::array error_names{
    ErrorName{cu::success, "CUDA_SUCCESS", "no error"},
    ErrorName{cu::invalid_value, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    ErrorName{cu::out_of_memory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    ErrorName{cu::invalid_image, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    ErrorName{cu::invalid_handle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    ErrorName{cu::not_found, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    ErrorName{cu::illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS",
              "a kernel was given memory that is not the device's"},
    ErrorName{cu::launch_failed, "CUDA_ERROR_LAUNCH_FAILED",
              "threads of a block waited for others that had ended"},
};

const ErrorName* error_named(int number) {
  const auto at = std::ranges::find(error_names, number, &ErrorName::number);
  return at == error_names.end() ? nullptr : &*at;
}

}  // namespace

namespace simulator {

std::unique_lock<std::recursive_mutex> locked() { return std::unique_lock(mutex()); }
int queue_work(std::function<int()> work) { return device().queue(std::move(work)); }
// That without a name is of the one in use.
bool is_of_another(cu::Stream stream) {
  return stream != nullptr && reinterpret_cast<Simulated*>(stream) != &device();
}
bool has_memory(std::uint64_t address, std::size_t bytes) {
  return device().memory().has(address, bytes);
}
void* seen_by_host(std::uint64_t address) { return device().memory().translate(address); }

}  // namespace simulator
}  // namespace gnomon

using namespace gnomon;

GNOMON_EXPORTED int cuInit(unsigned) { return cu::success; }
GNOMON_EXPORTED int cuDriverGetVersion(int* version) { return *version = 13000, cu::success; }
GNOMON_EXPORTED int cuGetErrorName(int error, const char** text) {
  const ErrorName* const found = error_named(error);
  return found == nullptr ? cu::invalid_value : (*text = found->name, cu::success);
}
GNOMON_EXPORTED int cuGetErrorString(int error, const char** text) {
  const ErrorName* const found = error_named(error);
  if (found == nullptr) return cu::invalid_value;
  thread_local std::string full;
  const Locked lock;
  full = found->text;
  if (error == cu::illegal_address || error == cu::launch_failed) full += ": kernel " + culprit;
  *text = full.c_str();
  return cu::success;
}
GNOMON_EXPORTED int cuDeviceGetCount(int* count) { return *count = device_count(), cu::success; }
GNOMON_EXPORTED int cuDeviceGet(cu::Device* found, int number) {
  if (number < 0 || number >= device_count()) return cu::invalid_device;
  return *found = number, cu::success;
}
GNOMON_EXPORTED int cuDeviceGetName(char* name, int length, cu::Device) {
  constexpr std::string_view own = "simulated device";
  const std::size_t count = std::min(own.size(), static_cast<std::size_t>(length) - 1);
  std::memcpy(name, own.data(), count);
  name[count] = 0;
  return cu::success;
}
GNOMON_EXPORTED int cuDeviceGetAttribute(int* value, int attribute, cu::Device) {
  *value = attribute == cu::multiprocessor_count ? multiprocessors : 0;
  return cu::success;
}
GNOMON_EXPORTED int cuDeviceGetDefaultMemPool(cu::Pool* pool, cu::Device) {
  return *pool = nullptr, cu::success;
}
GNOMON_EXPORTED int cuDevicePrimaryCtxRetain(cu::Context* context, cu::Device number) {
  const Locked lock;
  *context = reinterpret_cast<cu::Context>(&device_numbered(number));
  return cu::success;
}
GNOMON_EXPORTED int cuCtxSetCurrent(cu::Context context) {
  in_use = reinterpret_cast<Simulated*>(context);
  return cu::success;
}
GNOMON_EXPORTED int cuCtxGetDevice(cu::Device* found) {
  const Locked lock;
  return *found = device().number, cu::success;
}
GNOMON_EXPORTED int cuMemGetInfo_v2(std::size_t* unused, std::size_t* all) {
  const Locked lock;
  *all = device().memory().most();
  *unused = *all - device().memory().used();
  return cu::success;
}
GNOMON_EXPORTED int cuMemPoolSetAttribute(cu::Pool, int, void*) { return cu::success; }
GNOMON_EXPORTED int cuMemPoolTrimTo(cu::Pool, std::size_t) { return cu::success; }
GNOMON_EXPORTED int cuStreamCreate(cu::Stream* stream, unsigned) {
  const Locked lock;
  *stream = reinterpret_cast<cu::Stream>(&device());
  return cu::success;
}
GNOMON_EXPORTED int cuStreamSynchronize(cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  return device().wait();
}

GNOMON_EXPORTED int cuMemAllocAsync(cu::Pointer* found, std::size_t bytes, cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  *found = device().memory().allocate(bytes);
  return *found == 0 ? cu::out_of_memory : cu::success;
}
GNOMON_EXPORTED int cuMemFreeAsync(cu::Pointer memory, cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  return device().queue(
      [memory] { return device().memory().release(memory) ? cu::success : cu::invalid_value; });
}
GNOMON_EXPORTED int cuMemcpyHtoDAsync_v2(cu::Pointer to, const void* from, std::size_t bytes,
                                         cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  if (!device().memory().has(to, bytes)) return cu::invalid_value;
  const auto* first = static_cast<const char*>(from);
  return device().queue([to, now = std::vector<char>(first, first + bytes)] {
    std::memcpy(device().memory().translate(to), now.data(), now.size());
    return cu::success;
  });
}
GNOMON_EXPORTED int cuMemcpyDtoHAsync_v2(void* to, cu::Pointer from, std::size_t bytes,
                                         cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  if (!device().memory().has(from, bytes)) return cu::invalid_value;
  return device().queue([=] {
    std::memcpy(to, device().memory().translate(from), bytes);
    return cu::success;
  });
}
GNOMON_EXPORTED int cuMemcpyDtoDAsync_v2(cu::Pointer to, cu::Pointer from, std::size_t bytes,
                                         cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  if (!device().memory().has(from, bytes) || !device().memory().has(to, bytes))
    return cu::invalid_value;
  return device().queue([=] {
    std::memmove(device().memory().translate(to), device().memory().translate(from), bytes);
    return cu::success;
  });
}
GNOMON_EXPORTED int cuMemcpyPeerAsync(cu::Pointer to, cu::Context context, cu::Pointer from,
                                      cu::Context source, std::size_t bytes, cu::Stream stream) {
  const Locked lock;
  auto *const there = reinterpret_cast<Simulated*>(context), *const here =
                                                                 reinterpret_cast<Simulated*>(
                                                                     source);
  if (is_of_another(stream)) return cu::invalid_handle;
  if (!there->memory().has(to, bytes) || !here->memory().has(from, bytes)) return cu::invalid_value;
  return device().queue([=] {
    std::memcpy(there->memory().translate(to), here->memory().translate(from), bytes);
    return cu::success;
  });
}

GNOMON_EXPORTED int cuEventCreate(cu::Event* event, unsigned) {
  *event = reinterpret_cast<cu::Event>(new Event);
  return cu::success;
}
GNOMON_EXPORTED int cuEventRecord(cu::Event event, cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  *reinterpret_cast<Event*>(event) = {&device(), device().queued()};
  return cu::success;
}
GNOMON_EXPORTED int cuEventDestroy_v2(cu::Event event) {
  delete reinterpret_cast<Event*>(event);
  return cu::success;
}
GNOMON_EXPORTED int cuStreamWaitEvent(cu::Stream stream, cu::Event event, unsigned) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  const Event reached = *reinterpret_cast<Event*>(event);
  if (reached.device == nullptr) return cu::success;
  return device().queue([reached] { return reached.device->wait_until(reached.until); });
}

GNOMON_EXPORTED int cuMemsetD8Async(cu::Pointer memory, unsigned char value, std::size_t bytes,
                                    cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  if (!device().memory().has(memory, bytes)) return cu::invalid_value;
  return device().queue([=] {
    std::memset(device().memory().translate(memory), value, bytes);
    return cu::success;
  });
}

GNOMON_EXPORTED int cuMemsetD2D32Async(cu::Pointer memory, std::size_t pitch, unsigned value,
                                       std::size_t words, std::size_t lines, cu::Stream stream) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  const std::size_t bytes = words * sizeof value;
  if (lines == 0) return cu::success;
  if (pitch < bytes || memory % sizeof value != 0 ||
      !device().memory().has(memory, (lines - 1) * pitch + bytes))
    return cu::invalid_value;
  return device().queue([=] {
    for (std::size_t k = 0; k < lines; ++k)
      for (std::size_t w = 0; w < words; ++w)
        std::memcpy(
            static_cast<char*>(device().memory().translate(memory)) + k * pitch + w * sizeof value,
            &value, sizeof value);
    return cu::success;
  });
}

GNOMON_EXPORTED int cuModuleLoadData(cu::Module* found, const void* bytes) {
  const Locked lock;
  const std::size_t size = bytes_of_image(bytes);
  auto image = size == 0 ? nullptr : open_image(bytes, size);
  if (image == nullptr) return cu::invalid_image;
  auto* const loaded = new LoadedImage;
  loaded->image = std::move(image);
  *found = reinterpret_cast<cu::Module>(loaded);
  return cu::success;
}
GNOMON_EXPORTED int cuModuleUnload(cu::Module module) {
  const Locked lock;
  auto* const loaded = reinterpret_cast<LoadedImage*>(module);
  return device().queue([loaded] {
    delete loaded;
    return cu::success;
  });
}
GNOMON_EXPORTED int cuModuleGetFunction(cu::Function* found, cu::Module module, const char* name) {
  const Locked lock;
  auto* const loaded = reinterpret_cast<LoadedImage*>(module);
  const std::string symbol = std::string(name) + "_simulated";
  auto* const run =
      reinterpret_cast<gnomon_simulated_kernel>(dlsym(loaded->image->library, symbol.c_str()));
  if (run == nullptr) return cu::not_found;
  Kernel kernel{name, loaded->image, run, {}};
  for (const std::uint32_t* size = run(nullptr); *size != 0; ++size) kernel.sizes.push_back(*size);
  loaded->kernels.push_back(std::move(kernel));
  *found = reinterpret_cast<cu::Function>(&loaded->kernels.back());
  return cu::success;
}
GNOMON_EXPORTED int cuLaunchKernel(cu::Function function, unsigned blocks, unsigned, unsigned,
                                   unsigned threads, unsigned, unsigned, unsigned,
                                   cu::Stream stream, void** parameters, void**) {
  const Locked lock;
  if (is_of_another(stream)) return cu::invalid_handle;
  const auto* kernel = reinterpret_cast<const Kernel*>(function);
  if (kernel->image->device != &device()) return cu::invalid_handle;
  if (blocks == 0 || threads == 0 || threads > most_threads) return cu::invalid_value;
  std::vector<char> values;
  for (const std::uint32_t size : kernel->sizes) {
    const auto* const first = static_cast<const char*>(*parameters++);
    values.insert(values.end(), first, first + size);
    values.resize(values.size() + Simulated::room_of(size) - size);
  }
  return device().queue(
      [=, values = std::move(values)] { return device().run(*kernel, blocks, threads, values); });
}
