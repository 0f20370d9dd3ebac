#include "lib/driver/read_record.h"

#include <algorithm>
#include <filesystem>

#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "reports/json_finding.h"

namespace ropewalk::driver {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// An id that is found again stands in the record already.
void add_again(const JsonCursor& fact, std::vector<Finding>& findings) {
  const std::string id = fact.at("id").text();
  const auto known = std::ranges::find_if(findings, [&](const Finding& finding) { return finding.id == id; });
  if (known == findings.end()) fact.fail("no finding has the id " + id);
  u64 times = 0;
  fact.read("times", times);
  known->occurrences.cases += times;
  known->occurrences.at_least = true;  // their accesses are not counted
}

void add_launch(const JsonCursor& fact, ProcessRecord& record) {
  const auto add = [&](const char* key, u64& sum) {
    u64 more = 0;
    fact.read_if(key, more);
    sum += more;
  };
  add("launches", record.launches);
  add("unchecked", record.unchecked);
  add("failed", record.failed_launches);
  add("blocks", record.blocks);
  add("blocks_total", record.blocks_total);
}

void add_fact(const JsonCursor& line, ProcessRecord& record) {
  for (const auto& [kind, fact] : line.members()) {
    if (kind == "process") {
      std::vector<std::string> words;
      fact.read("pid", record.process);
      fact.read_if("command", words);
      record.command = joined(words);
    } else if (kind == "finding") {
      record.findings.push_back(reports::read_finding(fact));
    } else if (kind == "again") {
      add_again(fact, record.findings);
    } else if (kind == "not_run") {
      record.not_run.push_back({fact.at("case").text(), fact.at("reason").text()});
    } else if (kind == "launch") {
      add_launch(fact, record);
    } else if (kind == "host") {
      fact.read("operations", record.host_operations);
    } else if (kind == "unsupported") {
      auto& call = record.unsupported.emplace_back();
      fact.read("function", call.function);
      fact.read_if("caller", call.caller);
    } else if (kind == "failed") {
      auto& call = record.failed.emplace_back();
      fact.read("function", call.function);
      fact.read("error", call.error);
      fact.read_if("caller", call.caller);
    } else if (kind == "note") {
      record.notes.push_back(fact.at("text").text());
    } else if (kind == "end") {
      record.has_ended = true;
    }
  }
}

}  // namespace

ProcessRecord read_record(std::string_view text, const std::string& path) {
  ProcessRecord record;
  u64 number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      record.is_cut = true;
      break;
    }
    const std::string location = path + ":" + std::to_string(++number);
    add_fact(JsonCursor(parse_json(text.substr(0, end), location), location), record);
    text.remove_prefix(end + 1);
  }
  return record;
}

std::vector<ProcessRecord> read_records(const std::string& folder) {
  std::vector<ProcessRecord> out;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".jsonl") continue;
    const MappedFile file(entry.path().string());
    out.push_back(read_record(file.text(), entry.path().string()));
  }
  std::ranges::sort(out, {}, &ProcessRecord::process);
  return out;
}

}  // namespace ropewalk::driver
