#include "lib/diagnose/consequences.h"

#include <fmt/format.h>

#include "lib/diagnose/touched.h"

namespace ropewalk {
namespace {

bool is_at(const std::optional<FindingLocation>& a, const std::optional<FindingLocation>& b) {
  return a && b && a->ptx_line != 0 && a->ptx_line == b->ptx_line && a->ptx_file == b->ptx_file;
}

}  // namespace

std::optional<Cause> cause_of_race(const Finding& finding, const Scene& scene) {
  if (finding.rule != Rule::GlobalRace || !tensor_of(finding, scene)) return std::nullopt;
  const Finding* origin = nullptr;
  for (const Finding& other : scene.findings) {
    if (!other.cause || !is_out_of_bounds(other) || tensor_of(other, scene) != tensor_of(finding, scene)) continue;
    if (!is_at(finding.location, other.location) && !is_at(finding.other_location, other.location)) continue;
    if (origin && origin->cause->id != other.cause->id) return std::nullopt;
    if (!origin) origin = &other;
  }
  if (!origin) return std::nullopt;
  Cause cause = *origin->cause;
  cause.evidence.insert(
      cause.evidence.begin(),
      fmt::format("the same instruction (PTX line {}) runs past the end of {}, and into its other rows",
                  origin->location->ptx_line, origin->access->tensor));
  return cause;
}

}  // namespace ropewalk
