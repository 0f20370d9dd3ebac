#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "lib/base/error.h"
#include "lib/base/nearest.h"
#include "lib/campaign/coverage.h"
#include "lib/finding/cause_info.h"
#include "tools/parse/commands.h"
#include "tools/parse/values.h"

namespace ropewalk::tools {
namespace {

// "1/4": the second of four parts; parts are counted from 0, as job arrays count.
void read_shard(const std::string& text, FuzzOptions& options) {
  const size_t slash = text.find('/');
  if (slash == std::string::npos) throw InputError("--shard: expected i/n such as 0/4, found \"" + text + "\"");
  options.shard_index = read_count("--shard", text.substr(0, slash));
  options.shard_count = read_count("--shard", text.substr(slash + 1), 1);
  if (options.shard_count > campaign::most_shards) {
    throw InputError("--shard: there may be " + std::to_string(campaign::most_shards) + " shards at most, found \"" +
                     text + "\"");
  }
  if (options.shard_index >= options.shard_count) {
    throw InputError("--shard: shards of " + std::to_string(options.shard_count) + " are counted from 0 to " +
                     std::to_string(options.shard_count - 1) + ", found \"" + text + "\"");
  }
}

bool is_id(const std::string& word) {
  return word.size() == 8 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// Some rules no campaign can break.
void require_of_campaign(Rule rule) {
  const char* const command = rule == Rule::InitOrder                                     ? "init"
                              : rule == Rule::CacheMismatch || rule == Rule::RankMismatch ? "cache"
                              : rule == Rule::SignatureMismatch                           ? "attn-fuzz compat"
                                                                                          : nullptr;
  if (command)
    throw InputError(fmt::format("--stop-at: {} is found by {}, never by a campaign", name_of(rule), command));
}

// "any", or some of a finding's id, a rule and a cause: "6f1c2a9e", "output-mismatch,wrong-stride".
StopAt read_stop_at(const std::string& text) {
  StopAt stop_at;
  if (text == "any") return stop_at;
  for (size_t start = 0; start <= text.size();) {
    const std::string word = text.substr(start, text.find(',', start) - start);
    start += word.size() + 1;
    const std::optional<Rule> rule = rule_named(word);
    if (rule && !stop_at.rule) {
      require_of_campaign(*rule);
      stop_at.rule = rule;
    } else if (cause_named(word) && stop_at.cause.empty()) {
      stop_at.cause = word;
    } else if (is_id(word) && stop_at.id.empty()) {
      stop_at.id = word;
    } else {
      std::vector<std::string> known = {"any"};
      for (const Rule one : all_rules()) known.emplace_back(name_of(one));
      for (const CauseInfo& one : all_causes()) known.emplace_back(one.id);
      throw InputError(
          "--stop-at: expected any, or at most one each of a finding's id, a rule and a cause with commas "
          "between them; found \"" +
          word + "\": " + did_you_mean(word, known));
    }
  }
  return stop_at;
}

// One case alone has its own seed, and there is nothing to divide, to end early or to keep.
void refuse_campaign_options(const CLI::App& command) {
  for (const char* flag : {"--budget", "--seed", "--shard", "--corpus"}) {
    if (command.get_option_no_throw(flag) && command.count(flag) > 0)
      throw InputError(std::string(flag) + " goes with a campaign; --case runs one case alone");
  }
}

}  // namespace

ReadCommand declare_fuzz(CLI::App& command) {
  struct Texts {
    FuzzOptions options;
    std::string shard, blocks, stop_at;
  };
  const auto texts = std::make_shared<Texts>();
  command
      .add_option("NAME", texts->options.names, "kernels (the correct ones); the command list --faulty names them all")
      ->type_name("");
  command
      .add_option("--corpus", texts->options.corpus, "run the cases kept in DIR first, and keep those of new findings")
      ->type_name("DIR");
  command.add_flag("--resume", texts->options.resume,
                   "go on with the campaign that was killed or stopped, as DIR keeps it");
  command.add_option("--shard", texts->shard, "run the i-th of n parts of the campaign, i from 0")->type_name("i/n");
  command
      .add_option("--stop-at", texts->stop_at,
                  "end with the first new finding: any, or of this id, rule or cause (ID,RULE,CAUSE)")
      ->type_name("WHAT");
  command.add_option("--case", texts->options.one_case, "this case alone, looked at in every way")
      ->type_name("PROBLEM");
  command.add_option("--blocks", texts->blocks, "of that case, run N blocks only")->type_name("N");
  return [texts, &command]() -> Command {
    FuzzOptions options = texts->options;
    if (!texts->shard.empty()) read_shard(texts->shard, options);
    if (!texts->stop_at.empty()) options.stop_at = read_stop_at(texts->stop_at);
    if (!texts->blocks.empty()) options.blocks = read_count("--blocks", texts->blocks, 1);
    if (!options.one_case.empty()) refuse_campaign_options(command);
    if (options.blocks && options.one_case.empty()) throw InputError("--blocks goes with --case alone");
    if (options.resume && options.corpus.empty())
      throw InputError("--resume needs --corpus DIR, which keeps the campaign");
    if (options.resume && !options.one_case.empty()) throw InputError("--resume does not go with --case");
    return options;
  };
}

ReadCommand declare_replay(CLI::App& command) {
  const auto options = std::make_shared<ReplayOptions>();
  command.add_option("REPORT", options->report, "a report in JSON")->type_name("");
  command.add_option("--finding", options->finding, "the finding of this id alone")->type_name("ID");
  return [options]() -> Command {
    if (options->report.empty())
      throw InputError("replay: a report is missing; usage: rope-check replay REPORT.json [--finding ID]");
    return *options;
  };
}

}  // namespace ropewalk::tools
