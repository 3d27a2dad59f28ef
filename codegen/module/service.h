// What the host function asks of the runtime: a record of runtime/abi.h is filled in and handed to
// its entry. All such steps are alike to everything between lowering and printing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/dimension/dimension.h"
#include "ir/graph/node.h"
#include "ir/op/op.h"

namespace gnomon {

/// Where buffers are and steps run, beside the devices of a module, which have numbers.
constexpr int of_host = -1;

/// A field of a record, and what is stored there.
struct Argument {
  struct Operand {
    std::size_t number;
    Dim offset = 0;  // of its first element
  };
  struct Result {
    std::size_t number;
  };
  std::string field;
  std::variant<std::int64_t, double, Dim, Operand, Result> value;
};

struct ServiceStep;

/// A kind of work that the runtime does.
struct Service {
  std::string_view name;    ///< for people, and of the record in the host function
  std::string_view record;  ///< its type
  std::string_view entry;   ///< the function of gnomon_services that takes it
  /// The record ends with the fields `failed` and `pivot`: of which matrix there is no result, if
  /// its op says what that is.
  bool reports = false;
  /// Fails for lack of what all steps of this kind need: none of these failures is told from
  /// another.
  bool fails_alike = false;
  /// Fails, if it does, before it writes.
  bool fails_first = false;
  /// That of gnomon_services by which a device does it; empty: the host does it. The macro of the
  /// prelude that makes its kernel there, of the header `device_header`; empty: a library does it.
  std::string_view device_entry = {}, device_kernel = {}, device_header = {};
  /// Whether that kernel does all that may be chosen.
  bool has_one_kernel = false;
  /// The field of the record that says what is to be done.
  std::string_view chosen_by = {};
  /// Fills in what a node asks of it.
  void (*ask)(const Node& node, ServiceStep& step) = nullptr;
};

/// A call of a service.
struct ServiceStep {
  const Service* service = nullptr;
  // The service's, where the device does this one, by a kernel of its own.
  std::string_view device_entry, device_kernel;
  std::string_view op;                           // that it computes
  std::vector<int> in, out;                      // buffers
  std::vector<std::vector<Argument>> arguments;  // those of a line of the text together
  /// What exported libraries have in its place: a class template of the prelude's services.h, of
  /// the service's field `chosen_by` and the type of `dtype`. `extra`: what a library must be asked
  /// to have ("lapack"), with a header of its own (lapack_services.h); empty: nothing.
  std::string_view of_library, extra;
  int memory = -1;                  // buffer that a library's service works in
  bool adds = false;                // to what its results hold
  int check = -1;                   // number of the check that a report fails
  Dim bound = 0;                    // of the report
  bool needs_library = false;       // has work that a library must do, whatever the extents
  bool needs_only_library = false;  // fails for lack of a library alone
  Dim work = 0;                     // how long it takes on one thread, in additions of a kernel
  Dim operations = 0;               // on floating-point numbers, but for products; 0: not known
  Dim shares = 0;                   // threads that it keeps busy itself; 0: as many as there are
  int device = of_host;             // that does it
};

/// Of which matrices the library of a device has a routine: none, a single one, also stacks of
/// square ones, or any stack.
enum class DeviceMatricesOf { none, one, one_or_square, stack };
DeviceMatricesOf matrices_of_device(Routine routine);

/// The number in a field of the record. InternalError: it has none.
std::int64_t number_in(const ServiceStep& step, std::string_view field);

/// The service that does such steps, or null.
const Service* service_of(StepKind kind);
std::vector<const Service*> all_services();

/// A sort or a search for the operation `op`, of one line of n elements of `t`; a search is for the
/// places behind equal ones, of as many values. Its buffers are left open.
ServiceStep lines_step(std::string_view op, LineRoutine routine, DType t, const Dim& n);

/// The step of a node that a service does, with its buffers and the number of its check left open.
ServiceStep service_step(const Node& node);

}  // namespace gnomon
