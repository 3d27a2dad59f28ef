// Arguments, promotion, constants, inputs, and the words for values in messages.
#include "ir/graph/expr.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>

#include "ir/graph/leaf.h"
#include "ir/op/numbers.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

Expr::Expr(const Array& constant) {
  if (!constant.defined()) throw TypeError("constant: expected an array, found none");
  // The user keeps a handle and may write to the array later.
  value_ = make_constant(constant.copy());
}

Dim Expr::dim(int axis) const {
  return shape()[static_cast<std::size_t>(normalize_axis(axis, rank(), "dim"))];
}

Origin last_origin(const Expr& e) {
  const std::vector<Origin> known =
      e.defined() ? e.value().node().origins() : std::vector<Origin>();
  return known.empty() ? Origin() : known.back();
}

// ----------------------------------------------------------------------------------- arguments

Arg::Arg(const Dim& d, Place at) : Arg(extent_value(d), at) {}

DType Arg::weak_dtype() const {
  switch (kind_) {
    case Kind::value: return value_.dtype();
    case Kind::truth: return DType::bool_;
    case Kind::whole: return DType::int64;
    case Kind::natural: return DType::uint64;
    case Kind::real: return DType::float64;
    case Kind::complex: break;
  }
  return DType::complex128;
}

Value Arg::as(DType t) const {
  if (is_weak()) return make_constant(array(t));
  if (value_) return value_;
  throw TypeError(fmt::format("expected an expression, found none: never set, or moved from{}",
                              origin_ ? " [" + origin_.text() + "]" : ""));
}

Value Arg::value() const { return as(weak_dtype()); }

// ----------------------------------------------------------------------------------- promotion

namespace {

DType promoted_dtype(std::span<const Arg> args) {
  std::optional<DType> t;
  for (const Arg& arg : args)
    if (const Value* v = arg.strong()) t = t ? promote(*t, v->dtype()) : v->dtype();
  for (const Arg& arg : args)
    if (!arg.strong()) t = t ? promote_weak(*t, arg.weak_dtype()) : arg.weak_dtype();
  // Weak numbers alone promote among themselves in the same way.
  return t.value_or(DType::float64);
}

Value cast_value(const Value& v, DType t, const Origin& origin) {
  return v.dtype() == t ? v : make_node(op::cast, {v}, {t}, origin);
}

Value converted(const Arg& arg, DType t) {
  return arg.strong() ? cast_value(*arg.strong(), t, arg.origin()) : arg.as(t);
}

std::vector<Value> promoted(const Op& op, std::span<const Arg> args) {
  std::vector<Value> values;
  values.reserve(args.size());
  for (const Arg& arg : args) {
    if (const Value* v = arg.strong(); v != nullptr && !*v)
      throw TypeError(fmt::format("{}: expected an expression as operand {}, found none", op.name,
                                  values.size()));
    values.emplace_back();
  }
  const bool choice = op.promotion == Promotion::choice && !args.empty();
  const std::span<const Arg> rest = choice ? args.subspan(1) : args;
  DType t = DType::bool_;
  if (op.promotion != Promotion::none && op.promotion != Promotion::boolean)
    t = promoted_dtype(rest);
  if (op.promotion == Promotion::inexact) t = inexact(t);
  if (op.promotion == Promotion::accumulated) t = accumulated(t);
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (op.promotion == Promotion::none) {
      values[i] = args[i].value();
    } else {
      values[i] = converted(args[i], choice && i == 0 ? DType::bool_ : t);
    }
  }
  return values;
}

Origin origin_of(std::span<const Arg> args) {
  for (const Arg& arg : args)
    if (arg.origin()) return arg.origin();
  return {};
}

Value applied(const Op& op, std::span<const Arg> args, Attributes attributes) {
  const Origin at = origin_of(args);
  const CallPlace call(op.name, at);
  return make_node(op, promoted(op, args), std::move(attributes), at);
}

}  // namespace

Expr apply(const Op& op, std::span<const Arg> args, Attributes attributes) {
  return Expr(applied(op, args, std::move(attributes)));
}

Expr apply(const Op& op, std::initializer_list<Arg> args, Attributes attributes) {
  return apply(op, std::span<const Arg>(args.begin(), args.size()), std::move(attributes));
}

std::vector<Expr> apply_all(const Op& op, std::span<const Arg> args, Attributes attributes) {
  const Value first = applied(op, args, std::move(attributes));
  std::vector<Expr> outputs;
  for (std::uint32_t i = 0; i < first.node().output_count(); ++i)
    outputs.emplace_back(Value(first.get(), i));
  return outputs;
}

Expr cast(const Arg& x, DType t) { return Expr(converted(x, t)); }

// ----------------------------------------------------------------------------------- constants

namespace {

[[noreturn]] void does_not_fit(const std::string& value, DType t) {
  throw TypeError(fmt::format("constant: expected a value of {}, found {}", name_of(t), value));
}

Array half_array(double v, DType t) {
  return t == DType::float16 ? Array(Float16(v)) : Array(BFloat16(v));
}

Array array_of(std::complex<double> v, DType t) {
  if (t == DType::complex64) return Array(std::complex<float>(v));
  if (t != DType::complex128) does_not_fit(Array(v).to_string(), t);
  return Array(v);
}

Array array_of(double v, DType t) {
  if (is_complex(t)) return array_of(std::complex<double>(v), t);
  if (is_half(t)) return half_array(v, t);
  return with_type(t, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      return Array(v != 0);
    } else if constexpr (std::is_floating_point_v<T>) {
      return Array(static_cast<T>(v));
    } else {
      const double low = static_cast<double>(std::numeric_limits<T>::min());
      const double beyond = std::ldexp(1.0, std::numeric_limits<T>::digits);
      if (!(v >= low && v < beyond && v == std::trunc(v))) does_not_fit(fmt::format("{}", v), t);
      return Array(static_cast<T>(v));
    }
  });
}

