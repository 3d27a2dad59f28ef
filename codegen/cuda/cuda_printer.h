// One kernel in CUDA C++: one lane a thread.
#pragma once

#include <optional>
#include <string>

#include "codegen/cuda/barriers.h"
#include "codegen/cuda/block_accumulators.h"
#include "codegen/cuda/spread.h"
#include "codegen/text/function_printer.h"

namespace gnomon {

class CudaPrinter final : public FunctionPrinter {
 public:
  CudaPrinter(const Kernel& kernel, const DimensionNames& dimension);

  KernelText print(const std::string& name) override;

 private:
  Head head(const std::string& name) const override;
  std::string opening() const override;
  Accumulators& accumulators() override { return accumulators_; }
  void before_statement(int i) override;
  void open_loop(int i, const std::string& j) override;
  void close_loop(int i) override;
  std::string element(const Statement& s) const override;
  void transpose(int i) override;
  void read_rows(int i) override;
  void write_rows(int i) override;
  void update_rows(int i) override;
  void effect(int i, const std::string& text) override;
  void check(int i) override;
  void barrier() override { w_.line("__syncthreads();"); }

  bool has_lanes(int loop) const;

  Spread spread_{outline_};
  BlockAccumulators accumulators_{outline_, w_, spread_};
  std::optional<Barriers> barriers_;  // of what is printed
};

}  // namespace gnomon
