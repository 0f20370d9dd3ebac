#include "lib/rope/read_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lib/base/mapped_file.h"
#include "lib/rope/config_fields.h"
#include "lib/rope/read_parameters.h"

namespace ropewalk {
namespace {

i64 read_head_dim(const JsonCursor& root) {
  // DeepSeek's latent attention rotates a part of the head that has a width of its own.
  if (const auto own = positive_integer(root, {"qk_rope_head_dim", "head_dim", "attention_head_size", "kv_channels"})) {
    return *own;
  }
  const auto hidden = positive_integer(root, {"embed_dim", "hidden_size", "n_embd", "d_model", "dim"});
  const auto heads = positive_integer(root, {"num_attention_heads", "n_head", "n_heads", "num_heads"});
  if (!hidden || !heads) root.fail("has neither head_dim nor hidden_size and num_attention_heads");
  if (*hidden % *heads != 0) {
    root.fail(fmt::format("hidden_size {} is no multiple of the {} heads, and head_dim is missing", *hidden, *heads));
  }
  return *hidden / *heads;
}

// The width that is rotated: int(head_dim x partial factor), or what GPT-J says outright.
i64 read_rotary_dim(const JsonCursor& root, const JsonCursor* parameters, i64 head_dim) {
  const auto inside =
      parameters ? positive_number(*parameters, {"partial_rotary_factor"}) : std::optional<FoundNumber>();
  const auto partial = agreed(inside, positive_number(root, {"partial_rotary_factor", "rotary_pct", "rope_pct",
                                                             "rotary_percentage", "rotary_emb_fraction"}));
  const auto outright = positive_integer(root, {"rotary_dim"});
  i64 width = outright.value_or(head_dim);
  if (partial) {
    if (partial->value > 1)
      partial->cursor.fail("expected a part of head_dim, up to 1, found " + partial->cursor.description());
    width = i64(double(head_dim) * partial->value);
    if (outright && *outright != width) {
      root.at("rotary_dim")
          .fail(fmt::format("{} contradicts {}, which makes it {}", *outright, partial->cursor.path(), width));
    }
  }
  const JsonCursor& at = partial ? partial->cursor : outright ? root.at("rotary_dim") : root;
  if (width > head_dim) at.fail(fmt::format("rotary_dim {} is wider than head_dim {}", width, head_dim));
  if (width < 2 || width % 2 != 0)
    at.fail(fmt::format("makes rotary_dim {}, expected an even width of at least 2", width));
  if (width > i64(1) << 20) at.fail(fmt::format("makes rotary_dim {}, which no head has", width));
  return width;
}

bool has_model_type(const JsonCursor& root, std::initializer_list<const char*> beginnings) {
  if (!has_value(root, "model_type") || !root.at("model_type").is_text()) return false;
  const std::string name = root.at("model_type").text();
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* one) { return name.starts_with(one); });
}

// Reads the formula of one object of parameters (null: there is none) with the root's fields around it.
RopeFormula read_formula(const JsonCursor& root, const JsonCursor* parameters, std::optional<FoundNumber> theta) {
  RopeFormula formula;
  formula.head_dim = read_head_dim(root);
  formula.rotary_dim = read_rotary_dim(root, parameters, formula.head_dim);
  if (theta) formula.theta = theta->value;
  if (theta && !(theta->value > 1)) theta->cursor.fail("expected a base above 1, found " + theta->cursor.description());
  formula.max_positions = positive_integer(root, {"max_position_embeddings", "n_positions", "max_seq_len"}).value_or(0);
  const auto outer = positive_integer(root, {"original_max_position_embeddings"});
  const auto inner = parameters ? positive_integer(*parameters, {"original_max_position_embeddings"}) : std::nullopt;
  if (outer && inner && *outer != *inner) {
    parameters->at("original_max_position_embeddings")
        .fail(fmt::format("{} contradicts original_max_position_embeddings, which is {}", *inner, *outer));
  }
  formula.original_positions = inner.value_or(outer.value_or(0));
  if (parameters) read_rope_parameters(*parameters, formula);
  // ERNIE-4.5-VL's sections are those of height, width and time.
  if (formula.axes == RopeAxes::Sections && has_model_type(root, {"ernie4_5_vl", "ernie4_5_moe_vl"})) {
    formula.axes = RopeAxes::Ernie;
  }
  if (has_value(root, "rotary_emb_scale_base")) {
    formula.xpos_scale_base = optional_positive(root, "rotary_emb_scale_base");
  }
  if (has_value(root, "attn_temperature_tuning") && has_value(root, "attn_scale") && !formula.temperature_beta) {
    formula.temperature_beta = optional_positive(root, "attn_scale");
  }
  return formula;
}

