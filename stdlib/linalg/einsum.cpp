// Einstein's sums: each pair of operands is joined by one batched product of matrices.
#include "stdlib/linalg/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

using Labels = std::vector<int>;  // of the axes of an array: letters, then axes of "..."
using Set = std::uint64_t;        // of labels

constexpr int letters = 52, most_labels = 64;
constexpr std::size_t most_exact = 8;  // operands whose order is the best of all
constexpr double unknown_extent = 64;

struct EinsumTerm {
  Expr value;
  Labels labels;
};

[[noreturn]] void fail(const std::string& message) { throw ValueError("einsum: " + message); }

Set set_of(const Labels& labels) {
  Set set = 0;
  for (const int label : labels) set |= Set{1} << label;
  return set;
}

bool has(Set set, int label) { return (set >> label & 1) != 0; }

std::string name_of_label(int label) {
  if (label >= letters) return "...";
  return std::string(1, static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26));
}

// The labels of one part of the text, for an array of `rank` axes (-1: the result, whose "..." has
// `dots` axes).
Labels parse(std::string_view text, int rank, int dots) {
  const auto at = text.find("...");
  const bool open = at != std::string_view::npos;
  const int named = static_cast<int>(text.size()) - (open ? 3 : 0);
  if (rank >= 0 && (open ? named > rank : named != rank))
    fail(fmt::format("'{}' for an array of rank {}", text, rank));
  if (rank >= 0) dots = rank - named;
  if (letters + dots > most_labels) fail("too many axes for '...'");
  Labels labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (open && i == at) {
      for (int k = dots; k-- > 0;) labels.push_back(letters + k);
      i += 2;
      continue;
    }
    const char c = text[i];
    if (std::isalpha(static_cast<unsigned char>(c)) == 0)
      fail(fmt::format("expected letters and '...', found '{}'", text));
    labels.push_back(c < 'a' ? c - 'A' : c - 'a' + 26);
  }
  return labels;
}

class Contraction {
 public:
  Contraction(std::string_view subscripts, std::span<const Expr> operands) {
    std::string text;
    for (const char c : subscripts)
      if (c != ' ') text += c;
    const auto arrow = text.find("->");
    read_operands(std::string_view(text).substr(0, arrow), operands);
    read_result(arrow == std::string::npos ? std::nullopt : std::optional(text.substr(arrow + 2)));
    for (EinsumTerm& t : terms_) find_extents(t);
    for (EinsumTerm& t : terms_) prepare(t);
  }

