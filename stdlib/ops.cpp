// The table of all ops, in the order of the X-list.
#include "stdlib/ops.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gnomon {

namespace {

#define GNOMON_ADDRESS(name) &op::name,
constexpr std::array listed = {GNOMON_UNARY_OPS(GNOMON_ADDRESS) GNOMON_BINARY_OPS(GNOMON_ADDRESS)
                                   GNOMON_TERNARY_OPS(GNOMON_ADDRESS)
                                       GNOMON_NARY_OPS(GNOMON_ADDRESS)
                                           GNOMON_OTHER_OPS(GNOMON_ADDRESS)};
constexpr std::array lowered = {GNOMON_LOWERED_OPS(GNOMON_ADDRESS)};
#undef GNOMON_ADDRESS

using OpsByName = std::array<const Op*, listed.size() + lowered.size()>;

// Sorted on the first call: the names of ops defined elsewhere are not constants here.
const OpsByName& by_name() {
  static const OpsByName sorted = [] {
    OpsByName ops{};
    std::ranges::copy(lowered, std::ranges::copy(listed, ops.begin()).out);
    std::ranges::sort(ops, {}, [](const Op* op) { return op->name; });
    return ops;
  }();
  return sorted;
}

}  // namespace

std::span<const Op* const> all_ops() { return listed; }

const Op* find_op(std::string_view name) {
  const OpsByName& ops = by_name();
  const auto at = std::ranges::lower_bound(ops, name, {}, [](const Op* op) { return op->name; });
  return at != ops.end() && (*at)->name == name ? *at : nullptr;
}

}  // namespace gnomon
