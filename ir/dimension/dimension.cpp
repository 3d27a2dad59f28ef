// Polynomials in normal form: terms by falling degree, then by their atoms.
#include "ir/dimension/dimension.h"

#include <algorithm>
#include <atomic>
#include <compare>
#include <numeric>
#include <optional>
#include <utility>

#include "ir/dimension/dimension_sum.h"
#include "ir/graph/hash.h"
#include "ir/graph/node.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

/// Makes dimensions from lists of terms.
struct DimBuilder {
  static Dim make(std::int64_t constant, std::vector<Term> terms) {
    Dim d(constant);
    if (!terms.empty()) d.terms_ = std::make_shared<const std::vector<Term>>(std::move(terms));
    return d;
  }
  static bool shares_terms(const Dim& a, const Dim& b) { return a.terms_ == b.terms_; }
};

namespace {

using AtomKind = Atom::Kind;

[[noreturn]] void overflow() { throw ValueError("dimension: the extent does not fit int64"); }

std::int64_t add_checked(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_add_overflow(a, b, &r)) overflow();
  return r;
}

std::int64_t multiply_checked(std::int64_t a, std::int64_t b) {
  std::int64_t r;
  if (__builtin_mul_overflow(a, b, &r)) overflow();
  return r;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == -1) return multiply_checked(a, -1);
  const std::int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

std::strong_ordering order(const Dim& a, const Dim& b);

std::strong_ordering order(const Atom& a, const Atom& b) {
  if (&a == &b) return std::strong_ordering::equal;
  if (a.kind != b.kind) return a.kind <=> b.kind;
  switch (a.kind) {
    case AtomKind::symbol: return a.number <=> b.number;
    case AtomKind::value:
      if (const auto c = a.scalar->node().number() <=> b.scalar->node().number(); c != 0) return c;
      return a.scalar->index() <=> b.scalar->index();
    default:
      if (const auto c = order(a.left, b.left); c != 0) return c;
      return order(a.right, b.right);
  }
}

using AtomList = std::vector<AtomRef>;

std::strong_ordering order(const AtomList& a, const AtomList& b) {
  if (a.size() != b.size()) return b.size() <=> a.size();
  for (std::size_t i = 0; i < a.size(); ++i)
    if (const auto c = order(*a[i], *b[i]); c != 0) return c;
  return std::strong_ordering::equal;
}

std::strong_ordering order(const Dim& a, const Dim& b) {
  if (!DimBuilder::shares_terms(a, b)) {
    const std::vector<Term>&x = a.terms(), &y = b.terms();
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
      if (const auto c = order(x[i].atoms, y[i].atoms); c != 0) return c;
      if (x[i].coefficient != y[i].coefficient) return x[i].coefficient <=> y[i].coefficient;
    }
    if (x.size() != y.size()) return x.size() <=> y.size();
  }
  return a.constant_term() <=> b.constant_term();
}

bool atom_less(const AtomRef& a, const AtomRef& b) { return order(*a, *b) < 0; }

Dim make_dim(AtomRef atom) {
  std::vector<Term> terms(1);
  terms[0].coefficient = 1;
  terms[0].atoms.push_back(std::move(atom));
  return DimBuilder::make(0, std::move(terms));
}

Dim make_pair(AtomKind kind, const Dim& left, const Dim& right) {
  auto atom = std::make_shared<Atom>();
  atom->kind = kind;
  atom->left = left;
  atom->right = right;
  atom->hash = mix_hash(mix_hash(static_cast<std::size_t>(kind), left.hash()), right.hash());
  return make_dim(std::move(atom));
}