  Expr run() {
    while (terms_.size() > 1) {
      const auto [a, b] = terms_.size() <= most_exact ? best_pair() : closest_pair();
      EinsumTerm joined = join(terms_[a], terms_[b], needed_beside(a, b));
      terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(b));
      terms_[a] = std::move(joined);
    }
    return arranged(sum_out(terms_[0], set_of(result_)), result_);
  }

 private:
  void read_operands(std::string_view text, std::span<const Expr> operands) {
    std::size_t from = 0;
    for (const Expr& x : operands) {
      if (from > text.size())
        fail(fmt::format("'{}' has fewer parts than {} operands", text, operands.size()));
      const auto comma = std::min(text.find(',', from), text.size());
      EinsumTerm t{x, parse(text.substr(from, comma - from), x.rank(), 0)};
      for (const int label : t.labels) dots_ = std::max(dots_, label - letters + 1);
      terms_.push_back(std::move(t));
      from = comma + 1;
    }
    if (operands.empty() || from <= text.size())
      fail(fmt::format("'{}' has another number of parts than {} operands", text, operands.size()));
  }

  void read_result(const std::optional<std::string>& text) {
    std::array<int, most_labels> count{};
    for (const EinsumTerm& t : terms_)
      for (const int label : t.labels) ++count[static_cast<std::size_t>(label)];
    if (!text) {
      for (int k = dots_; k-- > 0;) result_.push_back(letters + k);
      for (int label = 0; label < letters; ++label)
        if (count[static_cast<std::size_t>(label)] == 1) result_.push_back(label);
      return;
    }
    result_ = parse(*text, -1, dots_);
    for (const int label : result_) {
      if (count[static_cast<std::size_t>(label)] == 0)
        fail(fmt::format("'{}' of the result is no axis of an operand", name_of_label(label)));
      if (std::ranges::count(result_, label) > 1)
        fail(fmt::format("'{}' stands twice in the result", name_of_label(label)));
    }
  }

  // A literal 1 stretches to the other extents of its label.
  void find_extents(const EinsumTerm& t) {
    for (std::size_t i = 0; i < t.labels.size(); ++i) {
      const Dim& n = t.value.shape()[i];
      Dim& known = extents_[static_cast<std::size_t>(t.labels[i])];
      if (known.is_constant() && n.is_constant() && !known.is(1) && !n.is(1) && !(known == n))
        fail(fmt::format("extents {} and {} of '{}' differ", known.text(), n.text(),
                         name_of_label(t.labels[i])));
      if (known.is(1)) known = n;
    }
  }

  const Dim& extent_of(int label) const { return extents_[static_cast<std::size_t>(label)]; }

  // Diagonals of axes with one label; axes that stretch are dropped, and axes that nobody else has
  // are summed.
  void prepare(EinsumTerm& t) {
    for (std::size_t i = t.labels.size(); i-- > 0;) {
      if (!t.value.shape()[i].is(1) || extent_of(t.labels[i]).is(1)) continue;
      t.value = squeeze(t.value, static_cast<std::int64_t>(i));
      t.labels.erase(t.labels.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (std::size_t i = 0; i < t.labels.size(); ++i) {
      const auto twin = std::find(t.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                  t.labels.end(), t.labels[i]);
      if (twin == t.labels.end()) continue;
      const auto j = static_cast<std::size_t>(twin - t.labels.begin());
      const Expr at[] = {arange(t.value.shape()[i]), arange(t.value.shape()[j])};
      t.value = index(t.value, {static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)}, at);
      const int label = t.labels[i];
      t.labels.erase(twin);
      t.labels.erase(t.labels.begin() + static_cast<std::ptrdiff_t>(i));
      t.labels.insert(t.labels.begin() + static_cast<std::ptrdiff_t>(j == i + 1 ? i : 0), label);
      i = static_cast<std::size_t>(-1);  // from the start: the axes have moved
    }
    const auto self = static_cast<std::size_t>(&t - terms_.data());
    t = sum_out(t, needed_beside(self, self));
  }

  // The labels of the result and of all terms but two.
  Set needed_beside(std::size_t a, std::size_t b) const {
    Set set = set_of(result_);
    for (std::size_t i = 0; i < terms_.size(); ++i)
      if (i != a && i != b) set |= set_of(terms_[i].labels);
    return set;
  }

  static EinsumTerm sum_out(const EinsumTerm& t, Set needed) {
    IntList gone;
    Labels kept;
    for (std::size_t i = 0; i < t.labels.size(); ++i) {
      if (has(needed, t.labels[i])) {
        kept.push_back(t.labels[i]);
      } else {
        gone.push_back(static_cast<std::int64_t>(i));
      }
    }
    return gone.empty() ? t : EinsumTerm{sum(t.value, Axes(gone)), kept};
  }

  static Expr arranged(const EinsumTerm& t, const Labels& order) {
    IntList axes;
    for (const int label : order)
      axes.push_back(std::ranges::find(t.labels, label) - t.labels.begin());
    return std::ranges::is_sorted(axes) ? t.value : transpose(t.value, axes);
  }

  Dim count_of(const Labels& labels) const {
    Dim n = 1;
    for (const int label : labels) n = n * extent_of(label);
    return n;
  }

  // The two as batches of matrices [common, own, summed] and [common, summed, own].
  EinsumTerm join(const EinsumTerm& a, const EinsumTerm& b, Set needed) const {
    const Set in_a = set_of(a.labels), in_b = set_of(b.labels);
    Labels common, summed, of_a, of_b;
    for (const int label : a.labels)
      (!has(in_b, label) ? of_a : has(needed, label) ? common : summed).push_back(label);
    for (const int label : b.labels)
      if (!has(in_a, label)) of_b.push_back(label);
    const auto shaped = [&](const EinsumTerm& t, std::initializer_list<const Labels*> groups) {
      Labels order;
      Shape shape;
      for (const int label : common) shape.push_back(extent_of(label));
      order = common;
      for (const Labels* group : groups) {
        order.insert(order.end(), group->begin(), group->end());
        shape.push_back(count_of(*group));
      }
      return reshape(arranged(t, order), shape);
    };
    const Expr x = shaped(a, {&of_a, &summed}), y = shaped(b, {&summed, &of_b});
    const Expr product = summed.empty() ? x * y : matmul(x, y);
    Labels labels = common;
    labels.insert(labels.end(), of_a.begin(), of_a.end());
    labels.insert(labels.end(), of_b.begin(), of_b.end());
    Shape shape;
    for (const int label : labels) shape.push_back(extent_of(label));
    return {reshape(product, shape), labels};
  }

  double size_of_set(Set set) const {
    double size = 1;
    for (; set != 0; set &= set - 1) {
      const Dim& n = extent_of(std::countr_zero(set));
      size *= n.is_constant() ? static_cast<double>(n.constant()) : unknown_extent;
    }
    return size;
  }

  // The first two to join, in the order of all that takes the fewest multiplications: the best
  // order of a set is the best of all cuts of it in two.
  std::pair<std::size_t, std::size_t> best_pair() const {
    const std::size_t n = terms_.size(), all = (std::size_t{1} << n) - 1;
    std::vector<Set> labels(all + 1, 0);
    std::vector<double> cost(all + 1, 0);
    std::vector<std::size_t> cut(all + 1, 0);
    for (std::size_t s = 1; s <= all; ++s) {
      Set inside = 0, outside = set_of(result_);
      for (std::size_t i = 0; i < n; ++i)
        ((s >> i & 1) != 0 ? inside : outside) |= set_of(terms_[i].labels);
      labels[s] = inside & outside;
      if (std::has_single_bit(s)) labels[s] = inside;
      if (std::has_single_bit(s)) continue;
      cost[s] = std::numeric_limits<double>::infinity();
      for (std::size_t part = (s - 1) & s; part != 0; part = (part - 1) & s) {
        const std::size_t rest = s ^ part;
        if (rest > part) continue;
        const double whole = cost[part] + cost[rest] + size_of_set(labels[part] | labels[rest]);
        if (whole < cost[s]) cost[s] = whole, cut[s] = part;
      }
    }
    std::size_t s = all;
    while (std::popcount(s) > 2) s = std::popcount(cut[s]) > 1 ? cut[s] : s ^ cut[s];
    const auto first = static_cast<std::size_t>(std::countr_zero(s));
    return {first, static_cast<std::size_t>(std::countr_zero(s & (s - 1)))};
  }

  // The two whose product is smallest beside them.
  std::pair<std::size_t, std::size_t> closest_pair() const {
    std::pair<std::size_t, std::size_t> best{0, 1};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < terms_.size(); ++a) {
      for (std::size_t b = a + 1; b < terms_.size(); ++b) {
        const Set in_a = set_of(terms_[a].labels), in_b = set_of(terms_[b].labels);
        const double growth = size_of_set((in_a | in_b) & needed_beside(a, b)) - size_of_set(in_a) -
                              size_of_set(in_b);
        if (growth < least) least = growth, best = {a, b};
      }
    }
    return best;
  }

  std::vector<EinsumTerm> terms_;
  Labels result_;
  int dots_ = 0;
  std::array<Dim, most_labels> extents_ = [] {
    std::array<Dim, most_labels> ones;
    ones.fill(Dim(1));
    return ones;
  }();
};

}  // namespace

Expr einsum(std::string_view subscripts, const ExprList& operands) {
  const CallScope call("einsum", operands.origin());
  if (operands.empty()) fail("expected operands, found none");
  DType t = operands[0].dtype();
  for (const Expr& x : operands) t = promote(t, x.dtype());
  std::vector<Expr> same;
  for (const Expr& x : operands) same.push_back(cast(x, t));
  return cast(Contraction(subscripts, same).run(), t);
}

}  // namespace gnomon
