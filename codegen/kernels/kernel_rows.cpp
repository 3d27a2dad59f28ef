// Kernel statements that move rows whose index is the lane: building and spelling them.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/kernels/kernel_builder.h"
#include "codegen/text/emit_kernel.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::int64_t longest_row = 64;  // elements that are read to use some of them

}  // namespace

// The elements from lane to lane; `rest` gets the offset of lane 0.
std::optional<Dim> KernelBuilder::row_stride(const Linear& offset, Linear* rest) const {
  std::optional<Dim> stride;
  *rest = {};
  rest->constant = offset.constant;
  for (const auto& [v, c] : offset.terms) {
    if (!variable_lanes(v)) {
      *rest = *rest + Linear::of(v) * c;
      continue;
    }
    if (stride || space_.variable(v).kind != IndexSpace::Variable::Kind::axis) return std::nullopt;
    stride = c;
  }
  return stride;
}

std::optional<Scalar> KernelBuilder::load_of_row(int buffer, const Linear& offset,
                                                 std::int64_t length, std::int64_t k, DType t) {
  Linear rest;
  const auto stride = row_stride(offset, &rest);
  if (!stride || !stride->is_constant() || stride->constant() < 2 || length < 2 ||
      length > longest_row || changing_[buffer])
    return std::nullopt;
  const Scalar at = form(rest - Linear{{}, Dim(k)});
  Statement s;
  s.code = Code::read_rows;
  s.buffer = buffer;
  s.dtype = t;
  s.extents = {length, stride->constant()};
  s.args = {statement_of(at)};
  s.lanes = true;
  int depth = this->depth();
  while (!scopes_[depth].vector && depth > infos_[at.id].depth) --depth;
  const auto shared = [&](Statement one) {
    const std::string key = key_of(one);
    if (const auto known = scopes_[depth].common.find(key); known != scopes_[depth].common.end())
      return known->second;
    const Scalar made = add_info({t, true, depth, append(depth, std::move(one)), std::nullopt});
    scopes_[depth].common.emplace(key, made);
    return made;
  };
  const Scalar rows = shared(std::move(s));
  Statement get;
  get.code = Code::get;
  get.dtype = t;
  get.lanes = true;
  get.args = {infos_[rows.id].statement, statement_of(integer(k))};
  return shared(std::move(get));
}

bool KernelBuilder::is_row_start(const Linear& offset, std::int64_t length) const {
  Linear rest;
  const auto stride = row_stride(offset, &rest);
  return stride && stride->is(length);
}

void KernelBuilder::put_rows(Statement s, int buffer, const Linear& at,
                             std::span<const Scalar> values) {
  s.buffer = buffer;
  s.dtype = dtype(values[0]);
  s.lanes = true;
  s.args = {statement_of(form(at))};
  for (const Scalar v : values) s.args.push_back(statement_of(v));
  append(depth(), std::move(s));
}

void KernelBuilder::store_rows(int buffer, const Linear& offset, std::span<const Scalar> values) {
  Linear rest;
  const auto stride = row_stride(offset, &rest);
  if (!stride || !stride->is(static_cast<std::int64_t>(values.size())))
    throw InternalError("kernel: rows with gaps");
  Statement s;
  s.code = Code::write_rows;
  put_rows(std::move(s), buffer, rest, values);
}

void KernelBuilder::update_rows(int buffer, const Linear& offset, std::span<const Scalar> values,
                                const Op& op) {
  Statement s;
  s.code = Code::update_rows;
  s.op = &op;
  put_rows(std::move(s), buffer, offset, values);
}

bool KernelBuilder::depends_on(int variable, int a, int b) const {
  if (variable == a || variable == b) return true;
  const IndexSpace::Variable& x = space_.variable(variable);
  if (x.kind == IndexSpace::Variable::Kind::opaque) return true;
  return std::ranges::any_of(x.dividend.terms,
                             [&](const auto& term) { return depends_on(term.first, a, b); });
}

void KernelBuilder::transpose(int from, const Linear& offset, const Dim& stride,
                              const std::array<Scalar, 2>& counts, int to, std::int64_t length) {
  Statement s;
  s.code = Code::transpose;
  s.buffer = from;
  s.number = to;
  s.dtype = kernel_.buffers[static_cast<std::size_t>(from)].dtype;
  s.extents = {length};
  int depth = 0;
  for (const Scalar a : {form(offset), extent(stride), counts[0], counts[1]}) {
    s.args.push_back(statement_of(a));
    depth = std::max(depth, infos_[a.id].depth);
  }
  append(depth, std::move(s));
}

// --- text ---

// Where the row of lane 0 starts; on CUDA that of the thread.
std::string KernelEmitter::row_address(const Statement& s, std::int64_t stride) const {
  const std::string& j = axis_names_.at(lane_axes_.back());
  const std::string at = plain(s.args[0]);
  return fmt::format("{}{} + {} * {}", buffer_names_[s.buffer], at == "0" ? "" : " + " + at, j,
                     stride);
}

void KernelEmitter::read_rows(std::size_t i) {
  const Statement& s = kernel_.body[i];
  headers_.insert("rows.h");
  names_of_[i] = fresh(s.name.empty() ? buffer_names_[s.buffer] + "_rows" : s.name);
  line(fmt::format("{} {}[{}];", value_type(s.dtype, true), names_of_[i], s.extents[0]));
  line(fmt::format("gn::read_rows<{}>({}, {}{});", s.extents[0], names_of_[i],
                   row_address(s, s.extents[1]),
                   cuda() ? "" : fmt::format(", {}, live", s.extents[1])));
}

void KernelEmitter::write_rows(std::size_t i) {
  const Statement& s = kernel_.body[i];
  headers_.insert("rows.h");
  const auto count = static_cast<std::int64_t>(s.args.size()) - 1;
  std::string values;
  for (std::size_t k = 1; k < s.args.size(); ++k)
    values += (k == 1 ? "" : ", ") + use(s.args[k], true);
  const std::string rows = fresh(buffer_names_[s.buffer] + "_rows");
  line(fmt::format("const {} {}[] = {{{}}};", value_type(s.dtype, true), rows, values));
  const std::string live = cuda() ? "" : ", live";
  if (s.code == Code::write_rows)
    return line(
        fmt::format("gn::write_rows<{}>({}, {}{});", count, row_address(s, count), rows, live));
  if (cuda()) throw InternalError("kernel: rows added in order by the threads of a block");
  headers_.insert(std::string(s.op->scalar.header));
  const std::string at = plain(s.args[0]);
  line(fmt::format(
      "gn::update_rows<{}>({}{}, {}, live, [](auto a, auto b) GN_BODY {{ return {}(a, b); }});",
      count, buffer_names_[s.buffer], at == "0" ? "" : " + " + at, rows, s.op->scalar.function));
}

// Every thread of a block takes part, so all of them must get here.
void KernelEmitter::transpose(std::size_t i) {
  const Statement& s = kernel_.body[i];
  if (cuda() && enclosing_threads(static_cast<int>(i)) >= 0)
    throw InternalError("kernel: a block is transposed by some threads");
  headers_.insert("rows.h");
  line(fmt::format("gn::transpose({} + {}, {}, {}, {}, {}, {});", buffer_names_[s.buffer],
                   plain(s.args[0]), plain(s.args[1]), plain(s.args[2]), plain(s.args[3]),
                   buffer_names_[s.number], s.extents[0]));
}

}  // namespace gnomon
