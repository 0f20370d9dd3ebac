#include "lib/rope/read_widths.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "lib/rope/layer_types.h"

namespace ropewalk::rope {
namespace {

constexpr const char* named_dims[] = {"qk_rope_head_dim", "head_dim", "attention_head_dim", "attention_head_size",
                                      "kv_channels"};
constexpr i64 widest = i64(1) << 20;

bool is_whole(const JsonCursor& object, const std::string& name) {
  return object.has_value(name) && object.at(name).value().is_number();
}

// The whole number of a field, 0 where it is not there.
i64 whole(const JsonCursor& object, const std::string& name) {
  return is_whole(object, name) ? object.at(name).integer(0, i64(1) << 40) : 0;
}

i64 first_of(const JsonCursor& object, std::span<const char* const> names) {
  for (const char* name : names) {
    if (is_whole(object, name)) return whole(object, name);
  }
  return 0;
}

constexpr const char* width_names[] = {"embed_dim", "hidden_size", "n_embd", "d_model", "dim"};
constexpr const char* head_names[] = {"num_attention_heads", "n_head", "n_heads", "num_heads"};

// The heads, also where only the two sides of a model say them, and say the same.
i64 head_count(const JsonCursor& object) {
  const i64 direct = first_of(object, head_names);
  if (direct || !object.is_object()) return direct;
  std::set<i64> counts;
  for (const auto& [name, member] : object.members()) {
    const bool of_queries = name.ends_with("attention_heads") && name.find("key_value") == std::string::npos;
    if (of_queries && member.value().is_number()) counts.insert(whole(object, name));
  }
  return counts.size() == 1 ? *counts.begin() : 0;
}

// "memory_attention_hidden_size" with "memory_attention_num_attention_heads": a part without an object of its own.
std::vector<i64> dims_of_prefixes(const JsonCursor& object) {
  std::vector<i64> dims;
  const std::string ending = "_hidden_size";
  for (const auto& [name, member] : object.members()) {
    if (!name.ends_with(ending)) continue;
    const std::string prefix = name.substr(0, name.size() - ending.size() + 1);
    const i64 heads = whole(object, prefix + "num_attention_heads");
    if (!heads || !member.value().is_number()) continue;
    const i64 rate = std::max<i64>(1, whole(object, prefix + "downsample_rate"));
    dims.push_back(whole(object, name) / (heads * rate));
  }
  return dims;
}

// Head dims that single layers have in place of the model's: those of the layer type, where the types are listed.
std::vector<i64> dims_of_layers(const JsonCursor& object, const std::string& layer_type) {
  std::vector<i64> dims;
  if (layer_type == "full_attention" && is_whole(object, "global_head_dim"))
    dims.push_back(whole(object, "global_head_dim"));
  if (layer_type == "sliding_attention" && is_whole(object, "swa_head_dim"))
    dims.push_back(whole(object, "swa_head_dim"));
  if (!object.has_value("per_layer_config") || !object.at("per_layer_config").is_object()) return dims;
  for (const auto& [index, layer] : object.at("per_layer_config").members()) {
    if (!is_whole(layer, "head_dim")) continue;
    const u64 n = std::strtoull(index.c_str(), nullptr, 10);
    if (object.has_value("layer_types") && object.at("layer_types").is_array()) {
      const JsonCursor types = object.at("layer_types");
      if (n >= types.size() || !types.element(n).is_text() || types.element(n).text() != layer_type) continue;
    }
    dims.push_back(whole(layer, "head_dim"));
  }
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return dims;
}

// DeepSeek's latent attention rotates a part of the head that has a width of its own.
bool head_is_latent(const JsonCursor& object) { return whole(object, "qk_rope_head_dim") > 0; }

// That of the model_type's class, or the width by the heads, each of which may be the class's; 0: not known. Programs
// divide without asking whether it comes out even.
i64 dim_by_heads(const JsonCursor& object) {
  const FamilyDefaults defaults = family_defaults(model_type_of(object)).value_or(FamilyDefaults{});
  if (defaults.head_dim) return defaults.head_dim;
  const i64 said = head_count(object), width = model_width(object);
  const bool says_none =
      !said && std::ranges::any_of(head_names, [&](const char* name) { return is_whole(object, name); });
  const i64 heads = said || says_none ? said : defaults.heads, hidden = width ? width : defaults.width;
  return heads ? hidden * defaults.head_times / heads : 0;
}

struct HeadDim {
  i64 dim = 0;
  bool latent = false;  // qk_rope_head_dim: the rotated part by itself
  bool sure = true;
};

std::vector<HeadDim> head_dims(const JsonCursor& object, const std::string& layer_type) {
  std::vector<HeadDim> dims;
  for (const i64 dim : dims_of_layers(object, layer_type)) dims.push_back({dim});
  // Where the types of the layers are listed, nothing is left open.
  if (!dims.empty() && object.has_value("layer_types")) return dims;
  for (const char* name : named_dims) {
    if (!is_whole(object, name)) continue;
    const bool latent = std::string(name) == "qk_rope_head_dim";
    if (latent && whole(object, name) == 0) throw UnknownFormula(object, "qk_rope_head_dim is 0: no rope");
    if (whole(object, name) > 0) dims.push_back({whole(object, name), latent});
  }
  if (!dims.empty()) return dims;
  if (const i64 dim = dim_by_heads(object)) return {{dim}};
  for (const i64 dim : dims_of_prefixes(object)) dims.push_back({dim, false, false});
  if (!dims.empty()) return dims;
  for (const char* name : head_names) {
    if (!is_whole(object, name)) continue;
    for (const char* width : width_names) {
      if (object.has_value(width) && whole(object, width) == 0)
        object.at(width).fail("expected at least 1, found " + object.at(width).description());
    }
    if (whole(object, name) == 0) object.at(name).fail("expected at least 1, found " + object.at(name).description());
  }
  object.fail("has neither head_dim nor hidden_size and num_attention_heads");
  return dims;
}

}  // namespace

i64 model_width(const JsonCursor& object) { return first_of(object, width_names); }

bool has_widths(const JsonCursor& object) {
  if (!object.is_object()) return false;
  for (const char* name : named_dims) {
    if (is_whole(object, name)) return true;
  }
  if (is_whole(object, "rotary_dim") || dim_by_heads(object)) return true;
  return !dims_of_prefixes(object).empty();
}

std::vector<RopeWidth> read_widths(const JsonCursor& object, const JsonCursor* parameters,
                                   const std::string& layer_type) {
  const auto inside =
      parameters ? positive_number(*parameters, {"partial_rotary_factor"}) : std::optional<FoundNumber>();
  const auto outside = positive_number(
      object, {"partial_rotary_factor", "rotary_pct", "rope_pct", "rotary_percentage", "rotary_emb_fraction"});
  const auto listed = object.has_value("partial_rotary_factors")
                          ? number_of_type(object.at("partial_rotary_factors"), read_layer_types(object), layer_type)
                          : std::optional<FoundNumber>();
  // Each layer type may have a part of its own.
  const bool is_own = !layer_type.empty() && (inside || listed);
  const auto partial = is_own ? (inside ? inside : listed) : agreed(inside, outside);
  const auto defaults = family_defaults(model_type_of(object));
  // Beside parameters it may not be read at all: the newer form says the rotated part among them.
  const bool is_inside = parameters && is_whole(*parameters, "rotary_dim");
  const JsonCursor& of_width = is_inside ? *parameters : object;
  const i64 said = whole(of_width, "rotary_dim");
  const i64 outright = said || partial || !defaults ? said : defaults->rotary_dim;
  std::vector<RopeWidth> widths;
  for (const HeadDim& head : head_dims(object, layer_type)) {
    if (!widths.empty() && !partial && head_is_latent(object)) break;
    RopeWidth width{head.dim, head.dim, head.sure, partial || outright || head.latent || defaults};
    if (!partial && !head.latent && defaults) {
      width.rotary_dim = i64(double(head.dim) * defaults->partial);
      if (defaults->partial > 1) width = {width.rotary_dim, width.rotary_dim, false};
    }
    if (outright) width.rotary_dim = outright;
    if (partial && !head.latent) {
      width.rotary_dim = i64(double(head.dim) * partial->value);
      // More than the head: what is rotated is not one head, in a family that means it.
      if (partial->value > 1 && !(defaults && defaults->partial > 1))
        partial->cursor.fail("expected a part of the head, at most 1, found " + partial->cursor.description());
      if (partial->value > 1) width = {width.rotary_dim, width.rotary_dim, false};
      if (outright && outright != width.rotary_dim) {
        of_width.at("rotary_dim")
            .fail(fmt::format("{} contradicts {}, which makes it {}", outright, partial->cursor.path(),
                              width.rotary_dim));
      }
    }
    const JsonCursor& at = partial ? partial->cursor : said ? of_width.at("rotary_dim") : object;
    if (width.rotary_dim > width.head_dim)
      at.fail(fmt::format("rotary_dim {} is wider than head_dim {}", width.rotary_dim, width.head_dim));
    if (width.rotary_dim > widest) at.fail(fmt::format("makes rotary_dim {}, which no head has", width.rotary_dim));
    if (std::find(widths.begin(), widths.end(), width) == widths.end()) widths.push_back(width);
  }
  if (outright && parameters && !partial && !is_inside) {
    const RopeWidth whole_head{widths.front().head_dim, widths.front().head_dim, widths.front().sure, true};
    if (whole_head.rotary_dim != outright) widths.push_back(whole_head);
  }
  const i64 first = widths.front().rotary_dim;
  if (first < 2 || first % 2 != 0) {
    throw UnknownFormula(object, fmt::format("rotary_dim is {}, expected an even width of at least 2", first));
  }
  std::erase_if(widths, [](const RopeWidth& one) { return one.rotary_dim < 2 || one.rotary_dim % 2 != 0; });
  return widths;
}

}  // namespace ropewalk::rope
