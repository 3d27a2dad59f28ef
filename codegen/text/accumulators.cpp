// Spells accumulators that are one variable.
#include "codegen/text/accumulators.h"

#include <fmt/format.h>

#include <cmath>

#include "stdlib/ops.h"

namespace gnomon {

std::string_view Accumulators::combine(int acc) const {
  return reduction(acc).reduction.combine->scalar.function;
}

std::string Accumulators::combiner(int acc) const {
  return fmt::format("[](auto a, auto b) {{ return {}(a, b); }}", combine(acc));
}

const char* Accumulators::greatest(int acc) const {
  return reduction(acc).reduction.combine == &op::maximum ? "true" : "false";
}

std::string Accumulators::own_name(int acc) const {
  return is_search(acc) ? "best" : std::string(reduction(acc).name);
}

void Accumulators::join_product(int reduce) {
  const std::int32_t value = outline_[reduce].args[1];
  const Statement& product = outline_[value];
  if (&reduction(outline_[reduce].args[0]) != &op::sum) return;
  if (product.code != Code::let || product.op != &op::multiply_add) return;
  const Statement& addend = outline_[product.args[2]];
  const double number = addend.dtype == DType::float32 ? addend.value.f32 : addend.value.f64;
  if (addend.code != Code::constant || number != 0 || !std::signbit(number)) return;
  const std::array factors{product.args[0], product.args[1]};
  for (const std::int32_t a : factors) outline_.add_use(a);
  outline_.release(value);
  products_.emplace(reduce, factors);
}

const std::string& Accumulators::begin(int acc, const std::string& wish) {
  const Statement& s = outline_[acc];
  w_.include(s.op->reduction.combine->scalar.header);
  w_.set_name(acc, w_.fresh(s.name.empty() ? wish : s.name));
  return w_.name(acc);
}

void Accumulators::declare(int acc) {
  const Statement& s = outline_[acc];
  const std::string& name = begin(acc, own_name(acc));
  const std::string identity = literal(s.dtype, s.value), t = type_name(s.dtype);
  w_.line(is_search(acc)
              ? fmt::format("gn::Best<{}, i64> {} = {{{}, {}}};", t, name, identity, no_index)
              : fmt::format("{} {} = {};", t, name, identity));
}

void Accumulators::reduce(int i) { take(i, w_.name(outline_[i].args[0]), false); }

void Accumulators::take(int reduce, const std::string& target, bool lanes) {
  const Statement& s = outline_[reduce];
  const int acc = s.args[0];
  if (const auto product = products_.find(reduce); product != products_.end()) {
    const auto [x, y] = product->second;
    w_.include(op::fma.scalar.header);
    return w_.line(fmt::format("{0} = {1}({2}, {3}, {0});", target, op::fma.scalar.function,
                               w_.use(x, lanes), w_.use(y, lanes)));
  }
  const std::string value = w_.use(s.args[1], lanes);
  w_.line(is_search(acc) ? fmt::format("gn::take_better<{}>({}, {}, {});", greatest(acc), target,
                                       value, w_.use(s.args[2], lanes))
                         : fmt::format("{0} = {1}({0}, {2});", target, combine(acc), value));
}

void Accumulators::fold(int i) {
  const int acc = outline_[i].args[0];
  if (is_search(acc)) return name_field(i, w_.name(acc));
  if (!outline_[i].name.empty()) return define_fold(i, w_.name(acc));
  w_.set_name(i, w_.name(acc));
}

void Accumulators::fold_search(int i, const std::string& expression) {
  const auto [known, first] = folded_.try_emplace(outline_[i].args[0]);
  if (first) {
    known->second = w_.fresh("best");
    w_.line(fmt::format("const auto {} = {};", known->second, expression));
  }
  name_field(i, known->second);
}

void Accumulators::define_fold(int i, const std::string& expression) {
  w_.wish_for(i, std::string(reduction(outline_[i].args[0]).name));
  w_.define(i, expression);
}

void Accumulators::name_field(int i, const std::string& of) {
  w_.set_name(i, fmt::format("{}.{}", of, outline_[i].number == 0 ? "value" : "index"));
}

}  // namespace gnomon
