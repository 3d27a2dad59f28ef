// Fourier transforms of exported libraries, which have no FFT library: any length, no memory of
// their own. Lengths with prime factors beyond 31 are convolutions with a chirp (Bluestein, "A
// linear filtering approach to the computation of discrete Fourier transform", 1970).
#pragma once

#include "runtime/abi.h"
#include "runtime/lines/transform_passes.h"
#include "runtime/routines.h"

namespace gnomon {

constexpr bool has_own_text(int64_t radix) { return radix <= 5 || radix == 8; }

/// How a complex line of n numbers is transformed, and where its tables are.
template <class T>
class ComplexTransform {
 public:
  explicit ComplexTransform(int64_t n) : n_(n), size_(n) {
    if (!factor(n)) {
      size_ = 2 * n - 1;
      while (!factor(size_, 5)) ++size_;
    }
  }

  /// Elements of the tables, of the temporary memory to make them in, and of that for one line.
  int64_t table_elements() const { return 2 * twiddles() + (is_chirped() ? 2 * (n_ + size_) : 0); }
  int64_t buffer_elements() const { return 4 * size_; }
  int64_t bytes_to_make() const {
    const int64_t of_chirp = is_chirped() ? Roots(2 * n_).bytes() : 0;
    return greater(Roots(size_).bytes(), of_chirp) +
           (is_chirped() ? buffer_elements() * int64_t{sizeof(T)} : 0);
  }

  /// Makes the tables, in `memory` for `bytes_to_make`.
  void make(T* table, char* memory) {
    Roots roots(size_);
    roots.make(memory);
    T *re = table, *im = table + twiddles();
    int64_t m = size_, s = 1;
    for (int i = 0; i < count_; ++i) {
      const int64_t radix = radices_[i];
      m /= radix;
      for (int64_t j = 1; j < radix; ++j)
        for (int64_t p = 0; p < m; ++p) put(re++, im++, roots(j * p * s));
      if (!has_own_text(radix))
        for (int64_t j = 0; j < radix; ++j) put(re++, im++, roots(j * (size_ / radix)));
      s *= radix;
    }
    use(table);
    if (!is_chirped()) return;
    Roots halves(2 * n_);
    halves.make(memory);
    T* const chirp = table + 2 * twiddles();
    T* const spectrum = chirp + 2 * n_;
    T* const buffer = reinterpret_cast<T*>(memory + halves.bytes());
    clear_elements(buffer, 2 * size_);
    for (int64_t k = 0; k < n_; ++k) {
      put(chirp + k, chirp + n_ + k, halves(k * k % (2 * n_)));
      const int64_t other = k == 0 ? 0 : size_ - k;
      buffer[k] = buffer[other] = chirp[k];
      buffer[size_ + k] = buffer[size_ + other] = -chirp[n_ + k];
    }
    const Planes<T> made =
        run_passes({buffer, buffer + size_}, {buffer + 2 * size_, buffer + 3 * size_});
    const T scale = T(1) / static_cast<T>(size_);
    for (int64_t k = 0; k < size_; ++k)
      spectrum[k] = scale * made.re[k], spectrum[size_ + k] = scale * made.im[k];
  }

  /// Takes tables that were made.
  void use(const T* table) { table_ = table; }

  /// Where the n numbers of a line are put in its memory, and where the transform is. `inverse`:
  /// without the factor 1 / n.
  static Planes<T> input(T* buffer, int64_t size) { return {buffer, buffer + size}; }
  Planes<T> input(T* buffer) const { return {buffer, buffer + size_}; }
  Planes<T> run(T* buffer, bool inverse) const {
    const Planes<T> first = input(buffer), second{buffer + 2 * size_, buffer + 3 * size_};
    const auto exchanged = [inverse](Planes<T> x) { return inverse ? Planes<T>{x.im, x.re} : x; };
    if (!is_chirped()) return exchanged(run_passes(exchanged(first), exchanged(second)));
    const T *cr = table_ + 2 * twiddles(), *ci = cr + n_, *br = ci + n_, *bi = br + size_;
    const Planes<T> x = exchanged(first);
    for (int64_t k = 0; k < n_; ++k) multiply(x, k, {cr[k], ci[k]});
    clear_elements(x.re + n_, size_ - n_), clear_elements(x.im + n_, size_ - n_);
    const Planes<T> y = run_passes(x, exchanged(second));
    for (int64_t k = 0; k < size_; ++k) multiply(y, k, {br[k], bi[k]});
    const Planes<T> other = y.re == x.re ? exchanged(second) : x;
    const Planes<T> back = run_passes({y.im, y.re}, {other.im, other.re});
    const Planes<T> z{back.im, back.re};
    for (int64_t k = 0; k < n_; ++k) multiply(z, k, {cr[k], ci[k]});
    return exchanged(z);
  }

 private:
  bool is_chirped() const { return size_ != n_; }

