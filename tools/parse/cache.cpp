#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {
namespace {

// What an option's value may be.
enum class Expects : u8 { Word, Width, Count, Positive, Finite, Truth, Positives };

// An option that stands for a field of config.json. types: the rope types that have it; empty: all; "scaled": all but
// default.
struct ConfigOption {
  const char* flag;
  const char* key;
  const char* type;
  const char* help;
  Expects expects = Expects::Positive;
  const char* types = "";
};

constexpr ConfigOption config_options[] = {
    {"--rope-type", "rope_type", "NAME", "default, linear, dynamic, yarn, longrope, llama3, proportional, ntk, ...",
     Expects::Word},
    {"--theta", "rope_theta", "X", "base of the frequencies (10000)", Expects::Positive},
    {"--head-dim", "head_dim", "D", "columns of a head", Expects::Width},
    {"--rotary-dim", "rotary_dim", "R", "columns of a head that are rotated (all)", Expects::Width},
    {"--max-length", "max_position_embeddings", "L",
     "positions that the model is made for; beside --config: rows that tables should have", Expects::Count},
    {"--original-length", "original_max_position_embeddings", "L", "positions before scaling", Expects::Count,
     "scaled"},
    {"--factor", "factor", "F", "of the scaling", Expects::Positive, "scaled"},
    {"--attention-factor", "attention_factor", "A", "what cos and sin are multiplied with", Expects::Positive,
     "scaled"},
    {"--low-freq-factor", "low_freq_factor", "X", "of llama3", Expects::Positive, "llama3"},
    {"--high-freq-factor", "high_freq_factor", "X", "of llama3", Expects::Positive, "llama3"},
    {"--beta-fast", "beta_fast", "X", "of yarn (32)", Expects::Positive, "yarn deepseek_yarn"},
    {"--beta-slow", "beta_slow", "X", "of yarn (1)", Expects::Positive, "yarn deepseek_yarn"},
    {"--truncate", "truncate", "true|false", "of yarn: whole borders of the ramp (true)", Expects::Truth,
     "yarn deepseek_yarn"},
    {"--mscale", "mscale", "X", "of yarn", Expects::Finite, "yarn deepseek_yarn"},
    {"--mscale-all-dim", "mscale_all_dim", "X", "of yarn", Expects::Finite, "yarn deepseek_yarn"},
    {"--short-factor", "short_factor", "a,b,..", "of longrope, one a pair", Expects::Positives, "longrope su"},
    {"--long-factor", "long_factor", "a,b,..", "of longrope, one a pair", Expects::Positives, "longrope su"},
};

// The one option that may stand beside a configuration: tables may be for shorter texts than the model takes.
constexpr std::string_view beside_config = "max_position_embeddings";

// Refuses a value that the field cannot have, by the name of the option.
void require_value(const ConfigOption& option, const std::string& text) {
  switch (option.expects) {
    case Expects::Word:
      return;
    case Expects::Width:
      if (const u64 width = read_count(option.flag, text, 2); width % 2) {
        throw InputError(std::string(option.flag) + ": expected an even number, found \"" + text + "\"");
      }
      return;
    case Expects::Count:
      read_count(option.flag, text, 1);
      return;
    case Expects::Positive:
      read_positive(option.flag, text);
      return;
    case Expects::Finite:
      read_finite(option.flag, text);
      return;
    case Expects::Truth:
      read_word(option.flag, text, {"true", "false"});
      return;
    case Expects::Positives:
      for (size_t begin = 0; begin <= text.size();) {
        const size_t comma = std::min(text.find(',', begin), text.size());
        read_positive(option.flag, text.substr(begin, comma - begin));
        begin = comma + 1;
      }
      return;
  }
}

bool has_word(const std::string& words, const std::string& word) {
  return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

// Refuses an option that the rope type has no use for.
void require_type(const ConfigOption& option, const std::string& rope_type) {
  const std::string types = option.types, type = rope_type.empty() ? "default" : rope_type;
  if (types.empty() || has_word(types, type) || (types == "scaled" && type != "default")) return;
  throw InputError(std::string(option.flag) + ": the rope type " + type + " does not have it; " +
                   (types == "scaled" ? "give the --rope-type that it belongs to"
                                      : "it goes with --rope-type " + types.substr(0, types.find(' '))));
}

bool ends_with_any(const std::string& path, std::initializer_list<const char*> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](const char* one) { return path.ends_with(one); });
}

// --shape and --dtype say what files do not say themselves; nothing but 16-bit integers of NumPy's files needs a dtype.
void require_raw(const CacheOptions& options) {
  const auto refuse = [](const char* flag) {
    throw InputError(std::string(flag) + ": every file says it itself; it goes with raw bytes");
  };
  const auto tells_shape = [](const std::string& path) {
    return ends_with_any(path, {".npy", ".npz", ".safetensors", ".pt", ".pth"});
  };
  const auto tells_dtype = [](const std::string& path) { return ends_with_any(path, {".safetensors", ".pt", ".pth"}); };
  if (!options.shape.empty() && std::ranges::all_of(options.files, tells_shape)) refuse("--shape");
  if (!options.dtype.empty() && std::ranges::all_of(options.files, tells_dtype)) refuse("--dtype");
}

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
    require_raw(options);
    for (size_t n = 0; n < std::size(config_options); ++n) {
      if (texts->values[n].empty()) continue;
      if (!options.config.empty() && config_options[n].key == beside_config) {
        options.max_length = i64(read_count(config_options[n].flag, texts->values[n], 1));
        continue;
      }
      if (!options.config.empty()) {
        throw InputError(std::string(config_options[n].flag) + ": --config says it already; give one of the two");
      }
      require_value(config_options[n], texts->values[n]);
      require_type(config_options[n], texts->values[0]);
      options.fields.push_back({config_options[n].flag, config_options[n].key, texts->values[n]});
    }
    return options;
  };
}

}  // namespace ropewalk::tools
