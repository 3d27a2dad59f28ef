// The functions and operators of patterns: those of expressions, by the same names.
#pragma once

#include <concepts>

#include "ir/op/pattern.h"
#include "stdlib/ops.h"

namespace gnomon {

template <std::derived_from<Pattern> X>
inline constexpr bool has_own_operators<X> = true;

// Of patterns, of which one is among the operands: a number alone is an expression.
template <class... X>
concept ArePatterns =
    (std::derived_from<X, Pattern> || ...) && (std::convertible_to<const X&, Pattern> && ...);
#define GNOMON_UNARY(name)              \
  template <class X>                    \
    requires ArePatterns<X>             \
  Pattern name(const X& x) {            \
    return make_pattern(op::name, {x}); \
  }
#define GNOMON_BINARY(name)                \
  template <class X, class Y>              \
    requires ArePatterns<X, Y>             \
  Pattern name(const X& x, const Y& y) {   \
    return make_pattern(op::name, {x, y}); \
  }
#define GNOMON_TERNARY(name)                         \
  template <class X, class Y, class Z>               \
    requires ArePatterns<X, Y, Z>                    \
  Pattern name(const X& x, const Y& y, const Z& z) { \
    return make_pattern(op::name, {x, y, z});        \
  }
GNOMON_UNARY_OPS(GNOMON_UNARY)
GNOMON_BINARY_OPS(GNOMON_BINARY)
GNOMON_BINARY(add)
GNOMON_BINARY(multiply)
GNOMON_TERNARY_OPS(GNOMON_TERNARY)
#undef GNOMON_UNARY
#undef GNOMON_BINARY
#undef GNOMON_TERNARY

#define GNOMON_OPERATOR(symbol, name) \
  inline Pattern operator symbol(const Pattern& x, const Pattern& y) { return name(x, y); }
GNOMON_OPERATOR(+, add)
GNOMON_OPERATOR(-, subtract)
GNOMON_OPERATOR(*, multiply)
GNOMON_OPERATOR(/, divide)
GNOMON_OPERATOR(%, remainder)
GNOMON_OPERATOR(&, bitwise_and)
GNOMON_OPERATOR(|, bitwise_or)
GNOMON_OPERATOR(^, bitwise_xor)
GNOMON_OPERATOR(<, less)
GNOMON_OPERATOR(<=, less_equal)
GNOMON_OPERATOR(>, greater)
GNOMON_OPERATOR(>=, greater_equal)
GNOMON_OPERATOR(==, equal)
GNOMON_OPERATOR(!=, not_equal)
GNOMON_OPERATOR(&&, logical_and)
GNOMON_OPERATOR(||, logical_or)
#undef GNOMON_OPERATOR
inline Pattern operator-(const Pattern& x) { return negative(x); }
inline Pattern operator!(const Pattern& x) { return logical_not(x); }

}  // namespace gnomon
