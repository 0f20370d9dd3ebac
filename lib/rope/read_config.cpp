#include "lib/rope/read_config.h"

#include <fmt/format.h>

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
  const auto hidden = positive_integer(root, {"hidden_size", "n_embd", "d_model", "dim"});
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
  const auto partial =
      agreed(inside, positive_number(root, {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_percentage"}));
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
  if (has_value(root, "attn_temperature_tuning") && has_value(root, "attn_scale") && !formula.temperature_beta) {
    formula.temperature_beta = optional_positive(root, "attn_scale");
  }
  return formula;
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

RopeConfig read_rope_config(const JsonCursor& root) {
  if (!root.is_object()) root.fail("expected an object, found " + root.description());
  if (has_value(root, "text_config") && !has_rope_fields(root)) return read_rope_config(root.at("text_config"));
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

RopeConfig read_rope_config_file(const std::string& path) {
  const MappedFile file(path);
  const Json document = parse_json(file.text(), path);
  return read_rope_config(JsonCursor(document, path));
}

}  // namespace ropewalk
