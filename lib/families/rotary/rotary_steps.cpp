#include "lib/families/rotary/rotary_steps.h"

#include "lib/shrink/steps.h"

namespace ropewalk::rotary {

using shrink::smaller_numbers;

namespace {

class Steps : public shrink::ProblemSteps<RotaryProblem> {
 public:
  using ProblemSteps::ProblemSteps;

  void words_and_flags() {
    const RotaryProblem plain;
    clear(&RotaryProblem::dtype);
    clear(&RotaryProblem::cache_dtype);
    clear(&RotaryProblem::layout);
    clear(&RotaryProblem::inplace);
    clear(&RotaryProblem::backward);
    clear(&RotaryProblem::given_frequencies);
    clear(&RotaryProblem::input);
    clear(&RotaryProblem::theta);
    clear(&RotaryProblem::seed);
    // x's dtype and the cache's may have to change together.
    if (problem_.dtype != plain.dtype && problem_.cache_dtype == problem_.dtype) {
      RotaryProblem& both = add();
      both.dtype = plain.dtype;
      both.cache_dtype = plain.cache_dtype;
    }
  }

  // A sequence less, with its offset; a token less with its position: lists whose lengths belong together.
  void together() {
    const auto shorter = [&](RotaryProblem& smaller, std::vector<i64> RotaryProblem::*field, u64 n) {
      if (n < (problem_.*field).size()) (smaller.*field).erase((smaller.*field).begin() + i64(n));
    };
    if (!problem_.offsets.empty()) {
      for (u64 n = 0; n < u64(problem_.sequences()); ++n) {
        RotaryProblem& smaller = add();
        shorter(smaller, &RotaryProblem::offsets, n);
        if (problem_.varlen()) {
          shorter(smaller, &RotaryProblem::cu_seqlens, n + 1);
        } else {
          --smaller.batch;
        }
      }
    }
    if (problem_.positions.empty()) return;
    const i64 batch = problem_.batch, tokens = problem_.tokens;
    const auto keep = [&](RotaryProblem& smaller, u64 count, u64 first) {
      const auto& all = problem_.positions;
      if (first + count > all.size()) return;
      smaller.positions.assign(all.begin() + i64(first), all.begin() + i64(first + count));
    };
    for (const i64 fewer : smaller_numbers(batch, 1)) {
      for (const u64 first : {u64(0), u64((batch - fewer) * tokens)}) {
        RotaryProblem& smaller = add();
        smaller.batch = fewer;
        keep(smaller, u64(fewer * tokens), first);
      }
    }
    for (const i64 fewer : smaller_numbers(tokens, 1)) {
      for (const u64 first : {u64(0), u64(batch * (tokens - fewer))}) {
        RotaryProblem& smaller = add();
        smaller.tokens = fewer;
        keep(smaller, u64(batch * fewer), first);
      }
    }
  }

  // The width and what it is compared with go down together: a width over head_dim stays over it.
  void width_with_head_dim() {
    if (!problem_.rotary_dim) return;
    for (const i64 head_dim : smaller_numbers(problem_.head_dim, 1)) {
      const i64 width = problem_.rotary_dim - (problem_.head_dim - head_dim);
      if (width < 1) continue;
      RotaryProblem& smaller = add();
      smaller.head_dim = head_dim;
      smaller.rotary_dim = width;
    }
  }

  // Rows of the cache go down with the tokens and the offset that need them.
  void rows_with_tokens() {
    if (!problem_.cache_rows) return;
    const auto both = [&](i64 RotaryProblem::*field, i64 least) {
      for (const i64 value : smaller_numbers(problem_.*field, least)) {
        const i64 rows = problem_.cache_rows - (problem_.*field - value);
        if (rows < 1 || value > problem_.*field) continue;
        RotaryProblem& smaller = add();
        smaller.*field = value;
        smaller.cache_rows = rows;
      }
    };
    both(&RotaryProblem::tokens, 1);
    both(&RotaryProblem::offset, 0);
  }
};

}  // namespace

std::vector<RotaryProblem> smaller_problems_of(const RotaryProblem& problem) {
  Steps steps(problem);
  steps.list(&RotaryProblem::cu_seqlens);
  steps.list(&RotaryProblem::offsets);
  steps.together();
  steps.list(&RotaryProblem::positions);
  steps.words_and_flags();
  steps.number(&RotaryProblem::batch, 1);
  steps.number(&RotaryProblem::tokens, 1);
  steps.number(&RotaryProblem::heads, 1);
  steps.number(&RotaryProblem::key_heads, 0);
  steps.number(&RotaryProblem::key_batch, 0);
  steps.number(&RotaryProblem::head_dim, 1);
  steps.width_with_head_dim();
  steps.number(&RotaryProblem::rotary_dim, 0);
  steps.rows_with_tokens();
  steps.number(&RotaryProblem::cache_rows, 0);
  steps.number(&RotaryProblem::offset, 0);
  steps.number(&RotaryProblem::row_gap, 0);
  steps.number(&RotaryProblem::token_gap, 0);
  steps.number(&RotaryProblem::out_gap, 0);
  return steps.take();
}

}  // namespace ropewalk::rotary
