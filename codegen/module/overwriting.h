// Whether steps may write a new value over an old one: what each of them does to the two.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/module/accesses.h"
#include "codegen/module/module.h"

namespace gnomon {

/// What a step does to the old value and the new one.
struct Effect {
  bool uses = false;  // reads the old value, or writes it: it begins here
  bool writes = false, may_fail = false;
  bool element_by_element = false;  // uses an element at most until it writes the new one
  bool copies = false;              // writes elements of the old value to their own places only
};

/// Of steps on the buffer `from`, the old value, and `to`, the new one.
class Effects {
 public:
  Effects(const Module& module, int from, int to) : module_(module), from_(from), to_(to) {}

  Effect of(const Step& step) const;

 private:
  Effect see(const KernelStep& s, const Ending& end) const;
  Effect see(const LoopStep& s) const;
  Effect see(const ChoiceStep& s) const;
  bool is_copy(const KernelStep& s, const Kernel& kernel) const;
  bool begins_and_ends(const LoopStep& s) const;
  bool adds_to_elements(const KernelStep& s) const;
  bool is_element_by_element(const KernelStep& s, const Kernel& kernel) const;

  const Module& module_;
  int from_, to_;
};

/// Why a new value is not written over an old one.
struct Obstacle {
  enum class Kind : std::uint8_t {
    none,
    never_written,    // nothing makes the new value
    needed_later,     // the step needs the old value once the new one is begun
    across_elements,  // it needs elements of the old one after it has written others
    may_fail,         // it may fail once the new one is begun: the old one would be lost
  };
  Kind kind = Kind::none;
  std::size_t step = 0;  // among the steps
};

/// What is asked of steps for each value that might be written over another one: which of them
/// touch a buffer, and which may fail. There may be thousands of both.
class OrderedSteps {
 public:
  enum class Failures : std::uint8_t { count, leave_nothing };

  /// Both outlive it.
  OrderedSteps(const Module& module, const std::vector<Step>& steps, Failures failures);

  bool may_be_in_place(int from, int to) const {
    return obstacle(from, to).kind == Obstacle::Kind::none;
  }
  Obstacle obstacle(int from, int to) const;
  /// A clause that says it.
  std::string text_of(const Obstacle& obstacle) const;

  /// The first has taken the place of the other.
  void join(int from, int to);
  /// The steps that touch one of two buffers, in order.
  std::vector<std::size_t> touching(int from, int to) const;

 private:
  // The first of the steps from `first` on and before `last` that may fail, or `last`.
  std::size_t failing(std::size_t first, std::size_t last) const;
  bool fails(std::size_t first, std::size_t last) const { return failing_[last] > failing_[first]; }
  void note(const Step& step, std::size_t i);

  const Module& module_;
  const std::vector<Step>& steps_;
  std::vector<std::vector<std::size_t>> touching_;  // by buffer
  std::vector<int> failing_;                        // how many may fail among the first steps
};

}  // namespace gnomon
