#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/trace_texts.h"

namespace ropewalk::reports {
namespace {

using OrderedJson = nlohmann::ordered_json;
using namespace trace;

std::string hexadecimal(u64 value) { return fmt::format("{:#x}", value); }

OrderedJson dimensions(const Dim3& dim) { return {dim.x, dim.y, dim.z}; }

OrderedJson allocation_json(const TracedAllocation& memory) {
  OrderedJson out = {{"address", hexadecimal(memory.address)},
                     {"bytes", memory.bytes},
                     {"kind", memory.kind},
                     {"made_by", memory.made_by}};
  if (memory.freed) out["freed_by"] = memory.freed_by;
  return out;
}

OrderedJson argument_json(const ArgumentWord& word, u64 freed_after) {
  OrderedJson out = {
      {"number", word.parameter}, {"byte", word.offset}, {"bytes", word.bytes}, {"value", hexadecimal(word.value)}};
  if (word.state == PointerState::NoPointer) return out;
  OrderedJson pointer = {{"state", name_of(word.state)}};
  if (word.memory.bytes) {
    pointer["allocation"] = allocation_json(word.memory);
    pointer["offset"] = word.into;
    pointer["bytes_to_end"] = word.memory.bytes - word.into;
    if (word.memory.freed) pointer["freed_after_launch"] = freed_after;
  }
  out["pointer"] = std::move(pointer);
  return out;
}

OrderedJson launch_json(const JudgedLaunch& launch) {
  const TracedLaunch& traced = launch.traced;
  OrderedJson out = {{"number", traced.number},
                     {"state", launch.state},
                     {"kernel", traced.kernel},
                     {"kind", traced.kind},
                     {"grid", dimensions(traced.grid)},
                     {"block", dimensions(traced.block)},
                     {"dynamic_shared_bytes", traced.shared_bytes},
                     {"stream", hexadecimal(launch.stream.handle)},
                     {"context", launch.stream.context},
                     {"result", traced.result_name}};
  if (!traced.unknown.empty()) out["arguments_unknown"] = traced.unknown;
  if (launch.ptx_from.empty()) return out;
  out["ptx"] = launch.ptx_from;
  out["arguments"] = OrderedJson::array();
  for (size_t n = 0; n < launch.words.size(); ++n) {
    out["arguments"].push_back(argument_json(launch.words[n], launch.freed_after[n]));
  }
  return out;
}

OrderedJson error_json(const JudgedError& error) {
  const Snapshot& snapshot = error.snapshot;
  OrderedJson out = {{"code", snapshot.code},
                     {"name", snapshot.name},
                     {"text", snapshot.text},
                     {"noticed_by", snapshot.call},
                     {"noticed_after_launch", error.noticed_after},
                     {"exact", error.suspects.is_exact()},
                     {"older_possible", error.suspects.older_possible},
                     {"how", error.suspects.how},
                     {"suspects", OrderedJson::array()},
                     {"launches", OrderedJson::array()},
                     {"operations", OrderedJson::array()},
                     {"allocations", OrderedJson::array()}};
  for (const u32 n : error.suspects.launches) out["suspects"].push_back(error.launches[n].traced.number);
  for (const JudgedLaunch& launch : error.launches) out["launches"].push_back(launch_json(launch));
  for (const TracedOperation& one : snapshot.operations) {
    out["operations"].push_back({{"name", one.name},
                                 {"to", hexadecimal(one.to)},
                                 {"from", hexadecimal(one.from)},
                                 {"bytes", one.bytes},
                                 {"after_launch", launches_before(snapshot, one.order)},
                                 {"result", one.result}});
  }
  for (const TracedAllocation& one : snapshot.allocations) out["allocations"].push_back(allocation_json(one));
  if (!error.launch_file.empty()) out["captured"] = {{"file", error.launch_file}, {"notes", error.notes}};
  if (!error.not_captured.empty()) out["not_captured"] = error.not_captured;
  return out;
}

}  // namespace

Verdict verdict_of(const TraceReport& report) {
  if (report.has_errors()) return Verdict::Findings;
  bool complete = report.not_run.empty();
  for (const JudgedProcess& process : report.processes) complete &= process.record.problem.empty();
  return complete ? Verdict::Clean : Verdict::NotRun;
}

std::string trace_json(const TraceReport& report) {
  OrderedJson out = {{"schema", "ropewalk.trace/1"},
                     {"tool", {{"name", "rope-check"}, {"version", report.version}}},
                     {"command", report.command},
                     {"traced", report.traced},
                     {"end", {{"exit_code", report.end.exit_code}, {"signal", report.end.signal}}},
                     {"duration_s", report.duration_s},
                     {"verdict", name_of(verdict_of(report))},
                     {"not_run", report.not_run.empty() ? OrderedJson(nullptr) : OrderedJson(report.not_run)},
                     {"processes", OrderedJson::array()}};
  for (const JudgedProcess& process : report.processes) {
    const TracedProcess& record = process.record;
    OrderedJson one = {{"process", record.process},
                       {"command", record.command},
                       {"driver", record.driver},
                       {"cupti", record.cupti},
                       {"not_traced", record.problem.empty() ? OrderedJson(nullptr) : OrderedJson(record.problem)},
                       {"kept_launches", record.keep},
                       {"serialized", record.serialized},
                       {"end_seen", record.ended},
                       {"launches", record.launches},
                       {"unwaited_launches", record.unwaited},
                       {"errors", OrderedJson::array()},
                       {"captures", OrderedJson::array()}};
    for (const JudgedError& error : process.errors) {
      one[error.snapshot.code ? "errors" : "captures"].push_back(error_json(error));
    }
    out["processes"].push_back(std::move(one));
  }
  return out.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace ropewalk::reports