/// a + factor * b.
Dim add_scaled(const Dim& a, const Dim& b, std::int64_t factor) {
  const std::int64_t constant =
      add_checked(a.constant_term(), multiply_checked(b.constant_term(), factor));
  const std::vector<Term>&x = a.terms(), &y = b.terms();
  std::vector<Term> sum;
  sum.reserve(x.size() + y.size());
  std::size_t i = 0, j = 0;
  while (i < x.size() || j < y.size()) {
    const auto c = i == x.size()   ? std::strong_ordering::greater
                   : j == y.size() ? std::strong_ordering::less
                                   : order(x[i].atoms, y[j].atoms);
    if (c < 0) {
      sum.push_back(x[i++]);
      continue;
    }
    Term term = y[j++];
    term.coefficient = multiply_checked(term.coefficient, factor);
    if (c == 0) term.coefficient = add_checked(term.coefficient, x[i++].coefficient);
    if (term.coefficient != 0) sum.push_back(std::move(term));
  }
  return DimBuilder::make(constant, std::move(sum));
}

/// term * d.
Dim scale(const Dim& d, std::int64_t factor) {
  return factor == 0 ? Dim(0) : add_scaled(Dim(0), d, factor);
}

/// The terms of `d`, its constant among them as a term without atoms.
std::vector<Term> all_terms(const Dim& d) {
  std::vector<Term> terms = d.terms();
  if (d.constant_term() != 0) terms.push_back({d.constant_term(), {}});
  return terms;
}

/// Sorts terms, adds up equal ones and splits the constant off.
Dim normalize(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& a, const Term& b) { return order(a.atoms, b.atoms) < 0; });
  std::int64_t constant = 0;
  std::vector<Term> merged;
  for (Term& term : terms) {
    if (term.atoms.empty()) {
      constant = add_checked(constant, term.coefficient);
    } else if (!merged.empty() && order(merged.back().atoms, term.atoms) == 0) {
      merged.back().coefficient = add_checked(merged.back().coefficient, term.coefficient);
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const Term& term) { return term.coefficient == 0; });
  return DimBuilder::make(constant, std::move(merged));
}

/// numerator / denominator when it has integer coefficients and no atom is left over below.
std::optional<Term> exact_quotient(const Term& numerator, const Term& denominator) {
  if (numerator.coefficient % denominator.coefficient != 0) return std::nullopt;
  Term quotient;
  quotient.coefficient = floor_quotient(numerator.coefficient, denominator.coefficient);
  std::size_t j = 0;
  for (const AtomRef& atom : numerator.atoms) {
    if (j < denominator.atoms.size() && *denominator.atoms[j] == *atom) {
      ++j;
    } else {
      quotient.atoms.push_back(atom);
    }
  }
  if (j != denominator.atoms.size()) return std::nullopt;
  return quotient;
}

/// The polynomial q with a = q * b, by division of leading terms.
std::optional<Dim> exact_quotient(Dim a, const Dim& b) {
  const Term lead = all_terms(b).front();
  Dim quotient;
  for (int step = 0; step < 64; ++step) {
    if (a.is(0)) return quotient;
    const auto term = exact_quotient(all_terms(a).front(), lead);
    if (!term) return std::nullopt;
    const Dim part = normalize({*term});
    quotient = quotient + part;
    a = a - part * b;
  }
  return std::nullopt;
}

std::optional<std::int64_t> bound(const Dim& d, bool upper);

/// Bound of one atom; symbols are extents, so at least 0.
std::optional<std::int64_t> bound(const Atom& atom, bool upper) {
  const auto of = [&](const Dim& d) { return bound(d, upper); };
  switch (atom.kind) {
    case AtomKind::symbol: return upper ? std::nullopt : std::optional<std::int64_t>(0);
    case AtomKind::value: return std::nullopt;
    case AtomKind::floor_div:
      if (!atom.right.is_constant() || atom.right.constant() <= 0) return std::nullopt;
      if (const auto b = of(atom.left)) return floor_quotient(*b, atom.right.constant());
      return std::nullopt;
    case AtomKind::mod:
      if (!atom.right.is_constant() || atom.right.constant() <= 0) return std::nullopt;
      return upper ? atom.right.constant() - 1 : 0;
    case AtomKind::min:
    case AtomKind::max: {
      const auto l = of(atom.left), r = of(atom.right);
      const bool is_max = atom.kind == AtomKind::max;
      if (l && r) return is_max ? std::max(*l, *r) : std::min(*l, *r);
      // One side alone bounds a maximum from below and a minimum from above.
      return is_max != upper ? (l ? l : r) : std::nullopt;
    }
  }
  return std::nullopt;
}

