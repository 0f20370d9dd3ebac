#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/dtype.h"
#include "lib/base/error.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {
namespace {

enum class ValueKind : u8 { Integer, Count, Integers, Word };

// An option that sets one field of the problem.
struct FieldOption {
  const char* flag;
  const char* key;
  ValueKind kind;
  const char* type;
  const char* help;
};

// `--shape` is not here: it sets four fields.
constexpr FieldOption field_options[] = {
    {"--rotary-dim", "rotary_dim", ValueKind::Integer, "R", "elements of a head that are rotated (D)"},
    {"--layout", "layout", ValueKind::Word, "half|interleaved", "pairs are (d, d + R/2) or (2d, 2d + 1) (half)"},
    {"--dtype", "dtype", ValueKind::Word, "f32|f16|bf16", "of x and out (f32)"},
    {"--cache-dtype", "cache_dtype", ValueKind::Word, "f32|f16|bf16", "of cos and sin (f32)"},
    {"--cache-rows", "cache_rows", ValueKind::Integer, "N", "rows of cos and sin (as many as are needed)"},
    {"--offset", "offset", ValueKind::Integer, "N", "added to every position (0)"},
    {"--offsets", "offsets", ValueKind::Integers, "a,b,..", "one for each sequence"},
    {"--cu-seqlens", "cu_seqlens", ValueKind::Integers, "0,5,..", "sequence b has the rows from the b-th to the next"},
    {"--positions", "positions", ValueKind::Integers, "a,b,..", "one for each token, of kernels that take them"},
    {"--heads-k", "key_heads", ValueKind::Integer, "N", "heads of k, of kernels that rotate q and k"},
    {"--row-gap", "row_gap", ValueKind::Count, "N", "poisoned elements between heads (0)"},
    {"--token-gap", "token_gap", ValueKind::Count, "N", "poisoned elements between tokens (0)"},
    {"--out-gap", "out_gap", ValueKind::Count, "N", "poisoned elements between heads of out (0)"},
    {"--rounding", "rounding", ValueKind::Word, "once|steps",
     "to the dtype of x: of the result, or in every step (once)"},
    {"--input", "input", ValueKind::Word, "normal|integers|large", "the numbers in x (normal)"},
};

// The value as the text of a problem has it.
std::string value_text_of(const FieldOption& option, const std::string& text) {
  switch (option.kind) {
    case ValueKind::Integer:
      return std::to_string(read_integer(option.flag, text));
    case ValueKind::Count:
      return std::to_string(read_count(option.flag, text));
    case ValueKind::Integers:
      read_integers(option.flag, text);
      return "[" + text + "]";
    case ValueKind::Word: {
      std::vector<std::string> words;
      for (std::string_view rest = option.type; !rest.empty();) {
        const size_t bar = std::min(rest.find('|'), rest.size());
        words.emplace_back(rest.substr(0, bar));
        rest.remove_prefix(std::min(bar + 1, rest.size()));
      }
      return words[read_word(option.flag, text, words)];
    }
  }
  return text;
}

struct KernelTexts {
  KernelOptions options;
  std::string shape, theta, blocks;
  bool inplace = false, backward = false, given_frequencies = false;
  std::map<std::string, std::string> fields;  // by flag
};

void read_shape(const std::string& text, std::vector<ProblemField>& fields) {
  const std::vector<i64> shape = read_integers("--shape", text);
  if (shape.size() != 4) {
    throw InputError("--shape: expected four integers B,T,H,D, found \"" + text + "\"");
  }
  const char* const keys[] = {"B", "T", "H", "D"};
  for (size_t n = 0; n < 4; ++n) fields.push_back({"--shape", keys[n], std::to_string(shape[n])});
}

// Where tokens stand is given in one way: what another one said would do nothing.
void require_one_kind_of_positions(const std::map<std::string, std::string>& fields) {
  const auto is_given = [&](const char* flag) {
    const auto field = fields.find(flag);
    return field != fields.end() && !field->second.empty();
  };
  constexpr std::pair<const char*, const char*> rivals[] = {
      {"--offset", "--offsets"}, {"--offset", "--positions"}, {"--offsets", "--positions"}};
  for (const auto& [first, second] : rivals) {
    if (is_given(first) && is_given(second))
      throw InputError(fmt::format("{}: does nothing beside {}, which says where every token stands", first, second));
  }
}

Command read_kernel(const KernelTexts& texts) {
  require_one_kind_of_positions(texts.fields);
  KernelOptions options = texts.options;
  if (!texts.shape.empty()) read_shape(texts.shape, options.fields);
  for (const FieldOption& field : field_options) {
    const auto given = texts.fields.find(field.flag);
    if (given == texts.fields.end() || given->second.empty()) continue;
    options.fields.push_back({field.flag, field.key, value_text_of(field, given->second)});
  }
  if (texts.inplace) options.fields.push_back({"--inplace", "inplace", "true"});
  if (texts.backward) options.fields.push_back({"--backward", "backward", "true"});
  if (texts.given_frequencies) options.fields.push_back({"--given-frequencies", "given_frequencies", "true"});
  if (!texts.theta.empty()) options.fields.push_back({"--theta", "theta", texts.theta});
  if (!texts.blocks.empty()) options.blocks = read_count("--blocks", texts.blocks, 1);
  return options;
}

}  // namespace

ReadCommand declare_kernel(CLI::App& command) {
  const auto texts = std::make_shared<KernelTexts>();
  command.add_option("NAME", texts->options.name, "the kernel (rotary/apply); rope-check list names them")
      ->type_name("");
  command.add_option("--problem", texts->options.problem, "the whole problem as text; other options are set over it")
      ->type_name("'rotary(..)'");
  command.add_option("--shape", texts->shape, "batch, tokens, heads, head_dim")->type_name("B,T,H,D");
  for (const FieldOption& field : field_options) {
    command.add_option(field.flag, texts->fields[field.flag], field.help)->type_name(field.type);
  }
  command.add_option("--theta", texts->theta, "base of the frequencies (10000)")->type_name("X");
  command.add_flag("--inplace", texts->inplace, "out is x");
  command.add_flag("--backward", texts->backward, "rotate by the negative angles");
  command.add_flag("--given-frequencies", texts->given_frequencies,
                   "of kernels that build a cache: they get the inverse frequencies as an array");
  command.add_option("--blocks", texts->blocks, "run N blocks only: the first, the last and a seeded choice")
      ->type_name("N");
  return [texts] { return read_kernel(*texts); };
}

}  // namespace ropewalk::tools
