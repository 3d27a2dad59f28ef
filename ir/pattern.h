// Patterns: the two sides of a rewrite rule, written with the same functions as expressions.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "ir/op.h"

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

  Pattern(double constant);
  Pattern(int constant) : Pattern(static_cast<double>(constant)) {}
  explicit Pattern(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  const Node& node() const { return *node_; }

 private:
  std::shared_ptr<const Node> node_;
};

/// Variable `number` of a rule; `constant_variable` matches constants only.
Pattern variable(int number);
Pattern constant_variable(int number);
Pattern make_pattern(const Op& op, std::initializer_list<Pattern> operands);
/// With attribute variables: the attribute `name` is bound to (or must equal) variable `v`.
Pattern make_pattern(const Op& op, std::initializer_list<Pattern> operands,
                     std::initializer_list<std::pair<std::string, int>> attributes);

/// "log(1 + x)": variables are x, y, z, w, ..., constant variables c, d, ...
std::string text(const Pattern& pattern);

}  // namespace gnomon
