#include "lib/rope/family_layout.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ropewalk::rope {
namespace {

// Beginnings of model types: "qwen2" stands for qwen2_moe and qwen2_vl_text too.
constexpr std::array neighbours = {"cohere"};
constexpr std::array halves = {"afmoe",
                               "apertus",
                               "arcee",
                               "aria_text",
                               "bitnet",
                               "chameleon",
                               "csm",
                               "dbrx",
                               "deepseek",
                               "diffllama",
                               "doge",
                               "dots1",
                               "esm",
                               "eurobert",
                               "exaone",
                               "falcon",
                               "flex_olmo",
                               "gemma",
                               "glm4v",
                               "gpt_neox",
                               "gpt_oss",
                               "granite",
                               "helium",
                               "hunyuan",
                               "hyperclovax",
                               "jais2",
                               "jetmoe",
                               "llama",
                               "minicpm3",
                               "ministral",
                               "mistral",
                               "mixtral",
                               "modernbert",
                               "moonshine",
                               "moshi",
                               "nemotron",
                               "nomic_bert",
                               "olmo",
                               "persimmon",
                               "phi",
                               "qwen2",
                               "qwen3",
                               "recurrent_gemma",
                               "seed_oss",
                               "smollm3",
                               "stablelm",
                               "starcoder2",
                               "vaultgemma",
                               "zamba2"};

bool begins_with_any(const std::string& name, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view one) { return name.starts_with(one); });
}

}  // namespace

bool puts_sin_first(const std::string& model_type) {
  return begins_with_any(model_type, std::array{"gptj", "codegen", "roformer"});
}

bool puts_height_first(const std::string& model_type) {
  return begins_with_any(model_type, std::array{"qwen2_vl", "qwen2_5_vl", "qwen2_5_omni", "qwen3_vl", "qwen3_5",
                                                "qwen3_omni", "glm4v", "glm_ocr", "ernie4_5_vl", "video_llama_3"});
}

std::optional<ColumnLayout> family_layout(const std::string& model_type) {
  if (begins_with_any(model_type, neighbours)) return ColumnLayout::RepeatedPairs;
  if (model_type.starts_with("gemma4_vision")) return ColumnLayout::RepeatedByAxis;
  // Llama 4 and its tower keep complex numbers.
  if (model_type.starts_with("llama4")) return std::nullopt;
  if (begins_with_any(model_type, halves)) return ColumnLayout::RepeatedHalf;
  return std::nullopt;
}

bool is_frequency_buffer_unused(const std::string& model_type) { return model_type == "chatglm"; }

}  // namespace ropewalk::rope
