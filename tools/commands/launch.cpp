#include <filesystem>
#include <map>

#include "lib/base/error.h"
#include "lib/base/mapped_file.h"
#include "lib/launch/launch_file.h"
#include "lib/ptx/read.h"
#include "tools/commands/examine.h"
#include "tools/commands/launch_files.h"
#include "tools/commands/planned_cases.h"
#include "tools/run/run.h"
#include "tools/run/sources.h"

namespace ropewalk::tools {
namespace {

std::string replay_of(const std::string& file, const SharedOptions& shared) {
  std::vector<std::string> words = {"launch", file};
  if (shared.seed) words.insert(words.end(), {"--seed", std::to_string(*shared.seed)});
  return replay_line(shared, std::move(words));
}

// The launch, in which the paths of sources are as they are reported.
Launch read(const std::string& file, const SourcePaths& paths) {
  LaunchFiles files = LaunchFiles::on_disk();
  files.module = [&](const std::string& path) {
    ptx::Module module = ptx::read_file(path);
    module.path = paths.of_file(path);
    for (std::string& source : module.files) source = paths.of_source(source);
    return std::make_shared<const ptx::Module>(std::move(module));
  };
  if (file == "-") return read_launch(standard_input(), file, files);
  return read_launch(MappedFile(file).text(), file, files);
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
  NamedLaunches named = named_launches(options.files);
  const SourcePaths paths = source_paths_of(shared);
  Plan plan;
  plan.notes = std::move(named.notes);
  for (const std::string& file : named.files) {
    Case one;
    one.text = file == "-" ? file : paths.of_file(file);
    one.replay = replay_of(file, shared);
    try {
      one.launch = read(file, paths);
    } catch (const InputError& error) {
      if (named.files.size() == 1) throw;
      one.unreadable = error.what();
    }
    if (shared.seed) one.launch.blocks.seed = *shared.seed;
    one.save_outputs = options.save_outputs;
    plan.cases.push_back(std::move(one));
  }
  const std::vector<std::string> notes = notes_of(paths);
  plan.notes.insert(plan.notes.end(), notes.begin(), notes.end());
  if (!options.save_outputs.empty()) {
    require_distinct_outputs(plan.cases);
    make_folder(options.save_outputs);
  }
  return plan;
}

reports::Report examine(const LaunchOptions& options, const Request& request) {
  return run(plan_of(options, request.shared), request);
}

}  // namespace ropewalk::tools
