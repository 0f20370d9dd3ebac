#include "reports/json_campaign.h"

#include <limits>

#include "lib/base/json.h"

namespace ropewalk {
namespace {

constexpr u64 any = std::numeric_limits<i64>::max();

nlohmann::ordered_json coverage_json(const KernelCoverage& coverage) {
  auto tuples = nlohmann::ordered_json::array(), branches = nlohmann::ordered_json::array();
  for (const TupleCoverage& one : coverage.tuples) {
    tuples.push_back({{"strength", one.strength},
                      {"possible", one.possible},
                      {"covered", one.covered()},
                      {"seen", hex_of(one.seen)}});
  }
  for (const BranchSides& branch : coverage.branches) {
    branches.push_back({{"entry", branch.entry},
                        {"ptx_line", branch.ptx_line},
                        {"taken", branch.taken},
                        {"not_taken", branch.not_taken}});
  }
  return {{"kernel", coverage.kernel},
          {"cases", coverage.cases},
          {"tuples", std::move(tuples)},
          {"branches", std::move(branches)}};
}

KernelCoverage read_coverage(const JsonCursor& cursor) {
  KernelCoverage coverage;
  coverage.kernel = cursor.at("kernel").text();
  coverage.cases = cursor.at("cases").natural(0, any);
  for (const JsonCursor& item : cursor.at("tuples").elements()) {
    TupleCoverage tuples;
    tuples.strength = u32(item.at("strength").natural(1, 9));
    tuples.possible = item.at("possible").natural(0, any);
    try {
      tuples.seen = from_hex(item.at("seen").text(), tuples.possible);
    } catch (const InputError& error) {
      item.at("seen").fail(error.what());
    }
    coverage.tuples.push_back(std::move(tuples));
  }
  for (const JsonCursor& item : cursor.at("branches").elements()) {
    coverage.branches.push_back({item.at("entry").text(), u32(item.at("ptx_line").natural(0, 0xffffffffu)),
                                 item.at("taken").boolean(), item.at("not_taken").boolean()});
  }
  return coverage;
}

}  // namespace

nlohmann::ordered_json campaign_json(const CampaignRecord& campaign) {
  auto coverage = nlohmann::ordered_json::array();
  for (const KernelCoverage& one : campaign.coverage) coverage.push_back(coverage_json(one));
  return {{"kernels", campaign.kernels},
          {"budget", campaign.budget},
          {"shard", {{"index", campaign.shard_index}, {"count", campaign.shard_count}}},
          {"stopped", campaign.stopped},
          {"options", campaign.options},
          {"coverage", std::move(coverage)}};
}

CampaignRecord read_campaign(const nlohmann::json& json, const std::string& path) {
  const JsonCursor cursor(json, std::make_shared<const std::string>(path), "campaign");
  CampaignRecord campaign;
  for (const JsonCursor& item : cursor.at("kernels").elements()) campaign.kernels.push_back(item.text());
  campaign.budget = cursor.at("budget").text();
  campaign.shard_count = cursor.at("shard").at("count").natural(1, most_shards);
  campaign.shard_index = cursor.at("shard").at("index").natural(0, campaign.shard_count - 1);
  campaign.stopped = cursor.at("stopped").boolean();
  if (cursor.has("options")) campaign.options = cursor.at("options").text();
  for (const JsonCursor& item : cursor.at("coverage").elements()) campaign.coverage.push_back(read_coverage(item));
  return campaign;
}

}  // namespace ropewalk
