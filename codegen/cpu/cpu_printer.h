// One kernel in C++ for a processor: explicit lanes, masked tails, pieces for threads.
#pragma once

#include <map>
#include <string>

#include "codegen/cpu/lane_accumulators.h"
#include "codegen/cpu/lane_memory.h"
#include "codegen/cpu/strided_accesses.h"
#include "codegen/cpu/vector_loops.h"
#include "codegen/text/function_printer.h"

namespace gnomon {

class CpuPrinter final : public FunctionPrinter {
 public:
  CpuPrinter(const Kernel& kernel, const DimensionNames& dimension)
      : FunctionPrinter(kernel, dimension) {}

 private:
  Head head(const std::string& name) const override;
  Accumulators& accumulators() override { return accumulators_; }
  void before_loop(int i) override;
  void open_loop(int i, const std::string& j) override;
  void close_loop(int i) override;
  void let(int i) override;
  void axis_value(int i) override;
  void load(int i) override;
  void store(int i) override;
  void update(int i) override;
  void prefetch(int i) override { memory_.prefetch(i); }
  void read_rows(int i) override { memory_.read_rows(i); }
  void write_rows(int i) override { memory_.write_rows(i); }
  void update_rows(int i) override { memory_.update_rows(i); }
  void check(int i) override;

  bool is_uniform(int i) const { return outline_[i].access == Access::uniform; }
  void open_parallel_loop(int i, const std::string& j);
  bool uses_buffer(int loop, int buffer) const;
  void open_vector_loop(int i, const std::string& j);
  void open_calls(int i, const std::string& j);
  void open_parts(int i, const std::string& j);
  void declare_part(int width, std::int64_t live);
  std::string part_type(int width, std::int64_t live) const;
  std::string declare_lead(int loop);
  bool is_product_of_reciprocal(int i);

  StridedAccesses strided_{outline_};
  VectorLoops vectors_{outline_, strided_};
  LaneAccumulators accumulators_{outline_, w_, vectors_};
  LaneMemory memory_{outline_, w_, strided_};
  std::map<int, std::string> divisors_;  // statements that the lanes of the open loop divide by
  int divisions_ = 0;                    // printed so far, of those that may be products
};

}  // namespace gnomon
