// Kernel -> C++ (explicit lanes, masked tails) or CUDA C++ (one lane a thread): frame and loops.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "codegen/text/emit_kernel.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int default_threads = 256;  // of a block whose kernel does not say
constexpr std::size_t columns = 100;

bool has_effect(Code code) {
  return code == Code::store || code == Code::update || code == Code::check;
}

}  // namespace

KernelEmitter::KernelEmitter(const Kernel& kernel, Language language,
                             const std::function<DimensionName(const Atom&)>& dimension)
    : kernel_(kernel),
      language_(language),
      dimension_(dimension),
      names_of_(kernel.body.size()),
      wishes_(kernel.body.size()),
      is_index_(kernel.body.size()),
      is_sum_(kernel.body.size()),
      uses_(kernel.body.size()),
      user_(kernel.body.size(), -1),
      parent_(kernel.body.size(), -1) {
  if (cuda())
    for (const char* name :
         {"failure", "scratch", "scratch_bytes", "blockIdx", "threadIdx", "blockDim", "gridDim"})
      names_.reserve(name);
}

KernelText KernelEmitter::print(const std::string& name) {
  match_loops();
  for (const BufferParam& b : kernel_.buffers)
    buffer_names_.push_back(names_.fresh(b.name.empty() ? (b.writes ? "out" : "in") : b.name));
  find_uses();
  if (!cuda()) find_strided();
  find_index_arithmetic();
  if (cuda()) find_spread();
  for (std::size_t i = 0; i < kernel_.body.size(); ++i)
    if (kernel_.body[i].code == Code::reduce) shape_accumulator(static_cast<int>(i));
  find_exact_products();
  if (cuda()) declare_scratch(-1);
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) statement(i);
  std::string dims;
  for (const auto& [slot, text] : used_dims_)
    dims += fmt::format("  const i64 {} = dims[{}];\n", text, slot);
  KernelText result;
  result.comment = comment_lines(kernel_.comment);
  if (one_block_) result.comment += "// Launch it with one block.\n";
  result.text = head(name) + " {\n" + dims + body_ + "}\n";
  result.headers = headers_;
  result.statements = kernel_.body.size();
  result.one_block = one_block_;
  return result;
}

// --- structure ---

void KernelEmitter::match_loops() {
  std::vector<int> open;
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    const Code code = kernel_.body[i].code;
    if (code == Code::end && !open.empty()) {
      end_of_[open.back()] = static_cast<int>(i);
      loop_of_[static_cast<int>(i)] = open.back();
      open.pop_back();
    }
    parent_[i] = open.empty() ? -1 : open.back();
    if (code == Code::loop || code == Code::if_) open.push_back(static_cast<int>(i));
  }
}

void KernelEmitter::wish_for(std::int32_t i, const std::string& name) {
  const Statement& s = kernel_.body[i];
  if (s.name.empty() && wishes_[i].empty()) wishes_[i] = name;
}

// Counts uses and lets them suggest names: "j_to" for the bound of a loop, "x_at" for an offset.
void KernelEmitter::find_uses() {
  const auto note = [&](std::int32_t i, std::size_t by) {
    ++uses_[i];
    user_[i] = static_cast<int>(by);
  };
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    const Statement& s = kernel_.body[i];
    for (const std::int32_t a : s.args) note(a, i);
    if (s.code == Code::loop) {
      const Axis& axis = kernel_.axes[s.axis];
      const std::string j = axis.name.empty() ? "i" : axis.name;
      wish_for(s.args[0], j + "_from");
      wish_for(s.args[1], j + "_to");
      if (axis.grain >= 0 && !cuda()) {
        note(axis.grain, i);
        wish_for(axis.grain, j + "_grain");
      }
    } else if (s.buffer >= 0) {
      wish_for(s.args[0], buffer_names_[s.buffer] + "_at");
      if (s.code == Code::store && s.args.size() > 2)
        wish_for(s.args[2], buffer_names_[s.buffer] + "_stream");
      if (s.code == Code::prefetch && s.args.size() > 1)
        wish_for(s.args[1], buffer_names_[s.buffer] + "_ahead");
      if (s.code == Code::transpose) {
        wish_for(s.args[2], "rows");
        wish_for(s.args[3], "columns");
      }
    } else if (s.code == Code::check) {
      wish_for(s.args[0], "bad");
    }
  }
}

