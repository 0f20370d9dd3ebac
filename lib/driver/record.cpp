#include "lib/driver/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "lib/base/stopwatch.h"
#include "reports/json_finding.h"

namespace ropewalk::driver {

namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

Json command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Json out = Json::array();
  for (std::string word; std::getline(file, word, '\0');) out.push_back(word);
  return out;
}

double now() {
  static const Stopwatch watch;
  return watch.seconds();
}

}  // namespace

// One write a line: it is whole in the file, or not there.
void Record::write(const std::string& line) {
  if (folder_.empty()) return;
  if (file_ < 0) {
    const std::string path = fmt::format("{}/{}.jsonl", folder_, getpid());
    file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) {
      std::fprintf(stderr, "ropewalk: %s cannot be written\n", path.c_str());
      folder_.clear();
      return;
    }
    write(line_of({{"process", {{"pid", getpid()}, {"command", command_line()}}}}));
  }
  if (::write(file_, line.data(), line.size()) != ssize_t(line.size())) {
    std::fprintf(stderr, "ropewalk: the record of process %d is not whole\n", int(getpid()));
  }
}

void Record::finding(const Finding& finding) {
  ++findings_;
  if (!told_.insert(finding.id).second) {
    ++again_[finding.id];
    return;
  }
  if (folder_.empty()) {
    const auto& at = finding.location;
    const std::string place = !at                ? ""
                              : at->file.empty() ? fmt::format(" ({}:{})", at->ptx_file, at->ptx_line)
                                                 : fmt::format(" ({}:{})", at->file, at->line);
    fmt::print(stderr, "ropewalk: {}: {}: {}: {}{}\n", name_of(finding.severity), name_of(finding.rule),
               finding.kernel_name, finding.message, place);
    return;
  }
  write(line_of({{"finding", finding_json(finding)}}));
}

void Record::not_run(const std::string& name, const std::string& reason) {
  if (!not_run_.insert(name + "\n" + reason).second) return;
  if (folder_.empty()) fmt::print(stderr, "ropewalk: {} was not checked: {}\n", name, reason);
  write(line_of({{"not_run", {{"case", name}, {"reason", reason}}}}));
}

void Record::launch(const std::string& kernel, const Statistics* statistics, bool has_errors) {
  ++launches_;
  Launches& sum = pending_[kernel];
  ++sum.launches;
  sum.failed += has_errors;
  if (statistics) {
    sum.blocks += statistics->blocks;
    sum.blocks_total += statistics->blocks_total;
  } else {
    ++sum.unchecked;
  }
  if (now() - flushed_ > 1) flush();
}

void Record::flush() {
  flushed_ = now();
  for (const auto& [kernel, sum] : pending_) {
    write(line_of({{"launch",
                    {{"kernel", kernel},
                     {"launches", sum.launches},
                     {"blocks", sum.blocks},
                     {"blocks_total", sum.blocks_total},
                     {"unchecked", sum.unchecked},
                     {"failed", sum.failed}}}}));
  }
  pending_.clear();
  for (const auto& [id, times] : again_) write(line_of({{"again", {{"id", id}, {"times", times}}}}));
  again_.clear();
}

void Record::unsupported(const std::string& function, const std::string& caller) {
  if (!unsupported_.insert(function).second) return;
  write(line_of({{"unsupported", {{"function", function}, {"caller", caller}}}}));
}

void Record::failed(const std::string& function, const std::string& error, const std::string& caller) {
  if (!failed_.insert(function + " " + error).second) return;
  write(line_of({{"failed", {{"function", function}, {"error", error}, {"caller", caller}}}}));
}

void Record::end() {
  flush();
  write(line_of({{"end", {{"launches", launches_}}}}));
}

void Record::forked() {
  if (file_ >= 0) close(file_);
  *this = Record(folder_);
}

}  // namespace ropewalk::driver
