// Trains softmax regression on Fashion-MNIST; ends with the accuracy on the test images.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <numeric>
#include <random>

#include "frontend/examples/idx.h"
#include "runtime/threads.h"

namespace {

using namespace gnomon;

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist";
  int epochs = 40;
  int batch = 128;
  int threads = 0;
};

// The mathematics: what a training step and a prediction are.
struct Model {
  Function train, predict;
};

Model build() {
  auto x = matrix("x", float32);
  auto y = vector("y", int64);
  auto rate = scalar("rate", float32);
  auto w = shared(zeros({784, 10}, float32), "w");
  auto b = shared(zeros({10}, float32), "b");
  auto p = softmax(dot(x, w) + b);
  auto cost = -mean(log(p)(arange(y.dim(0)), y)) + 1e-4f * sum(square(w));
  auto [gw, gb] = grad(cost, w, b);
  return {compile({x, y, rate}, {cost}, {{w, w - rate * gw}, {b, b - rate * gb}}),
          compile({x}, {argmax(p, 1)})};
}

double accuracy(const Function& predict, const example::Images& set) {
  const Results results = predict(set.pixels);
  const std::int64_t* const guess = results[0].data<std::int64_t>();
  const std::int64_t* const label = set.labels.data<std::int64_t>();
  std::int64_t right = 0;
  for (std::int64_t i = 0; i < set.labels.size(); ++i) right += guess[i] == label[i];
  return static_cast<double>(right) / static_cast<double>(set.labels.size());
}

// One pass over the training images, the minibatches in random order; the mean loss.
double train_epoch(const Function& train, const example::Images& set, std::int64_t batch,
                   float rate, std::mt19937& random) {
  const std::int64_t count = set.labels.size();
  std::vector<std::int64_t> order(static_cast<std::size_t>((count + batch - 1) / batch));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  double loss = 0;
  for (const std::int64_t k : order) {
    const std::int64_t first = k * batch, last = std::min(count, first + batch);
    const Array images = set.pixels.slice(0, first, last);
    const Array labels = set.labels.slice(0, first, last);
    loss += train(images, labels, rate)[0].item<float>() * static_cast<double>(last - first);
  }
  return loss / static_cast<double>(count);
}

void run(const Options& options) {
  if (options.threads > 0) set_threads(options.threads);
  const example::Images training = example::read_images(options.data, "train");
  const example::Images test = example::read_images(options.data, "t10k");
  if (training.pixels.shape()[1] != 784 || training.labels.size() == 0)
    throw ValueError("data: expected images of 28 x 28, found " + training.pixels.describe());
  const Model model = build();
  std::mt19937 random(1);
  float rate = 0.2f;
  for (int epoch = 1; epoch <= options.epochs; ++epoch, rate *= 0.93f) {
    const auto start = std::chrono::steady_clock::now();
    const double loss = train_epoch(model.train, training, options.batch, rate, random);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    fmt::print("epoch {:2}  loss {:.4f}  test accuracy {:.4f}  {:9.0f} images/s\n", epoch, loss,
               accuracy(model.predict, test),
               static_cast<double>(training.labels.size()) / seconds.count());
  }
  fmt::print("test accuracy {:.4f}\n", accuracy(model.predict, test));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains softmax regression on Fashion-MNIST with Gnomon.");
  app.add_option("--data", options.data, "folder of the four IDX files")->capture_default_str();
  app.add_option("--epochs", options.epochs, "passes over the training images")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--batch", options.batch, "images in a minibatch")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--threads", options.threads, "most threads to use; 0: all")
      ->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    run(options);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "softmax_regression: {}\n"
               "The data are those of Debian's package dataset-fashion-mnist; --data names another "
               "folder.\n",
               error.what());
    return 1;
  }
}
