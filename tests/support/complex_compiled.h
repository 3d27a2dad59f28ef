// What tests of compiled functions of complex numbers share.
#pragma once

#include <span>
#include <vector>

#include "runtime/threads.h"
#include "tests/support/compiled_support.h"
#include "tests/support/complex_support.h"

namespace gnomon::test {

/// Compiled expressions have the values of the reference evaluator, but for `tolerance`.
inline void check_with_reference(std::span<const Expr> inputs, std::span<const Expr> outputs,
                                 std::span<const Array> values, double tolerance) {
  const std::vector<Array> wanted = evaluate_complex(inputs, outputs, values);
  const Results got = compile(inputs, outputs)(values);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    CAPTURE(k);
    CHECK(difference(as_pairs(got[k]), as_pairs(wanted[k]), tolerance) == "");
  }
}

/// Expressions of one input have the same bits on 1, 2 and 16 threads, for each value of it.
inline void check_bits_of_threads(const Expr& input, std::span<const Expr> outputs,
                                  std::span<const Array> values) {
  std::vector<std::vector<Array>> results;
  const int before = pool().threads();
  for (const int threads : {1, 2, 16}) {
    pool().set_threads(threads);
    CompileOptions options;
    options.threads = threads;
    const Function f = compile({input}, outputs, {}, options);
    results.emplace_back();
    for (const Array& value : values)
      for (const Array& y : f(value)) results.back().push_back(y);
  }
  pool().set_threads(before);
  for (std::size_t k = 0; k < results[0].size(); ++k) {
    CAPTURE(k);
    CHECK(same_bits(results[0][k], results[1][k]));
    CHECK(same_bits(results[0][k], results[2][k]));
  }
}

}  // namespace gnomon::test
