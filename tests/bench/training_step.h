// The training step of softmax regression that the benchmarks measure, and its data.
#pragma once

#include <gnomon/gnomon.h>

#include <random>

namespace bench {

inline constexpr std::int64_t pixels = 784, classes = 10;

struct Step {
  gnomon::SharedVariable w, b;
  gnomon::Function train;
};

inline Step make_step(gnomon::CompileOptions options = {}) {
  using namespace gnomon;
  auto x = matrix("x", float32), y = vector("y", int64);
  auto w = shared(zeros({pixels, classes}, float32), "w"),
       b = shared(zeros({classes}, float32), "b");
  auto p = softmax(dot(x, w) + b);
  auto cost = -mean(log(p)(arange(y.dim(0)), y)) + 1e-4f * sum(square(w));
  auto [gw, gb] = grad(cost, w, b);
  return {w, b, compile({x, y}, {cost}, {{w, w - 0.1f * gw}, {b, b - 0.1f * gb}}, options)};
}

struct Images {
  gnomon::Array pixels, labels;
};

inline Images random_images(std::int64_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  Images set{gnomon::Array::empty(gnomon::float32, {count, pixels}),
             gnomon::Array::empty(gnomon::int64, {count})};
  for (std::int64_t i = 0; i < count * pixels; ++i) set.pixels.data<float>()[i] = uniform(random);
  for (std::int64_t i = 0; i < count; ++i)
    set.labels.data<std::int64_t>()[i] = static_cast<std::int64_t>(random() % classes);
  return set;
}

}  // namespace bench
