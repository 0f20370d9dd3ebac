#include "lib/rope/atlas/cache_bug.h"

namespace ropewalk::rope {
namespace {

using One = RankMaking&;

const char* const small_llama = R"({"head_dim": 64, "max_position_embeddings": 512, "rope_theta": 10000})";

}  // namespace

std::vector<CacheBug> memory_bugs() {
  return {
      {.row = 49,
       .title = "reset_parameters does not build the table after to_empty",
       .related = {"Lightning-AI/litgpt#862", "Lightning-AI/litgpt#887", "Lightning-AI/litgpt#993"},
       .config = small_llama,
       .rows = 512,
       .ranks = 2,
       .mechanism = [](One one) { one.memory = MemoryHolds::Weights; },
       .cause = "uninitialized-memory"},
      {.row = 50,
       .title = "inv_freq is what memory held after to_empty",
       .related = {"huggingface/transformers#34234", "huggingface/transformers#45902",
                   "huggingface/transformers#48892"},
       .config = small_llama,
       .frequencies_alone = true,
       .mechanism = [](One one) { one.memory = MemoryHolds::Bits; },
       .tensor = "model.rotary_emb.inv_freq",
       .cause = "uninitialized-memory"},
      {.row = 51,
       .title = "only rank 0 has a table, the others were built on meta",
       .related = {"NovaSky-AI/SkyRL#1709", "EvolvingLMMs-Lab/lmms-engine#185", "hiyouga/LLaMA-Factory#10820"},
       .config = small_llama,
       .rows = 512,
       .ranks = 4,
       .mechanism =
           [](One one) {
             if (one.rank > 0) one.memory = MemoryHolds::Zeros;
           },
       .rule = Rule::RankMismatch,
       .cause = "uninitialized-memory"},
      {.row = 52,
       .title = "HSDP broadcasts inside nodes first: node 1 shares garbage",
       .related = {"pytorch/pytorch#178569"},
       .config = small_llama,
       .rows = 512,
       .ranks = 4,
       .layout = DumpLayout::Rows,
       .mechanism =
           [](One one) {
             if (one.rank >= 2) one.memory = MemoryHolds::Activations;
           },
       .rule = Rule::RankMismatch,
       .tensor = "model.rotary_emb.cos_sin_cache",
       .cause = "uninitialized-memory"},
  };
}

}  // namespace ropewalk::rope
