#include "tests/mutants/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "lib/base/percent.h"
#include "reports/file.h"

namespace ropewalk::mutants {
namespace {

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::Found:
      return "found";
    case Fate::Equivalent:
      return "equivalent";
    case Fate::Survivor:
      return "SURVIVES";
    case Fate::NotRun:
      return "NOT RUN";
  }
  return "";
}

std::string line_of(const Result& result) {
  const Verdict& verdict = result.verdict;
  const std::string by =
      verdict.killed_by ? fmt::format("{}{}", ropewalk::name_of(*verdict.killed_by), verdict.strict ? " (strict)" : "")
                        : std::string(name_of(result.fate));
  std::string line =
      fmt::format("{}  {}, {} cases, {:.1f} ms", line_of(result.mutant), by, verdict.cases, 1000 * verdict.seconds);
  if (!result.reason.empty()) line += "\n    " + result.reason;
  return line;
}

// How many of each fate.
struct Count {
  std::map<Fate, u64> of;
  u64 all = 0;

  void add(Fate fate) {
    ++of[fate];
    ++all;
  }
  u64 number(Fate fate) const { return of.count(fate) ? of.at(fate) : 0; }
  std::string text() const {
    const u64 found = number(Fate::Found), equivalent = number(Fate::Equivalent), counted = all - equivalent;
    std::string text = fmt::format("{} mutants, {} found, {} equivalent (argued), {} survivors", all, found, equivalent,
                                   number(Fate::Survivor));
    if (number(Fate::NotRun)) text += fmt::format(", {} did not run", number(Fate::NotRun));
    return text + fmt::format(": kill rate {} %", percent_fixed(counted ? double(found) / double(counted) : 1, 1));
  }
};

nlohmann::ordered_json json_of(const Result& result) {
  nlohmann::ordered_json json = {{"name", result.mutant.name()},   {"kernel", result.target->subject->kernel().name},
                                 {"rule", result.mutant.rule},     {"ptx_line", result.mutant.ptx_line},
                                 {"source", result.mutant.source}, {"instruction", result.mutant.instruction},
                                 {"what", result.mutant.what},     {"fate", name_of(result.fate)},
                                 {"cases", result.verdict.cases},  {"seconds", result.verdict.seconds}};
  if (result.verdict.killed_by) {
    json["killed_by"] = ropewalk::name_of(*result.verdict.killed_by);
    json["strict"] = result.verdict.strict;
    json["message"] = result.verdict.message;
    json["case"] = result.verdict.case_text;
  }
  if (!result.reason.empty()) json["reason"] = result.reason;
  return json;
}

const Argued* argument_for(const std::vector<Argued>& argued, const Mutant& mutant) {
  const auto found = std::find_if(argued.begin(), argued.end(), [&](const Argued& one) { return one.fits(mutant); });
  return found == argued.end() ? nullptr : &*found;
}

}  // namespace

std::string line_of(const Mutant& mutant) {
  return fmt::format("{:<58} {:<26} {:<40} {}", mutant.name(), mutant.source, mutant.instruction, mutant.what);
}

void hold_against(const std::vector<Argued>& argued, std::vector<Result>& results) {
  std::map<const Target*, std::vector<bool>> reached;
  for (Result& result : results) {
    if (result.verdict.killed_by) continue;
    if (!result.verdict.not_run.empty()) {
      result.fate = Fate::NotRun;
      result.reason = result.verdict.not_run;
      continue;
    }
    result.fate = Fate::Survivor;
    const Argued* argument = argument_for(argued, result.mutant);
    if (!argument) continue;
    result.reason = argument->argument;
    auto& executed = reached[result.target];
    if (executed.empty()) executed = reached_by(*result.target);
    if (executed[result.mutant.number] != argument->unreached) {
      result.fate = Fate::Equivalent;
    } else {
      result.reason += argument->unreached ? "; but a case executes it" : "; but no case executes it";
    }
  }
}

std::vector<std::string> unneeded(const std::vector<Argued>& argued, const std::vector<Result>& results) {
  std::vector<std::string> names;
  for (const Argued& one : argued) {
    bool fits = false, needed = false;
    for (const Result& result : results) {
      if (argument_for(argued, result.mutant) != &one) continue;
      fits = true;
      needed |= result.fate != Fate::Found;
    }
    if (fits && !needed) names.push_back(one.name());
  }
  return names;
}

bool tell(const std::vector<Result>& results, const std::vector<std::string>& unneeded, const std::string& report) {
  std::map<std::string, Count> by_kernel;
  Count all;
  nlohmann::ordered_json mutants = nlohmann::ordered_json::array();
  for (const Result& result : results) {
    fmt::print("{}\n", line_of(result));
    by_kernel[result.target->subject->kernel().name].add(result.fate);
    all.add(result.fate);
    mutants.push_back(json_of(result));
  }
  fmt::print("\n");
  for (const auto& [kernel, count] : by_kernel) fmt::print("{:<24} {}\n", kernel, count.text());
  fmt::print("{:<24} {}\n", "all", all.text());
  for (const std::string& name : unneeded)
    fmt::print("not needed, since the mutants are found: the argument for {}\n", name);
  if (!report.empty()) {
    reports::write_file_atomically(report,
                                   nlohmann::ordered_json{{"mutants", mutants}, {"unneeded", unneeded}}.dump(2) + "\n");
  }
  return unneeded.empty() && all.number(Fate::Survivor) == 0 && all.number(Fate::NotRun) == 0;
}

}  // namespace ropewalk::mutants
