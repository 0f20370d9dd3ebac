#include "lib/launch/launch_file.h"
#include "tools/commands/plan.h"
#include "tools/parse/parse.h"

namespace ropewalk {

Plan plan_of(const LaunchOptions& options, const SharedOptions& shared) {
  Plan plan;
  for (const std::string& file : options.files) {
    Case one;
    one.text = file;
    std::vector<std::string> words = {"launch", file};
    const std::vector<std::string> more = replay_options(shared);
    words.insert(words.end(), more.begin(), more.end());
    one.replay = quoted_line("rope-check", words);
    one.launch = read_launch_file(file);
    one.save_outputs = options.save_outputs;
    plan.cases.push_back(std::move(one));
  }
  return plan;
}

}  // namespace ropewalk
