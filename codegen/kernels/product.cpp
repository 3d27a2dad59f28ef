// Attributes and operands of a product -> its form, extents and batch.
#include "codegen/kernels/product.h"

#include <span>

#include "stdlib/ops.h"

namespace gnomon {

Product product_of(const Node& node) {
  ProductForm form = product_form(node);
  if (node.operands().size() < 3) form.beta = 0;
  const Shape &a = node.input(0).shape(), &b = node.input(1).shape();
  const auto [m, k] = form.left(a);
  const Dim batch = element_count(std::span(a).first(a.size() - 2));
  const DType result = node.type().dtype;
  DType operands = result;
  if (&node.op() == &op::half_gemm)
    operands = node.attribute("bfloat16").flag() ? DType::bfloat16 : DType::float16;
  const bool symmetric =
      node.input(0) == node.input(1) && form.trans_a != form.trans_b && form.beta == 0;
  return {form, result, operands, m, form.right(b).columns, k, batch, symmetric};
}

}  // namespace gnomon
