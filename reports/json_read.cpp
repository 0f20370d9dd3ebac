#include <charconv>

#include "lib/base/json.h"
#include "reports/json.h"
#include "reports/json_campaign.h"
#include "reports/json_finding.h"
#include "reports/json_values.h"

namespace ropewalk::reports {
namespace {

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
  root.read_if("merged", report.merged);
  for (const JsonCursor& item : list_of(root, "device_runs")) report.device_runs.push_back(read_device_run(item));
  if (root.has_value("sources")) report.sources = read_sources(root.at("sources"));
  return report;
}

}  // namespace ropewalk::reports
