// Services in the text of a host function: their records, and in an exported library the functions
// that do them.
#pragma once

#include <string>
#include <vector>

#include "codegen/text/host_names.h"
#include "codegen/toolchain/build.h"

namespace gnomon {

/// The statements that fill in the record of a step, `what`: the first declares it. `memory`: with
/// the addresses of its operands and results.
std::vector<std::string> record_text(const ServiceStep& step, const HostNames& names, bool memory);

/// The function of a library that does the step. `call`, the record, its memory and whether that is
/// late -> status; with "_memory" behind its name: the record -> bytes, shared and of each thread.
std::string service_function(const ServiceStep& step, const HostNames& names);

/// The kernel that a device runs for the step, and its name.
std::string device_kernel_name(const ServiceStep& step, const HostNames& names);
std::string device_kernel_text(const ServiceStep& step, const HostNames& names);

/// The statement that sets `bytes` to the two numbers of bytes that a buffer of a service needs.
std::string memory_text(const Buffer& buffer, const std::string& bytes, const HostNames& names);

/// The services that a module of a library has, and the prototypes of their functions.
struct ServiceUnits {
  std::vector<Unit> units;
  std::string prototypes;
};
ServiceUnits service_units(const Module& module, const HostNames& names);

}  // namespace gnomon
