// How many digits a function loses, as it is written and after rewriting, against real numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/function.h"
#include "frontend/sampling.h"
#include "ir/graph/expr.h"
#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// What an input, or each of its elements, is drawn from: floats evenly over the exponents of the
/// range, integers evenly.
struct InputRange {
  Expr input;
  SampledRange range;
};

struct AccuracyOptions {
  /// Of inputs. Without one, floats are normal numbers of any size and sign, integers those from -9
  /// to 9.
  std::vector<InputRange> ranges = {};
  /// Extents of inputs by the name of the symbol; 3 for others.
  std::vector<std::pair<std::string, std::int64_t>> extents = {};
  /// How often all inputs are drawn.
  int points = 400;
  std::uint64_t seed = 1;
  RewriteLevel rewrites = RewriteLevel::all;
  std::vector<std::string> disabled_rules = {};
  /// Called before each point, if set; what it throws ends the report.
  std::function<void()> at_point = {};
};

/// Bits that an element of an output loses: log2(1 + d) for d units in the last place between what
/// was found and the real number, at most 64.
struct LostBits {
  double bits = 0;
  double found = 0, exact = 0;
  /// The inputs, and the position of the element in row-major order.
  std::vector<Array> inputs;
  std::int64_t element = 0;
};

/// What one form of an output loses, per element on the mean and at the worst.
struct FormAccuracy {
  double mean = 0;
  LostBits worst;
};

struct OutputAccuracy {
  std::string name;
  /// How many elements were compared: those with a real value that is known.
  std::int64_t compared = 0;
  FormAccuracy before, after;
  /// Where rewriting costs most, of elements that lose more than two bits then: `bits` is by how
  /// many more than before. Two bits are what a function that is rounded well may lose.
  LostBits worsened;
};

/// A rule that fired, how often, and the bits that an element loses less because of it, on the mean
/// over all outputs: as the only rule, or as the last of all, whichever is more, since one rule may
/// prepare what another finds or save what another would save. Rules that define the canonical
/// form, and those that code generation needs, are always there and not listed.
struct RuleEffect {
  std::string name;
  std::uint64_t fired = 0;
  double saved = 0;
};

struct AccuracyReport {
  /// Names of the inputs.
  std::vector<std::string> inputs;
  std::vector<OutputAccuracy> outputs;
  /// Those that saved most first.
  std::vector<RuleEffect> rules;
  /// Points at which the function is an error, such as a singular matrix.
  int refused = 0;
  /// Tables of outputs and rules, and the worst point of each form.
  std::string text() const;
};

/// How the values of two forms are sampled.
struct FormOptions {
  /// Ranges of parameters by name; as in AccuracyOptions.
  std::vector<std::pair<std::string, SampledRange>> ranges = {};
  std::vector<std::pair<std::string, std::int64_t>> extents = {};
  int points = 100;
  std::uint64_t seed = 1;
};

/// What a value loses in two forms that stand for the same real number, each over parameters of
/// `graph`. TypeError, ValueError, DeviceError: as of `accuracy_report`.
OutputAccuracy accuracy_of_forms(const Graph& graph, const Value& before, const Value& after,
                                 const FormOptions& options = {});

/// Samples the float outputs of a function in float32 or float64 and compares them with real
/// numbers. Operations are computed one by one, so sums are added in plain order; shared variables
/// have their present values.
/// Real numbers have 2400 bits; integers and comparisons are what they are for those numbers. They
/// are computed twice, rounded down and rounded up: where the two differ, the real value is not
/// known, and the element is left out. A form that is an error where the real function is none has
/// lost all bits.
/// TypeError: complex numbers or floats of 16 bits; an operation whose real function is not known.
/// ValueError: ranges or extents that do not fit, no point without an error. DeviceError:
/// libgnomon-mpfr was not built, or does not open.
AccuracyReport accuracy_report(const std::vector<Expr>& inputs, const std::vector<Output>& outputs,
                               const AccuracyOptions& options = {});

}  // namespace gnomon
