#include "lib/finding/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace ropewalk {
namespace {

Finding* find_same(std::vector<Finding>& findings, const Finding& finding) {
  const auto known =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& one) { return same_defect(one, finding); });
  return known == findings.end() ? nullptr : &*known;
}

// Blocks and threads in the order of their numbers: x is the fastest.
bool is_before(const Finding& a, const Finding& b) {
  if (!a.thread || !b.thread) return false;
  const auto key = [](const ThreadId& id) {
    return std::make_tuple(id.block[2], id.block[1], id.block[0], id.thread[2], id.thread[1], id.thread[0]);
  };
  return key(*a.thread) < key(*b.thread);
}

void add_elements(Footprint& footprint, const Footprint& more) {
  if (footprint.tensor != more.tensor || footprint.shape != more.shape) return;
  // Of an element that both have, the larger error counts; where one of them has none, none are kept.
  const bool has_errors =
      footprint.errors.size() == footprint.elements.size() && more.errors.size() == more.elements.size();
  std::map<i64, float> all;
  const auto add = [&](const Footprint& some) {
    for (u64 n = 0; n < some.elements.size(); ++n) {
      float& error = all[some.elements[n]];
      if (has_errors) error = std::max(error, some.errors[n]);
    }
  };
  add(footprint);
  add(more);
  footprint.elements.clear();
  footprint.errors.clear();
  for (const auto& [element, error] : all) {
    footprint.elements.push_back(element);
    if (has_errors) footprint.errors.push_back(error);
  }
  footprint.complete = footprint.complete && more.complete;
}

}  // namespace

std::string defect_key(const Finding& finding) {
  const std::string cause = finding.cause ? finding.cause->id : "";
  // One cause makes several events of an order fail, each in its own way.
  const std::string event = finding.rule == Rule::InitOrder ? finding.message : "";
  return fmt::format("{} {} {} {} {}", defect_id(finding), int(finding.rule), int(finding.severity), cause, event);
}

bool same_defect(const Finding& a, const Finding& b) { return defect_key(a) == defect_key(b); }

std::vector<Finding> merged_in_case(std::vector<Finding> findings) {
  std::vector<Finding> merged;
  for (Finding& finding : findings) {
    Finding* const known = find_same(merged, finding);
    if (!known) {
      merged.push_back(std::move(finding));
      continue;
    }
    // What races across blocks no barrier of a block orders.
    const bool is_first =
        finding.across_blocks == known->across_blocks ? is_before(finding, *known) : finding.across_blocks;
    if (is_first) std::swap(finding, *known);
    known->occurrences.accesses += finding.occurrences.accesses;
    known->occurrences.at_least |= finding.occurrences.at_least;
    known->occurrences.threads = std::max(known->occurrences.threads, finding.occurrences.threads);
    known->occurrences.blocks = std::max(known->occurrences.blocks, finding.occurrences.blocks);
    add_elements(known->footprint, finding.footprint);
  }
  return merged;
}

void make_ids_unique(std::vector<Finding>& findings) {
  std::set<std::string> taken;
  for (Finding& finding : findings) {
    if (!finding.shared_id.empty()) finding.id = std::exchange(finding.shared_id, "");
    if (finding.id.empty()) continue;
    if (taken.insert(finding.id).second) continue;
    std::string own;
    u64 n = 0;
    do {
      own = own_id(finding, n++);
    } while (!taken.insert(own).second);
    finding.shared_id = std::exchange(finding.id, own);
  }
}

void merge_case(std::vector<Finding>& findings, Finding&& finding) {
  Finding* const known = find_same(findings, finding);
  if (!known) {
    findings.push_back(std::move(finding));
    return;
  }
  if (finding.case_number && known->case_number && *finding.case_number < *known->case_number) {
    std::swap(finding, *known);
  }
  known->occurrences.accesses += finding.occurrences.accesses;
  known->occurrences.threads += finding.occurrences.threads;
  known->occurrences.blocks += finding.occurrences.blocks;
  known->occurrences.cases += finding.occurrences.cases;
  known->occurrences.at_least |= finding.occurrences.at_least;
  std::set<u32> ranks(known->occurrences.ranks.begin(), known->occurrences.ranks.end());
  ranks.insert(finding.occurrences.ranks.begin(), finding.occurrences.ranks.end());
  known->occurrences.ranks.assign(ranks.begin(), ranks.end());
}

}  // namespace ropewalk