// Subscripts and bounds cannot overflow, so their sums and products are spelled as such; those of
// a user's numbers wrap and are calls.
void KernelEmitter::find_index_arithmetic() {
  const auto combines = [](const Statement& s) {
    return s.code == Code::let && s.dtype == DType::int64 &&
           (s.op == &op::add || s.op == &op::multiply || s.op == &op::minimum ||
            s.op == &op::maximum || s.op == &op::floor_divide || s.op == &op::remainder);
  };
  for (std::size_t i = 0; i < kernel_.body.size(); ++i)
    is_index_[i] = uses_[i] > 0 && kernel_.body[i].dtype == DType::int64;
  for (std::size_t i = kernel_.body.size(); i-- > 0;) {
    const Statement& s = kernel_.body[i];
    for (std::size_t k = 0; k < s.args.size(); ++k) {
      const bool subscript = s.buffer >= 0 && k == 0;
      const bool index = s.code == Code::loop || s.code == Code::transpose || subscript ||
                         (s.code == Code::check && k == 1) || (combines(s) && is_index_[i]);
      if (!index) is_index_[s.args[k]] = false;
    }
  }
}

int KernelEmitter::enclosing(int i, AxisKind kind) const {
  for (int at = parent_[i]; at >= 0; at = parent_[at])
    if (is_loop(at) && axis_of(at).kind == kind) return at;
  return -1;
}

// The loop around `i` whose iterations are shared out over threads.
int KernelEmitter::enclosing_threads(int i) const {
  for (int at = parent_[i]; at >= 0; at = parent_[at])
    if (const auto known = spread_.find(at);
        known != spread_.end() &&
        (known->second == Spread::threads || known->second == Spread::grid))
      return at;
  return -1;
}

int KernelEmitter::threads_of_block() const {
  int threads = 0;
  for (const Axis& axis : kernel_.axes)
    if (axis.kind == AxisKind::thread) threads = std::max(threads, axis.width);
  return threads > 0 ? threads : default_threads;
}

// Lanes become threads. A parallel axis is shared out over blocks if there are lanes in it, else
// over all threads. Blocks cannot wait for one another: unless one such loop is all there is, the
// kernel runs in one block.
void KernelEmitter::find_spread() {
  int outermost = 0;
  for (const auto& [i, to] : end_of_) {
    if (!is_loop(i)) continue;
    const AxisKind kind = axis_of(i).kind;
    Spread spread = Spread::none;
    if (kind == AxisKind::block) spread = Spread::blocks;
    if (kind == AxisKind::thread || kind == AxisKind::vector) spread = Spread::threads;
    if (kind == AxisKind::parallel) {
      spread = Spread::grid;
      for (int k = i + 1; k < to; ++k)
        if (is_loop(k) &&
            (axis_of(k).kind == AxisKind::vector || axis_of(k).kind == AxisKind::thread))
          spread = Spread::blocks;
    }
    spread_[i] = spread;
    if (parent_[i] >= 0) continue;
    ++outermost;
    one_block_ = one_block_ || spread == Spread::none || spread == Spread::threads;
  }
  one_block_ = one_block_ || outermost != 1;
  for (std::size_t i = 0; i < kernel_.body.size(); ++i)
    one_block_ = one_block_ || (parent_[i] < 0 && has_effect(kernel_.body[i].code));
}

