// Accumulators that lanes feed: one a lane, or chains of vectors that take their elements in turn.
#pragma once

#include <map>
#include <set>
#include <string>

#include "codegen/cpu/vector_loops.h"
#include "codegen/text/accumulators.h"

namespace gnomon {

class LaneAccumulators final : public Accumulators {
 public:
  LaneAccumulators(KernelOutline& outline, KernelWriter& writer, const VectorLoops& vectors);

  void declare(int acc) override;
  void reduce(int i) override;
  void fold(int i) override;

  /// Whether the vectors of a loop feed chains.
  bool feeds_chains(int loop) const { return chained_.contains(loop); }

 private:
  // What an accumulator is, by where it is fed.
  struct Shape {
    enum class Form { scalar, lanes, chains } form = Form::scalar;
    int width = 1, chains = 1;
    bool rest = false;  // chains: masked vectors feed chains of their own
    int counted = -1;  // search in lanes: the loop whose index, the same in all lanes, is the place
  };
  using Form = Shape::Form;

  void shape(int reduce, const VectorLoops& vectors);
  void declare_lanes(int acc);
  void declare_chains(int acc);
  std::string chain_of(int acc);
  std::string start_of(int loop) const { return w_.plain(outline_[loop].args[0]); }

  std::map<int, Shape> shapes_;
  std::map<int, std::string> rests_;  // the chains of masked vectors
  std::set<int> chained_;             // loops
};

}  // namespace gnomon
