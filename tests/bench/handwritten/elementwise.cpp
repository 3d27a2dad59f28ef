// a * x + y, and the equation of state of workloads/elementwise.py, by explicit lanes.
#include "lanes.h"
#include "team.h"

namespace hand {
namespace {

// Bytes from which stores that pass the caches were the faster ones.
constexpr long large = 24l << 20;

template <class T>
void axpy(long n, const T* x, const T* y, T* z) {
  constexpr long w = width<T>;
  const bool past_caches = 3 * n * long(sizeof(T)) >= large;
  share(n, 4096, [=](long from, long to) {
    long i = from;
    if (past_caches) {
      for (; i < to && reinterpret_cast<unsigned long>(z + i) % 64 != 0; ++i)
        z[i] = T(2.5) * x[i] + y[i];
      for (; i + 2 * w <= to; i += 2 * w) {
        const Vec<T> a = T(2.5) * load(x + i) + load(y + i);
        const Vec<T> b = T(2.5) * load(x + i + w) + load(y + i + w);
        stream(z + i, a);
        stream(z + i + w, b);
      }
      drain();
    }
    for (; i + w <= to; i += w) store(z + i, T(2.5) * load(x + i) + load(y + i));
    for (; i < to; ++i) z[i] = T(2.5) * x[i] + y[i];
  });
}

using V = Vec<double>;

struct Water {
  V density, spice, sound, gap;
};

// Quotients by one divisor. A division occupies the divider for some 16 cycles, while products are
// two a cycle: the reciprocal is refined from an estimate of 14 bits, and each quotient corrected
// by its rest, to the very number a division gives where nothing overflows.
struct Divisor {
  V b, r;
  HAND_INLINE explicit Divisor(V divisor) : b(divisor) {
    using W = double __attribute__((vector_size(64)));
    r = (V)__builtin_ia32_rcp14pd512_mask((W)b, (W)b, (unsigned char)-1);
    r += r * (1.0 - b * r);
    r += r * (1.0 - b * r);
  }
  HAND_INLINE V of(V a) const {
    const V q = a * r;
    return q + r * (a - b * q);
  }
};

// The statements of sea_water there, where they are explained.
HAND_INLINE Water sea_water(V s, V t, V p) {
  const auto root = [](V x) { return __builtin_elementwise_sqrt(x); };
  V q = root(s);
  V sq = s * q;
  // UNESCO: density at the surface, and its derivatives.
  V water = 999.842594 +
            t * (6.793952e-2 +
                 t * (-9.095290e-3 + t * (1.001685e-4 + t * (-1.120083e-6 + t * 6.536332e-9))));
  V a = 8.24493e-1 + t * (-4.0899e-3 + t * (7.6438e-5 + t * (-8.2467e-7 + t * 5.3875e-9)));
  V b = -5.72466e-3 + t * (1.0227e-4 - t * 1.6546e-6);
  V water_t =
      6.793952e-2 + t * (-1.819058e-2 + t * (3.005055e-4 + t * (-4.480332e-6 + t * 3.268166e-8)));
  V a_t = -4.0899e-3 + t * (1.52876e-4 + t * (-2.47401e-6 + t * 2.155e-8));
  V b_t = 1.0227e-4 - t * 3.3092e-6;
  V surface = water + a * s + b * sq + 4.8314e-4 * s * s;
  V surface_t = water_t + a_t * s + b_t * sq;
  V surface_s = a + 1.5 * b * q + 9.6628e-4 * s;
  // The secant bulk modulus, and its derivatives.
  V k_water = 19652.21 + t * (148.4206 + t * (-2.327105 + t * (1.360477e-2 - t * 5.155288e-5)));
  V k_s = 54.6746 + t * (-0.603459 + t * (1.09987e-2 - t * 6.1670e-5));
  V k_sq = 7.944e-2 + t * (1.6483e-2 - t * 5.3009e-4);
  V k_p = 3.239908 + t * (1.43713e-3 + t * (1.16092e-4 - t * 5.77905e-7));
  V k_ps = 2.2838e-3 + t * (-1.0981e-5 - t * 1.6078e-6);
  V k_pp = 8.50935e-5 + t * (-6.12293e-6 + t * 5.2787e-8);
  V k_pps = -9.9348e-7 + t * (2.0816e-8 + t * 9.1697e-10);
  V linear = k_p + k_ps * s + 1.91075e-4 * sq;
  V square = k_pp + k_pps * s;
  V k = k_water + k_s * s + k_sq * sq + p * (linear + p * square);
  V k_by_p = linear + 2.0 * p * square;
  V k_by_t =
      148.4206 + t * (-4.65421 + t * (4.081431e-2 - t * 2.0621152e-4)) +
      s * (-0.603459 + t * (2.19974e-2 - t * 1.8501e-4)) + sq * (1.6483e-2 - t * 1.06018e-3) +
      p * (1.43713e-3 + t * (2.32184e-4 - t * 1.733715e-6) + s * (-1.0981e-5 - t * 3.2156e-6) +
           p * (-6.12293e-6 + t * 1.05574e-7 + s * (2.0816e-8 + t * 1.83394e-9)));
  V k_by_s = k_s + 1.5 * k_sq * q + p * (k_ps + 2.866125e-4 * q + p * k_pps);
  const Divisor by_k(k), by_square(k * k);
  V slack = 1.0 - by_k.of(p);
  const Divisor by_slack(slack);
  V density = by_slack.of(surface);
  V slack_t = by_square.of(p * k_by_t);
  V slack_s = by_square.of(p * k_by_s);
  V slack_p = by_square.of(p * k_by_p - k);
  V density_t = by_slack.of(surface_t - density * slack_t);
  V density_s = by_slack.of(surface_s - density * slack_s);
  V density_p = by_slack.of(0.0 - density * slack_p);
  // The rational function, in decibar, and its derivatives.
  V d = 10.0 * p;
  V over = 9.9984085444849347e2 +
           t * (7.3471625860981584 + t * (-5.3211231792841769e-2 + t * 3.6492439109814549e-4)) +
           s * (2.5880571023991390 - 6.7168282786692355e-3 * t + 1.9203202055760151e-3 * s) +
           d * (1.1798263740430364e-2 + 9.8920219266399117e-8 * t * t + 4.6996642771754730e-6 * s -
                d * (2.5862187075154352e-8 + 3.2921414007960662e-12 * t * t));
  V under =
      1.0 +
      t * (7.2815210113327091e-3 + t * (-4.4787265461983921e-5 +
                                        t * (3.3851002965802430e-7 + t * 1.3651202389758572e-10))) +
      s * (1.7632126669040377e-3 + t * (-8.8066583251206474e-6 - 1.8832689434804897e-10 * t * t)) +
      sq * (5.7463776745432097e-6 + 1.4716275472242334e-9 * t * t) +
      d * (6.7103246285651894e-6 -
           d * t * (2.4461698007024582e-17 * t * t + d * 9.1534417604289062e-18));
  V over_t = 7.3471625860981584 + t * (-1.0642246358568354e-1 + t * 1.0947731732944365e-3) -
             6.7168282786692355e-3 * s +
             d * t * (1.9784043853279823e-7 - d * 6.5842828015921324e-12);
  V over_s = 2.5880571023991390 - 6.7168282786692355e-3 * t + 3.8406404111520302e-3 * s;
  over_s = over_s + 4.6996642771754730e-6 * d;
  V under_t =
      7.2815210113327091e-3 +
      t * (-8.9574530923967842e-5 + t * (1.0155300889740729e-6 + t * 5.4604809559034288e-10)) +
      s * (-8.8066583251206474e-6 - 5.6498068304414691e-10 * t * t) +
      sq * t * 2.9432550944484668e-9 -
      d * d * (7.3385094021073746e-17 * t * t + d * 9.1534417604289062e-18);
  V under_s = 1.7632126669040377e-3 +
              t * (-8.8066583251206474e-6 - 1.8832689434804897e-10 * t * t) +
              q * (8.6195665118148146e-6 + 2.2074413208363501e-9 * t * t);
  const Divisor by_under(under);
  V rational = by_under.of(over);
  V rational_t = by_under.of(over_t - rational * under_t);
  V rational_s = by_under.of(over_s - rational * under_s);
  // Expansion and contraction by either, the speed of sound, and how far the two are apart.
  const Divisor by_density(density), by_rational(rational);
  V spice = by_density.of(density_s) - by_density.of(density_t);
  V other = by_rational.of(rational_s) - by_rational.of(rational_t);
  V sound = root(Divisor(density_p).of(1.0));
  return {density, spice - other, Divisor(density * sound).of(9.81),
          Divisor(density_t).of(rational - density)};
}

}  // namespace

extern "C" void axpy_f32(long n, const float* x, const float* y, float* z) { axpy(n, x, y, z); }
extern "C" void axpy_f64(long n, const double* x, const double* y, double* z) { axpy(n, x, y, z); }

extern "C" void sea_water_f64(long n, const double* s, const double* t, const double* p,
                              double* density, double* spice, double* sound, double* gap) {
  share(n, 1024, [=](long from, long to) {
    long i = from;
    for (; i + 8 <= to; i += 8) {
      const Water w = sea_water(load(s + i), load(t + i), load(p + i));
      store(density + i, w.density);
      store(spice + i, w.spice);
      store(sound + i, w.sound);
      store(gap + i, w.gap);
    }
    if (i == to) return;
    const long r = to - i;
    const Water w =
        sea_water(load_first(s + i, r, 35), load_first(t + i, r, 10), load_first(p + i, r, 1));
    store_first(density + i, w.density, r);
    store_first(spice + i, w.spice, r);
    store_first(sound + i, w.sound, r);
    store_first(gap + i, w.gap, r);
  });
}

}  // namespace hand
