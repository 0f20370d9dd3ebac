// The loop: plan, run, compare, shrink, explain.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "lib/campaign/case_file.h"
#include "lib/campaign/coverage.h"
#include "lib/family/kernel.h"
#include "lib/launch/outcome.h"

namespace ropewalk::campaign {

// Where a campaign stands.
struct Progress {
  u64 cases = 0;
  double seconds = 0;
  u64 findings = 0;                    // different ones
  double covered = 0;                  // pairs and triples of parameter values reached, of all that there are
  std::optional<double> seconds_left;  // of a budget of time, or as the pace promises
  // Once all cases were run: the findings whose cases are minimized, those that are done, and the cases tried for it.
  u64 to_make_small = 0, made_small = 0, trials = 0;
};

// Instructions of one warp before a launch of a campaign counts as hanging: tens of times what its largest cases need.
// The clock ends it later, so that what is found does not depend on how busy the machine is.
inline constexpr u64 most_instructions = u64(1) << 26;
inline constexpr double most_seconds = 60;

struct State;

struct Options {
  std::vector<const Kernel*> kernels;  // take turns, see turns.h
  u64 seed = 1;
  std::optional<double> seconds;  // take no new case after this time, and make cases smaller for half of it at most
  std::optional<u64> cases;       // of the whole campaign, of which a shard runs its part
  u64 shard_index = 0, shard_count = 1;
  u32 jobs = 1;
  RunOptions run;                 // of every launch; its limits of time and instructions are the campaign's own
  std::vector<SavedCase> corpus;  // run first
  u64 most_trials = 4000;         // for making one finding's case smaller; 0: leave them as they are
  std::function<std::unique_ptr<Executor>()> make_executor;
  // The command that shows a finding again; whole: it needs all that a campaign looks at, not one checked launch.
  std::function<std::string(const Kernel&, const Problem&, u64 blocks, bool whole)> replay;
  // Called by the calling thread five times a second, whatever the cases take; may be empty.
  std::function<void(const Progress&)> on_progress;
  // Given what is done so far: after a case with a new finding, now and then, and when no case is left, before cases
  // are minimized. From any thread, one at a time; may be empty.
  std::function<void(const State&)> keep;
  std::shared_ptr<const State> resume;      // go on from here; of a campaign with the same options. null: begin
  const std::atomic<bool>* stop = nullptr;  // set from outside: end with what was done
  // Asked of every new finding, from any thread, one at a time: true ends the campaign with the finding's case, whoever
  // has run later ones meanwhile. May be empty.
  std::function<bool(const Finding&)> is_enough;
};

struct Result {
  u64 cases = 0;   // that were run, or rejected as they must be
  u64 passed = 0;  // without an error
  u64 rejected = 0;
  // Each defect once, in the order of their first cases. What is reported of it is what its minimal case shows, and the
  // command that shows it again runs that; case_text and case_number are of the first.
  std::vector<Finding> findings;
  struct NotRun {
    std::string case_text, reason, replay;
    u64 cases = 0;  // with this reason
  };
  std::vector<NotRun> not_run;  // one a reason
  u64 blocks = 0, blocks_total = 0;
  std::vector<std::string> notes;        // of the executor, each once
  bool stopped = false;                  // from outside
  bool enough = false;                   // ended by a finding that was enough
  std::vector<KernelCoverage> coverage;  // by kernel
  std::vector<SavedCase> kept;           // the smallest case of each finding, in the order of findings
};

// A finding's first case, for making it smaller.
struct FirstCase {
  u64 subject = 0;  // which of the campaign's kernels
  Problem problem;
  u64 blocks = 0;
};

// The first so many cases of a campaign, and what came of them: all that is needed to go on.
struct State {
  u64 next = 0;        // index of the first case that is not done
  double seconds = 0;  // that were spent
  Result result;
  std::vector<FirstCase> first_cases;  // by finding
};

// Runs a campaign. What is found does not depend on `jobs`; with a budget of cases it depends on nothing but the
// options. Throws what the first case threw that could not be run at all.
Result run(const Options& options);

}  // namespace ropewalk::campaign
