// Lists that need no memory of their own while they are short.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace gnomon {

/// A list whose length is given when it is made, in place up to N elements. Empty once moved from.
template <class T, std::size_t N>
class SmallVector {
 public:
  /// Elements as `T()`.
  explicit SmallVector(std::size_t size = 0) : SmallVector(size, Raw()) {
    if (!more_) std::uninitialized_value_construct_n(data(), size);
    size_ = size;
  }
  SmallVector(const SmallVector& other) : SmallVector(other.size_, Raw()) {
    if (more_)
      for (std::size_t i = 0; i < other.size_; ++i) data()[i] = other.data()[i];
    else
      std::uninitialized_copy_n(other.data(), other.size_, data());
    size_ = other.size_;
  }
  SmallVector(SmallVector&& other) noexcept : more_(std::move(other.more_)), size_(other.size_) {
    if (!more_) {
      std::uninitialized_move_n(other.data(), size_, data());
      std::destroy_n(other.data(), size_);
    }
    other.size_ = 0;
  }
  SmallVector& operator=(SmallVector other) noexcept {
    std::destroy_at(this);
    return *std::construct_at(this, std::move(other));
  }
  ~SmallVector() {
    if (!more_) std::destroy_n(data(), size_);
  }

  std::size_t size() const { return size_; }
  T* data() { return more_ ? more_.get() : std::launder(reinterpret_cast<T*>(few_)); }
  const T* data() const {
    return more_ ? more_.get() : std::launder(reinterpret_cast<const T*>(few_));
  }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }

 private:
  // With memory for so many elements, and none yet: one that cannot be made leaves an empty list.
  struct Raw {};
  SmallVector(std::size_t size, Raw) : more_(size > N ? std::make_unique<T[]>(size) : nullptr) {}

  alignas(T) std::byte few_[N * sizeof(T)];
  std::unique_ptr<T[]> more_;
  std::size_t size_ = 0;
};

}  // namespace gnomon
