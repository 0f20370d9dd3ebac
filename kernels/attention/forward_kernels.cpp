#include "kernels/attention/forward_kernels.h"

#include "kernels/attention/arguments.h"
#include "kernels/attention/attention_launch.h"
#include "kernels/checked_in_ptx.h"
#include "kernels/launch_parts.h"
#include "lib/families/attention/attention_family.h"
#include "lib/problem/attention.h"

namespace ropewalk::kernels {
namespace {

i64 columns_of_entry(const ForwardKernel& kernel, const AttentionProblem& p) {
  return kernel.tensor_cores ? widest_head(p) : p.columns_of_values();
}

Launch forward_launch(const ForwardKernel& kernel, const AttentionProblem& p) {
  Launch launch;
  launch.module = checked_in_module(kernel.entries.stem);
  launch.entry = attention_entry(kernel.entries.prefix, p, columns_of_entry(kernel, p));
  const u32 out = add_tensor(launch, output_of(query_rows(p, "out", p.columns_of_values(), p.out_gap, 0), true));
  // -inf where a row sees nothing.
  const u32 lse = add_tensor(launch, output_of(number_by_query(p, "lse"), false));
  AttentionTensors tensors = add_attention_inputs(launch, p);
  tensors.out = out;
  tensors.lse = lse;
  StructArgument packed{sizeof(AttentionArguments), {}};
  add_attention_arguments(launch, packed, p, tensors);

  launch.block = {32, 4, 1};
  const i64 all_heads = p.sequences() * p.heads, query_tiles = query_tiles_of(p);
  const i64 tiles = kernel.tensor_cores ? (query_tiles + 3) / 4 : query_tiles;
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
  launch.arguments = {TensorArgument{out},       TensorArgument{lse},       TensorArgument{tensors.q},
                      TensorArgument{tensors.k}, TensorArgument{tensors.v}, packed};
  return launch;
}

}  // namespace

Kernel attention_forward_kernel(const std::string& name, const std::string& description, const std::string& source,
                                const ForwardKernel& kernel, const std::string& counterpart) {
  AttentionForm form{kernel.few};
  form.takes.checks_lists = kernel.checks_lists;
  form.halves = kernel.tensor_cores;
  form.columns = [=](const AttentionProblem& p) { return columns_of_entry(kernel, p); };
  return attention_kernel({name, description, source, &attention::family(), counterpart, {}, {}}, form,
                          [=](const AttentionProblem& p) { return forward_launch(kernel, p); });
}

std::vector<Kernel> attention_forward_kernels() {
  ForwardKernel tensor_cores{{"attention_forward_mma"}};
  tensor_cores.tensor_cores = true;
  return {attention_forward_kernel("attention/forward", "attention with an online softmax, out and lse",
                                   "kernels/attention/forward.cu", {{"attention_forward"}}, ""),
          attention_forward_kernel("attention/forward-mma", "the same on tensor cores, for f16 and bf16",
                                   "kernels/attention/forward_mma.cu", tensor_cores, "")};
}

}  // namespace ropewalk::kernels