template <std::integral Integer>
Array array_of(Integer v, DType t) {
  if (is_complex(t)) return array_of(std::complex<double>(static_cast<double>(v)), t);
  if (is_half(t)) return half_array(static_cast<double>(v), t);
  return with_type(t, [&]<class T>(T) {
    if constexpr (std::is_same_v<T, bool>) {
      return Array(v != 0);
    } else if constexpr (std::is_integral_v<T>) {
      if (!std::in_range<T>(v)) does_not_fit(fmt::format("{}", v), t);
      return Array(static_cast<T>(v));
    } else {
      return Array(static_cast<T>(v));
    }
  });
}

}  // namespace

Expr constant(std::complex<double> v, DType t) { return Expr(make_constant(array_of(v, t))); }
Expr constant(double v, DType t) { return Expr(make_constant(array_of(v, t))); }
Expr constant(std::int64_t v, DType t) { return Expr(make_constant(array_of(v, t))); }
Expr constant(std::uint64_t v, DType t) { return Expr(make_constant(array_of(v, t))); }

Array Arg::array(DType t) const {
  switch (kind_) {
    case Kind::value: break;
    case Kind::truth:
    case Kind::whole: return array_of(whole_, t);
    case Kind::natural: return array_of(static_cast<std::uint64_t>(whole_), t);
    case Kind::real: return array_of(real_, t);
    case Kind::complex: return array_of(std::complex(real_, imag_), t);
  }
  throw InternalError("argument: expected a number, found an expression");
}

namespace {

std::complex<double> complex_value(const Array& scalar) {
  if (scalar.dtype() == DType::complex64) return *scalar.data<std::complex<float>>();
  return *scalar.data<std::complex<double>>();
}

}  // namespace

const Array* constant_array(const Value& v) {
  return v && v.is(op::constant) ? &v.node().attribute(0).array() : nullptr;
}

std::optional<double> constant_value(const Value& v) {
  const Value* at = &v;
  while (*at && at->op().has(Trait::repeats)) at = &at->input(0);
  const Array* array = constant_array(*at);
  if (array == nullptr || array->rank() != 0) return std::nullopt;
  if (is_complex(array->dtype())) {
    const std::complex<double> c = complex_value(*array);
    return c.imag() == 0 ? std::optional(c.real()) : std::nullopt;
  }
  const Cell cell = cell_load(array->dtype(), array->data(), 0);
  return with_type(array->dtype(),
                   [&]<class T>(T) { return static_cast<double>(cell_get<T>(cell)); });
}

// -------------------------------------------------------------------------------------- inputs

Expr tensor(std::string name, DType dtype, Shape shape) {
  static std::atomic<std::uint64_t> next_id{1};
  const Opaque id{next_id.fetch_add(1, std::memory_order_relaxed), 0, nullptr};
  return Expr(make_node(op::input, {}, {id, std::move(name), dtype, std::move(shape)}));
}

namespace {

Expr tensor_of_rank(std::string name, DType dtype, int rank) {
  Shape shape;
  for (int axis = 0; axis < rank; ++axis)
    shape.push_back(Dim::symbol(fmt::format("{}.{}", name, axis)));
  return tensor(std::move(name), dtype, std::move(shape));
}

}  // namespace

Expr scalar(std::string name, DType dtype) { return tensor_of_rank(std::move(name), dtype, 0); }
Expr vector(std::string name, DType dtype) { return tensor_of_rank(std::move(name), dtype, 1); }
Expr matrix(std::string name, DType dtype) { return tensor_of_rank(std::move(name), dtype, 2); }
Expr tensor3(std::string name, DType dtype) { return tensor_of_rank(std::move(name), dtype, 3); }
Expr tensor4(std::string name, DType dtype) { return tensor_of_rank(std::move(name), dtype, 4); }

// --------------------------------------------------------------------------------- description

namespace {

/// A value in few words; operands of operands are left out.
std::string short_form(const Value& v, int depth) {
  const Node& node = v.node();
  if (const std::string name = leaf_name(v); !name.empty()) return name;
  if (v.is(op::param)) return fmt::format("param({})", node.attribute(0).integer());
  if (const auto c = constant_value(v); c && v.is(op::constant)) return fmt::format("{}", *c);
  if (const Array* a = constant_array(v); a && a->rank() == 0) return a->to_string();
  if (node.operands().empty()) return std::string(v.op().name);
  if (depth == 0) return fmt::format("{}(...)", v.op().name);
  std::string out = fmt::format("{}(", v.op().name);
  constexpr std::size_t shown = 3;
  for (std::size_t i = 0; i < node.operands().size(); ++i) {
    if (i != 0) out += ", ";
    if (i == shown) {
      out += "...";
      break;
    }
    out += short_form(node.input(i), depth - 1);
  }
  out += ')';
  if (node.output_count() > 1) out += fmt::format(".{}", v.index());
  return out;
}

}  // namespace

std::string describe(const Value& v) {
  if (!v) return "none";
  return fmt::format("{}: {}", short_form(v, 1), v.type().text());
}

}  // namespace gnomon
