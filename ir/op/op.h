// What an operation is: one constant record that holds everything the compiler knows about it.
//
// Semantics every op keeps (docs/semantics.md has the details per op):
//   dtypes     Array API promotion; a weak Python-like number takes the dtype of its neighbour.
//   overflow   integers wrap; floats follow IEEE 754.
//   NaN        propagates through arithmetic, minimum, maximum, max, min, argmax (first NaN wins).
//   zero       x // 0 and x % 0 are 0 for integers and follow IEEE for floats; -0 is kept.
//   empty      sum 0, prod 1, any false, all true, logsumexp -inf; max, min, argmax: ValueError.
//   indices    negative counts from the end; out of range is an IndexError at run time.
//   reduction  the order of additions is a function of the extents alone.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/graph/node.h"
#include "ir/op/attribute.h"
#include "ir/op/element.h"
#include "ir/op/region.h"
#include "runtime/routines.h"

namespace gnomon {

inline constexpr double inf = std::numeric_limits<double>::infinity();

/// What a type rule sees, and where it leaves what must hold at run time.
struct TypeContext {
  const Op& op;
  std::span<const Value> operands;
  const Attributes& attributes;
  /// Pairs of extents that must be equal at run time; null when nobody asks.
  std::vector<std::pair<Dim, Dim>>* equalities = nullptr;
  /// What is said where they are not; fewer, or "", where a rule said nothing.
  struct Reason {
    std::string text;
    bool is_index = false;  // of an index out of range
  };
  std::vector<Reason>* reasons = nullptr;

