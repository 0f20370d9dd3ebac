#include "reports/facts.h"

#include <fmt/format.h>

#include <cmath>

#include "lib/base/shape.h"
#include "lib/finding/access_words.h"
#include "reports/readable.h"

namespace ropewalk::reports {
namespace {

std::string file_and_line(const std::string& file, u64 line, u64 column) {
  std::string out = file;
  if (line) out += fmt::format(":{}", line);
  if (line && column) out += fmt::format(":{}", column);
  return out;
}

// "448 bytes"; a distance that no small slip explains also in GiB.
std::string bytes_text(i64 bytes) {
  if (bytes >= i64{1} << 30) return fmt::format("{} bytes ({:.1f} GiB)", bytes, double(bytes) / double(i64{1} << 30));
  return counted(u64(bytes), "byte");
}

std::string thread_text(const ThreadId& id) {
  return fmt::format("block ({}), thread ({})", fmt::join(id.block, ", "), fmt::join(id.thread, ", "));
}

std::string tensor_text(const Access& access) {
  if (access.tensor.empty() && access.shape.empty()) return "";
  std::string text = access.tensor.empty() ? std::string("a variable") : readable(access.tensor);
  if (access.argument) text += fmt::format(" (argument {})", *access.argument);
  if (!access.shape.empty()) text += fmt::format(", {}{}", access.dtype, text_of(access.shape));
  if (!access.region.empty()) text += fmt::format(", region {}", access.region);
  return text;
}

std::string element_text(const Access& access) {
  std::string text;
  if (access.index) text = text_of(*access.index);
  if (access.byte_offset) text += fmt::format("{}byte {}", text.empty() ? "" : ", ", *access.byte_offset);
  if (const u64 outside = bytes_across_end(access)) {
    text += fmt::format(", the last {} of {} past the end", outside, bytes_text(i64(access.bytes)));
  } else if (access.bytes_past_end) {
    text += *access.bytes_past_end == 0 ? ", the first byte past the end"
                                        : fmt::format(", {} past the end", bytes_text(*access.bytes_past_end));
  }
  if (access.bytes_before_start) text += fmt::format(", {} before the start", bytes_text(*access.bytes_before_start));
  return text;
}

// Findings about a whole output count its elements, and their message says so.
std::string seen_text(const Finding& finding) {
  const Occurrences& seen = finding.occurrences;
  if (finding.rule == Rule::OutputMismatch || finding.rule == Rule::OutputNotWritten) return "";
  if (seen.accesses <= 1 && seen.cases <= 1) return "";
  std::string text = seen.accesses ? counted(seen.accesses, "time") : std::string();
  if (seen.at_least) text = "at least " + text;
  if (seen.threads) text += ", " + counted(seen.threads, "thread");
  if (seen.blocks) text += ", " + counted(seen.blocks, "block");
  if (seen.cases > 1) text += (text.empty() ? "in " : ", ") + counted(seen.cases, case_noun(finding));
  return text;
}

// "0, 2 to 7".
std::string ranks_text(const std::vector<u32>& ranks) {
  std::string text;
  for (size_t first = 0, last = 0; first < ranks.size(); first = ++last) {
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", ranks[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : " to ", ranks[last]);
  }
  return text;
}

std::string numbers_text(const Numbers& numbers) {
  std::string text;
  const auto add = [&](const char* word, const std::optional<double>& value) {
    if (value) text += fmt::format("{}{} {:.9g}", text.empty() ? "" : ", ", word, *value);
  };
  add("got", numbers.got);
  add("expected", numbers.expected);
  if (numbers.got && numbers.expected && std::isfinite(*numbers.got - *numbers.expected)) {
    text += fmt::format(", differ by {:.3g}", std::abs(*numbers.got - *numbers.expected));
  }
  if (numbers.bound) text += fmt::format(", allowed {:.3g}", *numbers.bound);
  if (numbers.index) text += ", at " + text_of(*numbers.index);
  return text;
}

}  // namespace

std::string sentences_of(const Finding& finding) {
  std::string text = finding.message + ".";
  if (finding.cause) {
    if (finding.cause->text != finding.message) text += " Cause: " + finding.cause->text + ".";
    if (!finding.cause->advice.empty()) text += " To do: " + finding.cause->advice + ".";
  }
  if (!finding.replay.empty()) text += " See it again: " + finding.replay;
  return text;
}

// A program's launches have no other name.
std::string_view case_noun(const Finding& finding) { return finding.case_text.empty() ? "launch" : "case"; }

std::string counted(u64 count, std::string_view word) {
  const std::string_view several = word.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : several);
}

const std::string& kernel_of(const Finding& finding) {
  return finding.kernel_name.empty() ? finding.kernel_entry : finding.kernel_name;
}

std::string location_text(const FindingLocation& location) {
  return location.file.empty() ? file_and_line(location.ptx_file, location.ptx_line, 0)
                               : file_and_line(location.file, location.line, location.column);
}

std::string location_text(const SourcePosition& position) {
  return file_and_line(position.file, position.line, position.column);
}

std::vector<std::string> inlining_of(const FindingLocation& location) {
  std::vector<std::string> out;
  // The chain starts with the location itself: its function is the one that was inlined at the next position.
  for (size_t n = 1; n < location.inlined.size(); ++n) {
    const std::string& function = location.inlined[n - 1].function;
    out.push_back((function.empty() ? "" : readable(function) + ", ") + "inlined at " +
                  location_text(location.inlined[n]));
  }
  return out;
}

std::vector<Fact> facts_of(const Finding& finding) {
  std::vector<Fact> facts;
  const auto add = [&](const char* label, const std::string& text, const std::string& remark = "") {
    if (!text.empty()) facts.push_back({label, text, remark});
  };
  if (const auto& location = finding.location) {
    add("executed", location->instruction, location->ptx_line ? fmt::format("(PTX line {})", location->ptx_line) : "");
  }
  if (finding.access) {
    add("tensor", tensor_text(*finding.access));
    add("element", element_text(*finding.access));
  }
  if (finding.thread) add("thread", thread_text(*finding.thread));
  const std::string where = finding.other_location ? " at " + location_text(*finding.other_location) : "";
  if (finding.other_thread)
    add("and", thread_text(*finding.other_thread) + where);
  else if (finding.rule == Rule::SharedRace && finding.other_location)
    add("and", "several threads" + where);
  add("seen", seen_text(finding));
  add(finding.occurrences.ranks.size() == 1 ? "rank" : "ranks", ranks_text(finding.occurrences.ranks));
  if (finding.numbers) add("numbers", numbers_text(*finding.numbers));
  return facts;
}

}  // namespace ropewalk::reports
