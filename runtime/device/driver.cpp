// Opens the driver, or the simulated one.
#include "runtime/device/driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <optional>
#include <type_traits>

#include "runtime/cache/own_libraries.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

struct Opened {
  Driver driver;
  std::string missing;  // empty: all there
};

Opened functions_of(void* library) {
  Opened found;
  const auto get = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) found.missing += fmt::format(" {}", name);
  };
#define GNOMON_GET(name, symbol, parameters) get(found.driver.name, symbol);
  GNOMON_DRIVER_FUNCTIONS(GNOMON_GET)
#undef GNOMON_GET
  return found;
}

// What a driver was not opened for; each call that needs it says so.
struct Search {
  std::optional<Driver> driver;
  std::string reason;
  void* library = nullptr;  // of the simulator
};

Search open_cuda_driver() {
  constexpr const char* file = "libcuda.so.1";
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = dlerror();
    return {{},
            fmt::format("device cuda: expected NVIDIA's driver, found no {} ({}); device \"sim\" "
                        "runs the same kernels on this processor",
                        file, why == nullptr ? "no reason" : why)};
  }
  Opened opened = functions_of(library);
  if (!opened.missing.empty())
    return {{},
            fmt::format("device cuda: expected a driver of CUDA 11.2 or newer, found one that "
                        "lacks{}",
                        opened.missing)};
  if (const int error = opened.driver.init(0); error != cu::success)
    return {{},
            fmt::format("device cuda: the driver does not start: {}",
                        error_text(opened.driver, error))};
  return {opened.driver, {}};
}

Search open_simulated_driver() {
  Search search;
  const std::string tried =
      open_library("libgnomon-sim.so", "GNOMON_SIM_LIBRARY", "cuInit", [&](void* entry) {
        Dl_info of{};
        if (dladdr(entry, &of) == 0) return false;
        void* const library = dlopen(of.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
        if (library == nullptr) return false;
        const Opened opened = functions_of(library);
        if (!opened.missing.empty() || opened.driver.init(0) != cu::success) return false;
        search.driver = opened.driver;
        search.library = library;
        return true;
      });
  if (!search.driver)
    search.reason = fmt::format(
        "device sim: expected libgnomon-sim.so, found none that opens; GNOMON_SIM_LIBRARY names "
        "its file{}",
        tried);
  return search;
}

const Search& cuda_search() {
  static const Search search = open_cuda_driver();
  return search;
}

const Search& simulated_search() {
  static const Search search = open_simulated_driver();
  return search;
}

const Driver& driver_of(const Search& search) {
  if (!search.driver) throw DeviceError(search.reason);
  return *search.driver;
}

}  // namespace

const Driver& cuda_driver() { return driver_of(cuda_search()); }

int cuda_of_driver() {
  int version = 0;
  const Search& search = cuda_search();
  const bool known = search.driver && search.driver->driver_version(&version) == cu::success;
  return known ? version / 1000 : 0;
}

const Driver& simulated_driver() { return driver_of(simulated_search()); }

void* simulated_library() {
  driver_of(simulated_search());
  return simulated_search().library;
}

std::string error_text(const Driver& driver, int error) {
  const char *name = nullptr, *text = nullptr;
  if (driver.error_name(error, &name) != cu::success || name == nullptr)
    return fmt::format("error {} of the driver", error);
  if (driver.error_text(error, &text) != cu::success || text == nullptr) return name;
  return fmt::format("{}: {}", name, text);
}

}  // namespace gnomon
