#include <algorithm>
#include <charconv>
#include <limits>

#include "lib/base/json.h"
#include "reports/json.h"
#include "reports/json_campaign.h"

namespace ropewalk {
namespace {

// JSON has no numbers for these.
double number_of(const JsonCursor& node) {
  if (!node.is_text()) return node.finite_number();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double numbers[] = {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity};
  return numbers[node.choice({"NaN", "Infinity", "-Infinity"}, "number")];
}

std::optional<double> optional_number(const JsonCursor& node, const char* key) {
  return node.has_value(key) ? std::optional(number_of(node.at(key))) : std::nullopt;
}

// The member that has this name, of those that an enumeration has.
template <class Value>
Value named(const JsonCursor& node, std::initializer_list<Value> values, const std::string& what) {
  std::vector<std::string> names;
  for (const Value value : values) names.emplace_back(name_of(value));
  return values.begin()[node.choice(names, what)];
}

std::vector<JsonCursor> list_of(const JsonCursor& node, const char* key) {
  return node.has_value(key) ? node.at(key).elements() : std::vector<JsonCursor>();
}

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
  node.read_if("field", access.field);
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

SourceExcerpts read_sources(const JsonCursor& node) {
  SourceExcerpts sources;
  for (const auto& [file, lines] : node.members()) {
    for (const auto& [number, text] : lines.members()) {
      u64 line = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), line);
      if (error != std::errc() || end != number.data() + number.size() || line == 0)
        text.fail("expected the number of a line as the key, found \"" + number + "\"");
      sources[file][line] = text.text();
    }
  }
  return sources;
}

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

Summary read_summary(const JsonCursor& node) {
  Summary summary;
  node.read("cases", summary.cases);
  node.read("passed", summary.passed);
  node.read("findings", summary.findings);
  node.read("not_run", summary.not_run);
  summary.verdict = named(node.at("verdict"), {Verdict::Clean, Verdict::Findings, Verdict::NotRun}, "verdict");
  return summary;
}

CaseOnDevice read_device_run(const JsonCursor& node) {
  CaseOnDevice out;
  DeviceRun& run = out.run;
  const auto dimensions = [&](const char* key, Dim3& into) {
    std::vector<u32> sizes;
    node.read_if(key, sizes);
    sizes.resize(3, 1);
    into = {sizes[0], sizes[1], sizes[2]};
  };
  node.read_if("case", out.case_text);
  node.read_if("kernel", run.kernel);
  dimensions("grid", run.grid);
  dimensions("block", run.block);
  node.read_if("registers", run.registers);
  node.read_if("local_bytes", run.local_bytes);
  node.read_if("static_shared_bytes", run.static_shared_bytes);
  node.read_if("dynamic_shared_bytes", run.dynamic_shared_bytes);
  node.read_if("device", run.device);
  node.read_if("stream", run.stream);
  node.read_if("start_ns", run.start_ns);
  node.read_if("end_ns", run.end_ns);
  return out;
}

}  // namespace

Report parse_json_report(std::string_view text, const std::string& path) {
  const JsonCursor root(parse_json(text, path), path);
  root.expect_schema("ropewalk.report/1");
  Report report;
  root.at("tool").read("name", report.tool);
  root.at("tool").read_if("version", report.version);
  root.read_if("command", report.command);
  root.read_if("seed", report.seed);
  root.read_if("executor", report.executor);
  root.read_if("strict", report.strict);
  report.duration_s = optional_number(root, "duration_s").value_or(0);
  report.summary = read_summary(root.at("summary"));
  if (root.has_value("coverage")) {
    const JsonCursor coverage = root.at("coverage");
    coverage.read_if("blocks", report.coverage.blocks);
    coverage.read_if("blocks_total", report.coverage.blocks_total);
    coverage.read_if("thread_instructions", report.coverage.thread_instructions);
    coverage.read_if("checks", report.coverage.checks);
    for (const JsonCursor& item : list_of(coverage, "left_out")) {
      report.coverage.left_out.push_back({item.at("check").text(), item.at("reason").text()});
    }
  }
  if (root.has_value("campaign")) report.campaign = read_campaign(root.at("campaign"));
  for (const JsonCursor& item : root.at("findings").elements()) report.findings.push_back(read_finding(item));
  for (const JsonCursor& item : list_of(root, "not_run")) {
    NotRunCase& one = report.not_run.emplace_back();
    item.read_if("case", one.case_text);
    item.read_if("reason", one.reason);
    item.read_if("replay", one.replay);
  }
  root.read_if("notes", report.notes);
  root.read_if("printed", report.printed);
  for (const JsonCursor& item : list_of(root, "device_runs")) report.device_runs.push_back(read_device_run(item));
  if (root.has_value("sources")) report.sources = read_sources(root.at("sources"));
  return report;
}

}  // namespace ropewalk
