#include "kernels/attention/backward_kernels.h"

#include <algorithm>
#include <cstddef>

#include "kernels/attention/arguments.h"
#include "kernels/attention/attention_launch.h"
#include "kernels/checked_in_ptx.h"
#include "kernels/launch_parts.h"
#include "lib/families/attention/attention_family.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {
namespace {

Launch backward_launch(const BackwardKernel& kernel, const AttentionProblem& p) {
  using B = AttentionBackwardArguments;
  Launch launch;
  launch.module = checked_in_module(kernel.entries.stem);
  launch.entry = attention_entry(kernel.entries.prefix, p, widest_head(p));
  const auto output = [&](LaunchTensor tensor) {
    return add_tensor(launch, output_of(std::move(tensor), has_finite_gradients(p)));
  };
  const u32 dq = output(query_rows(p, "dq", p.head_dim, p.out_gap, 0));
  const u32 dk = output(key_rows(p, "dk", p.head_dim, p.out_gap, 0));
  const u32 dv = output(key_rows(p, "dv", p.columns_of_values(), p.out_gap, 0));
  AttentionTensors tensors = add_attention_inputs(launch, p);
  LaunchTensor dout = query_rows(p, "dout", p.columns_of_values(), p.out_gap, 0);
  dout.init = attention_input(p, dout.shape, 4);
  tensors.out = add_tensor(launch, std::move(dout));
  LaunchTensor lse = number_by_query(p, "lse"), delta = number_by_query(p, "delta");
  lse.init = Fill{0x1p127};
  delta.init = Fill{0};
  tensors.lse = add_tensor(launch, std::move(lse));
  const u32 delta_number = add_tensor(launch, std::move(delta));

  StructArgument packed{sizeof(B), {}};
  add_attention_arguments(launch, packed, p, tensors);
  const i64 query_blocks = p.sequences() * p.heads * query_tiles_of(p);
  packed.parts.push_back({offsetof(B, key_tiles), argument_i32(key_tiles_of(p))});
  packed.parts.push_back({offsetof(B, query_blocks), argument_i32(query_blocks)});
  add_strides(packed, offsetof(B, dq_batch), launch.tensors[dq].strides);
  add_strides(packed, offsetof(B, dk_batch), launch.tensors[dk].strides);
  add_strides(packed, offsetof(B, dv_batch), launch.tensors[dv].strides);

  launch.block = {32, 4, 1};
  launch.grid = {u32(query_blocks + p.sequences() * p.heads_of_keys() * key_tiles_of(p)), 1, 1};
  for (const u32 tensor : {dq, dk, dv, tensors.q, tensors.k, tensors.v, tensors.out, tensors.lse, delta_number}) {
    launch.arguments.push_back(TensorArgument{tensor});
  }
  launch.arguments.push_back(packed);
  return launch;
}

}  // namespace

Kernel attention_backward_kernel(const std::string& name, const std::string& description, const std::string& source,
                                 const BackwardKernel& kernel, const std::string& counterpart) {
  return attention_kernel({name, description, source, &attention::family(), counterpart, {}, {}, true},
                          {kernel.few, widest_head},
                          [=](const AttentionProblem& p) { return backward_launch(kernel, p); });
}

std::vector<Kernel> attention_backward_kernels() {
  return {attention_backward_kernel("attention/backward", "gradients of q, k and v, from lse and delta of the forward",
                                    "kernels/attention/backward.cu", {{"attention_backward"}}, "")};
}

}  // namespace ropewalk::kernels
