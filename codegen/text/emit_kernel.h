// One kernel becomes the text of one function: what the emitters of C++ and CUDA C++ share.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "codegen/text/emit.h"
#include "codegen/text/spell.h"

namespace gnomon {

/// Prints statement after statement. Index arithmetic that is used once is spelled where it is
/// used; every other result is a constant named for what it is.
class KernelEmitter {
 public:
  KernelEmitter(const Kernel& kernel, Language language,
                const std::function<DimensionName(const Atom&)>& dimension);
  KernelText print(const std::string& name);

 private:
  // How the iterations of a CUDA loop are shared out.
  enum class Spread { none, blocks, threads, grid };
  // What an accumulator is, by where it is fed.
  struct AccumulatorShape {
    enum class Form { scalar, lanes, chains, block } form = Form::scalar;
    int width = 1, chains = 1;
    bool rest = false;  // chains: masked vectors feed chains of their own
    int counted = -1;  // search in lanes: the loop whose index, the same in all lanes, is the place
  };

  // How the vectors of an axis run. `apart`: the full ones and the masked rest have a body each.
  // `together`: one body under a mask serves both. `part`: one vector, not full. `whole`: no rest.
  enum class Vectors { apart, together, part, whole };

  // An index whose lanes are `step` elements apart: the sum of uniform terms and an offset.
  struct StridedIndex {
    std::vector<std::int32_t> terms;
    Dim offset = 0;
    int step = 0;
  };

  bool cuda() const { return language_ == Language::cuda; }

  // Structure, found before anything is printed.
  void match_loops();
  void find_uses();
  void find_index_arithmetic();
  void wish_for(std::int32_t i, const std::string& name);
  void shape_accumulator(int reduce);
  void find_exact_products();
  void find_spread();
  void declare_divisors(int loop);
  bool is_inside(int i, int loop) const;
  std::string start_of(int loop) const { return plain(kernel_.body[loop].args[0]); }
  const Axis& axis_of(int loop) const { return kernel_.axes[kernel_.body[loop].axis]; }
  bool is_loop(int i) const { return kernel_.body[i].code == Code::loop; }
  int enclosing(int i, AxisKind kind) const;
  int enclosing_threads(int i) const;
  int threads_of_block() const;
  int work_in(int loop) const;
  bool scatters(int loop) const;
  Vectors vectors_of(int loop);
  bool has_scratch() const;
  bool uses_buffer(int loop, int buffer) const;
  bool uses_scratch(int loop) const;

  // Head and text.
  std::vector<std::string> parameters() const;
  std::string head(const std::string& name) const;
  std::string fresh(const std::string& wish);
  std::string dimension(const Atom& atom);
  std::string spelled(const Dim& d);
  void line(const std::string& text);
  void effect(std::size_t i, const std::string& text);
  void define(std::size_t i, const std::string& expression);

  // Names and types.
  int width() const { return widths_.empty() ? 1 : widths_.back(); }
  std::string value_type(DType t, bool lanes) const;
  std::string wish(std::size_t i) const;
  std::string use(std::int32_t i, bool lanes = false) const;
  std::string plain(std::int32_t i) const;
  std::string factor(std::int32_t i) const;

  // Statements.
  void statement(std::size_t i);
  void let(std::size_t i);
  bool is_plain_index(std::size_t i) const;
  bool is_product_of_reciprocal(const Statement& s);
  bool has_infix(const Statement& s) const;
  void plain_index(std::size_t i);
  void axis_value(std::size_t i);
  std::string address(const Statement& s) const;
  std::string element(const Statement& s) const;
  void load(std::size_t i);
  void store(std::size_t i);
  bool streams(const Statement& s) const;
  std::string is_far(const Statement& s) const;
  std::string stream_condition(std::size_t i) const;
  void update(std::size_t i);
  void accumulator(std::size_t i);
  void reduce(std::size_t i);
  void fold(std::size_t i);
  void fold_arg(std::size_t i);
  void local(std::size_t i);
  std::string element_of_local(const Statement& s, std::size_t args) const;
  void check(std::size_t i);
  std::string row_address(const Statement& s, std::int64_t stride) const;
  void read_rows(std::size_t i);
  void transpose(std::size_t i);
  void write_rows(std::size_t i);

  // Strided accesses.
  void find_strided();
  bool add_terms(std::int32_t i, StridedIndex& index) const;
  void release(std::int32_t i);
  void join_stores(int first);
  std::string strided_address(int i);
  bool strided_load(std::size_t i);
  bool strided_store(std::size_t i);

  // Loops.
  void declare_carries(std::size_t loop);
  void loop(std::size_t i);
  void cpp_loop(std::size_t i, const std::string& j);
  void vector_loop(int i, const std::string& j, const std::string& lo, const std::string& hi);
  void cuda_loop(std::size_t i, const std::string& j);
  std::string declare_lead(int loop);
  void declare_scratch(int loop);
  void end(std::size_t i);
  void fence(std::size_t end);
  void print_yields();

  const Kernel& kernel_;
  Language language_;
  const std::function<DimensionName(const Atom&)>& dimension_;
  std::vector<std::string> names_of_, wishes_, buffer_names_;
  std::vector<bool> is_index_;  // nothing but subscripts and bounds depends on it
  std::vector<bool> is_sum_;    // names_of_ is a sum: it needs parentheses as a factor
  std::vector<int> uses_, user_, parent_, widths_, lane_axes_;
  std::map<int, std::string> used_dims_, axis_names_, folded_;
  std::map<int, int> end_of_, loop_of_;  // ends of loops and ifs, and back
  std::map<int, AccumulatorShape> shapes_;
  std::map<int, Spread> spread_;
  std::map<int, std::string> rests_;     // of accumulators in chains: the one of masked vectors
  std::map<int, std::string> divisors_;  // statements that the lanes of the open loop divide by
  std::set<int> chained_;
  std::map<int, std::array<std::int32_t, 2>> products_;  // reduce: what it adds with one rounding
  std::map<int, Vectors> vectors_;
  std::map<int, std::string> past_;      // stores of the open loop: whether they go past the caches
  std::map<int, StridedIndex> strided_;  // loads and stores
  std::map<int, std::vector<int>> together_;  // stores that are made at once, by the last one
  std::set<int> joined_;                      // the others of them
  std::set<std::int32_t> unused_;             // indices of strided accesses
  std::vector<std::vector<int>> yields_;
  std::vector<std::string> open_;                 // names of the open axes
  std::vector<std::vector<std::string>> scopes_;  // names that end with each open loop
  std::set<std::string> headers_;
  Names names_;
  std::string body_;
  std::size_t indent_ = 1;
  int divisions_ = 0;  // printed so far, of those that may be products
  bool one_block_ = false, pending_barrier_ = false;
};

}  // namespace gnomon
