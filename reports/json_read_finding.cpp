#include <algorithm>

#include "reports/json_finding.h"
#include "reports/json_values.h"

namespace ropewalk::reports {
namespace {

FindingLocation read_location(const JsonCursor& node) {
  FindingLocation location;
  node.read_if("file", location.file);
  node.read_if("line", location.line);
  node.read_if("column", location.column);
  node.read_if("ptx_file", location.ptx_file);
  node.read_if("ptx_line", location.ptx_line);
  node.read_if("instruction", location.instruction);
  for (const JsonCursor& item : list_of(node, "inlined")) {
    auto& inlined = location.inlined.emplace_back();
    item.read_if("file", inlined.file);
    item.read_if("line", inlined.line);
    item.read_if("column", inlined.column);
    item.read_if("function", inlined.function);
  }
  return location;
}

Access read_access(const JsonCursor& node) {
  Access access;
  node.read_if("space", access.space);
  node.read_if("bytes", access.bytes);
  node.read_if("tensor", access.tensor);
  node.read_if("argument", access.argument);
  node.read_if("index", access.index);
  node.read_if("shape", access.shape);
  node.read_if("dtype", access.dtype);
  node.read_if("byte_offset", access.byte_offset);
  node.read_if("bytes_past_end", access.bytes_past_end);
  node.read_if("bytes_before_start", access.bytes_before_start);
  node.read_if("field", access.region);
  return access;
}

ThreadId read_thread(const JsonCursor& node) {
  ThreadId id;
  const auto fill = [&](const char* key, u32(&into)[3]) {
    const std::vector<JsonCursor> values = node.at(key).elements(3, "three numbers");
    for (u32 n = 0; n < 3; ++n) values[n].read(into[n]);
  };
  fill("block", id.block);
  fill("thread", id.thread);
  return id;
}

void read_circumstances(const JsonCursor& node, Finding& finding) {
  if (node.has_value("location")) finding.location = read_location(node.at("location"));
  if (node.has_value("other_location")) finding.other_location = read_location(node.at("other_location"));
  if (node.has_value("access")) finding.access = read_access(node.at("access"));
  if (node.has_value("thread")) finding.thread = read_thread(node.at("thread"));
  if (node.has_value("other_thread")) finding.other_thread = read_thread(node.at("other_thread"));
  if (node.has_value("occurrences")) {
    const JsonCursor counts = node.at("occurrences");
    counts.read_if("accesses", finding.occurrences.accesses);
    counts.read_if("threads", finding.occurrences.threads);
    counts.read_if("blocks", finding.occurrences.blocks);
    counts.read_if("cases", finding.occurrences.cases);
    counts.read_if("at_least", finding.occurrences.at_least);
    counts.read_if("ranks", finding.occurrences.ranks);
  }
}

void read_explanation(const JsonCursor& node, Finding& finding) {
  if (node.has_value("numbers")) {
    const JsonCursor numbers = node.at("numbers");
    finding.numbers = Numbers{
        optional_number(numbers, "got"), optional_number(numbers, "expected"), optional_number(numbers, "bound"), {}};
    numbers.read_if("index", finding.numbers->index);
  }
  if (node.has_value("cause")) {
    const JsonCursor from = node.at("cause");
    Cause& cause = finding.cause.emplace();
    from.read("id", cause.id);
    from.read_if("text", cause.text);
    from.read_if("evidence", cause.evidence);
    from.read_if("advice", cause.advice);
  }
  node.read_if("evidence", finding.evidence);
  if (node.has_value("footprint")) {
    const JsonCursor print = node.at("footprint");
    print.read_if("tensor", finding.footprint.tensor);
    print.read_if("shape", finding.footprint.shape);
    print.read_if("elements", finding.footprint.elements);
    const std::vector<i64>& elements = finding.footprint.elements;
    if (!std::is_sorted(elements.begin(), elements.end())) print.at("elements").fail("expected ascending numbers");
    print.read_if("complete", finding.footprint.complete);
  }
}

Waiver read_waiver(const JsonCursor& node) {
  Waiver waiver{named(node.at("by"), {Waiver::By::Baseline, Waiver::By::Suppression}, "waiver"), ""};
  node.read_if("reason", waiver.reason);
  return waiver;
}

}  // namespace

Finding read_finding(const JsonCursor& node) {
  Finding finding;
  node.read("id", finding.id);
  node.read_if("shared_id", finding.shared_id);
  const JsonCursor rule = node.at("rule");
  const std::optional<Rule> known = rule_named(rule.text());
  if (!known) rule.fail("no rule is named " + rule.description());
  finding.rule = *known;
  finding.severity = named(node.at("severity"), {Severity::Error, Severity::Warning, Severity::Note}, "severity");
  node.read("message", finding.message);
  if (node.has_value("kernel")) {
    const JsonCursor kernel = node.at("kernel");
    kernel.read_if("name", finding.kernel_name);
    kernel.read_if("entry", finding.kernel_entry);
    kernel.read_if("ptx_hash", finding.ptx_hash);
  }
  if (node.has_value("excused")) finding.waiver = read_waiver(node.at("excused"));
  read_circumstances(node, finding);
  read_explanation(node, finding);
  node.read_if("case", finding.case_text);
  node.read_if("minimal_case", finding.minimal_case);
  node.read_if("replay", finding.replay);
  node.read_if("case_number", finding.case_number);
  node.read_if("related", finding.related);
  return finding;
}

}  // namespace ropewalk::reports
