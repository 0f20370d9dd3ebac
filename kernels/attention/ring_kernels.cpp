#include "kernels/attention/ring_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "kernels/attention/attention_launch.h"
#include "kernels/attention/ring_arguments.h"
#include "kernels/checked_in_ptx.h"
#include "kernels/launch_parts.h"
#include "lib/base/random.h"
#include "lib/families/attention/attention_family.h"
#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::kernels {
namespace {

constexpr i64 no_stream = -1;  // of tensors that hold no numbers yet

// Puts a launch together rank by rank. Tensors are numbered in the order in which they are added.
class RingLaunch {
 public:
  RingLaunch(const RingKernel& kernel, const AttentionProblem& whole)
      : ranks_(whole.ranks), zigzag_(whole.zigzag), part_(part_of_rank(whole)) {
    const i64 columns = part_.columns_of_values();
    launch_.module = checked_in_module(kernel.entries.stem);
    launch_.entry =
        attention_entry(kernel.entries.prefix, part_, kernel.backward ? std::max(part_.head_dim, columns) : columns);
    launch_.block = {32, 4, 1};
  }

  Launch forward() {
    using A = RingArguments;
    StructArgument to{sizeof(RingOutputs), {}}, from{sizeof(RingInputs), {}}, packed{sizeof(A), {}};
    const i64 columns = part_.columns_of_values();
    AttentionTensors first;
    first.out = outputs(to, offsetof(RingOutputs, out), "out", query_rows(part_, "", columns, part_.out_gap, 0), true);
    // -inf where a row sees nothing.
    first.lse = outputs(to, offsetof(RingOutputs, lse), "lse", number_by_query(part_, ""), false);
    inputs_of(from, offsetof(RingInputs, q), offsetof(RingInputs, k), offsetof(RingInputs, v), first);
    launch_.grid = {u32(ranks_ * part_.sequences() * part_.heads * query_tiles_of(part_)), 1, 1};
    finish(packed, offsetof(A, ranks), offsetof(A, zigzag), first);
    launch_.arguments = {to, from, packed};
    return std::move(launch_);
  }

  Launch backward() {
    using A = RingBackwardArguments;
    using B = AttentionBackwardArguments;
    using G = RingGradients;
    using I = RingBackwardInputs;
    StructArgument to{sizeof(G), {}}, from{sizeof(I), {}}, packed{sizeof(A), {}};
    const i64 columns = part_.columns_of_values();
    const bool finite = has_finite_gradients(part_);
    const u32 dq = outputs(to, offsetof(G, dq), "dq", query_rows(part_, "", part_.head_dim, part_.out_gap, 0), finite);
    const u32 dk = outputs(to, offsetof(G, dk), "dk", key_rows(part_, "", part_.head_dim, part_.out_gap, 0), finite);
    const u32 dv = outputs(to, offsetof(G, dv), "dv", key_rows(part_, "", columns, part_.out_gap, 0), finite);
    AttentionTensors first;
    inputs_of(from, offsetof(I, q), offsetof(I, k), offsetof(I, v), first);
    first.out = inputs(from, offsetof(I, dout), "dout", query_rows(part_, "", columns, part_.out_gap, 0), 4);
    LaunchTensor lse = number_by_query(part_, "");
    lse.init = Fill{0x1p127};
    first.lse = inputs(from, offsetof(I, lse), "lse", lse, no_stream);
    inputs(from, offsetof(I, delta), "delta", number_by_query(part_, ""), no_stream);
    const i64 query_blocks = ranks_ * part_.sequences() * part_.heads * query_tiles_of(part_);
    const i64 key_blocks = ranks_ * part_.sequences() * part_.heads_of_keys() * key_tiles_of(part_);
    launch_.grid = {u32(query_blocks + key_blocks), 1, 1};
    finish(packed, offsetof(A, ranks), offsetof(A, zigzag), first);
    packed.parts.push_back({offsetof(B, key_tiles), argument_i32(key_tiles_of(part_))});
    packed.parts.push_back({offsetof(B, query_blocks), argument_i32(query_blocks)});
    add_strides(packed, offsetof(B, dq_batch), launch_.tensors[dq].strides);
    add_strides(packed, offsetof(B, dk_batch), launch_.tensors[dk].strides);
    add_strides(packed, offsetof(B, dv_batch), launch_.tensors[dv].strides);
    launch_.arguments = {to, from, packed};
    return std::move(launch_);
  }