  const Type& type(std::size_t i) const { return operands[i].type(); }
  /// Throws TypeError, of what has a wrong kind, as a dtype: "<op>: <message>".
  [[noreturn]] void fail(const std::string& message) const;
  /// Throws ValueError, of what has a wrong value, as extents or a rank: "<op>: <message>".
  [[noreturn]] void refuse(const std::string& message) const;
  /// Of operands that should have one dtype and rank: `fail` if the dtypes differ, else `refuse`.
  [[noreturn]] void mismatch(const std::string& message) const;
  /// Two extents that must agree: ValueError if both are different constants (the message names
  /// the operands), noted as an equality if unknown. Returns the better known of the two.
  Dim equal(const Dim& a, const Dim& b, std::string_view what);
  /// Notes that two extents must be equal at run time; `message` says what is wrong otherwise.
  void require(const Dim& a, const Dim& b, const std::string& message) const;
  /// As `require`, with a message that is not of this op: it stands as it is. ValueError with it
  /// (or IndexError) if the extents are known to differ.
  void require_as(const Dim& a, const Dim& b, Reason reason) const;
};
using TypeRule = std::vector<Type> (*)(TypeContext&);

/// Facts passes use. A bit each.
enum class Trait : std::uint32_t {
  commutative = 1,           // operands may be swapped, exactly
  associative = 2,           // n-ary form allowed
  idempotent = 4,            // f(f(x)) = f(x)
  involution = 8,            // f(f(x)) = x
  increasing = 16,           // monotonic in its one operand
  preserves_zero = 32,       // f(0) = 0
  odd = 64,                  // f(-x) = -f(x), exactly
  even = 128,                // f(-x) = f(x), exactly
  non_negative = 256,        // f(x) >= 0 or NaN
  piecewise_constant = 512,  // derivative 0 wherever it exists
  opaque_to_rules = 1024,    // no rule sees through it (barrier)
  never_fold = 2048,         // print, assert: kept when operands are constant
  repeats = 4096,            // operand 0, repeated along axes
};
struct Traits {
  std::uint32_t bits = 0;
  constexpr Traits() = default;
  constexpr Traits(std::initializer_list<Trait> list) {
    for (Trait t : list) bits |= static_cast<std::uint32_t>(t);
  }
  constexpr bool has(Trait t) const { return bits & static_cast<std::uint32_t>(t); }
};

/// What happens to the dtypes of operands before an application.
enum class Promotion : std::uint8_t {
  none,         // the type rule decides
  common,       // all operands take the common dtype
  inexact,      // the common dtype, float64 if that is not a float
  boolean,      // all become bool by != 0
  choice,       // operand 0 is bool, the others take the common dtype (where)
  accumulated,  // the common dtype, widened to 64 bits if that is bool or a small integer (sum)
};

/// Calls a prelude function on cells of one dtype; the same bits as in generated code. The dtype is
/// that of the last operand (where: of the choices).
using ScalarFunction = Cell (*)(DType operand_dtype, std::span<const Cell> operands);

/// How an elementwise op is spelled in kernels and computed on the host.
struct ScalarSpelling {
  /// Prelude function ("gn::log1p"), called with one argument per operand.
  std::string_view function;
  /// Prelude file that has it ("log.h").
  std::string_view header;
  /// Infix form for reading, e.g. "+"; used where it means the same (floats, bitwise on integers).
  std::string_view infix;
  ScalarFunction host = nullptr;
  /// Rough cost in additions, for fusion and threads.
  int cost = 1;
  /// The dtype of the result if it is neither bool nor that of the last operand.
  std::optional<DType> result = std::nullopt;
};

/// A reduction: combine starts from the identity. With `arg`, the index of the winner is kept too
/// and `combine` says which of two values wins.
struct Reduction {
  const Op* combine = nullptr;
  enum class Identity : std::uint8_t { zero, one, lowest, highest, no, yes } identity{};
  bool arg = false;
  explicit constexpr operator bool() const { return combine != nullptr; }
};

/// An op that writes elements of an array: concatenate, and what replaces or combines the elements
/// of slices and of indices.
struct WriteRule {
  /// Operand whose elements the result starts from; -1 when the writes cover every element.
  int base = -1;
  /// First operand that is written; all operands from here on when `every`, else this one.
  int first = 0;
  bool every = false;
  /// What is written is the slice that the attributes start, count and step tell.
  bool slice = false;
  /// Elements are combined with what is there (those of one position in order) by this elementwise
  /// op instead of replacing it; null: they replace it.
  const Op* combine = nullptr;
  /// Position in the result of element `index` of written operand `operand`.
  std::vector<Scalar> (*position)(Element&, const Node&, int operand,
                                  std::span<const Scalar> index) = nullptr;
  explicit constexpr operator bool() const { return position != nullptr; }
};

/// One element of output `output` at `index`, by elements of the operands.
using ElementRule = Scalar (*)(Element&, const Node&, std::uint32_t output,
                               std::span<const Scalar> index);
/// The same value by simpler ops, one Expr per output; used when the op itself has no kernel.
using ExpandRule = std::vector<Expr> (*)(const Node&);

/// What a derivative rule sees. `x` operands, `y` outputs of the node.
struct Partials {
  const Node& node;
  std::vector<Expr> x;
  Expr y;
};
/// Whether the number is marked; all are if there are no marks.
inline bool is_wanted(const std::vector<bool>& wanted, std::size_t number) {
  return wanted.empty() || wanted[number];
}
/// Derivatives of closed bodies, given to rules of ops that have one.
struct BodyDerivatives {
  /// Body computing, from its params and one cotangent per output, the cotangent of each param that
  /// is marked in `wanted` (of all if that is empty; float params only, others get no output):
  /// params' = params + cotangents.
  Body (*vjp)(const Body&, const std::vector<bool>& wanted);
  /// Body computing outputs and tangents of outputs from params and tangents of the float params.
  Body (*jvp)(const Body&);
};
struct Vjp {
  const Node& node;
  std::vector<Expr> x, y;
  std::vector<Expr> dy;  // cotangent of each output; null when absent
  const BodyDerivatives* bodies = nullptr;
  /// The operands whose cotangents are asked for, of all if it is empty; others may be null.
  std::vector<bool> wanted = {};
  bool wants(std::size_t operand) const { return is_wanted(wanted, operand); }
};
struct Jvp {
  const Node& node;
  std::vector<Expr> x, y;
  std::vector<Expr> dx;  // tangent of each operand; null when zero
  const BodyDerivatives* bodies = nullptr;
};
/// Cotangent of the linear operand `operand`, given the cotangent `dy` of the one output.
struct Transpose {
  const Node& node;
  std::vector<Expr> x;
  std::size_t operand;
  Expr dy;
};

/// A list of expressions whose entries may be null (no contribution).
using Exprs = std::vector<Expr>;

/// The body for a batch, given to batching rules of ops that have one. Parameters marked in
/// `batched` have a leading axis; so has each output marked in `outputs`, which gets marks where
/// one cannot do without.
struct BatchedBody {
  Body body;
  std::vector<bool> outputs;
};
/// What a batching rule sees: a node, and what its operands become when it is applied to each
/// example of a batch at once.
struct Batched {
  const Node& node;
  /// Those of the node, their dimensions in terms of the new operands.
  Attributes attributes;
  /// Operands; those marked in `batched` have the axis of examples first.
  std::vector<Expr> x;
  std::vector<bool> batched;
  Dim size;  // how many examples
  /// Bools: the examples whose results count. In the others nothing fails. Undefined: all do.
  Expr runs;
  /// With `guarded` the new body has `runs` as a further parameter, the last one.
  BatchedBody (*body)(const Body&, const std::vector<bool>& batched,
                      const std::vector<bool>& outputs, bool guarded) = nullptr;
};

/// A value as a pass sees it that writes complex numbers as pairs of real ones; `im` is null for
/// values that are real already.
struct Parts {
  Expr re, im;
};
/// How an op acts on complex numbers.
struct ComplexRule {
  /// What it means for derivatives.
  enum class Kind : std::uint8_t {
    linear,       // the same on either part: cotangents go through as they are
    holomorphic,  // a complex derivative: cotangents are multiplied by its conjugate
    own,          // rules made for complex numbers: those given here, else the record's
  };
  Kind kind{};
  /// The parts of each output by those of the operands; null where the op's expansion has them.
  std::vector<Parts> (*parts)(const Node&, std::span<const Parts> operands) = nullptr;
  Exprs (*vjp)(const Vjp&) = nullptr;
  Exprs (*jvp)(const Jvp&) = nullptr;
};

/// Which finite inputs the table tests sample, per operand.
struct Domain {
  double low = -inf, high = inf;
};
/// Largest error in units in the last place, float32 and float64; 0 = exact.
struct Ulp {
  double f32 = 0, f64 = 0;
};

/// Steps of the host function that are not kernels.
enum class StepKind : std::uint8_t {
  none,
  product,
  convolution,
  routine,
  lines,
  loop,
  branch,
  call,
  print,
  check,
  transfer
};

/// A routine of dense linear algebra that the library runs on whole matrices.
struct RoutineRule {
  Routine kind{};
  /// What is said of a matrix without a result; `{index}`, `{value}` and `{bound}` are filled in.
  std::string_view failure{};
  /// The integer attribute that is the routine's `option`, if there is one. Others have the names
  /// of `gnomon_routine`: lower, transposed (of Fourier transforms: inverse), complete.
  std::string_view option{};
  /// The op with what is above, if this one is made of it when complex numbers become pairs.
  const Op* of = nullptr;
  /// Matrices [..., m, 2 n] are of pairs: complex [..., m, n].
  bool pairs = false;
};

/// A routine along one axis that the library runs on whole arrays: running sums, sorts, searches.
/// Attributes, where there are any of them: axis, reverse, and an extent of the result.
struct LineRule {
  LineRoutine kind{};
  /// What running results combine by.
  const Op* combine = nullptr;
};

struct Op {
  std::string_view name;
  std::string_view doc;
  int operands = 1;  // how many; -1: any number from `at_least`
  int at_least = 0;
  int outputs = 1;  // 0: the operands decide
  AttributeSpecs attributes{};
  TypeRule type = nullptr;
  Promotion promotion = Promotion::none;
  Traits traits{};
  ScalarSpelling scalar{};  // elementwise ops
  Reduction reduction{};    // attributes: axes, keepdims
  ElementRule element = nullptr;
  WriteRule write{};
  ExpandRule expand = nullptr;
  /// Operands from this one on are positions in others, which the op checks; none: it checks none.
  std::optional<std::size_t> positions = {};
  StepKind step = StepKind::none;
  ConvolutionKind convolution{};  // of a step of that kind
  RoutineRule routine{};
  LineRule lines{};
  std::vector<Region> (*regions)(const Node&) = nullptr;  // ops with bodies that a node runs
  Exprs (*partials)(const Partials&) = nullptr;
  std::uint32_t linear = 0;  // bit i: linear in operand i (with `transpose`)
  Expr (*transpose)(const Transpose&) = nullptr;
  Exprs (*vjp)(const Vjp&) = nullptr;
  Exprs (*jvp)(const Jvp&) = nullptr;
  /// All outputs for a batch, with the axis of examples first. Needed unless the op is elementwise,
  /// has an `expand` rule, is a routine, or knows its place by attributes `axis` or `axes` alone.
  Exprs (*batch)(const Batched&) = nullptr;
  Domain domain{};  // every operand; binary ops may give the second its own
  Domain second_domain{};
  Ulp ulp{};

