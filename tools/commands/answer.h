// Commands that check nothing and answer with a text.
#pragma once
#include <optional>
#include <string>

#include "tools/options/request.h"

namespace ropewalk::tools {

// The answer to help, version, list, explain and bench; nullopt for commands that check something.
std::optional<std::string> answer_to(const Command& command);

std::string answer(const ListOptions& options);
// Throws InputError that names the nearest known rule or cause.
std::string answer(const ExplainOptions& options);
std::string answer(const BenchOptions& options);

}  // namespace ropewalk::tools
