#include "lib/families/cache_store/misread_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/touched.h"
#include "lib/families/cache_store/store_hypotheses.h"

namespace ropewalk::cache_store {
namespace {

const CacheStoreProblem* store_problem(const diagnose::Scene& scene) {
  return scene.problem ? scene.problem->as<CacheStoreProblem>() : nullptr;
}

// An entry of a list that the cache has no room for; empty: none.
std::string entry_past_the_end(const CacheStoreProblem& p) {
  const std::vector<i64>& list = p.is_copy() ? p.copies : p.slot_mapping;
  const i64 room = p.is_copy() ? p.pages() : p.pages() * p.tokens_of_page();
  const auto past = std::ranges::find_if(list, [&](i64 entry) { return entry >= room; });
  if (past == list.end()) return "";
  return fmt::format("{}[{}] is {}, there are {} 0 to {}", p.is_copy() ? "copies" : "slot_mapping", past - list.begin(),
                     *past, p.is_copy() ? "pages" : "slots", room - 1);
}

// A slot that two tokens have, or a page that is written and comes again; empty: none.
std::string entry_that_comes_twice(const CacheStoreProblem& p) {
  const std::vector<i64>& list = p.is_copy() ? p.copies : p.slot_mapping;
  for (u64 n = p.is_copy() ? 1 : 0; n < list.size(); n += p.is_copy() ? 2 : 1) {
    for (u64 other = 0; other < list.size(); ++other) {
      if (other == n || list[other] != list[n] || list[n] < 0) continue;
      if (!p.is_copy()) return fmt::format("slot_mapping[{}] and slot_mapping[{}] are both {}", n, other, list[n]);
      return fmt::format("page {} is written by pair {} and {} by pair {}", list[n], n / 2,
                         other % 2 ? "written" : "read", other / 2);
    }
  }
  return "";
}

// The right hypothesis of a list that is wrong, with what is wrong with it.
StoreHypothesis of_wrong_list(const CacheStoreProblem& problem, const std::string& what) {
  StoreHypothesis hypothesis = right_store(problem);
  hypothesis.cause = problem.is_copy() ? "copied-pages" : "slot-mapping";
  hypothesis.text = what;
  hypothesis.advice = "compare slot_mapping and copies with the cache before the launch";
  return hypothesis;
}

// The cause of the hypotheses that fit, where all that fit are of one.
template <class Fits>
std::optional<Cause> only_cause(const std::vector<StoreHypothesis>& hypotheses, const std::string& evidence,
                                Fits fits) {
  std::optional<Cause> cause;
  for (const StoreHypothesis& hypothesis : hypotheses) {
    if (cause && cause->id == hypothesis.cause) continue;
    if (!fits(hypothesis)) continue;
    if (cause) return std::nullopt;
    cause = Cause{hypothesis.cause, hypothesis.text, {evidence}, hypothesis.advice};
  }
  return cause;
}

// Whether nothing else is touched than what should be, and what is left out is what is not written.
bool explains_what_is_missing(const diagnose::Prediction& prediction, const diagnose::Seen& seen) {
  if (!seen.strays.empty() || !prediction.strays.empty() || seen.unwritten.empty()) return false;
  return seen.complete ? seen.unwritten == prediction.untouched
                       : std::ranges::includes(prediction.untouched, seen.unwritten);
}

}  // namespace

std::optional<Cause> misread_store(const Finding& finding, const diagnose::Scene& scene) {
  const CacheStoreProblem* problem = store_problem(scene);
  const LaunchTensor* tensor = diagnose::tensor_of(finding, scene);
  if (!problem || !tensor || !is_small_store(*problem)) return std::nullopt;
  if (!diagnose::is_stray(finding) && finding.rule != Rule::OutputNotWritten) return std::nullopt;
  const diagnose::Seen seen = diagnose::seen_of(*tensor, scene);
  const std::string past = entry_past_the_end(*problem);
  const std::vector<StoreHypothesis> hypotheses =
      past.empty() ? wrong_stores(*problem) : std::vector{of_wrong_list(*problem, past)};
  const std::string evidence =
      seen.strays.empty()
          ? fmt::format("read so, exactly the {} elements of {} are left out that are not written",
                        seen.unwritten.size(), tensor->name)
          : fmt::format(
                "read so, what is touched outside of {}'s elements, or in rows of no token or page, is exactly "
                "what was: {} elements, a gap counted as one",
                tensor->name, seen.strays.size());
  return only_cause(hypotheses, evidence, [&](const StoreHypothesis& hypothesis) {
    const diagnose::Prediction prediction = touched_by(hypothesis, *tensor, *problem);
    return diagnose::explains(prediction, seen) || explains_what_is_missing(prediction, seen);
  });
}

std::optional<Cause> contested_slots(const Finding& finding, const diagnose::Scene& scene) {
  const CacheStoreProblem* problem = store_problem(scene);
  const LaunchTensor* tensor = diagnose::tensor_of(finding, scene);
  const std::vector<i64>& raced = finding.footprint.elements;
  if (!problem || !tensor || finding.rule != Rule::GlobalRace || raced.empty() || !is_small_store(*problem))
    return std::nullopt;
  const std::string twice = entry_that_comes_twice(*problem);
  const std::vector<StoreHypothesis> hypotheses =
      twice.empty() ? wrong_stores(*problem) : std::vector{of_wrong_list(*problem, twice)};
  return only_cause(hypotheses,
                    fmt::format("read so, all {} elements of {} that threads race for are written more than once, or "
                                "written and read",
                                raced.size(), tensor->name),
                    [&](const StoreHypothesis& hypothesis) {
                      const std::set<i64> contested = contested_by(hypothesis, *tensor, *problem);
                      return std::ranges::includes(contested, raced);
                    });
}

}  // namespace ropewalk::cache_store
