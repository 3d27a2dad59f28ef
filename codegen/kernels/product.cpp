// Attributes and operands of a product -> its form, extents and batch.
#include "codegen/kernels/product.h"

#include <span>

namespace gnomon {

Product product_of(const Node& node) {
  ProductForm form = product_form(node);
  if (node.operands().size() < 3) form.beta = 0;
  const Shape &a = node.input(0).shape(), &b = node.input(1).shape();
  const auto [m, k] = form.left(a);
  const Dim batch = element_count(std::span(a).first(a.size() - 2));
  return {form, node.type().dtype, m, form.right(b).columns, k, batch};
}

}  // namespace gnomon
