#include "kernels/attention/attention_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/attention/arguments.h"
#include "kernels/attention/attention_preconditions.h"
#include "kernels/attention/cache_tensors.h"
#include "kernels/launch_parts.h"
#include "lib/base/error.h"
#include "lib/base/random.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 tile_rows = 16;

// A tensor of tokens x heads x columns with the gaps of its strides. Rows past the last sequence are in no region of
// it.
LaunchTensor rows_tensor(const AttentionProblem& problem, const char* name, i64 tokens, i64 heads, i64 columns,
                         i64 row_gap, i64 token_gap, const std::vector<i64>& cu_seqlens) {
  LaunchTensor tensor{name, problem.dtype, {tokens, heads, columns}};
  const i64 head_stride = columns + row_gap, token_stride = heads * head_stride + token_gap;
  tensor.strides = {token_stride, head_stride, 1};
  if (!problem.varlen()) {
    tensor.shape.insert(tensor.shape.begin(), problem.batch);
    tensor.strides.insert(tensor.strides.begin(), tokens * token_stride);
  }
  // Lists that are not looked at may end anywhere.
  const i64 owned = problem.varlen() ? std::clamp<i64>(cu_seqlens.back(), 0, tokens) : problem.batch * tokens;
  const bool left_over = problem.varlen() && owned < tokens;
  if (row_gap || token_gap || left_over) tensor.regions = {{name, 0, owned * heads, 0, columns}};
  return tensor;
}

using PartValue = decltype(StructArgument::Part::value);

// Adds a one-dimensional tensor and points the member of AttentionArguments at `at` to it.
void point_to(Launch& launch, StructArgument& packed, u64 at, const char* name, Dtype dtype,
              const std::vector<double>& values) {
  PartValue value = NullArgument{};
  if (!values.empty()) {
    LaunchTensor tensor{name, dtype, {i64(values.size())}, {1}};
    tensor.init = given_values(dtype, values);
    value = TensorArgument{add_tensor(launch, std::move(tensor))};
  }
  packed.parts.push_back({at, value});
}

std::vector<double> doubles(const std::vector<i64>& values) { return {values.begin(), values.end()}; }

void point_to_lists(Launch& launch, StructArgument& packed, const AttentionProblem& p) {
  using A = AttentionArguments;
  std::vector<double> slopes;
  for (i64 head = 0; head < p.heads; ++head) {
    if (p.alibi) slopes.push_back(alibi_slope(head, p.heads));
  }
  point_to(launch, packed, offsetof(A, cu_seqlens_q), "cu_seqlens_q", Dtype::I32, doubles(p.cu_seqlens_q));
  point_to(launch, packed, offsetof(A, cu_seqlens_k), "cu_seqlens_k", Dtype::I32, doubles(p.cu_seqlens_k));
  point_to(launch, packed, offsetof(A, slopes), "slopes", Dtype::F32, slopes);
  point_to(launch, packed, offsetof(A, sinks), "sinks", Dtype::F32, p.sink ? drawn_sinks(p) : std::vector<double>{});
}

}  // namespace

// Numbers of q (stream 0), k (1) and v (2).
//   normal:   mean 0, deviation 1
//   integers: four of five 0, the others +-1 and +-2, whose sums are exact and show a lost element by eye
//   large:    q and k of deviation 8, so that few keys have all the weight
//   low:      q of one sign and k of the other, large enough that every score lies below the sentinels -1e4 and -5e4
//             that some kernels take for -inf
Init attention_input(const AttentionProblem& problem, const Shape& shape, u64 stream) {
  constexpr i64 most_integers = i64(1) << 20;
  const Drawn drawn{problem.dtype, problem.seed, stream};
  const bool is_value = stream == 2;
  if (problem.input == "integers" && element_count(shape) <= most_integers) {
    return drawn_by(drawn, shape, [](u64 bits) {
      constexpr float values[] = {-2, -1, 1, 2};
      return bits % 5 ? 0.0f : values[bits >> 62];
    });
  }
  if (problem.input == "low" && !is_value && element_count(shape) <= most_integers) {
    return stream == 0 ? drawn_by(drawn, shape, [](u64 bits) { return 64 + 16 * std::abs(bell(bits)); })
                       : drawn_by(drawn, shape, [](u64 bits) { return -64 - 16 * std::abs(bell(bits)); });
  }
  return drawn_normal(drawn, shape, problem.input == "large" && !is_value ? 8 : 1);
}

std::vector<double> drawn_sinks(const AttentionProblem& p) {
  std::vector<double> sinks;
  for (i64 head = 0; head < p.heads; ++head) sinks.push_back(random_normal(mix(p.seed) ^ mix(3), u64(head)));
  return sinks;
}

void add_strides(StructArgument& packed, u64 at, const Strides& strides) {
  const u64 first = strides.size() - 3;
  packed.parts.push_back({at, argument_i64(first ? strides[first - 1] : 0)});
  packed.parts.push_back({at + 8, argument_i64(strides[first])});
  packed.parts.push_back({at + 16, argument_i64(strides[first + 1])});
}

LaunchTensor query_rows(const AttentionProblem& p, const char* name, i64 columns, i64 row_gap, i64 token_gap) {
  return rows_tensor(p, name, p.query_tokens, p.heads, columns, row_gap, token_gap, p.cu_seqlens_q);
}

LaunchTensor key_rows(const AttentionProblem& p, const char* name, i64 columns, i64 row_gap, i64 token_gap) {
  return rows_tensor(p, name, p.key_tokens, p.heads_of_keys(), columns, row_gap, token_gap, p.cu_seqlens_k);
}

