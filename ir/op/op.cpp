// What type rules share: broadcasting, agreement of extents, errors.
#include "ir/op/op.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/dimension/stretch.h"
#include "runtime/error.h"

namespace gnomon {

StretchQuestion& stretch_question() {
  static thread_local StretchQuestion question = nullptr;
  return question;
}

void TypeContext::fail(const std::string& message) const {
  throw TypeError(fmt::format("{}: {}", name_of_call_or(op.name), message));
}

void TypeContext::refuse(const std::string& message) const {
  throw ValueError(fmt::format("{}: {}", name_of_call_or(op.name), message));
}

void TypeContext::mismatch(const std::string& message) const {
  for (const Value& v : operands)
    if (v.dtype() != operands[0].dtype()) fail(message);
  refuse(message);
}

namespace {

/// The operands as a message names them: "x: f32[n, 3] and w: f32[5, 2]".
std::string list_operands(std::span<const Value> operands) {
  constexpr std::size_t shown = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(operands.size(), shown); ++i) {
    if (i != 0) out += i + 1 == operands.size() ? " and " : ", ";
    out += describe(operands[i]);
  }
  return operands.size() > shown ? out + ", ..." : out;
}

/// One operand with the extent `a` and one with the extent `b`; all operands if there are none.
std::vector<Value> those_with(std::span<const Value> operands, const Dim& a, const Dim& b) {
  std::vector<Value> found;
  const auto has = [](const Value& v, const Dim& d) {
    return std::find(v.shape().begin(), v.shape().end(), d) != v.shape().end();
  };
  for (const Dim* d : {&a, &b}) {
    const auto at =
        std::find_if(operands.begin(), operands.end(), [&](const Value& v) { return has(v, *d); });
    if (at == operands.end()) return {operands.begin(), operands.end()};
    found.push_back(*at);
  }
  if (found[0] == found[1]) found.pop_back();
  return found;
}

}  // namespace

Dim TypeContext::equal(const Dim& a, const Dim& b, std::string_view what) {
  if (a == b) return a;
  // A difference that no value of the symbols can bring to 0 is as bad as two constants.
  if (const Dim difference = a - b; difference.is_constant())
    refuse(fmt::format("{} differ: {}", what, list_operands(operands)));
  if (equalities != nullptr)
    require(a, b, fmt::format("{} differ: {}", what, list_operands(those_with(operands, a, b))));
  return b.is_constant() ? b : a;
}

void TypeContext::require(const Dim& a, const Dim& b, const std::string& message) const {
  if (equalities != nullptr) require_as(a, b, {fmt::format("{}: {}", op.name, message)});
}

void TypeContext::require_as(const Dim& a, const Dim& b, Reason reason) const {
  if (a == b) return;
  if (const Dim difference = a - b; difference.is_constant()) {
    if (reason.is_index) throw IndexError(reason.text);
    throw ValueError(reason.text);
  }
  if (equalities == nullptr) return;
  equalities->emplace_back(a, b);
  if (reasons == nullptr) return;
  reasons->resize(equalities->size());
  reasons->back() = std::move(reason);
}

Shape broadcast_shapes(TypeContext& context, std::span<const Value> operands) {
  const auto meet = [&context](const Dim& a, const Dim& b) {
    ask_to_stretch(a, b);
    return context.equal(a, b, "extents");
  };
  std::size_t rank = 0;
  for (const Value& v : operands) rank = std::max(rank, v.shape().size());
  Shape shape(rank, Dim(1));
  for (const Value& v : operands) {
    const std::size_t first = rank - v.shape().size();
    for (std::size_t i = first; i < rank; ++i) {
      const Dim& d = v.shape()[i - first];
      if (d.is(1)) continue;
      shape[i] = shape[i].is(1) ? d : meet(shape[i], d);
    }
  }
  return shape;
}

namespace {

/// The dtype all operands have.
DType common_dtype(TypeContext& context) {
  const DType t = context.type(0).dtype;
  for (const Value& v : context.operands)
    if (v.dtype() != t)
      context.fail("expected operands of one dtype, found " + list_operands(context.operands));
  return t;
}

}  // namespace

std::vector<Type> elementwise_type(TypeContext& context) {
  const DType t = common_dtype(context);
  return {Type{t, broadcast_shapes(context, context.operands)}};
}

DType scalar_result(const Op& op, DType last) {
  if (op.scalar.result) return *op.scalar.result;
  return op.type == predicate_type ? DType::bool_ : last;
}

std::vector<Type> predicate_type(TypeContext& context) {
  common_dtype(context);
  return {Type{DType::bool_, broadcast_shapes(context, context.operands)}};
}

std::vector<Type> elementwise_float_type(TypeContext& context) {
  if (!is_inexact(common_dtype(context)))
    context.fail("expected floats, found " + list_operands(context.operands));
  return elementwise_type(context);
}

}  // namespace gnomon
