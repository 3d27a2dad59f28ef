// Size-classed free lists: one without locks per thread, one with a lock per class behind them.
#include "runtime/memory.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool caching = false;  // recycled blocks would hide uses after free
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool caching = false;
#else
constexpr bool caching = true;
#endif
#else
constexpr bool caching = true;
#endif

// Classes grow by quarters of a power of two from 128 bytes to 1 GiB, so at most a fifth is unused.
constexpr int smallest_log = 7;
constexpr int largest_log = 30;
constexpr int class_count = 4 * (largest_log - smallest_log) + 1;
constexpr std::size_t shared_budget = std::size_t{1} << 30;  // bytes kept in the shared lists
constexpr std::size_t thread_share = std::size_t{1} << 18;   // bytes a thread keeps per class
constexpr std::size_t largest_thread_block = std::size_t{1} << 22;
constexpr std::size_t huge_page = std::size_t{1} << 21;

constexpr std::size_t class_bytes(int c) {
  const std::size_t power = std::size_t{1} << (smallest_log + c / 4);
  const std::size_t bytes = power + power / 4 * static_cast<std::size_t>(c % 4);
  return (bytes + block_alignment - 1) / block_alignment * block_alignment;
}

constexpr int class_of(std::size_t bytes) {
  if (bytes <= (std::size_t{1} << smallest_log)) return 0;
  const int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log+1)
  const std::size_t quarter = (std::size_t{1} << log) / 4;
  const std::size_t above = bytes - (std::size_t{1} << log);
  const auto quarters = static_cast<int>((above + quarter - 1) / quarter);
  return 4 * (log - smallest_log) + quarters;
}

struct FreeBlock {
  FreeBlock* next;
};

struct alignas(64) SharedList {
  std::mutex mutex;
  FreeBlock* first = nullptr;
};

struct SharedLists {
  std::array<SharedList, class_count> lists;
  std::atomic<std::size_t> bytes{0};
};

// Never destroyed: arrays may outlive every static object.
SharedLists& shared_lists() {
  static SharedLists* lists = new SharedLists;
  return *lists;
}

struct ThreadList {
  FreeBlock* first;
  std::uint32_t count;
};

// Trivial, so that blocks freed by later destructors of the thread still find it.
struct ThreadLists {
  ThreadList lists[class_count];
  bool registered;  // the flush at thread exit is arranged
  bool closed;      // the flush has run
};
constinit thread_local ThreadLists thread_lists{};

void to_system(void* data) noexcept { std::free(data); }

// Tests see memory that is read before it is written: as floats of any width it is NaN, as integers
// of two bytes and more no index of anything, as neither of the two bools.
void poison(void* data, std::size_t bytes) noexcept {
  constexpr std::uint16_t pattern = 0x7ffd;
  auto* to = static_cast<unsigned char*>(data);
  for (; bytes >= sizeof pattern; bytes -= sizeof pattern, to += sizeof pattern)
    std::memcpy(to, &pattern, sizeof pattern);
  if (bytes > 0) std::memcpy(to, &pattern, 1);
}

// Read before main, so that a request pays for one look at a byte.
const bool poisons = environment("GNOMON_POISON").has_value();

// What no request can get: twice the machine's memory. The system might promise more and then end
// the process when the memory is touched.
std::size_t out_of_reach() noexcept {
  static const std::size_t limit = [] {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGE_SIZE);
    if (pages <= 0 || page <= 0) return std::size_t{1} << 40;
    return 2 * static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  }();
  return limit;
}

void* from_system(std::size_t bytes) noexcept {
  if (bytes > out_of_reach()) return nullptr;
  const bool large = bytes >= 4 * huge_page;
  const std::size_t alignment = large ? huge_page : block_alignment;
  const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(alignment, rounded);
  // Fewer page faults on first touch; advice may be ignored.
  if (large && data != nullptr) ::madvise(data, rounded, MADV_HUGEPAGE);
  return data;
}

void push_shared(int c, FreeBlock* block) noexcept {
  SharedLists& shared = shared_lists();
  const std::size_t bytes = class_bytes(c);
  if (shared.bytes.fetch_add(bytes, std::memory_order_relaxed) + bytes > shared_budget) {
    shared.bytes.fetch_sub(bytes, std::memory_order_relaxed);
    return to_system(block);
  }
  SharedList& list = shared.lists[static_cast<std::size_t>(c)];
  const std::lock_guard lock(list.mutex);
  block->next = list.first;
  list.first = block;
}

