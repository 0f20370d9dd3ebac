#include "lib/campaign/campaign.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "kernels/kernels.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/examine.h"
#include "lib/campaign/subject.h"
#include "lib/families/families.h"
#include "lib/machine/machine.h"
#include "lib/shrink/shrink.h"

namespace ropewalk::campaign {
namespace {

Options campaign(const std::vector<std::string>& names, u64 cases) {
  Options options;
  for (const std::string& name : names) options.kernels.push_back(&kernels::kernel_named(name));
  options.cases = cases;
  options.jobs = 2;
  options.run.threads = 1;
  options.run.coverage = true;
  options.make_executor = machine::make_machine;
  options.replay = [](const Kernel& kernel, const Problem& problem, u64, bool) {
    return kernel.name + " " + text_of(problem);
  };
  return options;
}

// All that must not depend on who ran what.
std::string text_of(const Result& result) {
  std::string text = std::to_string(result.cases) + " " + std::to_string(result.passed) + "\n";
  for (const Finding& finding : result.findings) {
    text += finding.id + " " + finding.message + " " + finding.case_text + " " + finding.minimal_case + " " +
            finding.replay + " " + std::to_string(finding.occurrences.cases) + " " +
            std::to_string(finding.occurrences.accesses) + "\n";
  }
  for (const KernelCoverage& coverage : result.coverage) {
    text += coverage.kernel + " " + std::to_string(coverage.cases) + " " + std::to_string(coverage.sides());
    for (const TupleCoverage& tuples : coverage.tuples) text += " " + hex_of(tuples.seen);
    text += "\n";
  }
  return text;
}

TEST(Campaign, healthy_kernels_are_silent) {
  const Result result = run(campaign({"rotary/apply", "rotary/qk", "rotary/cache"}, 1500));
  for (const Finding& finding : result.findings) ADD_FAILURE() << finding.message << " " << finding.replay;
  EXPECT_EQ(result.cases, 1500u);
  EXPECT_EQ(result.passed, 1500u);
  EXPECT_GT(result.rejected, 50u);
  for (const KernelCoverage& coverage : result.coverage) {
    EXPECT_EQ(coverage.tuples[0].covered(), coverage.tuples[0].possible) << coverage.kernel;
    EXPECT_GT(coverage.sides(), 10u);
  }
}

TEST(Campaign, does_not_depend_on_its_jobs) {
  const std::vector<std::string> names{"faulty/rotary-apply-row-mask", "rotary/qk"};
  Options options = campaign(names, 400);
  options.most_trials = 200;
  const std::string two = text_of(run(options));
  options.jobs = 1;
  EXPECT_EQ(text_of(run(options)), two);
  EXPECT_NE(two.find("missing"), 0u);
}

TEST(Campaign, its_shards_are_its_parts) {
  Options options = campaign({"faulty/rotary-apply-column-mask", "rotary/cache"}, 300);
  options.most_trials = 0;
  const Result whole = run(options);
  Result joined;
  u64 cases_of_findings = 0, joined_cases = 0;
  options.shard_count = 3;
  for (options.shard_index = 0; options.shard_index < 3; ++options.shard_index) {
    Result part = run(options);
    joined.cases += part.cases;
    joined.passed += part.passed;
    for (const Finding& finding : part.findings) joined_cases += finding.occurrences.cases;
    if (joined.coverage.empty()) {
      joined.coverage = part.coverage;
    } else {
      for (u64 n = 0; n < part.coverage.size(); ++n) join(joined.coverage[n], part.coverage[n]);
    }
  }
  for (const Finding& finding : whole.findings) cases_of_findings += finding.occurrences.cases;
  EXPECT_EQ(joined.cases, whole.cases);
  EXPECT_EQ(joined.passed, whole.passed);
  EXPECT_EQ(joined_cases, cases_of_findings);
  for (u64 n = 0; n < whole.coverage.size(); ++n) {
    EXPECT_EQ(joined.coverage[n].cases, whole.coverage[n].cases);
    EXPECT_EQ(joined.coverage[n].sides(), whole.coverage[n].sides());
    EXPECT_EQ(joined.coverage[n].tuples[1].seen, whole.coverage[n].tuples[1].seen);
  }
}

// What one checked launch of a campaign's kernel shows of a problem.
class OneLaunch {
 public:
  explicit OneLaunch(const Options& options)
      : subject_(*options.kernels.front(), options.seed), examiner_(machine::make_machine(), options.run) {}

