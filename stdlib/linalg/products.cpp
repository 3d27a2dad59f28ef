// Products and compositions of matrices as expressions of `matmul`, sums and concatenations.
#include "stdlib/linalg/products.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/linalg/einsum.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"

namespace gnomon {

namespace {

// The product of a chain of matrices, split where the fewest multiplications are.
class Chain {
 public:
  explicit Chain(std::span<const Expr> matrices) : matrices_(matrices) {
    for (const Expr& x : matrices) extents_.push_back(x.dim(0));
    extents_.push_back(matrices.back().dim(1));
    for (const Dim& n : extents_) is_known_ = is_known_ && n.is_constant();
    const std::size_t n = matrices.size();
    costs_.assign(n * n, 0);
    splits_.assign(n * n, 0);
    for (std::size_t length = 1; length < n; ++length)
      for (std::size_t first = 0; first + length < n; ++first) split(first, first + length);
  }

  Expr product(std::size_t first, std::size_t last) const {
    if (first == last) return matrices_[first];
    const std::size_t at = splits_[first * matrices_.size() + last];
    return matmul(product(first, at), product(at + 1, last));
  }

 private:
  void split(std::size_t first, std::size_t last) {
    const std::size_t n = matrices_.size(), here = first * n + last;
    splits_[here] = last - 1;
    if (!is_known_) return;
    const auto extent_at = [&](std::size_t i) {
      return static_cast<double>(extents_[i].constant());
    };
    costs_[here] = std::numeric_limits<double>::infinity();
    for (std::size_t at = first; at < last; ++at) {
      const double cost = costs_[first * n + at] + costs_[(at + 1) * n + last] +
                          extent_at(first) * extent_at(at + 1) * extent_at(last + 1);
      if (cost < costs_[here]) costs_[here] = cost, splits_[here] = at;
    }
  }

