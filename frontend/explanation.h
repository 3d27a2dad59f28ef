// The way from what the user wrote to the steps that run: each rewrite, each decision and why.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/sampled_range.h"
#include "runtime/arrays/array.h"

namespace gnomon {

struct Closed;
struct CompileOptions;
class Graph;

/// What a value loses in bits, before a rewrite and after it: see `accuracy_report`.
struct RewriteAccuracy {
  std::int64_t compared = 0;  ///< elements whose real value is known
  double mean_before = 0, worst_before = 0, mean_after = 0, worst_after = 0;  ///< bits an element
};

/// One rule that replaced one value.
struct ExplainedRewrite {
  std::string pass, rule;     ///< their names
  std::string promise;        ///< "exact", "accurate", "finite" or "fast": see rules.md
  std::string before, after;  ///< in the names of the parameters
  /// Additions of the operations that one form has and the other has not, as "45*n"; empty: not
  /// known.
  std::string cost_before, cost_after;
  std::optional<RewriteAccuracy> accuracy;  ///< see `with_accuracy`
  std::string accuracy_unknown;             ///< why it has none, once it was asked for
  std::vector<std::string> lines;           ///< of yours: "model.py:12"
  std::vector<std::string> nodes;           ///< of the captured graph: "%3 exp"
};

/// A question that the compiler asked itself, and its answer.
struct ExplainedDecision {
  std::string pass;            ///< "fuse", "lower", "call", or a pass over graphs or modules
  std::string question;        ///< "in one loop", "in place"
  bool is_so = false;          ///< the answer
  std::string subject, other;  ///< what it is about; the second of two, or empty
  std::string reason;          ///< why
  std::vector<std::string> lines, nodes;  ///< as of `ExplainedRewrite`
};

/// A step of the function that runs, as `Profile` names it.
struct ExplainedStep {
  std::string kind, name;                 ///< "kernel"; what it makes
  int inside = -1;                        ///< the step it is part of, by position
  std::vector<std::string> lines, nodes;  ///< as of `ExplainedRewrite`
};

/// A pass that ran; sizes are nodes of the graph, or steps of the module.
struct ExplainedPass {
  std::string name, doc;                        ///< what it is called, and what it does
  std::size_t size_before = 0, size_after = 0;  ///< of the graph or the module
  std::uint64_t fired = 0;                      ///< how many rewrites it made
};

/// What is left of an explanation: all of it where a text is empty.
struct ExplanationFilter {
  std::string line = {};  ///< "model.py:12", "12" for that line of any file, "model.py" for all
  std::string node = {};  ///< "%3" of the captured graph, the name of an op, or that of a value
  std::string rule = {};  ///< its name
  std::string pass = {};  ///< its name
};

/// How values are sampled for the accuracy of rewrites; as in `AccuracyOptions`.
struct ExplanationSampling {
  std::vector<std::pair<std::string, SampledRange>> ranges = {};   ///< of parameters, by name
  std::vector<std::pair<std::string, std::int64_t>> extents = {};  ///< by symbols; 3 for others
  int points = 100;        ///< how often all parameters are drawn
  std::uint64_t seed = 1;  ///< of the draws
};

/// Made anew of a function's graph, without the compiler of C++: its code stays as it is. One that
/// is default made or moved from explains nothing: what is asked of it is a ValueError.
class Explanation {
 public:
  /// In the order they were made.
  const std::vector<ExplainedRewrite>& rewrites() const& { return source(), rewrites_; }
  /// In the order they were made.
  const std::vector<ExplainedDecision>& decisions() const& { return source(), decisions_; }
  /// In the order they run, a loop before what is inside it. Whatever was left out of others by a
  /// filter, positions are those in this list.
  const std::vector<ExplainedStep>& steps() const& { return source(), steps_; }
  /// In the order they ran.
  const std::vector<ExplainedPass>& passes() const& { return source(), passes_; }
  /// The same, moved out.
  std::vector<ExplainedRewrite> rewrites() && { return source(), std::move(rewrites_); }
  std::vector<ExplainedDecision> decisions() && { return source(), std::move(decisions_); }
  std::vector<ExplainedStep> steps() && { return source(), std::move(steps_); }
  std::vector<ExplainedPass> passes() && { return source(), std::move(passes_); }
  /// The captured graph, then what each pass made that changed it.
  std::vector<std::pair<std::string, Graph>> stages() const;
  /// Notes of the rewriting: limits that were reached.
  std::vector<std::string> notes() const;

  /// What is about a line, a node, a rule, a pass. ValueError: there is none such.
  Explanation only(const ExplanationFilter& filter) const;
  /// With the bits that values lose before and after each rewrite. ValueError: a range or extent of
  /// nothing; DeviceError: there is no libgnomon-mpfr.
  Explanation with_accuracy(const ExplanationSampling& sampling = {}) const;
  /// With what a call does to these arguments: which it reads where they are, and why it copies
  /// others. `converted`: for each why it is another array by now, or "". TypeError, ValueError:
  /// arguments of another number, dtype or rank.
  Explanation with_arguments(std::span<const Array> arguments,
                             std::span<const std::string> converted = {}) const;

  /// For people to read.
  std::string text() const;
  /// One object of JSON.
  std::string json() const;

 private:
  friend Explanation explain_closed(const Closed& closed, const CompileOptions& options);
  struct Source;  // graphs and firings that it was made of
  const Source& source() const;

  std::shared_ptr<const Source> source_;
  std::vector<ExplainedRewrite> rewrites_;
  std::vector<std::size_t> firings_;  // of the rewrites, by position
  std::vector<ExplainedDecision> decisions_;
  std::vector<ExplainedStep> steps_;
  std::vector<ExplainedPass> passes_;
};

/// Of a function that was captured, and would be compiled with these options.
Explanation explain_closed(const Closed& closed, const CompileOptions& options);

}  // namespace gnomon
