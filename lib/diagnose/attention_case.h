// What attention starts from, and what it comes to if some of that is taken otherwise.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "lib/diagnose/reading.h"
#include "reference/attention.h"

namespace ropewalk {

struct AttentionCase {
  AttentionProblem problem;
  std::vector<double> q, k, v, slopes, sinks;  // as in AttentionInputs; empty: none
  AttentionReading reading;
  std::function<void(Expected& out, Expected& lse)> afterwards;  // what becomes of the outputs; may be empty

  // By the reference, of the output of this name, "out" or "lse".
  Expected expected(const std::string& output) const;
};

// The right one of the launch; nullopt where it has not the tensors of attention forward.
std::optional<AttentionCase> attention_case(const AttentionProblem& problem, const Launch& launch);

}  // namespace ropewalk
