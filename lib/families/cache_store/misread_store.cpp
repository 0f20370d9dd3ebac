#include "lib/families/cache_store/misread_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lib/diagnose/touched.h"
#include "lib/families/cache_store/store_readings.h"

namespace ropewalk {
namespace {

const CacheStoreProblem* store_problem(const Scene& scene) {
  return scene.problem ? scene.problem->as<CacheStoreProblem>() : nullptr;
}

constexpr const char* list_advice = "compare slot_mapping and copies with the cache before the launch";

// An entry of a list that the cache has no room for; empty: none.
std::string entry_past_the_end(const CacheStoreProblem& p) {
  const std::vector<i64>& list = p.is_copy() ? p.copies : p.slot_mapping;
  const i64 room = p.is_copy() ? p.pages() : p.pages() * p.tokens_of_page();
  const auto past = std::ranges::find_if(list, [&](i64 entry) { return entry >= room; });
  if (past == list.end()) return "";
  return fmt::format("{}[{}] is {}, there are {} 0 to {}", p.is_copy() ? "copies" : "slot_mapping", past - list.begin(),
                     *past, p.is_copy() ? "pages" : "slots", room - 1);
}

// Rows of the cache (all dimensions but the last) that two write, or one writes and another reads, with what is said of
// them.
std::map<i64, std::string> contested_rows(const CacheStoreProblem& p) {
  std::map<i64, std::string> rows;
  const CacheShape shape = p.shape();
  std::map<i64, u64> first_of;
  for (u64 n = 0; !p.is_copy() && n < p.slot_mapping.size(); ++n) {
    const i64 slot = p.slot_mapping[n];
    const auto [first, is_new] = first_of.try_emplace(slot, n);
    if (slot < 0 || is_new) continue;
    for (i64 head = 0; head < p.heads; ++head) {
      rows.emplace(shape.row_at(slot, head) / p.head_dim,
                   fmt::format("slot_mapping[{}] and slot_mapping[{}] are both {}", first->second, n, slot));
    }
  }
  const i64 rows_of_page = p.page_elements() / p.head_dim;
  for (u64 to = 1; to < p.copies.size(); to += 2) {
    for (u64 n = 0; n < p.copies.size(); ++n) {
      if (n == to || p.copies[n] != p.copies[to]) continue;
      for (i64 row = 0; row < rows_of_page; ++row) {
        rows.emplace(p.copies[to] * rows_of_page + row,
                     fmt::format("page {} is written by pair {} and {} by pair {}", p.copies[to], to / 2,
                                 n % 2 ? "written" : "read", n / 2));
      }
    }
  }
  return rows;
}

}  // namespace

std::optional<Cause> misread_store(const Finding& finding, const Scene& scene) {
  const CacheStoreProblem* problem = store_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!problem || !tensor || !is_stray(finding) || !is_small_store(*problem)) return std::nullopt;
  const Seen seen = seen_of(*tensor, scene);
  std::vector<StoreReading> readings = wrong_stores(*problem);
  if (const std::string past = entry_past_the_end(*problem); !past.empty()) {
    readings = {right_store(*problem)};
    readings[0].cause = problem->is_copy() ? "copied-pages" : "slot-mapping";
    readings[0].text = past;
    readings[0].advice = list_advice;
  }
  std::optional<Cause> cause;
  for (const StoreReading& reading : readings) {
    if (!explains(touched_by(reading, *tensor, *problem), seen)) continue;
    if (cause && cause->id != reading.cause) return std::nullopt;
    if (cause) continue;
    cause = Cause{reading.cause,
                  reading.text,
                  {fmt::format("read so, exactly the {} elements are touched that are none of {}, or that no token "
                               "or page has there",
                               seen.strays.size(), tensor->name)},
                  reading.advice};
  }
  return cause;
}

std::optional<Cause> shared_slot(const Finding& finding, const Scene& scene) {
  const CacheStoreProblem* problem = store_problem(scene);
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (!problem || !tensor || finding.rule != Rule::GlobalRace || finding.footprint.elements.empty() ||
      !is_small_store(*problem)) {
    return std::nullopt;
  }
  const std::map<i64, std::string> contested = contested_rows(*problem);
  std::string text;
  for (const i64 element : finding.footprint.elements) {
    const auto row = contested.find(element / tensor->shape.back());
    if (row == contested.end()) return std::nullopt;
    if (text.empty()) text = row->second;
  }
  return Cause{problem->is_copy() ? "copied-pages" : "slot-mapping",
               text,
               {fmt::format("all {} elements of {} that threads race for are there", finding.footprint.elements.size(),
                            tensor->name)},
               list_advice};
}

}  // namespace ropewalk
