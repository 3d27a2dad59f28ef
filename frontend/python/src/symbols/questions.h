// What traced functions ask of extents. The arguments of the call that is traced answer, and the
// answers are kept as guards: they say for which other calls the trace is right.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/python/src/core.h"

namespace gnomon::python {

enum class Asked : std::uint8_t { is_zero, is_not_negative };

/// A question as the notes of `explain` show it.
using Question = std::function<std::string()>;

/// The extents of one call that is traced, what was asked of them, and which calls answer alike.
class Guards {
 public:
  /// The extent of an input that a symbol stands for. Extents of 1 have no symbols, so none is 1.
  void add(const Dim& symbol, std::size_t input, std::size_t axis, std::int64_t value);
  /// An extent that every call has: nothing was asked, the user wants it so.
  void fix(std::size_t input, std::size_t axis, std::int64_t value);
  /// A number among the inputs that the function needed as it was traced: `note` says for what.
  void fix_number(std::size_t input, nb::object value, std::string note);
  /// A symbol for an extent that is made of known ones.
  void add_alias(const Dim& symbol, const Dim& extent);
  /// A symbol that another trace knows too, so that nobody answers for it.
  void hide(const Dim& symbol) { hidden_.push_back(symbol.atom()->number); }
  bool hides(const Dim& d) const;
  /// Whether it knows all extents that `d` is made of, and `d` is made of extents alone.
  bool knows(const Dim& d) const;
  std::int64_t value(const Dim& d) const;
  /// The answer for this call; remembered unless what was asked before implies it.
  bool answer(const Dim& d, Asked asked, const Question& question);

  /// Ends the questions: makes the tests.
  void finish();
  bool has_tests() const {
    return !ranges_.empty() || !others_.empty() || !polynomials_.empty() || !numbers_.empty();
  }
  /// Whether a call with these inputs, of equal keys, has the same answers.
  bool hold(std::span<PyObject* const> inputs) const;
  /// The symbols whose extents nothing was asked of, in the order of inputs and axes.
  std::vector<std::string> open() const;
  /// Each answer in words, with the user's line that asked.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  struct Place {
    std::uint32_t input, axis;
    auto operator<=>(const Place&) const = default;
  };
  // What is known of an extent: between two bounds, and none of some numbers.
  struct Extent {
    std::string name;
    Place place{};
    std::int64_t value = 0;
    std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> others;
  };
  struct General {
    Dim d;
    Asked asked;
    bool holds;
  };
  struct Line;  // slope * extent + constant

  // The tests of a call.
  struct Range {
    Place place;
    std::int64_t low, high;
  };
  struct Other {
    Place place;
    std::int64_t value;
  };
  // One step of a polynomial's evaluation on a stack.
  struct Step {
    enum Code : std::uint8_t { number, extent, add, multiply, floor_div, mod, min, max } code;
    Place place;
    std::int64_t value;
  };
  struct Polynomial {
    std::vector<Step> steps;
    Asked asked;
    bool holds;
    std::size_t depth;  // values that wait for others at once
  };

  std::optional<Line> line_of(const Dim& d);
  bool answer(const Line& line, Asked asked, const Question& question);
  void note(const Question& question, bool answer);
  void append(const Dim& d, std::vector<Step>& steps) const;
  static std::optional<std::int64_t> run(const Polynomial& p, std::span<PyObject* const> inputs);

  Dim known(const Dim& d) const;

  std::unordered_map<std::uint64_t, Extent> extents_;  // by the number of the symbol
  std::unordered_map<std::uint64_t, Dim> aliases_;
  std::vector<std::uint64_t> hidden_;
  std::vector<General> general_;
  std::vector<std::string> notes_;
  std::vector<Range> ranges_;
  std::vector<Other> others_;
  std::vector<Polynomial> polynomials_;
  std::vector<std::pair<std::size_t, nb::object>> numbers_;  // inputs and their values
};

/// Whether a function is being traced for a call in this thread.
bool is_traced();
/// Whether `d` is 0, or at least 0: proved for all extents, else by the arguments of the call that
/// is traced. Nothing where no call is traced that knows.
std::optional<bool> decide(const Dim& d, Asked asked, const Question& question);
/// The value of `d`: a constant, or by the arguments of the call that is traced.
std::optional<std::int64_t> exact(const Dim& d);
/// The same, and nobody remembers that it was asked: what is made of it is right for all values.
std::optional<std::int64_t> current(const Dim& d);
/// Whether it is 1, where that can be known.
bool is_one(const Dim& d);
/// The value of an expression of rank 0 that is made of extents and constants alone.
std::optional<Array> exact(const Expr& e);

/// A symbol stands for an extent of the call that is traced, if it is one.
void add_alias(const Dim& symbol, const Dim& extent);

/// Answers questions of leaves that stand for arrays, for as long as it lives.
class AnsweredBy {
 public:
  AnsweredBy(std::span<const Expr> leaves, std::span<const Array> arrays);
  AnsweredBy(const AnsweredBy&) = delete;
  AnsweredBy& operator=(const AnsweredBy&) = delete;
  ~AnsweredBy();

 private:
  Guards guards_;
};

/// Builds an expression of `values`. Where an extent of theirs meets another one and is 1 in the
/// call that is traced, it becomes a literal 1, which stretches, and the expression is built anew.
void build_stretched(std::span<Value> values, const std::function<void()>& build);

}  // namespace gnomon::python
