// One function a command: it declares the command's options, and returns what reads them once the line is parsed.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "tools/options/honored.h"
#include "tools/options/request.h"

namespace CLI {
class App;
}

namespace ropewalk::tools {

// Reads the values that CLI11 has put aside; may throw InputError.
using ReadShared = std::function<SharedOptions()>;
using ReadCommand = std::function<Command()>;

// Of the shared options those that the command honors.
ReadShared declare_shared(CLI::App& command, const HonoredOptions& honored);
// The names, as "--report", of those that say where findings go and which of them fail, but not what is found; with
// each whether a value follows.
const std::map<std::string, bool>& reporting_options();
ReadCommand declare_kernel(CLI::App& command);
ReadCommand declare_case(CLI::App& command);
ReadCommand declare_fuzz(CLI::App& command);
ReadCommand declare_launch(CLI::App& command);
ReadCommand declare_cache(CLI::App& command);
ReadCommand declare_compat(CLI::App& command);
ReadCommand declare_init(CLI::App& command);
ReadCommand declare_merge(CLI::App& command);
ReadCommand declare_replay(CLI::App& command);
ReadCommand declare_list(CLI::App& command);
ReadCommand declare_explain(CLI::App& command);
ReadCommand declare_atlas(CLI::App& command);
ReadCommand declare_trace(CLI::App& command);
ReadCommand declare_run(CLI::App& command);
ReadCommand declare_bench(CLI::App& command);

}  // namespace ropewalk::tools
