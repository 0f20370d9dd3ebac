#include "lib/campaign/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <semaphore>

#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/gather.h"
#include "lib/campaign/shown.h"
#include "lib/campaign/subject.h"
#include "lib/campaign/turns.h"
#include "lib/shrink/shrink.h"

namespace ropewalk::campaign {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::string id_and_cause(const Finding& finding) {
  return finding.id + "/" + (finding.cause ? finding.cause->id : std::string());
}

// What a smaller case must show: the id and the cause. Where no cause is known, and no other finding has the id, the id
// is enough: the smaller case may say the cause.
std::string wanted_of(const Finding& finding, const std::vector<Finding>& all) {
  const auto same_id = std::count_if(all.begin(), all.end(), [&](const Finding& one) { return one.id == finding.id; });
  return finding.cause || same_id > 1 ? id_and_cause(finding) : finding.id;
}

// Tells of the finding what a smaller case shows of it. How often it was seen, and in which case first, stays.
void show_as_in(Finding& finding, const std::string& wanted, const std::vector<Finding>& seen) {
  const auto at = std::find_if(seen.begin(), seen.end(),
                               [&](const Finding& one) { return one.id == wanted || id_and_cause(one) == wanted; });
  if (at == seen.end()) return;
  Finding shown = *at;
  shown.occurrences = finding.occurrences;
  shown.severity = finding.severity;
  shown.case_text = finding.case_text;
  shown.case_number = finding.case_number;
  shown.minimal_case = finding.minimal_case;
  shown.replay = finding.replay;
  shown.related = finding.related;
  finding = std::move(shown);
}

class Campaign {
 public:
  explicit Campaign(const Options& options)
      : options_(options),
        subjects_(make_subjects(options)),
        turns_(options.kernels),
        gatherer_(subjects_, options.is_enough),
        corpus_(corpus_of_shard()) {
    if (!options.resume) return;
    gatherer_.restore(*options.resume);
    next_ = options.resume->next;
    seconds_before_ = options.resume->seconds;
    saved_findings_ = gatherer_.findings();
  }

  Result run() {
    watch_ = Stopwatch();
    on_all_workers([&](Examiner& examiner) { work(examiner); });
    if (options_.keep) keep();
    std::vector<FirstCase> first_cases;
    Result result = gatherer_.take(&first_cases);
    make_smaller(result, first_cases);
    result.stopped = is_stopped();  // then cases are not as small as they get
    for (auto& left : result.not_run) {
      const Kernel& kernel = subject_named(left.replay).kernel();
      left.replay = options_.replay(kernel, kernel.family->parse(left.case_text), 0, false);
    }
    return result;
  }

 private:
  // The case at one index of the campaign.
  struct Job {
    u64 subject = 0;
    Depth depth;
    generate::PlannedCase planned;
    bool aside = false;
  };

  static std::vector<std::unique_ptr<Subject>> make_subjects(const Options& options) {
    std::vector<std::unique_ptr<Subject>> subjects;
    for (const Kernel* kernel : options.kernels) {
      subjects.push_back(std::make_unique<Subject>(*kernel, options.seed));
    }
    return subjects;
  }

  const Subject& subject_named(const std::string& kernel) const {
    return **std::ranges::find(subjects_, kernel, [](const auto& subject) { return subject->kernel().name; });
  }

