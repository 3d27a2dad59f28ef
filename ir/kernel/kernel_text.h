// What the printer, the parser and the verifier of kernels share: words, labels, one statement.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/kernel/kernel.h"

namespace gnomon {

inline constexpr std::array<std::string_view, 6> axis_words = {"serial", "parallel", "vector",
                                                               "unroll", "block",    "thread"};
inline constexpr std::array<std::string_view, 3> access_words = {"uniform", "contiguous", "gather"};
inline constexpr std::array<std::string_view, 28> code_words = {
    "constant", "extent",   "let",     "cast",      "select",    "axis",       "load",
    "store",    "update",   "loop",    "end",       "acc",       "reduce",     "fold",
    "local",    "get",      "set",     "check",     "carry",     "yield",      "if",
    "else",     "prefetch", "barrier", "transpose", "read_rows", "write_rows", "update_rows"};

/// Whether other statements can name the result of such a statement.
bool has_result(Code code);

/// Writes a kernel line by line. Also prints invalid kernels: what is out of range becomes "?".
class KernelPrinter {
 public:
  explicit KernelPrinter(const Kernel& kernel);

  /// Name, comment, symbols, buffers and axes, one a line.
  const std::vector<std::string>& head() const { return head_; }
  /// Statement `i` without its indentation.
  std::string statement(std::size_t i) const;
  /// The line of statement `i` in `text(kernel)`, from 1.
  std::size_t line(std::size_t i) const { return head_.size() + 2 + i; }

 private:
  void label_atoms();
  void print_head();
  std::string dim(const Dim& d) const;
  std::string type(const Statement& s) const;
  std::string value(const Statement& s, std::size_t arg) const;
  std::string values(const Statement& s, std::size_t from) const;
  std::string place(const Statement& s) const;
  std::string effect(const Statement& s) const;
  std::string result(const Statement& s) const;

  const Kernel& kernel_;
  std::vector<std::string> buffers_, axes_;                         // labels
  std::vector<std::pair<AtomRef, std::string>> symbols_, scalars_;  // atoms and labels
  std::vector<std::string> head_;
};

}  // namespace gnomon
