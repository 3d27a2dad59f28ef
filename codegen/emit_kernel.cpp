// Kernel -> C++ (explicit lanes, masked tails) or CUDA C++ (one lane a thread).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "codegen/emit.h"
#include "codegen/spell.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int widest_unrolled_body = 24;  // statements; longer bodies have enough work in flight

// What an accumulator is, by where it is fed.
struct AccumulatorShape {
  enum class Form { scalar, lanes, chains, block } form = Form::scalar;
  int width = 1, chains = 1;
  bool outside = false;  // fed by a loop over other lanes than its own
};

class KernelPrinter {
 public:
  KernelPrinter(const Kernel& kernel, Language language,
                const std::function<DimensionName(const Atom&)>& dimension)
      : kernel_(kernel),
        language_(language),
        dimension_(dimension),
        names_of_(kernel.body.size()) {}

  KernelText print(const std::string& name) {
    match_loops();
    for (const BufferParam& b : kernel_.buffers) buffer_names_.push_back(fresh_buffer_name(b));
    for (std::size_t i = 0; i < kernel_.body.size(); ++i) statement(i);
    std::string dims;
    for (const auto& [slot, text] : used_dims_)
      dims += fmt::format("  const i64 {} = dims[{}];\n", text, slot);
    KernelText result;
    for (const std::string& line : kernel_comment()) result.text += line;
    result.text += signature(name) + " {\n" + dims + body_ + "}\n";
    result.headers = headers_;
    result.statements = kernel_.body.size();
    return result;
  }

 private:
  bool cuda() const { return language_ == Language::cuda; }

  // --- head ---

  std::vector<std::string> kernel_comment() const {
    if (kernel_.comment.empty()) return {};
    return {"// " + kernel_.comment + "\n"};
  }

  std::string fresh_buffer_name(const BufferParam& b) {
    return names_.fresh(b.name.empty() ? (b.writes ? "out" : "in") : b.name);
  }

