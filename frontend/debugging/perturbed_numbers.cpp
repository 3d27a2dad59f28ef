// What factors of matrices leave open.
#include "frontend/debugging/perturbed_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>

namespace gnomon {

namespace {

// A result whose rows or columns have a sign or phase that another one's columns or rows undo.
struct Turned {
  const Op* op;
  std::size_t result;
  bool rows;
};

constexpr Turned freedoms[] = {
    {&op::eigh, 1, false}, {&op::eig, 1, false}, {&op::svd, 0, false},
    {&op::svd, 2, true},   {&op::qr, 0, false},  {&op::qr, 1, true},
};

constexpr int turning_runs = 8;

// Different for so many columns, and never 0: each is turned in some run, and in one that another
// is not.
bool is_turned(std::size_t column, int run) {
  return ((column * 37 % 255 + 1) >> (run % turning_runs) & 1) != 0;
}

bool has_any_order(const Op& op) { return &op == &op::eig || &op == &op::eigvals; }
bool is_open(const Op& op) { return &op == &op::schur || &op == &op::qz; }

void set(Tensor<Cell>& x, std::size_t i, double v) {
  x.data[i] = x.dtype == DType::float64 ? cell_make(v) : cell_make(static_cast<float>(v));
}
double get(const Tensor<Cell>& x, std::size_t i) {
  return x.dtype == DType::float64 ? x.data[i].f64 : double{x.data[i].f32};
}

// The phase of a column's pairs: another one in each run, and different for any two columns.
double phase_of(std::size_t column, int run) {
  constexpr double golden = 0.6180339887498949;
  const double part = golden * static_cast<double>(column + 1) * (run + 1);
  return 2 * std::numbers::pi * (part - std::floor(part));
}

// What has the columns of another factor as rows has the opposite phases.
void turn_pair(Tensor<Cell>& x, std::size_t i, double phase) {
  const double re = get(x, i), im = get(x, i + 1), c = std::cos(phase), s = std::sin(phase);
  set(x, i, re * c - im * s);
  set(x, i + 1, re * s + im * c);
}

// Moves groups of `width` numbers along lines of `length` by some places.
void rotate_lines(Tensor<Cell>& x, std::size_t length, std::size_t width, int places) {
  const std::size_t groups = width == 0 ? 0 : length / width;
  if (groups < 2) return;
  const auto by = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(places) % groups * width);
  const auto size = static_cast<std::ptrdiff_t>(length);
  for (auto line = x.data.begin(); line < x.data.end(); line += size)
    std::rotate(line, line + by, line + size);
}

}  // namespace

int PerturbedNumbers::runs(const Graph& graph) {
  for (const Node* node : nodes_with_bodies(graph)) {
    const Op& op = op_of_routine(node->op());
    if (has_any_order(op) ||
        std::ranges::any_of(freedoms, [&](const Turned& f) { return f.op == &op; }))
      return turning_runs;
  }
  return 3;
}

void PerturbedNumbers::turn(const Node& node,
                            std::vector<std::shared_ptr<Tensor<Number>>>& results) const {
  const Op& op = op_of_routine(node.op());
  if (is_open(op))
    for (const auto& x : results)
      for (std::size_t i = 0; is_float(x->dtype) && i < x->data.size(); ++i)
        set(*x, i, std::numeric_limits<double>::quiet_NaN());
  const bool pairs = &node.op() != &op;  // results of factors of complex numbers, and those of eig
  for (const Turned& freedom : freedoms) {
    if (freedom.op != &op || freedom.result >= results.size()) continue;
    Tensor<Number>& x = *results[freedom.result];
    const std::size_t rank = x.shape.size(), width = pairs ? 2 : 1;
    if (rank < 2 || x.data.empty()) continue;
    const auto rows = static_cast<std::size_t>(x.shape[rank - 2]);
    const auto columns = static_cast<std::size_t>(x.shape[rank - 1]);
    for (std::size_t i = 0; i < x.data.size(); i += width) {
      const std::size_t column = freedom.rows ? i / columns % rows : i % columns / width;
      const double phase = phase_of(column, run_);
      if (pairs)
        turn_pair(x, i, freedom.rows ? -phase : phase);
      else if (is_turned(column, run_))
        set(x, i, -get(x, i));
    }
  }
  if (!has_any_order(op)) return;
  // Pairs: eigenvalues [..., n, 2], and vectors as columns [..., n, 2 n].
  for (std::size_t k = 0; k < results.size(); ++k) {
    Tensor<Number>& x = *results[k];
    if (x.data.empty()) continue;
    const std::int64_t count = x.shape[x.shape.size() - 2];
    const std::int64_t length = k == 0 ? 2 * count : x.shape.back();
    rotate_lines(x, static_cast<std::size_t>(length), 2, run_ + 1);
  }
}

}  // namespace gnomon
