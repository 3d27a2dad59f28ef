// Kernel -> C++ or CUDA C++: values, memory accesses and reductions.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "codegen/text/emit_kernel.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::size_t longest_inlined = 48;  // characters of index arithmetic
constexpr int enough_chains = 4;             // of accumulators that take elements in any order
// Divisions of a kernel from which on the loop waits for the divider, which works beside the other
// units: then most are made of products.
constexpr int many_divisions = 4;
constexpr int divided = 5;  // one of so many is left to the divider
constexpr const char* no_index = "0x7fffffffffffffff";

std::string combiner(const Op& reduction) {
  return fmt::format("[](auto a, auto b) {{ return {}(a, b); }}",
                     reduction.reduction.combine->scalar.function);
}

// A symbol or a value, which has a name of its own.
bool is_named(const Dim& d) {
  const AtomRef atom = d.atom();
  if (!atom) return false;
  const Atom::Kind kind = atom->kind;
  return kind != Atom::Kind::floor_div && kind != Atom::Kind::mod && kind != Atom::Kind::min &&
         kind != Atom::Kind::max;
}

const char* greatest(const Op& reduction) {
  return reduction.reduction.combine == &op::maximum ? "true" : "false";
}

// Whether elements may come in any order: extremes, any, all.
bool is_unordered(const Reduction& r) {
  return r.identity != Reduction::Identity::zero && r.identity != Reduction::Identity::one;
}

}  // namespace

// --- names ---

std::string KernelEmitter::value_type(DType t, bool lanes) const {
  return lanes && !cuda() ? lanes_name(t, width()) : type_name(t);
}

std::string KernelEmitter::wish(std::size_t i) const {
  const Statement& s = kernel_.body[i];
  if (!s.name.empty()) return s.name;
  if (!wishes_[i].empty()) return wishes_[i];
  if (is_plain_index(i)) return "at";
  if (s.op) return std::string(s.op->name);
  if (s.code == Code::extent) return "count";
  if (s.code == Code::load)
    return buffer_names_[s.buffer] + "_" + (open_.empty() ? "value" : open_.back());
  if (s.code == Code::get) return names_of_[s.args[0]] + "_value";
  return s.code == Code::select ? "chosen" : "t";
}

// The value of statement `i`, as lanes when `lanes` asks for them.
std::string KernelEmitter::use(std::int32_t i, bool lanes) const {
  const Statement& s = kernel_.body[i];
  if (lanes && !s.lanes && !cuda())
    return fmt::format("gn::splat<{}>({})", lanes_name(s.dtype, width()), names_of_[i]);
  return names_of_[i];
}

// The value where any integer type will do: a bound, a subscript, a term of index arithmetic.
std::string KernelEmitter::plain(std::int32_t i) const {
  const Statement& s = kernel_.body[i];
  if (s.code == Code::constant && s.dtype == DType::int64 && s.value.i >= 0)
    return fmt::format("{}", s.value.i);
  return use(i);
}

std::string KernelEmitter::factor(std::int32_t i) const {
  return is_sum_[i] ? "(" + names_of_[i] + ")" : plain(i);
}

void KernelEmitter::define(std::size_t i, const std::string& expression) {
  const Statement& s = kernel_.body[i];
  names_of_[i] = fresh(wish(i));
  line(fmt::format("const {} {} = {};", value_type(s.dtype, s.lanes), names_of_[i], expression));
}

// On CUDA what stands outside the loops over threads happens once a block.
void KernelEmitter::effect(std::size_t i, const std::string& text) {
  if (!cuda() || enclosing_threads(static_cast<int>(i)) >= 0) return line(text);
  line("if (threadIdx.x == 0) " + text);
  if (parent_[i] < 0) pending_barrier_ = true;
}

// --- statements ---

