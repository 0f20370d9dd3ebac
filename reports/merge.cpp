#include "reports/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>

#include "lib/base/error.h"
#include "lib/base/hash.h"
#include "lib/finding/merge.h"
#include "reports/facts.h"
#include "reports/json.h"

namespace ropewalk::reports {
namespace {

constexpr const char* no_report = "there is no report of this shard: it died, or it has not ended";

// The shards of a campaign that a report has in it: one, or those of a merge that some were missing from.
struct Shards {
  u64 count = 1;
  std::set<u64> present;
};

Shards shards_of(const Report& report) {
  Shards shards;
  if (!report.campaign) return shards;
  if (report.campaign->shard_count > 1) return {report.campaign->shard_count, {report.campaign->shard_index}};
  std::set<u64> missing;
  for (const NotRunCase& left : report.not_run) {
    unsigned long long n = 0, count = 0;
    if (left.reason != no_report || std::sscanf(left.case_text.c_str(), "shard %llu of %llu", &n, &count) != 2)
      continue;
    shards.count = count;
    missing.insert(n);
  }
  if (shards.count > campaign::most_shards) return {};
  for (u64 n = 0; n < shards.count; ++n) {
    if (!missing.contains(n)) shards.present.insert(n);
  }
  return shards;
}

bool is_shard(const Report& report) { return shards_of(report).count > 1; }

u64 shard_of(const Report& report) {
  const Shards shards = shards_of(report);
  return shards.count > 1 && !shards.present.empty() ? *shards.present.begin() : 0;
}

[[noreturn]] void differ(const ReportFile& a, const ReportFile& b, const std::string& what) {
  throw InputError(InputLocation{b.path}, fmt::format("this is no shard of the same campaign as {}: {}", a.path, what));
}

void require_one_campaign(const ReportFile& a, const ReportFile& b) {
  const campaign::Record &one = *a.report.campaign, &other = *b.report.campaign;
  const u64 there = shards_of(a.report).count, here = shards_of(b.report).count;
  if (there != here) differ(a, b, fmt::format("{} shards there, {} here", there, here));
  if (a.report.seed != b.report.seed) differ(a, b, fmt::format("seed {} there, {} here", a.report.seed, b.report.seed));
  if (one.budget != other.budget) differ(a, b, fmt::format("budget {} there, {} here", one.budget, other.budget));
  if (one.kernels != other.kernels)
    differ(a, b,
           fmt::format("kernels {} there, {} here", fmt::join(one.kernels, ", "), fmt::join(other.kernels, ", ")));
}

// Whether two campaigns draw the same cases of a kernel, though they are not two shards of one.
bool overlap(const Report& a, const Report& b) {
  if (!a.campaign || !b.campaign || a.seed != b.seed || a.executor != b.executor) return false;
  const campaign::Record &one = *a.campaign, &other = *b.campaign;
  if (one.options != other.options || (is_shard(a) && is_shard(b))) return false;
  const auto has_cases_of = [](const campaign::Record& campaign, const std::string& kernel) {
    return std::any_of(
        campaign.coverage.begin(), campaign.coverage.end(),
        [&](const campaign::KernelCoverage& covered) { return covered.kernel == kernel && covered.cases > 0; });
  };
  return std::any_of(one.kernels.begin(), one.kernels.end(), [&](const std::string& kernel) {
    return has_cases_of(one, kernel) && has_cases_of(other, kernel);
  });
}

// The digests of a report and of those that were merged into it.
std::set<std::string> digests_of(const Report& report) {
  std::set<std::string> digests(report.merged.begin(), report.merged.end());
  digests.insert(fmt::format("{:016x}", hash_of(json_of(report))));
  return digests;
}

// A case that is in two reports would count twice.
void require_no_case_twice(const std::vector<ReportFile>& files, const std::vector<std::set<std::string>>& digests) {
  for (size_t n = 1; n < files.size(); ++n) {
    for (size_t before = 0; before < n; ++before) {
      const ReportFile &here = files[n], &there = files[before];
      if (overlap(here.report, there.report)) {
        throw InputError(InputLocation{here.path},
                         fmt::format("its cases are also in {}: both draw them with seed {}, and merged they would "
                                     "count twice; merge the shards of a campaign or the whole of it, not both",
                                     there.path, here.report.seed));
      }
      if (!is_shard(here.report) && json_of(here.report) == json_of(there.report)) {
        throw InputError(InputLocation{here.path},
                         fmt::format("this is the same report as {}; each counts once", there.path));
      }
      if (std::any_of(digests[n].begin(), digests[n].end(),
                      [&](const std::string& one) { return digests[before].contains(one); })) {
        throw InputError(InputLocation{here.path},
                         fmt::format("it and {} have a report in common that was merged into one of them; each counts "
                                     "once",
                                     there.path));
      }
    }
  }
}

// Names the shards that are not there.
void name_missing_shards(const std::vector<ReportFile>& files, Report& into) {
  std::map<u64, const ReportFile*> given;
  const ReportFile* first = nullptr;
  for (const ReportFile& file : files) {
    if (!is_shard(file.report)) continue;
    if (!first) first = &file;
    require_one_campaign(*first, file);
    const Shards shards = shards_of(file.report);
    for (const u64 shard : shards.present) {
      const auto [known, is_new] = given.emplace(shard, &file);
      if (is_new) continue;
      throw InputError(InputLocation{file.path}, fmt::format("this is shard {} of {}, as is {}; each counts once",
                                                             known->first, shards.count, known->second->path));
    }
  }
  if (!first) return;
  const u64 count = shards_of(first->report).count;
  for (u64 n = 0; n < count; ++n) {
    if (given.contains(n)) continue;
    into.not_run.push_back({part_name(n, count), no_report, ""});
  }
}

// Small cases first: the sum of the numbers in the text, then its length, then its letters.
std::tuple<u64, size_t, std::string> weight_of(const std::string& text) {
  u64 sum = 0, number = 0;
  for (const char letter : text) {
    if (letter >= '0' && letter <= '9') {
      number = number * 10 + u64(letter - '0');
    } else {
      sum += number;
      number = 0;
    }
  }
  return {sum + number, text.size(), text};
}

bool is_smaller(const Finding& a, const Finding& b) {
  if (a.minimal_case.empty() != b.minimal_case.empty()) return b.minimal_case.empty();
  return weight_of(a.minimal_case) < weight_of(b.minimal_case);
}

void add_finding(std::vector<Finding>& findings, Finding finding) {
  const auto known =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& one) { return same_defect(one, finding); });
  // Of shards the first case is the example, as in one run; of other reports the smaller one. merge_case adds the
  // other's counts to what stands there.
  if (known != findings.end() && !finding.case_number && is_smaller(finding, *known)) std::swap(*known, finding);
  merge_case(findings, std::move(finding));
}

