// Which values share loops: the graph cut into nests and steps, in the order they run.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/kernels/kernel_builder.h"
#include "ir/graph/graph.h"
#include "passes/engine/decisions.h"

namespace gnomon {

class NodeDevices;

/// Rows of a reduction over an outer axis that are summed before their partial sums are combined.
inline constexpr std::int64_t column_block = 64;
/// Elements of a reduction over the last axis that are folded before the folds are combined.
inline constexpr std::int64_t row_chunk = 8192;

/// Consecutive elements of an array along each axis.
struct Box {
  Shape start, count;
};

/// One thing a nest computes.
struct Member {
  enum class Kind {
    row,      // reduction of the last axis of the domain
    store,    // a value of the domain's shape, or of the shape of its rows, that goes to memory
    column,   // reduction of axis 0 of a rank-2 domain, as partial results of row blocks
    partial,  // the same for any axis but the last, in a domain of its own
    write,    // operand `operand` of a node that writes elements (-1: what it starts from)
  };
  Member(Kind k, Value v, int written = 0) : kind(k), value(std::move(v)), operand(written) {}
  /// The values of a box of the result that come from what a write starts from.
  Member(const Value& v, Box of_base) : Member(Kind::write, v, -1) { box = std::move(of_base); }

  Kind kind;
  Value value;
  int operand;
  Box box;                   // operand -1: the part of the result that the domain is
  std::optional<int> asked;  // where the program wants it to run: see NodeDevices
  bool onto = false;         // write: the value is added to that of the base and stored
  // What the pull found:
  std::vector<const Node*> rows;        // reductions of the same nest that it needs
  std::vector<Value> row_values;        // the results of them that it reads
  std::vector<Value> heavy;             // costly values at the very element of the domain
  std::vector<Value> parts;             // costly values of other nests, few elements of which it
                                        // computes again
  std::unordered_set<Value> computed;   // all values computed at the very element
  std::unordered_set<Value> loads;      // values read from memory, or made by the same nest
  std::unordered_set<Value> elsewhere;  // those of them that are read at another element
  std::vector<Value> tables;            // matrices whose element is that of the last two axes
  int crossed = -1;                     // see Nest::crossed_axis
  std::vector<bool> joined;             // of each axis but the last: see Nest::loops
  int stage = 0;                        // loops over the last axis that must come before
  int cost = 1;                         // additions an element
  int statements = 0;                   // of a kernel with this member alone
  int widest = 1;                       // bytes of the widest number computed with
  bool plain = true;                    // every access is at the element itself or uniform
  bool by_axes = false;                 // plain, computes with places along single axes
  bool has_loop = false;                // an element takes one: a reduction of few others
  bool scattered = false;               // write: positions depend on data,
  bool scattered_rows = false;          // which are others from row to row,
  bool scattered_lanes = false;         // or from element to element of the last axis
  /// Whether a column is of all rows of a block at once: places of searches wait in registers, and
  /// sums with a maximum beside them for that of the block.
  bool needs_whole_block() const;
  /// Whether it makes an element of the domain that goes to memory, to a place known without data
  /// where no other element goes.
  bool is_of_element(const Shape& domain) const;
};

/// Loops over one domain. The last axis is innermost; the others are its rows.
struct Nest {
  Shape domain;
  std::optional<int> asked;  // where the program wants its members to run
  std::vector<Member> members;
  std::unordered_set<Value> cached;  // kept in scratch from stage to stage
  /// Whether a member stores the value: the others compute it, as its memory may be written later.
  bool stores(const Value& v) const;
  /// Whether it is so small that it shares a kernel with others.
  bool is_small() const;
  /// The write whose base it copies, or null. Unless that has few elements, such kernels hold
  /// nothing else: they need not run where the result is made over the base.
  const Node* box_written() const;
  bool has_columns() const;
  /// Whether columns, and values of the whole domain, are all there is, with `more` if given.
  bool is_of_columns(const Member* more = nullptr) const;
  bool needs_whole_blocks() const;
  /// Whether some columns have a maximum beside them, in this nest or before.
  bool has_paired_columns() const;
  bool is_plain() const;
  /// Whether it runs as well over all elements in one loop: that knows no places along single axes.
  bool is_one_run() const;
  /// Whether all axes but the last have one element, and no column is among the members.
  bool is_one_row() const;
  /// Whether all there is are values of the whole domain that go to memory.
  bool is_of_stores() const;
  /// The axis that memory lies along where the last one strides, of a domain whose elements can be
  /// computed in any order; or -1.
  int crossed_axis() const;
  int stages() const;
  int cost() const;
  int widest() const;
  Shape row_shape() const { return {domain.begin(), domain.end() - 1}; }
  /// The extents of its loops. Where two axes that follow one another are one in all memory, as
  /// those of the pictures in a batch, the first has one iteration and the second those of both:
  /// positions are sums of axes by strides, so that its index does for both.
  Shape loops() const;
};

struct FusedItem {
  int nest = -1;               // a nest, or
  const Node* step = nullptr;  // a node that is no kernel
};

struct Fusion {
  std::vector<Nest> nests;
  std::vector<FusedItem> items;
  /// Values that have a buffer, beside leaves and constants.
  std::unordered_set<Value> stored;
  /// Those of them that have it before anything here runs: a body's, from the graph around it.
  std::unordered_set<Value> given;
  /// The nest that stores a value, for values of nests.
  std::unordered_map<Value, int> home;
  /// Results of writes that a later write, their only user, goes on with in the same memory.
  std::unordered_map<Value, Value> continued;