void KernelEmitter::shape_accumulator(int reduce) {
  const int acc = kernel_.body[reduce].args[0];
  AccumulatorShape& shape = shapes_[acc];
  using Form = AccumulatorShape::Form;
  if (cuda()) {
    if (enclosing_threads(reduce) != enclosing_threads(acc)) shape.form = Form::block;
    return;
  }
  const int around = enclosing(acc, AxisKind::vector);
  const int feeding = enclosing(reduce, AxisKind::vector);
  if (around >= 0) {
    shape.form = Form::lanes;
    shape.width = axis_of(around).width;
  } else if (feeding >= 0) {
    shape.form = Form::chains;
    shape.width = axis_of(feeding).width;
    shape.chains = axis_of(feeding).chains;
    shape.rest = vectors_of(feeding) == Vectors::apart;
    chained_.insert(feeding);
  }
  // The places of a search are counted in the lanes' own width, from the start of the loop.
  if (kernel_.body[reduce].args.size() < 3 || shape.form == Form::scalar) return;
  const std::int32_t place = kernel_.body[reduce].args[2];
  if (kernel_.body[place].code != Code::axis) return;
  for (int at = parent_[reduce]; at >= 0 && shape.counted < 0; at = parent_[at])
    if (is_loop(at) && kernel_.body[at].axis == kernel_.body[place].axis) shape.counted = at;
  if (kernel_.body[place].lanes) --uses_[place];
}

// Products that sums add without rounding them first: multiply_add(a, b, -0).
void KernelEmitter::find_exact_products() {
  using Form = AccumulatorShape::Form;
  for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.code != Code::reduce || kernel_.body[s.args[0]].op != &op::sum) continue;
    const Form form = shapes_.at(s.args[0]).form;
    const std::int32_t value = s.args[1];
    const Statement& product = kernel_.body[value];
    if ((form != Form::lanes && form != Form::scalar) || product.code != Code::let) continue;
    if (product.op != &op::multiply_add) continue;
    const Statement& addend = kernel_.body[product.args[2]];
    const double number = addend.dtype == DType::float32 ? addend.value.f32 : addend.value.f64;
    if (addend.code != Code::constant || number != 0 || !std::signbit(number)) continue;
    const std::array factors{product.args[0], product.args[1]};
    for (const std::int32_t a : factors) ++uses_[a];
    release(value);
    products_.emplace(static_cast<int>(i), factors);
  }
}

bool KernelEmitter::has_scratch() const {
  return std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(),
                     [](const BufferParam& p) { return p.per_worker; });
}

bool KernelEmitter::uses_buffer(int loop, int buffer) const {
  for (int i = loop + 1; i < end_of_.at(loop); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.buffer == buffer || (s.code == Code::transpose && s.number == buffer)) return true;
  }
  return false;
}

bool KernelEmitter::uses_scratch(int loop) const {
  for (std::size_t b = 0; b < kernel_.buffers.size(); ++b)
    if (kernel_.buffers[b].per_worker && uses_buffer(loop, static_cast<int>(b))) return true;
  return false;
}

// --- head ---

std::vector<std::string> KernelEmitter::parameters() const {
  std::vector<std::string> list;
  if (!cuda()) list.push_back("const gn::Call& call");
  list.push_back(cuda() ? "const i64* __restrict__ dims" : "const i64* dims");
  for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
    const BufferParam& p = kernel_.buffers[b];
    if (p.per_worker) continue;
    list.push_back(fmt::format("{}{}* {}{}", p.writes ? "" : "const ", memory_name(p.dtype),
                               p.aliased ? ""
                               : cuda()  ? "__restrict__ "
                                         : "__restrict ",
                               buffer_names_[b]));
  }
  if (cuda() && has_scratch()) list.insert(list.end(), {"char* scratch", "i64 scratch_bytes"});
  const bool checks = std::any_of(kernel_.body.begin(), kernel_.body.end(),
                                  [](const Statement& s) { return s.code == Code::check; });
  if (cuda() && checks) list.push_back("gn::Failure* failure");
  return list;
}

std::string KernelEmitter::head(const std::string& name) const {
  const std::string start =
      cuda() ? fmt::format("extern \"C\" __global__ void __launch_bounds__({}) {}(",
                           threads_of_block(), name)
             : fmt::format("void {}(", name);
  const auto list = parameters();
  std::string text = start + fmt::format("{})", fmt::join(list, ", "));
  if (text.size() + 2 <= columns) return text;
  text = start;
  std::size_t used = columns;  // of the line, so that the first parameter starts one
  for (std::size_t k = 0; k < list.size(); ++k) {
    const std::string part = list[k] + (k + 1 < list.size() ? "," : ")");
    const bool fits = used + 1 + part.size() + 2 <= columns;
    text += (fits ? " " : "\n    ") + part;
    used = (fits ? used + 1 : 4) + part.size();
  }
  return text;
}

