// The functions of cuSOLVER, and of cuBLAS beside it, that Gnomon uses, for the simulated device:
// they do what NVIDIA's do, spoil what those may spoil, and refuse what those would refuse or do
// wrong. Matrices are stored by columns; all is computed in double precision.
#include "runtime/device/cusolver_functions.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/simulator/dense.h"
#include "runtime/simulator/queue.h"

namespace gnomon {
namespace {

using namespace simulator;
constexpr std::size_t device_bytes = 1000, host_bytes = 100;  // that functions work in

// Matrices that begin with this number have no eigenvalues or singular values that are found.
constexpr double never_found = 0x1.23456p+99;

// --- memory of the device ---

// Numbers of a type from an address on.
struct Numbers {
  int type;
  std::uint64_t address;

  bool is_complex() const { return type >= solver::complex64; }
  bool is_double() const { return type == solver::float64 || type == solver::complex128; }
  Index bytes() const { return Index{is_double() ? 8 : 4} * (is_complex() ? 2 : 1); }
  bool are_there(Index count) const {
    return address % static_cast<std::uint64_t>(bytes()) == 0 &&
           has_memory(address, static_cast<std::size_t>(count * bytes()));
  }
  Element read(Index k) const {
    const void* const at = seen_by_host(address);
    const auto part = [&](Index i) {
      return is_double() ? static_cast<const double*>(at)[i]
                         : double{static_cast<const float*>(at)[i]};
    };
    return is_complex() ? Element(part(2 * k), part(2 * k + 1)) : Element(part(k));
  }
  void write(Index k, Element x) const {
    void* const at = seen_by_host(address);
    const auto put = [&](Index i, double part) {
      if (is_double())
        static_cast<double*>(at)[i] = part;
      else
        static_cast<float*>(at)[i] = static_cast<float>(part);
    };
    if (!is_complex()) return put(k, x.real());
    put(2 * k, x.real()), put(2 * k + 1, x.imag());
  }
};

int part_of_type(int type) { return type >= solver::complex64 ? type - 4 : type; }

// A matrix there.
struct Stored {
  Numbers numbers;
  Index rows, columns, between;

  Stored(int type, const void* address, Index rows, Index columns, Index between)
      : numbers{type, address_of(address)}, rows(rows), columns(columns), between(between) {}
  bool is_there() const {
    return rows > 0 && columns > 0 && between >= rows &&
           numbers.are_there((columns - 1) * between + rows);
  }
  Dense read() const {
    Dense made(rows, columns);
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) made(i, j) = numbers.read(i + j * between);
    return made;
  }
  void write(const Dense& x) const {
    for (Index j = 0; j < columns; ++j)
      for (Index i = 0; i < rows; ++i) numbers.write(i + j * between, x(i, j));
  }
};

template <class T>
T* there(const T* address) {
  return static_cast<T*>(seen_by_host(address_of(address)));
}
bool has_infos(const int* infos, Index count) {
  return has_memory(address_of(infos), static_cast<std::size_t>(count) * sizeof(int));
}

// What functions were given to work in.
struct Given {
  void* device;
  std::size_t bytes;
  void* host;
  std::size_t host_size;

