#include "lib/compat/problem_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace ropewalk::compat {
namespace {

using ProblemKind = CallProblem::Kind;

bool is_of_results(ProblemKind kind) {
  return kind == ProblemKind::ResultIndex || kind == ProblemKind::ResultMeaning || kind == ProblemKind::ResultCount ||
         kind == ProblemKind::ResultIsNoTuple;
}

// Whether a version of the table takes the call: it binds, and means what it says; `with_results`, returns what the
// caller takes as well.
bool takes(const PackageVersion& version, const Call& call, bool with_results) {
  const SignatureTable& table = shipped_signatures();
  const Provider provider = table.at(version);
  const Signature* const signature = provider.find("", call.function);
  if (!signature || call.more_positional || call.more_keywords) return false;
  if (with_results && signature->returns.empty()) return false;
  const std::vector<CallProblem> problems = judge_call(call, *signature, table.vocabulary(call.function));
  return std::ranges::none_of(problems, [&](const CallProblem& problem) {
    return with_results || (!is_of_results(problem.kind) && problem.kind != ProblemKind::LseLayout);
  });
}

// What a cause is made of.
struct Facts {
  const JudgedProblem& one;
  const Provider& provider;
  bool in_table;                              // the table knows the function
  std::vector<PackageVersion> there, taking;  // versions that have the function, and that take this very call

  Facts(const JudgedProblem& one, const Provider& provider) : one(one), provider(provider) {
    const SignatureTable& table = shipped_signatures();
    if (same_package(provider.package, table.package)) {
      for (const PackageVersion& version : table.versions) {
        if (!table.at(version).find("", one.call.function)) continue;
        there.push_back(version);
        if (takes(version, one.call, is_of_results(one.problem.kind))) taking.push_back(version);
      }
    }
    in_table = !there.empty();
  }

  // " since flash-attn 2.6.0": from which on the function's signature is so, up to the provider's version.
  std::string since(const std::function<bool(const Signature&)>& is_so) const {
    std::optional<PackageVersion> first;
    for (const PackageVersion& version : there) {
      if (!provider.version || version > *provider.version) break;
      const Provider known = shipped_signatures().at(version);
      const bool holds = is_so(*known.find("", one.call.function));
      if (!holds) first.reset();
      if (holds && !first) first = version;
    }
    return first ? fmt::format(" since {} {}", provider.package, first->text) : " of " + provider.name;
  }
};

Cause wrong_call(const Facts& facts, std::string text) {
  const Call& call = facts.one.call;
  const bool is_known = facts.in_table && !call.more_positional && !call.more_keywords;
  if (text.empty() && is_known) {
    text = fmt::format("no version of {} from {} to {} takes this call", facts.provider.package,
                       facts.there.front().text, facts.there.back().text);
  } else if (text.empty()) {
    text = fmt::format("the call does not fit {} of {}", call.function, facts.provider.name);
  }
  Cause cause;
  cause.id = "wrong-call";
  cause.text = std::move(text);
  return cause;
}

Cause with(const char* id, std::string text) {
  Cause cause;
  cause.id = id;
  cause.text = std::move(text);
  return cause;
}

// Sources of which the version tells nothing.
std::string words_for_sources(const Provider& provider) {
  return provider.version
             ? fmt::format("the sources {}, which are said to be of {}", provider.sources, provider.version->text)
             : fmt::format("the sources {}, whose version is not known", provider.sources);
}

Cause cause_of_keyword(const Facts& facts) {
  const std::string &function = facts.one.call.function, &subject = facts.one.problem.subject;
  const Provider& provider = facts.provider;
  const TableSpan span = facts.in_table ? span_of(function, subject, provider.version) : TableSpan{};
  const bool written = !facts.taking.empty();
  if (!span.first) {
    const std::string nor = facts.in_table ? fmt::format(", nor in any version from {} to {}", facts.there.front().text,
                                                         facts.there.back().text)
                                           : "";
    return wrong_call(facts, fmt::format("{} is no parameter of {} in {}{}", subject, function, provider.name, nor));
  }
  if (!provider.version || span.here) {
    return with("keyword-unknown", fmt::format("{} is a parameter of {} in {} {}, and none in {}", subject, function,
                                               provider.package, span.ranges, words_for_sources(provider)));
  }
  if (span.last_before) {
    return with("parameter-removed", fmt::format("{} was a parameter of {} up to {} {}, and is none in {}{}", subject,
                                                 function, provider.package, span.last_before->text, provider.name,
                                                 written ? "; the call is written for another version" : ""));
  }
  return with("keyword-unknown",
              fmt::format("{} is a parameter of {} since {} {}, and none in {}{}", subject, function, provider.package,
                          span.first->text, provider.name, written ? "; the call is written for a later version" : ""));
}

// The first position of the call at which another parameter stands than in the nearest version that takes it.
std::optional<u64> shift_of(const Facts& facts) {
  const Call& call = facts.one.call;
  const Signature* const here = facts.provider.find(call.module, call.function);
  if (facts.one.problem.kind != ProblemKind::MissingArgument || facts.taking.empty() || !here) return std::nullopt;
  PackageVersion nearest = facts.taking.front();
  for (const PackageVersion& version : facts.taking) {
    if (facts.provider.version && version < *facts.provider.version) nearest = version;
  }
  const Provider other = shipped_signatures().at(nearest);
  const Signature& there = *other.find("", call.function);
  const size_t size = std::min({call.positional.size(), here->parameters.size(), there.parameters.size()});
  for (size_t n = 0; n < size; ++n) {
    if (here->parameters[n].name != there.parameters[n].name) return n;
  }
  return std::nullopt;
}

Cause inserted_at(const Facts& facts, const std::string& parameter, std::optional<u64> position) {
  const std::string from = facts.since([&](const Signature& signature) {
    return position && *position < signature.parameters.size() && signature.parameters[*position].name == parameter;
  });
  return with("parameter-inserted",
              fmt::format("{} stands at this position of {}{}; the call counts the positions of another version",
                          parameter, facts.one.call.function, from));
}

// Of one that a version of the table takes.
Cause cause_of_written(const Facts& facts) {
  const std::string &function = facts.one.call.function, &subject = facts.one.problem.subject;
  const CallProblem& problem = facts.one.problem;
  switch (problem.kind) {
    case ProblemKind::MissingArgument: {
      if (const std::optional<u64> shift = shift_of(facts)) {
        const Signature* const here = facts.provider.find(facts.one.call.module, function);
        return inserted_at(facts, here->parameters[*shift].name, shift);
      }
      const std::string from = facts.since([&](const Signature& signature) {
        return std::ranges::any_of(signature.parameters, [&](const SignatureParameter& one) {
          return one.name == subject && !one.default_text;
        });
      });
      return with("required-parameter-added",
                  fmt::format("{} is a parameter of {}{}, without a default; the call is written for another version",
                              subject, function, from));
    }
    case ProblemKind::TooManyPositionals:
      return with("too-many-positionals",
                  fmt::format("{} of {} has fewer positional parameters than the call gives; the call is written for "
                              "another version",
                              function, facts.provider.name));
    default:
      return inserted_at(facts, subject, problem.position);
  }
}

}  // namespace

