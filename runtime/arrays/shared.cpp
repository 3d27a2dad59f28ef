// Shared variables and the protocol by which calls update them.
#include "runtime/arrays/shared.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "runtime/device/device_array.h"
#include "runtime/error.h"

namespace gnomon {

struct Shared::State {
  std::uint64_t id = 0;
  std::string name;
  DType dtype = float64;
  std::vector<std::int64_t> shape;
  DeviceName home;
  std::atomic<bool> is_kept_readable = false;
  std::mutex right;  // held by the transaction or `set` that will replace the value
  Array value;       // guarded by the commit lock; undefined while written in place
  Array spare;       // guarded by `right`: the buffer of an earlier value
  std::shared_ptr<const DefaultUpdate> default_update;  // guarded by the commit lock
  std::shared_ptr<const void> companion;                // guarded by the commit lock
};

namespace {

// Guards the values of all variables: a transaction reads all of its values at one moment and
// replaces all of them at one moment. Held only while handles are copied.
struct CommitLock {
  std::mutex mutex;
  std::condition_variable returned;  // some value written in place is back
};

// Never destroyed: variables may be used until the process ends.
CommitLock& commit_lock() {
  static CommitLock* lock = new CommitLock;
  return *lock;
}

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

thread_local Callback* innermost = nullptr;

std::string shape_text(DType dtype, std::span<const std::int64_t> shape) {
  std::string text = fmt::format("{}[", short_name_of(dtype));
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != 0) text += ", ";
    text += shape[i] < 0 ? "any" : fmt::format("{}", shape[i]);
  }
  return text + "]";
}

// The array itself when nobody else can change it, else a copy.
Array own(Array value) {
  return value.unique() && value.is_contiguous() ? std::move(value) : value.copy();
}

// Takes the right to replace a value. A callback's call holds rights of its own, out of the order
// of variables: whoever it waits for may wait for it, so it gives up after some time.
bool take_right(std::mutex& right) {
  if (innermost == nullptr) {
    right.lock();
    return true;
  }
  constexpr std::chrono::seconds most{10};
  const auto until = std::chrono::steady_clock::now() + most;
  while (!right.try_lock()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

std::string waits_too_long(const std::string& name) {
  return fmt::format(
      "shared: {} was updated by another call for ten seconds, which may wait for the call that "
      "this callback belongs to",
      name);
}

}  // namespace

Shared::Shared(std::string name, Array value) : state_(std::make_shared<State>()) {
  state_->shape.assign(value.shape().size(), -1);
  start(std::move(name), std::move(value));
}

Shared::Shared(std::string name, Array value, Extents shape) : state_(std::make_shared<State>()) {
  state_->shape.assign(shape.begin(), shape.end());
  start(std::move(name), std::move(value));
}

void Shared::start(std::string name, Array value) {
  state_->id = next_id();
  state_->name = std::move(name);
  state_->dtype = value.dtype();
  check(value);
  if (const Device* const device = device_of(value)) state_->home = device->name();
  state_->value = own(std::move(value));
}

Shared::State& Shared::state() const {
  if (state_ == nullptr)
    throw ValueError("shared: expected a variable, found a handle that refers to none");
  return *state_;
}

std::uint64_t Shared::id() const { return state().id; }
const std::string& Shared::name() const& { return state().name; }
const DeviceName& Shared::home() const { return state().home; }
DType Shared::dtype() const { return state().dtype; }
int Shared::rank() const { return static_cast<int>(state().shape.size()); }
std::span<const std::int64_t> Shared::shape() const& { return state().shape; }

std::shared_ptr<const DefaultUpdate> Shared::default_update() const {
  const std::lock_guard hold(commit_lock().mutex);
  return state().default_update;
}

void Shared::set_default_update(std::shared_ptr<const DefaultUpdate> update) {
  const std::lock_guard hold(commit_lock().mutex);
  std::swap(state().default_update, update);
}

void Shared::keep(std::shared_ptr<const void> companion) {
  State& state = this->state();
  const std::lock_guard hold(commit_lock().mutex);
  std::swap(state.companion, companion);
}

Callback::Callback(std::span<const SharedUse> uses) : uses_(uses), outer_(innermost) {
  innermost = this;
}
Callback::~Callback() { innermost = outer_; }

bool Callback::updates(const void* state) {
  for (const Callback* call = innermost; call != nullptr; call = call->outer_)
    for (const SharedUse& use : call->uses_)
      if (use.updated && use.variable.state_.get() == state) return true;
  return false;
}

void Shared::keep_readable() const { state().is_kept_readable = true; }
bool Shared::is_kept_readable() const { return state().is_kept_readable; }

bool Shared::is_there(State& state) {
  if (!state.value.defined()) state.is_kept_readable = true;  // the next reader does not wait
  return state.value.defined();
}

Array Shared::get() const {
  State& state = this->state();
  CommitLock& commits = commit_lock();
  std::unique_lock lock(commits.mutex);
  commits.returned.wait(lock, [&] { return is_there(state); });
  const Array value = state.value;
  lock.unlock();
  return to_host(value);
}

void Shared::move(const Array& value, Array moved) const {
  const std::lock_guard lock(commit_lock().mutex);
  Array& now = state().value;
  if (now.defined() && now.address() == value.address()) std::swap(now, moved);
}

void Shared::check(const Array& value) const {
  const State& state = this->state();
  const auto mismatch = [&] {
    return fmt::format("shared: expected {} for {}, found {}", shape_text(state.dtype, state.shape),
                       state.name, value.describe());
  };
  if (value.dtype() != state.dtype) throw TypeError(mismatch());
  const auto fits = [](std::int64_t found, std::int64_t wanted) {
    return wanted < 0 || found == wanted;
  };
  if (!std::ranges::equal(value.shape(), state.shape, fits)) throw ValueError(mismatch());
}

void Shared::set(Array value) {
  check(value);
  adopt(own(std::move(value)));
}

void Shared::adopt(Array value) {
  check(value);
  State& state = this->state();
  if (innermost != nullptr && Callback::updates(&state))
    throw ValueError(fmt::format(
        "shared: {} is updated by the call that this callback belongs to: it can be replaced when "
        "that call has ended",
        state.name));
  if (!take_right(state.right)) throw ValueError(waits_too_long(state.name));
  const std::lock_guard right(state.right, std::adopt_lock);
  const std::lock_guard lock(commit_lock().mutex);
  // The old value ends in `value`, so memory is freed after both locks are released.
  std::swap(state.value, value);
}

Transaction::Transaction(std::span<const SharedUse> uses) {
  slots_.resize(uses.size());
  for (std::size_t i = 0; i < uses.size(); ++i) {
    slots_[i].state = &uses[i].variable.state();
    slots_[i].updated = uses[i].updated;
    if (uses[i].updated) rights_.push_back(slots_[i].state);
  }
  // One order for all transactions: no two wait for each other.
  std::ranges::sort(rights_, {}, &Shared::State::id);
  if (std::ranges::adjacent_find(rights_) != rights_.end())
    throw InternalError("shared: expected each updated variable once, found one twice");
  for (auto at = rights_.begin(); at != rights_.end(); ++at) {
    if ((*at)->right.try_lock()) continue;
    const bool waits_for_itself = Callback::updates(*at);
    if (!waits_for_itself && take_right((*at)->right)) continue;
    std::for_each(rights_.begin(), at, [](Shared::State* state) { state->right.unlock(); });
    throw ValueError(
        waits_for_itself
            ? fmt::format("shared: {} is updated by the call that this callback belongs to: no "
                          "other call can update it until that one has ended",
                          (*at)->name)
            : waits_too_long((*at)->name));
  }
  open_ = true;

  CommitLock& commits = commit_lock();
  std::unique_lock lock(commits.mutex);
  // Waiting here while holding rights is safe: whoever writes in place waits for nothing any more.
  commits.returned.wait(lock, [this] {
    bool all = true;
    for (const Slot& slot : slots_) all = Shared::is_there(*slot.state) && all;
    return all;
  });
  for (Slot& slot : slots_) slot.value = slot.state->value;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    Slot& slot = slots_[i];
    if (!uses[i].updated || !uses[i].in_place || slot.state->is_kept_readable ||
        slot.value.use_count() != 2)
      continue;
    slot.state->value = Array();
    slot.taken = slot.value.unique();
    if (!slot.taken) slot.state->value = slot.value;
  }
}