void KernelEmitter::statement(std::size_t i) {
  const Statement& s = kernel_.body[i];
  if (unused_.contains(static_cast<std::int32_t>(i))) return;
  switch (s.code) {
    case Code::constant: names_of_[i] = literal(s.dtype, s.value); break;
    case Code::extent:
      if (cuda() && uses_[i] == 0) break;  // the grain of a loop, which has none there
      if (is_named(s.dim))
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
      if (cuda()) break;
      if (s.access == Access::contiguous)
        line(fmt::format("gn::prefetch({}, {}, live);", address(s),
                         s.args.size() > 1 ? plain(s.args[1]) : "0"));
      else
        line(fmt::format("gn::prefetch({} + {});", buffer_names_[s.buffer], plain(s.args[0])));
      break;
    case Code::transpose: transpose(i); break;
    case Code::read_rows: read_rows(i); break;
    case Code::write_rows: write_rows(i); break;
    case Code::update_rows: write_rows(i); break;
    case Code::barrier:
      if (cuda()) line("__syncthreads();");
      break;
  }
}

bool KernelEmitter::has_infix(const Statement& s) const {
  if (s.op->scalar.infix.empty()) return false;
  const DType t = kernel_.body[s.args[0]].dtype;
  return is_float(t) && s.dtype == t;
}

bool KernelEmitter::is_product_of_reciprocal(const Statement& s) {
  const auto is_division = [](const Statement& x) {
    return x.code == Code::let && x.op == &op::divide && x.lanes && x.dtype == DType::float64;
  };
  if (cuda() || !is_division(s)) return false;
  if (std::ranges::count_if(kernel_.body, is_division) < many_divisions) return false;
  return divisions_++ % divided != 0;
}

bool KernelEmitter::is_plain_index(std::size_t i) const {
  const Statement& s = kernel_.body[i];
  return s.code == Code::let && !s.lanes && is_index_[i] &&
         (s.op == &op::add || s.op == &op::multiply);
}

void KernelEmitter::plain_index(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const bool sum = s.op == &op::add;
  std::string text;
  for (const std::int32_t a : s.args)
    text += (text.empty() ? "" : (sum ? " + " : " * ")) + (sum ? plain(a) : factor(a));
  // Only in the same loop: a sum that was hoisted stays outside.
  const bool here = uses_[i] == 1 && parent_[user_[i]] == parent_[i] && s.name.empty();
  if (!here || text.size() > longest_inlined) return define(i, text);
  names_of_[i] = text;
  is_sum_[i] = sum;
}

void KernelEmitter::let(std::size_t i) {
  const Statement& s = kernel_.body[i];
  if (is_plain_index(i)) return plain_index(i);
  if (!s.op->scalar.header.empty()) headers_.insert(std::string(s.op->scalar.header));
  std::string text = use(s.args[0], s.lanes);
  if (s.lanes && s.op == &op::divide && divisors_.contains(s.args[1]))
    return define(i, fmt::format("gn::divide({}, {}, live)", text, divisors_.at(s.args[1])));
  if (is_product_of_reciprocal(s)) {
    headers_.insert("division.h");
    return define(i, fmt::format("gn::quotient({}, {})", text, use(s.args[1], s.lanes)));
  }
  if (has_infix(s)) {
    const std::string symbol(s.op->scalar.infix);
    if (s.args.size() == 1) return define(i, symbol + (text[0] == '-' ? " " : "") + text);
    for (std::size_t a = 1; a < s.args.size(); ++a)
      text += " " + symbol + " " + use(s.args[a], s.lanes);
    return define(i, text);
  }
  const std::string function(s.op->scalar.function);
  if (s.op->operands < 0) {
    for (std::size_t a = 1; a < s.args.size(); ++a)
      text = fmt::format("{}({}, {})", function, text, use(s.args[a], s.lanes));
    return define(i, text);
  }
  for (std::size_t a = 1; a < s.args.size(); ++a) text += ", " + use(s.args[a], s.lanes);
  define(i, fmt::format("{}({})", function, text));
}

