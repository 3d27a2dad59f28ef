// The training step of softmax regression: its kernels, memory, numbers and generated code.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

namespace {

using namespace gnomon;

constexpr std::int64_t pixels = 784, classes = 10;

struct TrainingStep {
  SharedVariable w = shared(zeros({pixels, classes}, float32), "w");
  SharedVariable b = shared(zeros({classes}, float32), "b");
  Function train;

  explicit TrainingStep(CompileOptions options = {}) {
    auto x = matrix("x", float32), y = vector("y", int64);
    auto p = softmax(dot(x, w) + b);
    auto cost = -mean(log(p)(arange(y.dim(0)), y)) + 1e-4f * sum(square(w));
    auto [gw, gb] = grad(cost, w, b);
    train = compile({x, y}, {cost}, {{w, w - 0.1f * gw}, {b, b - 0.1f * gb}}, options);
  }
};

struct Data {
  Array images, labels;
};

// Images whose class shows in their pixels, so that there is something to learn.
Data synthetic(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  Data d{Array::empty(float32, {count, pixels}), Array::empty(int64, {count})};
  for (std::int64_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::int64_t>(random() % classes);
    d.labels.data<std::int64_t>()[i] = label;
    for (std::int64_t j = 0; j < pixels; ++j)
      d.images.data<float>()[i * pixels + j] =
          0.5f * uniform(random) + (j % classes == label ? 0.2f : 0.0f);
  }
  return d;
}

// The same mathematics by hand, in double precision and in the order of the textbook.
class Reference {
 public:
  double train(const Data& d) {
    const std::int64_t count = d.labels.size();
    std::vector<double> gw(w.size()), gb(b.size());
    double loss = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const float* const x = d.images.data<float>() + i * pixels;
      const std::int64_t label = d.labels.data<std::int64_t>()[i];
      std::vector<double> p = probabilities(x);
      loss -= std::log(p[label]) / static_cast<double>(count);
      p[label] -= 1;
      for (std::int64_t k = 0; k < classes; ++k) {
        const double dz = p[k] / static_cast<double>(count);
        gb[k] += dz;
        for (std::int64_t j = 0; j < pixels; ++j) gw[j * classes + k] += x[j] * dz;
      }
    }
    for (std::size_t i = 0; i < w.size(); ++i) {
      loss += 1e-4 * w[i] * w[i];
      gw[i] += 2e-4 * w[i];
    }
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= 0.1 * gw[i];
    for (std::size_t i = 0; i < b.size(); ++i) b[i] -= 0.1 * gb[i];
    return loss;
  }

  std::vector<double> w = std::vector<double>(pixels * classes), b = std::vector<double>(classes);

 private:
  std::vector<double> probabilities(const float* x) const {
    std::vector<double> p(b);
    for (std::int64_t j = 0; j < pixels; ++j)
      for (std::int64_t k = 0; k < classes; ++k) p[k] += x[j] * w[j * classes + k];
    double sum = 0;
    for (double& v : p) sum += v = std::exp(v);
    for (double& v : p) v /= sum;
    return p;
  }
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The first line in which two texts differ, for a message that fits a screen.
std::string first_difference(const std::string& got, const std::string& wanted) {
  std::istringstream a(got), b(wanted);
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool more_a = static_cast<bool>(std::getline(a, x));
    const bool more_b = static_cast<bool>(std::getline(b, y));
    if (!more_a && !more_b) return "";
    if (!more_a) x = "(end)";
    if (!more_b) y = "(end)";
    if (x != y) return fmt::format("line {}: expected\n{}\nfound\n{}", line, y, x);
  }
}

}  // namespace

TEST_CASE("a training step is at most six kernels, its two products among them") {
  const TrainingStep step;
  CHECK(step.train.products() == 0);
  CHECK(step.train.kernels() <= 6);
}

// Run by the next test, in a process of its own: others may have opened the library.
TEST_CASE("in a fresh process a training step opens no BLAS library" * doctest::skip()) {
  const TrainingStep step;
  const Data d = synthetic(37, 1);
  step.train(d.images, d.labels);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    CHECK_MESSAGE(line.find("blas") == std::string::npos, line);
}

