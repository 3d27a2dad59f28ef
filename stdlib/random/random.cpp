// States, draws, and the distributions all others are made of.
#include "stdlib/random/random.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/random/random_draw.h"
#include "stdlib/type_rules.h"

namespace gnomon::random {

namespace {

// The highest byte of a position: the part of a draw, or what else is taken from a state.
constexpr int first_bit_of_part = 56;
constexpr std::uint64_t split_part = 255, fold_part = 254;

Expr word(std::uint64_t v) { return Expr(Array(v)); }

void check_state(std::string_view name, const Expr& state) {
  const bool is_words = state.defined() && state.dtype() == DType::uint64;
  if (is_words && state.rank() == 1 && (state.shape()[0].is(2) || !state.shape()[0].is_constant()))
    return;
  const std::string text =
      fmt::format("{}: expected a state (uint64[2]: key and counter), found {}", name,
                  state.defined() ? describe(state.value()) : "none");
  if (!is_words) throw TypeError(text);
  throw ValueError(text);
}

Expr key_of(const Expr& state) { return index(state, std::array{Index(0)}); }
Expr counter_of(const Expr& state) { return index(state, std::array{Index(1)}); }

// The keys of positions, which no draw uses.
Expr derived_keys(const Expr& state, const Expr& positions, std::uint64_t part) {
  return philox64(key_of(state), counter_of(state), positions + word(part << first_bit_of_part));
}

}  // namespace

Expr state(const Arg& seed) {
  const CallScope call("state", seed.origin());
  const Expr key = cast(seed, DType::uint64);
  if (key.rank() != 0)
    throw ValueError("random: expected one integer as seed, found " + describe(key.value()));
  return stack({key, word(0)});
}

Expr split(const Arg& given, const Dim& count) {
  const CallScope call("split", given.origin());
  const Expr state(given.value());
  check_state("split", state);
  const Expr keys = derived_keys(state, cast(arange(count), DType::uint64), split_part);
  return stack({keys, zeros_like(keys)}, 1);
}

Expr fold_in(const Expr& state, const Arg& data) {
  const CallScope call("fold_in", data.origin());
  check_state("fold_in", state);
  const Expr position = cast(data, DType::uint64);
  if (position.rank() != 0)
    throw ValueError("fold_in: expected one integer, found " + describe(position.value()));
  // All 64 bits count: the low ones choose the position, the high ones a key of their own.
  const Expr low = bitwise_and(position, word(0xffffffffu));
  const Expr high = right_shift(position, word(32));
  const Expr first = derived_keys(state, low, fold_part);
  const Expr key = philox64(first, counter_of(state), high + word(fold_part << first_bit_of_part));
  return stack({key, word(0)});
}

Expr advance(const Expr& state, const Arg& draws) {
  const CallScope call("advance", draws.origin());
  check_state("advance", state);
  return stack({key_of(state), counter_of(state) + cast(draws, DType::uint64)});
}

// ------------------------------------------------------------------------------------------- draws

Draw::Draw(std::string_view name, const Expr& state, const Shape& shape)
    : name_(name), shape_(shape) {
  check_state(name, state);
  key_ = key_of(state);
  counter_ = counter_of(state);
}

DType Draw::float_dtype(DType t) const {
  if (t != DType::float32 && t != DType::float64)
    throw TypeError(fmt::format("{}: expected float32 or float64, found {}", name_, name_of(t)));
  return t;
}

DType Draw::integer_dtype(DType t) {
  is_discrete_ = true;
  if (!is_integer(t))
    throw TypeError(fmt::format("{}: expected an integer dtype, found {}", name_, name_of(t)));
  return t;
}

Expr Draw::parameter(const Arg& x, std::string_view name, DType t) {
  const Expr given = x.is_weak() ? Expr(x.as(t)) : Expr(x.value());
  if (given.rank() > static_cast<int>(shape_.size()))
    throw ValueError(fmt::format("{}: expected {} to broadcast to {}, found {}", name_, name,
                                 text(shape_), describe(given.value())));
  const std::size_t skip = shape_.size() - given.shape().size();
  for (std::size_t i = 0; i < given.shape().size(); ++i) {
    const Dim &from = given.shape()[i], &to = shape_[skip + i];
    if (from.is_constant() && to.is_constant() && !from.is(1) && !(from == to))
      throw ValueError(fmt::format("{}: expected {} to broadcast to {}, found {}", name_, name,
                                   text(shape_), describe(given.value())));
  }
  return cast(given, t);
}

void Draw::require(const Expr& condition, const std::string& message, std::optional<double> known) {
  if (known && !(std::isnan(*known) && !is_discrete_))
    throw ValueError(fmt::format("{}: {}, found {}", name_, message, *known));
  if (known) return;
  // At the key: one number, so what the parameters are made of is not stored for the check.
  key_ = check(key_, condition, fmt::format("{}: {}", name_, message));
}

Expr Draw::checked(const Expr& state) const { return stack({key_, counter_of(state)}); }

void Draw::non_negative(const Expr& x, std::string_view name) {
  const auto known = constant_value(x);
  if (known && *known >= 0) return;
  require(is_discrete_ ? greater_equal(x, 0) : logical_not(x < 0),
          fmt::format("expected {} of at least 0", name), known);
}

void Draw::positive(const Expr& x, std::string_view name) {
  const auto known = constant_value(x);
  if (known && *known > 0) return;
  require(is_discrete_ ? greater(x, 0) : logical_not(x <= 0),
          fmt::format("expected {} above 0", name), known);
}

void Draw::probability(const Expr& x, std::string_view name) {
  const std::string message = fmt::format("expected {} between 0 and 1", name);
  if (const auto known = constant_value(x)) {
    if (!(*known >= 0 && *known <= 1))
      throw ValueError(fmt::format("{}: {}, found {}", name_, message, *known));
    return;
  }
  require(logical_and(greater_equal(x, 0), less_equal(x, 1)), message);
}

Expr ParametricDraw::not_negative(const Arg& x, std::string_view name) {
  const Expr p = any(x, name);
  non_negative(p, name);
  return p;
}

Expr ParametricDraw::above_zero(const Arg& x, std::string_view name) {
  const Expr p = any(x, name);
  positive(p, name);
  return p;
}

Expr ParametricDraw::in_unit(const Arg& x, std::string_view name) {
  const Expr p = any(x, name);
  probability(p, name);
  return p;
}

Expr Draw::positions(int part) {
  const std::uint64_t first = static_cast<std::uint64_t>(part) << first_bit_of_part;
  if (shape_.empty()) return word(first);
  const Expr all = cast(arange(element_count(shape_)), DType::uint64);
  return part == 0 ? all : all + word(first);
}

Expr Draw::words(const Op& op, int part) {
  return gnomon::apply(op, {key_, counter_, positions(part)});
}

Expr Draw::bits64(int part) {
  const Expr flat = words(op::philox64, part);
  return shape_.size() < 2 ? flat : reshape(flat, shape_);
}

Expr Draw::bits32(int part) {
  const Expr flat = cast(words(op::philox32, part), DType::uint32);
  return shape_.size() < 2 ? flat : reshape(flat, shape_);
}

namespace {

// (the bits without the last `dropped` + offset) * 2^-(bits left)
Expr fraction(const Expr& bits, int dropped, double offset, DType t) {
  const bool wide = t == DType::float64;
  const Expr shifted = right_shift(bits, constant(std::int64_t{dropped}, bits.dtype()));
  const Expr whole = cast(cast(shifted, wide ? DType::int64 : DType::int32), t);
  const double unit = std::ldexp(1.0, dropped - (wide ? 64 : 32));
  return (offset == 0 ? whole : whole + constant(offset, t)) * constant(unit, t);
}

}  // namespace

Expr Draw::unit(DType t, int part) {
  return t == DType::float64 ? fraction(bits64(part), 11, 0, t) : fraction(bits32(part), 8, 0, t);
}

Expr Draw::open_unit(DType t, int part) {
  return t == DType::float64 ? fraction(bits64(part), 12, 0.5, t)
                             : fraction(bits32(part), 9, 0.5, t);
}

Expr Draw::tail_unit(DType t, int part) {
  return fraction(t == DType::float64 ? bits64(part) : bits32(part), 1, 0.5, t);
}

Expr Draw::standard_normal(DType t, int part) {
  const Expr bits = t == DType::float64 ? bits64(part) : bits32(part);
  const Expr size = erfcinv(fraction(bits, 1, 0.5, t)) * constant(std::numbers::sqrt2, t);
  const Expr one = constant(std::int64_t{1}, bits.dtype());
  return barrier(where(equal(bitwise_and(bits, one), one), size, -size));
}

Expr Draw::standard_exponential(DType t, int part) { return barrier(-log(tail_unit(t, part))); }

Expr Draw::tried(const Op& op, std::initializer_list<Expr> parameters, int part) {
  Expr at = positions(part);
  if (shape_.size() > 1) at = reshape(at, shape_);
  std::vector<Arg> operands = {key_, counter_, at};
  for (const Expr& p : parameters) operands.emplace_back(p);
  return gnomon::apply(op, std::span<const Arg>(operands));
}

Draw::Gamma Draw::gamma_parts(const Expr& a, int part) {
  const Expr shape = cast(a, DType::float64);
  const Expr is_small = less(shape, 1);
  const Expr boosted = tried(op::random_gamma, {where(is_small, shape + 1, shape)}, part);
  return {is_small, boosted, standard_exponential(DType::float64, part + 1) / shape};
}

Expr Draw::gamma(const Expr& a, int part) {
  const Gamma g = gamma_parts(a, part);
  return where(g.is_small, g.boosted * exp(-g.exponent), g.boosted);
}

Expr Draw::log_gamma(const Expr& a, int part) {
  const Gamma g = gamma_parts(a, part);
  return where(g.is_small, log(g.boosted) - g.exponent, log(g.boosted));
}

Expr located(const Expr& x, const Expr& loc, const Expr& scale) {
  const auto known_loc = constant_value(loc), known_scale = constant_value(scale);
  if (known_loc && known_scale && *known_loc == 0 && *known_scale == 1) return x;
  return fma(scale, x, loc);
}

// ----------------------------------------------------------------------------------- distributions

Expr bits(const Arg& state, const Shape& shape, DType dtype) {
  const CallScope call("bits", state.origin());
  Draw draw("bits", Expr(state.value()), shape);
  if (dtype == DType::uint64) return draw.bits64();
  if (dtype == DType::uint32) return draw.bits32();
  throw TypeError(fmt::format("bits: expected uint32 or uint64, found {}", name_of(dtype)));
}

Expr integers(const Expr& state, const Shape& shape, const Arg& low, const Arg& high, DType dtype,
              bool closed) {
  const CallScope call("integers", low.origin());
  Draw draw("integers", state, shape);
  const DType wide = draw.integer_dtype(dtype) == DType::uint64 ? DType::uint64 : DType::int64;
  const Expr from = draw.parameter(low, "low", wide), to = draw.parameter(high, "high", wide);
  if (closed)
    draw.require(less_equal(from, to), "expected low <= high");
  else
    draw.require(less(from, to), "expected low < high");
  Expr range = cast(to, DType::uint64) - cast(from, DType::uint64);
  if (closed) range = range + word(1);  // 0 for all of them
  const Expr x = draw.tried(op::random_below, {range});
  return cast(cast(x, wide) + from, dtype);
}

Expr uniform(const Expr& state, const Shape& shape, const Arg& low, const Arg& high, DType dtype) {
  const CallScope call("uniform", low.origin());
  Draw draw("uniform", state, shape);
  const DType t = draw.float_dtype(dtype);
  const Expr from = draw.parameter(low, "low", t), to = draw.parameter(high, "high", t);
  const auto known_from = constant_value(from), known_to = constant_value(to);
  if (known_from && known_to)
    return located(draw.unit(t), from, constant(*known_to - *known_from, t));
  return located(draw.unit(t), from, to - from);
}

Expr normal(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale, DType dtype) {
  const CallScope call("normal", loc.origin());
  Draw draw("normal", state, shape);
  const DType t = draw.float_dtype(dtype);
  const Expr center = draw.parameter(loc, "loc", t), width = draw.parameter(scale, "scale", t);
  draw.non_negative(width, "a scale");
  return located(draw.standard_normal(t), center, width);
}

}  // namespace gnomon::random