/// The least or greatest value `d` can have, where that is known.
std::optional<std::int64_t> bound(const Dim& d, bool upper) {
  std::int64_t sum = d.constant_term();
  for (const Term& term : d.terms()) {
    const bool upper_atom = (term.coefficient > 0) == upper;
    std::int64_t product = 1;
    for (const AtomRef& atom : term.atoms) {
      const auto b = bound(*atom, upper_atom);
      // Bounds multiply only where all factors are known to be at least 0.
      if (!b) return std::nullopt;
      if (term.atoms.size() > 1) {
        const auto low = upper_atom ? bound(*atom, false) : b;
        if (!low || *low < 0) return std::nullopt;
      }
      if (__builtin_mul_overflow(product, *b, &product)) return std::nullopt;
    }
    if (__builtin_mul_overflow(product, term.coefficient, &product) ||
        __builtin_add_overflow(sum, product, &sum))
      return std::nullopt;
  }
  return sum;
}

bool at_least(const Dim& d, std::int64_t low) {
  const auto b = bound(d, false);
  return b && *b >= low;
}

bool at_most(const Dim& d, std::int64_t high) {
  const auto b = bound(d, true);
  return b && *b <= high;
}

/// The atom when `d` is constant_term() + one atom of `kind`.
const Atom* shifted_atom(const Dim& d, AtomKind kind) {
  if (d.terms().size() != 1) return nullptr;
  const Term& term = d.terms()[0];
  if (term.coefficient != 1 || term.atoms.size() != 1 || term.atoms[0]->kind != kind)
    return nullptr;
  return term.atoms[0].get();
}

/// d = divisor * quotient + remainder with all coefficients of the remainder in [0, divisor).
std::pair<Dim, Dim> split(const Dim& d, std::int64_t divisor) {
  std::vector<Term> quotient, remainder;
  for (const Term& term : d.terms()) {
    const std::int64_t q = floor_quotient(term.coefficient, divisor);
    const std::int64_t r = floor_remainder(term.coefficient, divisor);
    if (q != 0) quotient.push_back({q, term.atoms});
    if (r != 0) remainder.push_back({r, term.atoms});
  }
  return {DimBuilder::make(floor_quotient(d.constant_term(), divisor), std::move(quotient)),
          DimBuilder::make(floor_remainder(d.constant_term(), divisor), std::move(remainder))};
}

/// The greatest common divisor of `divisor` and the coefficients of the terms.
std::int64_t common_divisor(const Dim& d, std::int64_t divisor) {
  for (const Term& term : d.terms()) divisor = std::gcd(divisor, term.coefficient);
  return divisor;
}

[[noreturn]] void division_by_zero() {
  throw ValueError("dimension: expected a divisor other than 0");
}

Dim floor_div_constant(const Dim& a, std::int64_t divisor) {
  if (divisor == 0) division_by_zero();
  if (a.is_constant()) return floor_quotient(a.constant(), divisor);
  if (divisor < 0) return floor_div_constant(-a, multiply_checked(divisor, -1));
  if (divisor == 1) return a;
  auto [quotient, rest] = split(a, divisor);
  if (at_least(rest, 0) && at_most(rest, divisor - 1)) return quotient;
  if (const std::int64_t g = common_divisor(rest, divisor); g > 1) {
    rest = split(rest, g).first;
    divisor /= g;
  }
  // floor((floor(x / d) + k) / c) = floor((x + k*d) / (c*d))
  if (const Atom* inner = shifted_atom(rest, AtomKind::floor_div);
      inner && inner->right.is_constant() && inner->right.constant() > 0) {
    const std::int64_t d = inner->right.constant();
    return quotient + floor_div_constant(inner->left + multiply_checked(rest.constant_term(), d),
                                         multiply_checked(divisor, d));
  }
  return quotient + make_pair(AtomKind::floor_div, rest, divisor);
}

