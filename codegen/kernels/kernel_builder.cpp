// Statements, scopes, index forms and accesses of a kernel under construction.
#include "codegen/kernels/kernel_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Atoms by identity: names are for readers, and two symbols may have the same.
std::string atom_key(const Atom& atom) {
  if (atom.kind == Atom::Kind::symbol) return fmt::format("s{}", atom.number);
  return fmt::format("v{}.{}", atom.scalar->node().number(), atom.scalar->index());
}

}  // namespace

std::string KernelBuilder::key_of(const Statement& s) {
  std::string key;
  key.reserve(32 + 4 * s.args.size());
  append_value(key, s.code);
  append_value(key, s.dtype);
  append_value(key, s.access);
  append_value(key, s.axis);
  append_value(key, s.buffer);
  append_value(key, s.op);
  append_value(key, s.value.u);
  for (const std::int32_t a : s.args) append_value(key, a);
  for (const std::int64_t e : s.extents) append_value(key, e);
  if (s.code == Code::extent) key += s.dim.text(atom_key);
  return key;
}

KernelBuilder::KernelBuilder(std::string name) {
  kernel_.name = std::move(name);
  scopes_.emplace_back();
}

Scalar KernelBuilder::add_info(Info info) {
  infos_.push_back(std::move(info));
  return {static_cast<std::int32_t>(infos_.size()) - 1};
}

int KernelBuilder::append(int depth, Statement s) {
  if (s.code == Code::let && s.dtype != DType::int64) cost_ += s.op->scalar.cost;
  scopes_[depth].items.push_back({next_id_, std::move(s)});
  return next_id_++;
}

Scalar KernelBuilder::emit(Statement s, std::span<const Scalar> args, bool reuse) {
  int depth = 0;
  bool lanes = s.lanes;
  const bool operates =
      computed_with_ && (s.code == Code::let || s.code == Code::cast || s.code == Code::select);
  for (const Scalar a : args) {
    s.args.push_back(statement_of(a));
    if (const auto& form = infos_[a.id].linear; operates && form && !form->is_constant())
      computed_with_->push_back(*form);
    depth = std::max(depth, infos_[a.id].depth);
    lanes = lanes || infos_[a.id].lanes;
  }
  s.lanes = lanes;
  const std::string key = reuse ? key_of(s) : std::string();
  if (reuse)
    if (const auto known = scopes_[depth].common.find(key); known != scopes_[depth].common.end())
      return known->second;
  const DType t = s.dtype;
  const Scalar result = add_info({t, lanes, depth, append(depth, std::move(s)), std::nullopt});
  if (reuse) scopes_[depth].common.emplace(key, result);
  return result;
}

Scalar KernelBuilder::constant(DType t, Cell value) {
  if (t == DType::int64) {
    Linear l;
    l.constant = value.i;
    return form(l);
  }
  Statement s;
  s.code = Code::constant;
  s.dtype = t;
  // Only the bits of the dtype may be part of the key.
  s.value.u = 0;
  std::memcpy(&s.value, &value, is_float(t) ? size_of(t) : (is_bool(t) ? 1 : 8));
  return emit(std::move(s), {});
}

Scalar KernelBuilder::extent(const Dim& d) {
  Linear l;
  l.constant = d;
  return form(l);
}

Scalar KernelBuilder::let(const Op& op, std::span<const Scalar> operands) {
  Statement s;
  s.code = Code::let;
  s.op = &op;
  s.dtype = scalar_result(op, infos_[operands.back().id].dtype);
  return emit(std::move(s), operands);
}

Scalar KernelBuilder::cast(Scalar x, DType to) {
  if (dtype(x) == to) return x;
  Statement s;
  s.code = Code::cast;
  s.dtype = to;
  const DType from = dtype(x);
  const Scalar result = emit(std::move(s), std::array{x});
  if (to == DType::int64 && is_unsigned(from) && size_of(from) < 8)
    set_extent(result, std::int64_t{1} << (8 * size_of(from)));
  return result;
}

