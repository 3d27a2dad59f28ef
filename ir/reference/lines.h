// Routines along one axis with numbers, by plain loops. Included by ir/reference/generic.h only.
#pragma once

#include <numeric>

#include "ir/reference/generic.h"

namespace gnomon {

template <class Numbers>
auto Evaluator<Numbers>::lines(Frame& frame, const Node& node) -> Data {
  const LineRule& rule = node.op().lines;
  const Tensor<Number>& x = *operand(frame, node, 0);
  auto made = std::make_shared<Tensor<Number>>();
  made->dtype = node.type().dtype;
  made->shape = frame.extents(node.type().shape);
  made->data.resize(static_cast<std::size_t>(count_of(made->shape, node.op().name)), integer(0));
  const auto apply = [&](const Op& op, const Number& a, const Number& b) {
    const Number pair[] = {a, b};
    const DType result = &op == rule.combine ? x.dtype : DType::bool_;
    return numbers_.apply(op, x.dtype, result, std::span<const Number>(pair, 2));
  };
  const auto is_nan = [&](const Number& a) { return numbers_.is_nan(x.dtype, a); };
  const auto is_less = [&](const Number& a, const Number& b) {
    if (is_nan(a) || is_nan(b)) return is_nan(b) && !is_nan(a);
    return numbers_.to_cell(DType::bool_, apply(*find_op("less"), a, b)).b;
  };

  const bool reverse = lines_form(node).reverse;
  if (rule.kind == LineRoutine::flatnonzero) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < x.data.size(); ++i)
      if (numbers_.to_cell(DType::bool_, x.data[i]).b && at < made->data.size())
        made->data[at++] = integer(static_cast<std::int64_t>(i));
    return made;
  }
  if (rule.kind == LineRoutine::searchsorted) {
    const Tensor<Number>& values = *operand(frame, node, 1);
    for (std::size_t i = 0; i < values.data.size(); ++i)
      made->data[i] = integer(std::count_if(x.data.begin(), x.data.end(), [&](const Number& e) {
        return reverse ? !is_less(values.data[i], e) : is_less(e, values.data[i]);
      }));
    return made;
  }

  const LinesExtents extents = lines_extents(node);
  const std::int64_t outer = frame.extents(extents.outer), inner = frame.extents(extents.inner);
  const std::int64_t n = frame.extents(extents.n), results = frame.extents(extents.count);
  for (std::int64_t line = 0; line < outer * inner; ++line) {
    const auto place = [&](std::int64_t i, std::int64_t length) {
      return static_cast<std::size_t>((line / inner * length + i) * inner + line % inner);
    };
    const auto element = [&](std::int64_t i) -> const Number& { return x.data[place(i, n)]; };
    if (rule.combine != nullptr) {
      for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t at = reverse ? n - 1 - i : i;
        const Number before = i == 0 ? Number{} : made->data[place(reverse ? at + 1 : at - 1, n)];
        Number& y = made->data[place(at, n)];
        if (rule.kind != LineRoutine::linear_recurrence) {
          y = i == 0 ? element(at) : apply(*rule.combine, before, element(at));
          continue;
        }
        const Number& term = operand(frame, node, 1)->data[place(at, n)];
        y = i == 0 ? term
                   : numbers_.add(x.dtype, numbers_.multiply(x.dtype, element(at), before), term);
      }
      continue;
    }
    const bool largest = (rule.kind == LineRoutine::argtopk) != reverse;
    std::vector<std::int64_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t i, std::int64_t j) {
      return largest ? is_less(element(j), element(i)) : is_less(element(i), element(j));
    });
    for (std::int64_t i = 0; i < results; ++i) {
      const std::int64_t from = order[static_cast<std::size_t>(i)];
      made->data[place(i, results)] =
          rule.kind == LineRoutine::sort ? element(from) : integer(from);
    }
  }
  return made;
}

}  // namespace gnomon
