#include "lib/driver/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "lib/base/error.h"
#include "lib/diagnose/diagnose.h"
#include "lib/driver/capture.h"
#include "lib/driver/ending.h"
#include "lib/driver/function_facts.h"
#include "lib/driver/launch_findings.h"
#include "lib/driver/launch_waits.h"
#include "lib/driver/module.h"
#include "lib/driver/undefined_of_launch.h"
#include "lib/finding/merge.h"
#include "reports/glob.h"
#include "reports/source.h"

namespace ropewalk::driver {

namespace {

// Whether it is one of those that are checked.
bool is_asked_for(const Options& options, const Kernel& kernel, u64& matching) {
  // A name is also good without its parameters.
  const std::string& shown = kernel.shown_name;
  const auto fits = [&](const std::string& pattern) {
    return reports::glob_matches(pattern, kernel.entry.name) || reports::glob_matches(pattern, shown) ||
           reports::glob_matches(pattern, shown.substr(0, shown.find('(')));
  };
  if (!options.kernels.empty() && std::ranges::none_of(options.kernels, fits)) return false;
  const u64 number = matching++;
  return number >= options.launch_skip &&
         (!options.launch_count || number - options.launch_skip < options.launch_count);
}

RunOptions run_options(const Options& options, bool is_checked) {
  RunOptions out;
  out.checks = options.checks;
  if (!is_checked) {
    out.checks = {};
    out.checks.add(Check::Hang);  // an assertion or a trap ends a context as on a GPU
  }
  out.strict = options.strict;
  out.fp_contract = options.fp_contract;
  out.block_order_seed = options.block_order;
  out.schedule = options.schedule;
  out.threads = options.jobs;
  out.seconds = options.seconds;
  out.stop = &EndsLater::is_requested();
  out.source_lines = reports::source_lines_from({});
  return out;
}

}  // namespace

std::vector<std::byte> pack_parameters(const Kernel& kernel, void** values) {
  std::vector<std::byte> out(kernel.parameter_bytes);
  for (std::size_t n = 0; n < kernel.parameters.size(); ++n) {
    std::memcpy(out.data() + kernel.parameters[n].offset, values[n], kernel.parameters[n].bytes);
  }
  return out;
}

namespace {

// One launch with what comes of it.
class Run {
 public:
  Run(Session& session, const LaunchRequest& request) : session_(session), request_(request) {}

  Result run() {
    Kernel& kernel = *request_.kernel;
    ++kernel.launches;
    const bool is_checked = is_asked_for(session_.options(), kernel, session_.matching_launches);
    const bool is_too_large = request_.must_be_resident && lacks_residency();
    if (!is_too_large) execute(is_checked);
    if (is_refused()) outcome_.statistics.blocks = outcome_.statistics.blocks_total = 0;
    *failed_ = has_errors(outcome_.findings) || !outcome_.made_again.empty();
    session_.record().launch(kernel.shown_name, is_checked ? &outcome_.statistics : nullptr, *failed_);
    session_.print(outcome_.printed, outcome_.complaints);
    UndefinedOfLaunch undefined(session_, request_, launch_, outcome_);
    undefined.keep([this](Finding finding) { return deferred(std::move(finding)); });
    undefined.report_used();
    const Statistics& done = outcome_.statistics;
    if (outcome_.kind == OutcomeKind::NotRun || done.blocks < done.blocks_total) session_.memory().assume_written();
    session_.lost_values |= outcome_.kind == OutcomeKind::NotRun;
    if (captured_ && session_.options().capture_all && captured_->path().empty())
      session_.record().not_run(kernel.shown_name, "not captured: " + captured_->why_not());
    if (outcome_.kind == OutcomeKind::NotRun) {
      session_.record().not_run(kernel.shown_name, outcome_.reason);
      if (session_.on_not_run) session_.on_not_run(outcome_.reason);
    }
    for (const std::string& id : outcome_.made_again) session_.report(kernel.reported.at(id));
    const Result result = outcome_.findings.empty() ? Result::Success : report();
    return is_too_large ? Result::CooperativeLaunchTooLarge : result;
  }

