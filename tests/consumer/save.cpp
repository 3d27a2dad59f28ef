// Writes saved functions into FOLDER, whose weights are all WEIGHT: line.gn, and model.gn with its
// arrays beside it.
#include <gnomon/gnomon.h>

#include <cstdlib>
#include <string>

int main(int, char** argv) {
  using namespace gnomon;
  const std::string folder = argv[1];
  const double weight = std::atof(argv[2]);
  const Expr x = vector("x");
  save_function(folder + "/line.gn", {x}, {{"y", weight * x + 1.0}});
  const Expr many = matrix("x");
  const Expr weights = Expr(Array::from(std::vector<double>(1000, weight), {1000}));
  save_function(folder + "/model.gn", {many}, {{"loss", sum(square(dot(many, weights)))}});
}