  std::vector<Finding> findings(const Problem& problem, Rule rule) {
    Depth depth;
    depth.other_order = depth.relations = false;
    depth.reference = rule == Rule::OutputMismatch;
    return examiner_.examine({subject_.kernel(), subject_.plan().space().flaws, problem, 0}, depth).findings;
  }

 private:
  Subject subject_;
  Examiner examiner_;
};

std::string cause_of(const Finding& finding) { return finding.cause ? finding.cause->id : ""; }

// Lowering any dimension by one, dropping an entry or clearing a flag loses rule, tensor, line or cause.
TEST(Campaign, minimal_cases_are_minimal) {
  Options options = campaign({"faulty/rotary-apply-unguarded"}, 150);
  const Result result = run(options);
  ASSERT_GT(result.findings.size(), 5u);
  OneLaunch launch(options);
  for (u64 n = 0; n < result.findings.size(); ++n) {
    const Finding& finding = result.findings[n];
    ASSERT_FALSE(finding.minimal_case.empty()) << finding.message;
    EXPECT_EQ(result.kept[n].problem, finding.minimal_case);
    if (finding.rule == Rule::BadArgumentAccepted) continue;
    const auto alone = std::count_if(result.findings.begin(), result.findings.end(),
                                     [&](const Finding& one) { return one.id == finding.id; }) == 1;
    const auto shows = [&](const Problem& problem) {
      const std::vector<Finding> shown = launch.findings(problem, finding.rule);
      return std::any_of(shown.begin(), shown.end(), [&](const Finding& one) {
        return one.id == finding.id && ((alone && !finding.cause) || cause_of(one) == cause_of(finding));
      });
    };
    const Problem minimal = families::parse_problem(finding.minimal_case);
    EXPECT_TRUE(shows(minimal)) << finding.minimal_case;
    for (const Problem& smaller : families::family_of(minimal).smaller(minimal)) {
      EXPECT_FALSE(shows(smaller)) << finding.minimal_case << " can be " << text_of(smaller);
    }
  }
}

// Every launch takes so long that to make one finding's case small takes seconds.
class SlowExecutor : public Executor {
 public:
  std::string_view name() const override { return machine_->name(); }
  Outcome run(const Launch& launch, const RunOptions& options) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return machine_->run(launch, options);
  }

