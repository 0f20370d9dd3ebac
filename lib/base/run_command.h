// Runs another program.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ropewalk {

struct ProgramEnd {
  std::string not_started;  // why it could not be run
  int exit_code = 0;
  int signal = 0;       // that ended it; 0: none
  int interrupted = 0;  // SIGINT, SIGTERM or SIGHUP that we were sent, and passed on; 0: none
  int process = 0;      // its number
  std::set<int> left;   // processes that it began and that go on
};

// Runs the command with these variables set in its environment, and waits for its end. It has our standard input,
// output and error, and Ctrl-C is its own: what it did until then is still to be reported.
//
// SIGINT, SIGTERM and SIGHUP that another process sends us are passed on to the program, and to the processes that it
// leaves behind at its end; who is still there after `patience_s` seconds is killed. From then on we ignore them: what
// was done is still to be reported. is_waited_for: see Interruption::wait_for.
ProgramEnd run_command(const std::vector<std::string>& command, const std::map<std::string, std::string>& environment,
                       double patience_s = 10, const std::function<bool(int)>& is_waited_for = {});

}  // namespace ropewalk