// In the order of their first cases, as one run would have them.
void sort_by_case(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.case_number.value_or(0) < b.case_number.value_or(0);
  });
}

void add_coverage(Coverage& into, const Coverage& more, bool is_first) {
  into.blocks += more.blocks;
  into.blocks_total += more.blocks_total;
  into.thread_instructions += more.thread_instructions;
  if (is_first) {
    into.checks = more.checks;
    into.left_out = more.left_out;
    return;
  }
  for (const CheckLeftOut& left : more.left_out) {
    const bool is_there = std::any_of(into.left_out.begin(), into.left_out.end(), [&](const CheckLeftOut& one) {
      return one.check == left.check && one.reason == left.reason;
    });
    if (!is_there) into.left_out.push_back(left);
  }
  // A check counts where every run made it.
  std::erase_if(into.checks, [&](const std::string& check) {
    return std::find(more.checks.begin(), more.checks.end(), check) == more.checks.end();
  });
}

void add_campaign(std::optional<campaign::Record>& into, const campaign::Record& more) {
  if (!into) {
    into = more;
    into->shard_index = 0;
    into->shard_count = 1;
    return;
  }
  into->stopped = into->stopped || more.stopped;
  for (const std::string& kernel : more.kernels) {
    if (std::find(into->kernels.begin(), into->kernels.end(), kernel) == into->kernels.end())
      into->kernels.push_back(kernel);
  }
  for (const campaign::KernelCoverage& coverage : more.coverage) {
    const auto known = std::find_if(into->coverage.begin(), into->coverage.end(),
                                    [&](const campaign::KernelCoverage& one) { return one.kernel == coverage.kernel; });
    if (known == into->coverage.end()) {
      into->coverage.push_back(coverage);
    } else {
      campaign::join(*known, coverage);
    }
  }
}

