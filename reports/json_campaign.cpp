#include "reports/json_campaign.h"

#include <limits>
namespace ropewalk::reports {

using campaign::KernelCoverage;

namespace {

constexpr u64 any = std::numeric_limits<i64>::max();

nlohmann::ordered_json coverage_json(const KernelCoverage& coverage) {
  auto tuples = nlohmann::ordered_json::array(), branches = nlohmann::ordered_json::array();
  for (const campaign::TupleCoverage& one : coverage.tuples) {
    tuples.push_back({{"strength", one.strength},
                      {"possible", one.possible},
                      {"covered", one.covered()},
                      {"seen", campaign::hex_of(one.seen)}});
  }
  for (const campaign::BranchSides& branch : coverage.branches) {
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
  cursor.read("kernel", coverage.kernel);
  cursor.read("cases", coverage.cases);
  for (const JsonCursor& item : cursor.at("tuples").elements()) {
    campaign::TupleCoverage tuples;
    item.read("strength", tuples.strength, 1u, 9u);
    item.read("possible", tuples.possible, u64(0), any);
    try {
      tuples.seen = campaign::from_hex(item.at("seen").text(), tuples.possible);
    } catch (const InputError& error) {
      item.at("seen").fail(error.what());
    }
    coverage.tuples.push_back(std::move(tuples));
  }
  for (const JsonCursor& item : cursor.at("branches").elements()) {
    campaign::BranchSides& branch = coverage.branches.emplace_back();
    item.read("entry", branch.entry);
    item.read("ptx_line", branch.ptx_line);
    item.read("taken", branch.taken);
    item.read("not_taken", branch.not_taken);
  }
  return coverage;
}

}  // namespace

nlohmann::ordered_json campaign_json(const campaign::Record& campaign) {
  auto coverage = nlohmann::ordered_json::array();
  for (const KernelCoverage& one : campaign.coverage) coverage.push_back(coverage_json(one));
  return {{"kernels", campaign.kernels},
          {"budget", campaign.budget},
          {"shard", {{"index", campaign.shard_index}, {"count", campaign.shard_count}}},
          {"stopped", campaign.stopped},
          {"options", campaign.options},
          {"coverage", std::move(coverage)}};
}

campaign::Record read_campaign(const JsonCursor& cursor) {
  campaign::Record campaign;
  cursor.read("kernels", campaign.kernels);
  cursor.read("budget", campaign.budget);
  campaign.shard_count = cursor.at("shard").at("count").natural(1, campaign::most_shards);
  campaign.shard_index = cursor.at("shard").at("index").natural(0, campaign.shard_count - 1);
  cursor.read("stopped", campaign.stopped);
  cursor.read_if("options", campaign.options);
  for (const JsonCursor& item : cursor.at("coverage").elements()) campaign.coverage.push_back(read_coverage(item));
  return campaign;
}

}  // namespace ropewalk::reports
