#include "lib/rope/layer_types.h"

#include <algorithm>
#include <charconv>

namespace ropewalk::rope {
namespace {

constexpr i64 most_layers = i64(1) << 20;

bool is_list(const JsonCursor& object, const char* name) {
  return object.has_value(name) && object.at(name).is_array();
}

bool is_number(const JsonCursor& object, const char* name) {
  return object.has_value(name) && object.at(name).value().is_number_integer();
}

std::vector<std::string> read_list(const JsonCursor& object) {
  std::vector<std::string> types;
  if (is_list(object, "layer_types")) {
    for (const JsonCursor& one : object.at("layer_types").elements()) types.push_back(one.is_text() ? one.text() : "");
  } else if (is_list(object, "hybrid_layer_pattern")) {
    for (const JsonCursor& one : object.at("hybrid_layer_pattern").elements())
      types.emplace_back(one.value() == 1 ? sliding_attention : one.value() == 0 ? full_attention : "");
  }
  return types;
}

}  // namespace

std::string LayerTypes::of(i64 layer) const {
  if (layer < 0) return "";
  if (!listed.empty()) return layer < i64(listed.size()) ? listed[size_t(layer)] : "";
  if (!turns.every || (layers && layer >= layers)) return "";
  return layer % turns.every == (turns.full_first ? 0 : turns.every - 1) ? full_attention : sliding_attention;
}

LayerTypes read_layer_types(const JsonCursor& object) {
  LayerTypes types;
  types.listed = read_list(object);
  if (const auto defaults = family_defaults(model_type_of(object))) types.turns = defaults->turns;
  for (const char* name : {"sliding_window_pattern", "global_attn_every_n_layers"}) {
    if (is_number(object, name)) types.turns.every = object.at(name).integer(0, most_layers);
  }
  if (is_number(object, "num_hidden_layers")) types.layers = object.at("num_hidden_layers").integer(0, most_layers);
  return types;
}

std::optional<FoundNumber> number_of_type(const JsonCursor& list, const LayerTypes& layers, const std::string& type) {
  const std::vector<JsonCursor> cursors = list.elements();
  const std::vector<double> values = positive_numbers(list);
  std::optional<FoundNumber> found;
  for (size_t n = 0; n < values.size(); ++n) {
    if (layers.of(i64(n)) != type) continue;
    if (found && found->value != values[n]) throw UnknownFormula(cursors[n], "layers of one type differ in it");
    found = FoundNumber{values[n], cursors[n]};
  }
  return found;
}

i64 layer_in(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char letter : name) {
    if (letter == '.') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  for (size_t n = 0; n + 1 < parts.size(); ++n) {
    if (parts[n] != "layers" && parts[n] != "layer" && parts[n] != "h" && parts[n] != "blocks") continue;
    const std::string& number = parts[n + 1];
    i64 layer = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), layer);
    if (error == std::errc() && end == number.data() + number.size() && layer >= 0) return layer;
  }
  return -1;
}

}  // namespace ropewalk::rope
