// Softmax cross-entropy with integer labels and its gradient: mean loss, (p - one-hot) / rows.
#include "cross_entropy.h"

namespace hand {
namespace {

/// Rows of any width: the largest element, exponentials into the result, scaling; a row is cached.
float long_rows(long rows, long columns, const float* x, const long* labels, float* by) {
  const float share = 1.0f / float(rows);
  const long whole = columns - columns % 16, rest = columns % 16;
  constexpr float none = -__builtin_huge_valf();
  float loss = 0;
  for (long i = 0; i < rows; ++i, x += columns, by += columns) {
    Vec<float> most[4] = {none, none, none, none};
    long j = 0;
    for (; j + 64 <= whole; j += 64) {
      for (int k = 0; k < 4; ++k) most[k] = greater(most[k], load(x + j + 16 * k));
    }
    for (; j < whole; j += 16) most[0] = greater(most[0], load(x + j));
    if (rest) most[1] = greater(most[1], load_first(x + j, rest, none));
    const float top = hand::most(greater(greater(most[0], most[1]), greater(most[2], most[3])));
    Vec<float> sums[2] = {0, 0};
    for (j = 0; j + 32 <= whole; j += 32) {
      for (int k = 0; k < 2; ++k) {
        const Vec<float> power = exp_of_negative(load(x + j + 16 * k) - top);
        store(by + j + 16 * k, power);
        sums[k] += power;
        prefetch(x + columns + j + 16 * k);
      }
    }
    for (; j < whole; j += 16) {
      const Vec<float> power = exp_of_negative(load(x + j) - top);
      store(by + j, power);
      sums[0] += power;
    }
    if (rest) {
      const Vec<float> power = exp_of_negative(load_first(x + j, rest, none) - top);
      store_first(by + j, power, rest);
      sums[1] += power;
    }
    const float total = sum(sums[0] + sums[1]);
    const Vec<float> scale = share / total;
    for (j = 0; j < whole; j += 16) store(by + j, load(by + j) * scale);
    if (rest) store_first(by + j, load_first(by + j, rest, 0.0f) * scale, rest);
    by[labels[i]] -= share;
    loss += __builtin_logf(total) + top - x[labels[i]];
  }
  return loss * share;
}

}  // namespace

extern "C" void cross_entropy_gradient(long rows, long columns, const float* x, const long* labels,
                                       float* by, float* loss) {
  *loss = columns <= 16 ? short_rows(rows, columns, x, nullptr, labels, by, nullptr)
                        : long_rows(rows, columns, x, labels, by);
}

}  // namespace hand