std::string KernelEmitter::dimension(const Atom& atom) {
  const DimensionName d = dimension_(atom);
  const auto [known, fresh] = used_dims_.try_emplace(d.slot);
  if (fresh) known->second = names_.fresh(d.name);
  return known->second;
}

std::string KernelEmitter::spelled(const Dim& d) {
  return spell(d, [this](const Atom& a) { return dimension(a); });
}

// Outside its loop a name means nothing, so another loop may use it.
std::string KernelEmitter::fresh(const std::string& wish) {
  std::string name = names_.fresh(wish);
  if (!scopes_.empty()) scopes_.back().push_back(name);
  return name;
}

void KernelEmitter::line(const std::string& text) {
  body_.append(2 * indent_, ' ');
  body_ += text;
  body_ += '\n';
}

// --- loops ---

void KernelEmitter::declare_carries(std::size_t loop) {
  for (int i = static_cast<int>(loop) + 1; i < end_of_.at(static_cast<int>(loop)); ++i) {
    const Statement& s = kernel_.body[i];
    if (s.code != Code::carry || parent_[i] != static_cast<int>(loop)) continue;
    names_of_[i] = fresh(s.name.empty() ? "carried" : s.name);
    line(fmt::format("{} {} = {};", value_type(s.dtype, s.lanes), names_of_[i],
                     use(s.args[0], s.lanes)));
  }
}

void KernelEmitter::loop(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const Axis& axis = kernel_.axes[s.axis];
  if (cuda() && parent_[i] < 0 && std::exchange(pending_barrier_, false)) line("__syncthreads();");
  declare_carries(i);
  if (axis.kind == AxisKind::vector && !cuda()) declare_divisors(static_cast<int>(i));
  scopes_.emplace_back();
  const std::string j = fresh(axis.name.empty() ? "i" : axis.name);
  axis_names_[s.axis] = j;
  yields_.emplace_back();
  open_.push_back(j);
  if (cuda())
    cuda_loop(i, j);
  else
    cpp_loop(i, j);
  if (axis.kind == AxisKind::vector || (cuda() && axis.kind == AxisKind::thread))
    lane_axes_.push_back(s.axis);
  ++indent_;
}

void KernelEmitter::cpp_loop(std::size_t i, const std::string& j) {
  const Statement& s = kernel_.body[i];
  const Axis& axis = kernel_.axes[s.axis];
  const std::string lo = plain(s.args[0]), hi = plain(s.args[1]);
  if (axis.kind == AxisKind::parallel) {
    const std::string grain = axis.grain >= 0 ? plain(axis.grain) : "1";
    const std::string from = fresh(j + "_from"), to = fresh(j + "_to");
    line(fmt::format("call.parallel({}, {}, [=](i64 {}, i64 {}, i32{}) {{", hi, grain, from, to,
                     uses_scratch(static_cast<int>(i)) ? " worker" : ""));
    ++indent_;
    declare_scratch(static_cast<int>(i));
    line(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, from, to));
    return;
  }
  if (axis.kind == AxisKind::vector) return vector_loop(static_cast<int>(i), j, lo, hi);
  if (axis.kind == AxisKind::unroll) line("#pragma clang loop unroll(full)");
  line(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, lo, hi));
}

bool KernelEmitter::is_inside(int i, int loop) const { return i > loop && i < end_of_.at(loop); }

void KernelEmitter::cuda_loop(std::size_t i, const std::string& j) {
  const Statement& s = kernel_.body[i];
  const std::string hi = plain(s.args[1]);
  const Statement& first = kernel_.body[s.args[0]];
  const bool zero = first.code == Code::constant && first.value.i == 0;
  const auto strided = [&](const std::string& start, const std::string& step) {
    line(fmt::format("for (i64 {0} = {1}{2}; {0} < {3}; {0} += {4}) {{", j,
                     zero ? "" : plain(s.args[0]) + " + ", start, hi, step));
  };
  switch (spread_.at(static_cast<int>(i))) {
    case Spread::blocks: return strided("blockIdx.x", "gridDim.x");
    case Spread::threads: return strided("threadIdx.x", "blockDim.x");
    case Spread::grid: return strided("gn::grid_thread()", "gn::grid_threads()");
    case Spread::none: break;
  }
  if (kernel_.axes[s.axis].kind == AxisKind::unroll) line("#pragma unroll");
  line(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, plain(s.args[0]), hi));
}