TableSpan span_of(const std::string& function, const std::string& parameter,
                  const std::optional<PackageVersion>& version) {
  TableSpan span;
  std::vector<PackageVersion> all;
  const SignatureTable& table = shipped_signatures();
  for (const PackageVersion& one : table.versions) {
    const Provider provider = table.at(one);
    const Signature* const signature = provider.find("", function);
    const bool has = signature && (parameter.empty() || std::ranges::any_of(signature->parameters, [&](const auto& p) {
                                     return p.name == parameter;
                                   }));
    if (!has) continue;
    if (!span.first) span.first = one;
    if (version && one < *version) span.last_before = one;
    span.here = span.here || (version && one == *version);
    all.push_back(one);
  }
  span.ranges = ranges_of(table.versions, all);
  return span;
}

std::optional<u64> first_shift(const JudgedProblem& one, const Provider& provider) {
  return shift_of(Facts(one, provider));
}

Cause cause_of(const JudgedProblem& one, const Provider& provider) {
  const std::string& function = one.call.function;
  if (one.problem.kind == ProblemKind::LseLayout) {
    return with(
        "lse-layout-changed",
        fmt::format("the shape of softmax_lse is another one in {} than the caller is written for", provider.name));
  }
  const Facts facts(one, provider);
  Cause cause;
  if (one.problem.kind == ProblemKind::UnknownKeyword) {
    cause = cause_of_keyword(facts);
  } else if (facts.taking.empty()) {
    cause = wrong_call(
        facts, is_of_results(one.problem.kind)
                   ? fmt::format("{} of {} returns other results than the caller takes", function, provider.name)
                   : "");
  } else if (is_of_results(one.problem.kind)) {
    cause =
        with("result-tuple-changed",
             fmt::format("the results of {} in {} are others than the caller is written for", function, provider.name));
  } else {
    cause = cause_of_written(facts);
  }
  if (facts.taking.empty()) return cause;
  // With its results, where the caller takes them apart.
  std::vector<PackageVersion> fitting = facts.taking;
  const bool takes_results = one.call.unpacked || !one.call.uses.empty();
  if (takes_results) std::erase_if(fitting, [&](const auto& version) { return !takes(version, one.call, true); });
  const std::vector<PackageVersion>& shown = fitting.empty() ? facts.taking : fitting;
  cause.evidence.push_back(fmt::format("{} {} {}", fitting.empty() ? "the call's arguments fit" : "the call fits",
                                       provider.package, ranges_of(shipped_signatures().versions, shown)));
  return cause;
}

}  // namespace ropewalk::compat
