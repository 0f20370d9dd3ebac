#include "tools/fuzz/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/family.h"
#include "lib/base/json.h"
#include "reports/file.h"

namespace ropewalk {
namespace {

namespace files = std::filesystem;

constexpr const char* schema = "ropewalk.case/1";

KeptCase read_case(const files::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(Place{path.string()}, "cannot read this case of the corpus");
  const Json json = parse_json(text.str(), path.string());
  const JsonCursor cursor(json, path.string());
  cursor.expect_keys({"schema", "kernel", "problem", "blocks", "rule", "finding"});
  if (cursor.at("schema").text() != schema) cursor.at("schema").fail("expected \"" + std::string(schema) + "\"");
  KeptCase kept;
  kept.kernel = cursor.at("kernel").text();
  kept.problem = cursor.at("problem").text();
  if (cursor.has("blocks")) kept.blocks = cursor.at("blocks").natural(0, u64(1) << 40);
  try {
    family_named(kept.kernel);
    parse_problem(kept.problem);
  } catch (const InputError& error) {
    throw InputError(Place{path.string()}, error.what());
  }
  return kept;
}

std::string file_name(const Finding& finding) {
  std::string name = finding.kernel_name + "-" + finding.id + ".json";
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

}  // namespace

std::vector<KeptCase> read_corpus(const std::string& folder) {
  std::vector<files::path> paths;
  std::error_code error;
  if (!files::exists(folder, error)) return {};
  for (const auto& entry : files::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  if (error) throw InputError(Place{folder}, "cannot read this corpus: " + error.message());
  std::sort(paths.begin(), paths.end());
  std::vector<KeptCase> cases;
  for (const files::path& path : paths) cases.push_back(read_case(path));
  return cases;
}

void grow_corpus(const std::string& folder, const std::vector<Finding>& findings, const std::vector<KeptCase>& cases) {
  std::error_code error;
  files::create_directories(folder, error);
  if (error) throw InputError(Place{folder}, "cannot make this folder for the corpus: " + error.message());
  for (u64 n = 0; n < findings.size(); ++n) {
    const files::path path = files::path(folder) / file_name(findings[n]);
    if (cases[n].problem.empty() || files::exists(path)) continue;
    const nlohmann::ordered_json json = {
        {"schema", schema},          {"kernel", cases[n].kernel},         {"problem", cases[n].problem},
        {"blocks", cases[n].blocks}, {"rule", name_of(findings[n].rule)}, {"finding", findings[n].id}};
    write_file_atomically(path.string(), json.dump(2) + "\n");
  }
}

}  // namespace ropewalk
