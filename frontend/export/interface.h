// What the header of an exported library declares: functions with the names, types and extents that
// programs in C see. The header and its implementation are printed from it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frontend/close_function.h"
#include "frontend/failure_message.h"
#include "runtime/arrays/array.h"
#include "runtime/arrays/shared.h"
#include "runtime/plan_layout.h"

namespace gnomon {

/// An argument or a result of a function, or a variable of the library.
struct InterfaceArray {
  std::string name;
  DType dtype = DType::float64;
  std::vector<std::string> extents;  // as the header spells them
  std::vector<std::string> needed;   // of an argument: as Python computes them of `dims`
  bool by_value = false;             // a number, not the address of one
  bool late = false;                 // a result whose extents the call finds
  bool on_gpu = false;               // in the memory of the GPU

  /// "x: f32[n, 784]".
  std::string text() const;
  /// The type in C of an element, or of a part of a complex number.
  std::string element() const;
};

/// What an output of the native code becomes.
struct InterfaceOutput {
  int result = -1;        // number among the results,
  int variable = -1;      // or among the variables of the library, whose new value it is
  bool in_place = false;  // written over the old value
  bool on_gpu = false;    // in the memory of the GPU
};

/// The native code of a function for processors of a level (0: of any).
struct InterfaceCode {
  std::string prefix;  // of its symbols
  int level = 0;
  PlanLayout layout;
  int first_failure = 0;  // among those of the function: what its check number 1 says
};

struct InterfaceFunction {
  std::string prefix;                // "model" or "model_predict"
  std::vector<std::string> extents;  // names of the open ones
  std::vector<InterfaceArray> arguments, results;
  std::vector<std::string>
      planned;                 // what the plan reads, as expressions of the extents and arguments
  std::vector<int> weights;    // of the library, by number: inputs behind the arguments,
  std::vector<int> variables;  // then these
  /// Of arguments, weights and variables: the host reads it, where a GPU runs the rest.
  std::vector<bool> of_host;
  std::vector<InterfaceOutput> outputs;
  std::vector<FailureMessage> failures;  // of the checks of all codes
  std::vector<InterfaceCode> codes;      // the best first
  std::array<std::uint64_t, 2> key{};    // of the graph
  bool has_kernels = false;              // that a GPU runs

  /// Whether calls need the file of weights.
  bool reads(const struct Interface& library) const;
};

struct Interface {
  std::string name;  // begins all symbols
  std::vector<InterfaceFunction> functions;
  std::vector<Array> weights;
  std::vector<Shared> variables;
  std::vector<InterfaceArray> state;  // the variables as fields
  std::vector<std::string> needs;     // libraries that programs link with it: "lapack", "blas"
  bool has_weights_file = false;      // which has the weights and the first values of variables
  std::string gpu;                    // that runs it: "sm_90", "sim"; empty: the processor does
  bool runs_on_newer = false;         // GPUs, which make code of PTX

  /// The name in capitals, as constants of the header begin.
  std::string capitals() const;
};

/// Adds a function with the weights and variables that it needs; its codes come later. ValueError:
/// a variable with an open extent.
void add_function(Interface& library, const std::string& name, const Closed& closed);
/// Adds the code of the last function for one level.
void add_code(InterfaceFunction& function, const Closed& closed, const struct Module& module,
              InterfaceCode code);

/// The bytes of a number in C memory, of a part where it is complex.
std::size_t element_size(const InterfaceArray& array);

}  // namespace gnomon
