#include <algorithm>
#include <filesystem>

#include "lib/base/error.h"
#include "lib/launch/write_launch.h"
#include "lib/trace/capture.h"
#include "lib/trace/trace_report.h"

namespace ropewalk::trace {

namespace {

class Judge {
 public:
  explicit Judge(const JudgeOptions& options) : options_(options), finder_(options.records, options.ptx) {}

  JudgedProcess process(TracedProcess record) {
    JudgedProcess out;
    for (Snapshot& snapshot : record.snapshots) out.errors.push_back(error(std::move(snapshot), record));
    record.snapshots.clear();
    out.record = std::move(record);
    return out;
  }

 private:
  JudgedError error(Snapshot snapshot, const TracedProcess& record) {
    JudgedError out;
    out.suspects = suspects_of(snapshot, record);
    out.noticed_after = launches_before(snapshot, snapshot.order + 1);
    const std::vector<bool> complete = complete_launches(snapshot);
    for (u32 n = 0; n < snapshot.launches.size(); ++n) {
      const TracedLaunch& traced = snapshot.launches[n];
      const auto& suspects = out.suspects.launches;
      JudgedLaunch one{traced, snapshot.streams[traced.stream]};
      if (std::find(suspects.begin(), suspects.end(), n) != suspects.end()) {
        one.state = !snapshot.code            ? "asked"
                    : !snapshot.is_fault      ? "refused"
                    : out.suspects.is_exact() ? "failed"
                                              : "suspect";
        tell_in_full(one, snapshot);
      } else {
        one.state = traced.captured ? "captured" : traced.result > 0 ? "refused" : complete[n] ? "complete" : "unknown";
      }
      out.launches.push_back(std::move(one));
    }
    out.snapshot = std::move(snapshot);
    if (!options_.capture.empty()) write_launch(out);
    return out;
  }

  void tell_in_full(JudgedLaunch& one, const Snapshot& snapshot) {
    const FoundPtx found = finder_.find(one.traced);
    one.ptx_from = found.from;
    one.words = argument_words(one.traced, snapshot, found.module.get());
    for (const ArgumentWord& word : one.words) {
      one.freed_after.push_back(word.memory.freed ? launches_before(snapshot, word.memory.freed) : 0);
    }
  }

  void write_launch(JudgedError& error) {
    if (is_written_) {
      error.not_captured = "a launch was captured already";
    } else if (!error.suspects.is_exact()) {
      error.not_captured = "it is not known which launch it is";
    } else {
      const TracedLaunch& traced = error.launches[error.suspects.launches[0]].traced;
      const FoundPtx found = finder_.find(traced);
      if (!found.module) {
        error.not_captured = found.from;
        return;
      }
      try {
        Captured captured = capture(error.snapshot, traced, found.module, options_.records);
        const std::string path = options_.capture + "/launch.json";
        write_launch_file(captured.launch, path);
        error.launch_file = path;
        error.notes = std::move(captured.notes);
        is_written_ = true;
      } catch (const InputError& reason) {
        error.not_captured = reason.what();
      }
    }
  }

  const JudgeOptions& options_;
  PtxFinder finder_;
  bool is_written_ = false;
};

}  // namespace

bool TraceReport::has_errors() const {
  for (const JudgedProcess& process : processes) {
    for (const JudgedError& error : process.errors) {
      if (error.snapshot.code) return true;
    }
  }
  return false;
}

std::vector<JudgedProcess> judge(const JudgeOptions& options) {
  if (!options.capture.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.capture, error);
    if (error) throw InputError("--capture: cannot make the folder " + options.capture + ": " + error.message());
  }
  Judge judge(options);
  std::vector<JudgedProcess> out;
  for (const std::string& path : records_in(options.records)) out.push_back(judge.process(read_record(path)));
  return out;
}

}  // namespace ropewalk::trace
