#include "lib/compat/problem_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "lib/base/hash.h"
#include "lib/compat/problem_causes.h"

namespace ropewalk::compat {
namespace {

using ProblemKind = CallProblem::Kind;

// Problems of one kind at one function.
struct Group {
  const JudgedProblem* first;
  std::vector<const JudgedProblem*> all;
};

std::vector<Group> groups_of(const std::vector<JudgedProblem>& problems) {
  std::vector<Group> groups;
  for (const JudgedProblem& one : problems) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.first->call.function == one.call.function && group.first->call.file == one.call.file &&
             group.first->problem.kind == one.problem.kind && group.first->problem.subject == one.problem.subject;
    });
    if (same == groups.end()) {
      groups.push_back({&one, {&one}});
    } else {
      same->all.push_back(&one);
    }
  }
  return groups;
}

std::string call_text(const Call& call) {
  std::vector<std::string> parts = call.positional;
  if (call.more_positional) parts.push_back("*...");
  for (const NamedText& keyword : call.keywords) {
    parts.push_back(keyword.text == keyword.name ? keyword.name + "=..." : keyword.name + "=" + keyword.text);
  }
  if (call.more_keywords) parts.push_back("**...");
  return fmt::format("{}({})", call.function, fmt::join(parts, ", "));
}

std::string location_text(const JudgedProblem& one) {
  const u64 line = one.problem.line ? one.problem.line : one.call.line;
  std::string text = one.call.file;
  if (line) text += ":" + std::to_string(line);
  if (!one.call.scope.empty()) text += " (" + one.call.scope + ")";
  return text;
}

// never: no version that is known takes the call.
std::string advice_for(const JudgedProblem& one, bool never, const Provider& provider, const Caller& caller,
                       const WorkingVersions& versions) {
  const std::string& subject = one.problem.subject;
  std::string fix;
  switch (one.problem.kind) {
    case ProblemKind::MissingArgument:
      fix = never ? "give " + subject : fmt::format("give {} by name where {} has it", subject, provider.package);
      if (const std::optional<u64> shift = first_shift(one, provider)) {
        const Signature* const signature = provider.find(one.call.module, one.call.function);
        fix = fmt::format("give the arguments from {} on by name", signature->parameters[*shift].name);
      }
      break;
    case ProblemKind::UnknownKeyword:
      fix = never ? "leave out " + subject
                  : fmt::format("leave out {} for this version of {}", subject, provider.package);
      break;
    case ProblemKind::TooManyPositionals:
      fix = "give the arguments by name, and those alone that there are";
      break;
    case ProblemKind::GivenTwice:
    case ProblemKind::OtherMeaning:
    case ProblemKind::WrongValue:
      fix = fmt::format("give the arguments from {} on by name", subject);
      if (never && one.problem.kind == ProblemKind::GivenTwice) fix = fmt::format("give {} once", subject);
      if (never && one.problem.kind == ProblemKind::WrongValue) fix = "give a value that " + subject + " can have";
      break;
    case ProblemKind::LseLayout:
      fix = "tell the two shapes of softmax_lse apart by the version";
      break;
    default:
      fix = "take the results by the version's own order";
  }
  return versions.working.empty() ? fix
                                  : fmt::format("{}, or use {} {}, which {} calls rightly", fix, provider.package,
                                                versions.working, caller.name());
}

void give_id(Finding& finding, const CallProblem& problem) {
  identify(finding);
  // One location may have several problems.
  Hash hash;
  hash.add(finding.id);
  hash.add(u64(problem.kind));
  hash.add(problem.subject);
  char text[9];
  std::snprintf(text, sizeof text, "%08x", u32(hash.value() >> 32));
  finding.id = text;
}

Finding finding_of(const Group& group, const Caller& caller, const Provider& provider,
                   const WorkingVersions& versions) {
  const JudgedProblem& one = *group.first;
  const Signature* const signature = provider.find(one.call.module, one.call.function);
  Finding finding;
  finding.rule = Rule::SignatureMismatch;
  finding.kernel_name = (signature->module.empty() ? "" : signature->module + ".") + one.call.function;
  finding.kernel_entry = one.call.function;
  finding.message = fmt::format("{} of {} {}{}", one.call.function, provider.name, one.problem.text,
                                is_refused(one.problem.kind) ? ": TypeError" : "");
  const bool caught =
      is_refused(one.problem.kind) &&
      std::all_of(group.all.begin(), group.all.end(), [](const JudgedProblem* p) { return p->call.refusal_caught; });
  if (caught) {
    finding.severity = Severity::Note;
    finding.message += ", which the caller catches";
  }
  FindingLocation location;
  location.file = one.call.file;
  location.line = one.problem.line ? one.problem.line : one.call.line;
  finding.location = location;
  finding.occurrences.accesses = group.all.size();
  Cause cause = cause_of(one, provider);
  const std::vector<std::string> of_table = std::exchange(cause.evidence, {});
  cause.evidence.push_back(fmt::format("{} defines {}", provider.name, text_of(*signature)));
  if (signature->line) cause.evidence.back() += fmt::format(" ({}:{})", signature->file, signature->line);
  cause.evidence.push_back(fmt::format("{} calls {}", caller.name(), call_text(one.call)));
  if (one.problem.kind == ProblemKind::LseLayout && !one.call.lse_text.empty()) {
    cause.evidence.push_back("it uses the shape in " + one.call.lse_text);
  }
  std::vector<std::string> locations;
  for (const JudgedProblem* other : group.all) {
    const std::string location = location_text(*other);
    if (std::find(locations.begin(), locations.end(), location) == locations.end()) locations.push_back(location);
  }
  cause.evidence.insert(cause.evidence.end(), of_table.begin(), of_table.end());
  const size_t shown = std::min<size_t>(locations.size(), 6);
  cause.evidence.push_back(
      fmt::format("in {}{}", fmt::join(locations.begin(), locations.begin() + long(shown), ", "),
                  shown < locations.size() ? fmt::format(" and {} more", locations.size() - shown) : ""));
  cause.advice = advice_for(one, cause.id == "wrong-call", provider, caller, versions);
  finding.cause = std::move(cause);
  give_id(finding, one.problem);
  return finding;
}