  bool is_stored(const Value& v) const;
  /// Whether the value is in memory when `nest` runs: a value may be stored for a later nest only.
  bool is_stored_for(const Value& v, const Nest& nest) const;
};

/// Cuts the graph, whose nodes come in the given order, or in that of the graph. Every reduction in
/// it has one axis; composite ops are expanded. `calls_library`: for products. `devices`: where
/// nodes are wanted, if any is anywhere.
Fusion fuse(const Graph& graph, bool calls_library, std::span<const Node* const> order = {},
            const Recording& recording = {}, NodeDevices* devices = nullptr);
/// The same of a body that was put into the graph around it, up to values that are in memory there.
Fusion fuse_body(const Graph& body, bool calls_library, std::span<const Value> given,
                 const Recording& recording = {}, NodeDevices* devices = nullptr);

/// Whether a value is memory from the start: a leaf, or a constant array.
bool is_memory(const Value& v);
/// Whether something has to compute a value: it is neither a leaf nor a constant.
bool is_computed(const Value& v);
/// The value whose memory `v` is, seen through reshapes that move nothing.
Value storage_of(const Value& v);
/// Whether a reduction over an outer axis goes through partial results.
bool is_blocked_column(const Node& node);
bool is_row_reduction(const Node& node);
bool is_column_reduction(const Node& node);
/// How many elements a reduction over one axis takes together.
const Dim& reduced_extent(const Node& reduction);
/// Whether it reduces few elements of an outer axis to a value.
bool is_short_column(const Node& node);
/// The maximum whose parts those of a sum are taken beside, of a blocked column; or null.
const Node* maximum_beside(const Node& sum);
/// c of a sum of exp(x - c) with a maximum beside it, at an index of the result.
Scalar shift_of(KernelBuilder& k, const Node& sum, std::span<const Scalar> index);
/// Shape of the partial results of a blocked column.
Shape partial_shape(const Node& node);
/// Whether `index` is the element of the domain whose axes are `axes` (rows: without the last).
bool is_element_itself(KernelBuilder& k, const Value& v, std::span<const Scalar> index,
                       std::span<const Scalar> axes, bool of_row);
/// The boxes of a write's result that hold what it starts from.
std::vector<Box> boxes_of_base(const Node& write);
/// Whether what a written slice leaves as it is lies in boxes beside it; else all is copied before.
bool is_copied_beside(const Node& write);
/// What the loops of an operand that is written run over: last axes of one element of a slice are
/// left out, so that the loop of lanes is one of many.
Shape domain_of_written(const Node& write, int operand);
/// The operand's element at `axes` of these loops.
std::vector<Scalar> index_of_written(KernelBuilder& k, const Member& member,
                                     std::span<const Scalar> axes);
/// Where an element of a box of the base stands in the result.
std::vector<Scalar> position_in_box(KernelBuilder& k, const Member& member,
                                    std::span<const Scalar> axes);
/// The value a member computes at an element of the domain. `top`: the maximum of the block, where
/// one is beside the member.
Scalar payload(KernelBuilder& k, const Member& member, std::span<const Scalar> axes,
               Scalar top = {});
/// The accumulator of one block of an outer axis, in order, for a `partial` member.
Scalar fold_block(KernelBuilder& k, const Member& member, std::span<const Scalar> axes,
                  Scalar top = {});
/// Whether memory at the offset lies along axis variable `row`, and steps by more than a few
/// elements along `lane`, the last axis.
bool is_crossed(const KernelBuilder& k, const Linear& at, int row, int lane);
/// Whether a loop inside that of the lanes moves the read.
bool is_read_in_loop(const KernelBuilder& k, const Linear& at, int lane);
/// Whether an offset, or another number, is one of the place of an element along axes `a` and
/// `a + 1` together.
bool are_one(KernelBuilder& k, const Linear& at, const Shape& domain, std::span<const Scalar> axes,
             std::size_t a);
/// The axis of the domain that memory at the offset lies along so, or -1; not a short one.
int crossed_axis(KernelBuilder& k, const Linear& at, const Shape& domain,
                 std::span<const Scalar> axes);
/// Whether all axes but the last have one element.
bool is_flat(const Shape& shape);
/// Whether a value has the shape of a domain's rows.
bool is_row_shaped(const Shape& shape, const Shape& domain);

}  // namespace gnomon