// Memory of one worker that the loop uses; on CUDA (no loop) of one block.
void KernelEmitter::declare_scratch(int loop) {
  Dim offset = 0;
  for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
    const BufferParam& p = kernel_.buffers[b];
    if (!p.per_worker) continue;
    if (loop < 0 || uses_buffer(loop, static_cast<int>(b))) {
      const std::string t = memory_name(p.dtype);
      const std::string from =
          offset.is_constant() ? fmt::format("{}", offset.constant()) : spelled(offset);
      line(cuda() ? fmt::format("{0}* {1} = gn::scratch_of<{0}>(scratch, scratch_bytes, {2});", t,
                                buffer_names_[b], from)
                  : fmt::format("{0}* {1} = call.scratch_of<{0}>(worker, {2});", t,
                                buffer_names_[b], from));
    }
    const Dim bytes = p.elements * Dim(static_cast<std::int64_t>(size_of(p.dtype)));
    offset = offset + floor_div(bytes + 63, 64) * 64;
  }
}

void KernelEmitter::end(std::size_t i) {
  const Statement& s = kernel_.body[i];
  if (s.axis < 0) {  // of an if
    --indent_;
    return line("}");
  }
  print_yields();
  open_.pop_back();
  for (const std::string& name : scopes_.back()) names_.release(name);
  scopes_.pop_back();
  const AxisKind kind = kernel_.axes[s.axis].kind;
  if (kind == AxisKind::vector && !cuda()) {
    widths_.pop_back();
    divisors_.clear();
  }
  if (kind == AxisKind::vector || (cuda() && kind == AxisKind::thread)) lane_axes_.pop_back();
  --indent_;
  if (kind == AxisKind::parallel && !cuda()) {
    line("}");
    fence(i);
    --indent_;
  }
  bool of_lambda = !cuda() && kind == AxisKind::parallel;
  if (!cuda() && kind == AxisKind::vector) {
    const Vectors vectors = vectors_of(loop_of_.at(static_cast<int>(i)));
    of_lambda = vectors == Vectors::apart;
    if (vectors == Vectors::together) {
      line("}");
      --indent_;
    }
  }
  line(of_lambda ? "});" : "}");
  if (cuda() && parent_[i] < 0) pending_barrier_ = true;
}

// What a loop has stored past the caches is there for all threads once it ends.
void KernelEmitter::fence(std::size_t end) {
  std::set<std::string> conditions;
  for (std::size_t i = end; i-- > 0;) {
    const Statement& s = kernel_.body[i];
    if (s.code == Code::loop && s.axis == kernel_.body[end].axis) break;
    if (s.code == Code::store && streams(s)) conditions.insert(is_far(s));
  }
  if (!conditions.empty()) line(fmt::format("if ({}) gn::fence();", fmt::join(conditions, " || ")));
}

// All at once: the next value of one carry may be the old value of another.
void KernelEmitter::print_yields() {
  const auto yields = std::move(yields_.back());
  yields_.pop_back();
  std::vector<std::string> next;
  for (const int y : yields) {
    const Statement& s = kernel_.body[y];
    const Statement& carry = kernel_.body[s.args[0]];
    if (yields.size() == 1)
      return line(fmt::format("{} = {};", names_of_[s.args[0]], use(s.args[1], carry.lanes)));
    next.push_back(fresh("next"));
    line(fmt::format("const {} {} = {};", value_type(carry.dtype, carry.lanes), next.back(),
                     use(s.args[1], carry.lanes)));
  }
  for (std::size_t k = 0; k < yields.size(); ++k)
    line(fmt::format("{} = {};", names_of_[kernel_.body[yields[k]].args[0]], next[k]));
}

KernelText emit_kernel(const Kernel& kernel, const std::string& name, Language language,
                       const std::function<DimensionName(const Atom&)>& dimension) {
  return KernelEmitter(kernel, language, dimension).print(name);
}

}  // namespace gnomon
