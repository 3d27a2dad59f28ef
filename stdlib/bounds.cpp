// Signs of polynomials: minima, maxima and quotients are replaced by what bounds them.
#include "stdlib/bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.h"

namespace gnomon {

namespace {

using AtomKind = Atom::Kind;

constexpr int most_steps = 300;  // replacements tried for one polynomial

class Proof {
 public:
  explicit Proof(std::span<const Dim> extents) : extents_(extents) {}

  bool never_negative(const Dim& d) {
    if (d.is_constant()) return d.constant() >= 0;
    if (is_sum_of_non_negatives(d)) return true;
    if (++steps_ > most_steps) return false;
    for (const Term& term : d.terms()) {
      if (term.atoms.size() != 1 || term.atoms[0]->kind == AtomKind::symbol ||
          term.atoms[0]->kind == AtomKind::value)
        continue;
      return by_bounds(d, term.coefficient, *term.atoms[0]);
    }
    return false;
  }

 private:
  bool is_sum_of_non_negatives(const Dim& d) {
    return d.constant_term() >= 0 && std::ranges::all_of(d.terms(), [this](const Term& term) {
             return term.coefficient > 0 &&
                    std::ranges::all_of(
                        term.atoms, [this](const AtomRef& atom) { return is_non_negative(atom); });
           });
  }

  bool is_non_negative(const AtomRef& atom) {
    switch (atom->kind) {
      case AtomKind::symbol: return true;
      case AtomKind::value:
        return std::ranges::any_of(extents_, [&](const Dim& extent) {
          const AtomRef own = extent.atom();
          return own && *own == *atom;
        });
      case AtomKind::floor_div:
        return atom->right.is_constant() && atom->right.constant() > 0 &&
               never_negative(atom->left);
      case AtomKind::mod: return atom->right.is_constant() && atom->right.constant() > 0;
      case AtomKind::min: return never_negative(atom->left) && never_negative(atom->right);
      case AtomKind::max: return never_negative(atom->left) || never_negative(atom->right);
    }
    return false;
  }

  // d has the term c * atom, which is at least what replaces it here.
  bool by_bounds(const Dim& d, std::int64_t c, const Atom& atom) {
    const Dim rest = d - of(c, atom);
    const auto with = [&](const Dim& bound) { return never_negative(rest + bound * c); };
    const bool up = c > 0;
    switch (atom.kind) {
      case AtomKind::min:
        return up ? with(atom.left) && with(atom.right) : with(atom.left) || with(atom.right);
      case AtomKind::max:
        return up ? with(atom.left) || with(atom.right) : with(atom.left) && with(atom.right);
      case AtomKind::floor_div: {
        if (!atom.right.is_constant() || atom.right.constant() <= 0) return false;
        const std::int64_t k = atom.right.constant();
        // (a - k + 1) / k <= floor(a / k) <= a / k
        const Dim scaled = rest * k + (up ? atom.left - (k - 1) : atom.left) * c;
        return never_negative(scaled) || (up && never_negative(atom.left) && with(0));
      }
      case AtomKind::mod:
        return atom.right.is_constant() && atom.right.constant() > 0 &&
               with(up ? 0 : atom.right.constant() - 1);
      default: return false;
    }
  }

  static Dim of(std::int64_t c, const Atom& atom) {
    switch (atom.kind) {
      case AtomKind::min: return min(atom.left, atom.right) * c;
      case AtomKind::max: return max(atom.left, atom.right) * c;
      case AtomKind::mod: return mod(atom.left, atom.right) * c;
      default: return floor_div(atom.left, atom.right) * c;
    }
  }

  std::span<const Dim> extents_;
  int steps_ = 0;
};

// The other side of max(x, c) for a constant c <= 0, when `d` is that.
const Dim* beside_zero(const Dim& d) {
  const AtomRef atom = d.atom();
  if (!atom || atom->kind != AtomKind::max) return nullptr;
  const auto is_low = [](const Dim& side) { return side.is_constant() && side.constant() <= 0; };
  if (is_low(atom->left)) return &atom->right;
  return is_low(atom->right) ? &atom->left : nullptr;
}

}  // namespace

bool is_never_negative(const Dim& d, std::span<const Dim> extents) {
  try {
    return Proof(extents).never_negative(d);
  } catch (const ValueError&) {  // a bound that does not fit int64
    return false;
  }
}

Dim where_not_empty(const Dim& count) {
  if (const Dim* length = beside_zero(count)) return *length;
  // floor((max(x, 0) + c) / k) with c < k is at least 1 only where x is.
  const AtomRef atom = count.atom();
  if (!atom || atom->kind != AtomKind::floor_div || !atom->right.is_constant()) return count;
  const std::int64_t c = atom->left.constant_term(), k = atom->right.constant();
  if (c < 0 || c >= k) return count;
  const Dim inner = atom->left - c;
  const Dim* length = beside_zero(inner);
  return length ? floor_div(*length + c, k) : count;
}

void require_extents(const TypeContext& context, const Shape& shape) {
  for (const Dim& d : shape) {
    if (d.is_constant() && d.constant() < 0)
      context.refuse(fmt::format("expected extents, found {}", text(shape)));
    if (context.equalities == nullptr || d.is_constant()) continue;
    Shape known;
    for (const Value& v : context.operands)
      known.insert(known.end(), v.shape().begin(), v.shape().end());
    if (!is_never_negative(d, known))
      context.require(min(d, 0), 0, fmt::format("expected {} to be at least 0", d.text()));
  }
}

void require_between(const TypeContext& context, std::string_view what, std::int64_t found,
                     std::int64_t least, std::int64_t most) {
  if (found < least || found > most)
    context.refuse(fmt::format("expected {} from {} to {}, found {}", what, least, most, found));
}

}  // namespace gnomon