  /// For matrices of so many elements.
  bool is_enough(Index elements) const {
    return bytes >= device_bytes + static_cast<std::size_t>(elements) &&
           has_memory(address_of(device), bytes) && host != nullptr && host_size >= host_bytes;
  }
  void spoil() const {
    std::memset(seen_by_host(address_of(device)), 0xFF, bytes);
    std::memset(host, 0xFF, host_size);
  }
};

// What a handle knows: both libraries want a stream of the device.
struct Knows {
  bool has_stream = false;
};
template <class Handle>
bool is_ready(Handle handle) {
  return handle != nullptr && reinterpret_cast<Knows*>(handle)->has_stream;
}
template <class Handle>
int make(Handle* handle) {
  *handle = reinterpret_cast<Handle>(new Knows);
  return 0;
}
template <class Handle>
int use(Handle handle, cu::Stream stream, int refused) {
  const auto lock = locked();
  if (stream == nullptr || is_of_another(stream)) return refused;
  reinterpret_cast<Knows*>(handle)->has_stream = true;
  return 0;
}

int ask(Index elements, std::size_t* device, std::size_t* host) {
  *device = device_bytes + static_cast<std::size_t>(elements), *host = host_bytes;
  return elements > 0 ? solver::success : solver::invalid_value;
}

template <class Work>
int queue_of_solver(bool is_right, const Work& work) {
  if (!is_right) return solver::invalid_value;
  return queue_work(work) == cu::success ? int{solver::success} : solver::execution_failed;
}
template <class Work>
int queue_of_blas(bool is_right, const Work& work) {
  if (!is_right) return solver::blas_invalid_value;
  return queue_work(work) == cu::success ? int{solver::success} : solver::blas_execution_failed;
}

// --- for each type ---

// Each matrix of a list, which is read when the work is done.
template <class Visit>
int each_listed(void* const* list, int batch, int type, Index rows, Index columns, Index between,
                const Visit& visit) {
  for (int k = 0; k < batch; ++k) {
    const Stored a(type, there(list)[k], rows, columns, between);
    if (!a.is_there()) return cu::invalid_value;
    visit(k, a);
  }
  return cu::success;
}
constexpr Index most_at_once = 32768;  // matrices; NVIDIA's refuse about as many
bool has_list(const void* list, int batch) {
  return batch > 0 && batch <= most_at_once &&
         has_memory(address_of(list), static_cast<std::size_t>(batch) * sizeof(void*));
}

int potrf_batched(int type, solver::Handle handle, int triangle, int n, void** list, int between,
                  int* infos, int batch) {
  const auto lock = locked();
  const bool is_right = is_ready(handle) && triangle == solver::upper && n > 0 &&
                        has_list(list, batch) && has_infos(infos, batch);
  return queue_of_solver(is_right, [=] {
    return each_listed(list, batch, type, n, n, between, [&](int k, const Stored& a) {
      Dense x = a.read();
      there(infos)[k] = factor_positive(x);
      a.write(x);
    });
  });
}

int ask_orgqr(solver::Handle handle, int m, int n, int k, int* elements) {
  *elements = 50;
  return is_ready(handle) && m >= n && n >= k && k > 0 ? solver::success : solver::invalid_value;
}

int orgqr(int type, solver::Handle handle, int m, int n, int k, void* a, int lda, const void* tau,
          void* work, int elements, int* info) {
  const auto lock = locked();
  const Stored matrix(type, a, m, n, lda);
  const Numbers taus{type, address_of(tau)}, memory{type, address_of(work)};
  const bool is_right = is_ready(handle) && m >= n && n >= k && k > 0 && elements >= 50 &&
                        matrix.is_there() && taus.are_there(k) && memory.are_there(elements) &&
                        has_infos(info, 1);
  return queue_of_solver(is_right, [=] {
    std::vector<Element> factors;
    for (Index i = 0; i < k; ++i) factors.push_back(taus.read(i));
    matrix.write(product_of_reflections(matrix.read(), factors));
    *there(info) = 0;
    for (Index i = 0; i < elements; ++i) memory.write(i, not_a_number);
    return cu::success;
  });
}

// x := x op(a)^-1.
void divide_from_right(const Stored& a, const Stored& x, int triangle, int operation) {
  const Dense of_a = a.read();
  const Dense of_x = x.read();
  Dense turned(of_x.columns, of_x.rows);
  for (Index i = 0; i < of_x.rows; ++i)
    for (Index j = 0; j < of_x.columns; ++j) turned(j, i) = of_x(i, j);
  divide_by_triangle(of_a, triangle == solver::upper, false, operation == solver::as_it_is, turned);
  Dense result(of_x.rows, of_x.columns);
  for (Index i = 0; i < of_x.rows; ++i)
    for (Index j = 0; j < of_x.columns; ++j) result(i, j) = turned(j, i);
  x.write(result);
}

bool is_one(int type, const void* alpha) {
  const bool is_double = type == solver::float64 || type == solver::complex128;
  const auto part = [&](int k) {
    return is_double ? static_cast<const double*>(alpha)[k]
                     : double{static_cast<const float*>(alpha)[k]};
  };
  return part(0) == 1 && (type < solver::complex64 || part(1) == 0);
}

int trsm(int type, solver::Blas blas, int side, int triangle, int operation, int diagonal, Index m,
         Index n, const void* alpha, const void* a, Index lda, void* b, Index ldb) {
  const auto lock = locked();
  const Stored of_a(type, a, n, n, lda), of_b(type, b, m, n, ldb);
  const bool is_right = is_ready(blas) && side == solver::right && diagonal == solver::any &&
                        operation <= solver::transposed && is_one(type, alpha) && of_a.is_there() &&
                        of_b.is_there();
  return queue_of_blas(is_right, [=] {
    divide_from_right(of_a, of_b, triangle, operation);
    return cu::success;
  });
}

int trsm_batched(int type, solver::Blas blas, int side, int triangle, int operation, int diagonal,
                 int m, int n, const void* alpha, const void* const* a, int lda, void* const* b,
                 int ldb, int batch) {
  const auto lock = locked();
  const bool is_right = is_ready(blas) && side == solver::right && diagonal == solver::any &&
                        operation <= solver::transposed && is_one(type, alpha) && m > 0 && n > 0 &&
                        has_list(a, batch) && has_list(b, batch);
  return queue_of_blas(is_right, [=] {
    return each_listed(b, batch, type, m, n, ldb, [&](int k, const Stored& x) {
      divide_from_right(Stored(type, there(a)[k], n, n, lda), x, triangle, operation);
    });
  });
}

int getrf_batched(int type, solver::Blas blas, int n, void* const* list, int lda, int* pivots,
                  int* infos, int batch) {
  const auto lock = locked();
  const bool is_right = is_ready(blas) && n > 0 && has_list(list, batch) &&
                        has_infos(infos, batch) && has_infos(pivots, Index{n} * batch);
  return queue_of_blas(is_right, [=] {
    return each_listed(list, batch, type, n, n, lda, [&](int k, const Stored& a) {
      Dense x = a.read();
      std::vector<Index> changes;
      there(infos)[k] = factor_general(x, changes);
      a.write(x);
      for (int i = 0; i < n; ++i)
        there(pivots)[k * n + i] = static_cast<int>(changes[static_cast<std::size_t>(i)]);
    });
  });
}

int getrs_batched(int type, solver::Blas blas, int operation, int n, int columns,
                  const void* const* a, int lda, const int* pivots, void* const* b, int ldb,
                  int* info, int batch) {
  const auto lock = locked();
  const bool is_right = is_ready(blas) && n > 0 && columns > 0 && operation <= solver::transposed &&
                        has_list(a, batch) && has_list(b, batch) &&
                        has_infos(pivots, Index{n} * batch);
  *info = 0;
  return queue_of_blas(is_right, [=] {
    return each_listed(b, batch, type, n, columns, ldb, [&](int k, const Stored& x) {
      Dense of_x = x.read();
      const int* const own = there(pivots) + k * n;
      divide_by_factors(Stored(type, there(a)[k], n, n, lda).read(),
                        std::vector<Index>(own, own + n), operation == solver::transposed, of_x);
      x.write(of_x);
    });
  });
}

// Eigenvalues of matrices that follow one another.
int eigh(solver::Handle handle, int vectors, int triangle, Index n, int type, void* a, Index lda,
         int type_of_values, void* values, int compute, const Given& given, int* infos,
         Index batch) {
  const auto lock = locked();
  const Stored all(type, a, n, n * batch, lda);
  const Numbers out{type_of_values, address_of(values)};
  constexpr Index most_elements = 0x7fffffff;
  const bool is_right = is_ready(handle) && triangle == solver::upper && lda == n &&
                        batch <= most_at_once && n * n * batch <= most_elements &&
                        compute == type && type_of_values == part_of_type(type) && all.is_there() &&
                        out.are_there(n * batch) && has_infos(infos, batch) &&
                        given.is_enough(n * n * batch);
  return queue_of_solver(is_right, [=] {
    given.spoil();
    const Dense read = all.read();
    Dense results(n, n * batch);
    for (Index b = 0; b < batch; ++b) {
      Dense x(n, n);
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) x(i, j) = read(i, b * n + j);
      const std::vector<double> found = eigenvalues(x);
      for (Index i = 0; i < n; ++i) out.write(b * n + i, found[static_cast<std::size_t>(i)]);
      const bool is_found = read(0, b * n) != never_found;
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          results(i, b * n + j) =
              is_found && vectors == solver::wanted ? x(i, j) : Element(not_a_number);
      there(infos)[b] = is_found ? 0 : 1;
    }
    all.write(results);
    return cu::success;
  });
}

}  // namespace
}  // namespace gnomon