 private:
  // Adds the tensor once for each rank, and pointers from `at` on; gives the number of the first.
  u32 outputs(StructArgument& packed, u64 at, const char* name, const LaunchTensor& tensor, bool finite) {
    return by_rank(packed, at, name, [&](i64) { return output_of(tensor, finite); });
  }
  u32 inputs(StructArgument& packed, u64 at, const char* name, const LaunchTensor& tensor, i64 stream) {
    return by_rank(packed, at, name, [&](i64 rank) {
      LaunchTensor own = tensor;
      // Rank 0 has the numbers of a launch without a ring.
      AttentionProblem drawn = part_;
      if (rank > 0) drawn.seed = mix(part_.seed ^ mix(u64(rank)));
      if (stream != no_stream) own.init = attention_input(drawn, own.shape, u64(stream));
      return own;
    });
  }
  template <class Tensor>
  u32 by_rank(StructArgument& packed, u64 at, const char* name, Tensor tensor_of) {
    const u32 first = u32(launch_.tensors.size());
    for (i64 rank = 0; rank < ranks_; ++rank) {
      LaunchTensor tensor = tensor_of(rank);
      tensor.name = fmt::format("{}.rank{}", name, rank);
      if (!tensor.regions.empty()) tensor.regions.front().name = tensor.name;
      packed.parts.push_back({at + u64(rank) * sizeof(void*), TensorArgument{add_tensor(launch_, std::move(tensor))}});
    }
    return first;
  }

  void inputs_of(StructArgument& packed, u64 q, u64 k, u64 v, AttentionTensors& first) {
    first.q = inputs(packed, q, "q", query_rows(part_, "", part_.head_dim, part_.q_gap, part_.token_gap), 0);
    first.k = inputs(packed, k, "k", key_rows(part_, "", part_.head_dim, part_.k_gap, part_.token_gap), 1);
    first.v = inputs(packed, v, "v", key_rows(part_, "", part_.columns_of_values(), part_.v_gap, part_.token_gap), 2);
  }

  void finish(StructArgument& packed, u64 ranks_at, u64 zigzag_at, const AttentionTensors& first) {
    add_attention_arguments(launch_, packed, part_, first);
    packed.parts.push_back({ranks_at, argument_i32(ranks_)});
    packed.parts.push_back({zigzag_at, argument_i32(zigzag_)});
  }

  const i64 ranks_;
  const bool zigzag_;
  const AttentionProblem part_;
  Launch launch_;
};

}  // namespace

Kernel attention_ring_kernel(const std::string& name, const std::string& description, const std::string& source,
                             const RingKernel& kernel, const std::string& counterpart) {
  AttentionForm form{kernel.few};
  form.columns = kernel.backward ? [](const AttentionProblem& p) { return std::max(p.head_dim, p.columns_of_values()); }
                                 : [](const AttentionProblem& p) { return p.columns_of_values(); };
  form.takes.ranks = true;
  return attention_kernel({name, description, source, &attention::family(), counterpart, {}, {}, kernel.backward}, form,
                          [=](const AttentionProblem& p) {
                            RingLaunch launch(kernel, p);
                            return kernel.backward ? launch.backward() : launch.forward();
                          });
}

std::vector<Kernel> attention_ring_kernels() {
  return {attention_ring_kernel("attention/ring", "attention over the ranks of a ring, merged by lse",
                                "kernels/attention/ring.cu", {{"attention_ring"}}, ""),
          attention_ring_kernel("attention/ring-backward", "gradients of q, k and v over the ranks of a ring",
                                "kernels/attention/ring_backward.cu", {{"attention_ring_backward"}, true}, "")};
}

}  // namespace ropewalk::kernels
