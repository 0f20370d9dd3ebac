// What a trace writes down when something happened.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "lib/trace/recorder/recorder.h"

namespace ropewalk::trace {

namespace {

using Json = nlohmann::ordered_json;

// Errors after which the context is of no use any more: a kernel broke it. CUresult.
bool is_fault(gpu::Result code) {
  switch (code) {
    case 214:  // uncorrectable ECC error
    case 220:  // uncorrectable NVLink error
    case 226:  // contained error
    case 700:  // illegal address
    case 702:  // launch timeout
    case 710:  // assert
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed
    case 721:  // tensor memory leak
    case 999:  // unknown
      return true;
    default:
      return false;
  }
}

// A program may ask the driver something and expect a no; work that the device is given is not asked for in that way.
bool is_work(const char* call) {
  for (const char* prefix : {"cuLaunch", "cuGraphLaunch", "cuMemcpy", "cuMemset"}) {
    if (std::string_view(call).starts_with(prefix)) return true;
  }
  return false;
}

std::string hexadecimal(const std::byte* bytes, u32 count) {
  std::string out;
  for (u32 n = 0; n < count; ++n) {
    constexpr char digits[] = "0123456789abcdef";
    out += digits[u32(bytes[n]) >> 4];
    out += digits[u32(bytes[n]) & 15];
  }
  return out;
}

Json command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Json words = Json::array();
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

}  // namespace

void Recorder::started(const std::string& problem, const std::string& cupti) {
  const std::lock_guard lock(mutex_);
  record_ = {{"process", getpid()},
             {"command", command_line()},
             {"problem", problem},
             {"cupti", cupti},
             {"driver", driver_.version()},
             {"keep", launches_.kept()},
             {"serialized", options_.serialize || options_.is_blocking},
             {"ended", false},
             {"launches", 0},
             {"unwaited", 0},
             {"snapshots", Json::array()}};
  write();
}

void Recorder::finished() {
  const std::lock_guard lock(mutex_);
  record_["ended"] = true;
  record_["unwaited"] = launches_.unwaited();
  write();
}

void Recorder::failed(const Call& call, u64 launch) {
  if (!is_fault(call.result) && !is_work(call.name)) return;
  const std::lock_guard lock(mutex_);
  bool& reported = is_fault(call.result) ? reported_fault_ : reported_refusal_;
  if (reported || reported_fault_) return;
  // A launch that is refused was wrong itself; one that returns a fault tells of an earlier one, unless the driver
  // waits.
  report(call.result, call, launch, launch && (!is_fault(call.result) || options_.is_blocking));
}

Json Recorder::json_of_launch(const LaunchSlot& slot, u64 number) {
  const LaunchShape& shape = slot.shape;
  Json out = {{"number", number},
              {"order", slot.order},
              {"returned", slot.returned.load()},
              {"kind", shape.kind},
              {"kernel", slot.function ? slot.function->name : "(graph)"},
              {"grid", {shape.grid[0], shape.grid[1], shape.grid[2]}},
              {"block", {shape.block[0], shape.block[1], shape.block[2]}},
              {"shared_bytes", shape.shared_bytes},
              {"stream", slot.stream->number},
              {"captured", slot.captured},
              {"result", slot.result.load()},
              {"result_name", slot.result.load() < 0 ? "not returned" : driver_.name_of(slot.result.load())},
              {"unknown", slot.unknown},
              {"parameters", Json::array()},
              {"bytes", hexadecimal(slot.arguments, slot.bytes)}};
  if (slot.function) {
    for (const ParameterRange& range : slot.function->parameters)
      out["parameters"].push_back({range.offset, range.bytes});
    out["image"] = images_.json(slot.function->name, slot.function->module, options_.folder);
  }
  return out;
}

// Called with the record locked.
void Recorder::report(gpu::Result code, const Call& call, u64 launch, bool by_itself) {
  Json snapshot = {{"code", code},
                   {"name", driver_.name_of(code)},
                   {"text", driver_.text_of(code)},
                   {"is_fault", is_fault(code)},
                   {"call", call.name},
                   {"order", order_.load()},
                   {"context", call.context},
                   {"thread", u64(syscall(SYS_gettid))},
                   {"launch", launch},
                   {"by_itself", by_itself},
                   {"launches", Json::array()},
                   {"allocations", allocations_.json()},
                   {"operations", operations_.json()}};
  const u64 last = launches_.count();
  for (u64 number = last > launches_.kept() ? last - launches_.kept() + 1 : 1; number <= last; ++number) {
    const LaunchSlot* slot = launches_.find(number);
    if (slot) snapshot["launches"].push_back(json_of_launch(*slot, number));
  }
  snapshot.update(streams_.json());
  if (contents_.launch()) snapshot["contents"] = contents_.json(options_.folder);
  (is_fault(code) ? reported_fault_ : reported_refusal_) |= code != gpu::success;
  record_["snapshots"].push_back(std::move(snapshot));
  write();
}

void Recorder::write() {
  record_["launches"] = launches_.count();
  const std::string path = options_.folder + "/" + std::to_string(getpid()) + ".json";
  std::ofstream(path + ".part", std::ios::binary)
      << record_.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  std::rename((path + ".part").c_str(), path.c_str());
}

}  // namespace ropewalk::trace