Scalar KernelBuilder::select(Scalar condition, Scalar a, Scalar b) {
  if (a == b) return a;
  Statement s;
  s.code = Code::select;
  s.dtype = dtype(a);
  return emit(std::move(s), std::array{condition, a, b});
}

// The value of a variable of index forms, as a statement.
Scalar KernelBuilder::variable_value(int v) {
  const IndexSpace::Variable x = space_.variable(v);
  if (x.kind == IndexSpace::Variable::Kind::opaque) return {x.id};
  if (x.kind == IndexSpace::Variable::Kind::quotient) {
    Statement s;
    s.code = Code::let;
    s.op = &op::floor_divide;
    s.dtype = DType::int64;
    return emit(std::move(s), std::array{form(x.dividend), extent(x.divisor)});
  }
  Statement s;
  s.code = Code::axis;
  s.dtype = DType::int64;
  s.axis = x.id;
  s.lanes = kernel_.axes[x.id].kind == AxisKind::vector;
  const int depth = axis_depth_.at(x.id);
  const std::string key = key_of(s);
  Scope& scope = scopes_[depth];
  if (const auto known = scope.common.find(key); known != scope.common.end()) return known->second;
  const bool lanes = s.lanes;
  const Scalar result =
      add_info({DType::int64, lanes, depth, append(depth, std::move(s)), std::nullopt});
  scopes_[depth].common.emplace(key, result);
  return result;
}

// --- loops ---

Scalar KernelBuilder::open(Axis axis, Scalar lo, Scalar hi, const Dim& extent) {
  Statement s;
  s.code = Code::loop;
  s.dtype = DType::int64;
  s.axis = static_cast<std::int32_t>(kernel_.axes.size());
  s.name = axis.name;
  s.args = {statement_of(lo), statement_of(hi)};
  if (infos_[lo.id].lanes || infos_[hi.id].lanes)
    throw InternalError("kernel: loop bounds with lanes");
  // Lanes of one element could not be told from the element itself.
  if (axis.kind == AxisKind::vector && extent.is(1)) axis = {axis.name, AxisKind::serial};
  const bool vector = axis.kind == AxisKind::vector;
  kernel_.axes.push_back(std::move(axis));
  const int opener = append(depth(), std::move(s));
  scopes_.emplace_back();
  scopes_.back().opener = opener;
  scopes_.back().axis = static_cast<int>(kernel_.axes.size()) - 1;
  scopes_.back().vector = vector;
  const int v = space_.axis(scopes_.back().axis, extent);
  axis_depth_[scopes_.back().axis] = depth();
  return form(Linear::of(v));
}

void KernelBuilder::open_if(Scalar condition) {
  Statement s;
  s.code = Code::if_;
  s.args = {statement_of(condition)};
  const int opener = append(depth(), std::move(s));
  scopes_.emplace_back();
  scopes_.back().opener = opener;
}

std::array<Scalar, 2> KernelBuilder::piece(Scalar from, const Dim& length, Scalar end) {
  return {from, let(op::minimum, std::array{add(from, extent(length)), end})};
}

void KernelBuilder::close() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  // Statements hoisted while the loop was open stand before it: its own stay together behind them.
  auto& outer = scopes_.back().items;
  const auto loop = std::find_if(outer.begin(), outer.end(),
                                 [&](const Item& item) { return item.id == scope.opener; });
  Item head = std::move(*loop);
  outer.erase(loop);
  outer.push_back(std::move(head));
  for (Item& item : scope.items) outer.push_back(std::move(item));
  Statement end;
  end.code = Code::end;
  end.axis = scope.axis;
  outer.push_back({next_id_++, std::move(end)});
  for (const Scalar s : scope.materialized) infos_[s.id].statement = -1;
  if (scope.axis >= 0) axis_depth_.erase(scope.axis);
}

// --- memory ---

