// What a command will run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lib/family/family.h"
#include "lib/launch/launch.h"
#include "lib/problem/problem.h"
#include "tools/options/request.h"

namespace ropewalk::tools {

// One case: a launch with its names.
struct Case {
  std::string text;    // "rotary(...)", or the launch file's path
  std::string replay;  // the command that runs it again
  Launch launch;
  const Family* family = nullptr;  // what the launch answers, where that is known
  std::optional<Problem> problem;
  std::string save_outputs;  // folder for the output tensors; empty: not saved
  std::string unreadable;    // why there is no launch; empty: there is one
};

struct Plan {
  std::vector<Case> cases;
  u64 seed = 1;                    // of the inputs, for the report
  std::vector<std::string> notes;  // for the report
};

// The words of a command line that runs one problem of a kernel.
std::vector<std::string> words_of_case(const Program& program, const std::string& kernel, const std::string& problem);
// The shared options that decide what is found, as words of a command line that runs a case again.
std::vector<std::string> replay_options(const SharedOptions& shared);
// The command line of these words and those options.
std::string replay_line(const SharedOptions& shared, std::vector<std::string> words);

// Each throws InputError where a name is unknown, a file cannot be read or a precondition rejects the problem.
Plan plan_of(const KernelOptions& options, const SharedOptions& shared);
Plan plan_of(const LaunchOptions& options, const SharedOptions& shared);

}  // namespace ropewalk::tools