  // Whether all prime factors of a number are small. Powers of 2 come first: the passes behind them
  // have lines side by side.
  bool factor(int64_t n, int64_t largest = largest_radix) {
    count_ = 0;
    while (n % 2 == 0) {
      const int radix = n % 8 == 0 && n % 16 != 0 ? 8 : n % 64 == 0 ? 8 : n % 4 == 0 ? 4 : 2;
      radices_[count_++] = radix, n /= radix;
    }
    for (int64_t radix = 3; radix <= largest && n > 1; radix += 2)
      while (n % radix == 0) radices_[count_++] = static_cast<int>(radix), n /= radix;
    return n == 1;
  }

  // Of all passes, with the roots of primes.
  int64_t twiddles() const {
    int64_t all = size_ - 1;
    for (int i = 0; i < count_; ++i)
      if (!has_own_text(radices_[i])) all += radices_[i];
    return all;
  }

  static void put(T* re, T* im, Root root) {
    *re = static_cast<T>(root.re), *im = static_cast<T>(root.im);
  }

  static void multiply(Planes<T> x, int64_t k, FloatPair<T> by) {
    const FloatPair<T> y = FloatPair<T>{x.re[k], x.im[k]} * by;
    x.re[k] = y.re, x.im[k] = y.im;
  }

  // Where the result is: in one of the two.
  Planes<T> run_passes(Planes<T> from, Planes<T> to) const {
    const T *re = table_, *im = table_ + twiddles();
    int64_t m = size_, s = 1;
    for (int i = 0; i < count_; ++i) {
      const int radix = radices_[i];
      m /= radix;
      run_pass(radix, TransformPass<T>{m, s, re, im}, from, to);
      const int64_t used = (radix - 1) * m + (has_own_text(radix) ? 0 : radix);
      re += used, im += used;
      s *= radix;
      exchange(from, to);
    }
    return from;
  }

  int64_t n_, size_;
  int count_ = 0, radices_[64] = {};
  const T* table_ = nullptr;
};

/// The transforms of a routine: `Routine::dft`, `rdft` or `irdft`. A real line of even length is a
/// complex one of half the length.
template <Routine kind, class T>
class LineTransform {
 public:
  explicit LineTransform(int64_t length)
      : n_(length),
        is_halved_(kind != Routine::dft && length % 2 == 0),
        complex_(is_halved_ ? length / 2 : length) {}

  static int64_t length_of(const gnomon_routine& r) {
    return kind == Routine::irdft ? r.columns : r.rows;
  }

  int64_t table_elements() const { return complex_.table_elements() + 2 * roots(); }
  int64_t buffer_elements() const { return complex_.buffer_elements(); }
  int64_t bytes_to_make() const {
    return greater(complex_.bytes_to_make(), is_halved_ ? Roots(n_).bytes() : 0);
  }
  void make(T* table, char* memory) {
    complex_.make(table, memory);
    use(table);
    if (!is_halved_) return;
    Roots all(n_);
    all.make(memory);
    T* const own = table + complex_.table_elements();
    for (int64_t k = 0; k < roots(); ++k) {
      const Root root = all(k);
      own[k] = static_cast<T>(root.re), own[roots() + k] = static_cast<T>(root.im);
    }
  }
  void use(const T* table) {
    complex_.use(table);
    roots_ = table + complex_.table_elements();
  }

  /// One line, in memory of `buffer_elements`.
  void run(const T* from, T* to, bool inverse, T* buffer) const {
    if constexpr (kind == Routine::dft) {
      read_pairs(from, n_, complex_.input(buffer));
      write_pairs(complex_.run(buffer, inverse), n_, to);
    } else if constexpr (kind == Routine::rdft) {
      is_halved_ ? transform_halves(from, to, buffer) : transform_odd(from, to, buffer);
    } else {
      is_halved_ ? restore_halves(from, to, buffer) : restore_odd(from, to, buffer);
    }
  }

 private:
  int64_t roots() const { return is_halved_ ? n_ / 2 + 1 : 0; }

  static void read_pairs(const T* __restrict__ from, int64_t count, Planes<T> to) {
    T* __restrict__ re = to.re, * __restrict__ im = to.im;
    for (int64_t k = 0; k < count; ++k) re[k] = from[2 * k], im[k] = from[2 * k + 1];
  }
  static void write_pairs(Planes<T> from, int64_t count, T* __restrict__ to) {
    const T* __restrict__ re = from.re, * __restrict__ im = from.im;
    for (int64_t k = 0; k < count; ++k) to[2 * k] = re[k], to[2 * k + 1] = im[k];
  }

