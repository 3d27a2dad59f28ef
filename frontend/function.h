// Compiled functions: from expressions to a native function that can be called.
#pragma once

#include <array>
#include <complex>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/compile_options.h"
#include "frontend/explanation.h"
#include "frontend/profile.h"
#include "frontend/variable.h"
#include "ir/graph/expr.h"
#include "runtime/arrays/array.h"
#include "runtime/small_vector.h"

namespace gnomon {

/// A result of a function, with a name or without.
struct Output {
  /// Without a name, or with one, which is distinct among the outputs of a function.
  Output(Expr e) : value(std::move(e)) {}
  Output(std::string n, Expr e) : value(std::move(e)), name(std::move(n)) {}
  Expr value;        ///< what is computed
  std::string name;  ///< empty for none
};

/// Outputs as a parameter: in braces, or any range of expressions or outputs.
class OutputList : public std::vector<Output> {
 public:
  OutputList() = default;
  /// Some in braces, or those of a range.
  OutputList(std::initializer_list<Output> list) : vector(list) {}
  OutputList(std::vector<Output> list) : vector(std::move(list)) {}
  template <class Range>
    requires(!std::convertible_to<const Range&, std::vector<Output>> &&
             requires(const Range& list) {
               { *std::begin(list) } -> std::convertible_to<Output>;
               std::end(list);
             })
  OutputList(const Range& range) {
    for (const auto& output : range) push_back(output);
  }
};

/// The new value of a shared variable: of its dtype (TypeError) and shape (ValueError).
struct Update {
  SharedVariable variable;  ///< which one
  Expr value;               ///< what it has after a call, of the values before it
};

/// Which output of a call: its number or its name. Remembers the line of the caller.
class OutputKey {
 public:
  using Place = std::source_location;  ///< the line of the caller
  /// A number from 0, or a name.
  OutputKey(std::int64_t number, Place at = Place::current()) : number_(number), at_(at) {}
  template <class Name>
    requires std::convertible_to<const Name&, std::string_view>
  OutputKey(const Name& name, Place at = Place::current()) : name_(name), at_(at) {}

 private:
  friend class Results;
  std::optional<std::string_view> name_;
  std::int64_t number_ = 0;
  Place at_;
};

/// What a call returns: one array per output; none when default made or moved from.
class Results {
 public:
  Results() = default;

  /// By number (else IndexError) or name (else ValueError). Of a call that has no name, as in
  /// `f(x)[0]`, the array itself, which then may be kept.
  const Array& operator[](const OutputKey& key) const& GNOMON_LIFETIMEBOUND {
    return arrays_[position(key)];
  }
  Array operator[](const OutputKey& key) && { return take(key); }
  /// How many there are.
  std::size_t size() const { return arrays_.size(); }
  /// Moves an output out. Errors as of `[]`.
  Array take(const OutputKey& key) { return std::move(arrays_[position(key)]); }
  /// All of them, moved out: `auto [loss, gradient] = f(x).take<2>();`. ValueError: it is another
  /// number.
  template <std::size_t N>
  std::array<Array, N> take(std::source_location at = std::source_location::current()) && {
    if (N != size()) reject_count(N, at);
    std::array<Array, N> all;
    for (std::size_t i = 0; i < N; ++i) all[i] = std::move(arrays_[i]);
    return all;
  }
  /// For loops over all of them.
  const Array* begin() const& GNOMON_LIFETIMEBOUND { return arrays_.begin(); }
  const Array* end() const& GNOMON_LIFETIMEBOUND { return arrays_.end(); }
  const Array* begin() const&& = delete;
  const Array* end() const&& = delete;

 private:
  friend class Function;
  friend struct Call;
  std::size_t position(const OutputKey& key) const {
    const auto i = static_cast<std::size_t>(key.number_);
    return key.name_ || i >= size() ? found(key) : i;
  }
  std::size_t found(const OutputKey& key) const;
  [[noreturn]] void reject_count(std::size_t wanted, const std::source_location& at) const;

  Results(std::size_t n, std::shared_ptr<const struct Program> program)
      : arrays_(n), program_(std::move(program)) {}

  SmallVector<Array, 4> arrays_;
  std::shared_ptr<const struct Program> program_;
};

/// A vector, an array or a span of numbers, which lie side by side.
template <class Range>
concept NumberRange = requires(const Range& numbers) {
  requires ScalarType<std::remove_cvref_t<decltype(*std::data(numbers))>>;
  requires std::contiguous_iterator<decltype(std::begin(numbers))>;
  std::size(numbers);
};

/// An argument of a call: an array, a number, or numbers that lie side by side, which are copied.
/// Remembers the line of the caller. Numbers of C++ are weak, as they are in expressions: they take
/// the dtype of a scalar input that can hold such a number.
class CallArgument {
 public:
  using Place = std::source_location;  ///< the line of the caller
  /// Numbers that lie side by side, as a vector; an array, or a number.
  template <NumberRange Range>
    requires(!std::convertible_to<const Range&, Array>)
  CallArgument(const Range& numbers, Place at = Place::current())
      : array_(Array::from(std::span(std::data(numbers), std::size(numbers)),
                           {static_cast<std::int64_t>(std::size(numbers))})),
        origin_{at.file_name(), at.line()} {}
  template <class A>
    requires(std::convertible_to<const A&, Array> && !std::same_as<A, CallArgument>)
  CallArgument(const A& a, Place at = Place::current()) : origin_{at.file_name(), at.line()} {
    if constexpr (std::is_arithmetic_v<A> || std::same_as<A, std::complex<float>> ||
                  std::same_as<A, std::complex<double>>)
      number_.emplace(a);
    else
      array_ = a;
  }

