#include "tools/fuzz/corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/campaign/case_file.h"
#include "reports/file.h"

namespace ropewalk::tools {

using campaign::SavedCase;

namespace {

namespace files = std::filesystem;

SavedCase read_case_file(const files::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(InputLocation{path.string()}, "cannot read this case of the corpus");
  return campaign::read_case(text.str(), path.string(), kernels::shipped_kernels());
}

std::string file_name(const Finding& finding) {
  std::string name = finding.kernel_name + "-" + finding.id + ".json";
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

}  // namespace

std::vector<SavedCase> read_corpus(const std::string& folder) {
  std::vector<files::path> paths;
  std::error_code error;
  const bool is_there = files::exists(folder, error);
  if (error) throw InputError(InputLocation{folder}, "cannot read this corpus: " + error.message());
  if (!is_there) {
    files::create_directories(folder, error);
    if (error) throw InputError(InputLocation{folder}, "cannot make this folder for the corpus: " + error.message());
    return {};
  }
  for (const auto& entry : files::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") paths.push_back(entry.path());
  }
  if (error) throw InputError(InputLocation{folder}, "cannot read this corpus: " + error.message());
  std::sort(paths.begin(), paths.end());
  std::vector<SavedCase> cases;
  for (const files::path& path : paths) cases.push_back(read_case_file(path));
  return cases;
}

std::set<std::string> new_files(const std::string& folder, const std::vector<Finding>& findings) {
  std::set<std::string> names;
  for (const Finding& finding : findings) {
    if (!files::exists(files::path(folder) / file_name(finding))) names.insert(file_name(finding));
  }
  return names;
}

void grow_corpus(const std::string& folder, const std::vector<Finding>& findings, const std::vector<SavedCase>& cases,
                 const std::set<std::string>& own) {
  std::error_code error;
  files::create_directories(folder, error);
  if (error) throw InputError(InputLocation{folder}, "cannot make this folder for the corpus: " + error.message());
  for (u64 n = 0; n < findings.size(); ++n) {
    const std::string name = file_name(findings[n]);
    const files::path path = files::path(folder) / name;
    if (cases[n].problem.empty() || (files::exists(path) && !own.count(name))) continue;
    reports::write_file_atomically(path.string(), campaign::case_text(cases[n], findings[n]));
  }
}

}  // namespace ropewalk::tools
