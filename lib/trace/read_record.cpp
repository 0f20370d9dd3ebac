#include "lib/base/error.h"
#include "lib/base/json.h"
#include "lib/base/mapped_file.h"
#include "lib/trace/trace.h"

namespace ropewalk::trace {

namespace {

Dim3 dim3_of(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

std::vector<u8> bytes_of(const std::string& text) {
  std::vector<u8> out;
  for (size_t at = 0; at + 2 <= text.size(); at += 2) out.push_back(u8(std::stoul(text.substr(at, 2), nullptr, 16)));
  return out;
}

TracedImage image_of(const Json& json) {
  if (json.is_null()) return {};
  return {json.value("kind", ""), json.value("path", ""), json.value("file", ""), json.value("bytes", u64(0)),
          json.value("hash", u64(0))};
}

TracedLaunch launch_of(const Json& json) {
  TracedLaunch out;
  out.number = json.at("number");
  out.order = json.at("order");
  out.returned = json.at("returned");
  out.kind = json.at("kind");
  out.kernel = json.at("kernel");
  out.grid = dim3_of(json.at("grid"));
  out.block = dim3_of(json.at("block"));
  out.shared_bytes = json.at("shared_bytes");
  out.stream = json.at("stream");
  out.captured = json.at("captured");
  out.result = json.at("result");
  out.result_name = json.at("result_name");
  out.unknown = json.at("unknown");
  for (const Json& one : json.at("parameters")) out.parameters.push_back({one.at(0), one.at(1)});
  out.bytes = bytes_of(json.at("bytes"));
  out.image = image_of(json.value("image", Json()));
  return out;
}

Snapshot snapshot_of(const Json& json) {
  Snapshot out;
  out.code = json.at("code");
  out.name = json.at("name");
  out.text = json.at("text");
  out.is_fault = json.at("is_fault");
  out.call = json.at("call");
  out.order = json.at("order");
  out.context = json.at("context");
  out.thread = json.at("thread");
  out.launch = json.at("launch");
  out.by_itself = json.at("by_itself");
  for (const Json& one : json.at("launches")) out.launches.push_back(launch_of(one));
  for (const Json& one : json.at("streams")) {
    out.streams.push_back({one.at("context"), one.at("handle"), one.at("thread"), one.at("non_blocking"),
                           one.at("done"), one.at("done_operation"), one.at("lost")});
  }
  for (const Json& one : json.at("waits")) out.waits.push_back({one.at(0), one.at(1), one.at(2), one.at(3)});
  for (const Json& one : json.at("allocations")) {
    out.allocations.push_back({one.at("address"), one.at("bytes"), one.at("kind"), one.at("made_by"),
                               one.at("freed_by"), one.at("made"), one.at("freed")});
  }
  for (const Json& one : json.at("operations")) {
    out.operations.push_back({one.at("name"), one.at("to"), one.at("from"), one.at("bytes"), one.at("order"),
                              one.at("stream"), one.at("result")});
  }
  if (json.contains("contents")) {
    const Json& contents = json.at("contents");
    out.saved_launch = contents.at("launch");
    for (const Json& one : contents.at("saved")) {
      out.saved.push_back({one.at("address"), one.at("bytes"), one.value("file", ""), one.at("left_out")});
    }
  }
  return out;
}

}  // namespace

TracedProcess read_record(const std::string& path) {
  const MappedFile file(path);
  const Json json = parse_json(file.text(), path);
  try {
    TracedProcess out;
    out.process = json.at("process");
    out.command = json.at("command").get<std::vector<std::string>>();
    out.problem = json.at("problem");
    out.cupti = json.at("cupti");
    out.driver = json.at("driver");
    out.keep = json.at("keep");
    out.launches = json.at("launches");
    out.unwaited = json.at("unwaited");
    out.serialized = json.at("serialized");
    out.ended = json.at("ended");
    for (const Json& one : json.at("snapshots")) out.snapshots.push_back(snapshot_of(one));
    return out;
  } catch (const Json::exception& error) {
    throw InputError(path + " is no record of a trace: " + error.what());
  } catch (const std::logic_error& error) {
    throw InputError(path + " is no record of a trace: " + error.what());
  }
}

}  // namespace ropewalk::trace
