// Which side of a product runs along lanes, and how many registers of sums its tile takes.
#include "codegen/kernels/product_layout.h"

#include <algorithm>

namespace gnomon {

namespace {

constexpr std::int64_t most_turned = 16;  // columns of a product laid out by its rows
constexpr std::int64_t many_vectors = 4;  // groups of vectors: one partly empty does not matter

// As many rows as there are registers for, and so that few are left over.
std::int64_t tile_of(const Dim& rows, int vectors, std::int64_t registers) {
  const std::int64_t most = registers / vectors, enough = std::min<std::int64_t>(most, 16);
  if (!rows.is_constant()) return enough;
  const std::int64_t m = rows.constant();
  if (m <= most) return std::max<std::int64_t>(m, 1);
  for (const std::int64_t tile : {enough, most, most - most / 4, enough / 2})
    if (m % tile == 0) return tile;
  return (m - 1) / ((m - 1) / enough + 1) + 1;
}

}  // namespace

bool is_at_most(const Dim& d, std::int64_t bound) {
  return d.is_constant() && d.constant() <= bound;
}

int lanes_of(DType t, const Target& target) {
  return target.vector_bytes / static_cast<int>(size_of(t));
}

Dim ceil_div(const Dim& a, std::int64_t b) { return floor_div(a + (b - 1), b); }

bool is_turned(const Product& p, const Target& target) {
  if (!p.trans_a || !is_at_most(p.n, most_turned) || p.n.is(1)) return false;
  const std::int64_t width = lanes_of(p.dtype, target), n = p.n.constant();
  const bool wastes_lanes = 4 * n <= 3 * ((n - 1) / width + 1) * width;
  return wastes_lanes && (!p.m.is_constant() || p.m.constant() >= width);
}

ProductLayout layout_of(const Product& p, const Target& target) {
  const std::int64_t registers = target.vector_registers * 3 / 4;  // for sums
  const bool turned = is_turned(p, target);
  ProductLayout l{turned, turned ? p.n : p.m, turned ? p.m : p.n, 2, 0};
  if (l.rows.is_constant()) {
    // One row alone would wait for each of its sums.
    const std::int64_t rows = std::max<std::int64_t>(l.rows.constant(), 1);
    l.vectors = rows == 1 ? 8 : rows == 2 ? 4 : turned && 2 * rows > registers ? 1 : 2;
  }
  if (l.lanes.is_constant()) {
    const std::int64_t count = (l.lanes.constant() - 1) / lanes_of(p.dtype, target) + 1;
    while (count % l.vectors != 0 && count < many_vectors * l.vectors) l.vectors /= 2;
  }
  l.tile = tile_of(l.rows, l.vectors, registers);
  return l;
}

}  // namespace gnomon
