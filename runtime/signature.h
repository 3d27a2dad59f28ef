// What a compiled function takes, makes and says, as its object tells it: one writer, one reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/arrays/dtype.h"

namespace gnomon {

/// An argument, a large constant or a shared variable, as native code sees it. Extents are written
/// as in the texts of graphs: "n", "3", "n + 1".
struct SignatureInput {
  std::string name;
  DType dtype = DType::float64;
  int rank = 0;
  std::vector<std::string> extents;
  int device = -1;  // in whose memory it is, by number; -1: the host's
};

/// A result or the new value of a shared variable, as native code sees it.
struct SignatureOutput {
  std::string name;
  DType dtype = DType::float64;
  int rank = 0;
  std::vector<std::string> extents;
  int shape_at = 0;   // of its extents in the plan
  bool late = false;  // the running function makes it
  int over = -1;      // the input whose memory it may be written to, or -1
  int device = -1;    // as of inputs
};

/// What may fail, and what is said then. `{index}`, `{value}`, `{bound}` are filled in by the call,
/// `{of}` by the function, whose graph may have other names than that which the code was made from.
struct FailureText {
  std::string text;
  std::vector<std::uint32_t> nodes;  // of the captured graph, by position: those to blame
  int entry_check = -1;              // or the check of the captured graph that failed
  int parameter = -1;                // or the parameter that does not have its type
  int of = -1;                       // the parameter that `{of}` stands for
  bool is_index = false;             // an index is out of range
};

/// A step that a function counts and times. Names are those of the graph that the code was made
/// from; lines are those of the function's own graph.
struct SignatureStep {
  std::string kind;                       // "kernel", "loop", ...; or a service
  std::string name = {};                  // what it makes
  int inside = -1;                        // the loop or group that it is in, by position
  int branch = 0;                         // of the group
  std::vector<std::uint32_t> nodes = {};  // of the captured graph, by position: what it computes
  bool single = false;                    // its operations are on numbers of at most 32 bits
};

/// Memory that a call of a profiled function makes.
struct SignatureBuffer {
  std::string name;
  int first = 0, last = 0;  // the steps, by position, between which it is in use
  bool result = false;
  std::vector<std::uint32_t> nodes = {};  // of the captured graph, by position: what it is of
};

/// Extents are for people to read. Their symbols, and the values v0, v1, ... of scalars, have the
/// names that the object's units call them by. Those are of the graph that the code was made from:
/// the names of symbols are not in the keys of graphs, so that functions with the same code may
/// call theirs otherwise. Which extents are equal is the same for all of them.
struct Signature {
  std::vector<SignatureInput> inputs;
  std::vector<SignatureOutput> outputs;
  std::vector<std::string> symbols;    // of the graph's dimensions, in order
  std::vector<FailureText> failures;   // failure number i + 1
  std::vector<std::string> messages;   // of print operations
  std::vector<int> extent_parameters;  // inputs whose values are extents, in order
  int kernels = 0, products = 0;       // that a call runs
  std::string memory_table;            // what a memory budget did; or empty
  // Of functions that are profiled:
  std::vector<SignatureStep> steps;     // that it counts
  std::vector<SignatureBuffer> memory;  // of a call
};

/// The signature as JSON.
std::string text(const Signature& signature);
/// Its inputs and outputs on one line: "x: f64[n, 3] -> sums: f64[n]".
std::string describe(const Signature& signature);
/// Reads what `text` wrote, of a function whose plans have so many numbers. DeviceError: it is no
/// signature, or its numbers do not fit each other.
Signature read_signature(std::string_view text, std::int64_t plan_size);
/// DeviceError that says why a text is not the signature of a function.
[[noreturn]] void reject_signature(const std::string& why);

}  // namespace gnomon
