#include "kernels/attention/forward_contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "kernels/attention/arguments.h"
#include "kernels/attention/attention_guards.h"
#include "kernels/kept_module.h"
#include "kernels/launch_parts.h"
#include "lib/base/error.h"
#include "lib/base/random.h"

namespace ropewalk {
namespace {

constexpr i64 tile_rows = 16;
constexpr i64 few_columns = 64;  // of v, up to which a kernel has an entry of its own

const AttentionProblem& attention_of(const Problem& problem, const std::string& family) {
  if (const auto* attention = std::get_if<AttentionProblem>(&problem)) return *attention;
  throw InputError(fmt::format("{} answers attention problems, not {}", family, text_of(problem)));
}

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

// A tensor of tokens x heads x columns with the gaps of its strides. Rows behind the last sequence are no field of it.
LaunchTensor rows_tensor(const AttentionProblem& problem, const char* name, i64 tokens, i64 heads, i64 columns,
                         i64 row_gap, i64 token_gap, const std::vector<i64>& cu_seqlens) {
  LaunchTensor tensor{name, problem.dtype, {tokens, heads, columns}};
  const i64 head_stride = columns + row_gap, token_stride = heads * head_stride + token_gap;
  tensor.strides = {token_stride, head_stride, 1};
  if (!problem.varlen()) {
    tensor.shape.insert(tensor.shape.begin(), problem.batch);
    tensor.strides.insert(tensor.strides.begin(), tokens * token_stride);
  }
  const i64 rows = problem.varlen() ? cu_seqlens.back() * heads : problem.batch * tokens * heads;
  const bool left_over = problem.varlen() && cu_seqlens.back() < tokens;
  if (row_gap || token_gap || left_over) tensor.fields = {{name, 0, rows, 0, columns}};
  return tensor;
}

struct Numbers {
  u32 out, lse, q, k, v;
};

Numbers add_tensors(Launch& launch, const AttentionProblem& p) {
  const i64 value_dim = p.columns_of_values(), key_heads = p.heads_of_keys();
  LaunchTensor out = rows_tensor(p, "out", p.query_tokens, p.heads, value_dim, p.out_gap, 0, p.cu_seqlens_q);
  out.init = Uninitialized{};
  out.output = out.finite = true;
  LaunchTensor lse{"lse", Dtype::F32, {p.batch, p.heads, p.query_tokens}};
  if (p.varlen()) {
    lse.shape = {p.heads, p.query_tokens};
    if (p.cu_seqlens_q.back() < p.query_tokens) lse.fields = {{"lse", 0, p.heads, 0, p.cu_seqlens_q.back()}};
  }
  lse.strides = contiguous_strides(lse.shape);
  lse.init = Uninitialized{};
  lse.output = true;  // -inf where a row sees nothing
  LaunchTensor q = rows_tensor(p, "q", p.query_tokens, p.heads, p.head_dim, p.q_gap, p.token_gap, p.cu_seqlens_q);
  LaunchTensor k = rows_tensor(p, "k", p.key_tokens, key_heads, p.head_dim, p.k_gap, p.token_gap, p.cu_seqlens_k);
  LaunchTensor v = rows_tensor(p, "v", p.key_tokens, key_heads, value_dim, p.v_gap, p.token_gap, p.cu_seqlens_k);
  q.init = attention_input(p, q.shape, 0);
  k.init = attention_input(p, k.shape, 1);
  v.init = attention_input(p, v.shape, 2);
  Numbers numbers{};
  numbers.out = add_tensor(launch, std::move(out));
  numbers.lse = add_tensor(launch, std::move(lse));
  numbers.q = add_tensor(launch, std::move(q));
  numbers.k = add_tensor(launch, std::move(k));
  numbers.v = add_tensor(launch, std::move(v));
  return numbers;
}

using PartValue = decltype(StructArgument::Part::value);

// Adds a one-dimensional tensor and points the field of AttentionArguments at `at` to it.
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
  std::vector<double> slopes, sinks;
  for (i64 head = 0; head < p.heads; ++head) {
    if (p.alibi) slopes.push_back(alibi_slope(head, p.heads));
    if (p.sink) sinks.push_back(random_normal(mix(p.seed) ^ mix(3), u64(head)));
  }
  point_to(launch, packed, offsetof(A, cu_seqlens_q), "cu_seqlens_q", Dtype::I32, doubles(p.cu_seqlens_q));
  point_to(launch, packed, offsetof(A, cu_seqlens_k), "cu_seqlens_k", Dtype::I32, doubles(p.cu_seqlens_k));
  point_to(launch, packed, offsetof(A, slopes), "slopes", Dtype::F32, slopes);
  point_to(launch, packed, offsetof(A, sinks), "sinks", Dtype::F32, sinks);
}

// Batch, token and head strides of a tensor as three fields that follow each other.
void add_strides(StructArgument& packed, u64 at, const Strides& strides) {
  const u64 first = strides.size() - 3;
  packed.parts.push_back({at, argument_i64(first ? strides[0] : 0)});
  packed.parts.push_back({at + 8, argument_i64(strides[first])});
  packed.parts.push_back({at + 16, argument_i64(strides[first + 1])});
}

Launch forward_launch(const std::string& name, const ForwardKernel& kernel, const AttentionProblem& p) {
  Launch launch;
  launch.module = kept_module(kernel.stem);
  launch.entry =
      fmt::format("{}_{}_{}", kernel.prefix, name_of(p.dtype), p.columns_of_values() <= few_columns ? 64 : 256);
  launch.kernel_name = name;
  const Numbers numbers = add_tensors(launch, p);

  using A = AttentionArguments;
  StructArgument packed{sizeof(A), {}};
  point_to_lists(launch, packed, p);
  const i64 longest = std::max<i64>({1, p.longest_queries(), p.max_seqlen_q});
  const i64 tiles = (longest + tile_rows - 1) / tile_rows;
  const auto integer = [&](u64 at, i64 value) { packed.parts.push_back({at, argument_i32(value)}); };
  integer(offsetof(A, queries), p.varlen() ? longest : p.query_tokens);
  integer(offsetof(A, keys), p.varlen() ? std::max(p.longest_keys(), p.max_seqlen_k) : p.key_tokens);
  integer(offsetof(A, heads), p.heads);
  integer(offsetof(A, key_heads), p.heads_of_keys());
  integer(offsetof(A, head_dim), p.head_dim);
  integer(offsetof(A, value_dim), p.columns_of_values());
  integer(offsetof(A, query_tiles), tiles);
  integer(offsetof(A, window_left), p.window_left());
  integer(offsetof(A, window_right), p.window_right());
  integer(offsetof(A, top_left), p.causal == Causal::TopLeft);
  packed.parts.push_back({offsetof(A, scale), argument_f32(float(p.score_scale()))});
  packed.parts.push_back({offsetof(A, softcap), argument_f32(float(p.softcap))});
  add_strides(packed, offsetof(A, q_batch), launch.tensors[numbers.q].strides);
  add_strides(packed, offsetof(A, k_batch), launch.tensors[numbers.k].strides);
  add_strides(packed, offsetof(A, v_batch), launch.tensors[numbers.v].strides);
  add_strides(packed, offsetof(A, out_batch), launch.tensors[numbers.out].strides);
  const Strides& lse = launch.tensors[numbers.lse].strides;
  packed.parts.push_back({offsetof(A, lse_batch), argument_i64(p.varlen() ? 0 : lse[0])});
  packed.parts.push_back({offsetof(A, lse_head), argument_i64(lse[lse.size() - 2])});

  launch.block = {32, 4, 1};
  const i64 all_heads = p.sequences() * p.heads;
  switch (kernel.grid) {
    case ForwardGrid::Tiles:
      launch.grid = {u32(all_heads * tiles), 1, 1};
      break;
    case ForwardGrid::PairsOfSequences:
      launch.grid = {u32((all_heads + (p.varlen() && p.sequences() % 2 ? p.heads : 0)) * tiles), 1, 1};
      break;
    case ForwardGrid::HeadsInY:
      launch.grid = {u32(tiles), u32(all_heads), 1};
      break;
  }
  launch.arguments = {TensorArgument{numbers.out}, TensorArgument{numbers.lse}, TensorArgument{numbers.q},
                      TensorArgument{numbers.k},   TensorArgument{numbers.v},   packed};
  return launch;
}

}  // namespace

