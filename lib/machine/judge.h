// Whether a race matters. Compilers keep copies of a value in several lanes, and lanes that only hold a copy load in
// place what its owner has stored already; nobody uses what they loaded. So a launch in which somebody raced runs
// again, in the order of its events, twice: first the reads are noted that race with a write, then what they read is
// followed like values that nobody wrote. A race of a read matters where its value reaches a store, an address, an
// atomic or a branch with effects. A race of two writes of shared memory matters where what is there then does: lanes
// without a result may all write theirs to a slot that nobody reads (CUB does so). One of global memory always does,
// for the host may read it. Lanes of one instruction whose values differ by rounding alone are a note: sums over a
// butterfly of lanes do, where products are fused. Where global memory is written with what was there already
// (thrust::unique in place writes back what no duplicate came before), a read that races with it is given the same in
// any order: that holds for these values, and is a warning. So is a race of threads that all make one change which may
// be made several times (lib/ptx/repeatable_changes.h), and a race of a read whose value nobody uses in the rounds of a
// loop that race, if somebody does in others: what the last round reads ahead (Marlin).
#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "lib/base/random.h"
#include "lib/machine/collector.h"
#include "lib/machine/order/footprints.h"
#include "lib/ptx/repeatable_changes.h"

namespace ropewalk::machine {

struct AccessEvent;
struct Code;
struct Context;

enum class RaceVerdict : u8 {
  Unknown,        // it was not met
  LosesUpdate,    // as an error, also in a warp: both change what they load, and one change is lost
  Matters,        // as an error
  InOneWarp,      // all that matters of it is between lanes of one warp that runs converged
  UsedElsewhere,  // a read of which nobody uses what it is given where it races, but what it is given elsewhere
  Repeated,       // a read that matters only for a change which all writes that it raced with make as well
  Unchanged,      // a read that matters, and whose value all writes that it raced with left as it was
  Rounding,       // the values differ by rounding alone
  Idle            // nobody uses what is read
};

class RaceJudge {
 public:
  // A race of an access with an earlier one, by a lane of its warp. severity: as races.h has it.
  void note(const AccessEvent& event, const order::Footprint& now, const order::Footprint& earlier, u32 lane,
            u64 granule, Severity severity);
  // A compare-and-swap compares with what a race gave that read (or several: nullptr). Where it read the same bytes,
  // what it was given is a guess, whatever is done with it before.
  void note_swap(const AccessEvent& event, const Occurrence* read);
  // Words that lanes of a warp exchange: the terms of sums that are made over its lanes.
  void note_shuffle(const Context& context, u32 warp, const u32* values);
  // The bytes of a load that are read in a race, or of a store of which chance says what is there then: a bit each, and
  // their source (unwritten.h).
  u64 raced_bytes(AccessEvent& event, u32& source) const;
  // Whether each race that was found is one of two writes that matters for sure, so that nothing has to be followed.
  bool all_are_writes(const Collector& found) const;
  // From now on, what racing reads are given is followed.
  void follow() { follows_ = true; }
  // After the second run, from what it reported; null: it did not end, so that every read may matter.
  void decide(const Collector* found);
  // Of what was found at these bytes by this instruction.
  RaceVerdict of(const Occurrence& race) const;
  // Where a finding of global memory shows a pair of accesses that does not matter, it shows one that does, and counts
  // these alone: of the threads that race at an instruction, as copies of a value do, it may be a few. is_ordered: its
  // words say which of the two came first; is_part: the launch has blocks that were not judged.
  void narrow(Collector& found, bool is_ordered, bool is_part) const;

 private:
  enum class Kind : u8 { Read, Write, Chance, Rounding, Unchanged, Repeated };  // Chance: writes of shared memory
  struct Conflict {
    bool is_shared;
    u32 window, step, other_step;
    u32 followed_step;  // of the read, or of the later of two writes
    Kind kind;
    bool with_atomic = false;  // one side is
    bool loses_update = false;
    Severity severity = Severity::Error;
    auto operator<=>(const Conflict&) const = default;
  };
  // The largest of what was exchanged, as floats of 32 bits and of 16.
  struct Terms {
    double numbers = 0, halves = 0;
  };
  Terms terms_of(const order::Footprint& now) const;
  bool make_one_change(const Code& code, u32 step, u32 other_step);
  bool are_of_update(const Code& code, u32 load, u32 store);
  RaceVerdict verdict_on(const Conflict& conflict) const;

  // A read that races, by its worst race, and the other side of that.
  struct RacedRead {
    Severity severity = Severity::Note;
    u32 step = no_value, thread = 0;
    u64 block = 0;
    bool is_later = false;  // the write came before it
  };

  using AccessSite = std::tuple<bool, u32, u32>;  // shared, window, step
  static AccessSite site_of(const Occurrence& race) { return {race.rule == Rule::SharedRace, race.window, race.step}; }
  // A read of a granule by a thread of a block. Of shared memory by phase as well: an instruction in a loop may read in
  // a race where nobody uses it, and be used where it does not race. Of others only the last before a write is noted
  // (Footprints), which stands for those of earlier phases too.
  static constexpr u32 every_phase = 0, another_phase = ~u32(0);
  static u64 key_of(u64 block, u32 thread, u32 step, u32 phase, u64 granule) {
    return mix(block << 32 | u64(thread) << 22 | step) ^ mix(u64(phase) << 32 ^ mix(granule));
  }

  std::set<Conflict> conflicts_;
  std::unordered_map<u64, RacedRead> reads_;       // by key_of: of its worst race; a note: it races in another phase
  std::unordered_set<u64> chances_;                // by the instruction that wrote which granule, and when
  std::unordered_map<u32, u64> noted_;             // by step: how many of its reads these are
  std::optional<ptx::RepeatableChanges> changes_;  // once a read raced
  std::map<u32, std::optional<u32>> updates_;      // by step of a store: the instruction of the load that it puts back
  bool follows_ = false;
  std::unordered_map<u64, std::array<Terms, 16>> shuffled_;  // by block and warp: the last exchanges
  std::set<AccessSite> guesses_;                             // reads by the first look of compare-and-swap loops
  std::map<AccessSite, Collected> used_;                     // racing reads whose value is used
  std::map<AccessSite, RaceVerdict> verdicts_;               // the worst, of all conflicts
};

}  // namespace ropewalk::machine
