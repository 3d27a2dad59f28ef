// Has cuSOLVER do linear algebra. It sees a row-major matrix transposed, as LAPACK does
// (runtime/linalg), and stacks of small matrices are done at once.
#include "runtime/device/device_matrices.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "runtime/arrays/dtype.h"
#include "runtime/device/device.h"
#include "runtime/device/stages.h"
#include "runtime/error.h"
#include "runtime/routines.h"

namespace gnomon {

DeviceMatrices::DeviceMatrices(Device& device, const Cusolver& library)
    : device_(device), library_(library) {
  device.enter();
  int status = start();
  if (status != solver::success) {  // for want of memory, perhaps
    device.give_back();
    status = start();
  }
  if (status != solver::success)
    throw DeviceError(
        fmt::format("device {}: cuSOLVER does not start: status {}; "
                    "GNOMON_CUSOLVER=none does without it",
                    device.name().text(), status));
}

int DeviceMatrices::start() {
  const auto stream = reinterpret_cast<cu::Stream>(device_.stream());
  int status = solver::success;
  const auto go_on = [&](const auto& step) {
    if (status == solver::success) status = step();
  };
  if (handle_ == nullptr) go_on([&] { return library_.create(&handle_); });
  if (blas_ == nullptr) go_on([&] { return library_.create_blas(&blas_); });
  if (parameters_ == nullptr) go_on([&] { return library_.create_parameters(&parameters_); });
  go_on([&] { return library_.use_stream(handle_, stream); });
  go_on([&] { return library_.blas_use_stream(blas_, stream); });
  return status;
}

void DeviceMatrices::refuse(std::string_view library, int status, const gnomon_routine& r) const {
  device_.wait();  // what failed before is told
  throw DeviceError(
      fmt::format("device {}: {} does not do {} matrices [{}, {}]: status {}; "
                  "GNOMON_CUSOLVER=none does without it",
                  device_.name().text(), library, r.batch, r.rows, r.n, status));
}

/// One routine, on the way to the device.
class MatrixCall {
 public:
  MatrixCall(DeviceMatrices& own, const gnomon_routine& r, const LaunchOfStage& launch,
             const MatrixReport& report, const std::string& of)
      : own_(own),
        device_(own.device_),
        library_(own.library_),
        r_(r),
        launch_(launch),
        report_(report),
        of_(of),
        least_(std::min(r.rows, r.n)) {
    const auto dtype = static_cast<DType>(r.dtype);
    is_complex_ = gnomon::is_complex(dtype);
    element_ = static_cast<std::int64_t>(size_of(dtype));
    const bool is_double = part_of(dtype) == DType::float64;
    part_ = is_double ? solver::float64 : solver::float32;
    type_ = !is_complex_ ? part_ : is_double ? solver::complex128 : solver::complex64;
    typed_ = &library_.of_type[(is_complex_ ? 2 : 0) + (is_double ? 1 : 0)];
  }

  void run() {
    switch (static_cast<Routine>(r_.routine)) {
      case Routine::cholesky: return cholesky();
      case Routine::solve_triangular: return substitute();
      case Routine::solve: return solve();
      case Routine::lu_factor: return lu_factor();
      case Routine::qr: return qr();
      case Routine::eigh: return eigh(true);
      case Routine::eigvalsh: return eigh(false);
      case Routine::svd: return svd(true);
      case Routine::svdvals: return svd(false);
      default:
        throw DeviceError(fmt::format("device {}: cuSOLVER has no routine {}",
                                      device_.name().text(), r_.routine));
    }
  }

 private:
  // Functions for stacks are made for many small matrices; a large one keeps a device busy alone.
  static constexpr std::int64_t largest_of_stack = 256;
  bool is_stack() const { return r_.batch > 1 && r_.rows == r_.n && r_.n <= largest_of_stack; }

  // A stack in parts: the library's functions refuse some tens of thousands of matrices at once,
  // and 2^31 elements. `part(first, count)` does some.
  static constexpr std::int64_t most_at_once = 16384;
  template <class Part>
  void in_parts(const Part& part) const {
    for (std::int64_t first = 0; first < r_.batch; first += most_at_once)
      part(first, static_cast<int>(std::min(most_at_once, r_.batch - first)));
  }

