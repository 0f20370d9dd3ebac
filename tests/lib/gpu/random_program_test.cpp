// Random programs: however one is run, it leaves the same bits; rewritten too, and then it finds what the machine
// finds.
#include "lib/generate/random_program.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "lib/compare/judge.h"
#include "lib/generate/approximate_program.h"
#include "lib/generate/random_forms.h"
#include "lib/gpu/instrumented.h"
#include "lib/machine/machine.h"
#include "lib/ptx/instruction_table.h"
#include "lib/ptx/instrument.h"
#include "lib/ptx/matrix_forms.h"
#include "lib/ptx/read.h"
#include "lib/ptx/write.h"

namespace ropewalk {

using generate::random_program;
using generate::RandomProgram;

namespace {

constexpr u64 programs = 60;

std::string difference(const Launch& launch, const Outcome& a, const Outcome& b) {
  if (a.tensors.size() != b.tensors.size()) return "one did not run: " + a.reason + b.reason;
  for (std::size_t n = 0; n < launch.tensors.size(); ++n) {
    for (u64 at = 0; at < launch.tensors[n].bytes(); ++at) {
      if (a.tensors[n].bytes[at] != b.tensors[n].bytes[at]) {
        return launch.tensors[n].name + ", byte " + std::to_string(at);
      }
    }
  }
  return "";
}

RunOptions bare() {
  RunOptions options;
  options.checks = CheckSet();
  options.threads = 1;
  return options;
}

TEST(RandomPrograms, leave_the_same_bits_however_they_are_run) {
  for (u64 seed = 0; seed < programs; ++seed) {
    const RandomProgram program = random_program(seed);
    RunOptions options = bare();
    const Outcome fast = machine::make_machine()->run(program.launch, options);
    ASSERT_EQ(fast.kind, OutcomeKind::Agreed) << seed << ": " << fast.reason << "\n" << program.text;
    options.careful_only = true;
    EXPECT_EQ(difference(program.launch, fast, machine::make_machine()->run(program.launch, options)), "")
        << seed << ", careful tier\n"
        << program.text;
    options.careful_only = false;
    options.threads = 2;
    EXPECT_EQ(difference(program.launch, fast, machine::make_machine()->run(program.launch, options)), "")
        << seed << ", two workers";
    const Outcome rewritten = gpu::make_instrumented(machine::make_machine())->run(program.launch, {});
    EXPECT_TRUE(rewritten.findings.empty()) << seed << ": " << rewritten.findings[0].message;
    EXPECT_EQ(difference(program.launch, fast, rewritten), "") << seed << ", rewritten";
  }
}

TEST(RandomPrograms, stray_stores_are_found_by_both) {
  u64 found = 0;
  RunOptions options = bare();
  options.checks.add(Check::Bounds);
  options.checks.add(Check::Alignment);
  for (u64 seed = 0; seed < programs; ++seed) {
    const RandomProgram program = random_program(seed, true);
    const Outcome machine = machine::make_machine()->run(program.launch, options);
    const Outcome rewritten = gpu::make_instrumented(machine::make_machine())->run(program.launch, options);
    const auto report_of = [](const Outcome& outcome) {
      std::string text;
      for (const Finding& finding : outcome.findings) {
        text += finding.message + " " + std::to_string(finding.occurrences.accesses) + "\n";
      }
      return text;
    };
    EXPECT_EQ(report_of(rewritten), report_of(machine)) << seed;
    found += machine.findings.size();
  }
  EXPECT_GT(found, programs);
}

TEST(RandomPrograms, use_every_form) {
  std::string all;
  for (u64 seed = 0; seed < 1200; ++seed) all += random_program(seed).text;
  for (const auto& forms : {generate::lane_forms(), generate::warp_forms(), generate::small_float_forms()}) {
    for (const generate::RandomForm& form : forms) {
      EXPECT_NE(all.find(std::string(form.opcode) + " "), std::string::npos) << form.opcode;
      EXPECT_TRUE(ptx::Opcode(form.opcode).row().is_known()) << form.opcode;
    }
  }
  for (const ptx::MatrixForm& form : ptx::matrix_forms()) {
    EXPECT_NE(all.find(ptx::opcode_of(form) + " "), std::string::npos) << ptx::opcode_of(form);
  }
  for (const char* form : {"ldmatrix.sync.aligned.m8n8.x1.shared.b16", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16",
                           "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "movmatrix.sync.aligned.m8n8.trans.b16"}) {
    EXPECT_NE(all.find(form), std::string::npos) << form;
  }
}

// What of the expectations an outcome breaks; empty: nothing.
std::string broken(const RandomProgram& program, Outcome outcome) {
  if (outcome.kind == OutcomeKind::NotRun) return outcome.reason;
  compare::judge_outputs(program.launch, outcome);
  if (outcome.findings.empty()) return "";
  std::string text = outcome.findings[0].message;
  for (const std::string& evidence : outcome.findings[0].evidence) text += "\n" + evidence;
  return text;
}

TEST(ApproximatePrograms, keep_the_stated_errors_however_they_are_run) {
  for (u64 seed = 0; seed < programs; ++seed) {
    const RandomProgram program = generate::approximate_program(seed);
    RunOptions options = bare();
    const Outcome fast = machine::make_machine()->run(program.launch, options);
    EXPECT_EQ(broken(program, fast), "") << seed << "\n" << program.text;
    options.careful_only = true;
    EXPECT_EQ(difference(program.launch, fast, machine::make_machine()->run(program.launch, options)), "")
        << seed << ", careful tier";
    const Outcome rewritten = gpu::make_instrumented(machine::make_machine())->run(program.launch, {});
    EXPECT_EQ(difference(program.launch, fast, rewritten), "") << seed << ", rewritten";
  }
}

TEST(ApproximatePrograms, show_another_function_and_a_worse_one) {
  const std::pair<const char*, const char*> changes[] = {
      {"\tsin.approx.f32 %f2, %f0;", "\tcos.approx.f32 %f2, %f0;"},
      {"\trcp.approx.f32 %f2, %f0;", "\trcp.approx.f32 %f2, %f0;\n\tmul.rn.f32 %f2, %f2, 0f3F800004;"},
      {"\tlg2.approx.f32 %f2, %f0;", "\tlg2.approx.f32 %f2, %f0;\n\tmul.rn.f32 %f2, %f2, 0f3F800008;"},
      {"\ttanh.approx.f16 %h2, %h0;", "\tmov.b16 %h2, %h0;"}};
  for (const auto& [from, to] : changes) {
    RandomProgram program = generate::approximate_program(5);
    const std::size_t at = program.text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    program.text.replace(at, std::strlen(from), to);
    program.launch.module = std::make_shared<ptx::Module>(ptx::read(program.text, "changed"));
    EXPECT_NE(broken(program, machine::make_machine()->run(program.launch, bare())), "") << to;
  }
}

TEST(RandomPrograms, are_taken_by_the_assembler) {
  const char* home = std::getenv("CUDA_HOME");
  const std::string assembler = std::string(home ? home : "/usr/local/cuda") + "/bin/ptxas";
  if (std::system((assembler + " --version > /dev/null 2>&1").c_str()) != 0) {
    GTEST_SKIP() << "there is no ptxas here (CUDA_HOME says where the toolkit is)";
  }
  const std::string path = testing::TempDir() + "/random_program_" + std::to_string(::getpid()) + ".ptx";
  for (u64 seed = 0; seed < 16; ++seed) {
    const RandomProgram program = seed < 12 ? random_program(seed, seed % 2) : generate::approximate_program(seed);
    for (const std::string& text : {program.text, ptx::write(*ptx::instrument(*program.launch.module).module)}) {
      std::ofstream(path) << text;
      EXPECT_EQ(
          std::system((assembler + " -O1 -arch " + program.launch.module->target + " -o /dev/null " + path).c_str()), 0)
          << seed << "\n"
          << text;
    }
  }
}

}  // namespace
}  // namespace ropewalk