int KernelBuilder::add_buffer(BufferParam buffer) {
  kernel_.buffers.push_back(std::move(buffer));
  changing_.push_back(kernel_.buffers.back().writes);
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

void KernelBuilder::begin_section() {
  if (depth() != 0) throw InternalError("kernel: a section starts inside a loop");
  changing_.assign(changing_.size(), false);
  scopes_[0].common.clear();
}

void KernelBuilder::set_changing(int buffer) { changing_[buffer] = true; }
void KernelBuilder::set_settled(int buffer) { changing_[buffer] = false; }

// The statement without its value; `at` gets the offset without the term of the vector axis.
Statement KernelBuilder::access(Code code, int buffer, const Linear& offset, Scalar* at) {
  Statement s;
  s.code = code;
  s.buffer = buffer;
  Linear rest;
  rest.constant = offset.constant;
  bool unit = false, scattered = false;
  for (const auto& [v, c] : offset.terms) {
    const auto& x = space_.variable(v);
    const bool axis = x.kind == IndexSpace::Variable::Kind::axis;
    if (!variable_lanes(v)) {
      rest = rest + Linear::of(v) * c;
    } else if (axis && c.is(1)) {
      unit = true;
    } else {
      scattered = true;
    }
  }
  if (scattered) {
    s.access = Access::gather;
    *at = form(offset);
  } else {
    s.access = unit ? Access::contiguous : Access::uniform;
    *at = form(rest);
  }
  return s;
}

Scalar KernelBuilder::load(int buffer, const Linear& offset, DType t, Cell fill) {
  Scalar at;
  Statement s = access(Code::load, buffer, offset, &at);
  s.dtype = t;
  s.value = fill;
  const bool changes = changing_[buffer];
  if (s.access != Access::contiguous && !changes) return emit(std::move(s), std::array{at});
  // Contiguous lanes belong to the vector axis; a buffer that changes is read where it is asked.
  s.args.push_back(statement_of(at));
  s.lanes = s.access == Access::contiguous || infos_[at.id].lanes;
  int depth = this->depth();
  if (!changes)
    while (!scopes_[depth].vector && depth > infos_[at.id].depth) --depth;
  const std::string key = key_of(s);
  if (!changes)
    if (const auto known = scopes_[depth].common.find(key); known != scopes_[depth].common.end())
      return known->second;
  const bool lanes = s.lanes;
  const Scalar result = add_info({t, lanes, depth, append(depth, std::move(s)), std::nullopt});
  if (!changes) scopes_[depth].common.emplace(key, result);
  return result;
}

void KernelBuilder::store(int buffer, const Linear& offset, Scalar value, const Dim& stream) {
  Scalar at;
  Statement s = access(Code::store, buffer, offset, &at);
  s.dtype = dtype(value);
  s.args = {statement_of(at), statement_of(value)};
  s.lanes = s.access != Access::uniform;
  s.stream = s.access == Access::contiguous && !stream.is(0);
  if (s.stream) s.args.push_back(statement_of(extent(stream)));
  append(depth(), std::move(s));
}

void KernelBuilder::prefetch(int buffer, const Linear& offset, const Dim& ahead) {
  Scalar at;
  Statement s = access(Code::prefetch, buffer, offset, &at);
  if (s.access != Access::contiguous) return;
  s.args = {statement_of(at), statement_of(extent(ahead))};
  append(depth(), std::move(s));
}

void KernelBuilder::update(int buffer, const Linear& offset, Scalar value, const Op& o,
                           bool atomic) {
  Scalar at;
  Statement s = access(Code::update, buffer, offset, &at);
  s.dtype = dtype(value);
  s.op = &o;
  s.atomic = atomic;
  s.args = {statement_of(at), statement_of(value)};
  s.lanes = s.access != Access::uniform;
  append(depth(), std::move(s));
}

// --- reductions and carried values ---

Cell KernelBuilder::identity(const Op& o, DType t) {
  using Identity = Reduction::Identity;
  Cell c{};
  c.u = 0;
  const auto set = [&](double f, std::int64_t i, std::uint64_t u) {
    if (t == DType::float32)
      c.f32 = static_cast<float>(f);
    else if (t == DType::float64)
      c.f64 = f;
    else if (is_unsigned(t))
      c.u = u;
    else if (is_bool(t))
      c.b = u != 0;
    else
      c.i = i;
  };
  const int bits = static_cast<int>(size_of(t)) * 8;
  const auto top = static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1);
  switch (o.reduction.identity) {
    case Identity::zero: set(0, 0, 0); break;
    case Identity::one: set(1, 1, 1); break;
    case Identity::lowest: set(-inf, -top - 1, 0); break;
    case Identity::highest:
      set(inf, top, bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1);
      break;
    case Identity::no: c.b = false; break;
    case Identity::yes: c.b = true; break;
  }
  return c;
}