  std::int64_t square() const { return r_.n * r_.n; }
  char* in(int k) const { return static_cast<char*>(const_cast<void*>(r_.in[k])); }
  char* out(int k) const { return static_cast<char*>(r_.out[k]); }
  int* info_of(std::int64_t matrix) const { return static_cast<int*>(infos_) + matrix; }

  // --- memory ---

  char* bytes(std::int64_t count) {
    memory_.push_back(device_.allocate(static_cast<std::size_t>(count), of_));
    return static_cast<char*>(memory_.back().address());
  }
  char* elements(std::int64_t count) { return bytes(count * element_); }
  void copy(const void* from, std::int64_t count, void* to) {
    if (from != to) device_.copy(to, from, static_cast<std::size_t>(count * element_));
  }

  // Where each matrix of a stack begins, in the device's memory.
  void** list(char* first, std::int64_t rows, std::int64_t columns) {
    char* const there = bytes(r_.batch * std::int64_t{sizeof(void*)});
    stage(MatrixStage::list, r_.batch,
          {rows, columns, r_.batch, 0, 0, reinterpret_cast<std::intptr_t>(first)}, nullptr, there);
    return reinterpret_cast<void**>(there);
  }

  // What the library works in. `ask(device, host)` gives the bytes of both.
  struct Work {
    char* device = nullptr;
    std::size_t bytes = 0;
    char* host = nullptr;
    std::size_t host_bytes = 0;
  };
  template <class Ask>
  Work work(const Ask& ask) {
    Work made;
    int status = ask(&made.bytes, &made.host_bytes);
    if (status == solver::out_of_memory) {  // for its code, which memory that was let go may be in
      device_.give_back();
      status = ask(&made.bytes, &made.host_bytes);
    }
    check(status);
    made.device = bytes(static_cast<std::int64_t>(made.bytes));
    if (own_.host_memory_.size() < made.host_bytes) {
      device_.wait();  // for who may use that of before
      own_.host_memory_.resize(made.host_bytes);
    }
    made.host = own_.host_memory_.data();
    return made;
  }

  void check(int status) const {
    if (status != solver::success) own_.refuse("cuSOLVER", status, r_);
  }
  void check_blas(int status) const {
    if (status != solver::success) own_.refuse("cuBLAS", status, r_);
  }

  // --- stages ---

  void stage(MatrixStage stage, std::int64_t items, MatrixShape shape, const void* from, void* to,
             void* also = nullptr) {
    if (items == 0) return;
    auto number = static_cast<std::int32_t>(stage);
    void* infos = infos_;
    MatrixReport report = report_;
    void* const parameters[] = {&number, &items, &shape,          &from,         &to,
                                &also,   &infos, &report.failure, &report.check, &report.bound};
    launch_(items, parameters);
  }
  // Of all elements of matrices.
  void each(MatrixStage which, std::int64_t rows, std::int64_t columns, const void* from,
            void* to) {
    stage(which, r_.batch * rows * columns, {rows, columns, r_.batch}, from, to);
  }
  void diagonals(MatrixStage which, const void* from) {
    stage(which, r_.batch * r_.n, {r_.n, r_.n, r_.batch}, from, nullptr);
  }
  // No matrix has failed.
  void begin() {
    const std::int64_t size = (2 * r_.batch + 1) * std::int64_t{sizeof(int)};
    infos_ = bytes(size);
    device_.fill(infos_, 0, static_cast<std::size_t>(size));
  }
  // What a function says that fails for its arguments alone.
  int* info_of_arguments() const { return info_of(2 * r_.batch); }
  void report() { stage(MatrixStage::report, r_.batch, {1, 1, r_.batch}, nullptr, nullptr); }

  // --- routines ---

  void cholesky() {
    const std::int64_t n = r_.n;
    if (n == 0) return;
    begin();
    char* const l = out(0);
    each(MatrixStage::take_lower, n, n, in(0), l);
    if (is_stack()) {
      void** const all = list(l, n, n);
      in_parts([&](std::int64_t first, int count) {
        check(typed_->potrf_batched(own_.handle_, solver::upper, narrow(n), all + first, narrow(n),
                                    info_of(first), count));
      });
    } else {
      const Work w = work([&](std::size_t* device, std::size_t* host) {
        return library_.potrf_memory(own_.handle_, own_.parameters_, solver::upper, n, type_, l, n,
                                     type_, device, host);
      });
      for (std::int64_t k = 0; k < r_.batch; ++k)
        check(library_.potrf(own_.handle_, own_.parameters_, solver::upper, n, type_,
                             l + k * square() * element_, n, type_, w.device, w.bytes, w.host,
                             w.host_bytes, info_of(k)));
    }
    each(MatrixStage::clear_above, n, n, nullptr, l);
    diagonals(MatrixStage::find_not_positive, l);  // not each function stops at a NaN
    report();
  }

