#include "kernels/attention/decode_kernels.h"

#include <cstddef>

#include "kernels/attention/cache_tensors.h"
#include "kernels/attention/decode_arguments.h"
#include "kernels/attention/merge_inputs.h"
#include "kernels/checked_in_ptx.h"
#include "kernels/launch_parts.h"
#include "lib/families/attention/attention_family.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::kernels {
namespace {

i64 columns_of(const AttentionProblem& p) { return p.columns_of_values(); }

constexpr u64 warps = 4;  // of a block

Launch decode_launch(const DecodeKernel& kernel, const AttentionProblem& p) {
  using D = AttentionDecodeArguments;
  Launch launch;
  launch.module = checked_in_module(kernel.entries.stem);
  launch.entry = attention_entry(kernel.entries.prefix, p, p.columns_of_values());
  const bool in_parts = p.splits > 1;
  const u32 out = add_tensor(
      launch, output_of(in_parts ? out_parts(p) : query_rows(p, "out", p.columns_of_values(), p.out_gap, 0), true));
  // -inf where a row sees nothing.
  const u32 lse = add_tensor(launch, output_of(in_parts ? lse_parts(p) : number_by_query(p, "lse"), false));
  AttentionTensors tensors = add_attention_inputs(launch, p);
  tensors.out = out;
  tensors.lse = lse;

  StructArgument packed{sizeof(D), {}};
  add_attention_arguments(launch, packed, p, tensors);
  const auto point_to = [&](u64 at, LaunchTensor tensor) {
    packed.parts.push_back({at, TensorArgument{add_tensor(launch, std::move(tensor))}});
  };
  if (!p.key_lengths.empty()) point_to(offsetof(D, key_lengths), key_length_list(p));
  if (p.page_size) point_to(offsetof(D, block_table), block_table_tensor(p));
  const i64 row_tiles = tiles_of(p.query_tokens * (p.heads / p.heads_of_keys()));
  const auto integer = [&](u64 at, i64 value) { packed.parts.push_back({at, argument_i32(value)}); };
  integer(offsetof(D, page_size), p.page_size);
  if (p.page_size) {
    integer(offsetof(D, table_columns), table_columns(p));
    integer(offsetof(D, pages), pages_in_pool(p));
  }
  integer(offsetof(D, splits), p.splits);
  integer(offsetof(D, row_tiles), row_tiles);
  const auto part_stride = [&](u32 tensor) { return in_parts ? launch.tensors[tensor].strides[0] : 0; };
  packed.parts.push_back({offsetof(D, out_split), argument_i64(part_stride(out))});
  packed.parts.push_back({offsetof(D, lse_split), argument_i64(part_stride(lse))});

  launch.block = {32, warps, 1};
  launch.grid = {u32(p.batch * p.heads_of_keys() * p.splits * row_tiles), 1, 1};
  const Argument none = NullArgument{}, to = TensorArgument{out};
  launch.arguments = {in_parts ? none : to,
                      in_parts ? to : none,
                      TensorArgument{lse},
                      TensorArgument{tensors.q},
                      TensorArgument{tensors.k},
                      TensorArgument{tensors.v},
                      packed};
  return launch;
}

Launch merge_launch(const DecodeKernel& kernel, const AttentionProblem& p) {
  using M = AttentionMergeArguments;
  Launch launch;
  launch.module = checked_in_module(kernel.entries.stem);
  launch.entry = attention_entry(kernel.entries.prefix, p, p.columns_of_values());
  const u32 out = add_tensor(launch, output_of(query_rows(p, "out", p.columns_of_values(), p.out_gap, 0), true));
  const u32 lse = add_tensor(launch, output_of(number_by_query(p, "lse"), false));
  const u32 part = add_tensor(launch, drawn_out_parts(p)), part_lse = add_tensor(launch, drawn_lse_parts(p));

  StructArgument packed{sizeof(M), {}};
  if (p.sink) packed.parts.push_back({offsetof(M, sinks), TensorArgument{add_tensor(launch, sink_list(p))}});
  const auto integer = [&](u64 at, i64 value) { packed.parts.push_back({at, argument_i32(value)}); };
  integer(offsetof(M, queries), p.query_tokens);
  integer(offsetof(M, heads), p.heads);
  integer(offsetof(M, splits), p.splits);
  integer(offsetof(M, value_dim), p.columns_of_values());
  const i64 rows = p.batch * p.query_tokens * p.heads;
  const auto wide = [&](u64 at, i64 value) { packed.parts.push_back({at, argument_i64(value)}); };
  wide(offsetof(M, rows), rows);
  add_strides(packed, offsetof(M, out_batch), launch.tensors[out].strides);
  wide(offsetof(M, lse_batch), launch.tensors[lse].strides[0]);
  wide(offsetof(M, lse_head), launch.tensors[lse].strides[1]);
  wide(offsetof(M, part_split), launch.tensors[part].strides[0]);
  add_strides(packed, offsetof(M, part_batch), launch.tensors[part].strides);
  wide(offsetof(M, lse_split), launch.tensors[part_lse].strides[0]);

  launch.block = {32, warps, 1};
  launch.grid = {u32((u64(rows) + warps - 1) / warps), 1, 1};
  launch.arguments = {TensorArgument{out}, TensorArgument{lse}, TensorArgument{part}, TensorArgument{part_lse}, packed};
  return launch;
}

}  // namespace

Kernel attention_decode_kernel(const std::string& name, const std::string& description, const std::string& source,
                               const DecodeKernel& kernel, const std::string& counterpart) {
  AttentionTakes takes{.lists = false, .pages = true, .splits = true, .lengths = true};
  takes.checks_tables = kernel.checks_tables;
  return attention_kernel({name, description, source, &attention::family(), counterpart, {}, {}},
                          {.few = kernel.few, .columns = columns_of, .takes = takes},
                          [=](const AttentionProblem& p) { return decode_launch(kernel, p); });
}

Kernel attention_merge_kernel(const std::string& name, const std::string& description, const std::string& source,
                              const DecodeKernel& kernel, const std::string& counterpart) {
  const AttentionTakes takes{.lists = false, .splits = true, .lengths = true};
  return attention_kernel({name, description, source, &attention::family(), counterpart, {}, {}},
                          {.few = kernel.few, .columns = columns_of, .takes = takes},
                          [=](const AttentionProblem& p) { return merge_launch(kernel, p); });
}

std::vector<Kernel> attention_decode_kernels() {
  return {attention_decode_kernel("attention/decode",
                                  "few queries against a cache, contiguous or in pages, in one part or in several",
                                  "kernels/attention/decode.cu", {{"attention_decode"}}, ""),
          attention_merge_kernel("attention/merge", "out and lse of several parts of the keys, put together by lse",
                                 "kernels/attention/merge.cu", {{"attention_merge"}}, "")};
}

}  // namespace ropewalk::kernels
