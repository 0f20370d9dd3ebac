#include "lib/problem/ring_order.h"

namespace ropewalk {

AttentionProblem part_of_rank(const AttentionProblem& problem) {
  AttentionProblem part = problem;
  const auto share = [&](i64& tokens) { tokens /= problem.ranks; };
  share(part.query_tokens);
  share(part.key_tokens);
  for (std::vector<i64>* list : {&part.cu_seqlens_q, &part.cu_seqlens_k}) {
    for (i64& row : *list) share(row);
  }
  for (i64* longest : {&part.max_seqlen_q, &part.max_seqlen_k}) *longest = (*longest + part.ranks - 1) / part.ranks;
  part.ranks = 1;
  part.zigzag = false;
  return part;
}

}  // namespace ropewalk