KernelFamily attention_forward_family(const std::string& name, const std::string& description,
                                      const std::string& source, const ForwardKernel& kernel,
                                      const std::string& healthy_twin) {
  KernelFamily family{name, description, source, "attention", healthy_twin};
  family.reject = [=](const Problem& problem) {
    const AttentionProblem& attention = attention_of(problem, name);
    std::vector<std::string> reasons = attention_reasons(attention, kernel.guards_lists);
    if (kernel.few && attention.dtype != Dtype::F32) reasons.push_back(name + " has an entry for f32 alone");
    if (kernel.few && attention.columns_of_values() > few_columns) {
      reasons.push_back(fmt::format("{} has an entry for at most {} columns of v alone", name, few_columns));
    }
    return reasons;
  };
  family.launch = [=](const Problem& problem) {
    const auto reasons = family.reject(problem);
    if (!reasons.empty()) throw InputError(name + ": " + reasons.front());
    return forward_launch(name, kernel, attention_of(problem, name));
  };
  return family;
}

std::vector<KernelFamily> attention_forward_families() {
  return {attention_forward_family("attention/forward", "attention with an online softmax, out and lse",
                                   "kernels/attention/forward.cu", {"attention_forward", "attention_forward"}, "")};
}

}  // namespace ropewalk