  Result fault() const { return fault_; }

 private:
  // Then it is a finding.
  bool lacks_residency() {
    const Kernel& kernel = *request_.kernel;
    const std::string broken =
        residency_broken_by(session_, kernel, request_.grid, request_.block, request_.shared_bytes);
    if (broken.empty()) return false;
    launch_.grid = request_.grid;
    launch_.block = request_.block;
    outcome_.kind = OutcomeKind::Found;
    outcome_.findings.push_back(finding_about(kernel, Rule::LaunchLimit, broken));
    return true;
  }

  void execute(bool is_checked) {
    try {
      OutOfReach unreached;
      if (is_checked) unreached = out_of_reach(session_, request_);
      launch_ = launch_of(session_, request_, unreached);
      const Options& asked = session_.options();
      if (is_checked && !asked.capture.empty()) {
        captured_ = std::make_shared<CapturedLaunch>(launch_, request_.kernel->follows_pointers, asked.capture,
                                                     session_.captured);
        if (asked.capture_all) captured_->write();
      }
      RunOptions options = run_options(asked, is_checked);
      std::set<std::string> reported;
      if (is_checked && !session_.on_finding) {
        reported = may_be_made_again();
        options.reported = &reported;
      }
      const bool is_asking = session_.order().is_asking();
      options.note_touched = is_checked && (is_asking || reaches_host());
      outcome_ = session_.machine().run(launch_, options);
      leave_waiting(session_, launch_, outcome_);
      if (!is_checked) return;
      if (is_asking) touch();
      for (Finding& finding : outcome_.findings) {
        const Allocation* const at = memory_at(finding, session_.memory());
        const auto owner = unreached.find(at);
        if (owner != unreached.end()) name_other_device(finding, *at, owner->second, request_.device);
        // Some kernels reach a packed neighbour on purpose.
        if (finding.rule == Rule::IndexOutOfField) finding.severity = Severity::Warning;
      }
      if (session_.lost_values)
        for (Finding& finding : outcome_.findings) doubt_values(outcome_, finding);
      outcome_.findings = merged_in_case(std::move(outcome_.findings));
      diagnose::diagnose(outcome_.findings, launch_, nullptr, nullptr, outcome_.tensors);
      for (UndefinedStore& store : outcome_.undefined_stores)
        diagnose::diagnose_stored(store.findings, outcome_.findings, launch_);
    } catch (const InputError& error) {
      outcome_.kind = OutcomeKind::NotRun;
      outcome_.reason = error.what();
    }
  }

  // What was reported of earlier launches, and is the same defect where this one makes it: what it reads was not stored
  // by somebody who is the defect.
  std::set<std::string> may_be_made_again() const {
    std::set<std::string> out;
    if (session_.lost_values) return out;
    for (const auto& [id, finding] : request_.kernel->reported) {
      const i64 tensor = finding.access ? launch_.tensor_named(finding.access->tensor) : -1;
      const Allocation* const at =
          tensor < 0 ? nullptr : allocation_of(session_.memory(), launch_.tensors[u64(tensor)]);
      if (!at || at->undefined.empty()) out.insert(id);
    }
    return out;
  }

  DeferredFinding deferred(Finding finding) {
    if (session_.lost_values) doubt(finding);
    complete(finding);
    DeferredFinding out{.finding = std::move(finding), .failed = failed_, .reported = reported_};
    if (!captured_) return out;
    out.complete = [&session = session_, captured = captured_](Finding& reported) {
      if (!session.record().has(reported.id)) captured->add_replay(reported);
    };
    return out;
  }

  // What every finding of the launch says, and its id.
  void complete(Finding& finding) {
    if (!stack_) stack_ = request_.stack.empty() ? CallStack::here().lines() : request_.stack;
    add_facts(finding, session_, request_, launch_, *stack_);
  }

