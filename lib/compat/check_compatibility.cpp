#include "lib/compat/check_compatibility.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "lib/compat/problem_findings.h"

namespace ropewalk::compat {
namespace {

Vocabulary vocabulary_of(const Provider& provider, const Signature& signature) {
  Vocabulary names;
  if (same_package(provider.package, shipped_signatures().package)) {
    names = shipped_signatures().vocabulary(signature.name);
  }
  add_names(signature, names);
  return names;
}

}  // namespace

namespace {

std::string location_text(const std::string& file, u64 line) { return line ? fmt::format("{}:{}", file, line) : file; }

// Why a call that no problem is seen of is not judged; empty: it is.
std::string why_open(const Call& call, const Signature& signature) {
  if (call.unpacked.value_or(0) > 1 && signature.returns.empty()) {
    return fmt::format("how many results {} has, of which {} are taken here, its source does not tell", call.function,
                       *call.unpacked);
  }
  if (!call.more_positional && !call.more_keywords) return "";
  const char* const what = call.more_positional && call.more_keywords ? "*args and **kwargs"
                           : call.more_positional                     ? "*args"
                                                                      : "**kwargs";
  return fmt::format("some arguments of {} come from {}, which the source does not tell: they are not followed",
                     call.function, what);
}

std::string why_unclear(const std::string& why) { return "whether this is reached " + why; }

// Why the problems of a call are not claimed; empty: they are.
std::string why_not_claimed(const Call& call, const std::vector<CallProblem>& problems) {
  if (!call.unclear.empty()) return why_unclear(call.unclear);
  const bool is_of_lse =
      std::ranges::all_of(problems, [](const CallProblem& one) { return one.kind == CallProblem::Kind::LseLayout; });
  return call.lse_unclear.empty() || !is_of_lse
             ? ""
             : fmt::format("{}: whether the softmax_lse here {}", call.lse_text, call.lse_unclear);
}

// What the walk lost sight of, and what was not read.
void tell_unfollowed(const CallerCalls& made, PairVerdict& verdict) {
  for (const LostFunction& one : made.lost) {
    verdict.not_judged.push_back(
        {location_text(one.file, one.line),
         one.function.empty()
             ? fmt::format("what is looked up here cannot be computed ({}): calls of it are not followed", one.text)
             : fmt::format("{} is handed on here ({}), and calls of it from there are not followed", one.function,
                           one.text)});
  }
  for (const MissingName& one : made.missing) {
    if (one.unclear.empty()) {
      verdict.missing.push_back(one);
    } else {
      verdict.not_judged.push_back({location_text(one.file, one.line), why_unclear(one.unclear)});
    }
  }
  for (const auto& [file, why] : made.unreadable) verdict.not_judged.push_back({file, why});
}

}  // namespace

std::string ranges_of(const std::vector<PackageVersion>& all, const std::vector<PackageVersion>& chosen) {
  const auto is_chosen = [&](size_t n) { return n < all.size() && std::ranges::find(chosen, all[n]) != chosen.end(); };
  std::vector<std::string> ranges;
  for (size_t n = 0; n < all.size(); ++n) {
    if (!is_chosen(n)) continue;
    const size_t first = n;
    while (is_chosen(n + 1)) ++n;
    ranges.push_back(first == n ? all[n].text : all[first].text + " to " + all[n].text);
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

PairVerdict judge_pair(const Caller& caller, const Provider& provider) {
  PairVerdict verdict;
  const CallerCalls made = caller.calls_of(provider);
  verdict.notes = made.notes;
  std::set<std::string> unknown;
  for (const Call& call : made.calls) {
    const Signature* const signature = provider.find(call.module, call.function);
    if (!signature) {
      unknown.insert(call.function);
      continue;
    }
    ++verdict.calls;
    const std::vector<CallProblem> problems = judge_call(call, *signature, vocabulary_of(provider, *signature));
    const std::string why = problems.empty() ? why_open(call, *signature) : why_not_claimed(call, problems);
    if (!why.empty()) {
      verdict.not_judged.push_back({location_text(call.file, call.line), why});
      continue;
    }
    if (problems.empty()) ++verdict.healthy;
    for (const CallProblem& problem : problems) {
      const bool is_open = problem.kind == CallProblem::Kind::LseLayout && !call.lse_unclear.empty();
      if (!is_open) verdict.problems.push_back({call, problem});
    }
  }
  tell_unfollowed(made, verdict);
  verdict.unknown.assign(unknown.begin(), unknown.end());
  return verdict;
}

WorkingVersions working_versions(const Caller& caller, const Provider& provider) {
  const SignatureTable& table = shipped_signatures();
  if (!same_package(provider.package, table.package)) return {};
  std::vector<PackageVersion> working, used;
  for (const PackageVersion& version : table.versions) {
    const PairVerdict verdict = judge_pair(caller, table.at(version));
    if (verdict.calls) used.push_back(version);
    if (verdict.calls && verdict.problems.empty() && verdict.missing.empty()) working.push_back(version);
  }
  return {ranges_of(table.versions, working), ranges_of(table.versions, used)};
}

Answer check_compatibility(const Caller& caller, const Provider& provider) {
  const PairVerdict verdict = judge_pair(caller, provider);
  Answer answer;
  answer.cases = verdict.calls + verdict.missing.size();
  answer.passed = verdict.healthy;
  answer.notes = provider.notes;
  answer.notes.insert(answer.notes.end(), verdict.notes.begin(), verdict.notes.end());
  if (!verdict.unknown.empty()) {
    answer.notes.push_back(fmt::format("{} does not tell of {}; give the path of its sources to check calls of them",
                                       provider.from_table ? "the shipped table" : provider.name,
                                       fmt::join(verdict.unknown, ", ")));
  }
  answer.not_judged = verdict.not_judged;
  const bool nothing_wrong = verdict.problems.empty() && verdict.missing.empty();
  if (nothing_wrong && (verdict.calls || !verdict.not_judged.empty())) {
    answer.cases = std::max<u64>(answer.cases, 1);
    return answer;
  }
  const WorkingVersions versions = working_versions(caller, provider);
  if (nothing_wrong) {
    const std::string why = versions.used.empty()
                                ? fmt::format("{} calls no function of {} that is known", caller.name(), provider.name)
                                : fmt::format("{} does not use {}: it calls {} {} alone", caller.name(), provider.name,
                                              provider.package, versions.used);
    answer.cases = 1;
    answer.not_judged.push_back({caller.name() + " with " + provider.name, why});
    return answer;
  }
  answer.findings = findings_of(verdict.problems, caller, provider, versions);
  for (Finding& finding : findings_of(verdict.missing, caller, provider, versions)) {
    answer.findings.push_back(std::move(finding));
  }
  return answer;
}

}  // namespace ropewalk::compat
