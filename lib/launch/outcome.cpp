#include "lib/launch/outcome.h"

namespace ropewalk {

std::string_view name_of(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::Agreed:
      return "agreed";
    case OutcomeKind::Disagreed:
      return "disagreed";
    case OutcomeKind::Found:
      return "found";
    case OutcomeKind::NotRun:
      return "not run";
  }
  return "";
}

}  // namespace ropewalk