Dim mod_constant(const Dim& a, std::int64_t divisor) {
  if (divisor == 0) division_by_zero();
  if (a.is_constant()) return floor_remainder(a.constant(), divisor);
  if (divisor < 0) return -mod_constant(-a, multiply_checked(divisor, -1));
  Dim rest = split(a, divisor).second;
  if (at_least(rest, 0) && at_most(rest, divisor - 1)) return rest;
  // mod(g*x + k, g*c) = g * mod(x + floor(k / g), c) + mod(k, g)
  if (const std::int64_t g = common_divisor(rest, divisor); g > 1)
    return scale(mod_constant(split(rest, g).first, divisor / g), g) +
           floor_remainder(rest.constant_term(), g);
  if (const Atom* inner = shifted_atom(rest, AtomKind::mod);
      inner && inner->right.is_constant() && inner->right.constant() % divisor == 0)
    return mod_constant(inner->left + rest.constant_term(), divisor);
  return make_pair(AtomKind::mod, rest, divisor);
}

Dim extremum(AtomKind kind, Dim a, Dim b) {
  const bool is_max = kind == AtomKind::max;
  if (const Dim difference = a - b; at_least(difference, 0)) {
    return is_max ? a : b;
  } else if (at_most(difference, 0)) {
    return is_max ? b : a;
  }
  if (order(b, a) < 0) std::swap(a, b);
  if (b.is_constant()) std::swap(a, b);
  const Atom* inner = shifted_atom(b, kind);
  if (a.is_constant() && inner && inner->left.is_constant()) {
    // max(c, max(d, x) + k) = max(max(c, d + k), x + k)
    const Dim k = b.constant_term();
    return extremum(kind, extremum(kind, a, inner->left + k), inner->right + k);
  }
  if (inner && b.constant_term() == 0 && (inner->left == a || inner->right == a)) return b;
  return make_pair(kind, a, b);
}

constexpr std::size_t few = 8;  // terms that are added one by one

std::atomic<std::uint64_t> next_symbol{std::uint64_t{1} << 32};

/// The polynomial a scalar expression computes, looking through at most `budget` nodes.
Dim see_through(const Value& v, int& budget) {
  const Node& node = v.node();
  const std::string_view name = v.op().name;
  if (name == "constant") return node.attribute(0).array().item<std::int64_t>();
  if (name == "extent") return node.attribute(0).dims()[0];
  const bool is_add = name == "add", is_multiply = name == "multiply";
  if ((is_add || is_multiply || name == "subtract" || name == "negative") && --budget >= 0) {
    std::vector<Dim> parts;
    std::size_t size = 1;
    for (const Value& operand : node.operands()) {
      parts.push_back(see_through(operand, budget));
      size = is_multiply ? size * (parts.back().terms().size() + 1)
                         : size + parts.back().terms().size();
      // A polynomial of many terms is dearer than one more atom.
      if (size > 64) break;
    }
    if (size <= 64) {
      if (parts.size() == 1) return -parts[0];
      Dim result = parts[0];
      for (std::size_t i = 1; i < parts.size(); ++i)
        result = is_add ? result + parts[i] : is_multiply ? result * parts[i] : result - parts[i];
      return result;
    }
  }
  auto atom = std::make_shared<Atom>();
  atom->kind = AtomKind::value;
  atom->scalar = std::make_unique<const Value>(v);
  atom->hash = mix_hash(static_cast<std::size_t>(AtomKind::value), v.hash());
  return make_dim(std::move(atom));
}

// A divisor may turn out to be 0; then the result is 0, as at run time.
Dim substitute_atom(const AtomRef& atom, const std::function<Dim(const Atom&)>& f) {
  const Dim left = atom->left.substitute(f), right = atom->right.substitute(f);
  switch (atom->kind) {
    case AtomKind::symbol:
    case AtomKind::value: return f(*atom);
    case AtomKind::floor_div: return right.is(0) ? right : floor_div(left, right);
    case AtomKind::mod: return right.is(0) ? right : mod(left, right);
    case AtomKind::min: return min(left, right);
    case AtomKind::max: return max(left, right);
  }
  return {};
}

