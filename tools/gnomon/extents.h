// The extents that inputs are made with: those that are given, those that a function then asks for,
// and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tools/gnomon/saved_function.h"

namespace gnomon {

/// Finds what the symbols of functions that get the same arguments stand for.
class ExtentSearch {
 public:
  /// A function and, for each of its inputs, which of the first function it is.
  void add(const CapturedFunction& function, std::span<const std::size_t> inputs);
  /// What an extent is, by the name of its symbol or as "x.0"; false if there is none of the name.
  bool give(const std::string& name, std::int64_t extent);
  /// That an input of the first function is an array of this shape.
  void give(std::size_t input, std::span<const std::int64_t> shape);
  /// Chooses `otherwise` for what nothing decides.
  void choose(std::int64_t otherwise);

  /// The names of symbols that nothing decides, once each.
  std::vector<std::string> open();
  /// All names that `give` knows of, those of symbols.
  std::vector<std::string> names() const;
  /// The shape of an input of the first function. ValueError: an extent that cannot be.
  std::vector<std::int64_t> shape(const char* command, std::size_t input);
  /// All symbols of the first function and what they stand for.
  std::vector<std::pair<std::string, std::int64_t>> found();

 private:
  // A dimension of one of the functions.
  struct Side {
    std::size_t function;
    Dim dim;
  };
  struct Equation {
    Side left, right;
  };

  std::optional<std::int64_t> value(const Side& side) const;
  bool solve(const Side& unknown, std::int64_t value);
  void settle();
  bool is_alone(std::size_t function, std::uint64_t symbol) const;

  std::vector<const CapturedFunction*> functions_;
  std::vector<std::vector<std::size_t>> inputs_;
  std::vector<std::vector<std::optional<std::int64_t>>> symbols_;  // by function and number
  std::vector<Equation> equations_;
};

}  // namespace gnomon
