#include "lib/compat/problem_findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "lib/base/hash.h"

namespace ropewalk {
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

// The versions of the table in which the function has the parameter or, without one, in which there is the function.
struct TableSpan {
  std::optional<PackageVersion> first, last;
  bool before = false, after = false;  // than this version
};

TableSpan span_of(const std::string& function, const std::string& parameter, const PackageVersion& version) {
  TableSpan span;
  const SignatureTable& table = shipped_signatures();
  for (const PackageVersion& one : table.versions) {
    const Provider provider = table.at(one);
    const Signature* const signature = provider.find("", function);
    const bool has = signature && (parameter.empty() || std::ranges::any_of(signature->parameters, [&](const auto& p) {
                                     return p.name == parameter;
                                   }));
    if (!has) continue;
    if (!span.first) span.first = one;
    span.last = one;
    (one < version ? span.before : span.after) = true;
  }
  return span;
}

bool is_in_table(const Provider& provider) {
  return provider.version && same_package(provider.package, shipped_signatures().package);
}

// A keyword that came later was never removed.
std::string cause_id(const JudgedProblem& one, const Provider& provider) {
  switch (one.problem.kind) {
    case ProblemKind::MissingArgument:
      return "required-parameter-added";
    case ProblemKind::UnknownKeyword:
      return is_in_table(provider) && !span_of(one.call.function, one.problem.subject, *provider.version).before
                 ? "keyword-unknown"
                 : "parameter-removed";
    case ProblemKind::TooManyPositionals:
      return "too-many-positionals";
    case ProblemKind::GivenTwice:
    case ProblemKind::OtherMeaning:
      return "parameter-inserted";
    case ProblemKind::LseLayout:
      return "lse-layout-changed";
    default:
      return "result-tuple-changed";
  }
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

// What the provider did: the sentence that a person who met the crash wants to read.
std::string cause_text(const JudgedProblem& one, const Provider& provider) {
  const std::string& function = one.call.function;
  const std::string& subject = one.problem.subject;
  std::optional<PackageVersion> since;
  if (provider.version && same_package(provider.package, shipped_signatures().package)) {
    since = shipped_signatures().since(function, subject, *provider.version);
  }
  const std::string from = since ? fmt::format(" since {} {}", provider.package, since->text) : " of " + provider.name;
  switch (one.problem.kind) {
    case ProblemKind::MissingArgument:
      return fmt::format("{} is a parameter of {}{}, without a default; the call is written for another version",
                         subject, function, from);
    case ProblemKind::UnknownKeyword: {
      const SignatureTable& table = shipped_signatures();
      const Vocabulary known = table.vocabulary(function);
      const bool never = same_package(provider.package, table.package) && !known.empty() && !known.count(subject);
      const TableSpan span = is_in_table(provider) ? span_of(function, subject, *provider.version) : TableSpan{};
      if (span.first && !span.before) {
        return fmt::format(
            "{} is a parameter of {} since {} {}, and none in {}; the call is written for a later version", subject,
            function, provider.package, span.first->text, provider.name);
      }
      return fmt::format("{} is no parameter of {} in {}{}", subject, function, provider.name,
                         never ? fmt::format(", nor in any version from {} to {}", table.versions.front().text,
                                             table.versions.back().text)
                               : "; the call is written for another version");
    }
    case ProblemKind::TooManyPositionals:
      return fmt::format(
          "{} of {} has fewer positional parameters than the call gives; the call is written for another version",
          function, provider.name);
    case ProblemKind::GivenTwice:
    case ProblemKind::OtherMeaning:
      return fmt::format("{} stands at this position of {}{}; the call counts the positions of another version",
                         subject, function, from);
    case ProblemKind::LseLayout:
      return fmt::format("the shape of softmax_lse is another one in {} than the caller is written for", provider.name);
    default:
      return fmt::format("the results of {} in {} are others than the caller is written for", function, provider.name);
  }
}

std::string advice_for(const JudgedProblem& one, const Provider& provider, const Caller& caller,
                       const WorkingVersions& versions) {
  std::string fix;
  switch (one.problem.kind) {
    case ProblemKind::MissingArgument:
      fix = fmt::format("give {} by name where {} has it", one.problem.subject, provider.package);
      break;
    case ProblemKind::UnknownKeyword:
      fix = fmt::format("leave out {} for this version of {}", one.problem.subject, provider.package);
      break;
    case ProblemKind::TooManyPositionals:
    case ProblemKind::GivenTwice:
    case ProblemKind::OtherMeaning:
      fix = fmt::format("give the arguments from {} on by name", one.problem.subject);
      if (one.problem.kind == ProblemKind::TooManyPositionals)
        fix = "give the arguments by name, and those alone that there are";
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
  Cause cause;
  cause.id = cause_id(one, provider);
  cause.text = cause_text(one, provider);
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
  const size_t shown = std::min<size_t>(locations.size(), 6);
  cause.evidence.push_back(
      fmt::format("in {}{}", fmt::join(locations.begin(), locations.begin() + long(shown), ", "),
                  shown < locations.size() ? fmt::format(" and {} more", locations.size() - shown) : ""));
  cause.advice = advice_for(one, provider, caller, versions);
  finding.cause = std::move(cause);
  give_id(finding, one.problem);
  return finding;
}

Finding finding_of(const std::vector<MissingName>& all, const Caller& caller, const Provider& provider,
                   const WorkingVersions& versions) {
  const MissingName& one = all.front();
  const char* const error = one.imported ? "ImportError" : "AttributeError";
  Finding finding;
  finding.rule = Rule::SignatureMismatch;
  finding.kernel_name = one.module + "." + one.name;
  finding.kernel_entry = one.name;
  finding.message = fmt::format("{} has no {}, which the caller {}: {}", provider.name, one.name,
                                one.imported ? "imports" : "uses", error);
  FindingLocation location;
  location.file = one.file;
  location.line = one.line;
  finding.location = location;
  finding.occurrences.accesses = all.size();
  const TableSpan span = span_of(one.name, "", *provider.version);
  Cause cause;
  cause.id = "name-missing";
  const auto& renamed = renamed_by_flash_attn_2();
  if (const auto other = renamed.find(one.name); other != renamed.end()) {
    cause.text = fmt::format("{} is a function of flash-attn 1; since 2.0 it is called {}", one.name, other->second);
  } else {
    cause.text = span.before ? fmt::format("{} was there up to {} {}, and is not in {}", one.name, provider.package,
                                           span.last->text, provider.name)
                             : fmt::format("{} is there since {} {}, and is not in {}", one.name, provider.package,
                                           span.first->text, provider.name);
  }
  std::string locations;
  for (const MissingName& other : all) {
    locations += fmt::format("{}{}:{}{}", locations.empty() ? "" : ", ", other.file, other.line,
                             other.scope.empty() ? "" : " (" + other.scope + ")");
  }
  cause.evidence.push_back(fmt::format("{} {} {} from {} in {}, and nothing there catches the {}", caller.name(),
                                       one.imported ? "imports" : "takes", one.name, one.module, locations, error));
  cause.advice = fmt::format("ask for {} only where {} has it", one.name, provider.package);
  if (!versions.working.empty()) {
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

}  // namespace ropewalk