Array& Transaction::target(std::size_t i, Extents shape) {
  Slot& slot = slots_[i];
  if (!slot.updated)
    throw InternalError(
        fmt::format("shared: expected an updated variable, found {} only read", slot.state->name));
  if (slot.taken) {
    if (!std::ranges::equal(slot.value.shape(), shape))
      throw InternalError(fmt::format("shared: expected the extents of {} to stay {}, found {}",
                                      slot.state->name, slot.value.describe(),
                                      describe(slot.state->dtype, shape)));
    return slot.value;
  }
  if (slot.target.defined() && std::ranges::equal(slot.target.shape(), shape)) return slot.target;
  Array& spare = slot.state->spare;
  if (spare.unique() && std::ranges::equal(spare.shape(), shape))
    slot.target = std::move(spare);
  else
    slot.target = Array::empty(slot.state->dtype, shape);
  return slot.target;
}

void Transaction::replace(std::size_t i, Array value) {
  Slot& slot = slots_[i];
  if (!slot.updated || slot.taken)
    throw InternalError(
        fmt::format("shared: expected an updated variable not written in place, "
                    "found {}",
                    slot.state->name));
  slot.target = std::move(value);
}

void Transaction::commit() { finish(true); }

void Transaction::finish(bool committed) noexcept {
  if (!open_) return;
  open_ = false;
  bool returned = false;
  {
    CommitLock& commits = commit_lock();
    const std::lock_guard lock(commits.mutex);
    for (Slot& slot : slots_) {
      if (slot.taken) {
        slot.state->value = slot.value;
        returned = true;
      } else if (committed && slot.target.defined()) {
        std::swap(slot.state->value, slot.target);
      }
    }
    if (returned) commits.returned.notify_all();
  }
  // What is left in `target` (the old value, or the unused buffer) serves the next update.
  for (Slot& slot : slots_) {
    slot.value = Array();
    if (slot.target.defined() && !slot.target.is_elsewhere())
      slot.state->spare = std::move(slot.target);
    slot.target = Array();
  }
  for (Shared::State* state : rights_) state->right.unlock();
}

Transaction::~Transaction() { finish(false); }

}  // namespace gnomon
