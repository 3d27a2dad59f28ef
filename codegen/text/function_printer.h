// One kernel becomes the text of one function: what all languages have in common.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/text/accumulators.h"
#include "codegen/text/kernel_outline.h"
#include "codegen/text/kernel_writer.h"
#include "codegen/text/language.h"

namespace gnomon {

/// Prints statement after statement. The virtual functions are what a language spells in its own
/// way; those that have a text here give it for one element and one thread.
class FunctionPrinter {
 public:
  virtual ~FunctionPrinter() = default;
  FunctionPrinter(const FunctionPrinter&) = delete;
  FunctionPrinter& operator=(const FunctionPrinter&) = delete;

  virtual KernelText print(const std::string& name);

 protected:
  FunctionPrinter(const Kernel& kernel, const DimensionNames& dimension,
                  std::initializer_list<const char*> reserved = {});

  /// A function up to its parameters, and these.
  struct Head {
    std::string start;
    std::vector<std::string> parameters;
  };
  virtual Head head(const std::string& name) const = 0;
  virtual Accumulators& accumulators() = 0;
  /// What the function's body begins with: of its dimensions.
  virtual std::string opening() const;

  virtual void before_statement(int) {}

  // Loops. What a loop carries is declared between the first two.
  virtual void before_loop(int) {}
  virtual void open_loop(int loop, const std::string& j) = 0;
  virtual void close_loop(int loop) = 0;

  // Values.
  virtual void let(int i);
  virtual void axis_value(int i);

  // Memory.
  virtual std::string element(const Statement& s) const;
  virtual void load(int i);
  virtual void store(int i);
  virtual void update(int i);
  virtual void prefetch(int) {}
  virtual void transpose(int i);
  virtual void read_rows(int i) = 0;
  virtual void write_rows(int i) = 0;
  virtual void update_rows(int i) = 0;

  // What is to happen once.
  virtual void effect(int, const std::string& text) { w_.line(text); }
  virtual void check(int i) = 0;
  virtual void barrier() {}

  /// The buffers that are parameters, those that share no memory with others marked so.
  std::vector<std::string> buffer_parameters(std::string_view restrict_) const;
  /// The buffers in the memory of a worker or block, and where one of them starts, in bytes.
  std::vector<int> scratch_buffers() const;
  std::string scratch_offset(int buffer);
  const Kernel& kernel() const { return outline_.kernel(); }

  KernelOutline outline_;
  KernelWriter w_;

 private:
  static std::string laid_out(const Head& head);
  void statement(int i);
  std::string bounded_text(const Statement& s) const;
  void extent(int i);
  void local(int i);
  std::string element_of_local(const Statement& s, std::size_t args) const;
  void loop(int i);
  void end(int i);
  void declare_carries(int loop);
  void print_yields();

  std::vector<std::vector<int>> yields_;  // of the open loops
};

}  // namespace gnomon