using namespace gnomon;

GNOMON_EXPORTED int cusolverDnCreate(solver::Handle* handle) { return make(handle); }
GNOMON_EXPORTED int cusolverDnSetStream(solver::Handle handle, cu::Stream stream) {
  return use(handle, stream, solver::invalid_value);
}
GNOMON_EXPORTED int cusolverDnCreateParams(solver::Parameters* parameters) {
  return make(parameters);
}
GNOMON_EXPORTED int cublasCreate_v2(solver::Blas* blas) { return make(blas); }
GNOMON_EXPORTED int cublasSetStream_v2(solver::Blas blas, cu::Stream stream) {
  return use(blas, stream, solver::blas_invalid_value);
}

GNOMON_EXPORTED int cusolverDnXpotrf_bufferSize(solver::Handle, solver::Parameters, int, Index n,
                                                int, const void*, Index, int, std::size_t* device,
                                                std::size_t* host) {
  return ask(n * n, device, host);
}
GNOMON_EXPORTED int cusolverDnXpotrf(solver::Handle handle, solver::Parameters parameters,
                                     int triangle, Index n, int type, void* a, Index lda,
                                     int compute, void* device_memory, std::size_t device,
                                     void* host_memory, std::size_t host, int* info) {
  const auto lock = locked();
  const Stored matrix(type, a, n, n, lda);
  const Given given{device_memory, device, host_memory, host};
  const bool is_right = is_ready(handle) && parameters != nullptr && triangle == solver::upper &&
                        compute == type && matrix.is_there() && given.is_enough(n * n) &&
                        has_infos(info, 1);
  return queue_of_solver(is_right, [=] {
    given.spoil();
    Dense x = matrix.read();
    *there(info) = factor_positive(x);
    matrix.write(x);
    return cu::success;
  });
}