  std::vector<SavedCase> corpus_of_shard() const {
    std::vector<SavedCase> kept;
    u64 n = 0;
    for (const SavedCase& one : options_.corpus) {
      const bool named = std::any_of(subjects_.begin(), subjects_.end(),
                                     [&](const auto& subject) { return subject->kernel().name == one.kernel; });
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

  // Whether no case may start at this index any more.
  bool is_over(u64 index) const {
    if (is_stopped() || gatherer_.has_enough()) return true;
    if (options_.seconds && seconds() >= *options_.seconds) return true;
    return index >= corpus_.size() && options_.cases && number_of(index) >= *options_.cases;
  }

  double seconds() const { return seconds_before_ + watch_.seconds(); }

  // The number, among those behind the corpus, within the whole campaign.
  u64 number_of(u64 index) const { return (index - corpus_.size()) * options_.shard_count + options_.shard_index; }
  // The same among all cases, those of the corpus first.
  u64 number_of_all(u64 index) const {
    if (index < corpus_.size()) return index * options_.shard_count + options_.shard_index;
    return options_.corpus.size() + number_of(index);
  }

  Job job_at(u64 index, Executor& executor) const {
    if (index < corpus_.size()) {
      const SavedCase& kept = corpus_[index];
      Job job;
      while (subjects_[job.subject]->kernel().name != kept.kernel) ++job.subject;
      job.planned = {subjects_[job.subject]->kernel().family->parse(kept.problem), kept.blocks, {}, nullptr};
      job.aside = true;
      return job;
    }
    const Turns::Turn turn = turns_.at(number_of(index));
    Job job;
    job.subject = turn.kernel;
    const Subject& subject = *subjects_[job.subject];
    job.planned = subject.case_at(turn.number, executor);
    job.depth = subject.depth_of(turn.number);
    return job;
  }

  template <class Work>
  void on_all_workers(const Work& work) {
    std::counting_semaphore<> ended(0);
    const auto examine = [&] {
      const BusyCore busy;
      try {
        Examiner examiner(options_.make_executor(), run_options());
        work(examiner);
      } catch (...) {
        failed_ = true;
        ended.release();
        throw;
      }
      ended.release();
    };
    on_workers(options_.jobs + 1, [&](u32 n) { n == 0 ? tell_until(ended) : examine(); });
  }

  // The calling thread does nothing else: a case that takes long keeps nobody waiting for news.
  void tell_until(std::counting_semaphore<>& ended) {
    for (u32 n = 0; n < options_.jobs; ++n) {
      while (!ended.try_acquire_for(std::chrono::milliseconds(200))) {
        if (options_.on_progress) on_progress();
      }
    }
  }

  void work(Examiner& examiner) {
    while (!failed_) {
      // Indices are handed out without gaps, so that what is done is always the first so many cases.
      u64 index = next_.load();
      do {
        if (is_over(index)) return;
      } while (!next_.compare_exchange_weak(index, index + 1));
      Job job = job_at(index, examiner.executor());
      const Subject& subject = *subjects_[job.subject];
      generate::PlannedCase& planned = job.planned;
      DoneCase done{
          job.subject, planned.problem, planned.blocks, std::move(planned.choice), number_of_all(index), job.aside, {}};
      done.examined =
          examiner.examine({subject.kernel(), subject.plan().space().flaws, done.problem, done.blocks}, job.depth);
      gatherer_.add(index, std::move(done));
      keep_now_and_then();
    }
  }

  void keep_now_and_then() {
    if (!options_.keep) return;
    const std::unique_lock lock(keeping_, std::try_to_lock);
    if (!lock) return;
    constexpr double interval = 2;
    if (kept_.seconds() >= interval || gatherer_.findings() > saved_findings_) keep();
  }

  void keep() {
    State state = gatherer_.state();
    state.seconds = seconds();
    saved_findings_ = state.result.findings.size();
    kept_ = Stopwatch();
    options_.keep(state);
  }

  void on_progress() {
    Progress progress;
    progress.seconds = seconds();
    gatherer_.fill(progress);
    if (options_.seconds) progress.seconds_left = std::max(0.0, *options_.seconds - progress.seconds);
    if (options_.cases && progress.cases) {
      const double all = double(*options_.cases) / double(options_.shard_count);
      progress.seconds_left = std::max(0.0, all - double(progress.cases)) * progress.seconds / double(progress.cases);
    }
    if (to_make_small_) {
      progress.to_make_small = to_make_small_;
      progress.made_small = made_small_;
      progress.trials = trials_;
      progress.findings = to_make_small_;
      progress.seconds_left.reset();
      if (options_.seconds) progress.seconds_left = std::max(0.0, 1.5 * *options_.seconds - progress.seconds);
    }
    options_.on_progress(progress);
  }

  // When this finding's case is as small as it gets: all that are left share the time that is left.
  double share_end(double end, u64 findings_left) const {
    const double now = watch_.seconds();
    return now + std::max(0.0, end - now) * std::min(1.0, double(options_.jobs) / double(findings_left));
  }

  void make_smaller(Result& result, const std::vector<FirstCase>& first_cases) {
    result.kept.resize(result.findings.size());
    to_make_small_ = result.findings.size();
    const double end = options_.seconds ? watch_.seconds() + *options_.seconds / 2 : infinity;
    std::vector<std::string> wanted;
    for (const Finding& finding : result.findings) wanted.push_back(wanted_of(finding, result.findings));
    std::atomic<u64> next = 0;
    ShownFindings shown;
    on_all_workers([&](Examiner& examiner) {
      for (u64 n = next++; n < result.findings.size(); n = next++) {
        const double own_end = share_end(end, result.findings.size() - n);
        make_smaller(result.findings[n], wanted[n], first_cases[n], own_end, examiner, shown, result.kept[n]);
        ++made_small_;
      }
    });
  }

  void make_smaller(Finding& finding, const std::string& wanted, const FirstCase& first, double end, Examiner& examiner,
                    ShownFindings& shown, SavedCase& kept) {
    const Subject& subject = *subjects_[first.subject];
    const bool order = finding.rule == Rule::NondeterministicOutput;
    const bool precondition = finding.rule == Rule::BadArgumentAccepted || finding.rule == Rule::GoodArgumentRejected;
    const auto examined = [&](const Problem& problem, const Depth& depth) {
      return examiner.examine({subject.kernel(), subject.plan().space().flaws, problem, first.blocks}, depth).findings;
    };
    const auto shows = [&](const Problem& problem, const Depth& depth, const std::string& what) {
      if (is_stopped()) return false;
      const std::string name = fmt::format("{} {} {} {}{}{}", first.subject, text_of(problem), first.blocks,
                                           depth.relations, depth.reference, depth.causes);
      return shown.shows(name, what, [&] {
        ++trials_;
        ShownFindings::Ids ids;
        for (const Finding& one : examined(problem, depth)) ids.insert({one.id, id_and_cause(one)});
        return ids;
      });
    };
    const auto smallest_that_shows = [&](const std::string& what, const Depth& depth) {
      return shrink::shrink(
                 *subject.kernel().family, first.problem,
                 [&](const Problem& problem) { return shows(problem, depth, what); }, options_.most_trials,
                 [&] { return is_stopped() || watch_.seconds() >= end; })
          .problem;
    };
    // What one launch shows is looked for in one launch, and the reference is asked only where it decides.
    const bool compared = finding.rule == Rule::OutputMismatch;
    Depth depth{.other_order = false, .relations = false, .reference = compared, .causes = false};
    const bool whole = order || precondition || !shows(first.problem, depth, finding.id);
    if (whole) depth = Depth{.causes = false};
    Problem smallest = smallest_that_shows(finding.id, depth);
    // Findings of one id differ in their causes. To ask for causes takes longer: only where the smallest case of the id
    // has another one is the smallest of this cause looked for.
    depth.causes = true;
    if (wanted != finding.id && !shows(smallest, depth, wanted)) {
      // Some causes are known only beside outputs that are wrong.
      if (!shows(first.problem, depth, wanted)) depth = Depth{};
      smallest = smallest_that_shows(wanted, depth);
    }
    finding.minimal_case = text_of(smallest);
    finding.replay = options_.replay(subject.kernel(), smallest, first.blocks, whole);
    if (smallest != first.problem) show_as_in(finding, wanted, examined(smallest, depth));
    kept = {subject.kernel().name, finding.minimal_case, first.blocks};
  }

  const Options& options_;
  std::vector<std::unique_ptr<Subject>> subjects_;
  const Turns turns_;
  Gatherer gatherer_;
  std::vector<SavedCase> corpus_;
  Stopwatch watch_;
  std::atomic<u64> next_ = 0;
  std::atomic<bool> failed_ = false;
  double seconds_before_ = 0;  // spent by those that this one goes on from
  std::mutex keeping_;
  Stopwatch kept_;
  u64 saved_findings_ = 0;
  std::atomic<u64> to_make_small_ = 0, made_small_ = 0, trials_ = 0;
};

}  // namespace

Result run(const Options& options) { return Campaign(options).run(); }

}  // namespace ropewalk::campaign
