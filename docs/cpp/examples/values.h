// What the examples of the reference are about.

const Array line = Array::from<double>({3, 1, 2, 0, 2});
const Array grid = Array::from<double>({1, 2, 3, 4, 5, 7}, {2, 3});
const Expr v = line, m = grid, w = Array::from<double>({1, -2, 0.5});
const Expr s = Array::from<double>({4, 1, 1, 3}, {2, 2});  // symmetric
const Expr r = Array::from<double>({6, 7});                // s times [1, 2]
const Expr n = Array::from<std::int64_t>({2, 0, 1}), b = Array::from<bool>({true, false, true});
const Expr c = Array::from<std::complex<double>>({{1, 2}, {0, -1}});
const Expr h = Array::from<double>({2, NAN, 5});                // a number is missing
const Expr image = reshape(arange(16, float64), {1, 1, 4, 4});  // of one channel
const Expr x = vector("x"), y = vector("y"), a = scalar("a");   // without values
const SharedVariable p = shared(ones({2}), "p");                // a parameter
