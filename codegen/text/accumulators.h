// Accumulators of reductions in the text of a kernel: one variable each, as every language has it.
#pragma once

#include <array>
#include <map>
#include <string>

#include "codegen/text/kernel_writer.h"

namespace gnomon {

/// Declares, feeds and folds accumulators. A target says what becomes of those whose elements come
/// by many lanes.
class Accumulators {
 public:
  Accumulators(KernelOutline& outline, KernelWriter& writer) : outline_(outline), w_(writer) {}
  virtual ~Accumulators() = default;

  virtual void declare(int acc);
  virtual void reduce(int i);
  virtual void fold(int i);

 protected:
  /// If a reduce adds a product that is not rounded, multiply_add(a, b, -0), the sum takes the two
  /// factors in one operation. For targets to call before anything is printed.
  void join_product(int reduce);
  /// Names an accumulator; the name without its own is `wish`.
  const std::string& begin(int acc, const std::string& wish);
  /// The variable `target` takes what a reduce gives it.
  void take(int reduce, const std::string& target, bool lanes);
  /// The fold of a search, whose value and index come of one expression.
  void fold_search(int i, const std::string& expression);
  /// The fold of anything else.
  void define_fold(int i, const std::string& expression);

  /// The reduction of an accumulator.
  const Op& reduction(int acc) const { return *outline_[acc].op; }
  bool is_search(int acc) const { return reduction(acc).reduction.arg; }
  /// The prelude's function of two elements.
  std::string_view combine(int acc) const;
  /// That function as an argument.
  std::string combiner(int acc) const;
  /// Whether a search is for the greatest element: "true" or "false".
  const char* greatest(int acc) const;
  /// What accumulators are called without a name of the user's.
  std::string own_name(int acc) const;

  static constexpr const char* no_index = "0x7fffffffffffffff";

  KernelOutline& outline_;
  KernelWriter& w_;

 private:
  void name_field(int i, const std::string& of);

  std::map<int, std::array<std::int32_t, 2>> products_;  // factors, by reduce
  std::map<int, std::string> folded_;                    // searches
};

}  // namespace gnomon
