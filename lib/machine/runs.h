// The runs that a launch takes, each with what the one before left open.
#pragma once
#include <functional>

#include "lib/machine/attempt.h"
#include "lib/machine/residents.h"

namespace ropewalk::machine {

class RaceJudge;

// Of many blocks, those that judge a race: whoever is named in a finding, and the first ones.
BlockList blocks_to_judge(const BlockList& blocks, const Collector& found);

class Runs {
 public:
  Runs(const Launch& launch, const RunOptions& options, Decoded& decoded);

  // The run that decides; what judging it showed is noted in the outcome.
  Attempt take(Outcome& outcome);
  double seconds() const { return seconds_; }
  u64 blocks() const { return blocks_.size(); }
  bool is_ordered() const { return wants_.ordered; }

 private:
  const Code& code() const { return *decoded_->code; }
  Attempt attempt(Wants& wants, const BlockList& some);
  Attempt first_attempt();
  bool is_known(const Occurrence& found, const Attempt& run) const;
  bool has_new_race(const Attempt& run) const;
  void run_again(Attempt& run, const Wants& wants, const BlockList& some);
  bool was_stopped(const Attempt& run) const { return run.end == Worker::End::Unfinished && options_.is_stopped(); }
  bool keeps_what_is_sure(Attempt& run) const;
  Attempt from_the_start(const Wants& wants, const BlockList& some);
  bool asks_for_more(const Attempt& run);
  // body() may make attempts: the launch's memory is as it was before them.
  void with_memory_kept(const std::function<void()>& body);
  bool starts_with_nothing_new(Wants eager, const Attempt& run);
  bool are_surely_missed(Attempt& run);
  void try_other_orders(Attempt& run);
  // The launch was cut; all races matter; it hung, so that those of reads may not; the judge knows of each.
  enum class Judged : u8 { Cut, AllMatter, Hung, Each };
  Judged ask(RaceJudge& judge, Wants wants, const BlockList& some, const Collector& found);
  std::vector<RaceJudge> ask_in_other_orders(const Attempt& run, const RaceJudge& judge);
  static void drop_idle(Attempt& run, const RaceJudge& judge);
  void judge_races(Attempt& run, Outcome& outcome);
  void find_origins(Attempt& run);
  u64 work_of(const Attempt& run) const;
  void find_evidence(Attempt& run);
  void find_index_sources(Attempt& run);
  void find_missing_orders(Attempt& run);
  std::optional<std::vector<Occurrence>> found_with(const std::vector<BarrierPoint>& points, const BlockList& some);
  void find_missing_barriers(Attempt& run);

  const Launch& launch_;
  const RunOptions& options_;
  Decoded* decoded_;
  const BlockList blocks_;
  Wants wants_;
  double seconds_ = 0;
  Residents before_;
  bool has_run_ = false;
};

}  // namespace ropewalk::machine