  // Of the transposed matrices in memory, X^T op(a)^T = b^T.
  void substitute() {
    const std::int64_t n = r_.n, columns = r_.columns, size = n * columns;
    if (size == 0) return;
    begin();
    char *const a = in(0), *const x = out(0);
    copy(in(1), r_.batch * size, x);
    diagonals(MatrixStage::find_zero, a);
    const int triangle = r_.lower != 0 ? solver::upper : solver::lower;
    const int operation = r_.transposed != 0 ? solver::transposed : solver::as_it_is;
    const One one(part_);
    if (is_stack()) {
      void **const all = list(a, n, n), **const sides = list(x, n, columns);
      in_parts([&](std::int64_t first, int count) {
        check_blas(typed_->trsm_batched(own_.blas_, solver::right, triangle, operation, solver::any,
                                        narrow(columns), narrow(n), one.data(), all + first,
                                        narrow(n), sides + first, narrow(columns), count));
      });
    } else {
      for (std::int64_t k = 0; k < r_.batch; ++k)
        check_blas(typed_->trsm(own_.blas_, solver::right, triangle, operation, solver::any,
                                columns, n, one.data(), a + k * square() * element_, n,
                                x + k * size * element_, columns));
    }
    report();
  }

  // The number 1 of either type, real or complex.
  class One {
   public:
    explicit One(int part) : is_double_(part == solver::float64) {}
    const void* data() const {
      return is_double_ ? static_cast<const void*>(doubles_) : static_cast<const void*>(floats_);
    }

   private:
    bool is_double_;
    double doubles_[2] = {1, 0};
    float floats_[2] = {1, 0};
  };

  // Of the functions for stacks, or of the others.
  std::int64_t pivot_bytes() const { return is_stack() ? 4 : 8; }

  // Factors, in their place, the matrices by columns, rows x n each.
  char* factor(char* a) {
    const std::int64_t rows = r_.rows, n = r_.n, size = rows * n;
    char* const pivots = bytes(r_.batch * least_ * pivot_bytes());
    if (is_stack()) {
      lu_list_ = list(a, rows, n);
      in_parts([&](std::int64_t first, int count) {
        check_blas(typed_->getrf_batched(own_.blas_, narrow(n), lu_list_ + first, narrow(n),
                                         reinterpret_cast<int*>(pivots) + first * n, info_of(first),
                                         count));
      });
    } else {
      const Work w = work([&](std::size_t* device, std::size_t* host) {
        return library_.getrf_memory(own_.handle_, own_.parameters_, rows, n, type_, a, rows, type_,
                                     device, host);
      });
      for (std::int64_t k = 0; k < r_.batch; ++k)
        check(library_.getrf(own_.handle_, own_.parameters_, rows, n, type_,
                             a + k * size * element_, rows,
                             reinterpret_cast<std::int64_t*>(pivots) + k * least_, type_, w.device,
                             w.bytes, w.host, w.host_bytes, info_of(k)));
    }
    // Nobody says what pivots are behind a NaN.
    stage(MatrixStage::clamp_pivots, r_.batch * least_, {rows, least_, r_.batch, 0, pivot_bytes()},
          nullptr, pivots);
    return pivots;
  }

