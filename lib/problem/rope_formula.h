// The formula of a rope cache as plain data: which angle belongs to a position and a pair of columns.
//
// Sources: transformers' modeling_rope_utils (default to proportional), vLLM's rotary_embedding layers (ntk, mixed ntk,
// dynamic alpha, deepseek_yarn), flash-attention's RotaryEmbedding (xpos).
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk {

enum class RopeType : u8 {
  Default,
  Linear,
  Dynamic,
  DynamicAlpha,
  Yarn,
  DeepseekYarn,
  LongRope,
  Llama3,
  Proportional,
  Ntk,
  MixedNtk
};
// "default", "linear", ...
std::string_view name_of(RopeType type);
// Fast pairs are kept, slow ones divided, with a ramp between them.
constexpr bool has_ramp(RopeType type) {
  return type == RopeType::Yarn || type == RopeType::DeepseekYarn || type == RopeType::Llama3;
}
std::optional<RopeType> rope_type_named(std::string_view name);
const std::vector<RopeType>& all_rope_types();

// How columns share several position axes (time, height, width).
enum class RopeAxes : u8 {
  One,                  // text: one position a row
  Sections,             // Qwen2-VL: blocks of columns, axis after axis
  InterleavedSections,  // Qwen3-VL: pair c has axis c mod 3 while that axis's section lasts, else the first
  Ernie,                // ERNIE-4.5-VL: sections [h, w, t]; height and width alternate, time has the last columns
  Vision,               // Qwen2-VL's tower: the first half of the pairs is the row, the second the column
  VisionInterleaved,    // Pixtral: frequencies of even number belong to the row, of odd number to the column
  VisionAlternating,    // Kimi: column and row take turns, each with the frequencies of half of the width
  Series                // Wan, Hunyuan, Flux: blocks of columns, each with a series of frequencies of its own width
};
std::string_view name_of(RopeAxes axes);
// Positions that one row has.
i64 axes_of(RopeAxes axes);

struct RopeFormula {
  RopeType type = RopeType::Default;
  double theta = 10000;
  i64 head_dim = 0;
  i64 rotary_dim = 0;          // columns that are rotated, d; even
  double factor = 1;           // of the scaling
  double alpha = 1;            // dynamic alpha
  i64 max_positions = 0;       // L, max_position_embeddings; 0: not known
  i64 original_positions = 0;  // L0, the length before scaling; 0: not known
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;  // yarn: the borders of the ramp are whole numbers
  std::optional<double> attention_factor, mscale, mscale_all_dim;
  double low_freq_factor = 1, high_freq_factor = 4;
  std::vector<double> short_factor, long_factor;    // longrope, one a pair
  std::optional<double> short_mscale, long_mscale;  // longrope: the attention factor of each set, where they have one
  std::optional<bool> long_set;                     // longrope: which set, whatever the table's length
  double mixed_b = 1;                               // mixed ntk
  RopeAxes axes = RopeAxes::One;
  std::vector<i64> sections;               // pairs by axis, of axes with sections
  std::optional<double> xpos_scale_base;   // XPos: cos and sin grow with the position
  std::optional<double> temperature_beta;  // Llama 4: the query grows with the position; not part of the table

  // Pairs of columns in the table. Only proportional rope has columns that do not turn.
  i64 pairs() const { return (type == RopeType::Proportional ? head_dim : rotary_dim) / 2; }
  // The length before scaling, where it is known by either name.
  i64 trained_positions() const { return original_positions ? original_positions : max_positions; }
  bool operator==(const RopeFormula&) const = default;
};

}  // namespace ropewalk
