// Patterns: the two sides of a rewrite rule, written with the same functions as expressions.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ir/op/op.h"

namespace gnomon {

/// A tree over variables, constants and ops. Made by the functions of the X-list, matched and
/// instantiated by the rewrite engine.
class Pattern {
 public:
  enum class Kind : std::uint8_t {
    variable,  // matches any value; the same number matches the same value
    constant,  // matches a rank-0 constant (or a broadcast of one) with this value
    node,      // matches an application of `op`
  };
  struct Node {
    Kind kind = Kind::variable;
    int variable = 0;            // variable: its number
    bool only_constant = false;  // variable: matches constants only
    double value = 0;            // constant
    const Op* op = nullptr;      // node
    std::vector<Pattern> operands;
    std::vector<std::pair<std::string, int>> attributes;  // attribute name -> attribute variable
    std::uint32_t output = 0;
  };

  // Constants and variables are there before any function runs, as a user's static objects may
  // need the rules: they are no memory of their own.
  constexpr Pattern(double constant) {
    leaf_.kind = Kind::constant;
    leaf_.value = constant;
  }
  constexpr Pattern(int constant) : Pattern(static_cast<double>(constant)) {}
  explicit Pattern(Node node);
  constexpr Pattern(const Pattern& other) : shared_(other.shared_), leaf_(other.leaf_) {
    if (shared_ != nullptr) retain();
  }
  constexpr Pattern(Pattern&& other) noexcept
      : shared_(std::exchange(other.shared_, nullptr)), leaf_(std::move(other.leaf_)) {}
  constexpr Pattern& operator=(Pattern other) noexcept {
    std::swap(shared_, other.shared_);
    std::swap(leaf_, other.leaf_);
    return *this;
  }
  constexpr ~Pattern() {
    if (shared_ != nullptr) release();
  }
  const Node& node() const { return shared_ != nullptr ? shared_->node : leaf_; }

 private:
  friend constexpr Pattern variable(int number);
  friend constexpr Pattern constant_variable(int number);
  constexpr Pattern(int number, bool only_constant) {
    leaf_.variable = number;
    leaf_.only_constant = only_constant;
  }

  // An application, counted by hand: a shared_ptr cannot be there before functions run.
  struct Shared {
    Node node;
    std::atomic<std::int32_t> uses{1};
  };
  void retain() const;
  void release();

  Shared* shared_ = nullptr;
  Node leaf_;  // of constants and variables
};

/// Variable `number` of a rule; `constant_variable` matches constants only.
constexpr Pattern variable(int number) { return Pattern(number, false); }
constexpr Pattern constant_variable(int number) { return Pattern(number, true); }
Pattern make_pattern(const Op& op, std::initializer_list<Pattern> operands);
/// With attribute variables: the attribute `name` is bound to (or must equal) variable `v`.
Pattern make_pattern(const Op& op, std::initializer_list<Pattern> operands,
                     std::initializer_list<std::pair<std::string, int>> attributes);

/// "log(1 + x)": variables are x, y, z, w, ..., constant variables c, d, ...
std::string text(const Pattern& pattern);

}  // namespace gnomon
