#include "tests/lib/machine/launch_cases.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "lib/base/error.h"

namespace ropewalk {

using nlohmann::json;

void PrintTo(const LaunchCase& launch_case, std::ostream* out) { *out << launch_case.path(); }

std::vector<LaunchCase> launch_cases(const std::string& folder) {
  std::ifstream file(std::string(ROPEWALK_SOURCE_DIR) + "/" + folder + "/expected.json");
  if (!file) throw InputError(folder + "/expected.json cannot be read");
  std::vector<LaunchCase> out;
  const json expected = json::parse(file);
  for (const auto& [name, want] : expected.items()) out.push_back({name, folder, want});
  return out;
}

namespace {

template <class Value>
json maybe(const std::optional<Value>& value) {
  return value ? json(*value) : json();
}

// Whether the facts agree with an expectation in what it names of these keys; in all keys where none are given.
bool agrees(const json& facts, const json& want, const std::vector<std::string>& keys) {
  for (const auto& [key, value] : want.items()) {
    const bool asked = keys.empty() || std::find(keys.begin(), keys.end(), key) != keys.end();
    if (asked && (!facts.contains(key) || facts[key] != value)) return false;
  }
  return true;
}

}  // namespace

json facts_of(const Finding& finding) {
  json facts = {{"rule", name_of(finding.rule)}, {"severity", name_of(finding.severity)}};
  if (finding.location) {
    facts["file"] = std::filesystem::path(finding.location->file).filename().string();
    facts["line"] = finding.location->line;
  }
  if (finding.thread) {
    facts["block"] = finding.thread->block;
    facts["thread"] = finding.thread->thread;
  }
  if (finding.other_thread) {
    facts["other_block"] = finding.other_thread->block;
    facts["other_thread"] = finding.other_thread->thread;
  }
  if (!finding.access) return facts;
  const Access& access = *finding.access;
  facts["tensor"] = access.tensor;
  facts["space"] = access.space;
  facts["field"] = access.region;
  facts["argument"] = maybe(access.argument);
  facts["index"] = maybe(access.index);
  facts["byte_offset"] = maybe(access.byte_offset);
  facts["bytes_past_end"] = maybe(access.bytes_past_end);
  facts["bytes_before_start"] = maybe(access.bytes_before_start);
  return facts;
}

std::string complaints(const LaunchCase& launch_case, const std::vector<Finding>& findings) {
  std::string out;
  const json& wanted = launch_case.want["findings"];
  std::vector<json> found;
  for (const Finding& finding : findings) found.push_back(facts_of(finding));
  for (const json& want : wanted) {
    const bool there =
        std::any_of(found.begin(), found.end(), [&](const json& facts) { return agrees(facts, want, {}); });
    if (!there) out += "missing " + want.dump() + "\n";
  }
  for (std::size_t n = 0; n < found.size(); ++n) {
    const bool known = std::any_of(wanted.begin(), wanted.end(), [&](const json& want) {
      return agrees(found[n], want, {"rule", "severity", "line", "tensor"});
    });
    if (!known) out += "not expected: ";
    if (!known || !out.empty()) out += found[n].dump() + " " + findings[n].message + "\n";
  }
  return out;
}

}  // namespace ropewalk