 private:
  friend class Function;
  Array array_;
  std::optional<Arg> number_;
  Origin origin_;
};

/// A compiled function. Copies share it; it may be called from many threads at once. One that is
/// default made or moved from is none: whatever is asked of it but `defined` is a ValueError.
class Function {
 public:
  Function() = default;
  /// Of a program that was loaded: see frontend/program.h.
  explicit Function(std::shared_ptr<const struct Program> program) : program_(std::move(program)) {}

  /// Whether the handle refers to a function.
  bool defined() const noexcept { return program_ != nullptr; }

  /// Computes the outputs and commits the updates. Arguments in the order of the inputs; they are
  /// never written to. TypeError: number or dtypes of the arguments; ValueError: ranks, extents, a
  /// number that the input's dtype cannot hold, a failed check; IndexError: an index out of range.
  /// Then no shared variable has changed. Errors end with the line of the call, if they name none.
  Results operator()(std::span<const Array> arguments,
                     std::source_location at = std::source_location::current()) const;
  template <std::same_as<std::source_location> Place = std::source_location>
  Results operator()(Place at = Place::current()) const {
    return (*this)(std::span<const Array>(), at);
  }
  Results operator()(const CallArgument& a) const { return call_with({&a}); }
  Results operator()(const CallArgument& a, const CallArgument& b) const {
    return call_with({&a, &b});
  }
  Results operator()(const CallArgument& a, const CallArgument& b, const CallArgument& c) const {
    return call_with({&a, &b, &c});
  }
  Results operator()(const CallArgument& a, const CallArgument& b, const CallArgument& c,
                     const CallArgument& d) const {
    return call_with({&a, &b, &c, &d});
  }
  template <class... More>
    requires(std::convertible_to<const More&, CallArgument> && ...)
  Results operator()(const CallArgument& a, const CallArgument& b, const CallArgument& c,
                     const CallArgument& d, const CallArgument& e, const More&... more) const {
    const std::array<CallArgument, sizeof...(More)> rest{CallArgument(more)...};
    std::array<const CallArgument*, sizeof...(More) + 5> all{&a, &b, &c, &d, &e};
    for (std::size_t i = 0; i < rest.size(); ++i) all[i + 5] = &rest[i];
    return call_with(all);
  }

  /// The same, for arguments that do not lie side by side. Outputs may lie in the memory of donated
  /// inputs for which `given` is true: memory that nobody else looks at, apart from that of the
  /// other arguments. After a failed call they have their values.
  Results call(std::span<const Array* const> arguments, std::span<const bool> given = {}) const;

  /// Whether this function came from the disk cache.
  bool was_cached() const;
  /// Seconds each stage of the compilation took, one a line.
  std::string timings() const;
  /// The optimised graph, the steps and kernels, the generated C++: empty when it came from the
  /// cache, unless the options asked to explain.
  const std::string& graph_text() const& GNOMON_LIFETIMEBOUND;
  const std::string& module_text() const& GNOMON_LIFETIMEBOUND;
  const std::string& source() const& GNOMON_LIFETIMEBOUND;
  std::string graph_text() const&& { return graph_text(); }
  std::string module_text() const&& { return module_text(); }
  std::string source() const&& { return source(); }
  /// Which rewrites made the final graph what it is; empty as `graph_text` is.
  const std::string& explain() const& GNOMON_LIFETIMEBOUND;
  std::string explain() const&& { return explain(); }
  /// The way from the captured graph to the steps that run, with reasons; also of a function that
  /// came from the cache.
  Explanation explanation() const;
  /// Bytes of workspace without and with the memory budget, and what is computed again; empty
  /// without one.
  const std::string& memory_table() const& GNOMON_LIFETIMEBOUND;
  std::string memory_table() const&& { return memory_table(); }
  /// What calls took until now, step by step. ValueError: compiled without the option `profile`.
  Profile profile() const;
  /// Number of kernels and of library products a call runs (loop bodies counted once).
  int kernels() const;
  int products() const;
  /// Bytes of workspace a call with arguments of these shapes uses, in the memory of the host and
  /// of a device. ValueError as of the call.
  std::int64_t workspace_bytes(std::span<const Array> arguments) const;

 private:
  Results call_with(std::initializer_list<const CallArgument*> arguments) const {
    return call_with(std::span(arguments.begin(), arguments.size()));
  }
  Results call_with(std::span<const CallArgument* const> arguments) const;
  // The number as a value of argument i; with a dtype of its own when it is none.
  Array number(std::size_t i, const Arg& value) const;
  friend const struct Program& program_of(const Function& function);
  const struct Program& program() const;

  std::shared_ptr<const struct Program> program_;
};

/// Compiles `outputs` and `updates` as a function of `inputs`. TypeError: an output needs an input
/// that is not in the list, an input is no input or there twice, a variable is updated twice, an
/// update has another dtype; ValueError: another shape, a name of two outputs, an option;
/// CompileError: the toolchain is missing or failed.
Function compile(const ExprList& inputs, OutputList outputs, std::vector<Update> updates = {},
                 CompileOptions options = {},
                 std::source_location at = std::source_location::current());

}  // namespace gnomon
