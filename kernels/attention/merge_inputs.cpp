#include "kernels/attention/merge_inputs.h"

#include <cstring>
#include <limits>

#include "kernels/attention/cache_tensors.h"
#include "kernels/launch_parts.h"
#include "lib/base/random.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 most_elements = i64(1) << 20;  // of tensors that are made at once
constexpr double infinity = std::numeric_limits<double>::infinity();

bool sees_part(const AttentionProblem& p, i64 split, i64 sequence, i64 query) {
  const i64 keys = p.keys_of(sequence);
  const AttentionProblem::Range seen = p.visible_keys(query, p.queries_of(sequence), keys);
  const AttentionProblem::Range part = p.keys_of_split(split, keys);
  return std::max(seen.first, part.first) < std::min(seen.last, part.last);
}

double drawn_lse(const AttentionProblem& p, u64 n) {
  const u64 seed = mix(p.seed) ^ mix(6);
  if (p.input == "integers") return double(i64(random_bits(seed, n) % 5) - 2);
  const double normal = random_normal(seed, n);
  return p.input == "large" ? 64 * normal : p.input == "low" ? 2 * normal - 3000 : 2 * normal;
}

}  // namespace

LaunchTensor drawn_lse_parts(const AttentionProblem& p) {
  LaunchTensor tensor = lse_parts(p);
  if (element_count(tensor.shape) > most_elements) {
    tensor.init = Normal{mix(p.seed) ^ mix(6), 0, 2};
    return tensor;
  }
  std::vector<double> values;
  for (i64 split = 0; split < p.splits; ++split) {
    for (i64 sequence = 0; sequence < p.batch; ++sequence) {
      for (i64 row = 0; row < p.heads * p.query_tokens; ++row) {
        const bool sees = sees_part(p, split, sequence, row % p.query_tokens);
        values.push_back(sees ? drawn_lse(p, values.size()) : -infinity);
      }
    }
  }
  tensor.init = Given{std::make_shared<Array>(Array::of(Dtype::F32, tensor.shape, values)), ""};
  return tensor;
}

LaunchTensor drawn_out_parts(const AttentionProblem& p) {
  LaunchTensor tensor = out_parts(p);
  AttentionProblem in_f32 = p;
  in_f32.dtype = Dtype::F32;
  tensor.init = attention_input(in_f32, tensor.shape, 2);
  const auto* given = std::get_if<Given>(&tensor.init);
  if (!given) return tensor;
  const auto array = std::make_shared<Array>(*given->array);
  const float poison = p.input == "large" ? std::numeric_limits<float>::quiet_NaN() : 0x1p14f;
  const i64 row = p.heads * p.columns_of_values();
  for (i64 n = 0; n < p.splits * p.batch * p.query_tokens; ++n) {
    const i64 query = n % p.query_tokens, sequence = n / p.query_tokens % p.batch;
    if (sees_part(p, n / p.query_tokens / p.batch, sequence, query)) continue;
    for (i64 at = n * row; at < (n + 1) * row; ++at) std::memcpy(array->bytes.data() + 4 * at, &poison, 4);
  }
  tensor.init = Given{array, ""};
  return tensor;
}

LaunchTensor sink_list(const AttentionProblem& p) {
  LaunchTensor tensor{"sinks", Dtype::F32, {p.heads}, {1}};
  tensor.init = given_values(Dtype::F32, drawn_sinks(p));
  return tensor;
}

}  // namespace ropewalk::kernels
