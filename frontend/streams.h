// What streams show of expressions, arrays and functions.
#pragma once

#include <concepts>
#include <ostream>

#include "frontend/function.h"

namespace gnomon {

std::ostream& show(std::ostream& out, const Expr& e);
std::ostream& show(std::ostream& out, const Array& a);

/// As mathematics: "exp(x) * 2".
template <std::derived_from<Expr> E>
std::ostream& operator<<(std::ostream& out, const E& e) {
  return show(out, static_cast<const Expr&>(e));
}
/// The elements: "[1. 2.]". Of arrays alone: numbers are shown as streams show them.
template <std::same_as<Array> A>
std::ostream& operator<<(std::ostream& out, const A& a) {
  return show(out, a);
}
/// What it takes and gives: "x: f64[n] -> f64[n]".
std::ostream& operator<<(std::ostream& out, const Function& f);
/// Each on a line of its own.
std::ostream& operator<<(std::ostream& out, const Results& results);
/// An extent "2*n", a type "f32[n, 3]", the name of a dtype.
template <std::same_as<Dim> D>
std::ostream& operator<<(std::ostream& out, const D& d) {
  return out << d.text();
}
std::ostream& operator<<(std::ostream& out, const Type& t);
std::ostream& operator<<(std::ostream& out, DType t);

}  // namespace gnomon
