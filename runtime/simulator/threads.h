// The threads of a block as fibers of one thread of the host.
#pragma once

#include <functional>

namespace gnomon::simulator {

/// In which order the threads of a block run, each until it waits for the others.
enum class Order { up, down, shuffled };

/// Runs `thread(t)` for t < count, all on stacks of their own. `seed`: of shuffled orders. False:
/// some threads waited for others that had ended.
bool run_block(unsigned count, Order order, unsigned seed,
               const std::function<void(unsigned t)>& enter, const std::function<void()>& thread);

/// Of a thread that runs: the others go on, until all are here.
void wait_for_block();

}  // namespace gnomon::simulator
