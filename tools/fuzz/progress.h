// The line that says how a campaign is getting on.
#pragma once
#include <string>

#include "lib/campaign/campaign.h"

namespace ropewalk::tools {

// "12,345 cases  6,172/s  coverage 84 %  findings 2  left 0:12", without a newline.
std::string progress_line(const campaign::Progress& progress);

// Writes the line over the one before on standard error, and wipes it at the end. Does nothing where standard error is
// no terminal.
class ProgressLine {
 public:
  explicit ProgressLine(bool wanted);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  void show(const campaign::Progress& progress);

 private:
  bool shows_ = false, written_ = false;
};

}  // namespace ropewalk::tools
