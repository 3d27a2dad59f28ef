// Threads of the pool and memory of the heap, for services: see runtime/freestanding.h.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

/// A block of memory with an owner; null `data` without memory.
class ServiceBlock {
 public:
  explicit ServiceBlock(std::int64_t bytes) noexcept
      : block_(try_allocate_block(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)))) {}
  ~ServiceBlock() {
    if (block_.data != nullptr) free_block(block_);
  }
  ServiceBlock(const ServiceBlock&) = delete;
  ServiceBlock& operator=(const ServiceBlock&) = delete;
  char* data() const { return static_cast<char*>(block_.data); }

 private:
  Block block_;
};

/// At most `limit` threads of a pool.
class PoolCrew {
 public:
  PoolCrew(ThreadPool& pool, int limit) : pool_(pool), limit_(limit) {}

  int threads() const { return std::min(limit_, pool_.threads()); }
  template <class Body>
  void operator()(std::int64_t count, std::int64_t grain, const Body& body) const {
    pool_.parallel_for(count, std::max<std::int64_t>(1, grain), body, limit_);
  }
  ServiceBlock shared(std::int64_t bytes) const { return ServiceBlock(bytes); }
  ServiceBlock own(std::int32_t, std::int64_t bytes) const { return ServiceBlock(bytes); }

 private:
  ThreadPool& pool_;
  int limit_;
};

}  // namespace gnomon
