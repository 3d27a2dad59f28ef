// The machine code of a loop over each elementwise op: whole vectors, no arithmetic on one element.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "codegen/text/emit.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "ir/graph/graph.h"
#include "passes/pipeline.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "tests/support/module_support.h"

using namespace gnomon;

namespace {

struct Processor {
  const char* cpu;
  const char* registers;  // of the full width, as assembly names them
};
constexpr Processor processors[] = {{"x86-64-v3", "%ymm"}, {"x86-64-v4", "%zmm"}};

// Operands of the dtype that is asked for, of those the op takes.
std::vector<Arg> operands_of(const Op& op, DType t, std::vector<Expr>& inputs) {
  const int count = op.operands < 0 ? 2 : op.operands;
  const Dim n = Dim::symbol("n");
  std::vector<Arg> operands;
  for (int i = 0; i < count; ++i) {
    const bool choice = op.promotion == Promotion::choice && i == 0;
    inputs.push_back(tensor(fmt::format("x{}", i), choice ? DType::bool_ : t, {n}));
    operands.emplace_back(inputs.back());
  }
  return operands;
}

// The assembly of all kernels that give these outputs.
std::string assembly_of(std::span<const Expr> inputs, const Expr& output, const char* cpu) {
  Context context;
  context.options.level = RewriteLevel::none;
  const std::vector<Expr> outputs = {output};
  const Graph graph = run_passes(capture(inputs, outputs).graph, context);
  BuildOptions options;
  options.cpu = cpu;
  options.assembly = true;
  std::string text;
  for (const std::string& unit :
       build(emit(test::module_of(graph, target_named(cpu)), ""), options).assembly)
    text += unit;
  return text;
}

struct Counts {
  int vectors = 0;   // instructions on registers of the full width
  std::string lone;  // the first arithmetic instruction on one float, or call of a library
};

// Of all but the functions gn::detail::..., which finish the rare elements a vector cannot. Sums of
// one number are the counters of series, which all elements share.
Counts counts_of(const std::string& assembly, const std::string& registers) {
  static const std::regex one_float(
      R"(^\s*v?(mul|div|sqrt|min|max|rndscale|round|fn?m(add|sub)\d*)s[sd]\s)");
  static const std::regex call(R"(^\s*callq?\s+(?!_Z|gnomon|mem)[A-Za-z_])");
  Counts counts;
  bool rare = false;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line[0] != '\t' && line[0] != '.' && line[0] != ' ')
      rare = line.starts_with("_ZN2gn6detail");
    if (rare) continue;
    counts.vectors += line.find(registers) != std::string::npos;
    if (counts.lone.empty() &&
        (std::regex_search(line, one_float) || std::regex_search(line, call)))
      counts.lone = line;
  }
  return counts;
}

}  // namespace

TEST_CASE("loops over every elementwise op are vectors") {
  struct Job {
    const Op* op;
    DType dtype;
    const Processor* processor;
    std::vector<Expr> inputs;
    Expr output;
    Counts counts = {};
  };
  std::vector<Job> jobs;
  std::set<const Op*> takes_floats;
  for (const Op* op : all_ops()) {
    if (!op->is_elementwise()) continue;
    for (const DType t : {float32, float64, int64, uint64}) {
      Job job{op, t, &processors[1], {}, {}};
      try {
        const std::vector<Arg> operands = operands_of(*op, t, job.inputs);
        job.output = gnomon::apply(*op, operands);
      } catch (const Error&) {
        continue;  // the op takes other operands
      }
      const auto operands = job.output.value().node().operands();
      if (std::any_of(operands.begin(), operands.end(),
                      [](const Value& v) { return v.is(op::cast); }))
        continue;  // promoted to floats, which have a job of their own
      if (t == float64) job.processor = &processors[0];
      if (is_float(t) || !takes_floats.contains(op)) jobs.push_back(job);
      if (is_float(t)) takes_floats.insert(op);
    }
  }
  REQUIRE(jobs.size() > 120);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      Job& job = jobs[i];
      job.counts = counts_of(assembly_of(job.inputs, job.output, job.processor->cpu),
                             job.processor->registers);
    }
  };
  std::vector<std::future<void>> workers;
  for (unsigned k = 0; k < std::max(1u, std::thread::hardware_concurrency()); ++k)
    workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.get();
  for (const Job& job : jobs) {
    INFO(job.op->name << " of " << name_of(job.dtype) << " for " << std::string(job.processor->cpu)
                      << ": " << job.counts.vectors << " vector instructions; " << job.counts.lone);
    CHECK(job.counts.vectors > 0);
    CHECK(job.counts.lone.empty());
  }
}
