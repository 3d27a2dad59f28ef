// Maps a compiled function and finds its symbols.
#include "runtime/library.h"

#include <dlfcn.h>
#include <fmt/core.h>

#include <string>

#include "runtime/error.h"

namespace gnomon {

namespace {

// The text of the last dlopen or dlsym failure of this thread.
std::string loader_error() {
  const char* text = ::dlerror();
  return text == nullptr ? "an unknown failure" : text;
}

void check_version(const gnomon_info_record& info, const std::string& where) {
  if (info.abi_version != GNOMON_ABI_VERSION)
    throw DeviceError(fmt::format("library: expected ABI version {}, found {} in {}",
                                  GNOMON_ABI_VERSION, info.abi_version, where));
}

}  // namespace

std::shared_ptr<const Library> Library::open(const std::filesystem::path& path) {
  // A name without a slash would be searched for in the system's folders.
  const std::filesystem::path absolute = std::filesystem::absolute(path);
  std::shared_ptr<Library> library(new Library);
  library->path_ = absolute;
  library->handle_ = ::dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library->handle_ == nullptr)
    throw DeviceError(fmt::format("library: expected a shared object at {}, found {}",
                                  absolute.string(), loader_error()));
  const auto find = [&](const char* name) {
    void* address = library->symbol(name);
    if (address == nullptr)
      throw DeviceError(fmt::format("library: expected the symbol {} in {}, found none", name,
                                    absolute.string()));
    return address;
  };
  library->info_ = static_cast<const gnomon_info_record*>(find("gnomon_info"));
  check_version(*library->info_, absolute.string());
  library->plan_ = reinterpret_cast<gnomon_plan_function>(find("gnomon_plan"));
  library->run_ = reinterpret_cast<gnomon_run_function>(find("gnomon_run"));
  return library;
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
