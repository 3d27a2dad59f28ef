// What tests of threads share.
#pragma once

#include "runtime/threads.h"

namespace gnomon::test {

/// Puts the pool's thread count back at the end of a test.
struct ThreadsRestored {
  int before = pool().threads();
  ~ThreadsRestored() { set_threads(before); }
};

}  // namespace gnomon::test