void KernelEmitter::axis_value(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const std::string& j = axis_names_.at(s.axis);
  if (!s.lanes || cuda()) {
    names_of_[i] = j;
    return;
  }
  if (uses_[i] == 0) return;
  if (s.name.empty()) wishes_[i] = j + "_lanes";
  define(i, fmt::format("gn::indices<{}>({})", lanes_name(DType::int64, width()), j));
}

// --- memory ---

// Where the lanes of a contiguous access start.
std::string KernelEmitter::address(const Statement& s) const {
  const std::string& b = buffer_names_[s.buffer];
  const std::string& j = axis_names_.at(lane_axes_.back());
  const std::string at = plain(s.args[0]);
  return at == "0" ? fmt::format("{} + {}", b, j) : fmt::format("{} + {} + {}", b, at, j);
}

// A scalar access: of one element, or on CUDA of the thread's.
std::string KernelEmitter::element(const Statement& s) const {
  const std::string at = plain(s.args[0]);
  const bool own = s.access == Access::contiguous;
  if (!own) return fmt::format("{}[{}]", buffer_names_[s.buffer], at);
  const std::string& j = axis_names_.at(lane_axes_.back());
  return fmt::format("{}[{}{}]", buffer_names_[s.buffer], at == "0" ? "" : at + " + ", j);
}

void KernelEmitter::load(std::size_t i) {
  const Statement& s = kernel_.body[i];
  if (s.access == Access::uniform || cuda()) {
    const std::string e = element(s);
    return define(i, is_bool(s.dtype) ? e + " != 0" : e);
  }
  const std::string v = value_type(s.dtype, true), fill = literal(s.dtype, s.value);
  if (strided_load(i)) return;
  if (s.access == Access::contiguous)
    return define(i, fmt::format("gn::read<{}>({}, live, {})", v, address(s), fill));
  define(i, fmt::format("gn::read_at<{}>({}, {}, live, {})", v, buffer_names_[s.buffer],
                        use(s.args[0]), fill));
}

// Memory that is read as well is in the caches already.
bool KernelEmitter::streams(const Statement& s) const {
  return s.stream && !cuda() && !kernel_.buffers[s.buffer].aliased;
}

// Whether there is more than the caches hold.
std::string KernelEmitter::is_far(const Statement& s) const {
  return s.args.size() > 2 ? fmt::format("{} != 0", plain(s.args[2])) : "true";
}

std::string KernelEmitter::stream_condition(std::size_t i) const {
  const Statement& s = kernel_.body[i];
  if (const auto known = past_.find(static_cast<int>(i)); known != past_.end())
    return known->second;
  return fmt::format("{} && gn::is_aligned({})", is_far(s), buffer_names_[s.buffer]);
}

void KernelEmitter::store(std::size_t i) {
  const Statement& s = kernel_.body[i];
  if (s.access == Access::uniform || cuda())
    return effect(i, fmt::format("{} = {};", element(s), use(s.args[1])));
  if (strided_store(i)) return;
  if (s.access == Access::contiguous)
    return line(fmt::format("gn::write({}, {}, live{});", address(s), use(s.args[1], true),
                            streams(s) ? ", " + stream_condition(i) : ""));
  line(fmt::format("gn::write_at({}, {}, {}, live);", buffer_names_[s.buffer], use(s.args[0]),
                   use(s.args[1], true)));
}

void KernelEmitter::update(std::size_t i) {
  const Statement& s = kernel_.body[i];
  headers_.insert(std::string(s.op->scalar.header));
  const std::string function(s.op->scalar.function);
  if (s.access == Access::uniform || cuda()) {
    const std::string e = element(s);
    const std::string old = is_bool(s.dtype) ? e + " != 0" : e;  // bools are bytes in memory
    return effect(i, fmt::format("{} = {}({}, {});", e, function, old, use(s.args[1])));
  }
  const std::string v = value_type(s.dtype, true), value = use(s.args[1], true);
  if (s.access == Access::contiguous) {
    const std::string at = address(s);
    const std::string old = fresh(buffer_names_[s.buffer] + "_old");
    line(fmt::format("const {} {} = gn::read<{}>({}, live, {});", v, old, v, at,
                     literal(s.dtype, {})));
    return line(fmt::format("gn::write({}, {}({}, {}), live);", at, function, old, value));
  }
  line(fmt::format("gn::update_at({}, {}, {}, live, [](auto a, auto b) {{ return {}(a, b); }});",
                   buffer_names_[s.buffer], use(s.args[0]), value, function));
}

