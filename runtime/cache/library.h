// A compiled function in memory: a mapped shared object, or one linked into the program.
#pragma once

#include <filesystem>
#include <memory>
#include <span>

#include "runtime/abi.h"
#include "runtime/cache/safe_folder.h"

namespace gnomon {

/// The three symbols of a compiled function. They stay valid while a pointer to this object lives.
class Library {
 public:
  /// Maps the shared object that is open: this very file, whatever its name stands for by now. It
  /// must be trusted: check it before. `path` is where it came from, for messages. DeviceError when
  /// it cannot be mapped, lacks a symbol or speaks another ABI version.
  static std::shared_ptr<const Library> open(const Descriptor& file,
                                             const std::filesystem::path& path);
  /// The same for a file of the user's, opened here.
  static std::shared_ptr<const Library> open(const std::filesystem::path& path);
  /// Maps a shared object that no folder keeps; nothing of it is left when the process ends.
  static std::shared_ptr<const Library> open(std::span<const char> object);
  /// Wraps a function that is linked into the program.
  static std::shared_ptr<const Library> linked(const gnomon_info_record& info,
                                               gnomon_plan_function plan, gnomon_run_function run);

  const gnomon_info_record& info() const noexcept { return *info_; }
  gnomon_plan_function plan() const noexcept { return plan_; }
  gnomon_run_function run() const noexcept { return run_; }
  /// Where it was mapped from; empty when it was linked, or no folder keeps it.
  const std::filesystem::path& path() const noexcept { return path_; }
  /// Another symbol of the shared object, or null.
  void* symbol(const char* name) const noexcept;

  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

 private:
  Library() = default;

  void* handle_ = nullptr;
  const gnomon_info_record* info_ = nullptr;
  gnomon_plan_function plan_ = nullptr;
  gnomon_run_function run_ = nullptr;
  std::filesystem::path path_;
};

}  // namespace gnomon
