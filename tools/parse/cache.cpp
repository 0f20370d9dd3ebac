#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"

namespace ropewalk {
namespace {

// An option that stands for a field of config.json.
struct ConfigOption {
  const char* flag;
  const char* key;
  const char* type;
  const char* help;
};

constexpr ConfigOption config_options[] = {
    {"--rope-type", "rope_type", "NAME", "default, linear, dynamic, yarn, longrope, llama3, proportional, ntk, ..."},
    {"--theta", "rope_theta", "X", "base of the frequencies (10000)"},
    {"--head-dim", "head_dim", "D", "columns of a head"},
    {"--rotary-dim", "rotary_dim", "R", "columns of a head that are rotated (all)"},
    {"--max-length", "max_position_embeddings", "L", "positions that the model is made for"},
    {"--original-length", "original_max_position_embeddings", "L", "positions before scaling"},
    {"--factor", "factor", "F", "of the scaling"},
    {"--attention-factor", "attention_factor", "A", "what cos and sin are multiplied with"},
    {"--low-freq-factor", "low_freq_factor", "X", "of llama3"},
    {"--high-freq-factor", "high_freq_factor", "X", "of llama3"},
    {"--beta-fast", "beta_fast", "X", "of yarn (32)"},
    {"--beta-slow", "beta_slow", "X", "of yarn (1)"},
    {"--truncate", "truncate", "true|false", "of yarn: whole borders of the ramp (true)"},
    {"--mscale", "mscale", "X", "of yarn"},
    {"--mscale-all-dim", "mscale_all_dim", "X", "of yarn"},
    {"--short-factor", "short_factor", "a,b,..", "of longrope, one a pair"},
    {"--long-factor", "long_factor", "a,b,..", "of longrope, one a pair"},
};

}  // namespace

ReadCommand declare_cache(CLI::App& command) {
  struct Texts {
    CacheOptions options;
    std::string values[std::size(config_options)];
  };
  const auto texts = std::make_shared<Texts>();
  command.add_option("FILE", texts->options.files, "dumped caches, one file a rank")->type_name("");
  command
      .add_option("--config", texts->options.config, "the model's configuration; without one, formulas are recognised")
      ->type_name("config.json");
  for (size_t n = 0; n < std::size(config_options); ++n) {
    const ConfigOption& option = config_options[n];
    command.add_option(option.flag, texts->values[n], option.help)->type_name(option.type);
  }
  command.add_option("--shape", texts->options.shape, "of raw bytes")->type_name("R,C");
  command.add_option("--dtype", texts->options.dtype, "of raw bytes, and of 16-bit integers in .npy (bf16)")
      ->type_name("f32|f16|bf16|f64|c64");
  return [texts]() -> Command {
    CacheOptions options = texts->options;
    if (options.files.empty()) {
      throw InputError("cache: a dump is missing; usage: rope-check cache FILE... [--config config.json]");
    }
    for (size_t n = 0; n < std::size(config_options); ++n) {
      if (texts->values[n].empty()) continue;
      if (!options.config.empty()) {
        throw InputError(std::string(config_options[n].flag) + ": --config says it already; give one of the two");
      }
      options.fields.push_back({config_options[n].flag, config_options[n].key, texts->values[n]});
    }
    return options;
  };
}

}  // namespace ropewalk