// Qwen2-VL's towers have one axis for the row and one for the column, whether the configuration says it or not.
bool is_axial_tower(const JsonCursor& vision) {
  if (has_value(vision, "rope_parameters") && vision.at("rope_parameters").is_object()) {
    const JsonCursor parameters = vision.at("rope_parameters");
    return has_value(parameters, "rope_type") && parameters.at("rope_type").is_text() &&
           parameters.at("rope_type").text() == "axial";
  }
  return has_model_type(vision, {"qwen2_vl", "qwen2_5_vl", "qwen3_vl"});
}

// The vision tower beside a language model: its modules are called "visual".
void add_tower(const JsonCursor& root, RopeConfig& config) {
  if (!has_value(root, "vision_config") || !root.at("vision_config").is_object()) return;
  const JsonCursor vision = root.at("vision_config");
  if (!is_axial_tower(vision)) return;
  RopeConfig tower = read_rope_config(vision);
  tower.entries.front().layer_type = "visual";
  tower.entries.front().formula.axes = RopeAxes::Vision;
  config.entries.push_back(std::move(tower.entries.front()));
}

bool is_by_layer_type(const JsonCursor& parameters) {
  if (!parameters.is_object() || parameters.size() == 0) return false;
  for (const auto& [name, member] : parameters.members()) {
    if (!member.is_object() && !member.value().is_null()) return false;
  }
  return true;
}

// rope_parameters, or rope_scaling; both only where they are equal.
std::optional<JsonCursor> parameters_of(const JsonCursor& root) {
  const bool has_new = has_value(root, "rope_parameters"), has_old = has_value(root, "rope_scaling");
  if (has_new && has_old && root.at("rope_parameters").value() != root.at("rope_scaling").value()) {
    root.at("rope_scaling").fail("contradicts rope_parameters; only one of the two may be there");
  }
  if (!has_new && !has_old) return std::nullopt;
  const JsonCursor found = root.at(has_new ? "rope_parameters" : "rope_scaling");
  if (!found.is_object()) found.fail("expected an object, found " + found.description());
  return found;
}

bool has_rope_fields(const JsonCursor& root) {
  for (const char* name : {"rope_parameters", "rope_scaling", "rope_theta", "rotary_emb_base", "rotary_dim", "head_dim",
                           "hidden_size", "n_embd", "d_model"}) {
    if (has_value(root, name)) return true;
  }
  return false;
}

}  // namespace

namespace {

// Of the object itself, without the towers beside it.
RopeConfig read_entries(const JsonCursor& root) {
  const auto outer_theta = positive_number(root, {"rope_theta", "rotary_emb_base", "global_rope_theta"});
  const auto local_theta = positive_number(root, {"rope_local_base_freq", "local_rope_theta"});
  const std::optional<JsonCursor> parameters = parameters_of(root);
  RopeConfig config;
  if (parameters && is_by_layer_type(*parameters)) {
    for (const auto& [layer_type, member] : parameters->members()) {
      if (member.value().is_null()) continue;
      const auto theta = positive_number(member, {"rope_theta"});
      config.entries.push_back({layer_type, read_formula(root, &member, theta ? theta : outer_theta)});
    }
    if (config.entries.empty()) parameters->fail("no layer type has parameters");
    return config;
  }
  const auto inner_theta = parameters ? positive_number(*parameters, {"rope_theta"}) : std::nullopt;
  const auto theta = agreed(outer_theta, inner_theta);
  config.entries.push_back({"", read_formula(root, parameters ? &*parameters : nullptr, theta)});
  if (local_theta) {
    // Gemma 3 scales its global layers alone.
    config.entries.front().layer_type = "full_attention";
    config.entries.push_back({"sliding_attention", read_formula(root, nullptr, local_theta)});
  }
  return config;
}

}  // namespace

RopeConfig read_rope_config(const JsonCursor& root) {
  if (!root.is_object()) root.fail("expected an object, found " + root.description());
  const bool inner = has_value(root, "text_config") && !has_rope_fields(root);
  RopeConfig config = inner ? read_rope_config(root.at("text_config")) : read_entries(root);
  add_tower(root, config);
  return config;
}

RopeConfig read_rope_config_file(const std::string& path) {
  const MappedFile file(path);
  const Json document = parse_json(file.text(), path);
  return read_rope_config(JsonCursor(document, path));
}

}  // namespace ropewalk
