// Streams of random numbers.
#include "frontend/random_stream.h"

#include <mutex>

#include "runtime/error.h"

namespace gnomon {

struct RandomStream::Draws {
  std::mutex mutex;
  std::uint64_t count = 0;
};

namespace {

Array state_of(std::uint64_t seed) { return Array::from({seed, std::uint64_t{0}}); }

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string name)
    : RandomStream(shared(state_of(seed), std::move(name)), 0) {}

RandomStream::RandomStream(SharedVariable state, std::uint64_t draws)
    : state_(std::move(state)), draws_(std::make_shared<Draws>()) {
  if (state_.dtype() != DType::uint64 || state_.rank() != 1 || !state_.shape()[0].is(2))
    throw TypeError("random stream: expected a state of type u64[2], found " +
                    describe(state_.value()));
  draws_->count = draws;
  if (draws != 0) state_.set_default_update(random::advance(state_, Expr(Array(draws))));
}

RandomStream::Draws& RandomStream::own() const {
  if (draws_ == nullptr)
    throw ValueError("random stream: expected a stream, found none: never set, or moved from");
  return *draws_;
}

Expr RandomStream::next() const {
  Draws& draws = own();
  const std::lock_guard hold(draws.mutex);
  Expr state = random::advance(state_, Expr(Array(draws.count++)));
  // A function moves the stream past all of its draws, whichever of them it has.
  SharedVariable(state_).set_default_update(random::advance(state_, Expr(Array(draws.count))));
  for (const Expr& i : loop_indices()) state = random::fold_in(state, i);
  return state;
}

Array RandomStream::take(std::uint64_t draws) const {
  static_cast<void>(own());
  const SharedUse use[] = {{state_.variable(), true, false}};
  Transaction transaction(use);
  const Array now = transaction.value(0);
  const auto* words = now.data<std::uint64_t>();
  transaction.replace(0, Array::from({words[0], words[1] + draws}));
  transaction.commit();
  return now;
}

void RandomStream::seed(std::uint64_t seed) const {
  static_cast<void>(own());
  SharedVariable(state_).set(state_of(seed));
}

std::uint64_t RandomStream::draws() const {
  Draws& draws = own();
  const std::lock_guard hold(draws.mutex);
  return draws.count;
}

}  // namespace gnomon
