// Spells loops over blocks and threads, and what happens once a block.
#include "codegen/cuda/cuda_printer.h"

#include <fmt/format.h>

#include "codegen/cuda/launch.h"
#include "codegen/text/rows.h"
#include "runtime/error.h"

namespace gnomon {

// Parallel loops go on in steps of all blocks or threads, so they have no pieces; nothing is asked
// of caches.
CudaPrinter::CudaPrinter(const Kernel& kernel, const DimensionNames& dimension)
    : FunctionPrinter(
          kernel, dimension,
          {"failure", "scratch", "scratch_bytes", "blockIdx", "threadIdx", "blockDim", "gridDim"}) {
  outline_.drop_hints();
}

KernelText CudaPrinter::print(const std::string& name) {
  for (const int b : scratch_buffers())
    w_.line(fmt::format("{0}* {1} = gn::scratch_of<{0}>(scratch, scratch_bytes, {2});",
                        memory_name(kernel().buffers[b].dtype), w_.buffer(b), scratch_offset(b)));
  KernelText result = FunctionPrinter::print(name);
  result.one_block = spread_.needs_one_block();
  for (const auto& [slot, dimension] : w_.dimensions()) result.dimensions.push_back(slot);
  if (result.one_block) result.comment += "// Launch it with one block.\n";
  return result;
}

CudaPrinter::Head CudaPrinter::head(const std::string& name) const {
  Head result{fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}",
                          spread_.threads_of_block(), name),
              {}};
  auto& list = result.parameters;
  for (const auto& [slot, dimension] : w_.dimensions()) list.push_back("i64 " + dimension);
  for (std::string& p : buffer_parameters("__restrict__ ")) list.push_back(std::move(p));
  if (!scratch_buffers().empty()) list.insert(list.end(), {"char* scratch", "i64 scratch_bytes"});
  if (has_checks(kernel())) list.push_back("gn::Failure* failure");
  return result;
}

// Numbers that the host has are parameters, which the text reads as it reads memory.
std::string CudaPrinter::opening() const {
  std::string text;
  for (std::size_t b = 0; b < kernel().buffers.size(); ++b)
    if (kernel().buffers[b].by_value)
      text += fmt::format("  const {}* const {} = &{};\n", memory_name(kernel().buffers[b].dtype),
                          w_.buffer(static_cast<int>(b)), w_.value_of(static_cast<int>(b)));
  return text;
}

// --- loops ---

bool CudaPrinter::has_lanes(int loop) const {
  return spread_.of(loop) == Spread::Over::threads || spread_.of(loop) == Spread::Over::lanes;
}

void CudaPrinter::before_statement(int i) {
  if (!barriers_) barriers_.emplace(outline_, spread_);  // by now all that is not printed is known
  if (barriers_->is_before(i)) barrier();
}

void CudaPrinter::open_loop(int i, const std::string& j) {
  const Statement& s = outline_[i];
  const std::string lo = w_.plain(s.args[0]), hi = w_.plain(s.args[1]);
  const auto strided = [&](const std::string& start, const std::string& step) {
    w_.open(fmt::format("for (i64 {0} = {1}{2}; {0} < {3}; {0} += {4}) {{", j,
                        lo == "0" ? "" : lo + " + ", start, hi, step));
  };
  if (has_lanes(i)) w_.open_lanes(j, 0);
  switch (spread_.of(i)) {
    case Spread::Over::blocks: return strided("blockIdx.x", "gridDim.x");
    case Spread::Over::threads: return strided("threadIdx.x", "blockDim.x");
    case Spread::Over::warps: return strided("gn::grid_warp()", "gn::grid_warps()");
    case Spread::Over::lanes: return strided("gn::lane_of_warp()", "gn::threads_of_warp");
    case Spread::Over::grid: return strided("gn::grid_thread()", "gn::grid_threads()");
    case Spread::Over::one: break;
  }
  if (outline_.axis_of(i).kind == AxisKind::unroll) w_.line("#pragma unroll");
  w_.open(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, lo, hi));
}

void CudaPrinter::close_loop(int i) {
  if (has_lanes(i)) w_.close_lanes();
  if (barriers_->is_at_end(i)) barrier();
  w_.close("}");
}

// --- memory ---

// Of the lanes of a contiguous access that of the thread.
std::string CudaPrinter::element(const Statement& s) const {
  if (s.access != Access::contiguous) return FunctionPrinter::element(s);
  const std::string at = w_.plain(s.args[0]);
  return fmt::format("{}[{}{}]", w_.buffer(s.buffer), at == "0" ? "" : at + " + ", w_.lane_index());
}

// Every thread of a block takes part, so all of them must get here.
void CudaPrinter::transpose(int i) {
  if (spread_.threads_around(i) >= 0)
    throw InternalError("kernel: a block is transposed by some threads");
  FunctionPrinter::transpose(i);
}

void CudaPrinter::read_rows(int i) {
  const Statement& s = outline_[i];
  declare_rows(w_, outline_, i);
  w_.line(fmt::format("gn::read_rows<{}>({}, {});", s.extents[0], w_.name(i),
                      row_address(w_, s, w_.plain(s.args[1]))));
}

void CudaPrinter::write_rows(int i) {
  const Statement& s = outline_[i];
  const auto count = static_cast<std::int64_t>(s.args.size()) - 1;
  const std::string rows = rows_of_values(w_, s);
  w_.line(fmt::format("gn::write_rows<{}>({}, {});", count,
                      row_address(w_, s, std::to_string(count)), rows));
}

void CudaPrinter::update_rows(int) {
  throw InternalError("kernel: rows added in order by the threads of a block");
}

// --- effects ---

// What stands outside the loops over threads happens once a block, or once a warp.
void CudaPrinter::effect(int i, const std::string& text) {
  if (spread_.threads_around(i) >= 0) return w_.line(text);
  int outermost = i;
  while (outline_.parent(outermost) >= 0) outermost = outline_.parent(outermost);
  const bool warps = outline_.is_loop(outermost) && spread_.of(outermost) == Spread::Over::warps;
  w_.line(fmt::format("if ({} == 0) {}", warps ? "gn::lane_of_warp()" : "threadIdx.x", text));
}

void CudaPrinter::check(int i) {
  const Statement& s = outline_[i];
  std::string args;
  for (const std::int32_t a : s.args) args += ", " + w_.plain(a);
  effect(i, fmt::format("gn::check(failure, {}{});", s.number, args));
}

}  // namespace gnomon
