#include "lib/diagnose/attention_facts.h"

#include <algorithm>

namespace ropewalk::diagnose {

const AttentionProblem* attention_problem(const Scene& scene) {
  return scene.problem ? scene.problem->as<AttentionProblem>() : nullptr;
}

bool is_of_cache(const LaunchTensor& tensor, const Scene& scene) {
  const AttentionProblem* problem = attention_problem(scene);
  if (!problem || (problem->page_size == 0 && problem->key_lengths.empty())) return false;
  return tensor.name == "k" || tensor.name == "v" || tensor.name == "block_table";
}

bool has_sound_lists(const Scene& scene) {
  const AttentionProblem* problem = attention_problem(scene);
  const auto is_sound = [](const std::vector<i64>& list, i64 rows) {
    return list.empty() || (list.front() == 0 && std::is_sorted(list.begin(), list.end()) && list.back() <= rows);
  };
  return !problem || (is_sound(problem->cu_seqlens_q, problem->query_tokens) &&
                      is_sound(problem->cu_seqlens_k, problem->key_tokens));
}

}  // namespace ropewalk::diagnose
