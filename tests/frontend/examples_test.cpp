// The examples' mathematics on synthetic data, and what the reader of IDX files says.
#include <doctest/doctest.h>
#include <gnomon/gnomon.h>
#include <zlib.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "frontend/examples/idx.h"
#include "runtime/options.h"
#include "tests/support/folder_support.h"

namespace {

using namespace gnomon;
using gnomon::test::Folder;

Array normal_array(DType t, Extents shape, double scale, std::mt19937& random) {
  Array a = Array::empty(t, shape);
  std::normal_distribution<double> draw;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double v = scale * draw(random);
    if (t == float32)
      a.data<float>()[i] = static_cast<float>(v);
    else
      a.data<double>()[i] = v;
  }
  return a;
}

// Losses of logistic regression with the cross-entropy written as in a textbook.
std::vector<double> logistic_losses(DType t, std::int64_t rows, std::int64_t features, double scale,
                                    int steps) {
  std::mt19937 random(3);
  const Array inputs = normal_array(t, {rows, features}, scale, random);
  Array targets = zeros({rows}, int64);
  for (std::int64_t i = 0; i < rows; ++i) targets.data<std::int64_t>()[i] = random() & 1u;

  auto x = matrix("x", t);
  auto label = vector("label", int64);
  auto y = cast(label, t);
  auto w = shared(normal_array(t, {features}, 1, random), "w");
  auto b = shared(zeros({}, t), "b");
  auto p = 1 / (1 + exp(-(dot(x, w) + b)));
  auto cost = mean(-y * log(p) - (1 - y) * log(1 - p)) + 0.01 * sum(square(w));
  auto [gw, gb] = grad(cost, w, b);
  auto step = compile({x, label}, {cast(cost, float64)}, {{w, w - 0.1 * gw}, {b, b - 0.1 * gb}});
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) losses.push_back(step(inputs, targets)[0].item<double>());
  return losses;
}

void write_gz(const std::filesystem::path& path, const std::string& bytes) {
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
}

std::string idx_error(const std::filesystem::path& path, int rank) {
  try {
    example::read_idx(path, rank);
  } catch (const ValueError& e) {
    return e.what();
  }
  return "";
}

const std::string images_header{"\0\0\x08\x03\0\0\0\2\0\0\0\2\0\0\0\3", 16};

}  // namespace

TEST_CASE("a naive logistic regression stays finite and its loss falls") {
  for (const DType t : {float32, float64})
    for (const double scale : {1.0, 1000.0})
      for (const auto& [rows, features] : {std::pair{4, 100}, std::pair{400, 784}}) {
        CAPTURE(name_of(t));
        CAPTURE(scale);
        CAPTURE(rows);
        const std::vector<double> losses = logistic_losses(t, rows, features, scale, 60);
        for (const double loss : losses) REQUIRE(std::isfinite(loss));
        CHECK(losses.back() < losses.front());
      }
}

TEST_CASE("the snippet that introduces Gnomon runs as written and learns") {
  constexpr std::int64_t count = 500;
  std::mt19937 random(11);
  Array images = normal_array(float32, {count, 784}, 0.1, random);
  Array labels = zeros({count}, int64);
  for (std::int64_t i = 0; i < count; ++i) {
    labels.data<std::int64_t>()[i] = i % 10;
    images.data<float>()[i * 784 + i % 10] += 3;
  }
  auto x = matrix("x", float32), y = vector("y", int64);
  auto w = shared(zeros({784, 10}, float32), "w"), b = shared(zeros({10}, float32), "b");

  auto p = softmax(dot(x, w) + b);
  auto cost = -mean(log(p)(arange(y.dim(0)), y)) + 1e-4f * sum(square(w));
  auto [gw, gb] = grad(cost, w, b);

  auto train = compile({x, y}, {cost}, {{w, w - 0.1f * gw}, {b, b - 0.1f * gb}});
  auto predict = compile({x}, {argmax(p, 1)});
  float loss = train(images, labels)[0].item<float>();

  CHECK(loss == doctest::Approx(std::log(10.0)).epsilon(1e-5));
  for (int i = 0; i < 60; ++i) loss = train(images, labels)[0].item<float>();
  CHECK(loss < 0.5f);
  CHECK(same_bits(predict(images)[0], labels));

  // The list form of grad gives the same expressions.
  const std::vector<Expr> list = grad(cost, {w, b});
  CHECK(same(list[0], gw));
  CHECK(same(list[1], gb));
  const std::vector<Expr> wrt{w, b};
  CHECK(same(grad(cost, std::span<const Expr>(wrt))[1], gb));
}

TEST_CASE("IDX files are read, and refused with what is wrong") {
  const Folder folder;
  const auto path = folder.path / "images.gz";
  CHECK(idx_error(path, 3).ends_with("cannot be opened"));
  write_gz(path, images_header + "abcdefghijkl");
  const example::Idx idx = example::read_idx(path, 3);
  CHECK(idx.shape == std::vector<std::int64_t>{2, 2, 3});
  CHECK(std::string(idx.bytes.begin(), idx.bytes.end()) == "abcdefghijkl");
  CHECK(idx_error(path, 1).ends_with("expected magic number 2049, found 2051"));
  write_gz(path, images_header + "abcde");
  CHECK(idx_error(path, 3).ends_with("expected 12 bytes of data, found 5"));
  write_gz(path, images_header.substr(0, 10));
  CHECK(idx_error(path, 3).ends_with("ends within its header"));
  std::ofstream(path, std::ios::binary) << "not compressed, not IDX";
  CHECK(idx_error(path, 3).find("expected magic number 2051") != std::string::npos);
}

TEST_CASE("images and labels must belong together") {
  const Folder folder;
  write_gz(folder.path / "train-images-idx3-ubyte.gz", images_header + "abcdefghijkl");
  const auto labels = folder.path / "train-labels-idx1-ubyte.gz";
  write_gz(labels, std::string("\0\0\x08\x01\0\0\0\2\3\7", 10));
  const example::Images images = example::read_images(folder.path, "train");
  CHECK(images.labels.to_vector<std::int64_t>() == std::vector<std::int64_t>{3, 7});
  CHECK(images.pixels.describe() == "f32[2, 6]");
  CHECK(images.pixels.data<float>()[0] == 'a' / 255.0f);
  write_gz(labels, std::string("\0\0\x08\x01\0\0\0\1\3", 9));
  CHECK_THROWS_WITH_AS(example::read_images(folder.path, "train"),
                       "idx: train: expected 2 labels, found 1", ValueError);
  write_gz(labels, std::string("\0\0\x08\x01\0\0\0\2\3\12", 10));
  CHECK_THROWS_WITH_AS(example::read_images(folder.path, "train"),
                       "idx: train: expected labels below 10, found 10", ValueError);
}
