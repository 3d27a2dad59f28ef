// What tests do differently under the sanitizers.
#pragma once

namespace gnomon::test {

/// Under sanitizers everything is slower and stacks are larger: large sizes are divided by this.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int part = 10;
#else
inline constexpr int part = 1;
#endif

}  // namespace gnomon::test