std::int64_t evaluate_atom(const Atom& atom, const std::function<std::int64_t(const Atom&)>& f) {
  if (atom.kind == AtomKind::symbol || atom.kind == AtomKind::value) return f(atom);
  const std::int64_t left = atom.left.evaluate(f), right = atom.right.evaluate(f);
  switch (atom.kind) {
    case AtomKind::floor_div: return right == 0 ? 0 : floor_quotient(left, right);
    case AtomKind::mod: return right == 0 ? 0 : floor_remainder(left, right);
    case AtomKind::min: return std::min(left, right);
    default: return std::max(left, right);
  }
}

void collect_atoms(const Dim& d, AtomList& found) {
  for (const Term& term : d.terms()) {
    for (const AtomRef& atom : term.atoms) {
      if (atom->kind == AtomKind::symbol || atom->kind == AtomKind::value) {
        found.push_back(atom);
      } else {
        collect_atoms(atom->left, found);
        collect_atoms(atom->right, found);
      }
    }
  }
}

}  // namespace

Atom::Atom() : kind(AtomKind::symbol) {}
Atom::~Atom() = default;

bool operator==(const Atom& a, const Atom& b) { return a.hash == b.hash && order(a, b) == 0; }

Dim Dim::symbol(std::string name) {
  return symbol(next_symbol.fetch_add(1, std::memory_order_relaxed), std::move(name));
}

Dim Dim::symbol(std::uint64_t number, std::string name) {
  auto atom = std::make_shared<Atom>();
  atom->number = number;
  atom->name = std::move(name);
  atom->hash = mix_hash(static_cast<std::size_t>(AtomKind::symbol), number);
  return make_dim(std::move(atom));
}

Dim Dim::value(const Value& scalar) {
  if (!scalar) throw TypeError("dimension: expected an int64 scalar, found none");
  if (scalar.dtype() != DType::int64 || scalar.rank() != 0)
    throw TypeError("dimension: expected an int64 scalar, found " + describe(scalar));
  int budget = 64;
  return see_through(scalar, budget);
}

std::int64_t Dim::constant() const {
  if (terms_) throw InternalError("dimension: expected a constant, found " + text());
  return constant_;
}

AtomRef Dim::atom() const {
  if (!terms_ || constant_ != 0 || terms_->size() != 1) return nullptr;
  const Term& term = terms_->front();
  return term.coefficient == 1 && term.atoms.size() == 1 ? term.atoms[0] : nullptr;
}

const std::vector<Term>& Dim::terms() const {
  static const std::vector<Term> none;
  return terms_ ? *terms_ : none;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  return add_scaled(a, b, 1);
}

Dim operator-(const Dim& a, const Dim& b) { return b.is(0) ? a : add_scaled(a, b, -1); }

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_constant()) return scale(b, a.constant());
  if (b.is_constant()) return scale(a, b.constant());
  constexpr std::size_t most_terms = 1 << 16, most_factors = 256;  // so that memory lasts
  const std::vector<Term> left = all_terms(a), right = all_terms(b);
  if (left.size() * right.size() > most_terms ||
      left[0].atoms.size() + right[0].atoms.size() > most_factors)
    throw ValueError("dimension: the extent is a product of too many terms");
  std::vector<Term> products;
  for (const Term& x : left) {
    for (const Term& y : right) {
      Term product;
      product.coefficient = multiply_checked(x.coefficient, y.coefficient);
      product.atoms.resize(x.atoms.size() + y.atoms.size());
      std::merge(x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(),
                 product.atoms.begin(), atom_less);
      products.push_back(std::move(product));
    }
  }
  return normalize(std::move(products));
}

