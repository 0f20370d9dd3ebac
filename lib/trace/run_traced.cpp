#include "lib/trace/run_traced.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/trace/environment.h"

namespace ropewalk::trace {

namespace files = std::filesystem;

namespace {

void set_environment(const TraceOptions& options, const std::string& library, const std::string& folder) {
  setenv(injection_variable, library.c_str(), 1);
  setenv(folder_variable, folder.c_str(), 1);
  setenv(keep_variable, std::to_string(options.keep).c_str(), 1);
  setenv(serialize_variable, options.serialize ? "1" : "0", 1);
  setenv(save_variable, std::to_string(options.save_bytes).c_str(), 1);
  setenv(at_variable, std::to_string(options.at).c_str(), 1);
}

}  // namespace

ProgramEnd run_traced(const TraceOptions& options, const std::string& library, const std::string& folder) {
  int told[2];
  if (pipe2(told, O_CLOEXEC) != 0) throw InternalError(std::string("no pipe: ") + std::strerror(errno));
  std::vector<char*> words;
  for (const std::string& word : options.command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw InternalError(std::string("no child process: ") + std::strerror(errno));
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    set_environment(options, library, folder);
    execvp(words[0], words.data());
    const int error = errno;
    if (write(told[1], &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  close(told[1]);
  ProgramEnd end;
  int error = 0;
  if (read(told[0], &error, sizeof error) == sizeof error) {
    end.not_started = options.command[0] + " cannot be run: " + std::strerror(error);
  }
  close(told[0]);
  // Ctrl-C is the program's: what it did until then is still to be told.
  const auto before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, before);
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

std::string find_library() {
  std::error_code error;
  const files::path program = files::read_symlink("/proc/self/exe", error).parent_path();
  for (const files::path& folder : {program, program.parent_path() / "lib"}) {
    const files::path library = folder / library_name;
    if (files::exists(library, error)) return library.string();
  }
  throw InputError(std::string("trace: ") + library_name + " is neither beside this program nor in " +
                   (program.parent_path() / "lib").string());
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
