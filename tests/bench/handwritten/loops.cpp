// The loops of workloads/loops.py in scalar C++: a trace forwards, the derivatives backwards.
#include <memory>

namespace hand {
namespace {

struct Point {
  double a, b, c;
};

Point ahead(const Point& s, double by, const Point& k) {
  return {s.a + by * k.a, s.b + by * k.b, s.c + by * k.c};
}

struct Lorenz {
  double rho;

  Point slope(const Point& s) const {
    return {10.0 * (s.b - s.a), s.a * (rho - s.c) - s.b, s.a * s.b - 8.0 / 3.0 * s.c};
  }
  // What g by the slope at s is by s.
  Point pulled_back(const Point& s, const Point& g) const {
    return {-10.0 * g.a + (rho - s.c) * g.b + s.b * g.c, 10.0 * g.a - g.b + s.a * g.c,
            -s.a * g.b - 8.0 / 3.0 * g.c};
  }
};

constexpr double h = 0.01;

Point runge_kutta(const Lorenz& f, const Point& s) {
  const Point k1 = f.slope(s), k2 = f.slope(ahead(s, h / 2, k1));
  const Point k3 = f.slope(ahead(s, h / 2, k2)), k4 = f.slope(ahead(s, h, k3));
  return {s.a + h / 6 * (k1.a + 2 * k2.a + 2 * k3.a + k4.a),
          s.b + h / 6 * (k1.b + 2 * k2.b + 2 * k3.b + k4.b),
          s.c + h / 6 * (k1.c + 2 * k2.c + 2 * k3.c + k4.c)};
}

Point scaled(double by, const Point& g) { return {by * g.a, by * g.b, by * g.c}; }

// What g by the step from s is by s; adds what it is by rho.
Point runge_kutta_back(const Lorenz& f, const Point& s, const Point& g, double& by_rho) {
  const Point y2 = ahead(s, h / 2, f.slope(s)), y3 = ahead(s, h / 2, f.slope(y2));
  const Point y4 = ahead(s, h, f.slope(y3));
  const Point g4 = scaled(h / 6, g), v4 = f.pulled_back(y4, g4);
  const Point g3 = ahead(scaled(h / 3, g), h, v4), v3 = f.pulled_back(y3, g3);
  const Point g2 = ahead(scaled(h / 3, g), h / 2, v3), v2 = f.pulled_back(y2, g2);
  const Point g1 = ahead(scaled(h / 6, g), h / 2, v2), v1 = f.pulled_back(s, g1);
  by_rho += g4.b * y4.a + g3.b * y3.a + g2.b * y2.a + g1.b * s.a;
  return {g.a + v1.a + v2.a + v3.a + v4.a, g.b + v1.b + v2.b + v3.b + v4.b,
          g.c + v1.c + v2.c + v3.c + v4.c};
}

}  // namespace

extern "C" void logistic_f64(long steps, const double* x, const double* r, double* last) {
  double state = *x;
  for (long i = 0; i < steps; ++i) state = *r * state * (1.0 - state);
  *last = state;
}

extern "C" void logistic_gradient_f64(long steps, const double* x, const double* r, double* last,
                                      double* by_x) {
  const std::unique_ptr<double[]> trace(new double[steps]);
  double state = *x, back = 1.0;
  for (long i = 0; i < steps; ++i) {
    trace[i] = state;
    state = *r * state * (1.0 - state);
  }
  for (long i = steps; i-- > 0;) back = *r * back * (1.0 - 2.0 * trace[i]);
  *last = state;
  *by_x = back;
}

extern "C" void lorenz_f64(long, long steps, const double* x, const double* rho, double* last) {
  const Lorenz f{*rho};
  Point s{x[0], x[1], x[2]};
  for (long i = 0; i < steps; ++i) s = runge_kutta(f, s);
  *last = s.a + s.b + s.c;
}

extern "C" void lorenz_gradient_f64(long, long steps, const double* x, const double* rho,
                                    double* last, double* by_rho) {
  const Lorenz f{*rho};
  const std::unique_ptr<Point[]> trace(new Point[steps]);
  Point s{x[0], x[1], x[2]}, back{1, 1, 1};
  for (long i = 0; i < steps; ++i) {
    trace[i] = s;
    s = runge_kutta(f, s);
  }
  double sum = 0;
  for (long i = steps; i-- > 0;) back = runge_kutta_back(f, trace[i], back, sum);
  *last = s.a + s.b + s.c;
  *by_rho = sum;
}

extern "C" void nested_f64(const double* x, const double* a, double* last) {
  double s = *x;
  for (int i = 0; i < 50; ++i) {
    for (int j = 0; j < 50; ++j) s = s * (1.0 - *a * s) + 0.01;
    s *= 1.5;
  }
  *last = s;
}

extern "C" void nested_gradient_f64(const double* x, const double* a, double* last, double* by_x) {
  double trace[50][50];
  double s = *x, back = 1.0;
  for (auto& outer : trace) {
    for (double& one : outer) {
      one = s;
      s = s * (1.0 - *a * s) + 0.01;
    }
    s *= 1.5;
  }
  for (int i = 49; i >= 0; --i) {
    back *= 1.5;
    for (int j = 49; j >= 0; --j) back *= 1.0 - 2.0 * *a * trace[i][j];
  }
  *last = s;
  *by_x = back;
}

}  // namespace hand
