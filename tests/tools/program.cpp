#include "tests/tools/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "reports/json.h"

namespace ropewalk::testing {
namespace {

namespace fs = std::filesystem;

// A folder that is removed when the process ends.
struct ScratchFolder {
  ScratchFolder() {
    std::string name = (fs::temp_directory_path() / "rope-check-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no scratch folder");
    path = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

std::string scratch(const std::string& name) {
  static const ScratchFolder folder;
  return (folder.path / name).string();
}

std::string written(const std::string& name, const std::string& text) {
  const std::string path = scratch(name);
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
  return path;
}

namespace {

ProgramResult run_program(const std::string& program, const std::string& arguments) {
  const std::string output = scratch("stdout"), errors = scratch("stderr");
  const std::string line = "cd '" ROPEWALK_SOURCE_DIR "' && '" ROPEWALK_BINARY_DIR "/bin/" + program + "' " +
                           arguments + " >'" + output + "' 2>'" + errors + "'";
  const auto start = std::chrono::steady_clock::now();
  const int status = std::system(line.c_str());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, content_of(output), content_of(errors), seconds};
}

}  // namespace

ProgramResult rope_check(const std::string& arguments) { return run_program("rope-check", arguments); }
ProgramResult attn_fuzz(const std::string& arguments) { return run_program("attn-fuzz", arguments); }

reports::Report report_at(const std::string& path) { return reports::parse_json_report(content_of(path), path); }

Reported rope_check_report(const std::string& arguments) {
  const std::string path = scratch("report.json");
  fs::remove(path);
  Reported reported{rope_check(arguments + " --report '" + path + "'"), {}};
  if (fs::exists(path)) {
    reported.report = reports::parse_json_report(content_of(path), path);
  } else {
    ADD_FAILURE() << "rope-check " << arguments << " left no report: " << reported.program.errors;
  }
  return reported;
}

}  // namespace ropewalk::testing
