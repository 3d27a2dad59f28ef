// Builds the statements of a kernel that move rows whose index is the lane.
#include <algorithm>
#include <array>

#include "codegen/kernels/kernel_builder.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::int64_t longest_row_read = 64;  // elements that are read to use some of them

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
  const bool is_near = stride && stride->is_constant() && stride->constant() < 2;
  if (!stride || is_near || length < 2 || length > longest_row_read || changing_[buffer])
    return std::nullopt;
  const Scalar at = form(rest - Linear{{}, Dim(k)});
  Statement s;
  s.code = Code::read_rows;
  s.buffer = buffer;
  s.dtype = t;
  s.extents = {length};
  s.args = {statement_of(at), statement_of(extent(*stride))};
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

}  // namespace gnomon
