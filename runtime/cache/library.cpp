// Maps a compiled function and finds its symbols.
#include "runtime/cache/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>

#include <atomic>
#include <string>

#include "runtime/cache/cache_file.h"
#include "runtime/cache/own_libraries.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

// The text of the last dlopen or dlsym failure of this thread.
std::string loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "an unknown failure" : text;
}

// A name of the open file. The loader takes a name that it has seen for the library it had then,
// and numbers of descriptors come back: "/." and "/", which lead nowhere, count the calls.
std::string fresh_name(const Descriptor& file) {
  static std::atomic<std::uint64_t> calls{0};
  std::string name = "/proc/self/fd";
  for (std::uint64_t n = calls.fetch_add(1, std::memory_order_relaxed) + 1; n > 0; n /= 2)
    name += n % 2 == 1 ? "/." : "/";
  return fmt::format("{}/{}", name, file.get());
}

void check_version(const gnomon_info_record& info, const std::string& where) {
  if (info.abi_version != GNOMON_ABI_VERSION)
    throw DeviceError(fmt::format("library: expected ABI version {}, found {} in {}",
                                  GNOMON_ABI_VERSION, info.abi_version, where));
}

}  // namespace

std::shared_ptr<const Library> Library::open(const Descriptor& file,
                                             const std::filesystem::path& path) {
  keep_loaded();
  const std::string where = path.empty() ? "memory" : path.string();
  std::shared_ptr<Library> library(new Library);
  library->path_ = path;
  library->handle_ = ::dlopen(fresh_name(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_ == nullptr)
    throw DeviceError(
        fmt::format("library: expected a shared object in {}, found {}", where, loader_error()));
  const auto find = [&](const char* name) {
    void* address = library->symbol(name);
    if (address == nullptr)
      throw DeviceError(
          fmt::format("library: expected the symbol {} in {}, found none", name, where));
    return address;
  };
  library->info_ = static_cast<const gnomon_info_record*>(find("gnomon_info"));
  check_version(*library->info_, where);
  library->plan_ = reinterpret_cast<gnomon_plan_function>(find("gnomon_plan"));
  library->run_ = reinterpret_cast<gnomon_run_function>(find("gnomon_run"));
  return library;
}

std::shared_ptr<const Library> Library::open(const std::filesystem::path& path) {
  const std::filesystem::path absolute = std::filesystem::absolute(path);
  const Descriptor file(::open(absolute.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file)
    throw DeviceError(
        fmt::format("library: expected a shared object at {}, found no file", absolute.string()));
  return open(file, absolute);
}

std::shared_ptr<const Library> Library::open(std::span<const char> object) {
  const std::string_view bytes(object.data(), object.size());
  // Some machines run no code from memory that is no file of a disk.
  if (const Descriptor file = step_fails() ? Descriptor() : nameless_file(bytes, false)) {
    try {
      return open(file, {});
    } catch (const DeviceError&) {
    }
  }
  if (const Descriptor file = step_fails() ? Descriptor() : nameless_file(bytes, true))
    return open(file, {});
  throw DeviceError(
      fmt::format("library: expected memory for a compiled function, or a folder that can be "
                  "written, found neither that nor {}",
                  temporary_folder().string()));
}

std::shared_ptr<const Library> Library::linked(const gnomon_info_record& info,
                                               gnomon_plan_function plan, gnomon_run_function run) {
  check_version(info, "the program");
  std::shared_ptr<Library> library(new Library);
  library->info_ = &info;
  library->plan_ = plan;
  library->run_ = run;
  return library;
}

void* Library::symbol(const char* name) const noexcept {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
}

Library::~Library() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

}  // namespace gnomon
