// Shared variables: named arrays that calls read and update all together or not at all.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/arrays/array.h"
#include "runtime/device/device_name.h"

namespace gnomon {

/// What a function does to a variable that it uses and that nobody updates: see
/// `SharedVariable::set_default_update`.
struct DefaultUpdate;

/// A variable that lives between calls. Copies of the handle are the same variable.
class Shared {
 public:
  Shared() = default;
  /// Without `shape`, only the rank is fixed; in it, -1 marks an extent that may change.
  Shared(std::string name, Array value);
  Shared(std::string name, Array value, Extents shape);

  bool defined() const noexcept { return state_ != nullptr; }
  /// Unique in this process, in order of creation.
  std::uint64_t id() const;
  const std::string& name() const& GNOMON_LIFETIMEBOUND;
  std::string name() const&& { return name(); }
  DType dtype() const;
  int rank() const;
  /// The extents every value must have, -1 where any will do.
  std::span<const std::int64_t> shape() const& GNOMON_LIFETIMEBOUND;
  std::vector<std::int64_t> shape() const&& { return {shape().begin(), shape().end()}; }

  /// The device that its first value was on, where functions that name none run if they use it.
  const DeviceName& home() const;

  /// The current value, in the host's memory. Later updates do not change it; copy it before
  /// writing to it.
  Array get() const;
  /// Replaces the value: takes the array when the caller gave its only handle, else a copy.
  /// TypeError on another dtype, ValueError on another rank or extent.
  void set(Array value);
  /// Replaces the value by the array itself: nobody may write to it any more, though others may
  /// hold it. Errors as of `set`.
  void adopt(Array value);
  /// Where the value is still this one, it is in this other place from now on.
  void move(const Array& value, Array moved) const;
  /// The checks of `set`, alone.
  void check(const Array& value) const;

  /// From now on calls write the variable's new value beside the old one, never over it: whoever
  /// reads it meanwhile gets the value that was committed last, and does not wait. That takes a
  /// second buffer. Without it, this begins when a reader has had to wait for the first time.
  void keep_readable() const;
  bool is_kept_readable() const;

  /// Null when there is none.
  std::shared_ptr<const DefaultUpdate> default_update() const;
  void set_default_update(std::shared_ptr<const DefaultUpdate> update);

  /// Keeps something for as long as the variable lives; it takes the place of what was kept before.
  void keep(std::shared_ptr<const void> companion);

  friend bool operator==(const Shared& a, const Shared& b) { return a.state_ == b.state_; }

 private:
  friend class Transaction;
  friend class Callback;
  struct State;
  State& state() const;
  static bool is_there(State& state);
  void start(std::string name, Array value);
  std::shared_ptr<State> state_;
};

/// What a call does with a shared variable.
struct SharedUse {
  Shared variable;
  bool updated = false;
  bool in_place = false;  // the new value may be written over the old one
};

/// While it lives, this thread runs a callback of a call with these uses, none of them in place. A
/// `set` of a variable that the call updates, or another call that updates one, would wait for
/// itself: it is a ValueError.
class Callback {
 public:
  explicit Callback(std::span<const SharedUse> uses);
  ~Callback();
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

 private:
  friend class Shared;
  friend class Transaction;
  static bool updates(const void* state);
  std::span<const SharedUse> uses_;
  Callback* const outer_;
};

/// One call's view of its shared variables. Construction takes the update right of each updated
/// variable in id order, then reads all values at one moment. `commit` replaces all updated values
/// at one moment. Without it, the variables keep the values they had.
class Transaction {
 public:
  /// `uses` names each variable once, in any order, and must outlive the transaction.
  explicit Transaction(std::span<const SharedUse> uses);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// The value of variable i when the transaction began.
  const Array& value(std::size_t i) const { return slots_[i].value; }
  /// What `commit` will make of variable i; undefined where it keeps its value.
  const Array& next(std::size_t i) const {
    return slots_[i].taken ? slots_[i].value : slots_[i].target;
  }
  /// Whether the new value of variable i is written over the old one: allowed by the use, not kept
  /// readable, and nobody else holds the array. Then nobody can read the variable until the
  /// transaction ends.
  bool in_place(std::size_t i) const { return slots_[i].taken; }
  /// A buffer for the new value of variable i: the old value's when in place (its shape must then
  /// be `shape`), else the variable's spare buffer if it fits, else a new one.
  /// Asked again with the same shape, the same buffer.
  Array& target(std::size_t i, Extents shape);
  /// Uses `value` as the new value of variable i, neither checked nor copied.
  void replace(std::size_t i, Array value);
  /// Makes the targets the values. A variable without a target keeps its value.
  void commit();

 private:
  struct Slot {
    Shared::State* state = nullptr;
    Array value, target;
    bool updated = false, taken = false;
  };
  void finish(bool committed) noexcept;

  std::vector<Slot> slots_;
  std::vector<Shared::State*> rights_;  // the updated ones, in id order
  bool open_ = false;
};

}  // namespace gnomon