  // Of z[k] = x[2 k] + i x[2 k + 1] and its transform Z, X[k] = (Z[k] + Z*[h - k]) / 2
  // - i w^k (Z[k] - Z*[h - k]) / 2.
  void transform_halves(const T* from, T* to, T* buffer) const {
    const int64_t h = n_ / 2;
    read_pairs(from, h, complex_.input(buffer));
    const Planes<T> z = complex_.run(buffer, false);
    to[0] = z.re[0] + z.im[0], to[1] = 0;
    to[2 * h] = z.re[0] - z.im[0], to[2 * h + 1] = 0;
    for (int64_t k = 1; k < h; ++k) {
      const FloatPair<T> a{z.re[k], z.im[k]}, b{z.re[h - k], -z.im[h - k]};
      const FloatPair<T> w{roots_[k], roots_[roots() + k]};
      const FloatPair<T> x = T(0.5) * (a + b + w * turned_back(a - b));
      to[2 * k] = x.re, to[2 * k + 1] = x.im;
    }
  }

  // Z[k] = X[k] + X*[h - k] + i w^-k (X[k] - X*[h - k]).
  void restore_halves(const T* from, T* to, T* buffer) const {
    const int64_t h = n_ / 2;
    const Planes<T> z = complex_.input(buffer);
    z.re[0] = from[0] + from[2 * h], z.im[0] = from[0] - from[2 * h];
    for (int64_t k = 1; k < h; ++k) {
      const FloatPair<T> a{from[2 * k], from[2 * k + 1]};
      const FloatPair<T> b{from[2 * (h - k)], -from[2 * (h - k) + 1]};
      const FloatPair<T> w{roots_[roots() + k], roots_[k]};  // i w^-k
      const FloatPair<T> x = a + b + w * (a - b);
      z.re[k] = x.re, z.im[k] = x.im;
    }
    write_pairs(complex_.run(buffer, true), h, to);
  }

  void transform_odd(const T* from, T* to, T* buffer) const {
    const Planes<T> z = complex_.input(buffer);
    copy_elements(from, n_, z.re), clear_elements(z.im, n_);
    write_pairs(complex_.run(buffer, false), n_ / 2 + 1, to);
    to[1] = 0;
  }

  void restore_odd(const T* from, T* to, T* buffer) const {
    const Planes<T> z = complex_.input(buffer);
    z.re[0] = from[0], z.im[0] = 0;
    for (int64_t k = 1; k <= n_ / 2; ++k) {
      z.re[k] = z.re[n_ - k] = from[2 * k];
      z.im[k] = from[2 * k + 1], z.im[n_ - k] = -from[2 * k + 1];
    }
    copy_elements(complex_.run(buffer, true).re, n_, to);
  }

  int64_t n_;
  bool is_halved_;
  ComplexTransform<T> complex_;
  const T* roots_ = nullptr;
};

/// What the transforms of a batch work in. `has_table`: made before the call.
template <Routine kind, class T>
ServiceMemory memory_of_transforms(const gnomon_routine& r, bool has_table) {
  const int64_t n = LineTransform<kind, T>::length_of(r);
  if (r.batch <= 0 || r.rows <= 0 || r.columns <= 0) return {};
  const LineTransform<kind, T> transform(n);
  constexpr int64_t size = sizeof(T);
  const int64_t shared =
      in_cache_lines(transform.table_elements() * size) + in_cache_lines(transform.bytes_to_make());
  return {has_table ? 0 : shared, in_cache_lines(transform.buffer_elements() * size)};
}

/// Transforms the lines of a batch; the bits do not depend on the crew. `table`: made by
/// `LineTransform::make` for their length, or null. False: without memory.
template <Routine kind, class T, class Crew>
bool run_transforms(const gnomon_routine& r, const T* table, const Crew& crew) {
  if (r.batch <= 0 || r.rows <= 0 || r.columns <= 0) return true;
  LineTransform<kind, T> transform(LineTransform<kind, T>::length_of(r));
  const ServiceMemory bytes = memory_of_transforms<kind, T>(r, table != nullptr);
  const auto shared = crew.shared(bytes.shared);
  if (table != nullptr) {
    transform.use(table);
  } else {
    if (shared.data() == nullptr) return false;
    T* const made = reinterpret_cast<T*>(shared.data());
    transform.make(made,
                   shared.data() + in_cache_lines(transform.table_elements() * int64_t{sizeof(T)}));
  }
  bool done = true;
  constexpr int64_t work_of_piece = 10000;  // elements worth handing to another thread
  const int64_t grain = greater<int64_t>(1, work_of_piece / greater(r.rows, r.columns));
  crew(r.batch, grain, [&](int64_t lo, int64_t hi, int32_t worker) {
    const auto own = crew.own(worker, bytes.own);
    if (own.data() == nullptr) {
      __atomic_store_n(&done, false, __ATOMIC_RELAXED);
      return;
    }
    constexpr int64_t from = kind == Routine::rdft ? 1 : 2, to = kind == Routine::irdft ? 1 : 2;
    for (; lo < hi; ++lo)
      transform.run(static_cast<const T*>(r.in[0]) + lo * r.rows * from,
                    static_cast<T*>(r.out[0]) + lo * r.columns * to, r.transposed != 0,
                    reinterpret_cast<T*>(own.data()));
  });
  return done;
}

}  // namespace gnomon
