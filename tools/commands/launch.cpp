#include "lib/launch/launch_file.h"
#include "tools/commands/plan.h"
#include "tools/parse/parse.h"

namespace ropewalk {

Plan plan_of(const LaunchOptions& options, const SharedOptions&) {
  Plan plan;
  for (const std::string& file : options.files) {
    Case one;
    one.text = file;
    one.replay = quoted_line("rope-check", {"launch", file});
    one.launch = read_launch_file(file);
    one.save_outputs = options.save_outputs;
    plan.cases.push_back(std::move(one));
  }
  return plan;
}

}  // namespace ropewalk