  constexpr bool is_elementwise() const { return !scalar.function.empty(); }
  constexpr bool has(Trait t) const { return traits.has(t); }
  constexpr bool is_differentiable() const { return partials || transpose || vjp; }
};

/// The bodies that a node runs.
inline std::vector<Region> regions_of(const Node& node) {
  return node.op().regions ? node.op().regions(node) : std::vector<Region>();
}
/// The body of such a region.
inline const Graph& body_of(const Node& node, const Region& region) {
  return *node.attribute(region.body).body();
}

/// The op whose routine a node with such a step calls, as users know it.
inline const Op& op_of_routine(const Op& op) { return op.routine.of ? *op.routine.of : op; }

/// Every op of the library, in the order of the X-list; ops made at run time are not in it, nor
/// those that only the last passes make.
std::span<const Op* const> all_ops();
/// By name, of those the last passes make too; null if unknown.
const Op* find_op(std::string_view name);
/// How `op` acts on complex numbers; null if it has no meaning for them.
const ComplexRule* complex_rule(const Op& op);

/// Type rules shared by many records: broadcast shape with the operands' dtype, or bool.
std::vector<Type> elementwise_type(TypeContext&);
std::vector<Type> predicate_type(TypeContext&);
/// As elementwise_type; TypeError unless the dtype is a float or complex.
std::vector<Type> elementwise_float_type(TypeContext&);
/// The dtype of what an elementwise op gives whose last operand has dtype `last`.
DType scalar_result(const Op& op, DType last);
/// Broadcast of the operands' shapes: a literal 1 stretches, unknown pairs become equalities.
Shape broadcast_shapes(TypeContext&, std::span<const Value> operands);

}  // namespace gnomon
