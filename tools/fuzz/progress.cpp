#include "tools/fuzz/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "lib/base/percent.h"

namespace ropewalk::tools {

std::string progress_line(const campaign::Progress& progress) {
  const auto grouped = [](u64 number) {
    std::string text = std::to_string(number);
    for (i64 at = i64(text.size()) - 3; at > 0; at -= 3) text.insert(u64(at), ",");
    return text;
  };
  const double pace = progress.seconds > 0 ? double(progress.cases) / progress.seconds : 0;
  std::string line;
  if (progress.to_make_small) {
    line = fmt::format("{} cases  findings {}  minimized {}  with {} cases more", grouped(progress.cases),
                       progress.findings, progress.made_small, grouped(progress.trials));
  } else {
    line = fmt::format("{} cases  {}/s  coverage {} %  findings {}", grouped(progress.cases), grouped(u64(pace)),
                       percent_fixed(progress.covered, 0), progress.findings);
  }
  if (progress.seconds_left) {
    const u64 left = u64(*progress.seconds_left + 0.5);
    line += fmt::format("  left {}:{:02}", left / 60, left % 60);
  }
  return line;
}

ProgressLine::ProgressLine(bool wanted) : shows_(wanted && isatty(STDERR_FILENO)) {}

ProgressLine::~ProgressLine() {
  if (written_) std::fputs("\r\033[K", stderr);
}

void ProgressLine::show(const campaign::Progress& progress) {
  if (!shows_) return;
  written_ = true;
  std::fprintf(stderr, "\r%s\033[K", progress_line(progress).c_str());
  std::fflush(stderr);
}

}  // namespace ropewalk::tools
