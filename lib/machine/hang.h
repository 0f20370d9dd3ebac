// Which of the threads that all wait is to be named.
#pragma once
#include <memory>
#include <vector>

#include "lib/machine/worker.h"

namespace ropewalk::machine {

// Reports a hang of the blocks that are running, none of which can go on; `begun` of `blocks` have begun. It is at a
// thread that waits for what nobody has written, if there is one, for others may wait for what it would do next; else
// at one that waits in a ring, each for what another stored last, as where two locks are taken in two orders; else at
// the first.
void report_hang(const std::vector<std::unique_ptr<Worker>>& running, const order::Order& order, u64 blocks, u64 begun);

}  // namespace ropewalk::machine