template <class T>
void append(std::vector<T>& into, std::vector<T>& more) {
  std::move(more.begin(), more.end(), std::back_inserter(into));
}

void add_report(Report& into, ReportFile& file, bool is_first) {
  Report& more = file.report;
  into.strict = into.strict || more.strict;
  into.duration_s += more.duration_s;
  into.summary.cases += more.summary.cases;
  into.summary.passed += more.summary.passed;
  add_coverage(into.coverage, more.coverage, is_first);
  if (more.campaign) add_campaign(into.campaign, *more.campaign);
  for (Finding& finding : more.findings) add_finding(into.findings, std::move(finding));
  // Which shards are missing was reported of all of them together.
  if (is_shard(more)) std::erase_if(more.not_run, [](const NotRunCase& left) { return left.reason == no_report; });
  append(into.not_run, more.not_run);
  append(into.printed, more.printed);
  append(into.device_runs, more.device_runs);
  for (std::string& note : more.notes) {
    if (std::find(into.notes.begin(), into.notes.end(), note) == into.notes.end())
      into.notes.push_back(std::move(note));
  }
  for (auto& [name, lines] : more.sources) into.sources[name].merge(lines);
  if (more.campaign && more.campaign->stopped) {
    const std::string part = part_name(more.campaign->shard_index, more.campaign->shard_count);
    const bool is_there = std::any_of(into.not_run.begin(), into.not_run.end(),
                                      [&](const NotRunCase& left) { return left.case_text == part; });
    if (!is_there) into.not_run.push_back({part, "was stopped before its budget was spent", ""});
  }
  if (into.executor != more.executor) into.executor += ", " + more.executor;
}

}  // namespace

std::string part_name(u64 shard_index, u64 shard_count) {
  return shard_count > 1 ? fmt::format("shard {} of {}", shard_index, shard_count) : "the campaign";
}

Report merged(std::vector<ReportFile> files) {
  if (files.empty()) throw InputError("there is no report to merge");
  std::stable_sort(files.begin(), files.end(),
                   [](const ReportFile& a, const ReportFile& b) { return shard_of(a.report) < shard_of(b.report); });
  const Report& first = files.front().report;
  Report into;
  into.tool = first.tool;
  into.version = first.version;
  into.command = first.command;
  into.seed = first.seed;
  into.executor = first.executor;
  name_missing_shards(files, into);
  std::vector<std::set<std::string>> digests;
  for (const ReportFile& file : files) digests.push_back(digests_of(file.report));
  require_no_case_twice(files, digests);
  const bool one_seed =
      std::all_of(files.begin(), files.end(), [&](const ReportFile& file) { return file.report.seed == into.seed; });
  for (size_t n = 0; n < files.size(); ++n) {
    if (files[n].report.version != into.version)
      into.notes.push_back(fmt::format("{} is of version {}", files[n].path, files[n].report.version));
    if (!one_seed) into.notes.push_back(fmt::format("{} has the seed {}", files[n].path, files[n].report.seed));
    if (files.size() > 1) into.merged.insert(into.merged.end(), digests[n].begin(), digests[n].end());
    add_report(into, files[n], n == 0);
  }
  if (files.size() == 1) into.merged = files[0].report.merged;
  std::sort(into.merged.begin(), into.merged.end());
  sort_by_case(into.findings);
  conclude(into, into.strict);
  return into;
}

}  // namespace ropewalk::reports
