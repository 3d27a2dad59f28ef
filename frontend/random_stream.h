// Streams of random numbers: a state that lives between calls.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "frontend/variable.h"
#include "stdlib/random/random.h"

namespace gnomon {

/// A state of `gnomon::random` in a shared variable. Each draw that is built from the stream has a
/// counter of its own, so draws of one function differ, and one that is used twice is one value. A
/// function with such draws moves the stream on by a default update: its next call, or that of
/// another function, gives new numbers.
///
///     RandomStream stream(42);
///     const Expr noise = random::normal(stream.next(), {n, 3});
///
/// In the body of a `fori` the numbers differ from step to step. Copies of a handle are the same
/// stream.
class RandomStream {
 public:
  /// None: whatever is asked of it is a ValueError, as it is of one that was moved from.
  RandomStream() = default;
  /// A stream that begins at the state of a seed, in a shared variable of this name.
  explicit RandomStream(std::uint64_t seed, std::string name = "random_state");
  /// A stream whose state is a variable of type uint64[2] (TypeError), with `draws` draws built so
  /// far.
  RandomStream(SharedVariable state, std::uint64_t draws);

  /// The state of a new draw.
  Expr next() const;
  /// The state now, as a value that no other draw gets: the stream moves on by `draws`.
  Array take(std::uint64_t draws = 1) const;
  /// Starts again, as a stream made with this seed.
  void seed(std::uint64_t seed) const;

  /// The variable that holds the state.
  const SharedVariable& state() const& GNOMON_LIFETIMEBOUND { return state_; }
  SharedVariable state() const&& { return state_; }
  /// The number of draws that have been built.
  std::uint64_t draws() const;

 private:
  struct Draws;
  Draws& own() const;
  SharedVariable state_;
  std::shared_ptr<Draws> draws_;
};

}  // namespace gnomon
