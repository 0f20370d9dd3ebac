#include "tests/reference/attention_problems.h"

#include "lib/base/random.h"
#include "lib/problem/attention.h"

namespace ropewalk::reference {

std::vector<double> normals(u64 seed, i64 count) {
  std::vector<double> values(u64(count), 0.0);
  for (u64 n = 0; n < values.size(); ++n) values[n] = double(float(random_normal(seed, n)));
  return values;
}

Tensors tensors_of(const AttentionProblem& p) {
  const i64 batch = p.varlen() ? 1 : p.batch;
  Tensors tensors;
  tensors.q = normals(p.seed, batch * p.query_tokens * p.heads * p.head_dim);
  tensors.k = normals(p.seed + 1, batch * p.key_tokens * p.heads_of_keys() * p.head_dim);
  tensors.v = normals(p.seed + 2, batch * p.key_tokens * p.heads_of_keys() * p.columns_of_values());
  for (i64 head = 0; head < p.heads; ++head) {
    if (p.alibi) tensors.slopes.push_back(double(alibi_slope(head, p.heads)));
    if (p.sink) tensors.sinks.push_back(0.25 * double(head) - 0.5);
  }
  return tensors;
}

AttentionProblem drawn_problem(u64 seed) {
  Random random(seed);
  AttentionProblem p;
  p.seed = seed;
  p.batch = random.between(1, 2);
  p.query_tokens = random.between(1, 20);
  p.key_tokens = random.between(1, 20);
  p.key_heads = random.between(1, 3);
  p.heads = p.key_heads * random.between(1, 3);
  p.head_dim = random.between(1, 40);
  if (random.below(2)) p.value_dim = random.between(1, 20);
  p.causal = Causal(random.below(3));
  if (random.below(2)) p.window = {random.between(-1, 6), random.between(-1, 6)};
  if (random.below(2)) p.softcap = 5;
  p.alibi = random.below(2);
  p.sink = random.below(2);
  if (random.below(2)) p.scale = 0.3;
  if (random.below(3) == 0) {
    const i64 q = random.between(0, p.query_tokens), k = random.between(0, p.key_tokens);
    p.cu_seqlens_q = {0, q, q, p.query_tokens};
    p.cu_seqlens_k = {0, k, p.key_tokens, p.key_tokens};
  }
  return p;
}

}  // namespace ropewalk::reference
