// What functions of an exported library have in the place of the runtime: what their caller lends.
#pragma once

#include "runtime/abi.h"
#include "stdlib/prelude/export/processor.h"
#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

/// The statuses of a call, as the header of the library names them.
enum class Outcome : i32 {
  done,
  bad_argument,     // `index`: the number of its name; `check`: a Wrong
  check_failed,     // `check`: which
  no_workspace,     // `value`: bytes that are missing
  no_capacity,      // `index`: the number of the result's name; `value`: elements that it has
  wrong_processor,  // it lacks instructions that the library was built for
  too_large = 7,    // an extent is beyond the integers of LAPACK and BLAS, or of sorts on a GPU
  gpu_failed = 9,   // `value`: what the GPU's driver returned, or -1 without a driver
};

/// `check` of extents that are too large for a sort on a GPU.
constexpr i32 sorted_on_gpu = 1;

/// What a call tells of how it failed.
struct CallFailure {
  Outcome outcome;
  i32 check;
  i64 index, value, bound;
};

/// Threads of the caller: `parallel_for` returns when all of [0, count) is done.
struct CallerThreads {
  void* pool;
  i32 count;
  void (*parallel_for)(void* pool, i64 count, i64 grain, gnomon_body body, void* argument);
};

/// How many a call has: one without any that are lent.
inline i32 threads_of(const CallerThreads* threads) {
  return threads == nullptr || threads->count < 1 ? 1 : threads->count;
}

/// Memory that may be read, and holds nothing.
inline void* no_elements() {
  alignas(64) static char none[64];
  return none;
}

/// A result whose extents the call finds: room for so many elements, and for the extents.
struct LateResult {
  void* data;
  i64 capacity;
  i64* shape;
  i32 rank;
  i64 argument;  // number of its name
};

class GpuCall;

}  // namespace gn

/// One running call.
struct gnomon_context {
  const gn::CallerThreads* threads;
  char* free;  // what is left of the workspace
  char* end;
  const gn::LateResult* late;  // by number of the result
  gn::CallFailure failure;
  bool lock;
  gn::GpuCall* gpu;  // on which it runs, if it does
  void* nothing;     // the address of arrays without elements
};

