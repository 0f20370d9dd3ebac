// What a command line asks for.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "tools/options/cache.h"
#include "tools/options/compat.h"
#include "tools/options/fuzz.h"
#include "tools/options/init.h"
#include "tools/options/kernel.h"
#include "tools/options/launch.h"
#include "tools/options/run.h"
#include "tools/options/shared.h"
#include "tools/options/trace.h"

namespace ropewalk::tools {

// `rope-check list`: the kernels that there are.
struct ListOptions {
  bool faulty = false;                             // those with seeded bugs too
  std::vector<std::string> families = {"rotary"};  // of the kernels
};

// `rope-check explain NAME`: what a rule means, why it hurts, what usually causes it; or what a cause is, when it is
// claimed and what to do. Empty: the rules and causes that there are.
struct ExplainOptions {
  std::string name;
};

// `rope-check atlas ROW...`: the known bugs, run and judged. None: all rows.
struct AtlasOptions {
  std::vector<std::string> rows;
};

// `rope-check merge A.json B.json...`: several reports made one.
struct MergeOptions {
  std::vector<std::string> files;
};

// `rope-check replay REPORT.json`: the findings of a report, shown again.
struct ReplayOptions {
  std::string report;
  std::string finding;  // id; empty: all
};

// `rope-check bench`: how fast the machine is here.
struct BenchOptions {
  double seconds = 0.3;           // for each measurement
  std::string filter;             // only measurements whose name contains this
  std::string family = "rotary";  // of the kernels
};

// A text to show: help or version.
struct ShowText {
  std::string text;
};

using Command = std::variant<ShowText, KernelOptions, FuzzOptions, LaunchOptions, CacheOptions, CompatOptions,
                             InitOptions, MergeOptions, ReplayOptions, ListOptions, ExplainOptions, AtlasOptions,
                             BenchOptions, TraceRequest, RunRequest>;

struct Request {
  Command command;
  SharedOptions shared;
  std::string command_line;  // quoted so that a shell reads it back
};

}  // namespace ropewalk::tools
