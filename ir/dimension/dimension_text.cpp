// Texts of dimensions.
#include <fmt/format.h>

#include "ir/dimension/dimension.h"
#include "ir/graph/expr.h"

namespace gnomon {

namespace {

std::string atom_text(const Atom& atom, const std::function<std::string(const Atom&)>& name) {
  const auto grouped = [&](const Dim& d) {
    const std::string text = d.text(name);
    const bool one =
        d.is_constant() || (d.constant_term() == 0 && d.terms().size() == 1 &&
                            d.terms()[0].atoms.size() == 1 && d.terms()[0].coefficient == 1);
    return one ? text : '(' + text + ')';
  };
  switch (atom.kind) {
    case Atom::Kind::symbol:
    case Atom::Kind::value: return name(atom);
    case Atom::Kind::floor_div:
      return fmt::format("floor({} / {})", grouped(atom.left), grouped(atom.right));
    case Atom::Kind::mod:
      return fmt::format("mod({}, {})", atom.left.text(name), atom.right.text(name));
    case Atom::Kind::min:
      return fmt::format("min({}, {})", atom.left.text(name), atom.right.text(name));
    case Atom::Kind::max:
      return fmt::format("max({}, {})", atom.left.text(name), atom.right.text(name));
  }
  return {};
}

}  // namespace

std::string Dim::text() const {
  return text([](const Atom& atom) {
    if (atom.kind == Atom::Kind::symbol) return atom.name;
    // "count: i64" without its type.
    const std::string described = describe(*atom.scalar);
    return described.substr(0, described.rfind(':'));
  });
}

std::string Dim::text(const std::function<std::string(const Atom&)>& name) const {
  if (!terms_) return fmt::format("{}", constant_);
  std::string out;
  for (const Term& term : *terms_) {
    const bool negative = term.coefficient < 0;
    if (!out.empty()) {
      out += negative ? " - " : " + ";
    } else if (negative) {
      out += '-';
    }
    const std::uint64_t size = negative ? 0 - static_cast<std::uint64_t>(term.coefficient)
                                        : static_cast<std::uint64_t>(term.coefficient);
    if (size != 1) out += fmt::format("{}*", size);
    for (std::size_t i = 0; i < term.atoms.size(); ++i) {
      if (i != 0) out += '*';
      out += atom_text(*term.atoms[i], name);
    }
  }
  if (constant_ > 0) out += fmt::format(" + {}", constant_);
  if (constant_ < 0) out += fmt::format(" - {}", 0 - static_cast<std::uint64_t>(constant_));
  return out;
}

}  // namespace gnomon
