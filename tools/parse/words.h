// The commands and options of a program, for its manual page and for shells that complete them.
#pragma once
#include <string>
#include <vector>

#include "tools/options/program.h"

namespace ropewalk::tools {

struct OptionWords {
  std::vector<std::string> names;  // "-q", "--quiet"
  std::string value;               // "N", "half|interleaved"; empty: it takes none
  std::string help;
};

struct CommandWords {
  std::string name;  // empty: the program itself
  std::string help;
  std::vector<OptionWords> options;
  std::vector<OptionWords> positionals;  // each with one name
};

// The words that the option's value is one of; empty: it may be another ("N", "all|LIST", "30s|5m").
std::vector<std::string> choices_of(const OptionWords& option);

// The program itself first, then its commands in their order.
std::vector<CommandWords> command_words(const Program& program);

// "Exit codes: 0 clean, ...", as every --help ends.
extern const char* const exit_codes_line;

}  // namespace ropewalk::tools
