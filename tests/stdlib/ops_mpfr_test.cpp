// Every elementwise float op, compiled, against MPFR over its whole domain: each record's bound.
#include <algorithm>

#include "tests/support/compiled_support.h"
#include "tests/support/mpfr_reference.h"
#include "tests/support/real_functions.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Inputs over the domain: all exponents, the middle evenly, special values.
template <class T>
std::vector<T> domain_inputs(const Domain& domain, std::uint64_t seed) {
  const T most = std::numeric_limits<T>::max();
  const T low = domain.low < -most ? -most : static_cast<T>(domain.low);
  const T high = domain.high > most ? most : static_cast<T>(domain.high);
  std::vector<T> values = sample<T>(low, high, 3000, seed);
  for (const T x : sample_evenly<T>(std::max(low, T(-40)), std::min(high, T(40)), 3000, seed))
    values.push_back(x);
  for (const T x : special_values<T>())
    if (std::isnan(x) || (x >= low && x <= high)) values.push_back(x);
  return values;
}

const RealFunction* exact_function(const Op& op) {
  static const RealTable table = [] {
    RealTable some = real_functions();
    some.erase("nextafter");  // what is next depends on the dtype
    // Small where they cross 0, so tests of the prelude bound their errors otherwise.
    for (const char* name : {"j0", "j1", "y0", "y1", "betaln"}) some.erase(name);
    return some;
  }();
  const auto at = table.find(std::string(op.name));
  return at == table.end() ? nullptr : &at->second;
}

Cell cell_of(float x) { return {.f32 = x}; }
Cell cell_of(double x) { return {.f64 = x}; }

template <class T>
void test_dtype() {
  const DType t = dtype_of<T>;
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", t, {n}), y = tensor("y", t, {n}), z = tensor("z", t, {n});
  for (const int operands : {1, 2, 3}) {
    std::vector<const Op*> ops;
    std::vector<Output> outputs;
    for (const Op* op : all_ops()) {
      const int count = op->operands < 0 ? 2 : op->operands;
      if (!op->is_elementwise() || count != operands || !exact_function(*op)) continue;
      const std::vector<Arg> all = {x, y, z};
      const Expr e = gnomon::apply(*op, std::span(all).first(static_cast<std::size_t>(count)));
      if (e.dtype() != t) continue;
      ops.push_back(op);
      outputs.emplace_back(std::string(op->name), e);
    }
    CompileOptions options;
    options.rewrites = RewriteLevel::none;
    const std::vector<Expr> inputs = {x, y, z};
    const std::vector<Expr> used(inputs.begin(), inputs.begin() + operands);
    const Function f = compile(used, outputs, {}, options);
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const Op& op = *ops[i];
      const Domain second =
          op.second_domain.low > -inf || op.second_domain.high < inf ? op.second_domain : op.domain;
      std::vector<std::vector<T>> values;
      for (int k = 0; k < operands; ++k)
        values.push_back(domain_inputs<T>(k == 1 ? second : op.domain, 1));
      std::size_t size = values[0].size();
      for (int k = 1; k < operands; ++k) {
        // Every pair of positions is as likely: a stride that shares no factor with the length.
        std::vector<T>& v = values[static_cast<std::size_t>(k)];
        std::vector<T> mixed(size);
        for (std::size_t j = 0; j < size; ++j)
          mixed[j] = v[(j * 2654435761u + static_cast<std::size_t>(k) * 977) % v.size()];
        v = mixed;
      }
      std::vector<Array> arguments;
      for (const auto& v : values) arguments.push_back(Array::from(v));
      const std::vector<T> got = f(arguments)[i].template to_vector<T>();
      const double bound = sizeof(T) == 4 ? op.ulp.f32 : op.ulp.f64;
      double worst = 0;
      std::size_t where = 0;
      int other_bits = 0;  // than the host function's, which folds constants
      for (std::size_t j = 0; j < size; ++j) {
        std::vector<Cell> cells;
        for (const auto& v : values) cells.push_back(cell_of(v[j]));
        const Cell folded = op.scalar.host(t, cells);
        T host;
        std::memcpy(&host, &folded, sizeof host);
        const bool same = std::memcmp(&host, &got[j], sizeof host) == 0;
        other_bits += !same && !(std::isnan(host) && std::isnan(got[j]));
        std::vector<Real> reals;
        for (const auto& v : values) reals.emplace_back(static_cast<double>(v[j]));
        const double error = ulp_error(got[j], (*exact_function(op))(reals));
        if (error > worst) worst = error, where = j;
      }
      std::string at;
      for (const auto& v : values) at += fmt::format(" {:a}", v[where]);
      INFO(op.name << " of " << name_of(t) << " at" << at << " gave "
                   << fmt::format("{:a}", got[where]) << ": " << worst << " ulp, bound " << bound);
      CHECK(worst <= std::max(bound, 0.0));
      CHECK(other_bits == 0);
    }
  }
}

}  // namespace

TEST_CASE("compiled ops stay within their bounds of MPFR: float64") { test_dtype<double>(); }
TEST_CASE("compiled ops stay within their bounds of MPFR: float32") { test_dtype<float>(); }
