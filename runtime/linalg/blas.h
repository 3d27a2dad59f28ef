// Matrix products by a BLAS library that is found at run time, cut into tiles of our own.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "runtime/abi.h"
#include "runtime/trouble.h"

namespace gnomon {

class ThreadPool;

/// How a product is cut. A function of the extents only, so that the bits of a result do not
/// depend on the number of threads: each tile and chunk is one single-threaded library call.
struct GemmGrid {
  std::int64_t rows, columns, depth;  // extents of a full tile
  std::int64_t row_tiles, column_tiles, depth_chunks;
  bool symmetric = false;  // of square tiles, and those below the diagonal are copies
  std::int64_t tiles() const {
    return symmetric ? row_tiles * (row_tiles + 1) / 2 : row_tiles * column_tiles;
  }
};

/// What the grid goes by.
struct GemmTile {
  static constexpr std::int64_t work = 2'000'000;  // multiply-adds worth handing to another thread
  static constexpr std::int64_t thinnest = 128;    // rows of a tile, unless columns are fewer
  static constexpr std::int64_t columns = 2048;    // of a tile, where columns are cut at all
  static constexpr std::int64_t depth = 4096;      // of a chunk
};

/// The grid of an m x k by k x n product, and of an m x k one by its transpose.
GemmGrid gemm_grid(std::int64_t m, std::int64_t n, std::int64_t k);
GemmGrid symmetric_grid(std::int64_t m, std::int64_t k);

/// What a library needs so that each call is right and runs on the calling thread alone.
struct BlasCallRules {
  bool one_at_a_time = false;      // it keeps its buffers without a lock
  int (*get_threads)() = nullptr;  // its threads are OpenMP's, a setting of each calling thread
  void (*set_threads)(int) = nullptr;
};

/// Where results of chunks wait: in a block, or on the stack, which takes longer and is the way
/// once memory has run out.
enum class GemmScratch { allocated, on_stack };

/// Keeps to the library's rules around one or more calls on this thread.
class BlasCallScope {
 public:
  explicit BlasCallScope(const BlasCallRules& rules);
  ~BlasCallScope();
  BlasCallScope(const BlasCallScope&) = delete;
  BlasCallScope& operator=(const BlasCallScope&) = delete;

 private:
  void (*set_threads_)(int);
  int threads_ = 0;
  std::unique_lock<std::mutex> turn_;
};

/// The BLAS library of this process, opened at first use: GNOMON_BLAS, else that of PyPI's package
/// scipy-openblas32 beside Gnomon's own, Debian's builds of OpenBLAS (the threaded ones first: only
/// they may be called by several threads), then any library that offers the C interface.
class Blas {
 public:
  /// Whether a library was found.
  bool available() const noexcept { return sgemm_ != nullptr; }
  /// Path, version and kernel set of the library, or what was tried and not found.
  const std::string& description() const noexcept { return description_; }
  /// Runs a product on `pool`, at most `limit` threads. Fails without a library, and on arguments a
  /// library cannot take: a dtype, a row stride beyond 31 bits or below a row; then C is as it was.
  /// C is not read when beta is 0.
  Trouble gemm(const gnomon_gemm& product, ThreadPool& pool, int limit = 256,
               GemmScratch scratch = GemmScratch::allocated) const noexcept;

  /// A function of the library by its name, or null.
  void* symbol(const char* name) const noexcept;
  const BlasCallRules& rules() const noexcept { return rules_; }

  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

 private:
  friend const Blas& blas();
  Blas();
  bool open(const std::string& path);

  void* handle_ = nullptr;
  void* sgemm_ = nullptr;
  void* dgemm_ = nullptr;
  void* sgemv_ = nullptr;
  void* dgemv_ = nullptr;
  void* ssyrk_ = nullptr;
  void* dsyrk_ = nullptr;
  BlasCallRules rules_;
  std::string description_;
};

/// The library, opened by the first call.
const Blas& blas();

/// `blas().description()`: also the identity of the library in cache keys.
const std::string& blas_description();

}  // namespace gnomon
