#include "lib/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/gather.h"
#include "lib/campaign/shown.h"
#include "lib/campaign/subject.h"
#include "lib/campaign/turns.h"
#include "lib/shrink/shrink.h"

namespace ropewalk {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options),
        subjects_(make_subjects(options)),
        turns_(options.families),
        gatherer_(subjects_, options.is_enough),
        corpus_(corpus_of_shard()) {
    if (!options.resume) return;
    gatherer_.restore(*options.resume);
    next_ = options.resume->next;
    seconds_before_ = options.resume->seconds;
    kept_findings_ = gatherer_.findings();
  }

  CampaignResult run() {
    watch_ = Stopwatch();
    on_all_workers([&](Examiner& examiner, bool tells) { work(examiner, tells); });
    if (options_.keep) keep();
    std::vector<FirstCase> first_cases;
    CampaignResult result = gatherer_.take(&first_cases);
    make_smaller(result, first_cases);
    result.stopped = is_stopped();  // then cases are not as small as they get
    for (auto& left : result.not_run) {
      const KernelFamily& family = family_named(left.replay);
      left.replay = options_.replay(family, parse_problem(left.case_text), 0, false);
    }
    return result;
  }

 private:
  // The case at one place of the campaign.
  struct Job {
    u64 subject = 0;
    Depth depth;
    PlannedCase planned;
    bool aside = false;
  };

  static std::vector<std::unique_ptr<Subject>> make_subjects(const CampaignOptions& options) {
    std::vector<std::unique_ptr<Subject>> subjects;
    for (const KernelFamily* family : options.families) {
      subjects.push_back(std::make_unique<Subject>(*family, options.seed));
    }
    return subjects;
  }

  std::vector<KeptCase> corpus_of_shard() const {
    std::vector<KeptCase> kept;
    u64 n = 0;
    for (const KeptCase& one : options_.corpus) {
      const bool named = std::any_of(subjects_.begin(), subjects_.end(),
                                     [&](const auto& subject) { return subject->family().name == one.kernel; });
      if (named && n++ % options_.shard_count == options_.shard_index) kept.push_back(one);
    }
    return kept;
  }

  RunOptions run_options() const {
    RunOptions run = options_.run;
    run.budget = most_instructions;
    run.seconds = most_seconds;
    return run;
  }

  bool is_stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }

  // Whether no case may start at this place any more.
  bool is_over(u64 place) const {
    if (is_stopped() || gatherer_.has_enough()) return true;
    if (options_.seconds && seconds() >= *options_.seconds) return true;
    return place >= corpus_.size() && options_.cases && number_of(place) >= *options_.cases;
  }

  double seconds() const { return seconds_before_ + watch_.seconds(); }

  // The number, among those behind the corpus, within the whole campaign.
  u64 number_of(u64 place) const { return (place - corpus_.size()) * options_.shard_count + options_.shard_index; }
  // The same among all cases, those of the corpus first.
  u64 number_of_all(u64 place) const {
    if (place < corpus_.size()) return place * options_.shard_count + options_.shard_index;
    return options_.corpus.size() + number_of(place);
  }

  Job job_at(u64 place, Executor& executor) const {
    if (place < corpus_.size()) {
      const KeptCase& kept = corpus_[place];
      Job job;
      while (subjects_[job.subject]->family().name != kept.kernel) ++job.subject;
      job.planned = {parse_problem(kept.problem), kept.blocks, {}, nullptr};
      job.aside = true;
      return job;
    }
    const Turns::Turn turn = turns_.at(number_of(place));
    Job job;
    job.subject = turn.family;
    const Subject& subject = *subjects_[job.subject];
    job.planned = subject.case_at(turn.number, executor);
    job.depth = subject.depth_of(turn.number);
    return job;
  }

  template <class Work>
  void on_all_workers(const Work& work) {
    std::vector<std::exception_ptr> errors(options_.jobs);
    const auto body = [&](u32 worker) {
      const BusyCore busy;
      try {
        Examiner examiner(options_.make_executor(), run_options());
        work(examiner, worker == 0);
      } catch (...) {
        errors[worker] = std::current_exception();
        failed_ = true;
      }
    };
    std::vector<std::jthread> threads;
    for (u32 n = 1; n < options_.jobs; ++n) threads.emplace_back(body, n);
    body(0);
    threads.clear();  // joins
    for (const std::exception_ptr& error : errors) {
      if (error) std::rethrow_exception(error);
    }
  }

  void work(Examiner& examiner, bool tells) {
    Stopwatch told;
    while (!failed_) {
      // Places are handed out without holes, so that what is done is always the first so many cases.
      u64 place = next_.load();
      do {
        if (is_over(place)) return;
      } while (!next_.compare_exchange_weak(place, place + 1));
      Job job = job_at(place, examiner.executor());
      const Subject& subject = *subjects_[job.subject];
      PlannedCase& planned = job.planned;
      DoneCase done{
          job.subject, planned.problem, planned.blocks, std::move(planned.choice), number_of_all(place), job.aside, {}};
      done.examined =
          examiner.examine({subject.family(), subject.plan().space().flaws, done.problem, done.blocks}, job.depth);
      gatherer_.add(place, std::move(done));
      keep_now_and_then();
      if (tells && options_.tell && told.seconds() > 0.2) {
        told = Stopwatch();
        tell();
      }
    }
  }

  void keep_now_and_then() {
    if (!options_.keep) return;
    const std::unique_lock lock(keeping_, std::try_to_lock);
    if (!lock) return;
    constexpr double interval = 2;
    if (kept_.seconds() >= interval || gatherer_.findings() > kept_findings_) keep();
  }

  void keep() {
    CampaignState state = gatherer_.state();
    state.seconds = seconds();
    kept_findings_ = state.result.findings.size();
    kept_ = Stopwatch();
    options_.keep(state);
  }

  void tell() {
    CampaignProgress progress;
    progress.seconds = seconds();
    gatherer_.fill(progress);
    if (options_.seconds) progress.seconds_left = std::max(0.0, *options_.seconds - progress.seconds);
    if (options_.cases && progress.cases) {
      const double all = double(*options_.cases) / double(options_.shard_count);
      progress.seconds_left = std::max(0.0, all - double(progress.cases)) * progress.seconds / double(progress.cases);
    }
    options_.tell(progress);
  }

  // When this finding's case is as small as it gets: all that are left share the time that is left.
  double share_end(double end, u64 findings_left) const {
    const double now = watch_.seconds();
    return now + std::max(0.0, end - now) * std::min(1.0, double(options_.jobs) / double(findings_left));
  }

  // Findings of one id differ in their causes alone, and have one smallest case: that of the first of them.
  void make_smaller(CampaignResult& result, const std::vector<FirstCase>& first_cases) {
    result.kept.resize(result.findings.size());
    std::map<std::string, u64> firsts;
    for (u64 n = 0; n < result.findings.size(); ++n) firsts.emplace(result.findings[n].id, n);
    const double end = options_.seconds ? watch_.seconds() + *options_.seconds / 2 : infinity;
    std::atomic<u64> next = 0;
    ShownFindings shown;
    on_all_workers([&](Examiner& examiner, bool) {
      for (u64 n = next++; n < result.findings.size(); n = next++) {
        const bool is_first = firsts.at(result.findings[n].id) == n;
        const double own_end = share_end(end, result.findings.size() - n);
        make_smaller(result.findings[n], first_cases[n], is_first ? options_.most_trials : 0, own_end, examiner, shown,
                     result.kept[n]);
      }
    });
    for (u64 n = 0; n < result.findings.size(); ++n) {
      const u64 first = firsts.at(result.findings[n].id);
      result.findings[n].minimal_case = result.findings[first].minimal_case;
      result.kept[n] = result.kept[first];
    }
  }

  void make_smaller(Finding& finding, const FirstCase& first, u64 most_trials, double end, Examiner& examiner,
                    ShownFindings& shown, KeptCase& kept) {
    const Subject& subject = *subjects_[first.subject];
    const bool order = finding.rule == Rule::NondeterministicOutput;
    const bool contract = finding.rule == Rule::BadArgumentAccepted || finding.rule == Rule::GoodArgumentRejected;
    const auto shows = [&](const Problem& problem, const Depth& depth) {
      if (is_stopped()) return false;
      const std::string name =
          fmt::format("{} {} {} {}{}", first.subject, text_of(problem), first.blocks, depth.relations, depth.reference);
      return shown.shows(name, finding.id, [&] {
        const Examined examined =
            examiner.examine({subject.family(), subject.plan().space().flaws, problem, first.blocks}, depth);
        ShownFindings::Ids ids;
        for (const Finding& one : examined.findings) ids.insert(one.id);
        return ids;
      });
    };
    // What one launch shows is looked for in one launch, and the reference is asked only where it told.
    const bool compared = finding.rule == Rule::OutputMismatch;
    const Depth plain{.other_order = false, .relations = false, .reference = compared, .causes = false};
    const Depth all{.causes = false};
    const bool whole = order || contract || !shows(first.problem, plain);
    const Shrunk shrunk = shrink(
        first.problem, [&](const Problem& problem) { return shows(problem, whole ? all : plain); }, most_trials,
        [&] { return is_stopped() || watch_.seconds() >= end; });
    finding.minimal_case = text_of(shrunk.problem);
    finding.replay = options_.replay(subject.family(), first.problem, first.blocks, whole);
    kept = {subject.family().name, finding.minimal_case, first.blocks};
  }

  const CampaignOptions& options_;
  std::vector<std::unique_ptr<Subject>> subjects_;
  const Turns turns_;
  Gatherer gatherer_;
  std::vector<KeptCase> corpus_;
  Stopwatch watch_;
  std::atomic<u64> next_ = 0;
  std::atomic<bool> failed_ = false;
  double seconds_before_ = 0;  // spent by those that this one goes on from
  std::mutex keeping_;
  Stopwatch kept_;
  u64 kept_findings_ = 0;
};

}  // namespace

CampaignResult run_campaign(const CampaignOptions& options) { return Campaign(options).run(); }

}  // namespace ropewalk
