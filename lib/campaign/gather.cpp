#include "lib/campaign/gather.h"

#include <algorithm>
#include <utility>

#include "lib/finding/merge.h"

namespace ropewalk::campaign {

Gatherer::Gatherer(const std::vector<std::unique_ptr<Subject>>& subjects, std::function<bool(const Finding&)> is_enough)
    : subjects_(subjects), is_enough_(std::move(is_enough)) {
  for (const auto& subject : subjects_) {
    KernelCoverage coverage;
    coverage.kernel = subject->kernel().name;
    left_.emplace_back();
    for (const generate::Tuples& tuples : subject->plan().tuples()) {
      coverage.tuples.push_back({tuples.strength(), tuples.count(), std::vector<bool>(tuples.count())});
      coverable_ += tuples.count();
      left_.back().push_back(tuples.count());
    }
    result_.coverage.push_back(std::move(coverage));
  }
}

void Gatherer::add(u64 index, DoneCase done) {
  const std::lock_guard lock(mutex_);
  waiting_.emplace(index, std::move(done));
  while (!waiting_.empty() && waiting_.begin()->first == next_) {
    if (!enough_) take_in(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    ++next_;
  }
}

void Gatherer::take_in(DoneCase& done) {
  Examined& examined = done.examined;
  ++result_.cases;
  result_.rejected += examined.rejected;
  result_.blocks += examined.statistics.blocks;
  result_.blocks_total += examined.statistics.blocks_total;
  for (std::string& note : examined.notes) {
    if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end())
      result_.notes.push_back(std::move(note));
  }
  const bool has_error = std::any_of(examined.findings.begin(), examined.findings.end(),
                                     [](const Finding& one) { return one.severity == Severity::Error; });
  if (!examined.not_run.empty()) {
    auto at = std::find_if(result_.not_run.begin(), result_.not_run.end(),
                           [&](const auto& one) { return one.reason == examined.not_run; });
    if (at == result_.not_run.end()) {
      at =
          result_.not_run.insert(at, {text_of(done.problem), examined.not_run, subjects_[done.subject]->kernel().name});
    }
    ++at->cases;
  } else if (!has_error) {
    ++result_.passed;
  }
  cover(done);
  for (Finding& finding : examined.findings) {
    finding.case_text = text_of(done.problem);
    finding.case_number = done.number;
    const u64 known = result_.findings.size();
    merge_case(result_.findings, std::move(finding));
    if (result_.findings.size() == known) continue;
    first_cases_.push_back({done.subject, done.problem, done.blocks});
    if (is_enough_ && is_enough_(result_.findings.back())) result_.enough = enough_ = true;
  }
}

void Gatherer::cover(const DoneCase& done) {
  KernelCoverage& coverage = result_.coverage[done.subject];
  if (done.aside) return;
  ++coverage.cases;
  for (const BranchCoverage::Branch& branch : done.examined.coverage.branches) {
    if (!branch.taken && !branch.not_taken) continue;
    const auto before = [](const BranchSides& a, const BranchSides& b) {
      return std::tie(a.entry, a.ptx_line) < std::tie(b.entry, b.ptx_line);
    };
    const BranchSides sides{done.examined.entry, branch.ptx_line, branch.taken, branch.not_taken};
    auto at = std::lower_bound(coverage.branches.begin(), coverage.branches.end(), sides, before);
    if (at == coverage.branches.end() || before(sides, *at)) {
      coverage.branches.insert(at, sides);
    } else {
      at->taken |= sides.taken;
      at->not_taken |= sides.not_taken;
    }
  }
  if (done.choice.empty()) return;
  const std::vector<generate::Tuples>& tuples = subjects_[done.subject]->plan().tuples();
  for (u64 n = 0; n < tuples.size(); ++n) {
    u64& left = left_[done.subject][n];
    if (!left) continue;
    std::vector<bool>& seen = coverage.tuples[n].seen;
    tuples[n].each(done.choice, [&](u64 tuple) {
      covered_ += !seen[tuple];
      left -= !seen[tuple];
      seen[tuple] = true;
    });
  }
}

void Gatherer::fill(Progress& progress) {
  const std::lock_guard lock(mutex_);
  progress.cases = result_.cases;
  progress.findings = result_.findings.size();
  progress.covered = coverable_ ? double(covered_) / double(coverable_) : 1;
}

State Gatherer::state() {
  const std::lock_guard lock(mutex_);
  return {next_, 0, result_, first_cases_};
}

u64 Gatherer::findings() {
  const std::lock_guard lock(mutex_);
  return result_.findings.size();
}

void Gatherer::restore(const State& state) {
  next_ = state.next;
  first_cases_ = state.first_cases;
  const std::vector<KernelCoverage> empty = std::exchange(result_, state.result).coverage;
  for (u64 subject = 0; subject < empty.size(); ++subject) {
    // What was covered is added to what there is to cover, so that a state of other kernels is refused.
    KernelCoverage coverage = empty[subject];
    join(coverage, state.result.coverage.at(subject));
    for (u64 n = 0; n < coverage.tuples.size(); ++n) {
      left_[subject][n] -= coverage.tuples[n].covered();
      covered_ += coverage.tuples[n].covered();
    }
    result_.coverage[subject] = std::move(coverage);
  }
}

Result Gatherer::take(std::vector<FirstCase>* first_cases) {
  *first_cases = std::move(first_cases_);
  return std::move(result_);
}

}  // namespace ropewalk::campaign
