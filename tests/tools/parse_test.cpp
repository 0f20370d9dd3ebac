#include "tools/parse/parse.h"

#include <gtest/gtest.h>

#include "lib/base/error.h"
#include "tools/commands/plan.h"

namespace ropewalk {
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
  EXPECT_EQ(kernel({"kernel"}).name, "rotary/apply");
  EXPECT_TRUE(kernel({"kernel"}).fields.empty());
}

TEST(Parse, KernelOptionsAreFieldsOfTheProblem) {
  const KernelOptions options = kernel(
      {"kernel",     "rotary/qk", "--shape",   "2,128,8,64", "--rotary-dim",     "32",        "--layout", "interleaved",
       "--offset",   "-5",        "--offsets", "0,-1,7",     "--cu-seqlens=0,5", "--heads-k", "2",        "--inplace",
       "--backward", "--row-gap", "3",         "--theta",    "500000",           "--blocks",  "9"});
  EXPECT_EQ(options.name, "rotary/qk");
  EXPECT_EQ(fields_of(options),
            "B=2;T=128;H=8;D=64;rotary_dim=32;layout=interleaved;offset=-5;offsets=[0,-1,7];cu_seqlens=[0,5];"
            "key_heads=2;row_gap=3;inplace=true;backward=true;theta=500000;");
  EXPECT_EQ(options.blocks, 9u);
}

TEST(Parse, SharedOptionsHaveDefaults) {
  const SharedOptions shared = parse_command_line({"kernel"}).shared;
  EXPECT_FALSE(shared.seed);
  EXPECT_EQ(shared.jobs, 0u);
  EXPECT_EQ(shared.executor, ExecutorChoice::Machine);
  EXPECT_EQ(shared.guards, gpu::Guards::End);
  EXPECT_EQ(shared.checks, CheckSet::all());
  EXPECT_FALSE(shared.strict || shared.quiet || shared.contract);
}

TEST(Parse, SharedOptions) {
  const SharedOptions shared = parse_command_line({"launch",     "a.json",
                                                   "--seed",     "18446744073709551615",
                                                   "--jobs",     "3",
                                                   "--executor", "gpu",
                                                   "--guards",   "zones",
                                                   "--checks",   "bounds,races",
                                                   "--report",   "a.json",
                                                   "--report",   "b.txt",
                                                   "--budget",   "5m",
                                                   "--strict",   "--quiet",
                                                   "--color",    "never",
                                                   "--contract", "--block-order",
                                                   "4"})
                                   .shared;
  EXPECT_EQ(shared.seed, ~u64{0});
  EXPECT_EQ(shared.jobs, 3u);
  EXPECT_EQ(shared.executor, ExecutorChoice::Gpu);
  EXPECT_EQ(shared.guards, gpu::Guards::Zones);
  EXPECT_EQ(replay_options(shared)[2], "--guards");
  EXPECT_EQ(text_of(shared.checks), "bounds,races");
  EXPECT_EQ(shared.reports, (std::vector<std::string>{"a.json", "b.txt"}));
  EXPECT_EQ(shared.budget.seconds, 300);
  EXPECT_TRUE(shared.strict && shared.quiet && shared.contract);
  EXPECT_EQ(shared.color, ColorChoice::Never);
  EXPECT_EQ(shared.block_order, 4u);
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
  for (const char* text : {"wrong-strid", "hang,hang", "any,hang", "hang,", "6F1C2A9E", "6f1c2a9"}) {
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
  EXPECT_EQ(quoted_line("rope-check", {"kernel", "--problem", "rotary(B=2)", "", "it's", "a/b.json"}),
            "rope-check kernel --problem 'rotary(B=2)' '' 'it'\\''s' a/b.json");
}

}  // namespace
}  // namespace ropewalk
