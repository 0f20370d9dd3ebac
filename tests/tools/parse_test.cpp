#include "tools/parse/parse.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "lib/base/error.h"
#include "tools/commands/planned_cases.h"
#include "tools/fuzz/progress.h"
#include "tools/parse/help.h"

namespace ropewalk::tools {
namespace {

std::string fields_of(const KernelOptions& options) {
  std::string text;
  for (const ProblemField& field : options.fields) text += field.key + "=" + field.value + ";";
  return text;
}

KernelOptions kernel(const std::vector<std::string>& arguments) {
  return std::get<KernelOptions>(parse_command_line(arguments).command);
}

TEST(Parse, KernelHasADefault) {
  EXPECT_EQ(kernel({"case"}).name, "rotary/apply");
  EXPECT_TRUE(kernel({"case"}).fields.empty());
}

TEST(Parse, KernelOptionsAreFieldsOfTheProblem) {
  const KernelOptions options =
      kernel({"case",        "rotary/qk", "--shape", "2,128,8,64",       "--rotary-dim", "32",       "--layout",
              "interleaved", "--offsets", "0,-1,7",  "--cu-seqlens=0,5", "--heads-k",    "2",        "--inplace",
              "--backward",  "--row-gap", "3",       "--theta",          "500000",       "--blocks", "9"});
  EXPECT_EQ(options.name, "rotary/qk");
  EXPECT_EQ(fields_of(options),
            "B=2;T=128;H=8;D=64;rotary_dim=32;layout=interleaved;offsets=[0,-1,7];cu_seqlens=[0,5];"
            "key_heads=2;row_gap=3;inplace=true;backward=true;theta=500000;");
  EXPECT_EQ(options.blocks, 9u);
  EXPECT_EQ(fields_of(kernel({"case", "--offset", "-5"})), "offset=-5;");
}

TEST(Parse, RunTakesAProgramWithItsOwnOptions) {
  const Request request = parse_command_line({"run",
                                              "--target",
                                              "sm_90",
                                              "--devices",
                                              "2",
                                              "--memory",
                                              "1G",
                                              "--kernel-name",
                                              "rotary*",
                                              "--kernel-name",
                                              "kernel_substring=attn",
                                              "--launch-skip",
                                              "3",
                                              "--launch-count",
                                              "4",
                                              "--sample-blocks",
                                              "5",
                                              "--leaks",
                                              "--error-exitcode",
                                              "7",
                                              "--save",
                                              "a.json",
                                              "--checks",
                                              "bounds",
                                              "--",
                                              "./program",
                                              "--seed",
                                              "-x"});
  const auto& run = std::get<RunRequest>(request.command);
  EXPECT_EQ(run.command, (std::vector<std::string>{"./program", "--seed", "-x"}));
  EXPECT_EQ(run.session.target, "sm_90");
  EXPECT_EQ(run.session.devices, 2u);
  EXPECT_EQ(run.session.memory_bytes, u64(1) << 30);
  EXPECT_EQ(run.session.kernels, (std::vector<std::string>{"rotary*", "*attn*"}));
  EXPECT_EQ(run.session.launch_skip, 3u);
  EXPECT_EQ(run.session.launch_count, 4u);
  EXPECT_EQ(run.session.sample_blocks, 5u);
  EXPECT_TRUE(run.session.leaks);
  EXPECT_EQ(run.error_exitcode, 7);
  EXPECT_EQ(request.shared.reports, std::vector<std::string>{"a.json"});
  EXPECT_EQ(request.shared.checks, parse_checks("bounds"));
}

TEST(Parse, SharedOptionsHaveDefaults) {
  const SharedOptions shared = parse_command_line({"case"}).shared;
  EXPECT_FALSE(shared.seed);
  EXPECT_EQ(shared.jobs, 0u);
  EXPECT_EQ(shared.executor, ExecutorChoice::Machine);
  EXPECT_EQ(shared.guards, gpu::Guards::End);
  EXPECT_EQ(shared.checks, CheckSet::all());
  EXPECT_FALSE(shared.strict || shared.quiet || shared.fp_contract);
}

TEST(Parse, SharedOptions) {
  const SharedOptions shared = parse_command_line({"launch",   "a.json", "--seed",        "18446744073709551615",
                                                   "--jobs",   "3",      "--executor",    "instrumented",
                                                   "--guards", "zones",  "--checks",      "bounds,races",
                                                   "--report", "a.json", "--report",      "b.txt",
                                                   "--budget", "5m",     "--strict",      "--quiet",
                                                   "--color",  "never",  "--fp-contract", "--block-order",
                                                   "4"})
                                   .shared;
  EXPECT_EQ(shared.seed, ~u64{0});
  EXPECT_EQ(shared.jobs, 3u);
  EXPECT_EQ(shared.executor, ExecutorChoice::Instrumented);
  EXPECT_EQ(shared.guards, gpu::Guards::Zones);
  const std::vector<std::string> replayed = replay_options(shared);
  EXPECT_EQ(std::vector(replayed.begin() + 2, replayed.begin() + 6),
            (std::vector<std::string>{"--executor", "instrumented", "--guards", "zones"}));
  EXPECT_EQ(text_of(shared.checks), "bounds,races");
  EXPECT_EQ(shared.reports, (std::vector<std::string>{"a.json", "b.txt"}));
  EXPECT_EQ(shared.budget.seconds, 300);
  EXPECT_TRUE(shared.strict && shared.quiet && shared.fp_contract);
  EXPECT_EQ(shared.color, ColorChoice::Never);
  EXPECT_EQ(shared.block_order, 4u);
}

std::string refusal_of(const std::vector<std::string>& words, const Program& program = rope_check_program) {
  try {
    parse_command_line(words, program);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

// What each command does not honor, it does not take, and says who does.
TEST(Parse, CacheValuesAreRefusedByTheirOption) {
  const auto error_of = [](std::vector<std::string> words) -> std::string {
    words.insert(words.begin(), {"cache", "a.safetensors"});
    try {
      parse_command_line(words);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of({"--head-dim", "127"}), "--head-dim: expected an even number, found \"127\"");
  EXPECT_EQ(error_of({"--head-dim", "0"}), "--head-dim: expected a whole number of at least 2, found \"0\"");
  EXPECT_EQ(error_of({"--theta", "0"}), "--theta: expected a number above 0, found \"0\"");
  EXPECT_EQ(error_of({"--rope-type", "yarn", "--beta-fast", "nan"}),
            "--beta-fast: expected a number above 0, found \"nan\"");
  EXPECT_EQ(error_of({"--rope-type", "default", "--factor", "8"}),
            "--factor: the rope type default does not have it; give the --rope-type that it belongs to");
  EXPECT_EQ(error_of({"--shape", "4,4"}), "--shape: every file says it itself; it goes with raw bytes");
  EXPECT_EQ(error_of({"--rope-type", "yarn", "--factor", "8", "--beta-fast", "32"}), "no error");
}

TEST(Parse, ALineThatShowsAFindingAgainHasNoOptionsOfReports) {
  EXPECT_EQ(
      check_line("rope-check cache a.npy --report r.json -q --theta 5 --format=json --baseline 'b c.json' --strict"),
      "rope-check cache a.npy --theta 5 --strict");
  EXPECT_EQ(check_line("rope-check run --report r.json -- ./program --report x -q"),
            "rope-check run -- ./program --report x -q");
  EXPECT_EQ(
      check_line("rope-check run --save r.json --suppress s.txt --max-findings 3 --color never --jobs 2 --quiet -- p"),
      "rope-check run --jobs 2 -- p");
}

TEST(Parse, OptionsThatACommandDoesNotHonorAreRefused) {
  EXPECT_EQ(refusal_of({"cache", "a.npy", "--executor", "gpu", "--checks", "races"}),
            "cache: --executor is not an option of this command, which would not honor it; case, fuzz, launch, atlas "
            "and replay take it");
  for (const auto& [command, refused] : std::map<std::string, std::vector<std::string>>{
           {"cache", {"--budget", "--seed", "--checks", "--guards", "--fp-contract", "--block-order", "--root"}},
           {"init", {"--budget", "--seed", "--jobs", "--checks", "--executor", "--guards", "--fp-contract"}},
           {"atlas", {"--budget", "--jobs", "--root", "--max-findings"}},
           {"replay", {"--budget", "--seed", "--checks", "--fp-contract", "--block-order", "--map"}},
           {"merge", {"--budget", "--jobs", "--executor", "--root"}},
           {"case", {"--root", "--map", "--shard"}},
           {"fuzz", {"--root", "--shape"}},
           {"list", {"--report", "--quiet", "--jobs"}},
           {"explain", {"--quiet"}},
           {"bench", {"--jobs"}}}) {
    for (const std::string& option : refused) {
      const std::string line = refusal_of({command, option, "1"});
      EXPECT_TRUE(line.starts_with(command + ": " + option + " is not an option of this command")) << line;
    }
  }
  EXPECT_NE(refusal_of({"compat", "--jobs", "2"}, attn_fuzz_program).find("case, fuzz and replay take it"),
            std::string::npos);
}

TEST(Parse, WhereTokensStandIsGivenInOneWay) {
  EXPECT_EQ(refusal_of({"case", "rotary/apply", "--offset", "5", "--offsets", "1,2"}),
            "--offset: does nothing beside --offsets, which says where every token stands");
  EXPECT_EQ(refusal_of({"case", "rotary/qk", "--positions", "0,1", "--offset", "5"}),
            "--offset: does nothing beside --positions, which says where every token stands");
  EXPECT_EQ(refusal_of({"case", "rotary/qk", "--positions", "0,1"}), "taken");
}

TEST(Parse, OptionsThatAnExecutorDoesNotHonorAreRefused) {
  EXPECT_EQ(refusal_of({"case", "--guards", "none"}),
            "--guards: the executor machine does not honor it; --executor gpu and --executor instrumented take it");
  for (const char* option : {"--fp-contract", "--block-order=4"}) {
    EXPECT_NE(refusal_of({"case", "--executor", "gpu", option}).find("the executor gpu does not honor it"),
              std::string::npos);
    EXPECT_EQ(refusal_of({"case", option}), "taken");
  }
  EXPECT_EQ(refusal_of({"case", "--executor", "gpu", "--guards", "zones"}), "taken");
}

TEST(Parse, WordsBehindTheMarkAreNoOptions) {
  using Words = std::vector<std::string>;
  const auto files = [](const Words& words) {
    return std::get<LaunchOptions>(parse_command_line(words).command).files;
  };
  EXPECT_EQ(files({"launch", "a.json", "--", "b.json"}), (Words{"a.json", "b.json"}));
  EXPECT_EQ(files({"launch", "-q", "--", "a.json", "-b.json"}), (Words{"a.json", "./-b.json"}));
  EXPECT_EQ(files({"launch", "--", "-"}), Words{"-"});
}

TEST(Parse, NamesOfTheFirstEditionAreTaken) {
  EXPECT_EQ(kernel({"kernel", "rotary/qk"}).name, "rotary/qk");
  EXPECT_TRUE(parse_command_line({"case", "--contract"}).shared.fp_contract);
  EXPECT_TRUE(std::holds_alternative<FuzzOptions>(parse_command_line({"run"}, attn_fuzz_program).command));
  // Of rope-check it is another command.
  EXPECT_TRUE(std::holds_alternative<RunRequest>(parse_command_line({"run", "--", "true"}).command));
}

TEST(Parse, ACaseAloneHonorsNothingOfTheCampaign) {
  for (const std::vector<std::string>& more : std::vector<std::vector<std::string>>{
           {"--budget", "5"}, {"--seed", "2"}, {"--shard", "0/2"}, {"--corpus", "d"}}) {
    std::vector<std::string> words = {"fuzz", "rotary/apply", "--case", "rotary(T=2)"};
    words.insert(words.end(), more.begin(), more.end());
    EXPECT_EQ(refusal_of(words), more[0] + " goes with a campaign; --case runs one case alone");
  }
}

TEST(Parse, PathsOfSources) {
  const SharedOptions shared =
      parse_command_line({"launch", "a.json", "--root", "tests", "--map", "/a=b", "--map", "/c="}).shared;
  EXPECT_EQ(shared.root, "tests");
  EXPECT_EQ(shared.maps, (SourcePaths::Prefixes{{"/a", "b"}, {"/c", ""}}));
  EXPECT_EQ(replay_options(shared), (std::vector<std::string>{"--root", "tests", "--map", "/a=b", "--map", "/c="}));
  EXPECT_EQ(refusal_of({"launch", "a.json", "--map", "=b"}), "--map: expected FROM=TO, found \"=b\"");
  EXPECT_EQ(refusal_of({"launch", "a.json", "--root", "no/such"}), "--root: there is no folder no/such");
}

TEST(Parse, HelpIsAsWideAsTheTerminal) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"--help"}, {"-h"}, {"launch", "-h"}, {"case", "--help"}, {"fuzz", "-h"}}) {
    const std::string help = std::get<ShowText>(parse_command_line(words).command).text;
    for (const u64 width : {60, 80}) {
      std::istringstream lines(wrapped_help(help, width));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    }
  }
  EXPECT_EQ(wrapped_help("  --flag                      one two three\nfoot\n", 40),
            "  --flag                      one two\n                              three\nfoot\n");
  EXPECT_EQ(std::get<ShowText>(parse_command_line({"-V"}).command).text,
            std::get<ShowText>(parse_command_line({"--version"}).command).text);
  EXPECT_TRUE(parse_command_line({"case", "-q"}).shared.quiet);
}

TEST(Parse, ProgressSaysWhatIsDone) {
  campaign::Progress progress;
  progress.cases = 12345;
  progress.seconds = 2;
  progress.findings = 2;
  progress.covered = 0.9996;
  progress.seconds_left = 12;
  EXPECT_EQ(progress_line(progress), "12,345 cases  6,172/s  coverage 99.96 %  findings 2  left 0:12");
  progress.to_make_small = 30;
  progress.made_small = 7;
  progress.trials = 4512;
  progress.findings = 30;
  EXPECT_EQ(progress_line(progress), "12,345 cases  findings 30  minimized 7  with 4,512 cases more  left 0:12");
}

TEST(Parse, WhatEndsACampaign) {
  const auto stop_at = [](const std::string& text) {
    return std::get<FuzzOptions>(parse_command_line({"fuzz", "--stop-at", text}).command).stop_at.value();
  };
  EXPECT_FALSE(stop_at("any").rule);
  EXPECT_EQ(stop_at("6f1c2a9e").id, "6f1c2a9e");
  EXPECT_EQ(stop_at("hang").rule, Rule::Hang);
  const StopAt both = stop_at("wrong-stride,output-mismatch");
  EXPECT_EQ(both.rule, Rule::OutputMismatch);
  EXPECT_EQ(both.cause, "wrong-stride");
  for (const char* text : {"wrong-strid", "hang,hang", "any,hang", "hang,", "6F1C2A9E", "6f1c2a9", "init-order"}) {
    EXPECT_THROW(stop_at(text), InputError) << text;
  }
  EXPECT_FALSE(std::get<FuzzOptions>(parse_command_line({"fuzz"}).command).stop_at);
}

TEST(Parse, LaunchTakesSeveralFiles) {
  // Options after --report FILE must not be taken for more files of it.
  const Request request =
      parse_command_line({"launch", "--report", "r.json", "a.json", "b.json", "--save-outputs", "o"});
  const auto& options = std::get<LaunchOptions>(request.command);
  EXPECT_EQ(options.files, (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(options.save_outputs, "o");
  EXPECT_EQ(request.shared.reports, std::vector<std::string>{"r.json"});
}

TEST(Parse, TheOtherCommands) {
  EXPECT_TRUE(std::get<ListOptions>(parse_command_line({"list", "--faulty"}).command).faulty);
  EXPECT_EQ(std::get<ExplainOptions>(parse_command_line({"explain", "hang"}).command).name, "hang");
  EXPECT_EQ(std::get<BenchOptions>(parse_command_line({"bench", "--time", "2s"}).command).seconds, 2);
  EXPECT_NE(std::get<ShowText>(parse_command_line({"--help"}).command).text.find("Exit codes"), std::string::npos);
  EXPECT_NE(std::get<ShowText>(parse_command_line({"launch", "--help"}).command).text.find("--save-outputs"),
            std::string::npos);
}

TEST(Parse, ListTakesNoOptionsThatItWouldIgnore) {
  EXPECT_THROW(parse_command_line({"list", "--seed", "1"}), InputError);
}

TEST(Parse, TheCommandLineIsQuotedForAShell) {
  EXPECT_EQ(quoted_line("rope-check", {"case", "--problem", "rotary(B=2)", "", "it's", "a/b.json"}),
            "rope-check case --problem 'rotary(B=2)' '' 'it'\\''s' a/b.json");
}

}  // namespace
}  // namespace ropewalk::tools
