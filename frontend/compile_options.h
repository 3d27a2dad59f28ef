// What `compile` may be told. A table has a row for each option that is a plain value: its field,
// its check, its part in keys of the cache and its keyword in Python come from that row.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/toolchain/machine.h"
#include "frontend/variable.h"
#include "ir/graph/expr.h"
#include "passes/rewrite_level.h"
#include "runtime/device/device_name.h"

namespace gnomon {

class Graph;
struct MemoryBudget;
struct StageChanges;
struct Target;

/// What the value of an option decides.
enum class Decides : std::uint8_t {
  result,  // what is computed: it is in files of functions, and in keys of the cache
  code,    // which code computes it on this machine: it is in keys of the cache
  work,    // how compiling and calling are done, whatever the code: it is in neither
};

/// A path as an option: a string, or a std::filesystem::path.
class FilePath : public std::string {
 public:
  FilePath() = default;
  /// Whatever converts to a string.
  template <std::convertible_to<std::string> T>
  FilePath(const T& path) : std::string(path) {}
  FilePath(std::string_view path) : std::string(path) {}
};

/// The name of a level of rewrites, as options have it: "all".
constexpr std::string_view name_of(RewriteLevel level) {
  constexpr std::string_view names[] = {"none", "exact", "all", "fast"};
  return names[static_cast<std::size_t>(level)];
}

// A row: type, name, default, what it decides, the check of its value (one of compile_options.cpp;
// `any_value` where nothing is wrong, or where its use knows better), and sentences for
// documentation. Their order is part of the interface: designated initialisers name members of
// `CompileOptions` in the order of their declarations. New rows go last.
// clang-format off
#define GNOMON_COMPILE_OPTIONS(X)                                                                  \
  X(RewriteLevel, rewrites, RewriteLevel::all, result, any_value,                                  \
    "Which rewrites are made: 'none', 'exact' (those that keep every bit), 'all', or 'fast' "      \
    "('all', and products and sums of floats regroup).")                                           \
  X(std::vector<std::string>, disabled_rules, {}, result, any_value,                               \
    "Names of rewrite rules that are not used.")                                                   \
  X(int, threads, 0, work, at_least_0,                                                             \
    "The most threads that a call uses; 0 for all.")                                               \
  X(std::string, cpu, "native", code, any_value,                                                   \
    "LLVM's name of the processor, or 'native'.")                                                  \
  X(int, opt_level, 2, code, any_value,                                                            \
    "Optimisation level of Clang, 0 to 3. 3 runs all of LLVM's passes: compiling takes longer, "   \
    "and kernels seldom gain by it.")                                                              \
  X(bool, cache, true, work, any_value,                                                            \
    "Keep the compiled code on the disk, and take it from there.")                                 \
  X(FilePath, cache_folder, {}, work, any_value,                                                   \
    "The folder of the cache; the default one if empty.")                                          \
  X(bool, explain, false, work, any_value,                                                         \
    "Keep the graph, the source and which rewrites were made; compiles anew even if the function " \
    "is cached.")                                                                                  \
  X(std::optional<std::int64_t>, memory_budget, {}, result, at_least_0,                            \
    "The most bytes of workspace for inputs of `memory_shapes`: values are computed again where "  \
    "they would be kept for later steps, as those of the forward pass for a gradient. Results "    \
    "have the same bits. ValueError if it cannot be met, with the least figure that can.")         \
  X(std::vector<std::vector<std::int64_t>>, memory_shapes, {}, result, extents,                    \
    "A shape for each input, for `memory_budget`; not needed if all extents are known.")           \
  X(bool, profile, false, code, any_value,                                                         \
    "Count and time each step of calls, for `profile()` of the function; steps that take less "    \
    "than a microsecond take longer then.")                                                        \
  X(bool, nan_guard, false, work, any_value,                                                       \
    "Look for NaN and infinities in the results of each call. FloatingPointError tells the first " \
    "operation that made one of finite numbers, with its line, and no shared variable changes.")   \
  X(bool, check, false, work, any_value,                                                           \
    "Compute each call once more, operation by operation, and compare. InternalError names the "   \
    "rewrite or kernel that makes a difference, and no shared variable changes. Slow.")            \
  X(std::string, device, "", code, device_name,                                                    \
    "What runs the kernels: 'cpu', 'cuda', 'cuda:1' and so on, or 'sim', which runs kernels for "  \
    "GPUs on this processor, to test them. Empty: what GNOMON_DEVICE says, else 'cpu'.")           \
  X(bool, strict_device, false, code, any_value,                                                   \
    "With a device: ValueError names the first operation on arrays that the host would do.")       \
  X(std::string, device_compiler, "clang", code, device_compiler_name,                             \
    "What compiles kernels for GPUs: 'clang', of whose PTX the driver makes machine code, or "     \
    "'nvrtc', NVIDIA's compiler, which has to be there and makes machine code at once.")
// clang-format on

/// `value` stands in the place of `expression` in this function alone.
struct Given {
  Expr expression;  ///< any part of the outputs and updates
  Expr value;       ///< of its dtype (TypeError) and rank (ValueError)
};

/// How `compile` makes a function: `{.name = "step", .threads = 1}`, in the order of the members.
/// ValueError of `compile`: a value that an option does not take.
struct CompileOptions {
  /// A name for messages and dumps.
  std::string name = {};
  /// What stands in the place of parts of the outputs and updates.
  std::vector<Given> givens = {};
  /// Whether variables without an update get their default one, but for those in
  /// `without_default_update`.
  bool default_updates = true;
  /// Variables that keep their values, unless an update names them.
  std::vector<Shared> without_default_update = {};
  /// Inputs, by position, whose memory calls may reuse for outputs: see `Function::call`.
  std::vector<int> donated = {};
  /// Changes of stages, for tests of what finds faults in them. Nothing is cached then.
  std::shared_ptr<const StageChanges> changes = {};
  /// Constants of the cost model in place of those `gnomon tune` stored, or the default ones.
  std::optional<Machine> machine = {};
#define GNOMON_FIELD(type, name, value, decides, check, doc) type name = value;
  GNOMON_COMPILE_OPTIONS(GNOMON_FIELD)
#undef GNOMON_FIELD
};

/// What the table says of an option, beside its type and its default.
struct CompileOption {
  std::string_view name;
  Decides decides;
  std::string_view doc;
};

/// Calls `visit(option, value)` for each row of the table, in order, with the value in `options`.
template <class Options, class Visit>
void for_each_option(Options& options, Visit&& visit){
#define GNOMON_VISIT(type, name, value, decides, check, doc) \
  visit(CompileOption{#name, Decides::decides, doc}, options.name);
    GNOMON_COMPILE_OPTIONS(GNOMON_VISIT)
#undef GNOMON_VISIT
}

/// The device that these options name, or GNOMON_DEVICE. ValueError for another name.
DeviceName device_of(const CompileOptions& options);

/// What lines of the log call the function.
std::string_view name_for_log(const CompileOptions& options);

/// ValueError for options that no function of so many inputs can have.
void check_options(const CompileOptions& options, std::size_t inputs);

/// The name in the cache of what `graph` is compiled to: a hash of it, of all that decides the
/// code, and of this build.
std::string cache_key(const Graph& graph, CompileOptions options,
                      const std::optional<MemoryBudget>& budget, const Target& target);

}  // namespace gnomon
