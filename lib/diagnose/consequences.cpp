#include "lib/diagnose/consequences.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "lib/diagnose/barriers.h"
#include "lib/diagnose/rotary_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/problem/rotary.h"

namespace ropewalk::diagnose {
namespace {

bool same_line(const std::optional<FindingLocation>& a, const std::optional<FindingLocation>& b) {
  if (!a || !b) return false;
  if (!a->file.empty() && a->line != 0) return a->file == b->file && a->line == b->line;
  return a->ptx_line != 0 && a->ptx_line == b->ptx_line && a->ptx_file == b->ptx_file;
}

std::string line_evidence(const Finding& race, const Finding& overrun) {
  if (!same_line(race.location, overrun.location) && !same_line(race.other_location, overrun.location)) return "";
  const FindingLocation& at = *overrun.location;
  return fmt::format("the same line ({}) runs past the end of {}, and into its other rows",
                     at.file.empty() ? fmt::format("PTX {}", at.ptx_line) : fmt::format("{}:{}", at.file, at.line),
                     overrun.access->tensor);
}

// The rows that are run into are those of the innermost dimension whose rows are as long as the overrun.
std::string row_evidence(const Finding& race, const LaunchTensor& tensor, const Scene& scene) {
  const Outside outside = outside_of(tensor, scene);
  if (!is_dense(tensor) || !outside.only_past() || !race.access->byte_offset || *race.access->byte_offset < 0)
    return "";
  const i64 offset = *race.access->byte_offset / size_of(tensor.dtype);
  for (u64 d = tensor.shape.size(); d-- > 0;) {
    const i64 row = tensor.strides[d];
    if (row < outside.reach()) continue;
    if (offset < row || offset % row >= outside.reach()) return "";
    return fmt::format("element {} lies {} past the end of a row of {}, and the accesses past the end reach {}", offset,
                       offset % row, row, outside.reach());
  }
  return "";
}

// Lanes past the last pair write columns of the same row that others write: the tables, which they read past the end,
// tell how many there are.
std::optional<Cause> cause_of_lanes(const Finding& race, const Scene& scene) {
  const RotaryProblem* problem = rotary_problem(scene);
  if (!problem || !race.access->index || race.access->index->empty()) return std::nullopt;
  const i64 column = race.access->index->back(), pairs = problem->width() / 2;
  for (const Finding& other : scene.findings) {
    const LaunchTensor* table = tensor_of(other, scene);
    if (!other.cause || other.cause->id != "missing-column-mask" || !table || !is_table(*table)) continue;
    const i64 lanes = pairs + outside_of(*table, scene).reach();
    const bool half = problem->layout == RotaryLayout::Half;
    const bool by_second = half && column >= 2 * pairs && column < pairs + lanes;
    const bool by_first = half ? column >= pairs && column < lanes : column >= 2 * pairs && column < 2 * lanes;
    if (!by_first && !by_second) return std::nullopt;
    Cause cause = *other.cause;
    cause.evidence.insert(cause.evidence.begin(),
                          fmt::format("lanes {} to {}, which read past the end of {}, write column {} of {}", pairs,
                                      lanes - 1, table->name, column, race.access->tensor));
    return cause;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Cause> cause_of_raced_output(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::OutputMismatch || !tensor || tensor->shape.empty() || !finding.footprint.complete) {
    return std::nullopt;
  }
  const auto rows_of_footprint = [&](const Finding& of, std::set<i64>& rows) {
    for (const i64 element : of.footprint.elements) rows.insert(element / std::max<i64>(tensor->shape.back(), 1));
  };
  std::set<i64> raced, wrong;
  rows_of_footprint(finding, wrong);
  const Cause* cause = nullptr;
  for (const Finding& other : scene.findings) {
    if (other.rule != Rule::GlobalRace || tensor_of(other, scene) != tensor || !other.cause) continue;
    if (cause && cause->id != other.cause->id) return std::nullopt;
    cause = &*other.cause;
    rows_of_footprint(other, raced);
  }
  if (!cause || wrong.empty() || !std::includes(raced.begin(), raced.end(), wrong.begin(), wrong.end())) {
    return std::nullopt;
  }
  Cause consequence = *cause;
  consequence.evidence.insert(consequence.evidence.begin(),
                              fmt::format("all wrong elements of {} lie in {} rows of which threads race for each",
                                          tensor->name, wrong.size()));
  return consequence;
}

std::optional<Cause> cause_of_same_barrier(const Finding& finding, const Scene& scene) {
  if (finding.tried_barriers.empty()) return std::nullopt;
  for (const Finding& other : scene.findings) {
    if (!other.cause || other.cause->id != "missing-barrier" || !lack_same_barriers(other, finding)) continue;
    Cause cause = *other.cause;
    if (finding.rule == Rule::UninitializedRead)
      cause.evidence.back() = "with a barrier there, the launch was run again, and what is read was written before";
    return cause;
  }
  return std::nullopt;
}

std::optional<Cause> cause_of_nonfinite_output(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::NonfiniteOrigin || !tensor) return std::nullopt;
  const Finding* explained = nullptr;
  for (const Finding& other : scene.findings) {
    if (other.rule == Rule::OutputMismatch && other.cause && tensor_of(other, scene) == tensor) explained = &other;
  }
  if (!explained) return std::nullopt;
  Cause cause = *explained->cause;
  cause.evidence.insert(
      cause.evidence.begin(),
      fmt::format("the wrong elements of {}, those that are not finite among them, have this cause", tensor->name));
  return cause;
}

std::optional<Cause> cause_of_race(const Finding& finding, const Scene& scene) {
  const LaunchTensor* tensor = tensor_of(finding, scene);
  if (finding.rule != Rule::GlobalRace || !tensor) return std::nullopt;
  std::optional<Cause> cause;
  for (const Finding& other : scene.findings) {
    if (!other.cause || !is_out_of_bounds(other) || tensor_of(other, scene) != tensor) continue;
    std::string evidence = line_evidence(finding, other);
    if (evidence.empty()) evidence = row_evidence(finding, *tensor, scene);
    if (evidence.empty()) continue;
    if (cause && cause->id != other.cause->id) return std::nullopt;
    if (cause) continue;
    cause = other.cause;
    cause->evidence.insert(cause->evidence.begin(), std::move(evidence));
  }
  return cause ? cause : cause_of_lanes(finding, scene);
}

}  // namespace ropewalk::diagnose
