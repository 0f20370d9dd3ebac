// What attention starts from, and what it comes to if some of that is taken otherwise.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/diagnose/output_hypothesis.h"
#include "lib/families/attention/cached_keys.h"
#include "lib/problem/attention.h"
#include "reference/attention.h"
#include "reference/attention_parts.h"

namespace ropewalk::attention {

struct AttentionCase {
  AttentionProblem problem;
  std::vector<double> q, k, v, slopes, sinks;  // as in AttentionInputs; empty: none
  std::vector<double> dout, lse, delta;        // of a backward; empty: a forward
  std::vector<double> k_pool, v_pool;          // of a problem with pages; k and v are in the order of their sequences
  reference::AttentionHypothesis hypothesis;
  bool ring = false;  // of a ring's ranks: outputs are merged from their parts
  bool tensor_cores = false;
  reference::PartsHypothesis parts;
  // What becomes of the outputs, by their names; may be empty.
  std::function<void(std::map<std::string, diagnose::Expected>&)> afterwards;

  bool backward() const { return !dout.empty(); }
  // The names of its out and lse: those of parts where there are several.
  std::string out_name() const { return problem.splits > 1 ? "out_partial" : "out"; }
  std::string lse_name() const { return problem.splits > 1 ? "lse_partial" : "lse"; }
  // Of a problem with cu_seqlens: one of its sequences by itself.
  AttentionCase single(i64 sequence) const;
  // k and v are taken from other rows of the pages.
  void take_keys_from(const KeyRow& row_of);
  // By the reference: of out and lse, or of "dq", "dk" and "dv"; of a ring of all tokens.
  std::map<std::string, diagnose::Expected> expected() const;
};

// Tokens [first, first + count) of a tensor of outer x tokens x something; of none, none.
std::vector<double> cut_tokens(const std::vector<double>& whole, i64 outer, i64 tokens, i64 first, i64 count);

// The right one of the launch, of a ring that of all tokens; nullopt where it has not the tensors of attention.
std::optional<AttentionCase> attention_case(const AttentionProblem& problem, const Launch& launch);

}  // namespace ropewalk::attention
