#include "lib/compat/check_compatibility.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "lib/compat/problem_findings.h"

namespace ropewalk {
namespace {

Vocabulary vocabulary_of(const Provider& provider, const Signature& signature) {
  Vocabulary names;
  if (same_package(provider.package, shipped_signatures().package)) {
    names = shipped_signatures().vocabulary(signature.name);
  }
  add_names(signature, names);
  return names;
}

// Ascending versions as ranges of neighbours in the table.
std::string ranges_of(const std::vector<PackageVersion>& all, const std::set<size_t>& chosen) {
  std::vector<std::string> ranges;
  for (size_t n = 0; n < all.size(); ++n) {
    if (!chosen.count(n)) continue;
    const size_t first = n;
    while (chosen.count(n + 1)) ++n;
    ranges.push_back(first == n ? all[n].text : all[first].text + " to " + all[n].text);
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

}  // namespace

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
    if (problems.empty()) ++verdict.healthy;
    for (const CallProblem& problem : problems) verdict.problems.push_back({call, problem});
  }
  verdict.unknown.assign(unknown.begin(), unknown.end());
  return verdict;
}

WorkingVersions working_versions(const Caller& caller, const Provider& provider) {
  const SignatureTable& table = shipped_signatures();
  if (!same_package(provider.package, table.package)) return {};
  std::set<size_t> working, used;
  for (size_t n = 0; n < table.versions.size(); ++n) {
    const PairVerdict verdict = judge_pair(caller, table.at(table.versions[n]));
    if (verdict.calls) used.insert(n);
    if (verdict.calls && verdict.problems.empty()) working.insert(n);
  }
  return {ranges_of(table.versions, working), ranges_of(table.versions, used)};
}

Answer check_compatibility(const Caller& caller, const Provider& provider) {
  const PairVerdict verdict = judge_pair(caller, provider);
  Answer answer;
  answer.cases = verdict.calls;
  answer.passed = verdict.healthy;
  answer.notes = verdict.notes;
  if (!verdict.unknown.empty()) {
    answer.notes.push_back(fmt::format("{} does not tell of {}; give the path of its sources to check calls of them",
                                       provider.from_table ? "the shipped table" : provider.name,
                                       fmt::join(verdict.unknown, ", ")));
  }
  if (verdict.calls && verdict.problems.empty()) return answer;
  const WorkingVersions versions = working_versions(caller, provider);
  if (!verdict.calls) {
    const std::string why = versions.used.empty()
                                ? fmt::format("{} calls no function of {} that is known", caller.name(), provider.name)
                                : fmt::format("{} does not use {}: it calls {} {} alone", caller.name(), provider.name,
                                              provider.package, versions.used);
    answer.cases = 1;
    answer.not_judged.push_back({caller.name() + " with " + provider.name, why});
    return answer;
  }
  answer.findings = findings_of(verdict.problems, caller, provider, versions);
  return answer;
}

}  // namespace ropewalk
