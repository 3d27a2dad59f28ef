// Workspaces: no two buffers that live at once overlap, and the whole is near the least there is.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "ir/graph/close.h"
#include "ir/graph/graph.h"
#include "passes/derivatives/gradient.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/lanes/workspace.h"
#include "tests/support/module_support.h"

using namespace gnomon;

namespace {

struct MeasuredWorkspace {
  std::vector<gn::i64> bytes;
  std::vector<std::array<gn::i32, 2>> lives;
  std::vector<gn::i64> offsets;
  gn::i64 total = 0;

  void add(std::int64_t size, int first, int last) {
    bytes.push_back((size + 63) / 64 * 64);
    lives.push_back({first, last});
  }

  void place() {
    std::vector<gn::i32> order(bytes.size());
    offsets.assign(bytes.size(), -1);
    total = gn::place_buffers(static_cast<int>(bytes.size()), bytes.data(),
                              reinterpret_cast<const gn::i32(*)[2]>(lives.data()), order.data(),
                              offsets.data());
  }

  bool meet(std::size_t a, std::size_t b) const {
    return lives[a][0] <= lives[b][1] && lives[b][0] <= lives[a][1];
  }

  void check() const {
    for (std::size_t a = 0; a < bytes.size(); ++a) {
      CHECK(offsets[a] % 64 == 0);
      CHECK(offsets[a] + bytes[a] <= total);
      for (std::size_t b = 0; b < a; ++b)
        if (meet(a, b))
          CHECK((offsets[a] + bytes[a] <= offsets[b] || offsets[b] + bytes[b] <= offsets[a]));
    }
  }

  // What lives at the fullest moment: no plan needs less.
  std::int64_t least() const {
    std::int64_t most = 0;
    for (const auto& now : lives) {
      std::int64_t sum = 0;
      for (std::size_t b = 0; b < bytes.size(); ++b)
        if (lives[b][0] <= now[0] && now[0] <= lives[b][1]) sum += bytes[b];
      most = std::max(most, sum);
    }
    return most;
  }
};

}  // namespace

TEST_CASE("buffers that live at once never overlap") {
  std::mt19937 random(5);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int round = 0; round < 200; ++round) {
    MeasuredWorkspace w;
    const int n = 1 + below(40);
    for (int b = 0; b < n; ++b) {
      const int first = below(30);
      w.add(below(4) == 0 ? 0 : below(5000), first, first + below(12));
    }
    w.place();
    w.check();
    CHECK(w.total <= 2 * w.least());
  }
}

TEST_CASE("the workspace of deep training steps is within a tenth of the least") {
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", float32, {n, 784}), y = tensor("y", float32, {n, 10});
  std::vector<Expr> inputs = {x, y}, weights;
  const std::vector<std::int64_t> widths = {784, 500, 300, 200, 100, 50, 10};
  Expr h = x;
  for (std::size_t layer = 0; layer + 1 < widths.size(); ++layer) {
    const Expr w = tensor("w" + std::to_string(layer), float32, {widths[layer], widths[layer + 1]});
    weights.push_back(w);
    inputs.push_back(w);
    h = tanh(matmul(h, w));
  }
  const Expr cost = mean(square(h - y));
  std::vector<Expr> outputs = grad(cost, weights);
  outputs.push_back(cost);
  const Captured captured = capture(inputs, outputs);
  Context context;
  const Module module =
      test::module_of(run_passes(captured.graph, context), target_named("x86-64-v4"));
  for (const std::int64_t batch : {1, 20, 600, 5000}) {
    CAPTURE(batch);
    MeasuredWorkspace w;
    for (const int b : module.workspace) {
      const Buffer& buffer = module.buffers[b];
      const Dim bytes =
          element_count(buffer.shape) * Dim(static_cast<std::int64_t>(size_of(buffer.dtype)));
      w.add(bytes.evaluate([&](const Atom&) { return batch; }), buffer.first, buffer.last);
    }
    w.place();
    w.check();
    CHECK(w.total <= w.least() + w.least() / 10);
  }
}
