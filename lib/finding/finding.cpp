#include "lib/finding/finding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "lib/base/hash.h"
#include "lib/base/source_paths.h"

namespace ropewalk {

namespace {

std::string id_text(const Hash& hash) {
  char text[9];
  std::snprintf(text, sizeof text, "%08x", u32(hash.value() >> 32));
  return text;
}

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "";
}

std::string_view name_of(Waiver::By by) { return by == Waiver::By::Baseline ? "baseline" : "suppression"; }

Finding finding_once(Rule rule, std::string message, std::string kernel_name, std::string kernel_entry) {
  Finding out;
  out.rule = rule;
  out.message = std::move(message);
  out.kernel_name = std::move(kernel_name);
  out.kernel_entry = std::move(kernel_entry);
  out.occurrences = {1, 0, 0, 1};
  return out;
}

void identify(Finding& finding) {
  Hash hash;
  hash.add(name_of(finding.rule));
  // Entries of one kernel for several dtypes share their source lines, and its defects.
  hash.add(finding.kernel_name.empty() ? finding.kernel_entry : finding.kernel_name);
  const FindingLocation location = finding.location.value_or(FindingLocation{});
  // Without source lines the kernel's PTX is the source.
  hash.add(travelling_name(location.file.empty() ? location.ptx_file : location.file));
  hash.add(location.file.empty() ? location.ptx_line : location.line);
  hash.add(location.file.empty() ? 0 : location.column);
  // Streams and memory that a program makes in a loop have the same race in each turn.
  const bool is_named_by_message = finding.rule == Rule::StreamRace;
  hash.add(finding.access && !is_named_by_message ? finding.access->tensor : std::string());
  // Of a table nothing but the cause tells one defect from another: whoever knows of a NaN knows of no wrong theta.
  const bool is_of_table = finding.rule == Rule::CacheMismatch || finding.rule == Rule::RankMismatch;
  if (is_of_table && finding.cause) hash.add(finding.cause->id);
  // Without a location the message tells defects apart; its figures do not count. The limit that a launch breaks is no
  // defect of the line, which may be the kernel's first.
  const bool is_at_its_location = finding.location && finding.rule != Rule::LaunchLimit;
  if (!is_at_its_location && (!finding.access || is_named_by_message)) {
    std::string words;
    for (const char letter : finding.message) {
      if (letter < '0' || letter > '9') words += letter;
    }
    hash.add(words);
  }
  finding.id = id_text(hash);
}

std::string text_of(const ThreadId& id) {
  return fmt::format("thread ({}) of block ({})", fmt::join(id.thread, ", "), fmt::join(id.block, ", "));
}

std::string own_id(const Finding& finding, u64 n) {
  Hash hash;
  hash.add(defect_id(finding));
  hash.add(name_of(finding.severity));
  hash.add(finding.cause ? finding.cause->id : std::string());
  hash.add(n);
  return id_text(hash);
}

}  // namespace ropewalk
