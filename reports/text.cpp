#include "reports/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/brief.h"
#include "reports/coverage_words.h"
#include "reports/facts.h"
#include "reports/groups.h"
#include "reports/paint.h"
#include "reports/verdict.h"

namespace ropewalk::reports {
namespace {

constexpr size_t most_in_full = 10;
constexpr size_t most_lines_of_a_cause = 4;

Ink ink_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Clean:
      return Ink::Good;
    case Verdict::Findings:
      return Ink::Error;
    case Verdict::NotRun:
      return Ink::Warning;
  }
  return Ink::Plain;
}

// Those without a cause are told apart by rule and tensor.
std::vector<CauseGroup> shown_groups(const Report& report) {
  std::vector<CauseGroup> groups;
  for (CauseGroup& group : groups_of(report)) {
    if (group.cause) {
      groups.push_back(std::move(group));
      continue;
    }
    const size_t first = groups.size();
    for (const Finding* finding : group.findings) {
      const auto tensor_of = [](const Finding& one) { return one.access ? one.access->tensor : std::string(); };
      const auto is_like = [&](const CauseGroup& one) {
        const Finding& other = *one.findings.front();
        return other.rule == finding->rule && tensor_of(other) == tensor_of(*finding) &&
               kernel_of(other) == kernel_of(*finding);
      };
      const auto known = std::find_if(groups.begin() + long(first), groups.end(), is_like);
      if (known == groups.end()) {
        groups.push_back({nullptr, {finding}});
      } else {
        known->findings.push_back(finding);
      }
    }
  }
  return groups;
}

// The first of each group, and then as many others as are wanted.
std::set<const Finding*> in_full(const std::vector<CauseGroup>& groups, const std::optional<u64>& wanted) {
  std::set<const Finding*> chosen;
  const size_t most = wanted ? size_t(*wanted) : most_in_full;
  for (const CauseGroup& group : groups) {
    if (chosen.size() < most) chosen.insert(group.findings.front());
  }
  if (!wanted) return chosen;
  for (const CauseGroup& group : groups) {
    for (const Finding* finding : group.findings) {
      if (chosen.size() < most) chosen.insert(finding);
    }
  }
  return chosen;
}

// "error[out-of-bounds-read] of x at kernels/a.cu:30:7, 1792 times".
std::string line_of(const Finding& finding, const Paint& paint) {
  const Ink ink = finding.severity == Severity::Error     ? Ink::Error
                  : finding.severity == Severity::Warning ? Ink::Warning
                                                          : Ink::Note;
  std::string line = paint(ink, fmt::format("{}[{}]", name_of(finding.severity), name_of(finding.rule)));
  if (finding.access && !finding.access->tensor.empty()) line += " of " + printable(brief(finding.access->tensor));
  line += finding.location ? " at " + printable(location_text(*finding.location))
                           : ": " + printable(brief(finding.message));
  if (finding.occurrences.cases > 1) line += ", " + counted(finding.occurrences.cases, case_noun(finding));
  return line;
}

std::string group_text(const CauseGroup& group, const std::set<const Finding*>& full, const TextOptions& options,
                       std::set<std::string>& shown) {
  const Paint paint(options.color);
  std::string out, lines;
  const bool some_full = std::any_of(group.findings.begin(), group.findings.end(),
                                     [&](const Finding* finding) { return full.contains(finding); });
  const std::string label = "  " + (some_full ? paint(Ink::Frame, "also     ") : std::string());
  size_t briefly = 0, uncounted = 0;
  for (const Finding* finding : group.findings) {
    if (full.contains(finding)) {
      const bool cause_shown = finding->cause && !shown.insert(finding->cause->text).second;
      if (!out.empty()) out += "\n";
      out += text_of(*finding, options, cause_shown);
    } else if (briefly++ < most_lines_of_a_cause) {
      lines += label + line_of(*finding, paint) + "\n";
    } else {
      ++uncounted;
    }
  }
  if (!some_full && group.cause) lines = printable(brief(group.cause->text)) + "\n" + lines;
  if (uncounted) {
    lines += label + counted(uncounted, "finding") + " more" +
             (group.cause ? " of this cause" : " of this rule and tensor") + "\n";
  }
  return out + lines + "\n";
}

std::string findings_text(const Report& report, const TextOptions& options) {
  const Paint paint(options.color);
  const std::vector<CauseGroup> groups = shown_groups(report);
  const std::set<const Finding*> full = in_full(groups, options.max_findings);
  std::set<std::string> shown;  // texts of causes
  std::string out;
  size_t count = 0;
  for (const CauseGroup& group : groups) {
    out += group_text(group, full, options, shown);
    count += group.findings.size();
  }
  const std::vector<const Finding*> waived = waived_findings(report);
  for (const Finding* finding : waived) {
    const bool known = finding->waiver->by == Waiver::By::Baseline;
    out += paint(Ink::Faint, known ? "known" : "suppressed") + ": " + line_of(*finding, paint) + ": " +
           printable(finding->waiver->reason) + "\n";
  }
  if (!waived.empty()) out += "\n";
  if (full.size() < count) {
    out +=
        paint(Ink::Note, "note") +
        fmt::format(": {} of {} findings are shown in full; --max-findings {} shows all, and every --report has them\n",
                    full.size(), count, count);
  }
  return out;
}

}  // namespace

std::string verdict_line(const Report& report, bool color) {
  const Paint paint(color);
  const VerdictWords words = verdict_words(report);
  return paint(ink_of(report.summary.verdict), words.word) + std::string(9 - words.word.size(), ' ') + words.text +
         "  " + paint(Ink::Faint, "(" + words.circumstances + ")") + "\n";
}

std::string text_of(const Report& report, const TextOptions& given) {
  TextOptions options = given;
  if (!options.source_lines) options.source_lines = source_lines_of(report.sources);
  const Paint paint(options.color);
  std::string out;
  if (!options.quiet) {
    for (const std::string& line : report.printed) out += paint(Ink::Faint, "printed: ") + printable(line) + "\n";
    out += findings_text(report, options);
    for (const NotRunCase& left : report.not_run) {
      out += paint(Ink::Warning, "not run") + ": " + printable(left.case_text) + "\n    " + printable(left.reason) +
             "\n\n";
    }
    for (const std::string& line : campaign_lines(report))
      out += paint(Ink::Note, "covered") + ": " + printable(line) + "\n";
    for (const std::string& note : report.notes) out += paint(Ink::Note, "note") + ": " + printable(note) + "\n";
  }
  return out + verdict_line(report, options.color);
}

}  // namespace ropewalk::reports
