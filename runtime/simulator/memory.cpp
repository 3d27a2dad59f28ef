// Memory in two places: where it is, and where programs see it.
#include "runtime/simulator/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

namespace gnomon::simulator {

namespace {

constexpr std::size_t page = 4096, alignment = 256;

std::size_t round_up(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

char* reserve(std::size_t bytes) {
  void* const at =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

}  // namespace

// Blocks come and go: there is more room than memory.
Memory::Memory(std::size_t most)
    : most_(most),
      reserved_(round_up(4 * most, page)),
      real_(reserve(reserved_)),
      seen_(reserve(reserved_)) {}

std::uint64_t Memory::allocate(std::size_t bytes) {
  if (real_ == nullptr || seen_ == nullptr || bytes > most_ || used_ + bytes > most_) return 0;
  const std::size_t taken = round_up(bytes, alignment), pages = round_up(taken, page);
  std::size_t offset = 0;
  for (const auto& [at, block] : blocks_) {
    if (offset + pages + page <= at) break;
    offset = at + block.pages + page;
  }
  if (offset + pages + page > reserved_) return 0;
  if (mprotect(real_ + offset, pages, PROT_READ | PROT_WRITE) != 0) return 0;
  const std::size_t at = pages - taken;
  std::memset(real_ + offset, 0xFF, pages);
  blocks_[offset] = {pages, bytes, at};
  used_ += bytes;
  return reinterpret_cast<std::uint64_t>(seen_ + offset + at);
}

bool Memory::release(std::uint64_t address) {
  const std::size_t offset = address - reinterpret_cast<std::uint64_t>(seen_);
  auto block = blocks_.upper_bound(offset);
  if (block == blocks_.begin()) return false;
  --block;
  if (block->first + block->second.at != offset) return false;
  madvise(real_ + block->first, block->second.pages, MADV_DONTNEED);
  mprotect(real_ + block->first, block->second.pages, PROT_NONE);
  used_ -= block->second.bytes;
  blocks_.erase(block);
  return true;
}

void* Memory::translate(std::uint64_t address) const {
  const std::size_t offset = address - reinterpret_cast<std::uint64_t>(seen_);
  return offset < reserved_ ? real_ + offset : nullptr;
}

bool Memory::has(std::uint64_t address, std::size_t bytes) const {
  const std::size_t offset = address - reinterpret_cast<std::uint64_t>(seen_);
  auto block = blocks_.upper_bound(offset);
  if (block == blocks_.begin()) return false;
  --block;
  return offset + bytes <= block->first + block->second.pages;
}

}  // namespace gnomon::simulator