 private:
  std::unique_ptr<Executor> machine_ = machine::make_machine();
};

TEST(Campaign, making_cases_smaller_takes_half_the_budget_at_most) {
  Options options = campaign({"faulty/rotary-apply-unguarded"}, 0);
  options.corpus = {{"faulty/rotary-apply-unguarded", "rotary(B=3,T=50,H=6,D=48,rotary_dim=288,offset=7)", 0}};
  options.make_executor = [] { return std::make_unique<SlowExecutor>(); };
  options.cases.reset();
  options.seconds = 1;
  const Stopwatch watch;
  const Result result = run(options);
  EXPECT_LT(watch.seconds(), 4.5) << "the last case and the last trial are run to their ends";
  EXPECT_FALSE(result.findings.empty());
  for (const Finding& finding : result.findings) EXPECT_FALSE(finding.minimal_case.empty());
}

TEST(Campaign, the_corpus_comes_first) {
  Options options = campaign({"faulty/rotary-apply-unguarded", "rotary/apply"}, 0);
  options.corpus = {{"faulty/rotary-apply-unguarded", "rotary(T=3,H=2,D=8,rotary_dim=16)", 0},
                    {"rotary/qk", "rotary(T=3,H=2,D=8)", 0}};
  const Result result = run(options);
  EXPECT_EQ(result.cases, 1u);  // the other kernel is not of this campaign
  EXPECT_FALSE(result.findings.empty());
  EXPECT_EQ(result.coverage[0].cases, 0u);
}

TEST(Campaign, ends_when_it_is_stopped) {
  Options options = campaign({"rotary/apply"}, 1000000000);
  std::atomic<bool> stop = false;
  options.stop = &stop;
  options.on_progress = [&](const Progress& progress) {
    if (progress.cases == 0) return;
    EXPECT_TRUE(progress.seconds_left.has_value());
    stop = true;
  };
  const Result result = run(options);
  EXPECT_TRUE(result.stopped);
  EXPECT_GT(result.cases, 0u);
  EXPECT_EQ(result.cases, result.passed);
}

TEST(Campaign, ends_with_a_finding_that_is_enough) {
  Options options = campaign({"faulty/rotary-apply-row-mask", "rotary/qk"}, 400);
  options.most_trials = 0;
  const Result all = run(options);
  ASSERT_GT(all.findings.size(), 2u);
  EXPECT_FALSE(all.enough);
  options.is_enough = [&](const Finding& finding) { return finding.id == all.findings[1].id; };
  const Result two = run(options);
  EXPECT_TRUE(two.enough);
  EXPECT_FALSE(two.stopped);
  // The case is the campaign's last, however many run at once, and is looked at to its end.
  EXPECT_EQ(two.cases, *all.findings[1].case_number + 1);
  ASSERT_GE(two.findings.size(), 2u);
  EXPECT_EQ(two.findings[1].case_text, all.findings[1].case_text);
  options.jobs = 1;
  EXPECT_EQ(text_of(run(options)), text_of(two));
}

// One location may be hit for several causes: each finding is reported as its own smallest case shows it, which is what
// its command runs.
TEST(Campaign, findings_are_reported_by_their_minimal_cases) {
  const Options options = campaign({"faulty/rotary-apply-unguarded"}, 120);
  const Result result = run(options);
  std::map<std::string, std::set<std::string>> causes;
  OneLaunch launch(options);
  for (const Finding& finding : result.findings) {
    causes[finding.id].insert(cause_of(finding));
    EXPECT_EQ(finding.replay, "faulty/rotary-apply-unguarded " + finding.minimal_case);
    if (finding.rule == Rule::BadArgumentAccepted) continue;
    const std::vector<Finding> shown = launch.findings(families::parse_problem(finding.minimal_case), finding.rule);
    const auto same = std::find_if(shown.begin(), shown.end(), [&](const Finding& one) {
      return one.id == finding.id && cause_of(one) == cause_of(finding);
    });
    ASSERT_NE(same, shown.end()) << finding.message << " " << finding.minimal_case;
    EXPECT_EQ(finding.message, same->message);
    EXPECT_EQ(finding.footprint.elements, same->footprint.elements);
  }
  EXPECT_TRUE(std::any_of(causes.begin(), causes.end(), [](const auto& one) { return one.second.size() > 1; }));
}

TEST(Campaign, tells_of_itself_while_cases_are_made_small) {
  Options options = campaign({"faulty/rotary-apply-unguarded"}, 0);
  options.corpus = {{"faulty/rotary-apply-unguarded", "rotary(B=3,T=50,H=6,D=48,rotary_dim=288,offset=7)", 0}};
  options.make_executor = [] { return std::make_unique<SlowExecutor>(); };
  options.jobs = 1;
  std::atomic<bool> stop = false;
  options.stop = &stop;
  std::vector<u64> trials;
  options.on_progress = [&](const Progress& progress) {
    if (progress.to_make_small == 0) return;
    EXPECT_LE(progress.made_small, progress.to_make_small);
    trials.push_back(progress.trials);
    stop = trials.size() >= 5 && trials.front() < trials.back();  // a trial may take longer than a report
  };
  run(options);
  ASSERT_GE(trials.size(), 5u);
  EXPECT_LT(trials.front(), trials.back());
}

}  // namespace
}  // namespace ropewalk::campaign
