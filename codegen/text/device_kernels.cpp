// Prints the kernels of steps that a device runs.
#include "codegen/text/device_kernels.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "codegen/cuda/cuda_language.h"
#include "codegen/cuda/launch.h"
#include "codegen/module/accesses.h"
#include "codegen/module/alike.h"
#include "codegen/text/service_text.h"

namespace gnomon {

namespace {

struct Found {
  std::set<int> launched, called;
  std::vector<const ServiceStep*> services;
};

void find_kernels(const std::vector<Step>& steps, Found& found) {
  for (const Step& step : steps) {
    if (const auto* kernel = std::get_if<KernelStep>(&step.what))
      (kernel->device != of_host ? found.launched : found.called).insert(kernel->kernel);
    if (const auto* service = std::get_if<ServiceStep>(&step.what);
        service && service->device != of_host)
      found.services.push_back(service);
    for_each_inner(step, [&](const std::vector<Step>& inner) { find_kernels(inner, found); });
  }
}

}  // namespace

DeviceKernels device_kernels(const Module& module, const HostNames& names) {
  DeviceKernels made;
  made.kernels.resize(module.kernels.size());
  Found found;
  find_kernels(module.steps, found);
  made.called = std::move(found.called);
  std::unordered_map<const Kernel*, int, AlikeHash, Alike> known;
  std::string functions;
  std::set<std::string> headers;
  for (const int k : found.launched) {
    const Kernel& kernel = module.kernels[static_cast<std::size_t>(k)];
    made.has_checks = made.has_checks || has_checks(kernel);
    DeviceKernels::Launched& of = made.kernels[static_cast<std::size_t>(k)];
    const auto [at, fresh] = known.try_emplace(&kernel, k);
    if (!fresh) {
      of = made.kernels[static_cast<std::size_t>(at->second)];
      continue;
    }
    const std::string name = names.symbol(kernel.name);
    const KernelText printed =
        cuda_language.kernel(kernel, name, [&](const Atom& a) { return names.slot_of(a); });
    of = {static_cast<int>(made.names.size()), printed.dimensions};
    made.names.push_back(name);
    functions += "\n" + printed.comment + printed.text;
    headers.insert(printed.headers.begin(), printed.headers.end());
  }
  for (const ServiceStep* service : found.services) {
    if (service->device_kernel.empty()) continue;
    made.has_checks = made.has_checks || service->check >= 0;
    const std::string name = device_kernel_name(*service, names);
    if (!made.routines.try_emplace(name, static_cast<int>(made.names.size())).second) continue;
    made.names.push_back(name);
    functions += "\n" + device_kernel_text(*service, names);
    headers.insert(std::string(service->service->device_header));
  }
  if (!made.names.empty()) made.text = cuda_language.unit(functions, headers);
  return made;
}

}  // namespace gnomon