LaunchTensor number_by_query(const AttentionProblem& p, const char* name) {
  LaunchTensor tensor{name, Dtype::F32, {p.batch, p.heads, p.query_tokens}};
  if (p.varlen()) {
    tensor.shape = {p.heads, p.query_tokens};
    const i64 owned = std::clamp<i64>(p.cu_seqlens_q.back(), 0, p.query_tokens);
    if (owned < p.query_tokens) tensor.regions = {{name, 0, p.heads, 0, owned}};
  }
  tensor.strides = contiguous_strides(tensor.shape);
  return tensor;
}

LaunchTensor output_of(LaunchTensor tensor, bool finite) {
  tensor.init = Uninitialized{};
  tensor.output = true;
  tensor.finite = finite;
  return tensor;
}

AttentionTensors add_attention_inputs(Launch& launch, const AttentionProblem& p) {
  LaunchTensor q = query_rows(p, "q", p.head_dim, p.q_gap, p.token_gap);
  LaunchTensor k = cache_rows(p, "k", p.head_dim, p.k_gap, p.token_gap);
  LaunchTensor v = cache_rows(p, "v", p.columns_of_values(), p.v_gap, p.token_gap);
  q.init = attention_input(p, q.shape, 0);
  k.init = attention_input(p, k.shape, 1);
  v.init = attention_input(p, v.shape, 2);
  AttentionTensors numbers;
  numbers.q = add_tensor(launch, std::move(q));
  numbers.k = add_tensor(launch, std::move(k));
  numbers.v = add_tensor(launch, std::move(v));
  return numbers;
}

i64 tiles_of(i64 rows) { return (std::max<i64>(rows, 1) + tile_rows - 1) / tile_rows; }
i64 query_tiles_of(const AttentionProblem& p) { return tiles_of(std::max(p.longest_queries(), p.max_seqlen_q)); }
i64 key_tiles_of(const AttentionProblem& p) { return tiles_of(std::max(p.longest_keys(), p.max_seqlen_k)); }

void add_attention_arguments(Launch& launch, StructArgument& packed, const AttentionProblem& p,
                             const AttentionTensors& tensors) {
  using A = AttentionArguments;
  point_to_lists(launch, packed, p);
  const auto integer = [&](u64 at, i64 value) { packed.parts.push_back({at, argument_i32(value)}); };
  integer(offsetof(A, queries), p.varlen() ? std::max(p.longest_queries(), p.max_seqlen_q) : p.query_tokens);
  integer(offsetof(A, keys), p.varlen() ? std::max(p.longest_keys(), p.max_seqlen_k) : p.key_tokens);
  integer(offsetof(A, heads), p.heads);
  integer(offsetof(A, key_heads), p.heads_of_keys());
  integer(offsetof(A, head_dim), p.head_dim);
  integer(offsetof(A, value_dim), p.columns_of_values());
  integer(offsetof(A, query_tiles), query_tiles_of(p));
  integer(offsetof(A, window_left), p.window_left());
  integer(offsetof(A, window_right), p.window_right());
  integer(offsetof(A, top_left), p.causal == Causal::TopLeft);
  packed.parts.push_back({offsetof(A, scale), argument_f32(float(p.score_scale()))});
  packed.parts.push_back({offsetof(A, softcap), argument_f32(float(p.softcap))});
  add_strides(packed, offsetof(A, q_batch), launch.tensors[tensors.q].strides);
  add_strides(packed, offsetof(A, k_batch), launch.tensors[tensors.k].strides);
  add_strides(packed, offsetof(A, v_batch), launch.tensors[tensors.v].strides);
  add_strides(packed, offsetof(A, out_batch), launch.tensors[tensors.out].strides);
  const Strides& lse = launch.tensors[tensors.lse].strides;
  packed.parts.push_back({offsetof(A, lse_batch), argument_i64(p.varlen() ? 0 : lse[lse.size() - 3])});
  packed.parts.push_back({offsetof(A, lse_head), argument_i64(lse[lse.size() - 2])});
}

const AttentionProblem& attention_of(const Problem& problem, const std::string& kernel) {
  if (const auto* attention = problem.as<AttentionProblem>()) return *attention;
  throw InputError(fmt::format("{} answers attention problems, not {}", kernel, text_of(problem)));
}

std::string attention_entry(const std::string& prefix, const AttentionProblem& p, i64 columns) {
  return fmt::format("{}_{}_{}", prefix, name_of(p.dtype), columns <= few_columns ? 64 : 256);
}

bool has_finite_gradients(const AttentionProblem& p) { return p.dtype != Dtype::F16; }

i64 widest_head(const AttentionProblem& p) { return std::max(p.head_dim, p.columns_of_values()); }

Kernel attention_kernel(const Kernel& described, const AttentionForm& form,
                        const std::function<Launch(const AttentionProblem&)>& launch) {
  Kernel kernel = described;
  const std::string name = kernel.name;
  kernel.reject = [=](const Problem& problem) {
    const AttentionProblem& attention = attention_of(problem, name);
    std::vector<std::string> reasons = attention_reasons(attention, form.takes);
    const Dtype only = form.halves ? Dtype::F16 : Dtype::F32;
    if (form.few && attention.dtype != only) {
      reasons.push_back(fmt::format("{} has an entry for {} alone", name, name_of(only)));
    }
    if (!form.few && form.halves && attention.dtype == Dtype::F32)
      reasons.push_back(name + " has entries for f16 and bf16 alone");
    if (form.few && form.columns(attention) > few_columns) {
      reasons.push_back(fmt::format("{} has an entry for at most {} columns alone", name, few_columns));
    }
    return reasons;
  };
  kernel.launch = [=, reject = kernel.reject](const Problem& problem) {
    const auto reasons = reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    Launch answer = launch(attention_of(problem, name));
    answer.kernel_name = name;
    return answer;
  };
  return kernel;
}

}  // namespace ropewalk::kernels
