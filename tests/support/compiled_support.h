// What tests of compiled functions share: a batch of expressions against the reference evaluator.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "frontend/function.h"
#include "ir/graph/graph.h"
#include "ir/reference/evaluate.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon::test {

/// Options that neither keep nor find a function in the cache.
inline CompileOptions uncached() {
  CompileOptions options;
  options.cache = false;
  return options;
}

/// Where and how two arrays differ, or "". `tolerance` is relative to the larger of 1 and the
/// numbers, 0 means the same bits; NaN equals NaN.
inline std::string difference(const Array& got, const Array& wanted, double tolerance) {
  if (got.describe() != wanted.describe())
    return fmt::format("{} in place of {}", got.describe(), wanted.describe());
  return with_type(got.dtype(), [&]<class T>(T) -> std::string {
    const Array a = got.contiguous(), b = wanted.contiguous();
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const T x = a.data<T>()[i], y = b.data<T>()[i];
      if (std::memcmp(&x, &y, sizeof(T)) == 0) continue;
      if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(x) && std::isnan(y)) continue;
        const double gap = std::fabs(static_cast<double>(x) - static_cast<double>(y));
        const double scale = std::fmax(1, std::fmax(std::fabs(x), std::fabs(y)));
        if (tolerance > 0 && (x == y || gap <= tolerance * scale)) continue;
        return fmt::format("element {}: {:a} ({}) in place of {:a} ({})", i, x, x, y, y);
      } else {
        return fmt::format("element {}: {} in place of {}", i, x, y);
      }
    }
    return "";
  });
}

/// Numbers without structure for any dtype, the edges of the dtype among them when there is room.
class Samples {
 public:
  explicit Samples(std::uint64_t seed) : state_(seed * 2 + 1) {}

  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ * 0x2545f4914f6cdd1d;
  }
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() >> 11) % n; }
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }

  /// Small numbers: floats in [-4, 4], integers in [-9, 9] or [0, 9].
  Array small(DType t, Extents shape) {
    return fill(t, shape, [&]<class T>(T) -> T {
      if constexpr (std::is_same_v<T, bool>)
        return below(2) != 0;
      else if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(uniform(-4, 4));
      else
        return static_cast<T>(std::is_signed_v<T> ? below(19) - 9 : below(10));
    });
  }
  /// Any bits, so any number, with many small and special ones.
  Array any(DType t, Extents shape) {
    return fill(t, shape, [&]<class T>(T) -> T {
      if constexpr (std::is_same_v<T, bool>) {
        return below(2) != 0;
      } else {
        const std::int64_t kind = below(4);
        if constexpr (std::is_floating_point_v<T>) {
          using L = std::numeric_limits<T>;
          const T edges[] = {T(0),     -T(0),       L::infinity(), -L::infinity(),  L::quiet_NaN(),
                             L::max(), L::lowest(), L::min(),      L::denorm_min(), T(1),
                             T(-1),    T(0.5),      T(-2.5),       T(3.5)};
          if (kind == 0) return edges[below(std::size(edges))];
          if (kind < 3) return static_cast<T>(uniform(-20, 20));
        } else {
          using L = std::numeric_limits<T>;
          const T edges[] = {L::min(), L::max(), T(0), T(1), static_cast<T>(-1), T(sizeof(T) * 8)};
          if (kind == 0) return edges[below(std::size(edges))];
          if (kind < 3) return static_cast<T>(below(41) - 20);
        }
        const std::uint64_t bits = next();
        T x;
        std::memcpy(&x, &bits, sizeof(T));
        return x;
      }
    });
  }

 private:
  template <class F>
  static Array fill(DType t, Extents shape, F&& f) {
    Array a = Array::empty(t, shape);
    with_type(t, [&]<class T>(T) {
      T* const data = a.data<T>();
      for (std::int64_t i = 0; i < a.size(); ++i) data[i] = f(T{});
    });
    return a;
  }

  std::uint64_t state_;
};

/// Expressions over the same inputs: compiled as one function, compared with the reference.
class Batch {
 public:
  explicit Batch(std::string name) { options.name = std::move(name); }

  Expr input(const std::string& name, const Array& value, Shape shape) {
    inputs.push_back(tensor(name, value.dtype(), std::move(shape)));
    values.push_back(value);
    return inputs.back();
  }
  Expr input(const std::string& name, const Array& value) {
    Shape shape;
    for (int k = 0; k < value.rank(); ++k) shape.push_back(Dim::symbol(name + std::to_string(k)));
    return input(name, value, std::move(shape));
  }
  void add(std::string name, const Expr& e, double tolerance = 0) {
    while (std::any_of(outputs.begin(), outputs.end(),
                       [&](const Output& o) { return o.name == name; }))
      name += "'";
    outputs.emplace_back(name, e);
    tolerances.push_back(tolerance);
  }

  void compile() { function = gnomon::compile(inputs, outputs, {}, options); }

  /// The values of the reference evaluator.
  std::vector<Array> reference() const {
    std::vector<Expr> expressions;
    for (const Output& o : outputs) expressions.push_back(o.value);
    return evaluate(capture(inputs, expressions).graph, values);
  }
  /// Compares one call; true when nothing differs.
  bool check() {
    if (!function) compile();
    std::vector<Array> wanted;
    try {
      wanted = reference();
    } catch (const ValueError& e) {
      const std::string why = e.what();
      INFO(options.name << ": the reference says " << why);
      CHECK_THROWS_AS((*function)(values), ValueError);
      return true;
    }
    const Results got = (*function)(values);
    bool same = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string how = difference(got[i], wanted[i], tolerances[i]);
      if (how.empty()) continue;
      same = false;
      std::string shapes;
      for (const Array& a : values) shapes += " " + a.describe();
      FAIL_CHECK(options.name << ": " << outputs[i].name << " of" << shapes << ": " << how);
    }
    return same;
  }
  /// The same with other arguments.
  bool check_with(std::vector<Array> arguments) {
    values = std::move(arguments);
    return check();
  }

  std::vector<Expr> inputs;
  std::vector<Array> values;
  std::vector<Output> outputs;
  std::vector<double> tolerances;
  CompileOptions options;
  std::optional<Function> function;
};

}  // namespace gnomon::test
