// A picture by ray marching (Hart's sphere tracing), and its derivative by the scene: how bright it
// is where by the radius of a sphere, with the light that a descent finds for a wanted brightness.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <cmath>
#include <string>

namespace {

using namespace gnomon;

// The distance of points to a sphere on a floor, joined smoothly.
Expr distance(const Expr& x, const Expr& y, const Expr& z, const Expr& radius) {
  const Expr sphere = sqrt(square(x) + square(y) + square(z)) - radius;
  const Expr floor_below = y + 1.0;
  return -logaddexp(-8.0 * sphere, -8.0 * floor_below) / 8.0;
}

// Brightness of size x size pixels, lit from an angle.
Expr picture(std::int64_t size, const Expr& radius, const Expr& light) {
  const Expr across = linspace(-1.0, 1.0, size);
  const Expr dx = broadcast_to(across, {size, size}), dy = -transpose(dx), dz = dx * 0 + 1.5;
  const Expr length = sqrt(square(dx) + square(dy) + square(dz));
  const Expr u = dx / length, v = dy / length, w = dz / length;
  const auto at = [&](const Expr& t) { return std::array{u * t, v * t + 0.5, w * t - 3.5}; };
  const Expr t = fori(48, {u * 0}, [&](const Expr&, std::span<const Expr> s) {
    const auto [x, y, z] = at(s[0]);
    return std::vector<Expr>{minimum(s[0] + distance(x, y, z, radius), 20.0)};
  })[0];
  // The surface stands across the slope of the distance.
  const auto [x, y, z] = at(t);
  const auto [nx, ny, nz] = grad(sum(distance(x, y, z, radius)), x, y, z);
  const Expr shade = maximum(nx * cos(light) * 0.6 + ny * 0.6 + nz * sin(light) * 0.6, 0.0);
  return where(t < 19.0, 0.15 + 0.85 * shade, 0.0);
}

}  // namespace

int main() {
  const Expr radius = scalar("radius"), light = scalar("light");
  const Expr seen = picture(48, radius, light);
  const Expr brightness = mean(seen);
  const Function look = compile(
      {radius, light}, {seen, brightness, grad(brightness, radius), grad(brightness, light)});
  const Results now = look(1.0, -2.2);
  const double* const pixels = now[0].data<double>();
  for (int row = 0; row < 48; row += 3) {
    std::string line;
    for (int column = 0; column < 48; ++column)
      line += " .:-=+*#%@"[std::min(9, static_cast<int>(10 * pixels[48 * row + column]))];
    fmt::print("{}\n", line);
  }
  // Beside a difference of two pictures.
  const double h = 1e-6, slope = now[3].item<double>();
  const double difference =
      (look(1.0, -2.2 + h)[1].item<double>() - look(1.0, -2.2 - h)[1].item<double>()) / (2 * h);
  double angle = -2.2;
  const double wanted = 0.9 * now[1].item<double>();
  for (int i = 0; i < 40; ++i) {
    const Results at = look(1.0, angle);
    angle -= 0.5 * (at[1].item<double>() - wanted) / at[3].item<double>();
  }
  const double found = look(1.0, angle)[1].item<double>();
  fmt::print("slope by the light {:.6f}, as a difference {:.6f}; brightness {:.6f} of {:.6f}\n",
             slope, difference, found, wanted);
  return std::abs(slope - difference) < 1e-4 && std::abs(found - wanted) < 1e-4 ? 0 : 1;
}
