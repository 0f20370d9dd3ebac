#include "lib/driver/record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "lib/finding/merge.h"
#include "reports/json_finding.h"

namespace ropewalk::driver {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }
std::string line_of(const Json& json) { return text_of(json) + "\n"; }

Json command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  Json out = Json::array();
  for (std::string word; std::getline(file, word, '\0');) out.push_back(word);
  return out;
}

// A number that is as long however it grows: JSON takes spaces before it.
std::string padded(u64 number) { return fmt::format("{:>20}", number); }

}  // namespace

bool Record::open_file() {
  if (folder_.empty()) return false;
  if (file_ >= 0) return true;
  const std::string path = fmt::format("{}/{}.jsonl", folder_, getpid());
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    std::fprintf(stderr, "ropewalk: %s cannot be written\n", path.c_str());
    folder_.clear();
    return false;
  }
  bytes_ = u64(lseek(file_, 0, SEEK_END));  // a program that the process was before this one may have written it
  write(line_of({{"process", {{"pid", getpid()}, {"command", command_line()}}}}));
  return true;
}

// One write a line: it is whole in the file, or not there.
void Record::write_at(u64 offset, const std::string& line) {
  if (pwrite(file_, line.data(), line.size(), off_t(offset)) != ssize_t(line.size())) {
    std::fprintf(stderr, "ropewalk: the record of process %d is not whole\n", int(getpid()));
  }
}

void Record::write(const std::string& line) {
  if (!open_file()) return;
  write_at(bytes_, line);
  bytes_ += line.size();
}

void Record::overwrite(std::optional<u64>& offset, const std::string& line) {
  if (!open_file()) return;
  if (offset) return write_at(*offset, line);
  offset = bytes_;
  write(line);
}

void Record::finding(Finding finding) {
  ++findings_;
  // Found there before with another severity or cause, it is a finding of its own: a warning of a small launch does not
  // stand for the error of a large one.
  const Finding& first = first_of_id_.try_emplace(finding.id, finding).first->second;
  if (!same_defect(first, finding)) {
    finding.shared_id = finding.id;
    finding.id = own_id(finding, 0);
  }
  if (!reported_.insert(finding.id).second) {
    Again& again = again_[finding.id];
    overwrite(again.offset,
              fmt::format("{{\"again\":{{\"id\":{},\"times\":{}}}}}\n", text_of(finding.id), padded(++again.times)));
    return;
  }
  if (folder_.empty()) {
    const auto& at = finding.location;
    const std::string location = !at                ? ""
                                 : at->file.empty() ? fmt::format(" ({}:{})", at->ptx_file, at->ptx_line)
                                                    : fmt::format(" ({}:{})", at->file, at->line);
    fmt::print(stderr, "ropewalk: {}: {}: {}: {}{}\n", name_of(finding.severity), name_of(finding.rule),
               finding.kernel_name, finding.message, location);
    return;
  }
  write(line_of({{"finding", reports::finding_json(finding)}}));
}

void Record::not_run(const std::string& name, const std::string& reason) {
  if (!not_run_.insert(name + "\n" + reason).second) return;
  if (folder_.empty()) fmt::print(stderr, "ropewalk: {} was not checked: {}\n", name, reason);
  write(line_of({{"not_run", {{"case", name}, {"reason", reason}}}}));
}

void Record::launch(const std::string& kernel, const Statistics* statistics, bool has_errors) {
  ++launches_;
  Launches& sum = by_kernel_[kernel];
  ++sum.launches;
  sum.failed += has_errors;
  if (statistics) {
    sum.blocks += statistics->blocks;
    sum.blocks_total += statistics->blocks_total;
  } else {
    ++sum.unchecked;
  }
  write_launches(kernel);
}

void Record::launch_failed(const std::string& kernel) {
  ++by_kernel_[kernel].failed;
  write_launches(kernel);
}

void Record::write_launches(const std::string& kernel) {
  Launches& sum = by_kernel_[kernel];
  overwrite(sum.offset, fmt::format(R"({{"launch":{{"kernel":{},"launches":{},"blocks":{},"blocks_total":{},)"
                                    R"("unchecked":{},"failed":{}}}}}
)",
                                    text_of(kernel), padded(sum.launches), padded(sum.blocks), padded(sum.blocks_total),
                                    padded(sum.unchecked), padded(sum.failed)));
}

void Record::host_operation() {
  overwrite(host_offset_, fmt::format("{{\"host\":{{\"operations\":{}}}}}\n", padded(++host_operations_)));
}

void Record::unsupported(const std::string& function, const std::string& caller) {
  if (!unsupported_.insert(function).second) return;
  write(line_of({{"unsupported", {{"function", function}, {"caller", caller}}}}));
}

void Record::failed(const std::string& function, const std::string& error, const std::string& caller) {
  // A broken context answers so to whatever is called: the first call says it.
  constexpr std::array<std::string_view, 4> broken = {"cudaErrorIllegalAddress", "cudaErrorMisalignedAddress",
                                                      "cudaErrorAssert", "cudaErrorLaunchFailure"};
  const bool is_of_all = std::ranges::find(broken, error) != broken.end();
  if (!failed_.insert(is_of_all ? error : function + " " + error).second) return;
  write(line_of({{"failed", {{"function", function}, {"error", error}, {"caller", caller}}}}));
}

void Record::note(const std::string& text, const std::string& key) {
  if (noted_.insert(key).second) write(line_of({{"note", {{"text", text}}}}));
}

void Record::end() { write(line_of({{"end", {{"launches", launches_}}}})); }

void Record::forked() {
  if (file_ >= 0) close(file_);
  *this = Record(folder_);
}

}  // namespace ropewalk::driver
