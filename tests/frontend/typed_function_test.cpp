// Functions with types of C++, and vectors and matrices of Eigen.
#include "frontend/typed_function.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "frontend/eigen.h"
#include "frontend/gnomon.h"

using namespace gnomon;

TEST_CASE("typed functions take and give numbers, vectors and matrices") {
  const Expr x = vector("x"), a = scalar("a"), m = matrix("m", float32), n = scalar("n", int64);
  const auto f = compile<double(std::vector<double>, double)>({x, a}, {sum(x * a)});
  static_assert(std::is_same_v<decltype(f({1, 2}, 3)), double>);
  CHECK(f({1, 2, 3}, 2) == 12);
  const auto g = compile<std::tuple<Matrix<float>, std::vector<float>, std::int64_t>(
      MatrixView<float>, std::int64_t)>({m, n}, {m * 2, sum(m, 1), n + 1});
  const float numbers[] = {1, 2, 3, 4, 5, 6};
  const auto [twice, sums, next] = g({numbers, 2, 3}, 7);
  CHECK(twice(1, 2) == 12);
  CHECK(twice.rows == 2);
  CHECK(sums == std::vector<float>{6, 15});
  CHECK(next == 8);
  CHECK(std::get<0>(g(twice, 7))(0, 1) == 8);
  const auto any = compile<Array(Array, std::span<const double>)>({m, x}, {sum(m) + sum(x)});
  const std::vector<double> few = {1, 2};
  CHECK(any(Array::from(std::vector<float>(numbers, numbers + 6), {3, 2}), few).item<double>() ==
        24);
  const SharedVariable w = shared(Array(1.0), "w");
  const auto step = compile<void(double)>({a}, {}, {{w, w + a}});
  step(2), step(3);
  CHECK(w.get().item<double>() == 6);
  CHECK(step.function().defined());
}

TEST_CASE("a signature that the expressions do not have is a TypeError with the line") {
  const Expr x = vector("x"), a = scalar("a");
  const auto told = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const TypeError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(told([&] { compile<float(std::vector<double>)>({x}, {sum(x)}); })
            .starts_with("compile: result 0: expected a number of float32, as the signature has, "
                         "found sum(x): f64 [typed_function_test.cpp:"));
  CHECK(told([&] { compile<double(std::vector<float>)>({x}, {sum(x)}); })
            .starts_with("compile: argument 0: expected a vector of float32, as the signature has, "
                         "found x: f64[x.0] [typed"));
  CHECK(told([&] {
          compile<double(MatrixView<double>)>({x}, {sum(x)});
        }).starts_with("compile: argument 0: expected a matrix of float64"));
  CHECK(told([&] {
          compile<double(double)>({x, a}, {sum(x)});
        }).starts_with("compile: expected 1 arguments, as the signature has, found 2 [typed"));
  // A call tells its line, too.
  const Expr three = tensor("three", float64, {3});
  const auto f = compile<double(std::vector<double>)>({three}, {sum(three)});
  std::string found;
  try {
    f({1, 2});
  } catch (const Error& error) {
    found = error.what();
  }
  CHECK(found.ends_with("[typed_function_test.cpp:" + std::to_string(__LINE__ - 4) + "]"));
}

TEST_CASE("vectors and matrices of Eigen become arrays, and arrays views of Eigen") {
  Eigen::MatrixXd m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  const Array by_rows = array_of(m);
  CHECK(by_rows.describe() == "f64[2, 3]");
  CHECK(by_rows.to_vector<double>() == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(array_of(Eigen::Vector3f(1, 2, 3)).describe() == "f32[3]");
  CHECK(array_of(m.transpose() * m).to_vector<double>()[4] == 29);
  CHECK(array_of(m.row(1)).describe() == "f64[3]");
  CHECK(array_of(Eigen::MatrixXd(0, 3)).describe() == "f64[0, 3]");

  const Expr x = matrix("x");
  const Array twice = compile({x}, {transpose(x) * 2.0})(by_rows)[0];
  CHECK(matrix_of<double>(twice) == m.transpose() * 2);
  const Array turned = twice.transpose();
  CHECK(matrix_of<double>(turned) == m * 2);
  const Array line = array_of(Eigen::VectorXd::LinSpaced(3, 0, 1));
  CHECK(vector_of<double>(line).sum() == 1.5);
  CHECK_THROWS_WITH_AS(vector_of<float>(line), "eigen: expected a vector of float32, found f64[3]",
                       TypeError);
  CHECK_THROWS_AS(matrix_of<double>(line), TypeError);
}
