#include "lib/rope/atlas/cache_bug.h"

namespace ropewalk::rope {
namespace {

using One = RankMaking&;

void unscaled(One one) {
  one.making.formula.type = RopeType::Default;
  one.making.formula.attention_factor = 1;
}

const char* const dynamic_config =
    R"({"head_dim": 64, "max_position_embeddings": 256, "rope_theta": 10000, "rope_scaling": {"rope_type": "dynamic", "factor": 4}})";

}  // namespace

std::vector<CacheBug> formula_bugs() {
  return {
      {.row = 20,
       .title = "the exponents run over head_dim, not over the rotary part",
       .related = {"pie-project/pie#602", "pie-project/pie#603"},
       .config =
           R"({"head_dim": 256, "partial_rotary_factor": 0.25, "rope_theta": 10000, "max_position_embeddings": 512})",
       .rows = 512,
       .mechanism = [](One one) { one.making.width = one.making.formula.head_dim; },
       .cause = "head-dim-for-rotary-dim"},
      {.row = 35,
       .title = "an NTK table has the rows of the length before scaling",
       .related = {"vllm-project/vllm#55910", "vllm-project/vllm#52665"},
       .config =
           R"({"head_dim": 64, "max_position_embeddings": 1024, "rope_parameters": {"rope_type": "ntk", "rope_theta": 10000,
               "factor": 4, "original_max_position_embeddings": 256}})",
       .rows = 1024,
       .mechanism = [](One one) { one.rows = one.making.formula.original_positions; },
       .cause = "too-few-rows"},
      {.row = 36,
       .title = "positions are wrapped at the length of a chunk",
       .related = {"pytorch/torchtitan#2849"},
       .config = R"({"head_dim": 64, "max_position_embeddings": 1024, "rope_theta": 500000})",
       .rows = 1024,
       .mechanism = [](One one) { one.making.position = [](i64 row) { return double(row % 384); }; },
       .cause = "position-wrap"},
      {.row = 37,
       .title = "a dynamic NTK table keeps the base of a long prompt",
       .related = {"huggingface/transformers#25306", "huggingface/transformers#27033"},
       .config = dynamic_config,
       .rows = 256,
       .mechanism = [](One one) { one.making.formula_rows = 900; },
       .cause = "scaling-wrong-parameter"},
      {.row = 37,
       .title = "a grown dynamic NTK table keeps its first rows",
       .related = {"huggingface/transformers#25104"},
       .config = dynamic_config,
       .rows = 1024,
       .mechanism =
           [](One one) {
             one.older = one.making;
             one.older->formula_rows = one.older_rows = 256;
           },
       .cause = "stale-rows"},
      {.row = 38,
       .title = "dynamic NTK is static: one base for all lengths",
       .related = {"vllm-project/vllm#5093", "vllm-project/vllm#3488"},
       .config = dynamic_config,
       .rows = 256,
       // The base is that of the longest sequence, factor x length.
       .mechanism = [](One one) { one.making.formula_rows = i64(one.making.formula.factor * 256); },
       .cause = "scaling-wrong-parameter"},
      {.row = 39,
       .title = "theta is not read from the configuration",
       .related = {"vllm-project/vllm#1096", "lyogavin/airllm#368", "vllm-project/vllm#9490"},
       .config = R"({"head_dim": 128, "max_position_embeddings": 512, "rope_theta": 500000})",
       .rows = 512,
       .layout = DumpLayout::Rows,
       .mechanism = [](One one) { one.making.formula.theta = 10000; },
       .tensor = "model.rotary_emb.cos_sin_cache",
       .cause = "wrong-theta"},
      {.row = 40,
       .title = "YaRN is switched off by a short training length",
       .related = {"pytorch/torchtitan#4117", "pytorch/torchtitan#4215"},
       .config =
           R"({"head_dim": 64, "max_position_embeddings": 4096, "rope_parameters": {"rope_type": "yarn", "rope_theta": 10000,
               "factor": 40, "original_max_position_embeddings": 4096}})",
       .rows = 4096,
       .layout = DumpLayout::Complex,
       .mechanism = unscaled,
       .tensor = "model.rotary_emb.freqs_cis",
       .cause = "scaling-missing"},
      {.row = 55,
       .title = "scaling that looks at values is left out on meta",
       .related = {"pytorch/torchtitan#612", "huggingface/transformers#32244"},
       .config =
           R"({"head_dim": 128, "max_position_embeddings": 1024, "rope_parameters": {"rope_type": "llama3", "rope_theta": 500000,
               "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}})",
       .rows = 1024,
       .layout = DumpLayout::Complex,
       .mechanism = unscaled,
       .tensor = "model.rotary_emb.freqs_cis",
       .cause = "scaling-missing"},
      {.row = 58,
       .title = "the second device does not get the rotary width",
       .related = {"ikawrakow/ik_llama.cpp#966"},
       .config =
           R"({"head_dim": 128, "partial_rotary_factor": 0.5, "rope_theta": 10000, "max_position_embeddings": 512})",
       .rows = 512,
       .ranks = 2,
       .layout = DumpLayout::Separate,
       .mechanism =
           [](One one) {
             if (one.rank == 1) one.making.formula.rotary_dim = one.making.formula.head_dim;
           },
       .rule = Rule::RankMismatch,
       .cause = "head-dim-for-rotary-dim"},
  };
}

}  // namespace ropewalk::rope
