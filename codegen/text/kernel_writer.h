// The text of one kernel as it grows: names, values, index arithmetic, lines.
#pragma once

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/text/kernel_outline.h"
#include "codegen/text/language.h"
#include "codegen/text/spell.h"

namespace gnomon {

/// Index arithmetic that is used once is spelled where it is used; every other result is a constant
/// named for what it is.
class KernelWriter {
 public:
  /// `reserved`: words of the language that no value may be called by.
  KernelWriter(const KernelOutline& outline, const DimensionNames& dimension,
               std::initializer_list<const char*> reserved);

  // Lines.
  void line(const std::string& text);
  void open(const std::string& text);    ///< what follows stands inside
  void close(const std::string& text);   ///< what was opened last ends
  void reopen(const std::string& text);  ///< ends one part and begins another: "} else {"
  /// Asks for a header of the prelude.
  void include(std::string_view header) { headers_.insert(std::string(header)); }

  // Names.
  /// A name that nothing else has; it is free again once the innermost open axis is closed.
  std::string fresh(const std::string& wish);
  /// Lets what uses a value say what to call it.
  void suggest_names();
  /// What to call a value that has no name of the user's; the first wish counts.
  void wish_for(int i, const std::string& name);
  const std::string& buffer(int b) const { return buffers_[b]; }
  /// Of the parameter that has the element of a buffer given by value.
  const std::string& value_of(int b) const { return buffer_values_[b]; }
  std::string spelled(const Dim& d);

  // Axes that are open.
  std::string open_axis(int axis);
  void close_axis();
  const std::string& index_of(int axis) const { return indices_.at(axis); }
  /// Values with lanes have `width` of them from now on; 0: each lane is a thread, which has one.
  void open_lanes(const std::string& index, int width) { lanes_.push_back({index, width}); }
  void close_lanes() { lanes_.pop_back(); }
  const std::string& lane_index() const { return lanes_.back().index; }
  int width() const { return lanes_.empty() ? 0 : lanes_.back().width; }

  // Values.
  std::string type(DType t, bool lanes) const;
  const std::string& name(int i) const { return values_[i]; }
  void set_name(int i, std::string text) { values_[i] = std::move(text); }
  /// A constant with a name of its own.
  void define(int i, const std::string& expression) { define_as(wish(i), i, expression); }
  void define_as(const std::string& name, int i, const std::string& expression);
  /// A sum or product of indices: named if it is long or used more than once.
  void define_index(int i);
  /// The value of a statement, as lanes when `lanes` asks for them.
  std::string use(int i, bool lanes = false) const;
  /// The value where any integer type will do: a bound, a subscript, a term of index arithmetic.
  std::string plain(int i) const;
  /// `plain` as one factor of a product.
  std::string factor(int i) const;

  // The finished text.
  const std::string& body() const { return body_; }
  /// The dimensions that it reads: their names, by slot.
  const std::map<int, std::string>& dimensions() const { return dims_; }
  const std::set<std::string>& headers() const { return headers_; }

 private:
  struct Lanes {
    std::string index;
    int width;
  };

  void suggest_names_in(int i);
  std::string dimension(const Atom& atom);
  std::string wish(int i) const;

  const KernelOutline& outline_;
  const DimensionNames& dimension_;
  Names names_;
  std::vector<std::string> buffers_, buffer_values_, values_, wishes_;
  std::vector<bool> is_sum_;            // the value is a sum: it needs parentheses as a factor
  std::map<int, std::string> dims_;     // those in use, by slot
  std::map<int, std::string> indices_;  // of axes
  std::vector<std::string> open_;       // names of the open axes
  std::vector<std::vector<std::string>> scopes_;  // names that end with each open axis
  std::vector<Lanes> lanes_;
  std::set<std::string> headers_;
  std::string body_;
  std::size_t indent_ = 1;
};

}  // namespace gnomon