  bool reaches_host() const {
    return std::ranges::any_of(launch_.tensors, [&](const LaunchTensor& tensor) {
      const Allocation* const at = allocation_of(session_.memory(), tensor);
      return at && at->is_on_host() && !at->freed;
    });
  }

  // What it did to memory, as an operation of its stream.
  void touch() {
    std::vector<Touched> all;
    for (std::size_t n = 0; n < outcome_.tensors.size(); ++n) {
      const TouchedBytes& bits = outcome_.tensors[n].touched;
      if (!bits.any()) continue;
      const Allocation* const at = allocation_of(session_.memory(), launch_.tensors[n]);
      const auto bytes = [&](const u64* words) { return ByteSet::of_bits(words, at->reach()); };
      const auto accessed = [&](const TouchedBytes& it) {
        return AccessedBytes{bytes(it.read), bytes(it.strong_read), bytes(it.written), bytes(it.strong_written)};
      };
      all.push_back({at, accessed(bits), accessed(outcome_.tensors[n].touched_early)});
    }
    const auto describe = [&](Operation& operation) {
      operation.name = request_.kernel->shown_name;
      operation.entry = request_.kernel->entry.name;
      operation.stack = request_.stack;
      if (request_.stack.empty()) operation.called_at = CallStack::here();
      operation.synchronises = request_.kernel->synchronises;
      operation.may_overlap = request_.may_overlap;
      operation.grid = outcome_.grid_controls;
    };
    session_.order().touch(std::move(all), describe, [&](const StreamRace& race) { session_.report(race); });
  }

  Result report() {
    const Result result = answer_of(outcome_.findings);
    fault_ = fault_of(outcome_.findings, session_.memory());
    for (Finding& finding : outcome_.findings) {
      // A launch that cannot be is wrong where it is made.
      if (finding.rule == Rule::LaunchLimit && request_.stack.empty()) {
        if (std::optional<FindingLocation> here = CallStack::here().location()) finding.location = std::move(here);
      }
      const std::string id = finding.id;
      complete(finding);
      // Of one defect of one launch the first finding stands.
      if (!reported_->insert(defect_key(finding)).second) continue;
      if (captured_ && !session_.record().has(finding.id)) add_replay(finding);
      if (finding.severity == Severity::Error) request_.kernel->reported.try_emplace(id, finding);
      session_.report(std::move(finding));
    }
    return result;
  }

  // Whose memory an address is, a launch file does not say.
  void add_replay(Finding& finding) {
    if (finding.rule != Rule::IllegalAddress) return captured_->add_replay(finding);
    captured_->write();
    if (!captured_->path().empty())
      finding.evidence.push_back("the launch is captured in " + captured_->path() +
                                 "; whose memory an address is shows in the run alone");
  }

  // Nothing of it ran: it writes nothing, and has no blocks.
  bool is_refused() const {
    return std::ranges::any_of(outcome_.findings, [](const Finding& it) { return it.rule == Rule::LaunchLimit; });
  }

  Session& session_;
  const LaunchRequest& request_;
  Result fault_ = Result::Success;
  Launch launch_;
  Outcome outcome_;
  std::optional<std::vector<std::string>> stack_;  // once a finding needs it
  std::shared_ptr<CapturedLaunch> captured_;
  std::shared_ptr<bool> failed_ = std::make_shared<bool>();
  std::shared_ptr<std::set<std::string>> reported_ =
      std::make_shared<std::set<std::string>>();  // findings, by defect_key
};

}  // namespace

Result launch(Session& session, const LaunchRequest& request, Result* fault) {
  const EndsLater ends_later;  // once the findings are reported
  Run run(session, request);
  const Result result = run.run();
  if (fault && session.options().faults_end_context && run.fault() != Result::Success) *fault = run.fault();
  return result;
}

}  // namespace ropewalk::driver
