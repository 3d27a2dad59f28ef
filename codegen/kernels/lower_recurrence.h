// A recurrence as a kernel: some elements of its states at a time go through some steps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/kernels/lower_nest.h"
#include "passes/loops/recurrence.h"

namespace gnomon {

/// Steps that the kernel makes when it is called once; fewer at the end.
inline constexpr int steps_of_recurrence = 64;

/// The body, put into the graph around it, and the memory of what it begins and ends with.
struct RecurrenceBody {
  Value index;                 // leaf: the number of the step
  Dim count = 0;               // it is below
  int first = -1, steps = -1;  // buffers: the first step that is made now, and the number of all
  std::vector<Value> states;   // leaves
  std::vector<int> memory;     // of the states, which are written over
  std::vector<int> after;      // of what they become: of scalars, other memory
  std::vector<Value> next;     // values of the states
  std::vector<Value> rows;
  std::vector<int> parts;  // of the rows' memory: from the first step on
};

/// A kernel, and the buffer of the module behind each of its parameters; -1: of the threads.
struct RecurrenceKernel {
  Kernel kernel;
  std::vector<int> buffers;
  std::vector<IndexedAxis> indexed;  // must have elements before the kernel runs
};

/// `is_in_memory` tells what the body reads there; it computes the rest.
RecurrenceKernel lower_recurrence(std::string name, const Recurrence& recurrence,
                                  const RecurrenceBody& body,
                                  const std::function<bool(const Value&)>& is_in_memory,
                                  Storage& storage, const Target& target);

}  // namespace gnomon
