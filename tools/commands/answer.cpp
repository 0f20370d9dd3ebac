#include "tools/commands/answer.h"

namespace ropewalk::tools {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

std::optional<std::string> answer_to(const Command& command) {
  using Answer = std::optional<std::string>;
  return std::visit(Overloaded{[](const ShowText& shown) -> Answer { return shown.text; },
                               [](const ListOptions& options) -> Answer { return answer(options); },
                               [](const ExplainOptions& options) -> Answer { return answer(options); },
                               [](const BenchOptions& options) -> Answer { return answer(options); },
                               [](const auto&) -> Answer { return std::nullopt; }},
                    command);
}

}  // namespace ropewalk::tools
