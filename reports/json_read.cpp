#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "lib/base/error.h"
#include "reports/json.h"
#include "reports/json_campaign.h"

namespace ropewalk {
namespace {

using Json = nlohmann::json;

// One JSON value with its place, for messages.
struct Node {
  const Json& json;
  const std::string& file;
  std::string field;

  [[noreturn]] void fail(const std::string& what) const { throw InputError(Place{file, 0, 0, field}, what); }
  [[noreturn]] void wrong_type(const char* expected) const {
    fail(std::string("expected ") + expected + ", found " + json.type_name());
  }

  Node at(const char* key) const {
    if (!json.is_object()) wrong_type("an object");
    const auto found = json.find(key);
    if (found == json.end()) fail(std::string("the key \"") + key + "\" is missing");
    return {*found, file, field.empty() ? key : field + "." + key};
  }
  bool has(const char* key) const {
    if (!json.is_object()) wrong_type("an object");
    const auto found = json.find(key);
    return found != json.end() && !found->is_null();
  }
  template <class Visit>
  void each_member(Visit visit) const {
    if (!json.is_object()) wrong_type("an object");
    for (const auto& item : json.items()) visit(item.key(), Node{item.value(), file, field + "." + item.key()});
  }
  bool boolean() const {
    if (!json.is_boolean()) wrong_type("true or false");
    return json.get<bool>();
  }
  std::string text() const {
    if (!json.is_string()) wrong_type("a string");
    return json.get<std::string>();
  }
  template <class T>
  T integer() const {
    if (!json.is_number_integer()) wrong_type("an integer");
    if (json.is_number_unsigned()) {
      const u64 value = json.get<u64>();
      if (value > u64(std::numeric_limits<T>::max())) fail("the number " + json.dump() + " is too large");
      return T(value);
    }
    const i64 value = json.get<i64>();
    if (std::is_unsigned_v<T> && value < 0) fail("the number " + json.dump() + " is negative");
    return T(value);
  }
  double number() const {
    if (json.is_string()) {
      const std::string word = json.get<std::string>();
      if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
      if (word == "Infinity") return std::numeric_limits<double>::infinity();
      if (word == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    if (!json.is_number()) wrong_type("a number");
    return json.get<double>();
  }
  template <class Visit>
  void each(Visit visit) const {
    if (!json.is_array()) wrong_type("an array");
    for (size_t n = 0; n < json.size(); ++n) visit(Node{json[n], file, field + "[" + std::to_string(n) + "]"});
  }
};

std::string optional_text(const Node& node, const char* key) { return node.has(key) ? node.at(key).text() : ""; }

template <class T>
std::optional<T> optional_integer(const Node& node, const char* key) {
  if (!node.has(key)) return std::nullopt;
  return node.at(key).integer<T>();
}

std::optional<double> optional_number(const Node& node, const char* key) {
  if (!node.has(key)) return std::nullopt;
  return node.at(key).number();
}

std::vector<std::string> texts(const Node& node, const char* key) {
  std::vector<std::string> out;
  if (node.has(key)) node.at(key).each([&](const Node& item) { out.push_back(item.text()); });
  return out;
}

std::vector<i64> integers(const Node& node, const char* key) {
  std::vector<i64> out;
  if (node.has(key)) node.at(key).each([&](const Node& item) { out.push_back(item.integer<i64>()); });
  return out;
}

std::optional<std::vector<i64>> optional_integers(const Node& node, const char* key) {
  if (!node.has(key)) return std::nullopt;
  return integers(node, key);
}

FindingLocation read_location(const Node& node) {
  FindingLocation location;
  location.file = optional_text(node, "file");
  location.line = optional_integer<u64>(node, "line").value_or(0);
  location.column = optional_integer<u64>(node, "column").value_or(0);
  location.ptx_file = optional_text(node, "ptx_file");
  location.ptx_line = optional_integer<u64>(node, "ptx_line").value_or(0);
  location.instruction = optional_text(node, "instruction");
  if (node.has("inlined")) {
    node.at("inlined").each([&](const Node& item) {
      location.inlined.push_back({optional_text(item, "file"), optional_integer<u64>(item, "line").value_or(0),
                                  optional_integer<u64>(item, "column").value_or(0), optional_text(item, "function")});
    });
  }
  return location;
}

Access read_access(const Node& node) {
  Access access;
  access.space = optional_text(node, "space");
  access.bytes = optional_integer<u64>(node, "bytes").value_or(0);
  access.tensor = optional_text(node, "tensor");
  access.argument = optional_integer<i64>(node, "argument");
  access.index = optional_integers(node, "index");
  access.shape = integers(node, "shape");
  access.dtype = optional_text(node, "dtype");
  access.byte_offset = optional_integer<i64>(node, "byte_offset");
  access.bytes_past_end = optional_integer<i64>(node, "bytes_past_end");
  access.bytes_before_start = optional_integer<i64>(node, "bytes_before_start");
  access.field = optional_text(node, "field");
  return access;
}

ThreadId read_thread(const Node& node) {
  ThreadId id;
  const auto fill = [&](const char* key, u32(&into)[3]) {
    const std::vector<i64> values = integers(node, key);
    if (values.size() != 3) node.at(key).fail("expected three numbers, found " + std::to_string(values.size()));
    for (u32 n = 0; n < 3; ++n) {
      if (values[n] < 0 || values[n] > i64(std::numeric_limits<u32>::max()))
        node.at(key).fail("expected numbers from 0 to 4294967295, found " + std::to_string(values[n]));
      into[n] = u32(values[n]);
    }
  };
  fill("block", id.block);
  fill("thread", id.thread);
  return id;
}

Severity severity_of(const Node& node) {
  const std::string name = node.text();
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    if (name_of(severity) == name) return severity;
  }
  node.fail("expected error, warning or note, found \"" + name + "\"");
}

void read_circumstances(const Node& node, Finding& finding) {
  if (node.has("location")) finding.location = read_location(node.at("location"));
  if (node.has("other_location")) finding.other_location = read_location(node.at("other_location"));
  if (node.has("access")) finding.access = read_access(node.at("access"));
  if (node.has("thread")) finding.thread = read_thread(node.at("thread"));
  if (node.has("other_thread")) finding.other_thread = read_thread(node.at("other_thread"));
  if (node.has("occurrences")) {
    const Node counts = node.at("occurrences");
    finding.occurrences = {
        optional_integer<u64>(counts, "accesses").value_or(0), optional_integer<u64>(counts, "threads").value_or(0),
        optional_integer<u64>(counts, "blocks").value_or(0), optional_integer<u64>(counts, "cases").value_or(1),
        counts.has("at_least") && counts.at("at_least").boolean()};
  }
}

void read_explanation(const Node& node, Finding& finding) {
  if (node.has("numbers")) {
    const Node numbers = node.at("numbers");
    finding.numbers = Numbers{optional_number(numbers, "got"), optional_number(numbers, "expected"),
                              optional_number(numbers, "bound"), optional_integers(numbers, "index")};
  }
  if (node.has("cause")) {
    const Node cause = node.at("cause");
    finding.cause = Cause{cause.at("id").text(), optional_text(cause, "text"), texts(cause, "evidence"),
                          optional_text(cause, "advice")};
  }
  finding.evidence = texts(node, "evidence");
  if (node.has("footprint")) {
    const Node print = node.at("footprint");
    finding.footprint = {optional_text(print, "tensor"), integers(print, "shape"), integers(print, "elements"),
                         !print.has("complete") || print.at("complete").json == Json(true)};
  }
}

Waiver read_waiver(const Node& node) {
  const std::string by = node.at("by").text();
  for (const Waiver::By one : {Waiver::By::Baseline, Waiver::By::Suppression}) {
    if (name_of(one) == by) return {one, optional_text(node, "reason")};
  }
  node.at("by").fail("expected baseline or suppression, found \"" + by + "\"");
}

SourceExcerpts read_sources(const Node& node) {
  SourceExcerpts sources;
  node.each_member([&](const std::string& file, const Node& lines) {
    lines.each_member([&](const std::string& number, const Node& text) {
      u64 line = 0;
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), line);
      if (error != std::errc() || end != number.data() + number.size() || line == 0)
        text.fail("expected the number of a line as the key, found \"" + number + "\"");
      sources[file][line] = text.text();
    });
  });
  return sources;
}

Finding read_finding(const Node& node) {
  Finding finding;
  finding.id = node.at("id").text();
  finding.shared_id = optional_text(node, "shared_id");
  const std::string rule = node.at("rule").text();
  const std::optional<Rule> known = rule_named(rule);
  if (!known) node.at("rule").fail("no rule is named \"" + rule + "\"");
  finding.rule = *known;
  finding.severity = severity_of(node.at("severity"));
  finding.message = node.at("message").text();
  if (node.has("kernel")) {
    finding.kernel_name = optional_text(node.at("kernel"), "name");
    finding.kernel_entry = optional_text(node.at("kernel"), "entry");
    finding.ptx_hash = optional_text(node.at("kernel"), "ptx_hash");
  }
  if (node.has("excused")) finding.waiver = read_waiver(node.at("excused"));
  read_circumstances(node, finding);
  read_explanation(node, finding);
  finding.case_text = optional_text(node, "case");
  finding.minimal_case = optional_text(node, "minimal_case");
  finding.replay = optional_text(node, "replay");
  finding.case_number = optional_integer<u64>(node, "case_number");
  finding.related = texts(node, "related");
  return finding;
}

Summary read_summary(const Node& node) {
  Summary summary;
  summary.cases = node.at("cases").integer<u64>();
  summary.passed = node.at("passed").integer<u64>();
  summary.findings = node.at("findings").integer<u64>();
  summary.not_run = node.at("not_run").integer<u64>();
  const std::string name = node.at("verdict").text();
  const std::optional<Verdict> verdict = verdict_named(name);
  if (!verdict) node.at("verdict").fail("expected clean, findings or not-run, found \"" + name + "\"");
  summary.verdict = *verdict;
  return summary;
}

// 1-based line of the byte that a parse error names.
u64 line_of(std::string_view text, size_t byte) {
  u64 line = 1;
  for (size_t n = 0; n + 1 < byte && n < text.size(); ++n) line += text[n] == '\n';
  return line;
}

CaseOnDevice read_device_run(const Node& node) {
  const auto number = [&](const char* key) { return u32(optional_integer<u64>(node, key).value_or(0)); };
  const auto dimensions = [&](const char* key) {
    std::vector<i64> sizes = integers(node, key);
    sizes.resize(3, 1);
    return Dim3{u32(sizes[0]), u32(sizes[1]), u32(sizes[2])};
  };
  CaseOnDevice out;
  out.case_text = optional_text(node, "case");
  out.run = {optional_text(node, "kernel"),     dimensions("grid"),
             dimensions("block"),               number("registers"),
             number("local_bytes"),             number("static_shared_bytes"),
             number("dynamic_shared_bytes"),    number("device"),
             number("stream"),                  optional_integer<u64>(node, "start_ns").value_or(0),
             optional_integer<u64>(node, "end_ns").value_or(0)};
  return out;
}

}  // namespace