  std::span<const Expr> matrices_;
  std::vector<Dim> extents_;
  bool is_known_ = true;
  std::vector<double> costs_;
  std::vector<std::size_t> splits_;
};

void expect_axes(const Arg& x, int least, std::string_view what) {
  const Expr v(x.value());
  if (v.rank() < least)
    throw ValueError(fmt::format("{}: expected {}, found {}", what,
                                 least == 1 ? "vectors" : "matrices", describe(v)));
}

}  // namespace

Expr vdot(const Arg& a, const Arg& b) {
  const CallScope call("vdot", a.origin());
  return dot(conj(ravel(a)), ravel(b));
}

Expr vecdot(const Arg& a, const Arg& b, std::int64_t axis) {
  const CallScope call("vecdot", a.origin());
  const auto [x, y] = promoted(a, b);
  if (axis >= 0)
    throw ValueError(fmt::format("vecdot: expected an axis from the end, found {}", axis));
  for (const Expr& v : {x, y}) normalize_axis(axis, v.rank(), "vecdot");
  const Dim &m = x.dim(static_cast<int>(axis)), &n = y.dim(static_cast<int>(axis));
  if (m.is_constant() && n.is_constant() && m != n)
    throw ValueError(fmt::format("vecdot: expected one extent of axis {}, found {} and {}", axis,
                                 describe(x), describe(y)));
  return cast(sum(conj(x) * y, axis), x.dtype());
}

Expr inner(const Arg& a, const Arg& b) {
  const CallScope call("inner", a.origin());
  const Expr x(a.value()), y(b.value());
  if (x.rank() == 0 || y.rank() == 0) return multiply(a, b);
  return tensordot(x, y, {x.rank() - 1}, {y.rank() - 1});
}

Expr matvec(const Arg& a, const Arg& x) {
  const CallScope call("matvec", a.origin());
  expect_axes(a, 2, "matvec"), expect_axes(x, 1, "matvec");
  return squeeze(matmul(a, expand_dims(x, -1)), -1);
}

Expr vecmat(const Arg& x, const Arg& a) {
  const CallScope call("vecmat", x.origin());
  expect_axes(a, 2, "vecmat"), expect_axes(x, 1, "vecmat");
  return squeeze(matmul(expand_dims(conj(x), -2), a), -2);
}

Expr batched_dot(const Arg& a, const Arg& b) {
  const CallScope call("batched_dot", a.origin());
  const Expr x(a.value()), y(b.value());
  for (const Expr& v : {x, y})
    if (v.rank() < 1 || v.rank() > 3)
      throw ValueError(fmt::format("batched_dot: expected rank 1 to 3, found {}", describe(v)));
  // Of a the axes b, i, k; of b the axes b, k, j.
  const bool sums = x.rank() > 1 && y.rank() > 1;
  const std::string rows = x.rank() == 3 ? "i" : "", columns = y.rank() == 3 ? "j" : "";
  const std::string left = "b" + rows + (x.rank() > 1 ? "k" : "");
  const std::string right = "b" + std::string(y.rank() > 1 ? "k" : "") + columns;
  const std::string kept = sums ? "b" + rows + columns : x.rank() > 1 ? left : right;
  return einsum(left + "," + right + "->" + kept, {x, y});
}

Expr batched_tensordot(const Arg& a, const Arg& b, std::int64_t axes) {
  const CallScope call("batched_tensordot", a.origin());
  const Expr x(a.value()), y(b.value());
  if (axes < 0 || axes >= x.rank() || axes >= y.rank())
    throw ValueError(fmt::format("batched_tensordot: expected axes of {} and {}, found {}",
                                 describe(x), describe(y), axes));
  char next = 'b';
  std::string left = "a", right = "a", kept = "a";
  for (int k = 1; k < x.rank(); ++k) left += next++;
  const auto first_summed = left.size() - static_cast<std::size_t>(axes);
  kept += left.substr(1, first_summed - 1);
  right += left.substr(first_summed);
  for (auto k = axes + 1; k < y.rank(); ++k) right += next, kept += next++;
  return einsum(left + "," + right + "->" + kept, {x, y});
}

Expr cross(const Arg& a, const Arg& b, std::int64_t axis) {
  const CallScope call("cross", a.origin());
  auto [x, y] = promoted(a, b);
  for (Expr* v : {&x, &y}) {
    const std::int64_t at = normalize_axis(axis, v->rank(), "cross");
    const Dim& n = v->shape()[static_cast<std::size_t>(at)];
    if (n.is_constant() && !n.is(3))
      throw ValueError(
          fmt::format("cross: expected extent 3 of axis {}, found {}", axis, describe(*v)));
    *v = moveaxis(shaped(*v, with_extent(v->shape(), at, 3), "cross: expected extent 3"), at, 0);
  }
  const auto minor = [&](std::int64_t i, std::int64_t j) {
    return place_of_axis(x, 0, i) * place_of_axis(y, 0, j) -
           place_of_axis(x, 0, j) * place_of_axis(y, 0, i);
  };
  return moveaxis(stack({minor(1, 2), minor(2, 0), minor(0, 1)}), 0, axis);
}

Expr multi_dot(const ExprList& matrices) {
  const CallScope call("multi_dot", matrices.origin());
  if (matrices.size() < 2)
    throw ValueError(
        fmt::format("multi_dot: expected two matrices or more, found {}", matrices.size()));
  std::vector<Expr> chain(matrices.begin(), matrices.end());
  const bool is_row = chain.front().rank() == 1, is_column = chain.back().rank() == 1;
  if (is_row) chain.front() = expand_dims(chain.front(), 0);
  if (is_column) chain.back() = expand_dims(chain.back(), 1);
  for (const Expr& x : chain)
    if (x.rank() != 2)
      throw ValueError(fmt::format("multi_dot: expected matrices, found {}", describe(x)));
  Expr product = Chain(chain).product(0, chain.size() - 1);
  if (is_column) product = squeeze(product, -1);
  return is_row ? squeeze(product, 0) : product;
}

Expr matrix_power(const Arg& a, std::int64_t n) {
  const CallScope call("matrix_power", a.origin());
  Expr x(a.value());
  const Dim rows = x.rank() < 2 ? Dim(0) : x.dim(-2), columns = x.rank() < 2 ? Dim(0) : x.dim(-1);
  const bool are_known = rows.is_constant() && columns.is_constant();
  if (x.rank() < 2 || (are_known && rows != columns))
    throw ValueError(fmt::format("matrix_power: expected square matrices, found {}", describe(x)));
  if (n == 0) return broadcast_to(eye(x.dim(-1), x.dtype()), x.shape());
  if (n < 0) x = inv(x);
  Expr result;
  for (std::uint64_t rest = n < 0 ? -static_cast<std::uint64_t>(n) : static_cast<std::uint64_t>(n);
       rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result.defined() ? matmul(result, x) : x;
    if (rest > 1) x = matmul(x, x);
  }
  return result;
}

Expr block_diag(const ExprList& matrices) {
  const CallScope call("block_diag", matrices.origin());
  if (matrices.empty()) throw ValueError("block_diag: expected matrices, found none");
  DType t = matrices.front().dtype();
  for (const Expr& x : matrices) t = promote(t, x.dtype());
  std::vector<Expr> blocks;
  for (const Expr& x : matrices) {
    if (x.rank() > 2)
      throw ValueError(fmt::format("block_diag: expected matrices, found {}", describe(x)));
    blocks.push_back(cast(with_rank(x, 2), t));
  }
  std::vector<Expr> rows;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::vector<Expr> row;
    for (std::size_t j = 0; j < blocks.size(); ++j)
      row.push_back(i == j ? blocks[i] : filled({blocks[i].dim(0), blocks[j].dim(1)}, 0, t));
    rows.push_back(concatenate(row, 1));
  }
  return concatenate(rows, 0);
}

}  // namespace gnomon