Dim floor_div(const Dim& a, const Dim& b) {
  if (b.is_constant()) return floor_div_constant(a, b.constant());
  if (const auto quotient = exact_quotient(a, b)) return *quotient;
  if (const std::vector<Term> divisor = all_terms(b); divisor.size() == 1) {
    std::vector<Term> quotient, rest;
    for (const Term& term : all_terms(a)) {
      if (const auto q = exact_quotient(term, divisor[0])) {
        quotient.push_back(*q);
      } else {
        rest.push_back(term);
      }
    }
    if (!quotient.empty())
      return normalize(std::move(quotient)) +
             make_pair(AtomKind::floor_div, normalize(std::move(rest)), b);
  }
  return make_pair(AtomKind::floor_div, a, b);
}

Dim mod(const Dim& a, const Dim& b) {
  if (b.is_constant()) return mod_constant(a, b.constant());
  if (exact_quotient(a, b)) return 0;
  return make_pair(AtomKind::mod, a, b);
}

Dim min(const Dim& a, const Dim& b) { return extremum(AtomKind::min, a, b); }
Dim max(const Dim& a, const Dim& b) { return extremum(AtomKind::max, a, b); }

bool operator==(const Dim& a, const Dim& b) {
  if (a.constant_ != b.constant_) return false;
  if (a.terms_ == b.terms_) return true;
  if (!a.terms_ || !b.terms_ || a.terms_->size() != b.terms_->size()) return false;
  return std::equal(a.terms_->begin(), a.terms_->end(), b.terms_->begin(),
                    [](const Term& x, const Term& y) {
                      return x.coefficient == y.coefficient && order(x.atoms, y.atoms) == 0;
                    });
}

std::size_t Dim::hash() const {
  std::size_t h = mix_hash(0, static_cast<std::size_t>(constant_));
  for (const Term& term : terms()) {
    h = mix_hash(h, static_cast<std::size_t>(term.coefficient));
    for (const AtomRef& atom : term.atoms) h = mix_hash(h, atom->hash);
  }
  return h;
}

Dim sum_of(std::span<const Dim> parts) {
  if (parts.size() <= few) {
    Dim sum;
    for (const Dim& part : parts) sum = sum + part;
    return sum;
  }
  std::vector<Term> terms;
  std::int64_t constant = 0;
  for (const Dim& part : parts) {
    terms.insert(terms.end(), part.terms().begin(), part.terms().end());
    constant = add_checked(constant, part.constant_term());
  }
  return normalize(std::move(terms)) + constant;
}

Dim Dim::substitute(const std::function<Dim(const Atom&)>& f) const {
  const auto image = [&f](const Term& term) {
    Dim product = term.coefficient;
    for (const AtomRef& atom : term.atoms) product = product * substitute_atom(atom, f);
    return product;
  };
  if (terms().size() > few) {
    std::vector<Dim> parts{Dim(constant_)};
    for (const Term& term : terms()) parts.push_back(image(term));
    return sum_of(parts);
  }
  Dim sum = constant_;
  for (const Term& term : terms()) sum = sum + image(term);
  return sum;
}

std::int64_t Dim::evaluate(const std::function<std::int64_t(const Atom&)>& f) const {
  std::int64_t sum = constant_;
  for (const Term& term : terms()) {
    std::int64_t product = term.coefficient;
    for (const AtomRef& atom : term.atoms)
      product = multiply_checked(product, evaluate_atom(*atom, f));
    sum = add_checked(sum, product);
  }
  return sum;
}

bool Dim::has_values() const {
  if (is_constant()) return false;
  bool found = false;
  for_each_atom([&](const AtomRef& atom) { found |= atom->kind == AtomKind::value; });
  return found;
}

void Dim::for_each_atom(const std::function<void(const AtomRef&)>& f) const {
  AtomList found;
  collect_atoms(*this, found);
  std::sort(found.begin(), found.end(), atom_less);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (i == 0 || !(*found[i - 1] == *found[i])) f(found[i]);
}

}  // namespace gnomon
