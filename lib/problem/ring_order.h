// How the sequences of a problem are dealt out to the ranks of a ring.
#pragma once
#include "lib/problem/attention.h"

namespace ropewalk {

// Of one sequence.
struct RingOrder {
  i64 ranks = 1;
  i64 tokens = 0;  // of one rank; with zigzag an even number
  bool zigzag = false;

  // Of a problem whose tokens the ranks share evenly.
  static RingOrder of(const AttentionProblem& problem, i64 sequence) {
    return {problem.ranks, problem.queries_of(sequence) / problem.ranks, problem.zigzag};
  }
  // Chunks that a sequence is cut into: what its tokens must be a multiple of.
  static i64 chunks_of(const AttentionProblem& problem) { return problem.ranks * (problem.zigzag ? 2 : 1); }

  // The position in the whole sequence of a rank's token. Later tokens of a rank
  // have later positions.
  i64 position_of(i64 rank, i64 token) const {
    if (!zigzag) return rank * tokens + token;
    const i64 chunk = tokens / 2;
    return token < chunk ? rank * chunk + token : (2 * ranks - 1 - rank) * chunk + token - chunk;
  }
  // The rank whose keys a rank has in a step, and the one whose queries come to its keys.
  i64 source_of(i64 rank, i64 step) const { return (rank + ranks - step % ranks) % ranks; }
  i64 visitor_of(i64 rank, i64 step) const { return (rank + step) % ranks; }
};

// A problem without a ring whose tensors are laid out as those of each rank: of every sequence its part, and of rows
// past the last sequence as well.
AttentionProblem part_of_rank(const AttentionProblem& problem);

}  // namespace ropewalk
