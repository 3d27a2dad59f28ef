// CUDA C++ text -> PTX or machine code, by NVIDIA's run-time compiler, which is opened when needed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codegen/toolchain/build.h"

namespace gnomon {

/// A header that device text may include, under the name it includes it by.
struct DeviceHeader {
  std::string name, text;
};

/// Whether libnvrtc can be opened; needs no GPU and no driver. GNOMON_NVRTC_LIBRARY names its file.
bool nvrtc_available();

/// Why `nvrtc_available` is false, or NVRTC's version.
std::string nvrtc_version();

/// PTX for `arch` ("compute_90", or "sm_90" for machine code of one architecture), or nothing when
/// there is no NVRTC. `log` receives warnings. The prelude can be included as "prelude/exp.h"
/// besides `headers`. Contraction is off, as on the host. Throws CompileError with source and log.
std::optional<std::string> nvrtc_ptx(const std::string& text, std::string_view arch,
                                     std::span<const DeviceHeader> headers = {},
                                     std::string* log = nullptr);

}  // namespace gnomon
