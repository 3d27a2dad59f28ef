// The special cases of the Python array API standard, 2024.12, in compiled code (vectors of lanes
// and single numbers) and in the reference evaluator.
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/compiled_support.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double invalid = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = std::numbers::pi;

/// Numbers a row is about.
using Numbers = std::vector<double>;

Numbers operator+(Numbers a, const Numbers& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Numbers operator-(Numbers a) {
  for (double& x : a) x = -x;
  return a;
}

/// What must come out: a number, the same for all, or a function of the operands.
struct Wanted {
  Wanted(double v) : value([v](double, double) { return v; }) {}
  template <class F>
    requires std::invocable<F, double, double>
  Wanted(F f) : value(std::move(f)) {}
  std::function<double(double, double)> value;
};

/// A line of the standard; unary operations have no second list.
struct StandardRow {
  const Op* op;
  Numbers first, second;
  Wanted wanted;
};

const Wanted first([](double x, double) { return x; });
const Wanted second([](double, double y) { return y; });
const Numbers zero = {0.0}, minus_zero = {-0.0}, both_zeros = {0.0, -0.0};
const Numbers plus_inf = {infinite}, minus_inf = {-infinite}, infs = {infinite, -infinite};
const Numbers not_number = {invalid, std::copysign(invalid, -1)};
const Numbers odd = {1, 3, 5, 101}, even = {2, 4, 100, 0x1p40}, broken = {0.25, 0.5, 1.5, 2.5};

/// The sets of numbers the standard speaks of, their edges those of T.
template <class T>
struct Sets {
  using Limits = std::numeric_limits<T>;
  const Numbers below_one = {Limits::denorm_min(), Limits::min(), 0.25, 0.5};
  const Numbers above_one = odd + even + Numbers{1.5, 2.5, Limits::max()};
  const Numbers positive = below_one + above_one;
  const Numbers negative = -positive;
  const Numbers nonzero = positive + negative;
  const Numbers finite = nonzero + both_zeros;
  const Numbers up = positive + plus_inf, down = negative + minus_inf;
  const Numbers numbers = finite + infs;
  const Numbers all = numbers + not_number;
};

template <class T>
std::vector<StandardRow> unary_rows() {
  const Sets<T> s;
  std::vector<StandardRow> rows;
  const auto add = [&](const Op& op, const Numbers& x, Wanted y) {
    rows.push_back({&op, x, {}, std::move(y)});
  };
  for (const Op* op :
       {&op::absolute, &op::arccos,     &op::arccosh, &op::arcsin, &op::arcsinh, &op::arctan,
        &op::arctanh,  &op::ceil,       &op::cos,     &op::cosh,   &op::exp,     &op::exp2,
        &op::expm1,    &op::floor,      &op::log,     &op::log10,  &op::log1p,   &op::log2,
        &op::negative, &op::reciprocal, &op::round,   &op::rsqrt,  &op::sign,    &op::sin,
        &op::sinh,     &op::sqrt,       &op::square,  &op::tan,    &op::tanh,    &op::trunc})
    add(*op, not_number, invalid);
  for (const Op* op :
       {&op::arcsin, &op::arcsinh, &op::arctan, &op::arctanh, &op::ceil, &op::expm1, &op::floor,
        &op::log1p, &op::round, &op::sin, &op::sinh, &op::sqrt, &op::tan, &op::tanh, &op::trunc})
    add(*op, both_zeros, first);
  for (const Op* op : {&op::arcsinh, &op::ceil, &op::floor, &op::round, &op::sinh, &op::trunc})
    add(*op, infs, first);
  for (const Op* op : {&op::cos, &op::cosh, &op::exp, &op::exp2}) add(*op, both_zeros, 1);
  for (const Op* op : {&op::cos, &op::sin, &op::tan}) add(*op, infs, invalid);
  for (const Op* op : {&op::arccos, &op::arcsin, &op::arctanh})
    add(*op, Numbers{1.5, -1.5} + infs, invalid);
  for (const Op* op : {&op::exp, &op::exp2, &op::expm1, &op::log, &op::log10, &op::log1p, &op::log2,
                       &op::arccosh, &op::sqrt})
    add(*op, plus_inf, infinite);
  for (const Op* op : {&op::log, &op::log10, &op::log2}) {
    add(*op, both_zeros, -infinite);
    add(*op, s.down, invalid);
    add(*op, {1}, 0.0);
  }
  for (const Op* op : {&op::ceil, &op::floor, &op::round, &op::trunc})
    add(*op, odd + even + -odd + -even, first);
  add(op::absolute, both_zeros, 0.0);
  add(op::absolute, infs, infinite);
  add(op::arccos, {1}, 0.0);
  add(op::arccosh, {1}, 0.0);
  add(op::arccosh, s.below_one + both_zeros + s.down, invalid);
  add(op::arctan, plus_inf, pi / 2);
  add(op::arctan, minus_inf, -pi / 2);
  add(op::arctanh, {1}, infinite);
  add(op::arctanh, {-1}, -infinite);
  add(op::ceil, {-0.5, -0.25}, -0.0);
  add(op::cosh, infs, infinite);
  add(op::exp, minus_inf, 0.0);
  add(op::exp2, minus_inf, 0.0);
  add(op::expm1, minus_inf, -1);
  add(op::floor, {0.5, 0.25}, 0.0);
  add(op::log1p, {-1}, -infinite);
  add(op::log1p, Numbers{-1.5, -2} + minus_inf, invalid);
  add(op::negative, both_zeros + infs, [](double x, double) { return -x; });
  add(op::reciprocal, both_zeros + infs + s.nonzero,
      [](double x, double) { return static_cast<double>(T(1) / static_cast<T>(x)); });
  add(op::round, {0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 0.25, -0.25},
      [](double x, double) { return std::nearbyint(x); });
  add(op::rsqrt, both_zeros, [](double x, double) { return 1 / x; });
  add(op::rsqrt, plus_inf, 0.0);
  add(op::sign, both_zeros, 0.0);
  add(op::sign, s.up, 1);
  add(op::sign, s.down, -1);
  add(op::sqrt, s.down, invalid);
  add(op::square, both_zeros, 0.0);
  add(op::square, infs, infinite);
  add(op::tanh, plus_inf, 1);
  add(op::tanh, minus_inf, -1);
  add(op::trunc, {-0.5, -0.25}, -0.0);
  add(op::isfinite, s.finite, 1);
  add(op::isfinite, infs + not_number, 0);
  add(op::isinf, infs, 1);
  add(op::isinf, s.finite + not_number, 0);
  add(op::isnan, not_number, 1);
  add(op::isnan, s.numbers, 0);
  add(op::signbit, s.all, [](double x, double) { return std::signbit(x); });
  add(op::logical_not, both_zeros, 1);
  add(op::logical_not, s.nonzero + infs + not_number, 0);
  return rows;
}

template <class T>
std::vector<StandardRow> arithmetic_rows() {
  const Sets<T> s;
  const auto divided = [](double x, double y) { return static_cast<T>(x) / static_cast<T>(y); };
  const auto signs = [](double x, double y) {
    return std::copysign(infinite, std::signbit(x) == std::signbit(y) ? 1 : -1);
  };
  const auto no_sum = [](double x, double y) { return x == y ? x : invalid; };
  std::vector<StandardRow> rows;
  for (const Op* op :
       {&op::add, &op::subtract, &op::multiply, &op::divide, &op::floor_divide, &op::remainder,
        &op::minimum, &op::maximum, &op::arctan2, &op::logaddexp, &op::nextafter}) {
    rows.push_back({op, not_number, s.all, invalid});
    rows.push_back({op, s.all, not_number, invalid});
  }
  const std::vector<StandardRow> more = {
      {&op::add, infs, infs, no_sum},
      {&op::add, infs, s.finite, first},
      {&op::add, s.finite, infs, second},
      {&op::add, minus_zero, minus_zero, -0.0},
      {&op::add, zero, both_zeros, 0.0},
      {&op::add, both_zeros, zero, 0.0},
      {&op::add, both_zeros, s.nonzero, second},
      {&op::add, s.nonzero, both_zeros, first},
      {&op::subtract, infs, infs, [&](double x, double y) { return x == -y ? x : invalid; }},
      {&op::subtract, infs, s.finite, first},
      {&op::subtract, zero, both_zeros, 0.0},
      {&op::subtract, minus_zero, zero, -0.0},
      {&op::subtract, minus_zero, minus_zero, 0.0},
      {&op::multiply, infs, both_zeros, invalid},
      {&op::multiply, both_zeros, infs, invalid},
      {&op::multiply, infs, infs + s.nonzero, signs},
      {&op::multiply, s.nonzero, infs, signs},
      {&op::multiply, both_zeros, s.finite,
       [](double x, double y) {
         return x * (y < 0 ? -1 : y > 0 ? 1 : y);
       }},
      {&op::divide, infs, infs, invalid},
      {&op::divide, both_zeros, both_zeros, invalid},
      {&op::divide, both_zeros, s.nonzero + infs, divided},
      {&op::divide, s.nonzero + infs, both_zeros, signs},
      {&op::divide, infs, s.nonzero, signs},
      {&op::divide, s.finite, infs, divided},
      {&op::floor_divide, infs, infs, invalid},
      {&op::floor_divide, both_zeros, both_zeros, invalid},
      {&op::floor_divide, both_zeros, s.nonzero + infs, divided},
      {&op::floor_divide, s.nonzero + infs, both_zeros, signs},
      // As Python and NumPy: x = (x // y) * y + x % y. The standard allows it.
      {&op::floor_divide, infs, s.nonzero, invalid},
      {&op::floor_divide, s.positive, plus_inf, 0.0},
      {&op::floor_divide, s.negative, minus_inf, 0.0},
      {&op::floor_divide, s.positive, minus_inf, -1},
      {&op::floor_divide, s.negative, plus_inf, -1},
      {&op::remainder, infs, infs + s.finite, invalid},
      {&op::remainder, s.numbers, both_zeros, invalid},
      {&op::remainder, both_zeros, s.up, 0.0},
      {&op::remainder, both_zeros, s.down, -0.0},
      {&op::remainder, s.positive, plus_inf, first},
      {&op::remainder, s.positive, minus_inf, second},
      {&op::remainder, s.negative, plus_inf, second},
      {&op::remainder, s.negative, minus_inf, first},
      {&op::minimum, s.numbers, plus_inf, first},
      {&op::minimum, s.numbers, minus_inf, second},
      {&op::maximum, s.numbers, minus_inf, first},
      {&op::maximum, s.numbers, plus_inf, second},
      {&op::minimum, s.positive, s.negative, second},
      {&op::maximum, s.positive, s.negative, first},
  };
  rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

template <class T>
std::vector<StandardRow> function_rows() {
  const Sets<T> s;
  const auto with_sign = [](double size) {
    return [size](double y, double) { return std::copysign(size, y); };
  };
  const Numbers whole = odd + even, big = s.above_one + plus_inf;
  Numbers larger;
  for (const double x : s.above_one)
    if (x != 1) larger.push_back(x);
  const Numbers not_one = s.below_one + larger + s.negative + both_zeros + infs;
  return {
      {&op::power, not_one + not_number, not_number, invalid},
      {&op::power, {1}, s.all, 1},
      {&op::power, s.all, both_zeros, 1},
      {&op::power, not_number, s.nonzero + infs, invalid},
      {&op::power, larger + -larger + infs, plus_inf, infinite},
      {&op::power, larger + -larger + infs, minus_inf, 0.0},
      {&op::power, {1, -1}, infs, 1},
      {&op::power, s.below_one + -s.below_one + both_zeros, plus_inf, 0.0},
      {&op::power, s.below_one + -s.below_one + both_zeros, minus_inf, infinite},
      {&op::power, plus_inf, s.up, infinite},
      {&op::power, plus_inf, s.down, 0.0},
      {&op::power, minus_inf, odd, -infinite},
      {&op::power, minus_inf, even + broken, infinite},
      {&op::power, minus_inf, -odd, -0.0},
      {&op::power, minus_inf, -even + -broken, 0.0},
      {&op::power, zero, s.up, 0.0},
      {&op::power, zero, s.down, infinite},
      {&op::power, minus_zero, odd, -0.0},
      {&op::power, minus_zero, even + broken, 0.0},
      {&op::power, minus_zero, -odd, -infinite},
      {&op::power, minus_zero, -even + -broken, infinite},
      {&op::power, s.negative, broken + -broken, invalid},
      {&op::arctan2, s.up, both_zeros, pi / 2},
      {&op::arctan2, s.down, both_zeros, -pi / 2},
      {&op::arctan2, both_zeros, zero + s.up, first},
      {&op::arctan2, both_zeros, minus_zero + s.down, with_sign(pi)},
      {&op::arctan2, s.nonzero, plus_inf, with_sign(0)},
      {&op::arctan2, s.nonzero, minus_inf, with_sign(pi)},
      {&op::arctan2, infs, s.finite, with_sign(pi / 2)},
      {&op::arctan2, infs, plus_inf, with_sign(pi / 4)},
      {&op::arctan2, infs, minus_inf, with_sign(3 * pi / 4)},
      {&op::hypot, infs, s.all, infinite},
      {&op::hypot, s.all, infs, infinite},
      {&op::hypot, not_number, s.finite + not_number, invalid},
      {&op::hypot, s.finite, not_number, invalid},
      {&op::hypot, both_zeros, s.finite, [](double, double y) { return std::fabs(y); }},
      {&op::hypot, s.finite, both_zeros, [](double x, double) { return std::fabs(x); }},
      {&op::logaddexp, plus_inf, s.numbers, infinite},
      {&op::logaddexp, s.numbers, plus_inf, infinite},
      {&op::logaddexp, minus_inf, minus_inf, -infinite},
      {&op::logaddexp, minus_inf, s.nonzero, second},
      {&op::logaddexp, s.nonzero, minus_inf, first},
      {&op::copysign, s.all, s.all, [](double x, double y) { return std::copysign(x, y); }},
      {&op::nextafter, s.all, s.all,
       [](double x, double y) { return std::nextafter(static_cast<T>(x), static_cast<T>(y)); }},
      {&op::equal, s.all, s.all, [](double x, double y) { return x == y; }},
      {&op::not_equal, s.all, s.all, [](double x, double y) { return x != y; }},
      {&op::less, s.all, s.all, [](double x, double y) { return x < y; }},
      {&op::less_equal, s.all, s.all, [](double x, double y) { return x <= y; }},
      {&op::greater, s.all, s.all, [](double x, double y) { return x > y; }},
      {&op::greater_equal, s.all, s.all, [](double x, double y) { return x >= y; }},
      {&op::logical_and, s.all, s.all, [](double x, double y) { return x && y; }},
      {&op::logical_or, s.all, s.all, [](double x, double y) { return x || y; }},
      {&op::logical_xor, s.all, s.all, [](double x, double y) { return !x != !y; }},
  };
}

/// Equal with the sign of zero; a NaN with its sign where that is the meaning; else to 4 ulp.
template <class T>
bool agrees(const Op& op, double got, double wanted) {
  if (std::isnan(wanted))
    return std::isnan(got) && (&op != &op::copysign || std::signbit(got) == std::signbit(wanted));
  if (got == wanted) return std::signbit(got) == std::signbit(wanted);
  const double gap = 4 * std::numeric_limits<T>::epsilon() * std::fabs(wanted);
  return std::isfinite(wanted) && wanted != 0 &&
         std::fabs(wanted) >= std::numeric_limits<T>::min() && std::fabs(got - wanted) <= gap &&
         &op != &op::nextafter;
}

double element(const Array& a, std::int64_t i) {
  return with_type(a.dtype(), [&]<class E>(E) { return static_cast<double>(a.data<E>()[i]); });
}

/// Every pair of operands of all rows of an op, and what must come of them.
struct Points {
  const Op* op;
  Numbers x, y, wanted;
};

std::vector<Points> points_of(const std::vector<StandardRow>& rows) {
  std::vector<Points> list;
  for (const StandardRow& row : rows) {
    auto at =
        std::find_if(list.begin(), list.end(), [&](const Points& p) { return p.op == row.op; });
    if (at == list.end()) at = list.insert(list.end(), Points{row.op, {}, {}, {}});
    for (const double x : row.first) {
      for (const double y : row.second.empty() ? Numbers{0} : row.second) {
        at->x.push_back(x);
        at->y.push_back(y);
        at->wanted.push_back(row.wanted.value(x, y));
      }
    }
  }
  return list;
}

template <class T>
Array array_of_numbers(const Numbers& list) {
  return Array::from(std::vector<T>(list.begin(), list.end()));
}

template <class T>
void check_points(const Points& p, const Array& got, const std::string& how) {
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    const double value = element(got, static_cast<std::int64_t>(i));
    if (agrees<T>(*p.op, value, p.wanted[i])) continue;
    FAIL_CHECK(p.op->name << " of "
                          << fmt::format("{:a}, {:a}: {:a} in place of {:a}", p.x[i], p.y[i], value,
                                         p.wanted[i])
                          << ", " << name_of(dtype_of<T>) << ", " << how);
  }
}

/// All ops of the list as one function of inputs of a shape.
template <class T>
std::pair<std::vector<Expr>, std::vector<Expr>> expressions(const std::vector<Points>& list,
                                                            const Shape& shape) {
  const Expr x = tensor("x", dtype_of<T>, shape), y = tensor("y", dtype_of<T>, shape);
  std::vector<Expr> results;
  for (const Points& p : list)
    results.push_back(p.op->operands == 1 ? apply(*p.op, {x}) : apply(*p.op, {x, y}));
  return {{x, y}, results};
}

template <class T>
void check_rows(const std::vector<StandardRow>& rows) {
  const std::vector<Points> list = points_of(rows);
  const auto [inputs, results] = expressions<T>(list, {Dim::symbol("n")});
  const auto [numbers, values] = expressions<T>(list, {});
  const Graph graph = capture(inputs, results).graph;
  const Function many = compile(inputs, results);
  const Function one = compile(numbers, values);
  for (std::size_t k = 0; k < list.size(); ++k) {
    const Points& p = list[k];
    const Array arguments[] = {array_of_numbers<T>(p.x), array_of_numbers<T>(p.y)};
    check_points<T>(p, many(arguments)[k], "in lanes");
    check_points<T>(p, evaluate(graph, arguments)[k], "by the reference");
    Points single{p.op, {0}, {0}, {0}};
    for (std::size_t i = 0; i < p.x.size(); ++i) {
      single = {p.op, {p.x[i]}, {p.y[i]}, {p.wanted[i]}};
      check_points<T>(single, one(Array(static_cast<T>(p.x[i])), Array(static_cast<T>(p.y[i])))[k],
                      "as a number");
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("functions of one operand at the special points of the array API", T, float,
                   double) {
  check_rows<T>(unary_rows<T>());
}

TEST_CASE_TEMPLATE("arithmetic at the special points of the array API", T, float, double) {
  check_rows<T>(arithmetic_rows<T>());
}

TEST_CASE_TEMPLATE("functions of two operands at the special points of the array API", T, float,
                   double) {
  check_rows<T>(function_rows<T>());
}

TEST_CASE("clip at the special points of the array API") {
  const Expr x = vector("x"), low = vector("low"), high = vector("high");
  const Function f = compile({x, low, high}, {clip(x, low, high)});
  const auto at = [&](double a, double b, double c) {
    return f(Array::from({a}), Array::from({b}), Array::from({c}))[0].item<double>();
  };
  CHECK(std::isnan(at(invalid, 0, 1)));
  CHECK(std::isnan(at(0.5, invalid, 1)));
  CHECK(std::isnan(at(0.5, 0, invalid)));
  CHECK(at(-infinite, 0, 1) == 0);
  CHECK(at(infinite, 0, 1) == 1);
  CHECK(at(7, -infinite, infinite) == 7);
}

TEST_CASE("shifts are products and floored quotients by powers of 2") {
  const Expr x = vector("x", int32), y = vector("y", int32);
  const Function f = compile({x, y}, {left_shift(x, y), right_shift(x, y)});
  std::vector<std::int32_t> a, b;
  for (const int v : {0, 1, -1, 5, -5, 1000, -1000})
    for (const int k : {0, 1, 2, 5, 10}) a.push_back(v), b.push_back(k);
  const Results got = f(Array::from(a), Array::from(b));
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double scale = std::ldexp(1.0, b[i]);
    CHECK(element(got[0], static_cast<std::int64_t>(i)) == a[i] * scale);
    CHECK(element(got[1], static_cast<std::int64_t>(i)) == std::floor(a[i] / scale));
  }
}

TEST_CASE("reductions of the array API: dtypes and no elements") {
  for (const DType t : {int8, int16, int32, int64, DType::bool_}) {
    CHECK(sum(tensor("x", t, {3})).dtype() == int64);
    CHECK(prod(tensor("x", t, {3})).dtype() == int64);
  }
  for (const DType t : {uint8, uint16, uint32, uint64}) {
    CHECK(sum(tensor("x", t, {3})).dtype() == uint64);
    CHECK(prod(tensor("x", t, {3})).dtype() == uint64);
  }
  for (const DType t : {float32, float64}) {
    const Expr x = vector("x", t);
    CHECK(sum(x).dtype() == t);
    CHECK(prod(x).dtype() == t);
    CHECK(mean(x).dtype() == t);
    const Expr variance = mean(square(x - mean(x)));
    const Function f = compile({x}, {sum(x), prod(x), mean(x), variance});
    const Results of_none = f(Array::empty(t, {0}));
    CHECK(element(of_none[0], 0) == 0);
    CHECK(element(of_none[1], 0) == 1);
    CHECK(std::isnan(element(of_none[2], 0)));
    CHECK(std::isnan(element(of_none[3], 0)));
    for (const Expr& extremum : {max(x), min(x), argmax(x), argmin(x)}) {
      const Function g = compile({x}, {extremum});
      CHECK_THROWS_AS(g(Array::empty(t, {0})), ValueError);
      CHECK(std::isfinite(element(g(ones({2}, t))[0], 0)));
    }
  }
}