TEST_CASE("a training step opens no BLAS library") {
  const std::string command =
      "'" + std::filesystem::read_symlink("/proc/self/exe").string() +
      "' --no-skip --no-intro --minimal "
      "--test-case='in a fresh process a training step opens no BLAS library'";
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("the workspace of a training step is bounded by a formula of the batch size") {
  CompileOptions options;
  options.threads = 1;
  const TrainingStep step(options);
  // Whole lines; of whole pages half a page more, so that buffers are at other places of pages.
  const auto slot = [](std::int64_t bytes) {
    const std::int64_t lines = (bytes + 63) / 64 * 64;
    return lines >= 16384 && lines % 4096 == 0 ? lines + 2112 : lines;
  };
  for (const std::int64_t n : {1, 2, 63, 64, 65, 128, 600, 8192, 8193, 60000}) {
    const Data d{zeros({n, pixels}, float32), zeros({n}, int64)};
    const std::int64_t logits_and_gradient = 2 * slot(4 * classes * n);
    const std::int64_t row_maxima_and_sums = 2 * slot(4 * n);
    const std::int64_t partial_sums =
        slot(4 * classes * ((n + 63) / 64)) + slot(4 * ((n + 8191) / 8192));
    const std::int64_t sums_of_squares = slot(4 * pixels) + slot(4 * classes);
    // The gradient by the weights of 256 pixels, before it is turned.
    const std::int64_t scratch_of_a_thread = slot(4 * 256 * classes);
    const std::vector<Array> arguments{d.images, d.labels};
    const std::int64_t bytes = step.train.workspace_bytes(arguments);
    CHECK(bytes >= logits_and_gradient);
    CHECK(bytes <= logits_and_gradient + row_maxima_and_sums + partial_sums + sums_of_squares +
                       scratch_of_a_thread);
  }
}

TEST_CASE("losses and weights of a training run are those of the mathematics") {
  const TrainingStep step;
  Reference reference;
  for (int i = 0; i < 20; ++i) {
    // Batches of several sizes by the same function.
    const Data d = synthetic(i % 4 == 3 ? 37 : 128, 100u + static_cast<unsigned>(i));
    const double loss = step.train(d.images, d.labels)[0].item<float>();
    CHECK(loss == doctest::Approx(reference.train(d)).epsilon(1e-5));
  }
  const std::vector<float> w = step.w.get().to_vector<float>(), b = step.b.get().to_vector<float>();
  double worst = 0;
  for (std::size_t i = 0; i < w.size(); ++i)
    worst = std::fmax(worst, std::fabs(w[i] - reference.w[i]));
  for (std::size_t i = 0; i < b.size(); ++i)
    worst = std::fmax(worst, std::fabs(b[i] - reference.b[i]));
  CHECK(worst < 1e-5);
}

TEST_CASE("a training step gives the same bits on one thread and on several") {
  const Data d = synthetic(2000, 5);
  CompileOptions one;
  one.threads = 1;
  const TrainingStep serial(one), parallel;
  for (int i = 0; i < 3; ++i)
    CHECK(same_bits(serial.train(d.images, d.labels)[0], parallel.train(d.images, d.labels)[0]));
  CHECK(same_bits(serial.w.get(), parallel.w.get()));
  CHECK(same_bits(serial.b.get(), parallel.b.get()));
}

TEST_CASE("updates read the values from before the call") {
  auto a = shared(Array::from({1.0, 2.0}), "a"), b = shared(Array::from({10.0, 20.0}), "b");
  const Function step = compile({}, {sum(a + b)}, {{a, b}, {b, a + b}});
  CHECK(step()[0].item<double>() == 33);
  CHECK(a.get().to_vector<double>() == std::vector<double>{10, 20});
  CHECK(b.get().to_vector<double>() == std::vector<double>{11, 22});
  CHECK(step()[0].item<double>() == 63);
  CHECK(a.get().to_vector<double>() == std::vector<double>{11, 22});
  CHECK(b.get().to_vector<double>() == std::vector<double>{21, 42});
}

TEST_CASE("a label out of range changes no variable") {
  const TrainingStep step;
  Data d = synthetic(128, 9);
  d.labels.data<std::int64_t>()[100] = 10;
  CHECK_THROWS_AS(step.train(d.images, d.labels), ValueError);
  CHECK(same_bits(step.w.get(), zeros({pixels, classes}, float32)));
  CHECK(same_bits(step.b.get(), zeros({classes}, float32)));
}

#if defined(__x86_64__)
// With GNOMON_UPDATE_GOLDEN in the environment, writes the file in place of comparing.
TEST_CASE("the generated code of a training step is the one kept") {
  CompileOptions options;
  options.cpu = "x86-64-v3";
  options.cache = false;
  const TrainingStep step(options);
  const std::string path = GNOMON_SOURCE_DIR "/tests/golden/training_step.cpp";
  const std::string text =
      "// The training step as Gnomon writes it; see training_step_test.cpp.\n" +
      step.train.source();
  if (std::getenv("GNOMON_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << text;
  CHECK(first_difference(text, read(path)) == "");
}
#endif
