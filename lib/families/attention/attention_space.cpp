#include "lib/families/attention/attention_space.h"

#include <algorithm>
#include <memory>

#include "lib/families/attention/attention_flaws.h"
#include "lib/families/attention/attention_parameters.h"
#include "lib/families/attention/cache_flaws.h"
#include "lib/families/attention/rank_flaws.h"
#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::attention {
namespace {

// Strides beyond what 32 bits hold, with few elements that are touched.
std::vector<generate::Extreme> extremes_of(const Kernel& kernel, Dtype dtype, bool ranks) {
  AttentionProblem small;
  small.query_tokens = small.key_tokens = small.batch = small.heads = 3;
  small.head_dim = 2;
  small.dtype = dtype;
  small.ranks = ranks ? 2 : 1;
  small.query_tokens = small.key_tokens *= small.ranks;
  std::vector<generate::Extreme> all;
  const auto add = [&](const std::string& name, i64 AttentionProblem::*gap, i64 width = i64(1) << 30) {
    AttentionProblem problem = small;
    problem.*gap = width;
    if (unanswerable(kernel, problem).empty()) all.push_back({name, problem, 0});
  };
  add("head strides of q that 32 bits do not hold", &AttentionProblem::q_gap);
  add("head strides of k that 32 bits do not hold", &AttentionProblem::k_gap);
  add("head strides of v that 32 bits do not hold", &AttentionProblem::v_gap);
  add("head strides of out that 32 bits do not hold", &AttentionProblem::out_gap);
  // Each of the rows that a warp keeps in registers is once far away.
  small.heads = small.batch = 1;
  small.query_tokens = small.key_tokens = 8 * small.ranks;
  for (const bool varlen : {false, true}) {
    const std::string what = varlen ? "rows before a sequence" : "token strides";
    if (varlen) small.cu_seqlens_q = small.cu_seqlens_k = {0, 5 * small.ranks, 8 * small.ranks};
    add(what + " of q that 32 bits do not hold twice", &AttentionProblem::q_gap);
    add(what + " of k that 32 bits do not hold twice", &AttentionProblem::k_gap);
    add(what + " of v that 32 bits do not hold twice", &AttentionProblem::v_gap);
    add(what + " of out that 32 bits do not hold twice", &AttentionProblem::out_gap);
  }
  small.cu_seqlens_q.clear();
  small.cu_seqlens_k.clear();
  small.query_tokens = small.key_tokens = 3;
  small.page_size = 1;
  small.seed = 3;  // whose first page is not the pool's first
  add("page strides of k that 32 bits do not hold", &AttentionProblem::k_gap);
  add("page strides of v that 32 bits do not hold", &AttentionProblem::v_gap);
  // 20 rows of 2^28 bytes: what 32 bits leave of their bytes is that of 4.
  constexpr i64 row_bytes = i64(1) << 28;
  small.page_size = 0;
  small.query_tokens = 1;
  small.key_tokens = 20;
  add("bytes of k that 32 bits do not hold", &AttentionProblem::k_gap, row_bytes / size_of(dtype));
  add("bytes of v that 32 bits do not hold", &AttentionProblem::v_gap, row_bytes / size_of(dtype));
  AttentionProblem many;
  many.query_tokens = many.key_tokens = 1;
  many.head_dim = 2;
  many.dtype = dtype;
  many.batch = 65537;
  if (unanswerable(kernel, many).empty()) all.push_back({"more sequences than 16 bits count", many, 32});
  return all;
}

// The dtypes and the columns of k and v that the kernel has an entry for, and what it takes beyond plain attention.
struct Forms {
  std::vector<Dtype> dtypes;
  i64 most_key_columns = 0, most_value_columns = 0;
  bool lists = false, lengths = false, pages = false, splits = false, ranks = false;
};

Forms forms_of(const Kernel& kernel) {
  Forms forms;
  const auto takes_with = [&](const auto& change) {
    AttentionProblem problem;
    if (!forms.dtypes.empty()) problem.dtype = forms.dtypes.front();
    change(problem);
    return unanswerable(kernel, problem).empty();
  };
  const auto takes = [&](Dtype dtype, i64 key_columns, i64 value_columns) {
    return takes_with([&](AttentionProblem& problem) {
      problem.dtype = dtype;
      problem.head_dim = key_columns;
      problem.value_dim = value_columns;
    });
  };
  for (const Dtype dtype : {Dtype::F32, Dtype::F16, Dtype::BF16}) {
    if (takes(dtype, 1, 1)) forms.dtypes.push_back(dtype);
  }
  forms.lists = takes_with([](AttentionProblem& p) { p.cu_seqlens_q = p.cu_seqlens_k = {0, p.query_tokens}; });
  forms.lengths = takes_with([](AttentionProblem& p) { p.key_lengths = {p.key_tokens}; });
  forms.pages = takes_with([](AttentionProblem& p) { p.page_size = 16; });
  forms.splits = takes_with([](AttentionProblem& p) { p.splits = 2; });
  forms.ranks = takes_with([](AttentionProblem& p) { p.ranks = 2; });
  for (const i64 columns : {64, 256}) {
    if (takes(forms.dtypes.front(), columns, 1)) forms.most_key_columns = columns;
    if (takes(forms.dtypes.front(), 1, columns)) forms.most_value_columns = columns;
  }
  return forms;
}

// As many keys as queries, and as many tokens of each sequence for each rank: no fewer than were drawn. Many ranks have
// few each, of one sequence, or of several that are packed, and few heads, because a case with more is slow and shows
// no more.
void deal_out(AttentionProblem& problem) {
  const i64 chunks = RingOrder::chunks_of(problem);
  const bool many = problem.ranks > 2;
  const i64 tokens =
      many ? std::min<i64>(problem.query_tokens, 24) : std::max(problem.query_tokens, problem.key_tokens);
  const auto rounded = [chunks](i64 count) { return (count + chunks - 1) / chunks * chunks; };
  if (many) {
    problem.batch = 1;
    const i64 group = problem.heads / problem.heads_of_keys();
    problem.key_heads = group == 1 ? 0 : std::min<i64>(problem.key_heads, 2);
    problem.heads = group == 1 ? std::min<i64>(problem.heads, 2) : std::min<i64>(group, 2) * problem.key_heads;
  }
  problem.query_tokens = problem.key_tokens = rounded(tokens);
  if (!problem.varlen()) return;
  std::vector<i64> lists = {0};
  for (i64 n = 0; n < problem.sequences(); ++n) {
    lists.push_back(lists.back() + rounded(many ? std::min(problem.queries_of(n), chunks) : problem.queries_of(n)));
  }
  const bool left_over = problem.cu_seqlens_q.back() < problem.query_tokens;
  problem.cu_seqlens_q = problem.cu_seqlens_k = lists;
  problem.query_tokens = problem.key_tokens = std::max(chunks, lists.back() + (left_over ? chunks : 0));
}

// A problem that the kernel has no entry for becomes one of those that it has.
void fit(AttentionProblem& problem, const Forms& forms) {
  if (std::find(forms.dtypes.begin(), forms.dtypes.end(), problem.dtype) == forms.dtypes.end()) {
    problem.dtype = forms.dtypes.front();
  }
  if (problem.columns_of_values() > forms.most_value_columns) problem.value_dim = forms.most_value_columns;
  problem.head_dim = std::min(problem.head_dim, forms.most_key_columns);
  if (!forms.lists) {
    problem.cu_seqlens_q.clear();
    problem.cu_seqlens_k.clear();
  }
  if (forms.ranks) deal_out(problem);
}

std::vector<generate::Flaw> flaws_of(const Forms& forms) {
  std::vector<generate::Flaw> all = attention_flaws();
  const auto add = [&](bool taken, const std::vector<generate::Flaw>& some) {
    if (taken) all.insert(all.end(), some.begin(), some.end());
  };
  add(forms.lists, list_flaws());
  add(true, cache_flaws());
  add(forms.pages, table_flaws());
  add(forms.ranks, rank_flaws());
  return all;
}

std::vector<AttentionParameter> parameters_of(const Forms& forms) {
  std::vector<AttentionParameter> all = attention_parameters(forms.lengths);
  const auto add = [&](bool taken, const std::vector<AttentionParameter>& some) {
    if (taken) all.insert(all.end(), some.begin(), some.end());
  };
  add(forms.lengths, length_parameters());
  add(forms.pages, page_parameters());
  add(forms.splits, split_parameters());
  add(forms.ranks, rank_parameters());
  return all;
}

}  // namespace

generate::ProblemSpace attention_space(const Kernel& kernel) {
  const Forms forms = forms_of(kernel);
  const auto parameters = std::make_shared<const std::vector<AttentionParameter>>(parameters_of(forms));
  generate::ProblemSpace space;
  for (const AttentionParameter& parameter : *parameters)
    space.parameters.push_back({parameter.name, parameter.values});
  space.problem = [parameters, forms](const generate::Choice& choice, Random random) {
    AttentionProblem problem = generate::chosen(AttentionProblem(), *parameters, choice, random);
    fit(problem, forms);
    return Problem(problem);
  };
  space.flaws = flaws_of(forms);
  space.extremes = extremes_of(kernel, forms.dtypes.front(), forms.ranks);
  return space;
}

}  // namespace ropewalk::attention