  // Factors the transposed matrices; right-hand sides are read column by column.
  void solve() {
    const std::int64_t n = r_.n, columns = r_.columns, size = n * columns;
    if (size == 0) return;
    begin();
    char* const lu = elements(r_.batch * square());
    copy(in(0), r_.batch * square(), lu);
    const bool is_one = columns == 1;
    char* const x = is_one ? out(0) : elements(r_.batch * size);
    if (is_one)
      copy(in(1), r_.batch * size, x);
    else
      each(MatrixStage::transpose, n, columns, in(1), x);
    const int operation = r_.transposed != 0 ? solver::as_it_is : solver::transposed;
    char* const pivots = factor(lu);
    if (is_stack()) {
      void** const sides = list(x, n, columns);
      in_parts([&](std::int64_t first, int count) {
        int wrong = 0;
        check_blas(typed_->getrs_batched(own_.blas_, operation, narrow(n), narrow(columns),
                                         lu_list_ + first, narrow(n),
                                         reinterpret_cast<const int*>(pivots) + first * n,
                                         sides + first, narrow(n), &wrong, count));
        check_blas(wrong);
      });
    } else {
      for (std::int64_t k = 0; k < r_.batch; ++k)
        check(library_.getrs(own_.handle_, own_.parameters_, operation, n, columns, type_,
                             lu + k * square() * element_, n,
                             reinterpret_cast<const std::int64_t*>(pivots) + k * n, type_,
                             x + k * size * element_, n, info_of_arguments()));
    }
    if (!is_one) each(MatrixStage::transpose, columns, n, x, out(0));
    report();
  }

  void lu_factor() {
    const std::int64_t m = r_.rows, n = r_.n;
    begin();
    char* pivots = nullptr;
    if (least_ > 0) {
      char* const a = elements(r_.batch * m * n);
      each(MatrixStage::transpose, m, n, in(0), a);
      pivots = factor(a);
      each(MatrixStage::transpose, n, m, a, out(0));
      // Many are not singular, so blocks are asked for that find nothing to do.
      stage(MatrixStage::factor_singular, threads_of_stage * r_.batch,
            {m, n, r_.batch, 0, pivot_bytes()}, in(0), out(0), pivots);
    }
    stage(MatrixStage::take_swaps, m == 0 ? 0 : r_.batch, {m, least_, r_.batch, 0, pivot_bytes()},
          pivots, out(1), out(2));
  }

  // Of a single matrix.
  void qr() {
    const std::int64_t m = r_.rows, n = r_.n, k = least_, width = r_.complete != 0 ? m : k;
    if (k == 0) return each(MatrixStage::write_identity, m, width, nullptr, out(0));
    begin();
    char *const a = elements(m * std::max(n, width)), *const tau = elements(k);
    int* const info = info_of_arguments();
    each(MatrixStage::transpose, m, n, in(0), a);
    const Work w = work([&](std::size_t* device, std::size_t* host) {
      return library_.geqrf_memory(own_.handle_, own_.parameters_, m, n, type_, a, m, type_, tau,
                                   type_, device, host);
    });
    check(library_.geqrf(own_.handle_, own_.parameters_, m, n, type_, a, m, type_, tau, type_,
                         w.device, w.bytes, w.host, w.host_bytes, info));
    stage(MatrixStage::take_upper, width * n, {width, n, 1, m}, a, out(1));
    int length = 0;
    check(typed_->orgqr_memory(own_.handle_, narrow(m), narrow(width), narrow(k), a, narrow(m), tau,
                               &length));
    char* const memory = elements(length);
    check(typed_->orgqr(own_.handle_, narrow(m), narrow(width), narrow(k), a, narrow(m), tau,
                        memory, length, info));
    each(MatrixStage::transpose, width, m, a, out(0));
  }

  void eigh(bool vectors) {
    const std::int64_t n = r_.n;
    if (n == 0) return;
    begin();
    char* const a = elements(r_.batch * square());
    char* const values = out(0);
    const std::int64_t part = element_ / (is_complex_ ? 2 : 1);
    const int job = vectors ? solver::wanted : solver::none;
    each(MatrixStage::take_lower, n, n, in(0), a);
    each(MatrixStage::find_not_finite_below, n, n, a, nullptr);
    each(MatrixStage::clear_failed, n, n, nullptr, a);
    if (is_stack()) {
      const std::int64_t most = std::min(r_.batch, most_at_once);
      const Work w = work([&](std::size_t* device, std::size_t* host) {
        return library_.syev_batched_memory(own_.handle_, own_.parameters_, job, solver::upper, n,
                                            type_, a, n, part_, values, type_, device, host, most);
      });
      in_parts([&](std::int64_t first, int count) {
        device_.fill(w.device, 0, w.bytes);  // some versions read there before they write
        check(library_.syev_batched(own_.handle_, own_.parameters_, job, solver::upper, n, type_,
                                    a + first * square() * element_, n, part_,
                                    values + first * n * part, type_, w.device, w.bytes, w.host,
                                    w.host_bytes, info_of(first), count));
      });
    } else {
      const Work w = work([&](std::size_t* device, std::size_t* host) {
        return library_.syevd_memory(own_.handle_, own_.parameters_, job, solver::upper, n, type_,
                                     a, n, part_, values, type_, device, host);
      });
      for (std::int64_t k = 0; k < r_.batch; ++k)
        check(library_.syevd(own_.handle_, own_.parameters_, job, solver::upper, n, type_,
                             a + k * square() * element_, n, part_, values + k * n * part, type_,
                             w.device, w.bytes, w.host, w.host_bytes, info_of(k)));
    }
    // The matrix that the library sees is the conjugate one.
    if (vectors) each(MatrixStage::transpose_conjugate, n, n, a, out(1));
    report();
  }

