#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "reports/printable.h"
#include "reports/trace_texts.h"

namespace ropewalk::reports {
namespace {

using namespace trace;

constexpr size_t most_before = 8;  // launches and operations that are shown of those that came before
constexpr size_t most_full = 4;    // suspects that are shown with their arguments
constexpr size_t most_named = 16;  // and by name

std::string dimensions_text(const Dim3& dim) { return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z); }

std::string after(u64 launch) { return launch ? fmt::format("after launch {}", launch) : "before the first launch"; }

std::string stream_name(const TracedStream& stream) {
  return stream.handle == 0   ? "the default stream"
         : stream.handle == 2 ? "the thread's default stream"
                              : fmt::format("stream {:#x}", stream.handle);
}

std::string memory_words(const ArgumentWord& word, u64 freed_after) {
  const TracedAllocation& memory = word.memory;
  switch (word.state) {
    case PointerState::NoPointer:
      return "";
    case PointerState::Null:
      return ", a null pointer that the kernel uses as an address";
    case PointerState::Nowhere:
      return ", an address in no memory that is known here";
    case PointerState::Live:
    case PointerState::Freed:
      break;
  }
  std::string out =
      fmt::format(", {} bytes into {} bytes of {} memory ({})", word.into, memory.bytes, memory.kind, memory.made_by);
  if (word.state == PointerState::Freed) {
    out += fmt::format(", which {} had given back {}", memory.freed_by, after(freed_after));
  } else if (word.freed_later) {
    out += fmt::format(", which {} gave back {}", memory.freed_by, after(freed_after));
  }
  return out;
}

std::string argument_line(const ArgumentWord& word, u64 freed_after) {
  std::string out = fmt::format("    argument {}", word.parameter);
  if (word.offset) out += fmt::format(", byte {}", word.offset);
  out += word.state == PointerState::NoPointer ? fmt::format(": {} ({:#x})", word.value, word.value)
                                               : fmt::format(": {:#x}", word.value);
  return out + memory_words(word, freed_after) + "\n";
}

std::string launch_line(const JudgedLaunch& launch) {
  const TracedLaunch& traced = launch.traced;
  std::string out = fmt::format("launch {}: {}", traced.number, printable(traced.kernel));
  if (traced.kind != "graph")
    out += fmt::format(", grid {}, block {}", dimensions_text(traced.grid), dimensions_text(traced.block));
  if (traced.shared_bytes) out += fmt::format(", {} bytes of shared memory", traced.shared_bytes);
  out += ", " + stream_name(launch.stream);
  if (traced.kind == "cooperative") out += ", cooperative";
  return out;
}

std::string suspect_text(const JudgedLaunch& launch) {
  std::string out = "  " + launch_line(launch) + "\n";
  if (!launch.traced.unknown.empty()) out += "    arguments not known: " + launch.traced.unknown + "\n";
  for (size_t n = 0; n < launch.words.size(); ++n) out += argument_line(launch.words[n], launch.freed_after[n]);
  return out + "    PTX: " + printable(launch.ptx_from) + "\n";
}

bool has_bad_address(const JudgedLaunch& launch) {
  return std::any_of(launch.words.begin(), launch.words.end(), [](const ArgumentWord& word) {
    return word.state == PointerState::Freed || word.state == PointerState::Nowhere || word.state == PointerState::Null;
  });
}

std::string headline(const JudgedError& error) {
  if (!error.snapshot.code) return "a launch that was asked for\n";
  std::string out = fmt::format("{} ({})", error.snapshot.name, error.snapshot.code);
  if (!error.snapshot.text.empty()) out += ": " + printable(error.snapshot.text);
  return out + fmt::format("\n  noticed by {}, {}\n", error.snapshot.call, after(error.noticed_after));
}

std::string suspects_text(const JudgedError& error) {
  const Suspects& suspects = error.suspects;
  std::string out = suspects.is_exact() ? "  the launch: " + suspects.how + "\n"
                    : suspects.launches.empty()
                        ? "  " + suspects.how + "\n"
                        : fmt::format("  one of {} launches: {}\n", suspects.launches.size(), suspects.how);
  // Those that were handed a bad address are reported first; with few, all of them are.
  size_t full = 0, lines = 0;
  const bool all = suspects.launches.size() <= most_full;
  for (const u32 n : suspects.launches) {
    if (!all && (!has_bad_address(error.launches[n]) || ++full > most_full)) continue;
    out += suspect_text(error.launches[n]);
  }
  for (const u32 n : suspects.launches) {
    if (all || ++lines > most_named) continue;
    out += "  " + launch_line(error.launches[n]) + "\n";
  }
  if (lines > most_named) out += fmt::format("  and {} more; --report tells all\n", lines - most_named);
  return out;
}

std::string before_text(const JudgedError& error) {
  const u32 first = error.suspects.launches.empty() ? u32(error.launches.size()) : error.suspects.launches.front();
  if (first == 0) return "";
  const u32 from = first > most_before ? u32(first - most_before) : 0;
  std::string out = "  before it:\n";
  for (u32 n = from; n < first; ++n) {
    out += fmt::format("    {} ({})\n", launch_line(error.launches[n]), error.launches[n].state);
  }
  return out;
}

std::string operations_text(const JudgedError& error) {
  const auto& operations = error.snapshot.operations;
  if (operations.empty()) return "";
  const size_t from = operations.size() > most_before ? operations.size() - most_before : 0;
  std::string out = "  memory operations:\n";
  for (size_t n = from; n < operations.size(); ++n) {
    const TracedOperation& one = operations[n];
    out += fmt::format("    {} of {} bytes to {:#x}{}, {}{}\n", one.name, one.bytes, one.to,
                       one.from ? fmt::format(" from {:#x}", one.from) : "",
                       after(launches_before(error.snapshot, one.order)), one.result ? ", refused" : "");
  }
  return out;
}

std::string capture_text(const JudgedError& error) {
  std::string out;
  if (!error.launch_file.empty()) out += fmt::format("  captured: rope-check launch {}\n", error.launch_file);
  for (const std::string& note : error.notes) out += "    " + note + "\n";
  if (!error.not_captured.empty()) out += "  not captured: " + printable(error.not_captured) + "\n";
  return out;
}

std::string process_text(const JudgedProcess& process) {
  const TracedProcess& record = process.record;
  std::string out;
  std::string words;
  for (const std::string& word : record.command) words += (words.empty() ? "" : " ") + word;
  for (const JudgedError& error : process.errors) {
    out += headline(error) + fmt::format("  in process {}: {}\n", record.process, printable(words)) +
           suspects_text(error) + before_text(error) + operations_text(error) + capture_text(error);
  }
  if (!record.problem.empty()) {
    out += fmt::format("process {} was not traced: {}\n", record.process, printable(record.problem));
  } else if (process.errors.empty()) {
    out += fmt::format("process {}: ", record.process);
    if (!record.ended) {
      out += "no error was reported; its end was not seen\n";
    } else {
      out += fmt::format("{} launch{}, no error was reported", record.launches, record.launches == 1 ? "" : "es");
      if (record.unwaited) out += fmt::format("; {} of them had not been waited for at its end", record.unwaited);
      out += "\n";
    }
  }
  return out;
}

std::string end_text(const ProgramEnd& end) {
  if (end.signal) return fmt::format("the program died of signal {} ({})\n", end.signal, strsignal(end.signal));
  return end.exit_code ? fmt::format("the program exited with {}\n", end.exit_code) : "";
}

}  // namespace

std::string trace_text(const TraceReport& report) {
  std::string out;
  for (const JudgedProcess& process : report.processes) out += process_text(process);
  out += end_text(report.end);
  if (!report.not_run.empty()) out += "not run: " + printable(report.not_run) + "\n";
  return out;
}

}  // namespace ropewalk::reports
