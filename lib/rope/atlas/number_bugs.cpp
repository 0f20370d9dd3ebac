#include "lib/rope/atlas/cache_bug.h"

namespace ropewalk::rope {
namespace {

using One = RankMaking&;

const char* const llama_8b = R"({"head_dim": 128, "max_position_embeddings": 2048, "rope_theta": 10000})";

}  // namespace

std::vector<CacheBug> number_bugs() {
  return {
      {.row = 42,
       .title = "zero.Init gives an f32 arange back in bf16",
       .related = {"deepspeedai/DeepSpeed#4932", "huggingface/transformers#28685", "OpenRLHF/OpenRLHF#191"},
       .config = llama_8b,
       .rows = 2048,
       .dtype = Dtype::BF16,
       .mechanism = [](One one) { one.making.position_dtype = Dtype::BF16; },
       .cause = "positions-rounded"},
      {.row = 43,
       .title = "the whole table is computed in f16",
       .related = {"EleutherAI/gpt-neox#1003", "EleutherAI/gpt-neox#1016"},
       .config = R"({"head_dim": 32, "max_position_embeddings": 2048, "rope_theta": 10000})",
       .rows = 2048,
       .dtype = Dtype::F16,
       .mechanism =
           [](One one) {
             one.making.frequency_dtype = one.making.position_dtype = one.making.product_dtype = Dtype::F16;
           },
       .cause = "low-precision-computation"},
      {.row = 44,
       .title = "inv_freq was cast with the model, then the table grew",
       .related = {"huggingface/transformers#25681", "huggingface/transformers#29496"},
       .config = llama_8b,
       .rows = 2048,
       .dtype = Dtype::BF16,
       .mechanism = [](One one) { one.making.frequency_dtype = Dtype::BF16; },
       .tensor = "model.rotary_emb.sin_cached",
       .cause = "inv-freq-rounded"},
      {.row = 48,
       .title = "FSDP's mixed precision casts inv_freq",
       .related = {"pytorch/pytorch#146114", "facebookresearch/fairseq2#480"},
       .config = llama_8b,
       .frequencies_alone = true,
       .mechanism = [](One one) { one.dtype = Dtype::BF16; },
       .tensor = "model.rotary_emb.inv_freq",
       .cause = "inv-freq-rounded"},
      {.row = 54,
       .title = "an old checkpoint brings its own inv_freq, saved in f16",
       .related = {"huggingface/transformers#35255", "EleutherAI/gpt-neox#1161", "karpathy/llama2.c#266"},
       .config = llama_8b,
       .frequencies_alone = true,
       .mechanism = [](One one) { one.dtype = Dtype::F16; },
       .tensor = "model.rotary_emb.inv_freq",
       .cause = "inv-freq-rounded"},
  };
}

}  // namespace ropewalk::rope
