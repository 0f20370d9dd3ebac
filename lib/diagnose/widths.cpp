#include "lib/diagnose/widths.h"

#include <fmt/format.h>

namespace ropewalk {

std::optional<Cause> width_over_head_dim(const Finding& finding, const Scene& scene) {
  const auto* problem = scene.problem ? std::get_if<RotaryProblem>(scene.problem) : nullptr;
  if (!problem || problem->width() <= problem->head_dim) return std::nullopt;
  const i64 width = problem->width(), head_dim = problem->head_dim, over = width - head_dim;
  switch (finding.rule) {
    case Rule::OutOfBoundsRead: case Rule::OutOfBoundsWrite: case Rule::IndexOutOfField: case Rule::GlobalRace: break;
    default: return std::nullopt;
  }
  if (!finding.access || finding.access->tensor.empty()) return std::nullopt;
  Cause cause;
  cause.evidence.push_back(fmt::format("rotary_dim {} > head_dim {}: each row is taken to be {} elements longer than it is",
                                       width, head_dim, over));
  if (finding.access->bytes_past_end && finding.access->index) {
    cause.evidence.push_back(fmt::format("the last row of the tensor can overrun by {} elements; {} were seen past its end",
                                         over, finding.footprint.elements.size()));
  }
  for (const i64 heads : {problem->heads, problem->key_heads}) {
    if (heads < 2 || width != heads * head_dim) continue;
    cause.id = "model-width-for-head-dim";
    cause.text = fmt::format("rotary_dim {} = {} heads x {}: the model width was passed where head_dim was meant", width,
                             heads, head_dim);
    cause.advice = fmt::format("build the rotary embedding with dim = head_dim ({}), not dim = heads x head_dim", head_dim);
    return cause;
  }
  cause.id = "width-over-head-dim";
  cause.text = fmt::format("rotary_dim {} is larger than head_dim {}: rows run into their neighbours", width, head_dim);
  cause.advice = fmt::format("pass a rotary_dim of at most {}, and reject larger ones before the launch", head_dim);
  return cause;
}

}  // namespace ropewalk