Scalar KernelBuilder::accumulator(const Op& reduction, DType t) {
  Statement s;
  s.code = Code::acc;
  s.op = &reduction;
  s.dtype = t;
  s.value = identity(reduction, t);
  const int d = depth();
  return add_info({t, false, d, append(d, std::move(s)), std::nullopt});
}

void KernelBuilder::reduce(Scalar acc, Scalar value, Scalar index) {
  Statement s;
  s.code = Code::reduce;
  s.dtype = dtype(value);
  s.args = {infos_[acc.id].statement, statement_of(value)};
  if (index) s.args.push_back(statement_of(index));
  append(depth(), std::move(s));
}

Scalar KernelBuilder::fold(Scalar acc, int field) {
  Statement s;
  s.code = Code::fold;
  s.dtype = field == 0 ? dtype(acc) : DType::int64;
  s.number = field;
  s.args = {infos_[acc.id].statement};
  const int d = depth();
  const bool lanes =
      std::any_of(scopes_.begin(), scopes_.end(), [](const Scope& x) { return x.vector; });
  s.lanes = lanes;
  const DType t = s.dtype;
  return add_info({t, lanes, d, append(d, std::move(s)), std::nullopt});
}

Scalar KernelBuilder::local(DType t, std::vector<std::int64_t> extents, bool lanes) {
  lanes = lanes && std::ranges::any_of(scopes_, &Scope::vector);
  Statement s;
  s.code = Code::local;
  s.dtype = t;
  s.lanes = lanes;
  s.extents = std::move(extents);
  const int d = depth();
  return add_info({t, lanes, d, append(d, std::move(s)), std::nullopt});
}

Scalar KernelBuilder::get(Scalar local, Scalar index) {
  Statement s;
  s.code = Code::get;
  s.dtype = dtype(local);
  s.lanes = infos_[local.id].lanes;
  s.args = {infos_[local.id].statement, statement_of(index)};
  const DType t = s.dtype;
  const bool lanes = s.lanes;
  const int d = depth();
  return add_info({t, lanes, d, append(d, std::move(s)), std::nullopt});
}

void KernelBuilder::set(Scalar local, Scalar index, Scalar value) {
  Statement s;
  s.code = Code::set;
  s.dtype = dtype(local);
  s.args = {infos_[local.id].statement, statement_of(index), statement_of(value)};
  append(depth(), std::move(s));
}

void KernelBuilder::set_name(Scalar s, const std::string& name) {
  const int id = infos_[s.id].statement;
  if (id < 0 || name.empty()) return;
  for (Item& item : scopes_[infos_[s.id].depth].items)
    if (item.id == id && item.statement.name.empty()) item.statement.name = name;
}

Kernel KernelBuilder::finish() {
  if (scopes_.size() != 1) throw InternalError("kernel: a loop is still open");
  std::vector<std::int32_t> position(next_id_, -1);
  auto& items = scopes_[0].items;
  for (std::size_t k = 0; k < items.size(); ++k)
    position[items[k].id] = static_cast<std::int32_t>(k);
  for (Item& item : items) {
    for (std::int32_t& a : item.statement.args) a = position[a];
    kernel_.body.push_back(std::move(item.statement));
  }
  for (Axis& axis : kernel_.axes)
    if (axis.grain >= 0) axis.grain = position[axis.grain];
  return std::move(kernel_);
}

}  // namespace gnomon