void KernelEmitter::local(std::size_t i) {
  const Statement& s = kernel_.body[i];
  names_of_[i] = fresh(s.name.empty() ? "tile" : s.name);
  std::string extents;
  for (const std::int64_t e : s.extents) extents += fmt::format("[{}]", e);
  line(fmt::format("{} {}{};", value_type(s.dtype, s.lanes), names_of_[i], extents));
}

std::string KernelEmitter::element_of_local(const Statement& s, std::size_t args) const {
  std::string text = names_of_[s.args[0]];
  for (std::size_t a = 1; a < args; ++a) text += fmt::format("[{}]", plain(s.args[a]));
  return text;
}

void KernelEmitter::check(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const bool lanes = !cuda() && (s.lanes || kernel_.body[s.args[0]].lanes);
  std::string args;
  for (const std::int32_t a : s.args) args += ", " + (lanes ? use(a, true) : plain(a));
  if (cuda()) return effect(i, fmt::format("gn::check(failure, {}{});", s.number, args));
  if (!lanes) return line(fmt::format("call.check({}{});", s.number, args));
  const std::string condition = use(s.args[0], true);
  line(fmt::format("call.check<{}>({}, {}, live{});", width(), s.number, condition,
                   args.substr(2 + condition.size())));
}

// --- reductions ---

void KernelEmitter::accumulator(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const AccumulatorShape& shape = shapes_[static_cast<int>(i)];
  using Form = AccumulatorShape::Form;
  headers_.insert(std::string(s.op->reduction.combine->scalar.header));
  const bool arg = s.op->reduction.arg, parts = shape.form == Form::chains;
  const std::string own = arg ? "best" : std::string(s.op->name);
  names_of_[i] = fresh(!s.name.empty() ? s.name : parts ? own + "_parts" : own);
  const std::string& name = names_of_[i];
  const std::string identity = literal(s.dtype, s.value), t = type_name(s.dtype);
  const std::string v = lanes_name(s.dtype, shape.width);
  if (parts) {
    const auto declare = [&](const std::string& one, int chains) {
      line(fmt::format("gn::{}<{}, {}> {}({});", arg ? "BestChains" : "Chains", v, chains, one,
                       identity));
    };
    const bool any_order = is_unordered(s.op->reduction);
    declare(name, any_order ? std::min(shape.chains, enough_chains) : shape.chains);
    if (!shape.rest) return;
    rests_[static_cast<int>(i)] = fresh(own + "_rest");
    return declare(rests_.at(static_cast<int>(i)), any_order ? 1 : shape.chains);
  }
  if (shape.form == Form::lanes) {
    const bool counts = shape.counted >= 0;
    const std::string x =
        counts ? fmt::format("gn::place_of<{}>", v) : lanes_name(DType::int64, shape.width);
    return line(arg ? fmt::format("gn::Best<{0}, {1}> {2} = {{gn::splat<{0}>({3}), {1}({4})}};", v,
                                  x, name, identity, counts ? "0" : no_index)
                    : fmt::format("{0} {1} = gn::splat<{0}>({2});", v, name, identity));
  }
  line(arg ? fmt::format("gn::Best<{}, i64> {} = {{{}, {}}};", t, name, identity, no_index)
           : fmt::format("{} {} = {};", t, name, identity));
}

