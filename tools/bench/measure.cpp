#include "tools/bench/measure.h"

#include <algorithm>

#include "lib/base/stopwatch.h"

namespace ropewalk::tools {

Speed measure(const std::string& name, const Launch& launch, Executor& executor, const RunOptions& options,
              double seconds) {
  Speed speed{name};
  RunOptions counting = options;
  counting.count = true;
  const Outcome counted = executor.run(launch, counting);
  if (counted.kind == OutcomeKind::NotRun) {
    speed.not_measured = counted.reason;
  } else if (!counted.findings.empty()) {
    speed.not_measured = counted.findings.front().message;
  }
  if (!speed.not_measured.empty()) return speed;
  speed.thread_instructions = counted.statistics.thread_instructions;
  const Stopwatch watch;
  double spent = 0;
  while (spent < seconds) {
    const double run = executor.run(launch, options).statistics.seconds;
    speed.seconds = speed.seconds > 0 ? std::min(speed.seconds, run) : run;
    spent = watch.seconds();
  }
  return speed;
}

}  // namespace ropewalk::tools
