#include <filesystem>
#include <map>

#include "lib/base/error.h"
#include "lib/launch/launch_file.h"
#include "tools/commands/plan.h"
#include "tools/parse/parse.h"

namespace ropewalk {
namespace {

std::string replay_of(const std::string& file, const SharedOptions& shared) {
  std::vector<std::string> words = {"launch", file};
  if (shared.seed) words.insert(words.end(), {"--seed", std::to_string(*shared.seed)});
  const std::vector<std::string> more = replay_options(shared);
  words.insert(words.end(), more.begin(), more.end());
  return quoted_line("rope-check", words);
}

// Two launches whose outputs have the same name would write the same file.
void require_distinct_outputs(const std::vector<Case>& cases) {
  std::map<std::string, std::string> file_of;
  for (const Case& one : cases) {
    for (const LaunchTensor& tensor : one.launch.tensors) {
      if (!tensor.output) continue;
      const auto [known, is_new] = file_of.emplace(tensor.name, one.text);
      if (!is_new) {
        throw InputError("--save-outputs: " + known->second + " and " + one.text + " both have an output \"" +
                         tensor.name + "\"; run them one at a time, into folders of their own");
      }
    }
  }
}

void make_folder(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw InputError("--save-outputs: cannot make the folder " + path + ": " + error.message());
}

}  // namespace

Plan plan_of(const LaunchOptions& options, const SharedOptions& shared) {
  Plan plan;
  for (const std::string& file : options.files) {
    Case one;
    one.text = file;
    one.replay = replay_of(file, shared);
    one.launch = read_launch_file(file);
    if (shared.seed) one.launch.blocks.seed = *shared.seed;
    one.save_outputs = options.save_outputs;
    plan.cases.push_back(std::move(one));
  }
  if (!options.save_outputs.empty()) {
    require_distinct_outputs(plan.cases);
    make_folder(options.save_outputs);
  }
  return plan;
}

}  // namespace ropewalk
