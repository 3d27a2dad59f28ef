// Opens libnvrtc and compiles with it.
#include "codegen/cuda/nvrtc.h"

#include <dlfcn.h>

#include <vector>

#include <fmt/format.h>

#include "runtime/device/nvidia_library.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {
namespace {

/// The part of NVRTC's C interface that is used. A result of 0 is success.
struct Nvrtc {
  using Program = struct OpaqueProgram*;

  int (*version)(int* major, int* minor) = nullptr;
  int (*create)(Program*, const char* text, const char* name, int headers, const char* const* texts,
                const char* const* names) = nullptr;
  int (*compile)(Program, int options, const char* const* option) = nullptr;
  int (*destroy)(Program*) = nullptr;
  int (*log_size)(Program, std::size_t*) = nullptr;
  int (*log)(Program, char*) = nullptr;
  int (*ptx_size)(Program, std::size_t*) = nullptr;
  int (*ptx)(Program, char*) = nullptr;
  int (*cubin_size)(Program, std::size_t*) = nullptr;
  int (*cubin)(Program, char*) = nullptr;
  const char* (*error_text)(int result) = nullptr;

  bool loaded = false;
  std::string reason;  // why it is not

  bool load(void* handle) {
    bool found = true;
    const auto get = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      if (!function) reason += fmt::format("no symbol {}; ", name), found = false;
    };
    get(version, "nvrtcVersion");
    get(create, "nvrtcCreateProgram");
    get(compile, "nvrtcCompileProgram");
    get(destroy, "nvrtcDestroyProgram");
    get(log_size, "nvrtcGetProgramLogSize");
    get(log, "nvrtcGetProgramLog");
    get(ptx_size, "nvrtcGetPTXSize");
    get(ptx, "nvrtcGetPTX");
    get(cubin_size, "nvrtcGetCUBINSize");
    get(cubin, "nvrtcGetCUBIN");
    get(error_text, "nvrtcGetErrorString");
    return found;
  }
};

Nvrtc open_nvrtc() {
  Nvrtc nvrtc;
  constexpr const char* names[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
  constexpr const char* folders[] = {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"};
  const NvidiaLibrary library = open_nvidia_library(
      "GNOMON_NVRTC_LIBRARY", names, folders, [&](void* handle) { return nvrtc.load(handle); });
  nvrtc.loaded = library.handle != nullptr;
  if (!nvrtc.loaded) nvrtc.reason += fmt::format("NVRTC not found; tried {}", library.tried);
  return nvrtc;
}

const Nvrtc& nvrtc() {
  static const Nvrtc opened = open_nvrtc();
  return opened;
}

/// NVRTC has no headers of C, nor some functions that Clang and GCC have built in.
constexpr const char* fixed_integers = R"(#pragma once
#define __builtin_memcpy memcpy
#define __builtin_memset memset
#define __builtin_nanf(tag) __int_as_float(0x7fc00000)
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
)";

/// A program that goes away.
class Program {
 public:
  Program(const std::string& text, std::span<const DeviceHeader> headers) {
    for (const DeviceHeader& header : headers) add(header.name, header.text);
    add("runtime/abi.h", std::string(abi_header()));
    add("stdint.h", fixed_integers);
    for (const PreludeFile& file : prelude_files()) {
      // A header of the prelude includes its neighbours by their bare names.
      add(fmt::format("prelude/{}", file.name), std::string(file.text));
      add(std::string(file.name), fmt::format("#include \"prelude/{}\"\n", file.name));
    }
    std::vector<const char*> names, texts;
    for (const DeviceHeader& header : headers_) {
      names.push_back(header.name.c_str());
      texts.push_back(header.text.c_str());
    }
    check(nvrtc().create(&program_, text.c_str(), "device.cu", static_cast<int>(names.size()),
                         texts.data(), names.data()),
          text);
  }
  ~Program() { nvrtc().destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void compile(const std::string& text, std::span<const char* const> options) {
    check(nvrtc().compile(program_, static_cast<int>(options.size()), options.data()), text);
  }

  std::string log() const { return fetch(nvrtc().log_size, nvrtc().log); }
  std::string ptx() const { return fetch(nvrtc().ptx_size, nvrtc().ptx); }
  std::string cubin() const {
    std::size_t size = 0;
    if (nvrtc().cubin_size(program_, &size) != 0) return {};
    std::string bytes(size, '\0');
    nvrtc().cubin(program_, bytes.data());
    return bytes;
  }

 private:
  void add(std::string name, std::string text) {
    headers_.push_back({std::move(name), std::move(text)});
  }

  void check(int result, const std::string& text) const {
    if (result == 0) return;
    const std::string log = program_ ? this->log() : std::string();
    throw CompileError(
        fmt::format("nvrtc: {}: {}", nvrtc().error_text(result), log.substr(0, log.find('\n'))),
        text, log);
  }

  /// A text of NVRTC, whose size counts the final zero.
  template <class Size, class Get>
  std::string fetch(Size size_of, Get get) const {
    std::size_t size = 0;
    if (size_of(program_, &size) != 0 || size <= 1) return {};
    std::string text(size, '\0');
    get(program_, text.data());
    text.pop_back();
    return text;
  }

  Nvrtc::Program program_ = nullptr;
  std::vector<DeviceHeader> headers_;
};

}  // namespace

bool nvrtc_available() { return nvrtc().loaded; }

std::string nvrtc_version() {
  if (!nvrtc().loaded) return nvrtc().reason;
  int major = 0, minor = 0;
  nvrtc().version(&major, &minor);
  return fmt::format("{}.{}", major, minor);
}

std::optional<std::string> nvrtc_ptx(const std::string& text, std::string_view arch,
                                     std::span<const DeviceHeader> headers, std::string* log) {
  if (!nvrtc().loaded) {
    if (log) *log = nvrtc().reason;
    return std::nullopt;
  }
  const std::string architecture = fmt::format("--gpu-architecture={}", arch);
  // Contraction would make a result depend on what it is fused with.
  const char* options[] = {architecture.c_str(), "--std=c++20", "--fmad=false",
                           "--device-as-default-execution-space"};
  Program program(text, headers);
  program.compile(text, options);
  if (log) *log = program.log();
  return arch.starts_with("sm_") ? program.cubin() : program.ptx();
}

}  // namespace gnomon