  // Of a single matrix. The library wants no fewer rows than columns: of one with more columns it
  // sees the transposed matrix, whose right vectors lie in memory as U is wanted, and whose left
  // ones as V^T.
  void svd(bool vectors) {
    const std::int64_t m = r_.rows, n = r_.n, k = least_, most = std::max(m, n);
    const bool complete = vectors && r_.complete != 0, is_tall = m > n;
    const std::int64_t width = complete ? m : k, height = complete ? n : k;
    if (k == 0) {
      if (!complete) return;
      each(MatrixStage::write_identity, m, m, nullptr, out(0));
      return each(MatrixStage::write_identity, n, n, nullptr, out(2));
    }
    begin();
    char *const a = elements(m * n), *const values = out(vectors ? 1 : 0);
    if (is_tall)
      each(MatrixStage::transpose, m, n, in(0), a);
    else
      copy(in(0), m * n, a);
    each(MatrixStage::find_not_finite, m, n, in(0), nullptr);
    each(MatrixStage::clear_failed, m, n, nullptr, a);
    char *left = nullptr, *right = nullptr;
    if (vectors) {
      left = is_tall ? elements(m * width) : out(2);
      right = is_tall ? elements(height * n) : out(0);
    }
    const auto job = static_cast<signed char>(!vectors ? 'N' : complete ? 'A' : 'S');
    const Work w = work([&](std::size_t* device, std::size_t* host) {
      return library_.gesvd_memory(own_.handle_, own_.parameters_, job, job, most, k, type_, a,
                                   most, part_, values, type_, left, most, type_, right, k, type_,
                                   device, host);
    });
    check(library_.gesvd(own_.handle_, own_.parameters_, job, job, most, k, type_, a, most, part_,
                         values, type_, left, most, type_, right, k, type_, w.device, w.bytes,
                         w.host, w.host_bytes, info_of(0)));
    if (vectors && is_tall) {
      each(MatrixStage::transpose, width, m, left, out(0));
      each(MatrixStage::transpose, n, height, right, out(2));
    }
    report();
  }

  // Those of the library's functions that have no wide integers.
  int narrow(std::int64_t extent) const {
    if (extent > std::numeric_limits<int>::max())
      throw DeviceError(
          fmt::format("device {}: cuSOLVER does not do {} matrices [{}, {}]: expected "
                      "extents below 2^31",
                      device_.name().text(), r_.batch, r_.rows, r_.n));
    return static_cast<int>(extent);
  }

  DeviceMatrices& own_;
  Device& device_;
  const Cusolver& library_;
  const gnomon_routine& r_;
  const LaunchOfStage& launch_;
  MatrixReport report_;
  const std::string& of_;
  std::int64_t least_, element_ = 0;
  bool is_complex_ = false;
  int type_ = 0, part_ = 0;
  const Cusolver::Typed* typed_ = nullptr;
  void* infos_ = nullptr;
  void** lu_list_ = nullptr;  // of the factors of a stack
  std::vector<DeviceMemory> memory_;
};

void DeviceMatrices::run(const gnomon_routine& r, const LaunchOfStage& launch,
                         const MatrixReport& report, const std::string& of) {
  if (r.batch <= 0) return;
  device_.enter();
  const std::lock_guard hold(mutex_);
  MatrixCall(*this, r, launch, report, of).run();
}

}  // namespace gnomon
