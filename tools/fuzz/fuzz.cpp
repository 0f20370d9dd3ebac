#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "kernels/kernels.h"
#include "lib/base/cores.h"
#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/campaign/campaign.h"
#include "lib/families/families.h"
#include "reports/merge.h"
#include "tools/commands/examine.h"
#include "tools/commands/planned_cases.h"
#include "tools/fuzz/corpus.h"
#include "tools/fuzz/progress.h"
#include "tools/fuzz/saved_campaign.h"
#include "tools/fuzz/signals.h"
#include "tools/parse/parse.h"
#include "tools/run/coverage.h"
#include "tools/run/executor.h"
#include "tools/run/run.h"
#include "tools/run/waiver.h"

namespace ropewalk::tools {
namespace {

constexpr double default_seconds = 30;

std::vector<const Kernel*> kernels_of(const FuzzOptions& options, const Program& program) {
  std::vector<const Kernel*> kernels;
  for (const std::string& name : options.names) {
    const Kernel* kernel = &kernels::kernel_named(name);
    if (std::find(kernels.begin(), kernels.end(), kernel) != kernels.end()) {
      throw InputError("fuzz: the kernel " + name + " is named twice");
    }
    kernels.push_back(kernel);
  }
  if (!kernels.empty()) return kernels;
  for (const Kernel& kernel : kernels::all_kernels()) {
    if (kernel.is_correct() && program.is_about(kernel.family->name)) kernels.push_back(&kernel);
  }
  return kernels;
}

std::string replay_of(const SharedOptions& shared, const Kernel& kernel, const Problem& problem, u64 blocks,
                      bool whole) {
  std::vector<std::string> words = {"fuzz", kernel.name, "--case", text_of(problem)};
  if (!whole) words = words_of_case(*shared.program, kernel.name, text_of(problem));
  if (blocks) words.insert(words.end(), {"--blocks", std::to_string(blocks)});
  return replay_line(shared, std::move(words));
}

std::string budget_text(const campaign::Options& campaign) {
  if (campaign.cases) return fmt::format("{} cases", *campaign.cases);
  return fmt::format("{} s", *campaign.seconds);
}

// A finding that the baseline knows or that is suppressed ends nothing, nor does what does not fail the run.
bool is_asked_for(const StopAt& stop_at, const Finding& finding, const SharedOptions& shared) {
  if (!stop_at.id.empty() && finding.id != stop_at.id && own_id(finding) != stop_at.id) return false;
  if (stop_at.rule && finding.rule != *stop_at.rule) return false;
  if (!stop_at.cause.empty() && (!finding.cause || finding.cause->id != stop_at.cause)) return false;
  reports::Report alone;
  alone.strict = shared.strict;
  alone.findings = {finding};
  waive_findings(alone, shared);
  return reports::fails(alone.findings.front(), shared.strict);
}

campaign::Options campaign_of(const FuzzOptions& options, const SharedOptions& shared) {
  campaign::Options campaign;
  campaign.kernels = kernels_of(options, *shared.program);
  campaign.seed = shared.seed.value_or(1);
  campaign.seconds = shared.budget.seconds;
  campaign.cases = shared.budget.cases;
  if (!campaign.seconds && !campaign.cases) campaign.seconds = default_seconds;
  campaign.shard_index = options.shard_index;
  campaign.shard_count = options.shard_count;
  campaign.jobs = threads_for(shared.jobs);
  campaign.run = run_options_of(shared, 1);
  campaign.run.coverage = true;
  campaign.make_executor = [&shared] { return make_executor(shared); };
  campaign.replay = [&shared](const Kernel& kernel, const Problem& problem, u64 blocks, bool whole) {
    return replay_of(shared, kernel, problem, blocks, whole);
  };
  if (options.stop_at) {
    campaign.is_enough = [stop_at = *options.stop_at, &shared](const Finding& finding) {
      return is_asked_for(stop_at, finding, shared);
    };
  }
  if (!options.corpus.empty()) campaign.corpus = read_corpus(options.corpus);
  if (!options.one_case.empty()) {
    if (campaign.kernels.size() != 1 || options.names.empty()) {
      throw InputError(
          fmt::format("fuzz: --case needs the name of one kernel: {} fuzz NAME --case PROBLEM", shared.program->name));
    }
    const Problem problem = families::parse_problem(options.one_case);
    campaign.corpus = {{campaign.kernels.front()->name, text_of(problem), options.blocks}};
    campaign.cases = 0;
    campaign.seconds.reset();
    campaign.most_trials = 0;
  }
  return campaign;
}

// All that what a campaign finds depends on, beside its budget and what was run first.
std::string options_text(const campaign::Options& campaign, const FuzzOptions& options, const SharedOptions& shared) {
  std::vector<std::string> words = {shared.program->name,
                                    ROPEWALK_VERSION,
                                    "--seed",
                                    std::to_string(campaign.seed),
                                    "--executor",
                                    std::string(name_of(shared.executor)),
                                    "--shard",
                                    fmt::format("{}/{}", options.shard_index, options.shard_count)};
  for (const Kernel* kernel : campaign.kernels) words.push_back(kernel->name);
  const std::vector<std::string> more = replay_options(shared);
  words.insert(words.end(), more.begin(), more.end());
  return fmt::format("{}", fmt::join(words, " "));
}

// Keeps a campaign in its corpus while it runs, and takes up one that was kept. A corpus that cannot be written any
// more (a full disk) is left as it is, and the campaign goes on.
class Keeper {
 public:
  Keeper(const FuzzOptions& options, const SharedOptions& shared, campaign::Options& campaign)
      : folder_(options.corpus), path_(saved_campaign_path(folder_, options.shard_index, options.shard_count)) {
    remove_unfinished(path_);
    saved_.options = options_text(campaign, options, shared);
    saved_.corpus = campaign.corpus;
    std::optional<SavedCampaign> before = options.resume ? read_saved_campaign(path_) : std::nullopt;
    if (before) {
      if (before->options != saved_.options) {
        throw InputError(InputLocation{path_},
                         "is of another campaign: " + before->options + "; this is " + saved_.options);
      }
      saved_ = std::move(*before);
      campaign.corpus = saved_.corpus;
      campaign.resume = std::make_shared<campaign::State>(std::move(saved_.state));
    }
    for (const Kernel* kernel : campaign.kernels) kernels_.push_back(kernel->name);
    campaign.keep = [this](const campaign::State& state) { keep(state); };
  }

