// The same training step as a C++ programmer writes it: two products by the BLAS library Gnomon
// uses, and loops for the rest.
#pragma once

#include <dlfcn.h>

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/linalg/blas.h"

namespace bench {

/// OpenBLAS by its C interface, from the very library that Gnomon has opened.
class OpenBlas {
 public:
  explicit OpenBlas(int threads) : threads_(threads) {
    const std::string& found = gnomon::blas_description();
    void* const handle = ::dlopen(found.substr(0, found.find(' ')).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error("baseline: no BLAS library: " + found);
    sgemm_ = reinterpret_cast<Sgemm>(::dlsym(handle, "cblas_sgemm"));
    set_threads_ = reinterpret_cast<void (*)(int)>(::dlsym(handle, "openblas_set_num_threads"));
  }

  /// Gnomon runs the library on one thread a call; the baseline may use its own threads.
  void enter() const { set_threads_ ? set_threads_(threads_) : void(); }
  void leave() const { set_threads_ ? set_threads_(1) : void(); }

  /// c = alpha * op(a) * b + beta * c, row-major, m x k by k x n.
  void multiply(bool transposed, int m, int n, int k, float alpha, const float* a, int lda,
                const float* b, float beta, float* c) const {
    sgemm_(row_major, transposed ? transpose : plain, plain, m, n, k, alpha, a, lda, b, n, beta, c,
           n);
  }

 private:
  static constexpr int row_major = 101, plain = 111, transpose = 112;
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  Sgemm sgemm_ = nullptr;
  void (*set_threads_)(int) = nullptr;
  int threads_;
};

/// Softmax regression by hand, float32.
class Baseline {
 public:
  Baseline(int pixels, int classes, int threads)
      : blas_(threads), pixels_(pixels), classes_(classes), w_(pixels * classes), b_(classes) {}

  const OpenBlas& blas() const { return blas_; }

  /// One step of gradient descent; the loss before it.
  float train(const float* x, const std::int64_t* y, int count) {
    const int n = classes_;
    z_.resize(static_cast<std::size_t>(count) * n);
    gw_.resize(w_.size());
    gb_.assign(b_.size(), 0.0f);
    blas_.multiply(false, count, n, pixels_, 1, x, pixels_, w_.data(), 0, z_.data());
    const float scale = 1.0f / static_cast<float>(count);
    float loss = 0;
    for (int i = 0; i < count; ++i) loss += row(&z_[static_cast<std::size_t>(i) * n], y[i], scale);
    blas_.multiply(true, pixels_, n, count, 1, x, pixels_, z_.data(), 0, gw_.data());
    float squares = 0;
    for (std::size_t i = 0; i < w_.size(); ++i) {
      squares += w_[i] * w_[i];
      w_[i] -= 0.1f * (gw_[i] + 2e-4f * w_[i]);
    }
    for (std::size_t i = 0; i < b_.size(); ++i) b_[i] -= 0.1f * gb_[i];
    return loss * scale + 1e-4f * squares;
  }

 private:
  // Logits become the gradient with respect to them; returns the row's loss.
  float row(float* z, std::int64_t label, float scale) {
    float largest = -INFINITY, sum = 0;
    for (int k = 0; k < classes_; ++k) largest = std::fmax(largest, z[k] += b_[k]);
    const float chosen = z[label] - largest;
    for (int k = 0; k < classes_; ++k) sum += z[k] = std::exp(z[k] - largest);
    for (int k = 0; k < classes_; ++k) z[k] *= scale / sum;
    z[label] -= scale;
    for (int k = 0; k < classes_; ++k) gb_[k] += z[k];
    return std::log(sum) - chosen;
  }

  OpenBlas blas_;
  int pixels_, classes_;
  std::vector<float> w_, b_, z_, gw_, gb_;
};

}  // namespace bench
