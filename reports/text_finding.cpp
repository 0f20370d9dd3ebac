#include <fmt/format.h>

#include <cmath>

#include "lib/base/shape.h"
#include "reports/paint.h"
#include "reports/picture.h"
#include "reports/readable.h"
#include "reports/text.h"

namespace ropewalk {
namespace {

Ink ink_of(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return Ink::Error;
    case Severity::Warning:
      return Ink::Warning;
    case Severity::Note:
      return Ink::Note;
  }
  return Ink::Plain;
}

std::string plural(u64 count, const char* word) { return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s"); }

// "448 bytes"; a distance that no small slip explains also in GiB.
std::string bytes_text(i64 bytes) {
  if (bytes >= i64{1} << 30) return fmt::format("{} bytes ({:.1f} GiB)", bytes, double(bytes) / double(i64{1} << 30));
  return plural(u64(bytes), "byte");
}

std::string thread_text(const ThreadId& id) {
  return fmt::format("block ({}), thread ({})", fmt::join(id.block, ", "), fmt::join(id.thread, ", "));
}

std::string position_text(const std::string& file, u64 line, u64 column) {
  std::string out = printable(file);
  if (line) out += fmt::format(":{}", line);
  if (line && column) out += fmt::format(":{}", column);
  return out;
}

// Collects the lines of one finding: a headline, an excerpt, then labelled facts in one column.
class Page {
 public:
  explicit Page(const TextOptions& options) : options_(options), paint_(options.color) {}

  void headline(const Finding& finding) {
    out_ += paint_(ink_of(finding.severity), fmt::format("{}[{}]", name_of(finding.severity), name_of(finding.rule)));
    out_ += paint_(Ink::Bold, ": " + printable(readable(finding.message))) + "\n";
  }

  void place(const FindingLocation& location, const std::string& kernel) {
    const std::string where = location.file.empty() ? position_text(location.ptx_file, location.ptx_line, 0)
                                                    : position_text(location.file, location.line, location.column);
    out_ += "  " + paint_(Ink::Frame, "-->") + " " + where;
    if (!kernel.empty()) out_ += paint_(Ink::Faint, "  in " + printable(kernel));
    out_ += "\n";
    excerpt(location);
    // The chain starts with the location itself: its function is the one that was inlined at the next position.
    for (size_t n = 1; n < location.inlined.size(); ++n) {
      const SourcePosition& call = location.inlined[n];
      const std::string& function = location.inlined[n - 1].function;
      const std::string what = function.empty() ? "inlined at " : printable(readable(function)) + ", inlined at ";
      out_ += "        " + paint_(Ink::Faint, what) + position_text(call.file, call.line, call.column) + "\n";
    }
  }

  // A fact with its label; later lines are set under the first one.
  void fact(const char* label, const std::string& text) {
    out_ += "  " + paint_(Ink::Frame, fmt::format("{:<9}", label)) + text + "\n";
  }
  void more(const std::string& text) { out_ += std::string(11, ' ') + text + "\n"; }

  const Paint& paint() const { return paint_; }
  std::string take() { return std::move(out_); }

 private:
  // The source line and a caret under its column.
  void excerpt(const FindingLocation& location) {
    if (!options_.source_lines || location.file.empty()) return;
    const std::optional<std::string> line = options_.source_lines(location.file, location.line);
    if (!line) return;
    const std::string number = fmt::format("{:>5}", location.line);
    const std::string bar = paint_(Ink::Frame, "|");
    out_ += paint_(Ink::Frame, number) + " " + bar + " " + printable(*line) + "\n";
    if (location.column == 0 || location.column > line->size() + 1) return;
    out_ += std::string(number.size(), ' ') + " " + bar + std::string(location.column, ' ') + paint_(Ink::Error, "^") +
            "\n";
  }

  const TextOptions& options_;
  Paint paint_;
  std::string out_;
};

void write_access(Page& page, const Access& access) {
  if (!access.tensor.empty() || !access.shape.empty()) {
    std::string text = access.tensor.empty() ? std::string("a variable") : printable(readable(access.tensor));
    if (access.argument) text += fmt::format(" (argument {})", *access.argument);
    if (!access.shape.empty()) text += fmt::format(", {}{}", access.dtype, text_of(access.shape));
    if (!access.field.empty()) text += fmt::format(", field {}", printable(access.field));
    page.fact("tensor", text);
  }
  std::string text;
  if (access.index) text = text_of(*access.index);
  if (access.byte_offset) text += fmt::format("{}byte {}", text.empty() ? "" : ", ", *access.byte_offset);
  if (access.bytes_past_end) {
    text += *access.bytes_past_end == 0 ? ", the first byte past the end"
                                        : fmt::format(", {} past the end", bytes_text(*access.bytes_past_end));
  }
  if (access.bytes_before_start) text += fmt::format(", {} before the start", bytes_text(*access.bytes_before_start));
  if (!text.empty()) page.fact("element", text);
}

void write_threads(Page& page, const Finding& finding) {
  if (finding.thread) page.fact("thread", thread_text(*finding.thread));
  if (finding.other_thread) {
    std::string text = thread_text(*finding.other_thread);
    if (finding.other_location) {
      const FindingLocation& other = *finding.other_location;
      text += " at " + (other.file.empty() ? position_text(other.ptx_file, other.ptx_line, 0)
                                           : position_text(other.file, other.line, other.column));
    }
    page.fact("and", text);
  }
  // Findings about a whole output count its elements, and their message says so.
  if (finding.rule == Rule::OutputMismatch || finding.rule == Rule::OutputNotWritten) return;
  const Occurrences& seen = finding.occurrences;
  if (seen.accesses <= 1 && seen.cases <= 1) return;
  std::string text = plural(seen.accesses, "time");
  if (seen.threads) text += fmt::format(", {}", plural(seen.threads, "thread"));
  if (seen.blocks) text += fmt::format(", {}", plural(seen.blocks, "block"));
  if (seen.cases > 1) text += fmt::format(", {} cases", seen.cases);
  page.fact("seen", text);
}

void write_numbers(Page& page, const Numbers& numbers) {
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
  if (!text.empty()) page.fact("numbers", text);
}

void write_cause(Page& page, const Cause& cause, bool told) {
  page.fact("cause", page.paint()(Ink::Bold, printable(readable(cause.text))) +
                         page.paint()(Ink::Faint, "  [" + cause.id + "]"));
  if (told) return;
  for (const std::string& line : cause.evidence) page.more("- " + printable(readable(line)));
  if (!cause.advice.empty()) page.fact("do", printable(cause.advice));
}

}  // namespace

std::string text_of(const Finding& finding, const TextOptions& options, bool cause_told) {
  Page page(options);
  page.headline(finding);
  const std::string& kernel = finding.kernel_name.empty() ? finding.kernel_entry : finding.kernel_name;
  if (finding.location) page.place(*finding.location, kernel);
  if (finding.location && !finding.location->instruction.empty()) {
    std::string text = printable(finding.location->instruction);
    if (finding.location->ptx_line)
      text += page.paint()(Ink::Faint, fmt::format("  (PTX line {})", finding.location->ptx_line));
    page.fact("executed", text);
  }
  if (finding.access) write_access(page, *finding.access);
  write_threads(page, finding);
  if (finding.numbers) write_numbers(page, *finding.numbers);
  const std::vector<std::string> picture = picture_of(finding.footprint);
  for (size_t n = 0; n < picture.size(); ++n) n == 0 ? page.fact("where", picture[n]) : page.more(picture[n]);
  if (finding.cause) write_cause(page, *finding.cause, cause_told);
  for (const std::string& line : finding.evidence) page.fact("noted", printable(readable(line)));
  for (const std::string& other : finding.related) page.fact("related", printable(other));
  if (!finding.minimal_case.empty()) page.fact("minimal", printable(finding.minimal_case));
  if (!finding.replay.empty()) page.fact("replay", printable(finding.replay));
  return page.take();
}

}  // namespace ropewalk
