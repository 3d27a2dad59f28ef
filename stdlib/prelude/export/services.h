// The services of the runtime that exported libraries have: its own text, with the caller's threads
// and workspace.
#pragma once

#include "runtime/convolution/convolution_routines.h"
#include "runtime/convolution/tiles.h"
#include "runtime/lines/line_routines.h"
#include "stdlib/prelude/export/caller.h"
#include "stdlib/prelude/lanes/kernel.h"

namespace gn {

/// The threads and the memory of a call: a crew of runtime/freestanding.h.
class LentCrew {
 public:
  struct Lent {
    char* bytes;
    char* data() const { return bytes; }
  };

  /// `own` of each thread lie `own_bytes` apart.
  LentCrew(const Call& call, char* shared, char* own, i64 own_bytes)
      : call_(call), shared_(shared), own_(own), own_bytes_(own_bytes) {}

  i64 threads() const { return call_.services->threads; }
  template <typename Body>
  void operator()(i64 count, i64 grain, const Body& body) const {
    call_.parallel(count, grain, body);
  }
  Lent shared(i64) const { return {shared_}; }
  Lent own(i32 worker, i64) const { return {own_ + worker * own_bytes_}; }

 private:
  const Call& call_;
  char *shared_, *own_;
  i64 own_bytes_;
};

/// A routine along an axis.
template <int Routine, typename T>
struct Lines {
  static constexpr auto routine = static_cast<gnomon::LineRoutine>(Routine);
  static gnomon::ServiceMemory memory(const gnomon_lines& what) {
    return gnomon::memory_of_lines<routine, T>(what);
  }
  static bool run(const gnomon_lines& what, const LentCrew& crew) {
    return gnomon::run_lines<routine, T>(what, crew);
  }
};

/// A convolution, or a gradient of one.
template <int Kind, typename T>
struct Convolution {
  static constexpr auto kind = static_cast<gnomon::ConvolutionKind>(Kind);
  static constexpr const auto& tiles() {
    if constexpr (kind == gnomon::ConvolutionKind::weight_gradient)
      return gnomon::gradient_tiles<T>;
    else
      return gnomon::correlate_tiles<T>;
  }
  static gnomon::ServiceMemory memory(const gnomon_convolution& what) {
    return gnomon::memory_of_convolution<kind, T>(what, tiles());
  }
  static bool run(const gnomon_convolution& what, const LentCrew& crew) {
    return gnomon::run_convolution<kind, T>(what, tiles(), crew);
  }
};

/// Runs a service in memory of its own. Threads have scratch of the call, unless the extents are
/// `late`: then theirs lies behind what is shared.
template <typename Service, typename Record>
i32 serve(const Call& call, Record& what, u8* memory, bool late) {
  if constexpr (requires { Service::fits(what); })
    if (!Service::fits(what)) {
      const CallLock held(call.context);
      call.context->failure = {Outcome::too_large, 0, 0, 0, 0};
      return GNOMON_SERVICE_FAILED;
    }
  char* const shared = reinterpret_cast<char*>(memory);
  const gnomon::ServiceMemory bytes = Service::memory(what);
  const bool done =
      Service::run(what, late ? LentCrew(call, shared, shared + bytes.shared, bytes.own)
                              : LentCrew(call, shared, call.scratch, call.scratch_bytes));
  return done ? GNOMON_DONE : GNOMON_SERVICE_FAILED;
}

}  // namespace gn
