// libgnomon-mpfr: where it is, what to say when there is none, its functions by operation.
#include "frontend/accuracy/digits.h"

#include <fmt/format.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/accuracy/lost_bits.h"
#include "runtime/cache/own_libraries.h"
#include "runtime/error.h"

namespace gnomon {
namespace {

constexpr const char* library_name = "libgnomon-mpfr.so";

struct OpenedLibrary {
  const MpfrTable* table = nullptr;
  std::string reason;  // why there is none
};

OpenedLibrary opened_library() {
  OpenedLibrary opened;
  opened.reason =
      open_library(library_name, "GNOMON_MPFR_LIBRARY", mpfr_entry_name, [&](void* entry) {
        const MpfrTable* table = reinterpret_cast<decltype(&gnomon_mpfr_entry)>(entry)();
        if (table->version == mpfr_entry_version) opened.table = table;
        return opened.table != nullptr;
      });
  return opened;
}

}  // namespace

const MpfrTable& digits_table() {
  static const OpenedLibrary opened = opened_library();
  if (opened.table != nullptr) return *opened.table;
  throw DeviceError(
      fmt::format("accuracy_report: expected the library {}, found none that opens; it needs MPFR "
                  "(apt-get install libmpfr-dev) and a build of Gnomon that found it{}",
                  library_name, opened.reason));
}

bool Digits::agrees_with(const Digits& other, DType t) const {
  return digits_table().agree(handle_, other.handle_, significand_bits(t));
}

double Digits::distance(double found, DType t) const {
  return digits_table().distance(handle_, found, significand_bits(t));
}

RealNumbers<Digits> digit_numbers() {
  std::unordered_map<std::string, RealNumbers<Digits>::Function> functions;
  for (const Op* op : all_ops()) {
    if (!op->is_elementwise()) continue;
    functions.emplace(op->name, [name = std::string(op->name)](std::span<const Digits> x) {
      std::vector<const void*> operands;
      for (const Digits& each : x) operands.push_back(each.handle_);
      Digits result;
      if (!digits_table().apply(name.c_str(), operands.data(), operands.size(), result.handle_))
        throw TypeError(fmt::format(
            "accuracy_report: expected operations whose real functions are known, found {}", name));
      return result;
    });
  }
  return {std::move(functions), [](const Digits& x) { return x.to_double(); }};
}

}  // namespace gnomon
