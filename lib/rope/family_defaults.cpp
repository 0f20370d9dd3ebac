#include "lib/rope/family_defaults.h"

#include <map>

namespace ropewalk::rope {

std::optional<FamilyDefaults> family_defaults(const std::string& model_type) {
  static const std::map<std::string, FamilyDefaults> families = {
      {"arcee", {}},
      {"chatglm", {1e4, 0, 0.5}},
      {"cohere", {}},
      {"cohere2", {}},
      {"deepseek_v2", {}},
      {"deepseek_v3", {}},
      {"gemma", {1e4, 256}},
      {"gemma2", {1e4, 256}},
      {"glm", {1e4, 128, 0.5}},
      {"glm4", {1e4, 128, 0.5}},
      {"gpt_neox", {1e4, 0, 0.25}},
      {"gpt_oss", {1.5e5, 64, 1, true}},
      {"granite", {}},
      {"internlm2", {}},
      {"llama", {}},
      {"minicpm", {}},
      {"minicpm3", {}},
      {"mistral", {}},
      {"mixtral", {1e6}},
      {"nemotron", {1e4, 0, 0.5}},
      {"olmo", {}},
      {"olmo2", {}},
      {"olmoe", {}},
      {"persimmon", {2.5e4, 0, 0.5}},
      {"phi", {1e4, 0, 0.5}},
      {"phi3", {}},
      {"phimoe", {1e6}},
      {"qwen2", {}},
      {"qwen2_moe", {}},
      {"qwen3", {1e4, 128}},
      {"qwen3_moe", {}},
      {"roformer", {}},
      {"stablelm", {1e4, 0, 0.25}},
      {"starcoder2", {}},
  };
  const auto found = families.find(model_type);
  return found == families.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace ropewalk::rope
