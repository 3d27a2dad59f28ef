// The loops of the nest that is being lowered, and what they have computed so far.
#pragma once

#include <array>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/kernels/lower_nest.h"

namespace gnomon {

/// A piece of the domain over one of its rows' axes and the last one, whose elements are read along
/// both.
struct Tile {
  struct Block {
    int buffer;
    Linear start;  // of the tile, in the buffer
    Dim stride;    // from lane to lane
    int scratch;   // kernel buffer that holds the tile's part, turned
  };
  int crossed;                          // axis of the domain
  std::int64_t length;                  // of a row of scratch, and the most rows
  std::array<Scalar, 2> rows, columns;  // from, to
  std::vector<Block> blocks;
};

struct KernelLowering::Loops {
  std::vector<Scalar> axes;     // one index per axis of the domain; the last may be missing
  std::optional<Scalar> block;  // of rows, when columns are accumulated
  std::unordered_map<Value, Scalar> rows;         // results of row reductions
  std::unordered_map<const Node*, Scalar> parts;  // results of the block, of columns
  std::vector<Scalar> accumulators;               // of the stage that runs
  std::unordered_map<Value, int> scratch;         // cached values: kernel buffer
  std::unordered_map<Value, int> cached_at;       // stage that filled it
  int stage = 0;
  bool by_rows = false;
  bool rows_as_lanes = false;
  std::unordered_map<Value, int> tables;  // matrices that are read transposed: kernel buffer
  std::optional<Tile> tile;
  Dim ahead = 0;                          // columns: how far ahead elements are asked for
  bool streams = false;                   // elements are read in the order of memory
  std::set<std::pair<int, int>> fetched;  // buffers that are asked for ahead, by stage
};

}  // namespace gnomon
