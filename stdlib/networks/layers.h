// What layers of networks do: products with weights, tables of vectors, attention, dropout.
#pragma once

#include <optional>

#include "ir/graph/expr.h"
#include "ir/op/op.h"

namespace gnomon::nn {

/// x weight + bias: x[..., inputs], weight[inputs, outputs], bias[outputs] or null.
Expr linear(const Arg& x, const Arg& weight, const Expr& bias = {});
/// The bilinear forms of pairs of rows, x1[..., n] w[outputs, n, m] x2[..., m]:
/// [..., outputs].
Expr bilinear(const Arg& x1, const Arg& x2, const Arg& weight, const Expr& bias = {});
/// The blocks `outputs` of a product with a matrix of blocks, of the blocks `inputs` alone: y[b, j]
/// is bias[outputs[b, j]] and the sum over i of x[b, i] weight[inputs[b, i], outputs[b, j]], for
/// weight[rows, columns, n, m], x[b, i, n], bias[columns, m] and integers inputs[b, i] and
/// outputs[b, j]: [b, j, m].
Expr sparse_block_dot(const Arg& weight, const Arg& x, const Arg& inputs, const Arg& bias,
                      const Arg& outputs);
/// The rows of `table` [rows, n] that `indices`, integers, name: [..., n]. No derivative goes to
/// the row `padding`.
Expr embedding(const Arg& indices, const Arg& table, std::optional<std::int64_t> padding = {});

/// How the parts of a sequence look at each other.
struct AttentionOptions {
  /// [..., l, s] or what broadcasts to it: bools, true where l looks at s, or floats that are added
  /// to the scores. Null: everywhere.
  Expr mask = {};
  /// l looks at s <= l only.
  bool causal = false;
  /// What scores are multiplied by; 1 / sqrt(e) by default.
  std::optional<double> scale = {};
};
/// softmax(scale query key^T) value (Vaswani et al. 2017): query[..., l, e], key[..., s, e],
/// value[..., s, v] give [..., l, v]. A row that may look nowhere gives 0, as does its derivative.
Expr scaled_dot_product_attention(const Arg& query, const Arg& key, const Arg& value,
                                  const AttentionOptions& options = {});

/// x with elements set to 0 with probability p, and the others divided by 1 - p (Srivastava et al.
/// 2014). `axes`: elements of one place on these axes share their fate; all axes by default. The
/// state is that of one draw (stdlib/random/random.h). ValueError unless p is between 0 and 1.
Expr dropout(const Expr& state, const Arg& x, const Arg& p = 0.5,
             const std::optional<IntList>& axes = {});

}  // namespace gnomon::nn