void KernelEmitter::reduce(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const int a = s.args[0];
  const Statement& acc = kernel_.body[a];
  using Form = AccumulatorShape::Form;
  const Form form = shapes_.at(a).form;
  const bool chains = form == Form::chains, lanes = chains || form == Form::lanes;
  std::string target = names_of_[a];
  if (chains) {
    target = fresh(acc.op->reduction.arg ? "best" : std::string(acc.op->name));
    const AccumulatorShape& shape = shapes_.at(a);
    line(shape.rest ? fmt::format("auto& {} = gn::chain_of({}, {}, live, chain);", target,
                                  names_of_[a], rests_.at(a))
                    : fmt::format("auto& {} = gn::chain_of({}, {});", target, names_of_[a],
                                  shape.chains > 1 ? "chain" : "0"));
  }
  if (const auto product = products_.find(static_cast<int>(i)); product != products_.end()) {
    const auto [x, y] = product->second;
    headers_.insert(std::string(op::fma.scalar.header));
    return line(fmt::format("{0} = {1}({2}, {3}, {0});", target, op::fma.scalar.function,
                            use(x, lanes), use(y, lanes)));
  }
  const std::string value = use(s.args[1], lanes);
  if (acc.op->reduction.arg) {
    const int counted = shapes_.at(a).counted;
    if (counted < 0)
      return line(fmt::format("gn::take_better<{}>({}, {}, {});", greatest(*acc.op), target, value,
                              use(s.args[2], lanes)));
    std::string place = axis_names_.at(kernel_.body[counted].axis);
    if (const std::string from = start_of(counted); from != "0") place += " - " + from;
    return line(fmt::format("gn::take_next<{}>({}, {}, {}{});", greatest(*acc.op), target, value,
                            place, chains ? ", live" : ""));
  }
  const std::string kept =
      chains ? fmt::format("gn::keep(live, {}, {})", value, literal(acc.dtype, acc.value)) : value;
  line(fmt::format("{} = {}({}, {});", target, acc.op->reduction.combine->scalar.function, target,
                   kept));
}

// Both results come from one fold.
void KernelEmitter::fold_arg(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const int a = s.args[0];
  const Statement& acc = kernel_.body[a];
  using Form = AccumulatorShape::Form;
  const Form form = shapes_[a].form;
  auto [known, first] = folded_.try_emplace(a, names_of_[a]);
  if (first && (form == Form::chains || form == Form::block)) {
    const std::string how =
        form == Form::chains
            ? fmt::format("gn::fold_best<{}>", greatest(*acc.op))
            : fmt::format("gn::block_best<{}, {}>", threads_of_block(), greatest(*acc.op));
    known->second = fresh("best");
    const std::string rest =
        form == Form::chains ? fmt::format(", {}, {}", rests_.at(a), start_of(shapes_[a].counted))
                             : "";
    line(fmt::format("const auto {} = {}({}{});", known->second, how, names_of_[a], rest));
  }
  if (form == Form::lanes && shapes_[a].counted >= 0 && s.number == 1)
    return define(
        i, fmt::format("{0}({1}) + gn::convert<{0}>({2}.index)", value_type(DType::int64, true),
                       start_of(shapes_[a].counted), known->second));
  names_of_[i] = fmt::format("{}.{}", known->second, s.number == 0 ? "value" : "index");
}

void KernelEmitter::fold(std::size_t i) {
  const Statement& s = kernel_.body[i];
  const int a = s.args[0];
  const Statement& acc = kernel_.body[a];
  using Form = AccumulatorShape::Form;
  if (acc.op->reduction.arg) return fold_arg(i);
  wish_for(static_cast<std::int32_t>(i), std::string(acc.op->name));
  const Form form = shapes_[a].form;
  if (form == Form::chains)
    return define(i, fmt::format("gn::fold_chains({}{}, {})", names_of_[a],
                                 shapes_[a].rest ? ", " + rests_.at(a) : "", combiner(*acc.op)));
  if (form == Form::block)
    return define(i, fmt::format("gn::block_fold<{}>({}, {})", threads_of_block(), names_of_[a],
                                 combiner(*acc.op)));
  if (!s.name.empty()) return define(i, names_of_[a]);
  names_of_[i] = names_of_[a];
}

}  // namespace gnomon
