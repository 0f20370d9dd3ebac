#include "lib/base/run_command.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "lib/base/error.h"
#include "lib/base/interruption.h"

namespace ropewalk {

ProgramEnd run_command(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                       double patience_s, const std::function<bool(int)>& is_waited_for) {
  int failure_pipe[2];
  if (pipe2(failure_pipe, O_CLOEXEC) != 0) throw InternalError(std::string("no pipe: ") + std::strerror(errno));
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Interruption interruption(patience_s);
  const pid_t child = fork();
  if (child < 0) throw InternalError(std::string("no child process: ") + std::strerror(errno));
  if (child == 0) {
    interruption.forget();
    std::signal(SIGPIPE, SIG_DFL);
    std::signal(SIGXFSZ, SIG_DFL);
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    execvp(words[0], words.data());
    const int error = errno;
    if (write(failure_pipe[1], &error, sizeof error) < 0) _exit(126);
    _exit(127);
  }
  close(failure_pipe[1]);
  ProgramEnd end;
  end.process = child;
  int error = 0;
  if (read(failure_pipe[0], &error, sizeof error) == sizeof error) {
    end.not_started = command[0] + " cannot be run: " + std::strerror(error);
  }
  close(failure_pipe[0]);
  const int status = interruption.wait_for(child, is_waited_for);
  end.left = interruption.left();
  end.interrupted = interruption.signal();
  if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
  if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
  return end;
}

}  // namespace ropewalk
