#include "lib/driver/options.h"

#include <cstdlib>

#include "lib/base/json.h"
#include "lib/base/mapped_file.h"

namespace ropewalk::driver {

namespace {

// visit(key, member) for each option but the checks, which have a text of their own.
template <class SomeOptions, class Visit>
void for_options(SomeOptions& options, const Visit& visit) {
  visit("target", options.target);
  visit("devices", options.devices);
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

Options options_of_process() {
  const char* folder = std::getenv(folder_variable);
  if (!folder || !*folder) return {};
  const std::string path = std::string(folder) + "/" + options_file;
  const MappedFile file(path);
  Options out = parse_options(file.text(), path);
  out.folder = folder;
  return out;
}

}  // namespace ropewalk::driver
