// Softmax cross-entropy of rows of at most 16 classes, each lane holding a row.
#pragma once

#include "lanes.h"

namespace hand {

/// Returns the mean loss; `by` is its gradient by the logits x + bias, `by_bias` that by the bias.
/// `bias` and `by_bias` may be null.
HAND_INLINE float short_rows(long rows, long columns, const float* x, const float* bias,
                             const long* labels, float* by, float* by_bias) {
  const float share = 1.0f / float(rows);
  float tile[16][16] = {}, columns_sums[16][16] = {};
  Vec<float> loss = 0.0f;
  for (long i = 0; i < rows; i += 16) {
    const long count = rows - i < 16 ? rows - i : 16;
    if (count < 16) __builtin_memset(tile, 0, sizeof tile);
    Vec<float> most = -__builtin_huge_valf(), sums = 0.0f, wanted = 0.0f;
    IntVec<float> label = 0;
    for (long r = 0; r < count; ++r) label[r] = int(labels[i + r]);
    for (long j = 0; j < columns; ++j) {
      for (long r = 0; r < count; ++r) tile[j][r] = x[(i + r) * columns + j];
      const Vec<float> v = load(tile[j]) + (bias ? bias[j] : 0.0f);
      store(tile[j], v);
      most = greater(v, most);
      wanted = label == int(j) ? v : wanted;
    }
    for (long j = 0; j < columns; ++j) {
      const Vec<float> power = exp_of_negative(load(tile[j]) - most);
      store(tile[j], power);
      sums += power;
    }
    const Vec<float> scale = share / sums;
    for (long j = 0; j < columns; ++j) {
      const Vec<float> hit = label == int(j) ? (Vec<float>)share : (Vec<float>)0.0f;
      const Vec<float> v = load(tile[j]) * scale - hit;
      store(tile[j], v);
      if (by_bias && count == 16) store(columns_sums[j], load(columns_sums[j]) + v);
    }
    for (long r = 0; r < count; ++r) {
      for (long j = 0; j < columns; ++j) by[(i + r) * columns + j] = tile[j][r];
    }
    if (by_bias && count < 16) {
      for (long j = 0; j < columns; ++j) {
        for (long r = 0; r < count; ++r) columns_sums[j][r] += tile[j][r];
      }
    }
    Vec<float> logs = 0.0f;
    for (long r = 0; r < count; ++r) logs[r] = __builtin_logf(sums[r]) + most[r] - wanted[r];
    loss += logs;
  }
  for (long j = 0; by_bias && j < columns; ++j) by_bias[j] = sum(load(columns_sums[j]));
  return sum(loss) * share;
}

}  // namespace hand
