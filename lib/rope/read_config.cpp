#include "lib/rope/read_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/rope/config_fields.h"
#include "lib/rope/family_defaults.h"
#include "lib/rope/own_formats.h"
#include "lib/rope/read_parameters.h"
#include "lib/rope/read_widths.h"
#include "reference/rope_table.h"

namespace ropewalk::rope {
namespace {

using Entry = RopeConfig::Entry;

constexpr const char* theta_names[] = {"rope_theta",  "rotary_emb_base",   "global_rope_theta", "rotary_embedding_base",
                                       "rotary_base", "rope_freq_constant"};

constexpr const char* local_theta_names[] = {"rope_local_base_freq", "local_rope_theta", "swa_rope_theta"};

// Whether a field is a list with a value for each layer.
bool is_by_layer(const JsonCursor& object, const char* name) {
  return object.has_value(name) && object.at(name).is_array();
}

std::optional<FoundNumber> theta_under(const JsonCursor& object, std::span<const char* const> names) {
  std::optional<FoundNumber> theta;
  for (const char* name : names) {
    if (!is_by_layer(object, name)) theta = agreed(theta, positive_number(object, {name}));
  }
  return theta;
}

// Numbers whose names say that they are bases of frequencies, of fields that are not known here; also those of an
// object `rotary` or `rope`.
std::vector<std::string> unknown_thetas(const JsonCursor& object) {
  const auto is_known = [](const std::string& name) {
    return std::ranges::find(theta_names, name) != std::end(theta_names) ||
           std::ranges::find(local_theta_names, name) != std::end(local_theta_names);
  };
  const auto has = [](const std::string& name, std::string_view part) { return name.find(part) != name.npos; };
  const auto is_base = [&](const std::string& name) { return has(name, "base") || has(name, "theta"); };
  std::vector<std::string> unknown;
  for (const auto& [name, member] : object.members()) {
    const bool is_of_rope = has(name, "rope") || has(name, "rotary");
    if (is_of_rope && is_base(name) && member.value().is_number() && !is_known(name)) unknown.push_back(name);
    if (!(name == "rotary" || name == "rope") || !member.is_object()) continue;
    for (const auto& [inner, number] : member.members()) {
      if (is_base(inner) && number.value().is_number()) unknown.push_back(name + "." + inner);
    }
  }
  return unknown;
}

bool has_model_type(const JsonCursor& object, std::initializer_list<const char*> beginnings) {
  const std::string name = model_type_of(object);
  return std::any_of(beginnings.begin(), beginnings.end(), [&](const char* one) { return name.starts_with(one); });
}

// Whether the object says anything of rope itself.
bool has_rope_fields(const JsonCursor& object) {
  for (const char* name : theta_names) {
    if (object.has_value(name)) return true;
  }
  for (const char* name : {"rope_parameters", "rope_scaling", "rotary_dim", "rotary_pct", "partial_rotary_factor",
                           "rotary_emb_fraction", "head_dim", "qk_rope_head_dim"}) {
    if (object.has_value(name)) return true;
  }
  return object.has_value("position_embedding_type") && object.at("position_embedding_type").is_text() &&
         object.at("position_embedding_type").text() == "rotary";
}

// An encoder of images or videos: what it rotates by has more axes than one, unless it says otherwise.
bool sees_images(const JsonCursor& object) { return object.has_value("patch_size"); }

bool is_qwen(const std::string& family) {
  return family.starts_with("qwen2_vl") || family.starts_with("qwen2_5_vl") || family.starts_with("qwen3_vl");
}

bool is_axial(const JsonCursor& object) {
  if (object.has_value("rope_parameters") && object.at("rope_parameters").is_object()) {
    const JsonCursor parameters = object.at("rope_parameters");
    return parameters.has_value("rope_type") && parameters.at("rope_type").is_text() &&
           parameters.at("rope_type").text() == "axial";
  }
  return is_qwen(model_type_of(object)) && sees_images(object);
}

// Widths of the axes, each with a series of its own: how diffusers' video and image models say them.
std::vector<i64> axis_widths(const JsonCursor& object) {
  for (const char* name : {"rope_axes_dim", "axes_dims_rope", "axes_dims", "rope_dim_list"}) {
    if (!object.has_value(name) || !object.at(name).is_array()) continue;
    std::vector<i64> widths;
    for (const JsonCursor& width : object.at(name).elements()) widths.push_back(width.integer(0, i64(1) << 20));
    return widths;
  }
  return {};
}

RopeFormula series_of(RopeFormula formula, const std::vector<i64>& widths) {
  formula.axes = RopeAxes::Series;
  formula.sections.clear();
  formula.rotary_dim = 0;
  for (const i64 width : widths) {
    formula.sections.push_back(width / 2);
    formula.rotary_dim += width / 2 * 2;
  }
  formula.head_dim = std::max(formula.head_dim, formula.rotary_dim);
  return formula;
}

// "image_size" and "patch_size" may be one number, or height and width.
std::optional<std::pair<i64, i64>> extents(const JsonCursor& object, const char* name) {
  if (!object.has_value(name)) return std::nullopt;
  constexpr i64 most = i64(1) << 20;
  const JsonCursor value = object.at(name);
  if (value.value().is_number_integer()) return std::pair(value.integer(1, most), value.integer(1, most));
  if (!value.is_array() || value.size() != 2) return std::nullopt;
  std::vector<i64> both;
  for (const JsonCursor& one : value.elements()) both.push_back(one.integer(1, most));
  return std::pair(both[0], both[1]);
}

// The grid of the model_type's own program, of as many cells as the fields say.
std::optional<ImageGrid> read_image(const JsonCursor& object) {
  std::optional<ImageGrid> image = image_grid_of(model_type_of(object));
  const auto pixels = extents(object, "image_size"), patch = extents(object, "patch_size");
  if (image && pixels && patch) {
    image->height = pixels->first / patch->first;
    image->width = pixels->second / patch->second;
  }
  return image;
}

// The formulas that a tower's fields may stand for, by the axes that it may have.
void add_axes(const JsonCursor& object, Entry& entry) {
  const RopeFormula plain = entry.formula;
  if (plain.type != RopeType::Default) return;
  const std::vector<i64> widths = axis_widths(object);
  if (!widths.empty()) {
    entry.formula = series_of(plain, widths);
    if (entry.formula.rotary_dim < 2) throw UnknownFormula(object, "the axes have no columns");
    return;
  }
  if (const std::optional<ImageGrid> image = read_image(object); image && plain.rotary_dim % 4 == 0) {
    entry.image = image;
    entry.formula.axes = image->axes;
    return;
  }
  const bool axial = is_axial(object);
  if (!axial && !sees_images(object)) return;
  std::vector<RopeFormula> axes;
  const i64 d = plain.rotary_dim;
  const auto with = [&](RopeAxes of, i64 width) {
    RopeFormula formula = plain;
    formula.axes = of;
    formula.rotary_dim = width;
    if (width >= 4) axes.push_back(formula);
  };
  if (d % 4 == 0) with(RopeAxes::Vision, d);
  with(RopeAxes::VisionInterleaved, d);
  if (d % 4 == 0) with(RopeAxes::VisionAlternating, d);
  // Time, height and width with a third of the columns each.
  const i64 third = d / 3 / 2 * 2;
  if (third >= 2) axes.push_back(series_of(plain, {third, third, third}));
  // A patch of three extents is one of a video: Wan gives time what the two others leave.
  const bool video =
      object.has_value("patch_size") && object.at("patch_size").is_array() && object.at("patch_size").size() == 3;
  if (video) axes.push_back(series_of(plain, {d - 4 * (d / 6), 2 * (d / 6), 2 * (d / 6)}));
  if (!axial || axes.empty()) axes.insert(axes.begin(), plain);
  entry.formula = axes.front();
  entry.also.insert(entry.also.end(), axes.begin() + 1, axes.end());
}

// "rotary" and "rope" are this one; "absolute", "nope", ...
bool says_other_embedding(const JsonCursor& object) {
  const char* const name = "position_embedding_type";
  return object.has_value(name) && object.at(name).is_text() && !object.at(name).text().starts_with("ro");
}

constexpr double assumed_theta = 10000;

// nullopt: neither the class of the model_type nor a program of its own says one.
std::optional<double> default_theta(const JsonCursor& object, const std::string& layer_type) {
  if (has_own_format(object)) return 10000;
  const std::optional<FamilyDefaults> defaults = family_defaults(model_type_of(object));
  if (!defaults) return std::nullopt;
  const bool is_local = layer_type == sliding_attention && defaults->local_theta > 0;
  const double theta = is_local ? defaults->local_theta : defaults->theta;
  return theta > 0 ? std::optional(theta) : std::nullopt;
}

// The towers of Qwen's models turn by a row and a column with the same frequencies each, of base 10000, which their
// program has and no field says. A tower without a model_type is of the whole model's family.
void settle_qwen_tower(const JsonCursor& object, const std::string& family, Entry& entry) {
  RopeFormula& formula = entry.formula;
  if (!is_qwen(family) || !sees_images(object) || formula.type != RopeType::Default || formula.rotary_dim % 4) return;
  formula.axes = RopeAxes::Vision;
  formula.sections.clear();
  entry.also.clear();
  entry.sure = entry.theta_said = entry.width_said = true;
}

// Reads the formula of one object of parameters (null: there is none) with the object's fields around it.
RopeFormula read_formula(const JsonCursor& object, const JsonCursor* parameters, const RopeWidth& width,
                         const std::string& layer_type, std::optional<FoundNumber> theta) {
  RopeFormula formula;
  formula.head_dim = width.head_dim;
  formula.rotary_dim = width.rotary_dim;
  formula.theta = default_theta(object, layer_type).value_or(assumed_theta);
  if (theta) formula.theta = theta->value;
  // ChatGLM3 and GLM-4 of THUDM's own program stretch the base (modeling_chatglm.py; vLLM's chatglm.py does the same).
  if (model_type_of(object) == "chatglm") formula.theta *= optional_positive(object, "rope_ratio").value_or(1);
  if (theta && !(theta->value > 1)) theta->cursor.fail("expected a base above 1, found " + theta->cursor.description());
  formula.max_positions =
      positive_integer(object, {"max_position_embeddings", "n_positions", "max_seq_len", "rope_max_seq_len"})
          .value_or(0);
  if (!formula.max_positions && has_model_type(object, {"bailing"}))
    formula.max_positions = positive_integer(object, {"model_max_length"}).value_or(0);
  const auto outer = positive_integer(object, {"original_max_position_embeddings"});
  const auto inner = parameters ? positive_integer(*parameters, {"original_max_position_embeddings"}) : std::nullopt;
  if (outer && inner && *outer != *inner) {
    parameters->at("original_max_position_embeddings")
        .fail(fmt::format("{} contradicts original_max_position_embeddings, which is {}", *inner, *outer));
  }
  formula.original_positions = inner.value_or(outer.value_or(0));
  if (parameters) read_rope_parameters(*parameters, formula);
  // ERNIE-4.5-VL's sections are those of height, width and time; where they are not written they are the usual ones.
  if (has_model_type(object, {"ernie4_5_vl", "ernie4_5_moe_vl"}) && !sees_images(object)) {
    if (formula.sections.empty() && formula.pairs() == 64) formula.sections = {22, 22, 20};
    if (formula.sections.size() == 3) formula.axes = RopeAxes::Ernie;
  }
  if (object.has_value("rotary_emb_scale_base")) {
    formula.xpos_scale_base = optional_positive(object, "rotary_emb_scale_base");
  }
  if (object.has_value("attn_temperature_tuning") && object.has_value("attn_scale") && !formula.temperature_beta) {
    formula.temperature_beta = optional_positive(object, "attn_scale");
  }
  return formula;
}

// One entry with a formula for each width that may be meant.
Entry read_entry(const JsonCursor& object, const JsonCursor* parameters, const std::string& layer_type,
                 std::optional<FoundNumber> theta) {
  Entry entry;
  entry.layer_type = layer_type;
  entry.model_width = model_width(object);
  const std::vector<RopeWidth> widths = read_widths(object, parameters, layer_type);
  const std::optional<FamilyDefaults> defaults = family_defaults(model_type_of(object));
  entry.theta_said = theta || default_theta(object, layer_type);
  const std::vector<std::string> unknown = unknown_thetas(object);
  if (!entry.theta_said && !unknown.empty())
    throw UnknownFormula(object, unknown.front() + " may be its base, and is not known here");
  entry.width_said = widths.front().said;
  const bool is_scaled = defaults && defaults->scaled && !parameters;
  entry.sure =
      entry.theta_said && widths.front().sure && !is_scaled && !says_other_embedding(object) && unknown.empty();
  entry.formula = read_formula(object, parameters, widths.front(), layer_type, theta);
  if (const auto own = formulas_of_own_format(object, entry.formula); !own.empty() && !parameters) {
    entry.formula = own.front();
    entry.also.assign(own.begin() + 1, own.end());
  }
  add_axes(object, entry);
  // vLLM, and transformers before 5, take the ratio of the lengths for longrope's factor though another one is written.
  RopeFormula by_lengths = entry.formula;
  by_lengths.factor = stretch(by_lengths);
  if (by_lengths.type == RopeType::LongRope && by_lengths.original_positions && by_lengths.max_positions &&
      reference::rope_attention(by_lengths) != reference::rope_attention(entry.formula))
    entry.also.push_back(by_lengths);
  for (size_t n = 1; n < widths.size(); ++n) {
    if (widths[n].rotary_dim != widths[0].rotary_dim && entry.formula.type != RopeType::LongRope)
      entry.also.push_back(read_formula(object, parameters, widths[n], layer_type, theta));
  }
  return entry;
}

bool is_by_layer_type(const JsonCursor& parameters) {
  if (!parameters.is_object() || parameters.size() == 0) return false;
  for (const auto& [name, member] : parameters.members()) {
    if (!member.is_object() && !member.value().is_null()) return false;
  }
  return true;
}

// rope_parameters, or rope_scaling; both only where they are equal.
std::optional<JsonCursor> parameters_of(const JsonCursor& object) {
  const bool has_new = object.has_value("rope_parameters"), has_old = object.has_value("rope_scaling");
  if (has_new && has_old && object.at("rope_parameters").value() != object.at("rope_scaling").value()) {
    object.at("rope_scaling").fail("contradicts rope_parameters; only one of the two may be there");
  }
  if (!has_new && !has_old) return std::nullopt;
  const JsonCursor found = object.at(has_new ? "rope_parameters" : "rope_scaling");
  if (!found.is_object()) found.fail("expected an object, found " + found.description());
  return found;
}

// A formula for each type of layer, of lists with a value for each layer (Step 3.5).
std::vector<Entry> entries_of_lists(const JsonCursor& object, const JsonCursor* parameters, const LayerTypes& layers) {
  const std::set<std::string> types(layers.listed.begin(), layers.listed.end());
  std::vector<Entry> entries;
  for (const std::string& type : types) {
    const std::optional<FoundNumber> theta = number_of_type(object.at("rope_theta"), layers, type);
    const bool is_scaled = !is_by_layer(object, "yarn_only_types") ||
                           std::ranges::any_of(object.at("yarn_only_types").elements(), [&](const JsonCursor& one) {
                             return one.is_text() && one.text() == type;
                           });
    entries.push_back(read_entry(object, is_scaled ? parameters : nullptr, type, theta));
  }
  if (entries.empty()) throw UnknownFormula(object, "rope_theta is a list, and the types of the layers are not listed");
  return entries;
}

// Of the object itself, without the parts inside it.
std::vector<Entry> entries_of(const JsonCursor& object, const LayerTypes& layers) {
  // DBRX has an object for what its attention is made of.
  const bool has_inside = object.has_value("attn_config") && object.at("attn_config").is_object();
  const auto outer_theta =
      agreed(theta_under(object, theta_names),
             has_inside ? theta_under(object.at("attn_config"), theta_names) : std::optional<FoundNumber>());
  const auto local_theta = theta_under(object, local_theta_names);
  const std::optional<JsonCursor> parameters = parameters_of(object);
  std::vector<Entry> entries;
  if (parameters && is_by_layer_type(*parameters)) {
    for (const auto& [layer_type, member] : parameters->members()) {
      if (member.value().is_null()) continue;
      const auto theta = positive_number(member, {"rope_theta"});
      entries.push_back(read_entry(object, &member, layer_type, theta ? theta : outer_theta));
    }
    if (entries.empty()) parameters->fail("no layer type has parameters");
    return entries;
  }
  const JsonCursor* const flat = parameters ? &*parameters : nullptr;
  if (is_by_layer(object, "rope_theta")) return entries_of_lists(object, flat, layers);
  const auto inner_theta = flat ? positive_number(*flat, {"rope_theta"}) : std::nullopt;
  const auto theta = agreed(outer_theta, inner_theta);
  const std::optional<FamilyDefaults> defaults = family_defaults(model_type_of(object));
  const bool by_type = local_theta || (defaults && defaults->by_type);
  entries.push_back(read_entry(object, flat, by_type ? full_attention : "", theta));
  if (by_type) {
    const bool has_default = defaults && defaults->local_theta > 0;
    entries.push_back(read_entry(object, nullptr, sliding_attention, local_theta || has_default ? local_theta : theta));
  }
  return entries;
}

// `whole`: the model_type of the configuration that it stands in.
std::vector<Entry> read_entries(const JsonCursor& object, const std::string& whole, std::vector<std::string>& notes) {
  const LayerTypes layers = read_layer_types(object);
  const std::string own = model_type_of(object);
  std::vector<Entry> entries = entries_of(object, layers);
  for (Entry& entry : entries) {
    entry.layers = layers;
    settle_qwen_tower(object, own.empty() ? whole : own, entry);
  }
  const std::string place = object.path().empty() ? "" : object.path() + ".";
  for (const std::string& name : unknown_thetas(object))
    notes.push_back(fmt::format("{}{} is not known here, and may change the formula", place, name));
  if (const std::optional<JsonCursor> parameters = parameters_of(object)) add_unknown_keys(*parameters, notes);
  return entries;
}

// Whether a member is the configuration of a model inside the model: "vision_config", or what has a type of its own.
bool is_part(const std::string& name, const JsonCursor& member) {
  if (!member.is_object() || name == "per_layer_config") return false;
  return name.ends_with("_config") || member.has_value("model_type");
}

bool has_parts(const JsonCursor& root) {
  const auto members = root.members();
  return std::any_of(members.begin(), members.end(), [](const auto& one) { return is_part(one.first, one.second); });
}

// Adds the models inside an object, each as a part of its own.
void add_parts(const JsonCursor& object, const std::string& model_path, const std::string& whole, RopeConfig& config,
               int depth) {
  for (const auto& [name, member] : object.members()) {
    if (depth == 0 || !is_part(name, member)) continue;
    if (member.has_value("model_type") && !has_widths(member) && !has_parts(member)) config.complete = false;
    if (member.path() != model_path && has_widths(member)) {
      try {
        for (Entry& entry : read_entries(member, whole, config.notes)) {
          entry.part = name.ends_with("_config") ? name.substr(0, name.size() - 7) : name;
          config.entries.push_back(std::move(entry));
        }
      } catch (const UnknownFormula& unknown) {
        config.notes.push_back(unknown.reason);
      } catch (const InputError& error) {
        config.notes.push_back(error.what());
      }
    }
    add_parts(member, model_path, whole, config, depth - 1);
  }
}

// The object that is the model: the root, or the one that holds its text.
std::optional<JsonCursor> model_of(const JsonCursor& root) {
  for (const char* name : {"text_config", "language_config", "llm_config", "thinker_config"}) {
    if (root.has_value(name) && root.at(name).is_object() && (!has_widths(root) || !has_rope_fields(root))) {
      const std::optional<JsonCursor> inner = model_of(root.at(name));
      if (inner) return inner;
    }
  }
  if (has_widths(root)) return root;
  return std::nullopt;
}

std::optional<Dtype> dtype_of(const JsonCursor& object) {
  for (const char* name : {"dtype", "torch_dtype"}) {
    if (!object.has_value(name) || !object.at(name).is_text()) continue;
    const std::string text = object.at(name).text();
    if (text == "bfloat16") return Dtype::BF16;
    if (text == "float16") return Dtype::F16;
    if (text == "float32") return Dtype::F32;
  }
  return std::nullopt;
}

}  // namespace

RopeConfig read_rope_config(const JsonCursor& root) {
  if (!root.is_object()) root.fail("expected an object, found " + root.description());
  RopeConfig config;
  std::optional<JsonCursor> model = model_of(root);
  if (!model && !has_parts(root)) model = root;  // which fails, and says what is missing
  if (model) {
    try {
      config.entries = read_entries(*model, model_type_of(root), config.notes);
    } catch (const UnknownFormula& unknown) {
      config.notes.push_back(unknown.reason);
    }
  }
  config.family = model_type_of(model ? *model : root);
  config.dtype = dtype_of(root);
  if (!config.dtype && model) config.dtype = dtype_of(*model);
  add_parts(root, model ? model->path() : "", model_type_of(root), config, 4);
  if (config.entries.empty() && config.notes.empty())
    root.fail("has neither head_dim nor hidden_size and num_attention_heads");
  return config;
}

RopeConfig read_rope_config_file(const std::string& path) {
  const MappedFile file(path);
  return read_rope_config(JsonCursor(parse_python_json(file.text(), path), path));
}

}  // namespace ropewalk::rope
