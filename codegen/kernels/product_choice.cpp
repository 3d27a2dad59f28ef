// Which way to a product was measured to be the faster one.
#include "codegen/kernels/product_choice.h"

#include "codegen/fusion/product_operands.h"
#include "codegen/kernels/product_layout.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::int64_t least_rows = 3;        // the library does fewer as vectors
constexpr std::int64_t least_symmetric = 24;  // rows of a product by its own transpose
constexpr std::int64_t unpacked_work = 1'000'000;
constexpr std::int64_t resident_bytes = 1 << 19;  // of b: it stays in the cache of a core

constexpr auto kernel = ProductChoice::Way::kernel, library = ProductChoice::Way::library;

// Whether a constant number of columns uses so many quarters of the vectors it takes.
bool fills_lanes(const Dim& n, std::int64_t width, int quarters = 3) {
  return n.is_constant() && 4 * n.constant() >= quarters * ((n.constant() - 1) / width + 1) * width;
}

ProductChoice by(ProductChoice::Way way, std::string_view reason) { return {way, {}, reason}; }

// The library there does all but what has so few terms that it takes as long as writing it.
ProductChoice choose_on_device(const Product& p) {
  if (p.operands != p.dtype) return by(library, "the operands are halves, which it reads");
  if (!is_of_library(p) && is_at_most(p.k, short_depth)) return by(kernel, "the sums are short");
  return by(library, "the device has a library for products");
}

}  // namespace

// Measured against OpenBLAS on one core with AVX-512. Its kernels for products of up to a million
// multiply-adds do well on narrow ones too; larger ones it packs, which takes as long as a narrow
// product itself.
ProductChoice choose(const Product& p, const Target& target) {
  if (p.operands != p.dtype && !target.multiplies_halves)
    throw InternalError("product: no kernel reads halves by their bits");
  if (!target.calls_library) return by(kernel, "the code calls no library");
  if (!target.device.empty()) return choose_on_device(p);
  if (p.symmetric && p.m.is_constant() && p.m.constant() >= least_symmetric)
    return by(library, "the result is symmetric, and the library makes one triangle of it");
  if (p.n.is(1)) return by(library, "the result has one column, and a kernel one lane");
  if (is_turned(p, target)) return by(kernel, "the result has few columns, and lanes along rows");
  const std::int64_t width = lanes_of(p.dtype, target);
  if (p.n.is_constant() && p.n.constant() <= 4 * width) {
    const bool packed = !is_at_most(p.m * p.n * p.k, unpacked_work);
    return fills_lanes(p.n, width, packed || p.n.constant() <= width ? 2 : 3)
               ? by(kernel, "the columns are few, and fill the vectors they take")
               : by(library, "the columns are few, and leave much of a vector empty");
  }
  if (is_at_most(p.k, short_depth)) return by(kernel, "the sums are short");
  const Dim bytes = p.n * p.k * Dim(static_cast<std::int64_t>(size_of(p.dtype)));
  if (is_at_most(bytes, resident_bytes) && !p.trans_b && fills_lanes(p.n, width))
    return by(kernel, "the second operand stays in the cache of a core");
  if (p.trans_b) return by(library, "the second operand is transposed, and large");
  const std::int64_t few_rows = target.machine.few_rows;
  if (p.m.is_constant()) {
    if (p.m.constant() < least_rows) return by(library, "rows this few are vectors to the library");
    return p.m.constant() <= few_rows ? by(kernel, "the rows are few, and the library would pack")
                                      : by(library, "the rows are many");
  }
  if (few_rows < least_rows) return by(library, "the library was measured to be faster");
  ProductChoice choice{ProductChoice::Way::by_extent,
                       {{p.m, least_rows, few_rows}},
                       "a kernel is faster for few rows, which the call knows"};
  // Without chunks the sums are enough for the registers.
  if (!p.k.is_constant()) choice.where.push_back({p.k, 1, depth_chunk});
  return choice;
}

}  // namespace gnomon