// What is known of other versions.
std::string text_of_missing(const MissingName& one, const Provider& provider) {
  const auto& renamed = renamed_by_flash_attn_2();
  if (const auto other = renamed.find(one.name); other != renamed.end()) {
    return fmt::format("{} is a function of flash-attn 1; since 2.0 it is called {}", one.name, other->second);
  }
  const bool is_known = same_package(provider.package, shipped_signatures().package);
  const TableSpan span = is_known ? span_of(one.name, "", provider.version) : TableSpan{};
  if (!span.first || span.here) return fmt::format("{} of {} has no name {}", one.module, provider.name, one.name);
  if (!provider.version) {
    return fmt::format("{} is there in {} {}, and not in the sources {}, whose version is not known", one.name,
                       provider.package, span.ranges, provider.sources);
  }
  return span.last_before ? fmt::format("{} was there up to {} {}, and is not in {}", one.name, provider.package,
                                        span.last_before->text, provider.name)
                          : fmt::format("{} is there since {} {}, and is not in {}", one.name, provider.package,
                                        span.first->text, provider.name);
}

Finding finding_of(const std::vector<MissingName>& all, const Caller& caller, const Provider& provider,
                   const WorkingVersions& versions) {
  const MissingName& one = all.front();
  const char* const error = one.imported ? "ImportError" : "AttributeError";
  Finding finding;
  finding.rule = Rule::SignatureMismatch;
  finding.kernel_name = one.module + "." + one.name;
  finding.kernel_entry = one.name;
  finding.message =
      fmt::format("{}{} has no {}, which the caller {}: {}", provider.from_table ? "" : one.module + " of ",
                  provider.name, one.name, one.imported ? "imports" : "uses", error);
  FindingLocation location;
  location.file = one.file;
  location.line = one.line;
  finding.location = location;
  finding.occurrences.accesses = all.size();
  Cause cause;
  cause.id = "name-missing";
  cause.text = text_of_missing(one, provider);
  if (!provider.from_table) {
    cause.evidence.push_back(
        fmt::format("all that gives {} names was read, and {} is none of them", one.module, one.name));
  }
  std::string locations;
  for (const MissingName& other : all) {
    locations += fmt::format("{}{}:{}{}", locations.empty() ? "" : ", ", other.file, other.line,
                             other.scope.empty() ? "" : " (" + other.scope + ")");
  }
  cause.evidence.push_back(fmt::format("{} {} {} from {} in {}, and nothing there catches the {}", caller.name(),
                                       one.imported ? "imports" : "takes", one.name, one.module, locations, error));
  const Signature* const elsewhere = provider.find("", one.name);
  cause.advice = elsewhere ? fmt::format("take {} from {}, which defines it", one.name, elsewhere->module)
                           : fmt::format("ask for {} only where {} has it", one.name, provider.package);
  // The table does not tell which versions have a name that is none of its functions.
  if (!versions.working.empty() && span_of(one.name, "", provider.version).first) {
    cause.advice +=
        fmt::format(", or use {} {}, which {} calls rightly", provider.package, versions.working, caller.name());
  }
  finding.cause = std::move(cause);
  give_id(finding, {ProblemKind::UnknownKeyword, one.name, "", one.line});
  return finding;
}

}  // namespace

std::vector<Finding> findings_of(const std::vector<MissingName>& names, const Caller& caller, const Provider& provider,
                                 const WorkingVersions& versions) {
  std::map<std::pair<std::string, std::string>, std::vector<MissingName>> groups;  // by file and name
  for (const MissingName& one : names) groups[{one.file, one.name}].push_back(one);
  std::vector<Finding> findings;
  for (const auto& [key, all] : groups) findings.push_back(finding_of(all, caller, provider, versions));
  return findings;
}

std::vector<Finding> findings_of(const std::vector<JudgedProblem>& problems, const Caller& caller,
                                 const Provider& provider, const WorkingVersions& versions) {
  std::vector<Finding> findings;
  for (const Group& group : groups_of(problems)) findings.push_back(finding_of(group, caller, provider, versions));
  return findings;
}

}  // namespace ropewalk::compat