GNOMON_EXPORTED int cusolverDnXgetrf_bufferSize(solver::Handle, solver::Parameters, Index m,
                                                Index n, int, const void*, Index, int,
                                                std::size_t* device, std::size_t* host) {
  return ask(m * n, device, host);
}
GNOMON_EXPORTED int cusolverDnXgetrf(solver::Handle handle, solver::Parameters parameters, Index m,
                                     Index n, int type, void* a, Index lda, Index* pivots,
                                     int compute, void* device_memory, std::size_t device,
                                     void* host_memory, std::size_t host, int* info) {
  const auto lock = locked();
  const Stored matrix(type, a, m, n, lda);
  const Given given{device_memory, device, host_memory, host};
  const bool is_right =
      is_ready(handle) && parameters != nullptr && compute == type && matrix.is_there() &&
      given.is_enough(m * n) && has_infos(info, 1) &&
      has_memory(address_of(pivots), static_cast<std::size_t>(std::min(m, n)) * sizeof(Index));
  return queue_of_solver(is_right, [=] {
    given.spoil();
    Dense x = matrix.read();
    std::vector<Index> changes;
    *there(info) = factor_general(x, changes);
    matrix.write(x);
    std::ranges::copy(changes, there(pivots));
    return cu::success;
  });
}
GNOMON_EXPORTED int cusolverDnXgetrs(solver::Handle handle, solver::Parameters parameters,
                                     int operation, Index n, Index columns, int type, const void* a,
                                     Index lda, const Index* pivots, int type_of_b, void* b,
                                     Index ldb, int* info) {
  const auto lock = locked();
  const Stored of_a(type, a, n, n, lda), of_b(type_of_b, b, n, columns, ldb);
  const bool is_right = is_ready(handle) && parameters != nullptr && type_of_b == type &&
                        operation <= solver::transposed && of_a.is_there() && of_b.is_there() &&
                        has_infos(info, 1) &&
                        has_memory(address_of(pivots), static_cast<std::size_t>(n) * sizeof(Index));
  return queue_of_solver(is_right, [=] {
    Dense x = of_b.read();
    const Index* const own = there(pivots);
    divide_by_factors(of_a.read(), std::vector<Index>(own, own + n),
                      operation == solver::transposed, x);
    of_b.write(x);
    *there(info) = 0;
    return cu::success;
  });
}

