// Lowering of products to kernels: tiles of rows by one vector of columns, in registers.
//
// Element (i, j) is one chain of fused multiply-adds in the order of the inner axis, from 0. An
// inner axis beyond `depth_chunk` is cut into chunks of that many; each is a chain of its own, and
// the chunks are added in order. So the bits depend on the extents alone.
#include "codegen/kernels/lower_product.h"

#include <array>

#include "codegen/kernels/product_builder.h"
#include "codegen/kernels/product_chunks.h"
#include "codegen/kernels/product_tiles.h"

namespace gnomon {

namespace {

// b as [k, n], so that its rows can be read as vectors.
void pack(ProductBuilder& builder) {
  KernelBuilder& k = builder.k;
  const Product& product = builder.product;
  const int from = builder.b;
  builder.b = builder.temporary(product.batch * product.k * product.n, "packed");
  k.set_changing(builder.b);
  const Dim lines = product.batch * product.k;
  const Scalar t = builder.open_parallel("p", lines, product.n * 8);
  const Scalar item = k.floor_div(t, k.extent(product.k)), p = k.mod(t, k.extent(product.k));
  const Scalar j = builder.open_lanes();
  const Linear at =
      k.offset(std::array{item, j, p}, std::array{product.batch, product.n, product.k});
  const Linear to = k.offset(std::array{t, j}, std::array{lines, product.n});
  k.store(builder.b, to, k.load(from, at, product.dtype));
  k.close();
  k.close();
}

}  // namespace

ProductKernel lower_product(std::string name, const Product& p, const ProductBuffers& buffers,
                            const ProductChoice& choice, Storage& storage, const Target& target) {
  ProductBuilder builder(std::move(name), p, buffers, choice, storage, target);
  if (p.trans_b && !builder.layout.turned) pack(builder);
  if (is_cut_into_chunks(builder))
    add_product_chunks(builder);
  else
    add_product_tiles(builder);
  return {builder.k.finish(), std::move(builder.buffers)};
}

}  // namespace gnomon
