#include <fmt/format.h>

#include "reports/brief.h"
#include "reports/facts.h"
#include "reports/paint.h"
#include "reports/picture.h"
#include "reports/readable.h"
#include "reports/text.h"

namespace ropewalk::reports {
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

// Collects the lines of one finding: a headline, an excerpt, then labelled facts in one column.
class Page {
 public:
  explicit Page(const TextOptions& options) : options_(options), paint_(options.color) {}

  void headline(const Finding& finding) {
    out_ += paint_(ink_of(finding.severity), fmt::format("{}[{}]", name_of(finding.severity), name_of(finding.rule)));
    out_ += paint_(Ink::Bold, ": " + printable(brief(finding.message))) + "\n";
  }

  void add_location(const FindingLocation& location, const std::string& kernel) {
    out_ += "  " + paint_(Ink::Frame, "-->") + " " + printable(location_text(location));
    if (!kernel.empty()) out_ += paint_(Ink::Faint, "  in " + printable(brief(kernel)));
    out_ += "\n";
    excerpt(location);
    for (const std::string& call : inlining_of(location))
      out_ += "        " + paint_(Ink::Faint, printable(brief(call))) + "\n";
  }

  // A fact with its label; later lines are set under the first one.
  void fact(const std::string& label, const std::string& text) {
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

void write_cause(Page& page, const Cause& cause, bool shown) {
  page.fact("cause", page.paint()(Ink::Bold, printable(readable(cause.text))) +
                         page.paint()(Ink::Faint, "  [" + cause.id + "]"));
  if (shown) return;
  for (const std::string& line : cause.evidence) page.more("- " + printable(readable(line)));
  if (!cause.advice.empty()) page.fact("do", printable(cause.advice));
}

}  // namespace

std::string text_of(const Finding& finding, const TextOptions& options, bool cause_shown) {
  Page page(options);
  page.headline(finding);
  if (finding.location) page.add_location(*finding.location, kernel_of(finding));
  // In a header of the system: what of the program led there.
  if (finding.location && finding.location->file.starts_with("/usr/")) {
    if (const std::optional<std::string> line = own_line(finding.evidence)) page.fact("from", printable(brief(*line)));
  }
  for (const Fact& fact : facts_of(finding)) {
    const std::string remark = fact.remark.empty() ? "" : "  " + fact.remark;
    page.fact(fact.label, printable(brief(fact.text)) + page.paint()(Ink::Faint, remark));
  }
  const std::vector<std::string> picture = picture_of(finding.footprint);
  for (size_t n = 0; n < picture.size(); ++n) n == 0 ? page.fact("where", picture[n]) : page.more(picture[n]);
  if (finding.cause) write_cause(page, *finding.cause, cause_shown);
  if (finding.waiver) {
    const bool known = finding.waiver->by == Waiver::By::Baseline;
    page.fact(known ? "known" : "suppressed", printable(finding.waiver->reason));
  }
  for (const std::string& line : brief_stacks(finding.evidence)) page.fact("noted", printable(brief(line)));
  for (const std::string& other : finding.related) page.fact("related", printable(other));
  if (!finding.minimal_case.empty()) page.fact("minimal", printable(finding.minimal_case));
  if (!finding.replay.empty()) page.fact("replay", printable(finding.replay));
  return page.take();
}

}  // namespace ropewalk::reports
