#include "lib/rope/read_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "lib/base/nearest.h"
#include "lib/rope/config_fields.h"

namespace ropewalk::rope {
namespace {

const std::vector<std::string> known_keys = {"rope_type",
                                             "type",
                                             "rope_theta",
                                             "factor",
                                             "original_max_position_embeddings",
                                             "max_position_embeddings",
                                             "attention_factor",
                                             "beta_fast",
                                             "beta_slow",
                                             "mscale",
                                             "mscale_all_dim",
                                             "truncate",
                                             "short_factor",
                                             "long_factor",
                                             "short_mscale",
                                             "long_mscale",
                                             "low_freq_factor",
                                             "high_freq_factor",
                                             "partial_rotary_factor",
                                             "rotary_dim",
                                             "mrope_section",
                                             "mrope_interleaved",
                                             "xdrope_section",
                                             "alpha",
                                             "mixed_b",
                                             "llama_4_scaling_beta"};

bool is_known_key(const std::string& key) { return std::ranges::find(known_keys, key) != known_keys.end(); }
bool is_mistyped(const std::string& key) { return !is_known_key(key) && is_near(key, nearest_of(key, known_keys)); }

// The types under all the names that they go by.
struct TypeName {
  const char* name;
  RopeType type;
};
constexpr TypeName type_names[] = {{"default", RopeType::Default},   {"linear", RopeType::Linear},
                                   {"dynamic", RopeType::Dynamic},   {"dynamic_alpha", RopeType::DynamicAlpha},
                                   {"yarn", RopeType::Yarn},         {"deepseek_yarn", RopeType::DeepseekYarn},
                                   {"longrope", RopeType::LongRope}, {"su", RopeType::LongRope},
                                   {"llama3", RopeType::Llama3},     {"proportional", RopeType::Proportional},
                                   {"ntk", RopeType::Ntk},           {"mixed_ntk", RopeType::MixedNtk},
                                   {"mrope", RopeType::Default},     {"xdrope", RopeType::DynamicAlpha},
                                   {"axial", RopeType::Default}};

RopeType type_of(const JsonCursor& cursor) {
  std::vector<std::string> names;
  for (const TypeName& known : type_names) names.emplace_back(known.name);
  return type_names[cursor.choice(names, "type")].type;
}

RopeType read_type(const JsonCursor& parameters) {
  const bool has_new = parameters.has_value("rope_type"), has_old = parameters.has_value("type");
  if (!has_new && !has_old) return RopeType::Default;
  const JsonCursor chosen = parameters.at(has_new ? "rope_type" : "type");
  RopeType type = type_of(chosen);
  if (has_new && has_old && type_of(parameters.at("type")) != type) {
    parameters.at("type").fail(parameters.at("type").description() + " contradicts " + chosen.path() + ", which is " +
                               chosen.description());
  }
  if (type == RopeType::Dynamic && parameters.has_value("alpha")) type = RopeType::DynamicAlpha;
  if (type == RopeType::Ntk && parameters.has_value("mixed_b")) type = RopeType::MixedNtk;
  return type;
}

double required(const JsonCursor& parameters, const char* name, RopeType type) {
  if (!parameters.has_value(name)) {
    parameters.fail(fmt::format("the key \"{}\" is missing; type {} needs it", name, name_of(type)));
  }
  return *optional_positive(parameters, name);
}

// One factor a pair.
std::vector<double> factors_of(const JsonCursor& parameters, const char* name, const RopeFormula& formula) {
  const JsonCursor list = parameters.at(name);
  std::vector<double> values = positive_numbers(list);
  if (i64(values.size()) != formula.rotary_dim / 2) {
    list.fail(fmt::format("has {} factors, expected {}: one for each pair of rotary_dim {}", values.size(),
                          formula.rotary_dim / 2, formula.rotary_dim));
  }
  return values;
}

void read_sections(const JsonCursor& parameters, RopeFormula& formula) {
  const char* const name = parameters.has_value("mrope_section") ? "mrope_section" : "xdrope_section";
  if (!parameters.has_value(name)) return;
  const JsonCursor list = parameters.at(name);
  for (const JsonCursor& section : list.elements()) formula.sections.push_back(section.integer(0, i64(1) << 20));
  const i64 sum = std::accumulate(formula.sections.begin(), formula.sections.end(), i64(0));
  if (sum != formula.rotary_dim / 2) {
    list.fail(fmt::format("adds up to {}, expected {}: half of rotary_dim {}", sum, formula.rotary_dim / 2,
                          formula.rotary_dim));
  }
  const bool interleaved = parameters.has_value("mrope_interleaved") && parameters.at("mrope_interleaved").boolean();
  formula.axes = interleaved ? RopeAxes::InterleavedSections : RopeAxes::Sections;
}

void read_yarn(const JsonCursor& parameters, RopeFormula& formula) {
  if (!parameters.has_value("factor")) {
    if (!formula.original_positions) required(parameters, "factor", formula.type);
    formula.factor = stretch(formula);
  }
  formula.beta_fast = optional_positive(parameters, "beta_fast").value_or(32);
  formula.beta_slow = optional_positive(parameters, "beta_slow").value_or(1);
  if (formula.beta_fast < formula.beta_slow) {
    parameters.at("beta_fast")
        .fail(fmt::format("is {}, and must not be below beta_slow {}", formula.beta_fast, formula.beta_slow));
  }
  for (const auto& [name, field] :
       {std::pair("mscale", &formula.mscale), std::pair("mscale_all_dim", &formula.mscale_all_dim)}) {
    // Zero is how DeepSeek says "none".
    if (parameters.has_value(name)) *field = parameters.at(name).finite_number();
  }
  if (parameters.has_value("truncate")) formula.truncate = parameters.at("truncate").boolean();
  if (!formula.trained_positions()) {
    parameters.fail("original_max_position_embeddings and max_position_embeddings are both missing; yarn needs one");
  }
}

void read_llama3(const JsonCursor& parameters, RopeFormula& formula) {
  formula.low_freq_factor = required(parameters, "low_freq_factor", formula.type);
  formula.high_freq_factor = required(parameters, "high_freq_factor", formula.type);
  if (formula.high_freq_factor < formula.low_freq_factor) {
    parameters.at("high_freq_factor")
        .fail(fmt::format("is {}, and must not be below low_freq_factor {}", formula.high_freq_factor,
                          formula.low_freq_factor));
  }
  if (!formula.trained_positions()) {
    parameters.fail("the key \"original_max_position_embeddings\" is missing; type llama3 needs it");
  }
}

}  // namespace

void add_unknown_keys(const JsonCursor& parameters, std::vector<std::string>& notes) {
  for (const auto& [key, member] : parameters.members()) {
    if (member.is_object()) {
      add_unknown_keys(member, notes);
    } else if (!is_known_key(key) && !member.value().is_null()) {
      notes.push_back(fmt::format("{}.{} is not known here, and was not read", parameters.path(), key));
    }
  }
}

double stretch(const RopeFormula& formula) {
  if (!formula.original_positions || !formula.max_positions) return 1;
  return double(formula.max_positions) / double(formula.original_positions);
}

void read_rope_parameters(const JsonCursor& parameters, RopeFormula& formula) {
  for (const auto& [key, member] : parameters.members()) {
    if (is_mistyped(key)) parameters.expect_keys(known_keys);
  }
  formula.type = read_type(parameters);
  formula.attention_factor = optional_positive(parameters, "attention_factor");
  formula.temperature_beta = optional_positive(parameters, "llama_4_scaling_beta");
  const char* const type_key = parameters.has_value("rope_type") ? "rope_type" : "type";
  if (parameters.has_value(type_key) && parameters.at(type_key).text() == "axial") formula.axes = RopeAxes::Vision;
  read_sections(parameters, formula);
  if (parameters.has_value("factor")) formula.factor = *optional_positive(parameters, "factor");
  switch (formula.type) {
    case RopeType::Default:
      formula.factor = 1;
      break;
    case RopeType::Proportional:
      break;
    case RopeType::Linear:
    case RopeType::Ntk:
      required(parameters, "factor", formula.type);
      break;
    case RopeType::Dynamic:
      required(parameters, "factor", formula.type);
      // Programs measure it by max_position_embeddings, whatever else is written.
      if (formula.max_positions) formula.original_positions = 0;
      if (!formula.trained_positions()) parameters.fail("max_position_embeddings is missing; type dynamic needs it");
      break;
    case RopeType::DynamicAlpha:
      formula.alpha = required(parameters, "alpha", formula.type);
      break;
    case RopeType::MixedNtk:
      required(parameters, "factor", formula.type);
      formula.mixed_b = required(parameters, "mixed_b", formula.type);
      break;
    case RopeType::Yarn:
    case RopeType::DeepseekYarn:
      read_yarn(parameters, formula);
      break;
    case RopeType::LongRope:
      formula.short_factor = factors_of(parameters, "short_factor", formula);
      formula.long_factor = factors_of(parameters, "long_factor", formula);
      formula.short_mscale = optional_positive(parameters, "short_mscale");
      formula.long_mscale = optional_positive(parameters, "long_mscale");
      if (!parameters.has_value("factor")) formula.factor = stretch(formula);
      if (!formula.trained_positions())
        parameters.fail("original_max_position_embeddings is missing; longrope needs it");
      break;
    case RopeType::Llama3:
      required(parameters, "factor", formula.type);
      read_llama3(parameters, formula);
      break;
  }
}

}  // namespace ropewalk::rope
