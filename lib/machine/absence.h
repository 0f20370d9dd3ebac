// Threads that are missing at a barrier because they have left the kernel.
//
// A barrier without a count waits for the threads of the block that have not exited (CUDA C++ Programming Guide,
// compute capability 7.x, independent thread scheduling: __syncthreads and bar.sync "will not succeed until reached by
// all non-exited threads in the block"). So a thread that returned early is not missed. One that went round the
// barrier, on the other side of a branch or out of a loop, and has then left is: had it stayed, nobody could go on.
//
// The two look alike where a function returns a code that its caller only tests: the thread comes to the test, behind
// the barrier, and leaves. So more is asked of a thread that went round a barrier: that it did something there which
// others see, or went round it in several rounds of its loop, or round the barriers that come next. And one that was at
// the barrier in its last round of a loop and left before the next returned early, unless it went on behind the loop.
//
// Where nothing but stores is seen of it, it may have returned early all the same: of `if (row >= rows) { out[t] = 0;
// return; }` and a store behind the barrier compilers make one store, behind it. That is a warning, unless the source
// shows that nobody returns (early_return.h).
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "lib/launch/outcome.h"
#include "lib/machine/trail.h"

namespace ropewalk::machine {

// Whether a thread that is missing at a barrier went round it.
enum class WentRound : u8 { No, Maybe, Yes };

// Answers that are asked for at every barrier of every block, each found once.
class Absences {
 public:
  Absences(const Code& code, const SourceLines& source_lines) : code_(code), source_lines_(source_lines) {}

  // Whether threads may come behind the barrier without having been at it, and something is done there, or the source
  // says that nobody returns. Where not, those that are missing can only have returned early.
  bool may_be_passed_by(u32 barrier_step);

  WentRound went_round(u32 barrier_step, const Trail& trail);

  // The same of a lane that has left and that a warp-wide instruction named. On a device the instruction is over when
  // it has left, whatever it did on its way out, and however many rounds of a loop it had: it went round only where it
  // came, without the instruction, to what all others do behind it, or was at another one in its place.
  WentRound lane_went_round(u32 step, const Trail& trail);

 private:
  using Blocks = std::vector<bool>;  // by basic block

  const std::vector<Landmark>& landmarks();
  // Blocks to which an edge path leads that closes no loop and does not enter `without`; those of `from` among them.
  Blocks ahead_of(Blocks from, u32 without);
  // Blocks from which an edge path leads to one; in_this_round: one that closes no loop.
  Blocks leading_to(u32 block, bool in_this_round);
  struct Loops {
    Blocks leading_back;  // blocks from which one comes to the block again, or for the first time
    // Blocks to which all ways of those lead who pass the block and do not leave before, in no further round; and what
    // comes after those.
    Blocks behind;
  };
  const Loops& loops_of(u32 block);
  // Blocks that come after one without another round, or that everybody comes to who passes it.
  const Blocks& after(u32 block);
  // And to which a thread may come that has not been there.
  const Blocks& passed(u32 block);
  bool comes_after(u32 barrier_step, u32 step);
  // Blocks that come after one to which everybody comes who passes this one, in no further round.
  const Blocks& surely_behind(u32 block);
  WentRound by_what_was_done(u32 barrier_step, const Trail& trail);
  // Whether a thread that was at the barrier in `here` in its last round went on behind the loop, while others have
  // another round.
  bool left_the_loop(u32 here, u32 last);
  // Whether a thread in block `last` can have gone round the barrier in `here` and round `more` that come after it.
  bool can_pass(u32 here, u32 last, u32 more);
  // Whether one jump leads from before the barrier in `here` to `last` behind all barriers, as an early return does.
  bool leads_to_the_end(u32 here, u32 last);

  // Whether the source, where it is at hand, has no early return before the barrier.
  bool nobody_returns(u32 barrier_step);
  // Yes where it is sure, or nobody returns; else Maybe.
  WentRound certainly(u32 barrier_step, bool is_sure);

  const Code& code_;
  const SourceLines& source_lines_;
  std::vector<Landmark> landmarks_;
  std::vector<u32> meets_, surely_meets_;  // by block: where its ways meet, but for those that leave; where all do
  ptx::Edges predecessors_;
  std::map<u32, Loops> loops_;
  std::map<u32, Blocks> after_, passed_, ahead_of_passed_, surely_behind_;
  std::map<u32, bool> may_be_passed_by_, never_returns_;
  std::map<std::pair<u32, u32>, bool> passes_others_;
};

}  // namespace ropewalk::machine
