// Making the node of a loop, for those who build one and for its derivatives.
#pragma once

#include <span>
#include <vector>

#include "stdlib/ops.h"

namespace gnomon {

/// All outputs of the node that this is the first one of.
std::vector<Expr> outputs_of(const Value& first);

/// The loop `op` (fori, while_loop): its last states, then the rows, which the body has behind the
/// states. The body is called once.
std::vector<Expr> make_loop(const Op& op, const Expr& count, std::span<const Expr> initial,
                            const LoopBody& body, Origin at = {});

/// How many steps a loop makes: a count below 0 means none, but it is no extent.
Expr steps_of(const Expr& count);

/// The largest of the counts of all examples; 0 of none.
Expr largest_count(const Expr& counts);

}  // namespace gnomon