  // The cases as small as they got. A campaign that was stopped stays, to be taken up again.
  void end(const campaign::Result& result) {
    writing([&] { grow_corpus(folder_, result.findings, result.kept, saved_.own); });
    std::error_code ignored;
    if (!result.stopped) std::filesystem::remove(path_, ignored);
  }

  // Why the corpus does not hold all; empty: it does.
  const std::string& failure() const { return failure_; }

 private:
  template <class Body>
  void writing(const Body& body) {
    if (!failure_.empty()) return;
    try {
      body();
    } catch (const InputError& error) {
      failure_ = error.what();
    } catch (const std::filesystem::filesystem_error& error) {
      failure_ = error.what();
    }
  }

  void keep(const campaign::State& state) {
    std::vector<campaign::SavedCase> cases;
    for (const campaign::FirstCase& one : state.first_cases) {
      cases.push_back({kernels_[one.subject], text_of(one.problem), one.blocks});
    }
    writing([&] {
      // Whose files these are is written before they are there: a kill may come between.
      saved_.own.merge(new_files(folder_, state.result.findings));
      saved_.state = state;
      write_saved_campaign(path_, saved_);
      grow_corpus(folder_, state.result.findings, cases);
    });
  }

  const std::string folder_, path_;
  std::string failure_;
  std::vector<std::string> kernels_;
  SavedCampaign saved_;
};

}  // namespace

reports::Report examine(const FuzzOptions& options, const Request& request) {
  const Stopwatch watch;
  const SharedOptions& shared = request.shared;
  campaign::Options campaign = campaign_of(options, shared);
  reports::Report report = new_report(request, campaign.seed);
  campaign::Record record;
  record.budget = budget_text(campaign);
  record.shard_index = options.shard_index;
  record.shard_count = options.shard_count;
  record.options = fmt::format("{}", fmt::join(replay_options(shared), " "));
  for (const Kernel* kernel : campaign.kernels) record.kernels.push_back(kernel->name);

  const std::string unavailable = why_unavailable(shared.executor);
  if (!unavailable.empty()) {
    report.not_run.push_back({"campaign", unavailable, request.command_line});
  } else {
    campaign.stop = &stop_on_signals();
    ProgressLine line(!shared.quiet);
    campaign.on_progress = [&](const campaign::Progress& progress) { line.show(progress); };
    std::optional<Keeper> keeper;
    if (!options.corpus.empty() && options.one_case.empty()) keeper.emplace(options, shared, campaign);
    if (options.resume) {
      report.notes.push_back(campaign.resume ? fmt::format("went on after {} cases", campaign.resume->result.cases)
                                             : "--resume: there is no interrupted campaign in " + options.corpus +
                                                   ": this one began from its first case");
    }
    campaign::Result result = campaign::run(campaign);
    if (keeper) {
      keeper->end(result);
      if (!keeper->failure().empty()) {
        report.not_run.push_back({options.corpus, "the corpus was not kept: " + keeper->failure(), request.command_line,
                                  reports::NotRunFault::Input});
      }
    } else if (!options.corpus.empty()) {
      grow_corpus(options.corpus, result.findings, result.kept);
    }
    report.summary.cases = result.cases;
    report.summary.passed = result.passed;
    report.coverage.blocks = result.blocks;
    report.coverage.blocks_total = result.blocks_total;
    report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
    if (result.stopped) {
      report.not_run.push_back({reports::part_name(options.shard_index, options.shard_count),
                                "was stopped by a signal before its budget was spent", request.command_line});
    }
    if (result.enough) report.notes.push_back("ended by --stop-at before the budget was spent");
    if (options.stop_at && !result.enough) report.notes.push_back("what --stop-at names was not found");
    for (const auto& left : result.not_run) {
      report.not_run.push_back(
          {left.case_text,
           left.cases > 1 ? fmt::format("{} (and {} cases more)", left.reason, left.cases - 1) : left.reason,
           left.replay});
    }
    if (result.cases) tell_checks(report.coverage, {checks_made(shared)});
    record.stopped = result.stopped;
    record.coverage = std::move(result.coverage);
    report.findings = std::move(result.findings);
  }
  report.campaign = std::move(record);
  return finished(std::move(report), request, watch);
}

}  // namespace ropewalk::tools
