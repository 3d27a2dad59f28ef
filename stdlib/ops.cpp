// The table of all ops, in the order of the X-list.
#include "stdlib/ops.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace gnomon {

namespace {

#define GNOMON_ADDRESS(name) &op::name,
constexpr std::array table = {GNOMON_UNARY_OPS(GNOMON_ADDRESS) GNOMON_BINARY_OPS(GNOMON_ADDRESS)
                                  GNOMON_TERNARY_OPS(GNOMON_ADDRESS) GNOMON_NARY_OPS(GNOMON_ADDRESS)
                                      GNOMON_OTHER_OPS(GNOMON_ADDRESS)};
constexpr std::array lowered = {GNOMON_LOWERED_OPS(GNOMON_ADDRESS)};
#undef GNOMON_ADDRESS

using Table = std::array<const Op*, table.size() + lowered.size()>;

// Sorted on the first call: the names of ops defined elsewhere are not constants here.
const Table& by_name() {
  static const Table sorted = [] {
    Table ops{};
    std::ranges::copy(lowered, std::ranges::copy(table, ops.begin()).out);
    std::ranges::sort(ops, {}, [](const Op* op) { return op->name; });
    return ops;
  }();
  return sorted;
}

}  // namespace

std::span<const Op* const> all_ops() { return table; }

const Op* find_op(std::string_view name) {
  const Table& ops = by_name();
  const auto at = std::ranges::lower_bound(ops, name, {}, [](const Op* op) { return op->name; });
  return at != ops.end() && (*at)->name == name ? *at : nullptr;
}

}  // namespace gnomon
