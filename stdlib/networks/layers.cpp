// Layers as expressions of products, rows of tables and draws.
#include "stdlib/networks/layers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/random/random.h"
#include "stdlib/random/random_draw.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

namespace {

// The lowest finite number of a dtype: what a softmax takes to exactly 0 beside any other.
double lowest(DType t) {
  switch (t) {
    case DType::float16: return -65504;
    case DType::bfloat16: return -0x1.fep127;
    case DType::float32: return std::numeric_limits<float>::lowest();
    default: return std::numeric_limits<double>::lowest();
  }
}

}  // namespace

Expr linear(const Arg& x, const Arg& weight, const Expr& bias) {
  const CallScope call("linear", x.origin());
  const Expr y = matmul(x, weight);
  return bias.defined() ? y + bias : y;
}

Expr bilinear(const Arg& x1, const Arg& x2, const Arg& weight, const Expr& bias) {
  const CallScope call("bilinear", x1.origin());
  const Expr w(weight.value()), right(x2.value());
  if (w.rank() != 3 || right.rank() < 1)
    throw ValueError(
        fmt::format("bilinear: expected weights [outputs, n, m] and vectors [..., m], "
                    "found {} and {}",
                    describe(w.value()), describe(right.value())));
  // x1[..., n] with w as one matrix [n, outputs * m], then a product for each output.
  const Expr flat = reshape(transpose(w, {1, 0, 2}), {w.dim(1), w.dim(0) * w.dim(2)});
  const Expr product = matmul(x1, flat);
  Shape shape(product.shape().begin(), product.shape().end() - 1);
  shape.insert(shape.end(), {w.dim(0), w.dim(2)});
  const Expr y = sum(reshape(product, shape) * expand_dims(right, -2), -1);
  return bias.defined() ? y + bias : y;
}

Expr sparse_block_dot(const Arg& weight, const Arg& x, const Arg& inputs, const Arg& bias,
                      const Arg& outputs) {
  const CallScope call("sparse_block_dot", weight.origin());
  const auto [w, h] = promoted(weight, x);
  const Expr from(inputs.value()), to(outputs.value()), b(bias.value());
  if (w.rank() != 4 || h.rank() != 3 || b.rank() != 2 || from.rank() != 2 || to.rank() != 2)
    throw ValueError(
        fmt::format("sparse_block_dot: expected weight[rows, columns, n, m], x[b, i, n], inputs[b, "
                    "i], bias[columns, m] and outputs[b, j], found {}, {}, {}, {} and {}",
                    describe(w.value()), describe(h.value()), describe(from.value()),
                    describe(b.value()), describe(to.value())));
  const Expr places[] = {expand_dims(from, 2), expand_dims(to, 1)};
  const Expr blocks = index(w, IntList{0, 1}, places);  // [b, i, j, n, m]
  const Expr rows = expand_dims(expand_dims(h, 2), 2);
  return sum(squeeze(matmul(rows, blocks), 3), 1) + take(b, to);
}

Expr embedding(const Arg& indices, const Arg& table, std::optional<std::int64_t> padding) {
  const CallScope call("embedding", indices.origin());
  const Expr i(indices.value()), rows(table.value());
  if (!is_integer(i.dtype()))
    throw TypeError(
        fmt::format("embedding: expected integers as indices, found {}", describe(i.value())));
  if (rows.rank() != 2)
    throw ValueError(
        fmt::format("embedding: expected integers and a table [rows, n], found {} and {}",
                    describe(i.value()), describe(rows.value())));
  const Expr y = take(rows, i, 0);
  if (!padding) return y;
  return where(expand_dims(equal(i, *padding), i.rank()), stop_gradient(y), y);
}

Expr scaled_dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                                  const AttentionOptions& options) {
  const CallScope call("scaled_dot_product_attention", query.origin());
  const Expr q = as_matrices(query, "scaled_dot_product_attention");
  const Expr k = as_matrices(key, "scaled_dot_product_attention");
  const Expr v = as_matrices(value, "scaled_dot_product_attention");
  const DType t = q.dtype();
  const Expr scale =
      options.scale ? constant(*options.scale, t) : 1 / sqrt(cast(extent(q.dim(-1)), t));
  Expr scores = matmul(q * scale, swap_last(k));
  Expr looks;
  if (options.mask.defined()) {
    const bool adds = is_float(options.mask.dtype());
    looks = adds ? not_equal(options.mask, -INFINITY) : options.mask;
    if (adds) scores = scores + cast(options.mask, scores.dtype());
  }
  if (options.causal) {
    const Expr before =
        less_equal(expand_dims(arange(k.dim(-2)), 0), expand_dims(arange(q.dim(-2)), 1));
    looks = looks.defined() ? logical_and(looks, before) : before;
  }
  if (!looks.defined()) return matmul(softmax(scores), v);
  // Where a row looks nowhere, its softmax is over finite numbers too, and all of it is put to 0.
  const Expr weights = softmax(where(looks, scores, lowest(scores.dtype())));
  return matmul(where(looks, weights, 0), v);
}

Expr dropout(const Expr& state, const Arg& x, const Arg& p, const std::optional<IntList>& axes) {
  const CallScope call("dropout", x.origin());
  const Expr v = as_floats(x);
  Shape shape = v.shape();
  if (axes) {
    const IntList own = normalize_axes(*axes, v.rank(), "dropout");
    for (std::int64_t k = 0; k < v.rank(); ++k)
      if (!contains(own, k)) shape[static_cast<std::size_t>(k)] = 1;
  }
  const DType t = v.dtype() == DType::float64 ? DType::float64 : DType::float32;
  random::ParametricDraw draw("dropout", state, shape, t);
  const Expr keeps = 1 - draw.in_unit(p, "p");
  const Expr is_kept = less(draw.unit(t), keeps);
  return where(is_kept, v / cast(keeps, v.dtype()), 0);
}

}  // namespace gnomon::nn
