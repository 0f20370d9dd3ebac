#include "lib/driver/options.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lib/base/json.h"
#include "lib/base/mapped_file.h"

namespace ropewalk::driver {

namespace {

// visit(key, member) for each option but the checks, which have a text of their own.
template <class SomeOptions, class Visit>
void for_options(SomeOptions& options, const Visit& visit) {
  visit("target", options.target);
  visit("devices", options.devices);
  visit("visible", options.visible);
  visit("strict", options.strict);
  visit("fp_contract", options.fp_contract);
  visit("block_order", options.block_order);
  visit("schedule", options.schedule);
  visit("jobs", options.jobs);
  visit("seconds", options.seconds);
  visit("sample_blocks", options.sample_blocks);
  visit("kernels", options.kernels);
  visit("launch_skip", options.launch_skip);
  visit("launch_count", options.launch_count);
  visit("memory_bytes", options.memory_bytes);
  visit("faults_end_context", options.faults_end_context);
  visit("leaks", options.leaks);
  visit("python_all_configurations", options.python_all_configurations);
  visit("capture", options.capture);
  visit("capture_all", options.capture_all);
}

}  // namespace

Options parse_options(std::string_view text, const std::string& path) {
  Options out;
  const JsonCursor root(parse_json(text, path), path);
  std::vector<std::string> keys{"checks"};
  for_options(out, [&](const char* key, auto&) { keys.push_back(key); });
  root.expect_keys(keys);
  for_options(out, [&](const char* key, auto& member) { root.read_if(key, member); });
  if (root.has_value("checks")) out.checks = parse_checks(root.at("checks").text());
  return out;
}

std::string text_of(const Options& options) {
  Json out = {{"checks", ropewalk::text_of(options.checks)}};
  for_options(options, [&](const char* key, const auto& member) { out[key] = member; });
  return out.dump(1) + "\n";
}

namespace {

std::string folder_now() {
  const char* const folder = std::getenv(folder_variable);
  return folder ? folder : "";
}
std::string path_in(const std::string& folder) { return folder + "/" + options_file; }

// What the library found when it was loaded: the program may clear its environment, and outlive who asked for the
// options.
struct AtLoad {
  std::string folder, text;
};
AtLoad& at_load() {
  static AtLoad* const found = new AtLoad;
  return *found;
}
[[gnu::constructor]] void read_at_load() {
  at_load().folder = folder_now();
  if (at_load().folder.empty()) return;
  std::ifstream file(path_in(at_load().folder));
  at_load().text.assign(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

Options options_of_process() {
  std::string folder = folder_now();
  if (folder.empty()) folder = at_load().folder;
  if (folder.empty()) return {};
  const std::string path = path_in(folder);
  Options out;
  if (folder == at_load().folder && !at_load().text.empty()) {
    out = parse_options(at_load().text, path);
  } else if (std::filesystem::exists(folder)) {
    out = parse_options(MappedFile(path).text(), path);
  } else {
    std::fprintf(stderr, "ropewalk: the run that process %d belongs to has ended: findings are printed here\n",
                 int(getpid()));
    return {};
  }
  out.folder = folder;
  return out;
}

}  // namespace ropewalk::driver
