// The kernels of a module that a device runs, as one unit of CUDA C++.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/text/host_names.h"

namespace gnomon {

struct DeviceKernels {
  struct Launched {
    int number = -1;              // of the kernel in the unit; -1: the host runs it
    std::vector<int> dimensions;  // slots of those that are its first parameters
  };
  std::string text;                     // of the unit; empty: there are none
  std::vector<std::string> names;       // of its kernels
  std::vector<Launched> kernels;        // of the module, by position
  std::map<std::string, int> routines;  // numbers of those that do services, by name
  std::set<int> called;                 // those that the host runs
  bool has_checks = false;              // some of them tell of failed checks
};

/// Kernels that differ in names only are one.
DeviceKernels device_kernels(const Module& module, const HostNames& names);

}  // namespace gnomon