  std::string signature(const std::string& name) const {
    std::string text =
        cuda() ? fmt::format("extern \"C\" __global__ void {}(const i64* __restrict__ dims", name)
               : fmt::format("void {}(const gn::Call& call, const i64* dims", name);
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const BufferParam& p = kernel_.buffers[b];
      if (p.per_worker) continue;
      text += fmt::format(", {}{}* {} {}", p.writes ? "" : "const ", memory_name(p.dtype),
                          cuda() ? "__restrict__" : "__restrict", buffer_names_[b]);
    }
    return text + ")";
  }

  std::string dimension(const Atom& atom) {
    const DimensionName d = dimension_(atom);
    const auto [known, fresh] = used_dims_.try_emplace(d.slot);
    if (fresh) known->second = names_.fresh(d.name);
    return known->second;
  }
  std::string spelled(const Dim& d) {
    return spell(d, [this](const Atom& a) { return dimension(a); });
  }

  // --- structure ---

  void match_loops() {
    std::vector<int> open;
    parent_.assign(kernel_.body.size(), -1);
    for (std::size_t i = 0; i < kernel_.body.size(); ++i) {
      const Code code = kernel_.body[i].code;
      if (code == Code::end && !open.empty()) {
        end_of_[open.back()] = static_cast<int>(i);
        open.pop_back();
      }
      parent_[i] = open.empty() ? -1 : open.back();
      if (code == Code::loop || code == Code::if_) open.push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < kernel_.body.size(); ++i)
      if (kernel_.body[i].code == Code::reduce) shape_accumulator(static_cast<int>(i));
  }

  const Axis& axis_of(int loop) const { return kernel_.axes[kernel_.body[loop].axis]; }

  int enclosing(int i, AxisKind kind) const {
    for (int at = parent_[i]; at >= 0; at = parent_[at])
      if (kernel_.body[at].code == Code::loop && axis_of(at).kind == kind) return at;
    return -1;
  }

  void shape_accumulator(int reduce) {
    const int acc = kernel_.body[reduce].args[0];
    AccumulatorShape& shape = shapes_[acc];
    using Form = AccumulatorShape::Form;
    if (cuda()) {
      if (enclosing(reduce, AxisKind::thread) != enclosing(acc, AxisKind::thread))
        shape.form = Form::block;
      return;
    }
    const int around = enclosing(acc, AxisKind::vector),
              feeding = enclosing(reduce, AxisKind::vector);
    if (around >= 0) {
      shape.form = Form::lanes;
      shape.width = axis_of(around).width;
    } else if (feeding >= 0) {
      shape.form = Form::chains;
      shape.width = axis_of(feeding).width;
      shape.chains = axis_of(feeding).chains;
      chained_.insert(feeding);
    }
  }

  // --- text ---

  void line(const std::string& text) {
    body_.append(2 * indent_, ' ');
    body_ += text;
    body_ += '\n';
  }

  int width() const { return widths_.empty() ? 1 : widths_.back(); }

  std::string value_type(DType t, bool lanes) const {
    return lanes && !cuda() ? lanes_name(t, width()) : type_name(t);
  }

  std::string wish(const Statement& s) const {
    if (!s.name.empty()) return s.name;
    if (s.op) return std::string(s.op->name);
    if (s.code == Code::extent) return "count";
    if (s.code == Code::load) return buffer_names_[s.buffer] + "_";
    return "t";
  }

  // The value of statement `i`, as lanes when `lanes` asks for them.
  std::string use(std::int32_t i, bool lanes = false) const {
    const Statement& s = kernel_.body[i];
    if (lanes && !s.lanes && !cuda())
      return fmt::format("gn::splat<{}>({})", lanes_name(s.dtype, width()), names_of_[i]);
    return names_of_[i];
  }

  void define(std::size_t i, const std::string& expression) {
    const Statement& s = kernel_.body[i];
    names_of_[i] = names_.fresh(wish(s));
    line(fmt::format("const {} {} = {};", value_type(s.dtype, s.lanes), names_of_[i], expression));
  }

  void statement(std::size_t i) {
    const Statement& s = kernel_.body[i];
    switch (s.code) {
      case Code::constant: names_of_[i] = literal(s.dtype, s.value); break;
      case Code::extent:
        if (s.dim.atom())
          names_of_[i] = spelled(s.dim);
        else
          define(i, spelled(s.dim));
        break;
      case Code::let: let(i); break;
      case Code::cast:
        define(i, fmt::format("gn::convert<{}>({})", value_type(s.dtype, s.lanes), use(s.args[0])));
        break;
      case Code::select:
        define(i, fmt::format("gn::select({}, {}, {})", use(s.args[0], s.lanes),
                              use(s.args[1], s.lanes), use(s.args[2], s.lanes)));
        break;
      case Code::axis: axis_value(i); break;
      case Code::load: load(i); break;
      case Code::store: store(i); break;
      case Code::update: update(i); break;
      case Code::loop: loop(i); break;
      case Code::end: end(i); break;
      case Code::acc: accumulator(i); break;
      case Code::reduce: reduce(i); break;
      case Code::fold: fold(i); break;
      case Code::local: local(i); break;
      case Code::get: define(i, element_of_local(s, s.args.size())); break;
      case Code::set:
        line(fmt::format("{} = {};", element_of_local(s, s.args.size() - 1),
                         use(s.args.back(), kernel_.body[s.args[0]].lanes)));
        break;
      case Code::check: check(i); break;
      case Code::carry: break;  // declared before its loop
      case Code::yield: yields_.back().push_back(static_cast<int>(i)); break;
      case Code::if_:
        line(fmt::format("if ({}) {{", use(s.args[0])));
        ++indent_;
        break;
      case Code::else_:
        --indent_;
        line("} else {");
        ++indent_;
        break;
      case Code::prefetch:
        line(fmt::format("gn::prefetch({} + {});", buffer_names_[s.buffer], use(s.args[0])));
        break;
      case Code::barrier: line(cuda() ? "__syncthreads();" : ""); break;
    }
  }

  static bool reads_the_same_infix(const Statement& s, const Kernel& kernel) {
    if (s.op->scalar.infix.empty()) return false;
    const DType t = kernel.body[s.args[0]].dtype;
    return is_float(t) && s.dtype == t;
  }

  void let(std::size_t i) {
    const Statement& s = kernel_.body[i];
    if (!s.op->scalar.header.empty()) headers_.insert(std::string(s.op->scalar.header));
    const bool index = s.dtype == DType::int64 && !s.lanes;
    const bool infix = reads_the_same_infix(s, kernel_);
    const bool plain_index = index && (s.op == &op::add || s.op == &op::multiply);
    if (infix && s.args.size() == 1)
      return define(i, std::string(s.op->scalar.infix) + use(s.args[0]));
    if (infix || plain_index) {
      const std::string symbol =
          plain_index ? (s.op == &op::add ? "+" : "*") : std::string(s.op->scalar.infix);
      std::string text;
      for (const std::int32_t a : s.args)
        text += (text.empty() ? "" : " " + symbol + " ") + use(a, s.lanes);
      return define(i, text);
    }
    std::string text = use(s.args[0], s.lanes);
    const std::string function(s.op->scalar.function);
    if (s.op->operands < 0) {
      for (std::size_t a = 1; a < s.args.size(); ++a)
        text = fmt::format("{}({}, {})", function, text, use(s.args[a], s.lanes));
      return define(i, text);
    }
    for (std::size_t a = 1; a < s.args.size(); ++a) text += ", " + use(s.args[a], s.lanes);
    define(i, fmt::format("{}({})", function, text));
  }

  void axis_value(std::size_t i) {
    const Statement& s = kernel_.body[i];
    const std::string& j = axis_names_.at(s.axis);
    if (!s.lanes || cuda()) {
      names_of_[i] = j;
      return;
    }
    const std::string v = lanes_name(DType::int64, width());
    define(i, fmt::format("gn::splat<{0}>({1}) + gn::iota<{0}>()", v, j));
  }

  // --- memory ---

  std::string address(const Statement& s) const {
    const std::string& b = buffer_names_[s.buffer];
    const Statement& at = kernel_.body[s.args[0]];
    const bool zero = at.code == Code::constant && at.value.i == 0;
    if (s.access == Access::contiguous) {
      const std::string& j = axis_names_.at(vector_axes_.back());
      return zero ? fmt::format("{} + {}", b, j)
                  : fmt::format("{} + {} + {}", b, use(s.args[0]), j);
    }
    return fmt::format("{}[{}]", b, use(s.args[0]));
  }

  // A scalar access: of one element, or on CUDA of the thread's.
  std::string element(const Statement& s) const {
    if (s.access == Access::contiguous && cuda()) {
      const std::string& j = axis_names_.at(vector_axes_.back());
      return fmt::format("{}[{} + {}]", buffer_names_[s.buffer], use(s.args[0]), j);
    }
    return fmt::format("{}[{}]", buffer_names_[s.buffer], use(s.args[0]));
  }

  void load(std::size_t i) {
    const Statement& s = kernel_.body[i];
    if (s.access == Access::uniform || cuda()) {
      const std::string e = element(s);
      return define(i, is_bool(s.dtype) ? e + " != 0" : e);
    }
    const std::string v = value_type(s.dtype, true), fill = literal(s.dtype, s.value);
    if (s.access == Access::contiguous)
      return define(i, fmt::format("gn::read<{}>({}, live, {})", v, address(s), fill));
    define(i, fmt::format("gn::read_at<{}>({}, {}, live, {})", v, buffer_names_[s.buffer],
                          use(s.args[0]), fill));
  }

  void store(std::size_t i) {
    const Statement& s = kernel_.body[i];
    if (s.access == Access::uniform || cuda())
      return line(fmt::format("{} = {};", element(s), use(s.args[1])));
    if (s.access == Access::contiguous)
      return line(fmt::format("gn::write({}, {}, live);", address(s), use(s.args[1], true)));
    line(fmt::format("gn::write_at({}, {}, {}, live);", buffer_names_[s.buffer], use(s.args[0]),
                     use(s.args[1], true)));
  }

  void update(std::size_t i) {
    const Statement& s = kernel_.body[i];
    headers_.insert(std::string(s.op->scalar.header));
    const std::string function(s.op->scalar.function);
    if (s.access == Access::uniform || cuda()) {
      const std::string e = element(s);
      return line(fmt::format("{} = {}({}, {});", e, function, e, use(s.args[1])));
    }
    const std::string v = value_type(s.dtype, true);
    if (s.access == Access::contiguous) {
      const std::string at = address(s);
      return line(fmt::format("gn::write({0}, {1}(gn::read<{2}>({0}, live, {3}), {4}), live);", at,
                              function, v, literal(s.dtype, {}), use(s.args[1], true)));
    }
    line(fmt::format("gn::update_at({}, {}, {}, live, [](auto a, auto b) {{ return {}(a, b); }});",
                     buffer_names_[s.buffer], use(s.args[0]), use(s.args[1], true), function));
  }

  // --- loops ---

  int statements_in(int loop) const { return end_of_.at(loop) - loop - 1; }

  void declare_carries(std::size_t loop) {
    for (int i = static_cast<int>(loop) + 1; i < end_of_.at(static_cast<int>(loop)); ++i) {
      const Statement& s = kernel_.body[i];
      if (s.code != Code::carry || parent_[i] != static_cast<int>(loop)) continue;
      names_of_[i] = names_.fresh(s.name.empty() ? "carried" : s.name);
      line(fmt::format("{} {} = {};", value_type(s.dtype, s.lanes), names_of_[i],
                       use(s.args[0], s.lanes)));
    }
  }

  void loop(std::size_t i) {
    const Statement& s = kernel_.body[i];
    const Axis& axis = kernel_.axes[s.axis];
    declare_carries(i);
    const std::string j = names_.fresh(axis.name.empty() ? "i" : axis.name);
    axis_names_[s.axis] = j;
    yields_.emplace_back();
    const std::string lo = use(s.args[0]), hi = use(s.args[1]);
    std::string closing = "}";
    if (cuda()) {
      cuda_loop(axis, j, lo, hi);
    } else if (axis.kind == AxisKind::parallel) {
      const std::string grain = axis.grain >= 0 ? use(axis.grain) : "1";
      line(fmt::format(
          "call.parallel({}, {}, [=](i64 {}_lo, i64 {}_hi, [[maybe_unused]] i32 worker) {{", hi,
          grain, j, j));
      ++indent_;
      declare_scratch();
      line(fmt::format("for (i64 {0} = {0}_lo; {0} < {0}_hi; ++{0}) {{", j));
      closing = "}\n" + std::string(2 * (indent_ - 1), ' ') + "});";
    } else if (axis.kind == AxisKind::vector) {
      const bool unroll = statements_in(static_cast<int>(i)) <= widest_unrolled_body;
      const int chains = chained_.contains(static_cast<int>(i)) ? axis.chains : 1;
      line(fmt::format(
          "gn::vector_loop<{}, {}, {}>({}, {}, [&](i64 {}, auto live, [[maybe_unused]] int chain) "
          "__attribute__((always_inline)) {{",
          axis.width, chains, unroll, lo, hi, j));
      widths_.push_back(axis.width);
      closing = "});";
    } else {
      if (axis.kind == AxisKind::unroll) body_ += "#pragma clang loop unroll(full)\n";
      line(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, lo, hi));
    }
    if (axis.kind == AxisKind::vector || (cuda() && axis.kind == AxisKind::thread))
      vector_axes_.push_back(s.axis);
    closings_.push_back(closing);
    ++indent_;
  }

  void cuda_loop(const Axis& axis, const std::string& j, const std::string& lo,
                 const std::string& hi) {
    switch (axis.kind) {
      case AxisKind::block:
        return line(fmt::format("for (i64 {0} = {1} + blockIdx.x; {0} < {2}; {0} += gridDim.x) {{",
                                j, lo, hi));
      case AxisKind::thread:
        return line(fmt::format(
            "for (i64 {0} = {1} + threadIdx.x; {0} < {2}; {0} += blockDim.x) {{", j, lo, hi));
      case AxisKind::parallel:
        return line(fmt::format(
            "for (i64 {0} = {1} + i64(blockIdx.x) * blockDim.x + threadIdx.x; {0} < {2}; "
            "{0} += i64(gridDim.x) * blockDim.x) {{",
            j, lo, hi));
      default:
        if (axis.kind == AxisKind::unroll) body_ += "#pragma unroll\n";
        return line(fmt::format("for (i64 {0} = {1}; {0} < {2}; ++{0}) {{", j, lo, hi));
    }
  }

  void declare_scratch() {
    Dim offset = 0;
    for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
      const BufferParam& p = kernel_.buffers[b];
      if (!p.per_worker) continue;
      line(fmt::format("{0}* {1} = call.scratch_of<{0}>(worker, {2});", memory_name(p.dtype),
                       buffer_names_[b], spelled(offset)));
      const Dim bytes = p.elements * Dim(static_cast<std::int64_t>(size_of(p.dtype)));
      offset = offset + floor_div(bytes + 63, 64) * 64;
    }
  }

  void end(std::size_t i) {
    const Statement& s = kernel_.body[i];
    if (s.axis < 0) {  // of an if
      --indent_;
      return line("}");
    }
    print_yields();
    const AxisKind kind = kernel_.axes[s.axis].kind;
    if (kind == AxisKind::vector && !cuda()) widths_.pop_back();
    if (kind == AxisKind::vector || (cuda() && kind == AxisKind::thread)) vector_axes_.pop_back();
    --indent_;
    if (kind == AxisKind::parallel && !cuda()) {
      line("}");
      --indent_;
      line("});");
    } else {
      line(closings_.back());
    }
    closings_.pop_back();
  }

  // All at once: the next value of one carry may be the old value of another.
  void print_yields() {
    const auto yields = std::move(yields_.back());
    yields_.pop_back();
    std::vector<std::string> next;
    for (const int y : yields) {
      const Statement& s = kernel_.body[y];
      const Statement& carry = kernel_.body[s.args[0]];
      if (yields.size() == 1) {
        line(fmt::format("{} = {};", names_of_[s.args[0]], use(s.args[1], carry.lanes)));
        return;
      }
      next.push_back(names_.fresh("next"));
      line(fmt::format("const {} {} = {};", value_type(carry.dtype, carry.lanes), next.back(),
                       use(s.args[1], carry.lanes)));
    }
    for (std::size_t k = 0; k < yields.size(); ++k)
      line(fmt::format("{} = {};", names_of_[kernel_.body[yields[k]].args[0]], next[k]));
  }

  // --- reductions ---

  static std::string combiner(const Op& reduction) {
    return fmt::format("[](auto a, auto b) {{ return {}(a, b); }}",
                       reduction.reduction.combine->scalar.function);
  }
  static const char* greatest(const Op& reduction) {
    return reduction.reduction.combine == &op::maximum ? "true" : "false";
  }

  void accumulator(std::size_t i) {
    const Statement& s = kernel_.body[i];
    const AccumulatorShape& shape = shapes_[static_cast<int>(i)];
    using Form = AccumulatorShape::Form;
    headers_.insert(std::string(s.op->reduction.combine->scalar.header));
    names_of_[i] = names_.fresh(s.name.empty() ? std::string(s.op->name) : s.name);
    const std::string identity = literal(s.dtype, s.value), t = type_name(s.dtype);
    const std::string v = lanes_name(s.dtype, shape.width),
                      x = lanes_name(DType::int64, shape.width);
    const std::string& name = names_of_[i];
    const bool arg = s.op->reduction.arg;
    if (shape.form == Form::chains)
      return line(
          arg ? fmt::format("gn::BestChains<{}, {}, {}> {}({});", v, x, shape.chains, name,
                            identity)
              : fmt::format("gn::Accumulator<{}, {}> {}({});", v, shape.chains, name, identity));
    if (shape.form == Form::lanes)
      return line(arg ? fmt::format("gn::Best<{0}, {1}> {2} = {{gn::splat<{0}>({3}), "
                                    "gn::splat<{1}>(0x7fffffffffffffff)}};",
                                    v, x, name, identity)
                      : fmt::format("{0} {1} = gn::splat<{0}>({2});", v, name, identity));
    line(arg ? fmt::format("gn::Best<{}, i64> {} = {{{}, 0x7fffffffffffffff}};", t, name, identity)
             : fmt::format("{} {} = {};", t, name, identity));
  }

  void reduce(std::size_t i) {
    const Statement& s = kernel_.body[i];
    const int a = s.args[0];
    const Statement& acc = kernel_.body[a];
    const AccumulatorShape& shape = shapes_.at(a);
    using Form = AccumulatorShape::Form;
    const bool lanes = shape.form == Form::chains || shape.form == Form::lanes;
    const bool chains = shape.form == Form::chains;
    const std::string target = names_of_[a] + (chains ? ".chain[chain]" : "");
    const std::string value = use(s.args[1], lanes);
    if (acc.op->reduction.arg)
      return line(fmt::format("gn::take_better<{}>({}, {}, {}{});", greatest(*acc.op), target,
                              value, use(s.args[2], lanes), chains ? ", live" : ""));
    const std::string kept =
        chains ? fmt::format("gn::keep(live, {}, {})", value, literal(acc.dtype, acc.value))
               : value;
    line(fmt::format("{} = {}({}, {});", target, acc.op->reduction.combine->scalar.function, target,
                     kept));
  }

  void fold(std::size_t i) {
    const Statement& s = kernel_.body[i];
    const int a = s.args[0];
    const Statement& acc = kernel_.body[a];
    const AccumulatorShape& shape = shapes_[a];
    using Form = AccumulatorShape::Form;
    if (acc.op->reduction.arg) {
      // Both fields come from one fold.
      auto [known, fresh] = folded_.try_emplace(a);
      if (fresh && shape.form == Form::chains) {
        known->second = names_.fresh("best");
        line(fmt::format("const auto {} = gn::fold_best<{}>({});", known->second, greatest(*acc.op),
                         names_of_[a]));
      } else if (fresh && shape.form == Form::block) {
        known->second = names_.fresh("best");
        line(fmt::format("const auto {} = gn::block_best<{}>({});", known->second,
                         greatest(*acc.op), names_of_[a]));
      } else if (fresh) {
        known->second = names_of_[a];
      }
      names_of_[i] = fmt::format("{}.{}", known->second, s.number == 0 ? "value" : "index");
      return;
    }
    if (shape.form == Form::chains)
      return define(i, fmt::format("gn::fold_chains({}, {})", names_of_[a], combiner(*acc.op)));
    if (shape.form == Form::block)
      return define(i, fmt::format("gn::block_fold({}, {}, {})", names_of_[a],
                                   literal(acc.dtype, acc.value), combiner(*acc.op)));
    define(i, names_of_[a]);
  }

  void local(std::size_t i) {
    const Statement& s = kernel_.body[i];
    names_of_[i] = names_.fresh(s.name.empty() ? "r" : s.name);
    std::string extents;
    for (const std::int64_t e : s.extents) extents += fmt::format("[{}]", e);
    line(fmt::format("{} {}{} = {{}};", value_type(s.dtype, s.lanes), names_of_[i], extents));
  }

  std::string element_of_local(const Statement& s, std::size_t args) const {
    std::string text = names_of_[s.args[0]];
    for (std::size_t a = 1; a < args; ++a) text += fmt::format("[{}]", use(s.args[a]));
    return text;
  }

  void check(std::size_t i) {
    const Statement& s = kernel_.body[i];
    if (cuda())
      return line(fmt::format("gn::check(failure, {}, {}, {}, {}, {});", s.number, use(s.args[0]),
                              use(s.args[1]), use(s.args[2]), use(s.args[3])));
    if (!s.lanes && !kernel_.body[s.args[0]].lanes)
      return line(fmt::format("call.check({}, {}, {}, {}, {});", s.number, use(s.args[0]),
                              use(s.args[1]), use(s.args[2]), use(s.args[3])));
    line(fmt::format("call.check<{}>({}, {}, live, {}, {}, {});", width(), s.number,
                     use(s.args[0], true), use(s.args[1], true), use(s.args[2], true),
                     use(s.args[3], true)));
  }

  const Kernel& kernel_;
  Language language_;
  const std::function<DimensionName(const Atom&)>& dimension_;
  std::vector<std::string> names_of_, buffer_names_;
  std::map<int, std::string> used_dims_, axis_names_, folded_;
  std::map<int, int> end_of_;
  std::map<int, AccumulatorShape> shapes_;
  std::set<int> chained_;
  std::vector<int> parent_, widths_, vector_axes_;
  std::vector<std::vector<int>> yields_;
  std::vector<std::string> closings_;
  std::set<std::string> headers_;
  Names names_;
  std::string body_;
  std::size_t indent_ = 1;
};

}  // namespace

KernelText emit_kernel(const Kernel& kernel, const std::string& name, Language language,
                       const std::function<DimensionName(const Atom&)>& dimension) {
  return KernelPrinter(kernel, language, dimension).print(name);
}

}  // namespace gnomon