namespace gn {

/// Holds the lock of a call: failures come from several threads, and they are few.
struct CallLock {
  gnomon_context* context;
  explicit CallLock(gnomon_context* c) : context(c) {
    while (__atomic_test_and_set(&context->lock, __ATOMIC_ACQUIRE)) {
    }
  }
  ~CallLock() { __atomic_clear(&context->lock, __ATOMIC_RELEASE); }
};

namespace detail {

inline void lent_parallel(gnomon_context* context, i64 count, i64 grain, gnomon_body body,
                          void* argument) {
  const CallerThreads* threads = context->threads;
  if (threads_of(threads) == 1) return body(argument, 0, count, 0);
  threads->parallel_for(threads->pool, count, grain, body, argument);
}

inline void* lent_memory(gnomon_context* context, i64 bytes) {
  const CallLock held(context);
  const i64 left = context->end - context->free;
  const i64 whole = bytes <= 0 ? 64 : bytes > (i64{1} << 56) ? bytes : (bytes + 63) & ~i64{63};
  if (whole > left) {
    if (context->failure.outcome == Outcome::done)
      context->failure = {Outcome::no_workspace, 0, 0, whole - left, 0};
    return nullptr;
  }
  void* data = context->free;
  context->free += whole;
  return data;
}

inline void* late_result(gnomon_context* context, i32 index, const i64* shape) {
  const CallLock held(context);
  const LateResult& result = context->late[index];
  i64 count = 1;
  for (i32 k = 0; k < result.rank; ++k) count *= result.shape[k] = shape[k];
  if (count <= result.capacity) return count == 0 ? context->nothing : result.data;
  context->failure = {Outcome::no_capacity, 0, result.argument, count, result.capacity};
  return nullptr;
}

/// Of several failed checks the one with the smallest (number, index) counts.
inline void failed_check(gnomon_context* context, i32 check, i64 index, i64 value, i64 bound) {
  const CallLock held(context);
  CallFailure& first = context->failure;
  if (first.outcome == Outcome::check_failed &&
      (check > first.check || (check == first.check && index >= first.index)))
    return;
  first = {Outcome::check_failed, check, index, value, bound};
}

inline i32 never_interrupted(gnomon_context*) { return 0; }

}  // namespace detail

/// The services that a caller can stand in for; no step of the library asks for others.
inline gnomon_services services_of(const CallerThreads* threads) {
  gnomon_services table{};
  table.abi_version = GNOMON_ABI_VERSION;
  table.threads = threads_of(threads);
  table.parallel = detail::lent_parallel;
  table.allocate = detail::lent_memory;
  table.output = detail::late_result;
  table.fail = detail::failed_check;
  table.interrupted = detail::never_interrupted;
  return table;
}

/// What is wrong with an argument: `check` of the failure.
enum class Wrong : i32 { null, misaligned, negative, too_large, another_size };

inline void refuse(CallFailure& failure, i64 argument, Wrong why) {
  failure = {Outcome::bad_argument, static_cast<i32>(why), argument, 0, 0};
}

/// The elements of an array; -1 when their bytes would not fit an address.
inline i64 count_of(const i64* extents, i32 rank, i64 size) {
  i64 bytes = size;
  for (i32 k = 0; k < rank; ++k)
    if (extents[k] == 0) return 0;
  for (i32 k = 0; k < rank; ++k)
    if (__builtin_mul_overflow(bytes, extents[k], &bytes) || bytes >> 47 != 0) return -1;
  return bytes / size;
}

/// The address of an array's elements, or null and a failure. One without elements may be null.
/// Then it is `none`, since what is not used may be read.
inline void* address_of(const void* data, const i64* extents, i32 rank, i64 size, i64 argument,
                        CallFailure& failure, void* none = no_elements()) {
  const i64 count = count_of(extents, rank, size);
  if (count == 0) return none;
  if (count < 0)
    refuse(failure, argument, Wrong::too_large);
  else if (data == nullptr)
    refuse(failure, argument, Wrong::null);
  else if (reinterpret_cast<u64>(data) % static_cast<u64>(size) != 0)
    refuse(failure, argument, Wrong::misaligned);
  else
    return const_cast<void*>(data);
  return nullptr;
}

/// The native code of a function for processors of a level and above.
struct FunctionCode {
  i32 level;
  i32 (*plan)(const i64* extents, i64* plan);
  i32 (*run)(const gnomon_services*, gnomon_context*, void* const* buffers, const i64* plan,
             void* workspace);
  i32 shapes;         // where the extents of the outputs stand in the plan
  i32 first_failure;  // what its check 1 says, among the messages of the function
};

/// The best of some codes, of falling levels, for this processor; null and a failure: none.
inline const FunctionCode* code_for(const FunctionCode* codes, int count, CallFailure& failure) {
  for (int i = 0; i < count; ++i)
    if (codes[i].level <= 1 || codes[i].level <= processor_level()) return &codes[i];
  failure.outcome = Outcome::wrong_processor;
  return nullptr;
}

inline void set_check(CallFailure& failure, i32 check, const FunctionCode& code) {
  failure.outcome = Outcome::check_failed;
  failure.check = code.first_failure + check - 1;
}

/// Bytes of workspace before what is allocated in a call.
inline i64 workspace_of(const i64* plan, i32 threads) {
  const i64 bytes = plan[0] + plan[1] * (threads < 1 ? 1 : threads);
  return (bytes + 63) & ~i64{63};
}

/// Runs a code over the plan of a call. A failure that is told already stays.
inline void run_with(const gnomon_services& services, gnomon_context& context,
                     const FunctionCode& code, void* const* buffers, const i64* plan, char* work,
                     CallFailure& failure) {
  if (code.run(&services, &context, buffers, plan, work) == GNOMON_DONE) return;
  if (failure.outcome != Outcome::done) return;
  failure = context.failure;
  if (failure.outcome == Outcome::check_failed) set_check(failure, failure.check, code);
  if (failure.outcome == Outcome::done) failure.outcome = Outcome::no_workspace;
}

/// The same by the processor. The workspace has `kept` bytes behind what the plan asks for, which
/// are not for memory that is allocated.
inline void run_code(const FunctionCode& code, void* const* buffers, const i64* plan, char* work,
                     i64 bytes, i64 kept, const CallerThreads* threads, const LateResult* late,
                     CallFailure& failure) {
  const i64 used = workspace_of(plan, threads_of(threads)) + kept;
  gnomon_context context{threads, work + used, work + bytes, late,
                         {},      false,       nullptr,      no_elements()};
  run_with(services_of(threads), context, code, buffers, plan, work, failure);
}

/// A text of at most `size` bytes with the zero at its end, which knows how long it would be.
class MessageText {
 public:
  MessageText(char* to, u64 size) : to_(to), size_(size) {}
  void put(char c) {
    if (length_ + 1 < size_) to_[length_] = c;
    ++length_;
  }
  void put(const char* text) {
    while (*text != 0) put(*text++);
  }
  void put(i64 value) {
    char digits[20];
    int count = 0;
    u64 rest = value < 0 ? -static_cast<u64>(value) : static_cast<u64>(value);
    do digits[count++] = static_cast<char>('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (value < 0) put('-');
    while (count > 0) put(digits[--count]);
  }
  u64 finish() {
    if (size_ > 0) to_[length_ < size_ ? length_ : size_ - 1] = 0;
    return length_;
  }

 private:
  char* to_;
  u64 size_, length_ = 0;
};

namespace detail {

inline bool starts(const char* at, const char* word) {
  while (*word != 0)
    if (*at++ != *word++) return false;
  return true;
}

/// The text with the numbers of a failure in the places of {index}, {value} and {bound}.
inline void put_filled(MessageText& message, const char* text, const CallFailure& failure) {
  constexpr int field = 7;  // letters of each, with the braces
  while (*text != 0) {
    const i64* number = starts(text, "{index}")   ? &failure.index
                        : starts(text, "{value}") ? &failure.value
                        : starts(text, "{bound}") ? &failure.bound
                                                  : nullptr;
    if (number == nullptr) {
      message.put(*text++);
    } else {
      message.put(*number);
      text += field;
    }
  }
}

}  // namespace detail

/// What is said of a failure, by the names of the function's arguments and the texts of its checks.
inline u64 describe(const CallFailure& failure, const char* const* arguments, i64 argument_count,
                    const char* const* checks, i32 check_count, char* to, u64 size) {
  constexpr const char* wrong[] = {" is null", " is not aligned", " is negative",
                                   " is too large to be addressed",
                                   " has another number of elements than its extents say"};
  MessageText message(to, size);
  const bool knows = failure.index >= 0 && failure.index < argument_count;
  const char* const name = knows ? arguments[failure.index] : "?";
  switch (failure.outcome) {
    case Outcome::done: message.put("done"); break;
    case Outcome::bad_argument:
      message.put(name);
      if (failure.check >= 0 && failure.check < 5) message.put(wrong[failure.check]);
      break;
    case Outcome::check_failed:
      if (failure.check >= 0 && failure.check < check_count)
        detail::put_filled(message, checks[failure.check], failure);
      break;
    case Outcome::no_workspace:
      message.put("the workspace lacks ");
      message.put(failure.value);
      message.put(" bytes");
      break;
    case Outcome::no_capacity:
      message.put(name);
      message.put(" has ");
      message.put(failure.value);
      message.put(" elements, and room for ");
      message.put(failure.bound);
      break;
    case Outcome::wrong_processor:
      message.put("the processor lacks instructions that this library was built for");
      break;
    case Outcome::too_large:
      message.put(failure.check == sorted_on_gpu
                      ? "a GPU sorts fewer than 2^32 elements"
                      : "an extent does not fit the integers of LAPACK and BLAS");
      break;
    case Outcome::gpu_failed:
      if (failure.value < 0) {
        message.put("there is no driver of the GPU, or it is too old");
        break;
      }
      message.put("the driver of the GPU returned error ");
      message.put(failure.value);
      break;
  }
  return message.finish();
}

}  // namespace gn
