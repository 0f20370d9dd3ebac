// What attention starts from, and what it comes to if some of that is taken otherwise.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/diagnose/reading.h"
#include "reference/attention.h"

namespace ropewalk {

struct AttentionCase {
  AttentionProblem problem;
  std::vector<double> q, k, v, slopes, sinks;  // as in AttentionInputs; empty: none
  std::vector<double> dout, lse, delta;        // of a backward; empty: a forward
  AttentionReading reading;
  bool ring = false;  // of a ring's ranks: outputs are merged from their parts
  bool tensor_cores = false;
  // What becomes of the outputs, by their names; may be empty.
  std::function<void(std::map<std::string, Expected>&)> afterwards;

  bool backward() const { return !dout.empty(); }
  // By the reference: of "out" and "lse", or of "dq", "dk" and "dv"; of a ring of the whole sequence.
  std::map<std::string, Expected> expected() const;
};

// The right one of the launch, of a ring that of the whole sequence; nullopt where it has not the tensors of attention.
std::optional<AttentionCase> attention_case(const AttentionProblem& problem, const Launch& launch);

}  // namespace ropewalk