Report parse_json_report(std::string_view text, const std::string& path) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(Place{path, line_of(text, error.byte), 0, ""}, "this is not JSON");
  }
  const Node root{json, path, ""};
  const std::string schema = root.at("schema").text();
  if (schema != "ropewalk.report/1") {
    root.at("schema").fail("expected \"ropewalk.report/1\", found \"" + schema + "\"");
  }
  Report report;
  report.tool = root.at("tool").at("name").text();
  report.version = optional_text(root.at("tool"), "version");
  report.command = optional_text(root, "command");
  report.seed = optional_integer<u64>(root, "seed").value_or(0);
  report.executor = optional_text(root, "executor");
  report.strict = root.has("strict") && root.at("strict").boolean();
  report.duration_s = optional_number(root, "duration_s").value_or(0);
  report.summary = read_summary(root.at("summary"));
  if (root.has("coverage")) {
    const Node coverage = root.at("coverage");
    report.coverage = {optional_integer<u64>(coverage, "blocks").value_or(0),
                       optional_integer<u64>(coverage, "blocks_total").value_or(0),
                       optional_integer<u64>(coverage, "thread_instructions").value_or(0),
                       texts(coverage, "checks"),
                       {}};
    if (coverage.has("left_out")) {
      coverage.at("left_out").each([&](const Node& item) {
        report.coverage.left_out.push_back({item.at("check").text(), item.at("reason").text()});
      });
    }
  }
  if (root.has("campaign")) {
    report.campaign = read_campaign(*json.find("campaign"), path);
  }
  root.at("findings").each([&](const Node& item) { report.findings.push_back(read_finding(item)); });
  if (root.has("not_run")) {
    root.at("not_run").each([&](const Node& item) {
      report.not_run.push_back(
          {optional_text(item, "case"), optional_text(item, "reason"), optional_text(item, "replay")});
    });
  }
  report.notes = texts(root, "notes");
  report.printed = texts(root, "printed");
  if (root.has("device_runs")) {
    root.at("device_runs").each([&](const Node& item) { report.device_runs.push_back(read_device_run(item)); });
  }
  if (root.has("sources")) report.sources = read_sources(root.at("sources"));
  return report;
}

}  // namespace ropewalk
