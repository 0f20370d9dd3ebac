#include "tools/fuzz/saved_campaign.h"

#include <fmt/format.h>

#include <filesystem>

#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "lib/families/families.h"
#include "reports/file.h"
#include "reports/json.h"

namespace ropewalk::tools {
namespace {

using Written = nlohmann::ordered_json;

constexpr const char* schema = "ropewalk.campaign/1";
constexpr u64 most = u64(1) << 62;

}  // namespace

std::string saved_campaign_path(const std::string& folder, u64 shard_index, u64 shard_count) {
  const std::string part = shard_count > 1 ? fmt::format("-{}-of-{}", shard_index, shard_count) : "";
  return fmt::format("{}/campaign{}.state", folder, part);
}

// A line with what a report does not have, and below it a report of what is done.
void write_saved_campaign(const std::string& path, const SavedCampaign& campaign) {
  const campaign::State& state = campaign.state;
  Written corpus = Written::array(), first_cases = Written::array(), not_run = Written::array();
  for (const campaign::SavedCase& one : campaign.corpus) corpus.push_back({one.kernel, one.problem, one.blocks});
  for (const campaign::FirstCase& one : state.first_cases)
    first_cases.push_back({one.subject, text_of(one.problem), one.blocks});
  for (const auto& one : state.result.not_run) not_run.push_back({one.case_text, one.reason, one.replay, one.cases});
  const Written head = {{"schema", schema},
                        {"options", campaign.options},
                        {"next", state.next},
                        {"seconds", state.seconds},
                        {"rejected", state.result.rejected},
                        {"enough", state.result.enough},
                        {"own", campaign.own},
                        {"corpus", corpus},
                        {"first_cases", first_cases},
                        {"not_run", not_run}};
  reports::Report report;
  report.summary.cases = state.result.cases;
  report.summary.passed = state.result.passed;
  report.coverage.blocks = state.result.blocks;
  report.coverage.blocks_total = state.result.blocks_total;
  report.notes = state.result.notes;
  report.findings = state.result.findings;
  report.campaign.emplace();
  report.campaign->coverage = state.result.coverage;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  reports::write_file_atomically(path, head.dump() + "\n" + reports::json_of(report));
}

void remove_unfinished(const std::string& path) {
  namespace files = std::filesystem;
  const std::string name = files::path(path).filename().string() + ".";
  std::error_code ignored;
  for (const auto& entry : files::directory_iterator(files::path(path).parent_path(), ignored)) {
    const std::string other = entry.path().filename().string();
    if (other.starts_with(name) && other.size() == name.size() + 6) files::remove(entry.path(), ignored);
  }
}

std::optional<SavedCampaign> read_saved_campaign(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const MappedFile file(path);
  const std::string_view text = file.text();
  const size_t line = std::min(text.find('\n'), text.size());
  const JsonCursor head(parse_json(text.substr(0, line), path), path);
  head.expect_schema(schema);
  reports::Report report = reports::parse_json_report(text.substr(line), path);
  SavedCampaign campaign;
  head.read("options", campaign.options);
  for (const JsonCursor& one : head.at("own").elements()) campaign.own.insert(one.text());
  for (const JsonCursor& one : head.at("corpus").elements()) {
    campaign.corpus.push_back({one.element(0).text(), one.element(1).text(), one.element(2).natural(0, most)});
  }
  campaign::State& state = campaign.state;
  head.read("next", state.next);
  head.read("seconds", state.seconds);
  for (const JsonCursor& one : head.at("first_cases").elements()) {
    state.first_cases.push_back({one.element(0).natural(0, most), families::parse_problem(one.element(1).text()),
                                 one.element(2).natural(0, most)});
  }
  campaign::Result& result = state.result;
  for (const JsonCursor& one : head.at("not_run").elements()) {
    result.not_run.push_back(
        {one.element(0).text(), one.element(1).text(), one.element(2).text(), one.element(3).natural(0, most)});
  }
  head.read("rejected", result.rejected);
  head.read("enough", result.enough);
  result.cases = report.summary.cases;
  result.passed = report.summary.passed;
  result.blocks = report.coverage.blocks;
  result.blocks_total = report.coverage.blocks_total;
  result.notes = std::move(report.notes);
  result.findings = std::move(report.findings);
  if (report.campaign) result.coverage = std::move(report.campaign->coverage);
  if (state.first_cases.size() != result.findings.size()) {
    throw InputError(InputLocation{path}, fmt::format("has {} findings and the cases of {}", result.findings.size(),
                                                      state.first_cases.size()));
  }
  return campaign;
}

}  // namespace ropewalk::tools
