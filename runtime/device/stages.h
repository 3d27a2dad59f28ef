// What a device does at once of a routine along an axis, of a convolution, or around a library's
// functions on matrices: each launch of its kernel is a stage, which has so many items, one for a
// thread. runtime/device/routine_launches.h and device_matrices.cpp launch them;
// stdlib/prelude/device has what they do.
#pragma once

#include "runtime/freestanding.h"

namespace gnomon {

enum class LineStage : int32_t {
  scan_lines,      // items: lines, each in order
  scan_chunks,     // items: chunks of lines, each by itself; its last element to memory
  combine_ends,    // items: lines; in memory what comes before each chunk in place of its last
  carry,           // items: elements, which take what comes before their chunk
  take_keys,       // items: elements, of which memory gets keys, line by line
  sort_runs,       // items: runs of `run_of_sort`
  merge,           // items: as many; pairs of sorted runs become one
  give_sorted,     // items: elements of the result
  search,          // items: values
  count_true,      // items: pieces of `flags_of_item`; the count of each to memory
  combine_counts,  // one item: in memory where those of each piece begin in place of the counts
  list_true,       // items: pieces
};

inline constexpr int64_t run_of_sort = 8;
inline constexpr int64_t flags_of_item = 1024;

enum class ConvolutionStage : int32_t {
  sum,        // items: elements of the result, `channels_at_once` of them each
  sum_parts,  // weight gradients: the same for each part of the positions, to memory
  add_parts,  // items: elements of the result
};

inline constexpr int64_t channels_at_once = 8;

/// Around the functions of a library, on matrices that follow one another. A matrix fails at a
/// place, counted from 1: the library says 0 or where in the first half of `infos`, stages in the
/// second.
enum class MatrixStage : int32_t {
  list,                   // items: matrices; to `to` where each begins, from `address` on
  transpose,              // items: elements of `from`
  transpose_conjugate,    //
  take_lower,             // items: elements of `to`; zeros above diagonals, which become real
  clear_above,            // items: elements of `to`, of which those above diagonals become zeros
  take_upper,             // items: elements of `to`, from upper triangles of matrices by columns
  write_identity,         // items: elements of `to`
  find_not_positive,      // items: elements of diagonals of `from`
  find_zero,              // the same
  find_not_finite,        // items: elements of `from`; a matrix fails at its first place
  find_not_finite_below,  // those above diagonals aside; it fails in the row
  clear_failed,           // items: elements of `to`
  factor_singular,        // items: threads, a block for each matrix; the factors of those of `from`
                          // with a pivot of 0 are computed anew to `to`, their pivots to `also`
  clamp_pivots,           // items: pivots of `to`, which become rows that there are
  take_swaps,             // items: matrices; to `to` the row that each changed places with, to
                          // `also` the rows in their order, from pivots that count from 1
  report,                 // items: matrices
};

inline constexpr int64_t threads_of_stage = 256;

/// Extents of the matrices whose elements are items. Where a triangle is taken, `source_rows` are
/// those of the matrix that has it; of pivots, `columns` is how many there are, of `pivot_bytes`.
struct MatrixShape {
  int64_t rows, columns, batch;
  int64_t source_rows = 0, pivot_bytes = 0, address = 0;
};

/// How many parts the positions of a weight gradient are cut into, whose sums are added in order.
constexpr int64_t parts_of_positions(int64_t positions) {
  constexpr int64_t shortest = 1024, most = 256;
  return clamped(ceil_div(positions, shortest), 1, most);
}

}  // namespace gnomon
