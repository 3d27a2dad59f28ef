// The memory of the simulated device: addresses that no code of the host can read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

namespace gnomon::simulator {

/// Each block ends where pages begin that nobody can read, and starts filled with NaN, which are
/// integers that are no index. All functions but `translate` want one thread at a time.
class Memory {
 public:
  /// `most`: how many bytes may be in use.
  explicit Memory(std::size_t most);

  /// 0: there is no room.
  std::uint64_t allocate(std::size_t bytes);
  /// False: nothing begins there.
  bool release(std::uint64_t address);
  /// What lies at an address of the device as the host sees it; null: it is none.
  void* translate(std::uint64_t address) const;
  /// Whether so many bytes from an address on are in one block.
  bool has(std::uint64_t address, std::size_t bytes) const;
  std::size_t most() const { return most_; }
  std::size_t used() const { return used_; }

 private:
  struct Block {
    std::size_t pages;  // bytes of whole pages, without those that guard it
    std::size_t bytes;
    std::size_t at;  // of the first byte in the pages
  };

  std::size_t most_, used_ = 0;
  std::size_t reserved_;
  char* real_;
  char* seen_;
  std::map<std::size_t, Block> blocks_;  // by the offset of their pages
};

}  // namespace gnomon::simulator