FreeBlock* pop_shared(int c) noexcept {
  SharedLists& shared = shared_lists();
  SharedList& list = shared.lists[static_cast<std::size_t>(c)];
  const std::lock_guard lock(list.mutex);
  FreeBlock* block = list.first;
  if (block == nullptr) return nullptr;
  list.first = block->next;
  shared.bytes.fetch_sub(class_bytes(c), std::memory_order_relaxed);
  return block;
}

void flush_thread(std::uint32_t keep_divisor, int c) noexcept {
  ThreadList& list = thread_lists.lists[c];
  const std::uint32_t keep = keep_divisor == 0 ? 0 : list.count / keep_divisor;
  while (list.count > keep) {
    FreeBlock* block = list.first;
    list.first = block->next;
    --list.count;
    push_shared(c, block);
  }
}

struct FlushAtExit {
  ~FlushAtExit() {
    thread_lists.closed = true;
    for (int c = 0; c < class_count; ++c) flush_thread(0, c);
  }
};

[[gnu::noinline]] void register_thread() noexcept {
  static thread_local FlushAtExit flush;
  static_cast<void>(flush);
  thread_lists.registered = true;
}

[[gnu::noinline]] Block allocate_slowly(std::size_t bytes, int c) noexcept {
  const bool listed = caching && c < class_count;
  if (listed) {
    FreeBlock* block = pop_shared(c);
    if (block != nullptr) return {block, static_cast<std::uint8_t>(c)};
    bytes = class_bytes(c);
  }
  void* data = from_system(bytes);
  if (data == nullptr) {
    trim_memory();
    data = from_system(bytes);
  }
  return {data, listed ? static_cast<std::uint8_t>(c) : unlisted_class};
}

[[gnu::noinline]] void free_slowly(Block block) noexcept {
  if (block.size_class == unlisted_class) return to_system(block.data);
  const int c = block.size_class;
  auto* free = static_cast<FreeBlock*>(block.data);
  if (thread_lists.closed || class_bytes(c) > largest_thread_block) return push_shared(c, free);
  if (!thread_lists.registered) register_thread();
  ThreadList& list = thread_lists.lists[c];
  // The list is full (or this is the thread's first block): keep half, share the rest.
  if (list.count > 1) flush_thread(2, c);
  free->next = list.first;
  list.first = free;
  ++list.count;
}

constexpr auto thread_limits = [] {
  std::array<std::uint32_t, class_count> limits{};
  for (int c = 0; c < class_count; ++c) {
    const std::size_t bytes = class_bytes(c);
    const std::size_t fits = thread_share / bytes;
    limits[static_cast<std::size_t>(c)] =
        bytes > largest_thread_block ? 0 : static_cast<std::uint32_t>(fits < 2 ? 2 : fits);
  }
  return limits;
}();

inline Block take_block(std::size_t bytes) noexcept {
  const int c = class_of(bytes);
  if (c < class_count) {
    ThreadList& list = thread_lists.lists[c];
    if (FreeBlock* block = list.first) {
      list.first = block->next;
      --list.count;
      return {block, static_cast<std::uint8_t>(c)};
    }
  }
  return allocate_slowly(bytes, c);
}

}  // namespace

Block try_allocate_block(std::size_t bytes) noexcept {
  const Block block = take_block(bytes);
  if (poisons && block.data != nullptr) [[unlikely]]
    poison(block.data, bytes);
  return block;
}

Block allocate_block(std::size_t bytes) {
  const Block block = try_allocate_block(bytes);
  if (block.data == nullptr)
    throw DeviceError(fmt::format("memory: expected {} bytes, found none free", bytes));
  return block;
}

void free_block(Block block) noexcept {
  if (block.size_class < class_count && thread_lists.registered && !thread_lists.closed) {
    const int c = block.size_class;
    ThreadList& list = thread_lists.lists[c];
    if (list.count < thread_limits[static_cast<std::size_t>(c)]) {
      auto* free = static_cast<FreeBlock*>(block.data);
      free->next = list.first;
      list.first = free;
      ++list.count;
      return;
    }
  }
  free_slowly(block);
}

void trim_memory() noexcept {
  for (int c = 0; c < class_count; ++c) {
    flush_thread(0, c);
    while (FreeBlock* block = pop_shared(c)) to_system(block);
  }
}

std::size_t cached_bytes() noexcept { return shared_lists().bytes.load(std::memory_order_relaxed); }

}  // namespace gnomon
