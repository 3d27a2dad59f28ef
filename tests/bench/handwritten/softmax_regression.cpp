// A training step of softmax regression, 784 x 10, with products made for so few columns.
#include "cross_entropy.h"

namespace hand {
namespace {

constexpr long inner = 784, classes = 10;

/// x w: the columns of w are lanes, 16 rows of x at a time keep their sums in registers.
HAND_INLINE void forward(long rows, const float* x, const float* w, float* out) {
  alignas(64) static thread_local float packed[inner][16];
  for (long k = 0; k < inner; ++k) store(packed[k], load_first(w + k * classes, classes, 0.0f));
  for (long i = 0; i < rows; i += 16) {
    // The last rows are computed twice rather than fewer at a time.
    const long from = i + 16 <= rows ? i : rows - 16;
    Vec<float> sums[16] = {};
    for (long k = 0; k < inner; ++k) {
      const Vec<float> v = load(packed[k]);
      for (long r = 0; r < 16; ++r) sums[r] += x[(from + r) * inner + k] * v;
    }
    for (long r = 0; r < 16; ++r) store_first(out + (from + r) * classes, sums[r], classes);
  }
}

/// w = shrink * w - rate * x^T by.
HAND_INLINE void backward(long rows, const float* x, const float* by, float* w, float shrink,
                          float rate) {
  for (long k = 0; k < inner; k += 16) {
    Vec<float> sums[16] = {};
    for (long i = 0; i < rows; ++i) {
      const Vec<float> v = load_first(by + i * classes, classes, 0.0f);
      for (long r = 0; r < 16; ++r) sums[r] += x[i * inner + k + r] * v;
    }
    for (long r = 0; r < 16; ++r) {
      float* row = w + (k + r) * classes;
      store_first(row, load_first(row, classes, 0.0f) * shrink - rate * sums[r], classes);
    }
  }
}

}  // namespace

extern "C" void softmax_regression_step(long rows, const float* x, const long* labels, float* w,
                                        float* b, float* loss, double rate, double decay) {
  static thread_local float logits[1024 * classes], by[1024 * classes];
  float by_bias[16];
  const float shrink = float(1 - rate * decay);
  forward(rows, x, w, logits);
  *loss = short_rows(rows, classes, logits, b, labels, by, by_bias);
  backward(rows, x, by, w, shrink, float(rate));
  for (long j = 0; j < classes; ++j) b[j] = shrink * b[j] - float(rate) * by_bias[j];
}

}  // namespace hand