GNOMON_EXPORTED int cusolverDnXgeqrf_bufferSize(solver::Handle, solver::Parameters, Index m,
                                                Index n, int, const void*, Index, int, const void*,
                                                int, std::size_t* device, std::size_t* host) {
  return ask(m * n, device, host);
}
GNOMON_EXPORTED int cusolverDnXgeqrf(solver::Handle handle, solver::Parameters parameters, Index m,
                                     Index n, int type, void* a, Index lda, int type_of_tau,
                                     void* tau, int compute, void* device_memory,
                                     std::size_t device, void* host_memory, std::size_t host,
                                     int* info) {
  const auto lock = locked();
  const Stored matrix(type, a, m, n, lda);
  const Numbers taus{type_of_tau, address_of(tau)};
  const Given given{device_memory, device, host_memory, host};
  const bool is_right = is_ready(handle) && parameters != nullptr && compute == type &&
                        type_of_tau == type && matrix.is_there() &&
                        taus.are_there(std::min(m, n)) && given.is_enough(m * n) &&
                        has_infos(info, 1);
  return queue_of_solver(is_right, [=] {
    given.spoil();
    Dense x = matrix.read();
    const std::vector<Element> factors = factor_orthogonal(x);
    matrix.write(x);
    for (Index k = 0; k < std::ssize(factors); ++k)
      taus.write(k, factors[static_cast<std::size_t>(k)]);
    *there(info) = 0;
    return cu::success;
  });
}

GNOMON_EXPORTED int cusolverDnXsyevd_bufferSize(solver::Handle, solver::Parameters, int, int,
                                                Index n, int, const void*, Index, int, const void*,
                                                int, std::size_t* device, std::size_t* host) {
  return ask(n * n, device, host);
}
GNOMON_EXPORTED int cusolverDnXsyevd(solver::Handle handle, solver::Parameters, int vectors,
                                     int triangle, Index n, int type, void* a, Index lda,
                                     int type_of_values, void* values, int compute,
                                     void* device_memory, std::size_t device, void* host_memory,
                                     std::size_t host, int* info) {
  return eigh(handle, vectors, triangle, n, type, a, lda, type_of_values, values, compute,
              {device_memory, device, host_memory, host}, info, 1);
}
GNOMON_EXPORTED int cusolverDnXsyevBatched_bufferSize(solver::Handle, solver::Parameters, int, int,
                                                      Index n, int, const void*, Index, int,
                                                      const void*, int, std::size_t* device,
                                                      std::size_t* host, Index batch) {
  return ask(n * n * batch, device, host);
}
GNOMON_EXPORTED int cusolverDnXsyevBatched(solver::Handle handle, solver::Parameters, int vectors,
                                           int triangle, Index n, int type, void* a, Index lda,
                                           int type_of_values, void* values, int compute,
                                           void* device_memory, std::size_t device,
                                           void* host_memory, std::size_t host, int* infos,
                                           Index batch) {
  return eigh(handle, vectors, triangle, n, type, a, lda, type_of_values, values, compute,
              {device_memory, device, host_memory, host}, infos, batch);
}

