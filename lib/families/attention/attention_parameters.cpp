#include "lib/families/attention/attention_parameters.h"

#include <algorithm>

#include "lib/generate/space.h"
#include "lib/problem/call_text.h"
#include "lib/problem/pages.h"

namespace ropewalk::attention {

using generate::drawn;
using generate::size_parameter;
using generate::word_parameter;

namespace {

using Attention = AttentionProblem;

// Keys by the queries that there are: alike, none too many, one, or on the other side of a tile.
AttentionParameter keys() {
  return {"Tk", {"Tq", "Tq + 1", "Tq - 1", "1", "33", "3 Tq"}, [](Attention& problem, u32 value, Random& random) {
            const i64 queries = problem.query_tokens;
            const i64 listed[] = {queries, queries + 1, queries - 1, 1, 33, 3 * queries};
            problem.key_tokens = std::max<i64>(1, value == drawn ? random.between(1, 64) : listed[value]);
          }};
}

// Keys of a cache: few, as many as queries, around a tile's edge, two tiles and some.
AttentionParameter cached_keys() {
  return {"Tk", {"9", "1", "Tq", "32", "33", "70"}, [](Attention& problem, u32 value, Random& random) {
            const i64 listed[] = {9, 1, problem.query_tokens, 32, 33, 70};
            problem.key_tokens = value == drawn ? random.between(1, random.between(1, 80)) : listed[value];
          }};
}

// Heads of q by those of k: as many, groups of two or three, one head of k for all.
AttentionParameter heads() {
  return {
      "heads", {"1", "2", "4 by 2", "6 by 2", "3 by 1", "6 by 3"}, [](Attention& problem, u32 value, Random& random) {
        constexpr i64 listed[][2] = {{1, 0}, {2, 0}, {4, 2}, {6, 2}, {3, 1}, {6, 3}};
        problem.heads = value == drawn ? 0 : listed[value][0];
        problem.key_heads = value == drawn ? random.between(1, 3) : listed[value][1];
        if (value == drawn) problem.heads = problem.key_heads * random.between(1, 3);
      }};
}

AttentionParameter value_dim() {
  return {"value_dim", {"D", "D / 2", "D + 8", "17"}, [](Attention& problem, u32 value, Random& random) {
            const i64 head_dim = problem.head_dim;
            const i64 listed[] = {0, std::max<i64>(1, head_dim / 2), std::min<i64>(256, head_dim + 8), 17};
            problem.value_dim = value == drawn ? random.between(1, 96) : listed[value];
          }};
}

AttentionParameter window() {
  return {"window",
          {"none", "[4,4]", "[0,0]", "[-1,-1]", "[-1,0]", "[7,-1]", "[16,2]"},
          [](Attention& problem, u32 value, Random& random) {
            static const std::vector<i64> listed[] = {{}, {4, 4}, {0, 0}, {-1, -1}, {-1, 0}, {7, -1}, {16, 2}};
            problem.window =
                value == drawn ? std::vector<i64>{random.between(-1, 40), random.between(-1, 40)} : listed[value];
          }};
}

// Lengths of sequences that add up to rows: `count` borders, of which the first may be 0 and the last the end.
std::vector<i64> borders(Random& random, i64 rows, bool first_is_empty, bool last_is_empty, bool all_rows) {
  const i64 end = all_rows ? rows : random.between(0, rows), middle = last_is_empty ? end : random.between(0, end);
  return {0, first_is_empty ? 0 : random.between(0, middle), middle, end};
}

// One or more sequences of the same length, or three of several lengths, also of none.
AttentionParameter sequences() {
  return {"sequences",
          {"one", "two", "three", "varlen", "varlen, no queries", "varlen, no keys", "varlen, rows left over"},
          [](Attention& problem, u32 value, Random& random) {
            if (value == drawn) value = u32(random.below(7));
            problem.batch = value < 3 ? i64(value) + 1 : 1;
            if (value < 3) return;
            const bool left_over = value == 6;
            problem.cu_seqlens_q = borders(random, problem.query_tokens, value == 4, value == 4, !left_over);
            problem.cu_seqlens_k = borders(random, problem.key_tokens, value == 5, value == 5, !left_over);
          }};
}

// Keys that sequences have of those that there is room for.
AttentionParameter key_lengths() {
  return {"key_lengths",
          {"none", "drawn", "one without keys", "one key each", "all but one key"},
          [](Attention& problem, u32 value, Random& random) {
            if (value == drawn) value = u32(random.below(5));
            if (value == 0) return;
            const i64 room = problem.key_tokens;
            for (i64 n = 0; n < problem.batch; ++n) {
              const i64 listed[] = {random.between(0, room), n == 0 ? 0 : random.between(0, room), 1, room - 1};
              problem.key_lengths.push_back(listed[value - 1]);
            }
          }};
}

// Drawn pages, or those that all sequences share to begin with, as sequences with the same beginning do.
AttentionParameter block_table() {
  return {"block_table", {"drawn", "shared"}, [](Attention& problem, u32 value, Random& random) {
            if (value == drawn) value = u32(random.below(2));
            // The other parameters of pages go with a size.
            if (problem.page_size == 0) problem.spare_pages = 0;
            if (value == 0 || problem.page_size == 0) return;
            const i64 columns = pages_of_capacity(problem), pool = pages_in_pool(problem);
            for (i64 n = 0; n < problem.batch * columns; ++n) {
              problem.block_table.push_back(n % columns == 0 ? pool - 1 : random.between(0, pool - 1));
            }
          }};
}

AttentionParameter number(const std::string& name, double Attention::*field, const std::vector<double>& values) {
  AttentionParameter parameter{name, {}, {}};
  for (const double value : values) parameter.values.push_back(value_text(value));
  parameter.set = [=](Attention& problem, u32 value, Random& random) {
    problem.*field = values[value == drawn ? random.below(values.size()) : value];
  };
  return parameter;
}

AttentionParameter flag(const std::string& name, bool Attention::*field) {
  return word_parameter<Attention>(name, {"false", "true"},
                                   [=](Attention& problem, u32 value) { problem.*field = value == 1; });
}

}  // namespace

std::vector<AttentionParameter> attention_parameters(bool decodes) {
  constexpr Dtype dtypes[] = {Dtype::F32, Dtype::F16, Dtype::BF16};
  return {decodes ? size_parameter("Tq", &Attention::query_tokens, {2, 1, 3, 8, 17}, 1, 12)
                  : size_parameter("Tq", &Attention::query_tokens, {16, 1, 3, 15, 17, 33}, 1, 48),
          decodes ? cached_keys() : keys(),
          heads(),
          size_parameter("D", &Attention::head_dim, {16, 1, 17, 40, 64, 65, 80, 128}, 1, 96),
          value_dim(),
          word_parameter<Attention>("dtype", {"f32", "f16", "bf16"},
                                    [=](Attention& problem, u32 value) { problem.dtype = dtypes[value]; }),
          word_parameter<Attention>("causal", {"none", "bottom-right", "top-left"},
                                    [](Attention& problem, u32 value) { problem.causal = Causal(value); }),
          window(),
          number("softcap", &Attention::softcap, {0, 10, 50}),
          flag("alibi", &Attention::alibi),
          number("scale", &Attention::scale, {0, 0.25, 1}),
          flag("sink", &Attention::sink),
          sequences(),
          size_parameter("q_gap", &Attention::q_gap, {0, 8}, 0, 20),
          size_parameter("k_gap", &Attention::k_gap, {0, 5}, 0, 20),
          size_parameter("v_gap", &Attention::v_gap, {0, 3}, 0, 20),
          size_parameter("out_gap", &Attention::out_gap, {0, 4}, 0, 20),
          size_parameter("token_gap", &Attention::token_gap, {0, 7}, 0, 20),
          word_parameter<Attention>("input", {"normal", "integers", "large", "low"}, [](Attention& problem, u32 value) {
            constexpr const char* words[] = {"normal", "integers", "large", "low"};
            problem.input = words[value];
          })};
}

std::vector<AttentionParameter> length_parameters() { return {key_lengths()}; }

std::vector<AttentionParameter> page_parameters() {
  return {size_parameter("page_size", &Attention::page_size, {0, 16, 1, 8}, 0, 32),
          size_parameter("spare_pages", &Attention::spare_pages, {0, 1, 5}, 0, 9), block_table()};
}

std::vector<AttentionParameter> split_parameters() {
  return {{"splits", {"1", "2", "3", "8", "40"}, [](Attention& problem, u32 value, Random& random) {
             constexpr i64 listed[] = {1, 2, 3, 8, 40};
             problem.splits = value == drawn ? random.between(1, 8) : listed[value];
             // More parts than a warp has lanes go with few queries, as decoding has them.
             if (problem.splits > 8) problem.query_tokens = std::min<i64>(problem.query_tokens, 2);
           }}};
}

std::vector<AttentionParameter> rank_parameters() {
  // The plainest ring has two ranks: with one there is nothing to merge.
  return {size_parameter("ranks", &Attention::ranks, {2, 1, 4, 8}, 1, 8), flag("zigzag", &Attention::zigzag)};
}

}  // namespace ropewalk::attention
