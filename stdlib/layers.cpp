// Layers as expressions of products, rows of tables and draws.
#include "stdlib/layers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ir/origin.h"
#include "runtime/error.h"
#include "stdlib/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/random.h"
#include "stdlib/random_draw.h"
#include "stdlib/rules.h"

namespace gnomon::nn {

namespace {

// The lowest finite number of a dtype: what a softmax takes to exactly 0 beside any other.
double lowest(DType t) {
  return t == DType::float32 ? std::numeric_limits<float>::lowest()
                             : std::numeric_limits<double>::lowest();
}

}  // namespace

Expr linear(const Arg& x, const Arg& weight, const Expr& bias) {
  const OriginScope place(x.origin());
  const Expr y = matmul(x, weight);
  return bias ? y + bias : y;
}

Expr bilinear(const Arg& x1, const Arg& x2, const Arg& weight, const Expr& bias) {
  const OriginScope place(x1.origin());
  const Expr w(weight.value()), right(x2.value());
  if (w.rank() != 3 || right.rank() < 1)
    throw TypeError(
        fmt::format("bilinear: expected weights [outputs, n, m] and vectors [..., m], "
                    "found {} and {}",
                    describe(w.value()), describe(right.value())));
  // x1[..., n] with w as one matrix [n, outputs * m], then a product for each output.
  const Expr flat = reshape(transpose(w, {1, 0, 2}), {w.dim(1), w.dim(0) * w.dim(2)});
  const Expr product = matmul(x1, flat);
  Shape shape(product.shape().begin(), product.shape().end() - 1);
  shape.insert(shape.end(), {w.dim(0), w.dim(2)});
  const Expr y = sum(reshape(product, shape) * expand_dims(right, -2), -1);
  return bias ? y + bias : y;
}

Expr embedding(const Arg& indices, const Arg& table, std::optional<std::int64_t> padding) {
  const OriginScope place(indices.origin());
  const Expr i(indices.value()), rows(table.value());
  if (!is_integer(i.dtype()) || rows.rank() != 2)
    throw TypeError(
        fmt::format("embedding: expected integers and a table [rows, n], found {} and {}",
                    describe(i.value()), describe(rows.value())));
  const Expr y = take(rows, i, 0);
  if (!padding) return y;
  return where(expand_dims(equal(i, *padding), i.rank()), stop_gradient(y), y);
}

Expr scaled_dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                                  const AttentionOptions& options) {
  const OriginScope place(query.origin());
  const Expr q = as_matrices(query, "scaled_dot_product_attention");
  const Expr k = as_matrices(key, "scaled_dot_product_attention");
  const Expr v = as_matrices(value, "scaled_dot_product_attention");
  const DType t = q.dtype();
  const Expr scale =
      options.scale ? constant(*options.scale, t) : 1 / sqrt(cast(extent(q.dim(-1)), t));
  Expr scores = matmul(q * scale, swap_last(k));
  Expr looks;
  if (options.mask) {
    const bool adds = is_float(options.mask.dtype());
    looks = adds ? not_equal(options.mask, -INFINITY) : options.mask;
    if (adds) scores = scores + cast(options.mask, scores.dtype());
  }
  if (options.causal) {
    const Expr before =
        less_equal(expand_dims(arange(k.dim(-2)), 0), expand_dims(arange(q.dim(-2)), 1));
    looks = looks ? logical_and(looks, before) : before;
  }
  if (!looks) return matmul(softmax(scores), v);
  // Where a row looks nowhere, its softmax is over finite numbers too, and all of it is put to 0.
  const Expr weights = softmax(where(looks, scores, lowest(scores.dtype())));
  return matmul(where(looks, weights, 0), v);
}

Expr dropout(const Expr& state, const Arg& x, const Arg& p, const std::optional<IntList>& axes) {
  const OriginScope place(x.origin());
  const Expr v = as_floats(x);
  Shape shape = v.shape();
  if (axes) {
    const IntList own = normalize_axes(*axes, v.rank(), "dropout");
    for (std::int64_t k = 0; k < v.rank(); ++k)
      if (!contains(own, k)) shape[static_cast<std::size_t>(k)] = 1;
  }
  random::ParametricDraw draw("dropout", state, shape, v.dtype());
  const Expr keeps = 1 - draw.in_unit(p, "p");
  const Expr is_kept = less(draw.unit(v.dtype()), keeps);
  return where(is_kept, v / keeps, 0);
}

}  // namespace gnomon::nn
