// Compiled elementwise ops, casts and reductions for every dtype they admit, against the reference.
#include <array>

#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr DType compiled_dtypes[] = {bool_,  int8,   int16,  int32,   int64,  uint8,
                                     uint16, uint32, uint64, float32, float64};
constexpr std::int64_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 300};

// The op on operands of one dtype, where it admits that.
std::optional<Expr> apply_if_typed(const Op& op, std::span<const Expr> x) {
  std::vector<Arg> args(x.begin(), x.end());
  try {
    return gnomon::apply(op, args);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("every elementwise op has the bits of the reference, for every dtype and size") {
  Samples random(11);
  for (const DType t : compiled_dtypes) {
    Batch batch(fmt::format("elementwise_{}", name_of(t)));
    batch.options.rewrites = RewriteLevel::none;
    const Dim n = Dim::symbol("n");
    std::vector<Expr> x;
    for (const char* name : {"x", "y", "z", "w"})
      x.push_back(batch.input(name, random.any(t, {1}), {n}));
    for (const Op* op : all_ops()) {
      if (!op->is_elementwise()) continue;
      const std::size_t count = op->operands < 0 ? 3 : static_cast<std::size_t>(op->operands);
      if (count > x.size()) continue;  // those have operands of several dtypes: random_test.cpp
      std::vector<Expr> operands(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(count));
      if (op->promotion == Promotion::choice) operands[0] = cast(x[0], bool_);
      if (const auto e = apply_if_typed(*op, operands)) batch.add(std::string(op->name), *e);
    }
    batch.compile();
    for (const std::int64_t size : sizes)
      batch.check_with({random.any(t, {size}), random.any(t, {size}), random.any(t, {size}),
                        random.any(t, {size})});
  }
}

TEST_CASE("casts have the bits of the reference, between any two dtypes") {
  Samples random(12);
  Batch batch("casts");
  const Dim n = Dim::symbol("n");
  for (const DType from : compiled_dtypes) {
    const Expr x = batch.input(std::string(name_of(from)), random.any(from, {1}), {n});
    for (const DType to : compiled_dtypes)
      batch.add(fmt::format("{} to {}", name_of(from), name_of(to)), cast(x, to));
  }
  batch.compile();
  for (const std::int64_t size : sizes) {
    std::vector<Array> values;
    for (const DType from : compiled_dtypes) values.push_back(random.any(from, {size}));
    batch.check_with(std::move(values));
  }
}

TEST_CASE("operands of different dtypes and ranks broadcast as the reference does") {
  Samples random(13);
  Batch batch("mixed");
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  std::vector<Expr> whole, row, column, number;
  for (const DType t : compiled_dtypes) {
    const std::string name(name_of(t));
    whole.push_back(batch.input(name + "_whole", random.small(t, {5, 9}), {m, n}));
    row.push_back(batch.input(name + "_row", random.small(t, {9}), {n}));
    column.push_back(batch.input(name + "_column", random.small(t, {5, 1}), {m, 1}));
    number.push_back(batch.input(name + "_number", random.small(t, {}), {}));
  }
  for (std::size_t i = 0; i < std::size(compiled_dtypes); ++i)
    for (std::size_t k = 0; k < std::size(compiled_dtypes); k += 1 + (i % 2)) {
      const std::string name =
          fmt::format("{} with {}", name_of(compiled_dtypes[i]), name_of(compiled_dtypes[k]));
      if (is_bool(compiled_dtypes[i]) && is_bool(compiled_dtypes[k])) continue;
      const auto promoted = [&](const auto& make) {
        try {
          batch.add(name, make());
        } catch (const Error&) {
        }
      };
      promoted([&] { return whole[i] + row[k]; });
      promoted([&] { return column[i] * row[k]; });
      promoted([&] { return maximum(number[i], column[k]); });
      promoted([&] { return where(whole[i] < row[k], number[i], column[k]); });
    }
  batch.check();
}

TEST_CASE("every reduction of every dtype, along every axis") {
  Samples random(14);
  for (const DType t : compiled_dtypes) {
    Batch batch(fmt::format("reductions_{}", name_of(t)));
    batch.options.rewrites = RewriteLevel::exact;
    const Expr x = batch.input("x", random.small(t, {1, 1, 1}));
    const double tolerance = t == float32 ? 2e-5 : t == float64 ? 1e-13 : 0;
    const std::vector<Axes> axes_lists = {Axes(), Axes(0), Axes(1), Axes(2),
                                          {0, 1}, {0, 2},  {1, 2}};
    int number = 0;
    for (const Axes& axes : axes_lists) {
      const Keepdims keep = number++ % 2 ? Keepdims::yes : Keepdims::no;
      const auto add = [&](const char* name, auto make, double accuracy) {
        try {
          batch.add(fmt::format("{} #{}", name, number), make(), accuracy);
        } catch (const Error&) {
        }
      };
      add("sum", [&] { return sum(x, axes, keep); }, tolerance);
      add("prod", [&] { return prod(x, axes, keep); }, 20 * tolerance);
      add("max", [&] { return max(x, axes, keep); }, 0);
      add("min", [&] { return min(x, axes, keep); }, 0);
      add("any", [&] { return any(x, axes, keep); }, 0);
      add("all", [&] { return all(x, axes, keep); }, 0);
      add("argmax", [&] { return argmax(x, axes, keep); }, 0);
      add("argmin", [&] { return argmin(x, axes, keep); }, 0);
      if (!is_bool(t)) add("mean", [&] { return mean(x, axes, keep); }, tolerance);
      if (is_float(t)) add("logsumexp", [&] { return logsumexp(x, axes, keep); }, tolerance);
    }
    batch.compile();
    for (const auto& shape : std::vector<std::vector<std::int64_t>>{
             {1, 1, 1}, {3, 5, 7}, {2, 70, 3}, {65, 2, 17}, {130, 1, 64}, {1, 3, 200}})
      batch.check_with({random.small(t, shape)});
  }
}

TEST_CASE("any and all of a column of bools in parts") {
  Samples random(11);
  Batch batch("columns");
  const Expr x = batch.input("x", random.any(DType::bool_, {150, 3}));
  batch.add("any", any(x, {}, keepdims));
  batch.add("all", all(x, {}, keepdims));
  const Expr column =
      batch.input("column", random.any(DType::bool_, {150, 1}), {Dim::symbol("n"), 1});
  batch.add("any of a column", any(column, 0));
  batch.add("all of a column", all(column, 0));
  batch.check();
  batch.check_with({ones({150, 3}, DType::bool_), ones({150, 1}, DType::bool_)});
  batch.check_with({zeros({2, 3}, DType::bool_), zeros({2, 1}, DType::bool_)});
}
