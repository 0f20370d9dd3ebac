#include "lib/trace/run_traced.h"

#include <algorithm>
#include <filesystem>

#include "lib/base/beside_program.h"
#include "lib/base/error.h"
#include "lib/trace/environment.h"

namespace ropewalk::trace {

namespace files = std::filesystem;

ProgramEnd run_traced(const TraceOptions& options, const std::string& library, const std::string& folder) {
  return run_command(options.command, {{injection_variable, library},
                                       {folder_variable, folder},
                                       {keep_variable, std::to_string(options.keep)},
                                       {serialize_variable, options.serialize ? "1" : "0"},
                                       {save_variable, std::to_string(options.save_bytes)},
                                       {at_variable, std::to_string(options.at)}});
}

std::string find_library() {
  const files::path folder = folder_beside_program({"", "../lib"}, library_name);
  if (!folder.empty()) return (folder / library_name).string();
  throw InputError(std::string("trace: ") + library_name + " is neither beside this program nor in " +
                   (program_folder().parent_path() / "lib").string());
}

std::vector<std::string> records_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const files::directory_entry& entry : files::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace ropewalk::trace
