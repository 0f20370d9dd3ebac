// How the programs end.
#pragma once
#include "reports/report.h"

namespace ropewalk::tools {

enum class ExitCode : int {
  Clean = 0,           // checked, and nothing found; warnings alone do not fail unless --strict
  Findings = 1,        // at least one finding that fails the run
  BadUsage = 2,        // bad usage, or input that cannot be read
  NothingChecked = 3,  // no executor, an unknown instruction, or no case ran
  Internal = 4         // a fault of our own
};

constexpr ExitCode exit_code_of(reports::Verdict verdict) {
  switch (verdict) {
    case reports::Verdict::Clean:
      return ExitCode::Clean;
    case reports::Verdict::Findings:
      return ExitCode::Findings;
    case reports::Verdict::NotRun:
      return ExitCode::NothingChecked;
  }
  return ExitCode::Internal;
}

}  // namespace ropewalk::tools