GNOMON_EXPORTED int cusolverDnXgesvd_bufferSize(solver::Handle, solver::Parameters, signed char,
                                                signed char, Index m, Index n, int, const void*,
                                                Index, int, const void*, int, const void*, Index,
                                                int, const void*, Index, int, std::size_t* device,
                                                std::size_t* host) {
  return ask(m * n, device, host);
}
GNOMON_EXPORTED int cusolverDnXgesvd(solver::Handle handle, solver::Parameters parameters,
                                     signed char job_u, signed char job_vt, Index m, Index n,
                                     int type, void* a, Index lda, int type_of_values, void* values,
                                     int type_of_u, void* u, Index ldu, int type_of_vt, void* vt,
                                     Index ldvt, int compute, void* device_memory,
                                     std::size_t device, void* host_memory, std::size_t host,
                                     int* info) {
  const auto lock = locked();
  const Stored matrix(type, a, m, n, lda);
  const bool vectors = job_u != 'N';
  const Index width = !vectors ? 0 : job_u == 'A' ? m : n;
  const Stored of_u(type_of_u, u, m, width, ldu), of_vt(type_of_vt, vt, n, n, ldvt);
  const Numbers out{type_of_values, address_of(values)};
  const Given given{device_memory, device, host_memory, host};
  const bool is_right =
      is_ready(handle) && parameters != nullptr && m >= n && job_u == job_vt &&
      (job_u == 'N' || job_u == 'S' || job_u == 'A') && compute == type && type_of_u == type &&
      type_of_vt == type && type_of_values == part_of_type(type) && matrix.is_there() && ldu >= m &&
      ldvt >= (vectors ? n : 1) && (!vectors || (of_u.is_there() && of_vt.is_there())) &&
      out.are_there(n) && given.is_enough(m * n) && has_infos(info, 1);
  return queue_of_solver(is_right, [=] {
    given.spoil();
    Dense left(m, std::max(width, n)), right(n, n);
    const Dense read = matrix.read();
    const std::vector<double> found = singular_values(read, left, right);
    for (Index k = 0; k < n; ++k) out.write(k, found[static_cast<std::size_t>(k)]);
    if (vectors) of_u.write(left), of_vt.write(right);
    Dense spoiled(m, n);
    std::ranges::fill(spoiled.elements, Element(not_a_number));
    matrix.write(spoiled);
    *there(info) = read(0, 0) == never_found ? 1 : 0;
    return cu::success;
  });
}

// What there is one of for each type.
#define GNOMON_OF_TYPE(letter, type, org)                                                          \
  GNOMON_EXPORTED int cusolverDn##letter##potrfBatched(solver::Handle handle, int triangle, int n, \
                                                       void** a, int lda, int* infos, int batch) { \
    return potrf_batched(type, handle, triangle, n, a, lda, infos, batch);                         \
  }                                                                                                \
  GNOMON_EXPORTED int cusolverDn##letter##org##_bufferSize(                                        \
      solver::Handle handle, int m, int n, int k, const void*, int, const void*, int* elements) {  \
    return ask_orgqr(handle, m, n, k, elements);                                                   \
  }                                                                                                \
  GNOMON_EXPORTED int cusolverDn##letter##org(solver::Handle handle, int m, int n, int k, void* a, \
                                              int lda, const void* tau, void* work, int elements,  \
                                              int* info) {                                         \
    return orgqr(type, handle, m, n, k, a, lda, tau, work, elements, info);                        \
  }                                                                                                \
  GNOMON_EXPORTED int cublas##letter##trsm_v2_64(                                                  \
      solver::Blas blas, int side, int triangle, int operation, int diagonal, Index m, Index n,    \
      const void* alpha, const void* a, Index lda, void* b, Index ldb) {                           \
    return trsm(type, blas, side, triangle, operation, diagonal, m, n, alpha, a, lda, b, ldb);     \
  }                                                                                                \
  GNOMON_EXPORTED int cublas##letter##trsmBatched(                                                 \
      solver::Blas blas, int side, int triangle, int operation, int diagonal, int m, int n,        \
      const void* alpha, const void* const* a, int lda, void* const* b, int ldb, int batch) {      \
    return trsm_batched(type, blas, side, triangle, operation, diagonal, m, n, alpha, a, lda, b,   \
                        ldb, batch);                                                               \
  }                                                                                                \
  GNOMON_EXPORTED int cublas##letter##getrfBatched(solver::Blas blas, int n, void* const* a,       \
                                                   int lda, int* pivots, int* infos, int batch) {  \
    return getrf_batched(type, blas, n, a, lda, pivots, infos, batch);                             \
  }                                                                                                \
  GNOMON_EXPORTED int cublas##letter##getrsBatched(                                                \
      solver::Blas blas, int operation, int n, int columns, const void* const* a, int lda,         \
      const int* pivots, void* const* b, int ldb, int* info, int batch) {                          \
    return getrs_batched(type, blas, operation, n, columns, a, lda, pivots, b, ldb, info, batch);  \
  }
GNOMON_OF_TYPE(S, solver::float32, orgqr)
GNOMON_OF_TYPE(D, solver::float64, orgqr)
GNOMON_OF_TYPE(C, solver::complex64, ungqr)
GNOMON_OF_TYPE(Z, solver::complex128, ungqr)
#undef GNOMON_OF_TYPE
