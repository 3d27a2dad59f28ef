// Blocks of memory from size-classed free lists: arrays and workspaces are made of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace gnomon {

/// Alignment of every block and of the data of every array Gnomon makes.
inline constexpr std::size_t block_alignment = 64;

/// Size class of blocks too large to keep, which go back to the system at once.
inline constexpr std::uint8_t unlisted_class = 255;

/// A block of memory, 64-byte aligned, and the list it returns to.
struct Block {
  void* data = nullptr;
  std::uint8_t size_class = unlisted_class;
};

/// At least `bytes` bytes, uninitialised. DeviceError when memory is exhausted.
/// A recently freed block of the calling thread is reused without taking a lock.
Block allocate_block(std::size_t bytes);

/// The same, with a null `data` in place of the error.
Block try_allocate_block(std::size_t bytes) noexcept;

/// Returns a block to its list; any thread may do so.
void free_block(Block block) noexcept;

/// Gives the free blocks of the calling thread and the shared lists back to the system.
void trim_memory() noexcept;

/// Bytes that lie free in the shared lists.
std::size_t cached_bytes() noexcept;

/// Scratch memory of one running call: a block with an owner.
class Workspace {
 public:
  Workspace() = default;
  /// DeviceError when memory is exhausted; no bytes, no block.
  explicit Workspace(std::size_t bytes) : block_(bytes == 0 ? Block{} : allocate_block(bytes)) {}
  Workspace(Workspace&& other) noexcept : block_(std::exchange(other.block_, Block{})) {}
  Workspace& operator=(Workspace&& other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Workspace() {
    if (block_.data != nullptr) free_block(block_);
  }

  void* data() const noexcept { return block_.data; }

 private:
  Block block_;
};

}  // namespace gnomon
