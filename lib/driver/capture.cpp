#include "lib/driver/capture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <map>

#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/launch/values.h"
#include "lib/launch/write_launch.h"
#include "lib/machine/address.h"

namespace ropewalk::driver {

namespace {

// Takes what the arguments and variables reach, from one to the next.
class Capture {
 public:
  Capture(const Launch& launch, bool follows_pointers)
      : from_(launch), follows_pointers_(follows_pointers), numbers_(launch.tensors.size(), -1), out_(launch) {
    for (const bool freed : {false, true}) {  // an address of the process may have been given out again
      for (u32 n = 0; n < launch.tensors.size(); ++n) {
        if (launch.tensors[n].freed == freed) by_address_.emplace(launch.tensors[n].resident->address, n);
      }
    }
    for (const LaunchVariable& variable : launch.variables) variables_[u32(variable.tensor)] = variable.name;
  }

  Launch take() {
    out_.tensors.clear();
    for (Argument& argument : out_.arguments) {
      for_tensors(argument, [&](TensorArgument& tensor, u64) { tensor.tensor = number_of(tensor.tensor); });
    }
    for (LaunchVariable& variable : out_.variables) {
      const LaunchTensor& memory = from_.tensors[u32(variable.tensor)];
      variable.bytes.assign(memory.resident->data, memory.resident->data + memory.bytes());
      variable.pointers = pointers_in(memory);
      variable.tensor = -1;
    }
    // What is reached comes behind.
    for (u32 n = 0; n < out_.tensors.size(); ++n) {
      std::vector<LaunchPointer> pointers = keep_contents(out_.tensors[n]);
      out_.tensors[n].pointers = std::move(pointers);
    }
    return std::move(out_);
  }

 private:
  u32 number_of(u32 tensor) {
    if (numbers_[tensor] < 0) {
      numbers_[tensor] = i32(out_.tensors.size());
      out_.tensors.push_back(from_.tensors[tensor]);
    }
    return u32(numbers_[tensor]);
  }

  std::vector<LaunchPointer> keep_contents(LaunchTensor& tensor) {
    const LaunchTensor memory = tensor;  // the list of tensors may move
    const Resident resident = *tensor.resident;
    const u64 bytes = tensor.bytes();
    tensor.resident.reset();
    if (tensor.freed) return {};
    const u64 written = resident.initialized ? count_bits(resident.initialized, (bytes + 63) / 64) : bytes;
    // Memory of a program may be read after the launch: none of it is "uninitialized", which is what nobody reads.
    if (!written && bytes) {
      tensor.unwritten = {{0, bytes}};
      return {};
    }
    kept_ += bytes;
    if (kept_ > most_captured) {
      throw InputError(
          fmt::format("--capture keeps at most {} GiB of memory, and this launch reaches more", most_captured >> 30));
    }
    if (written < bytes) tensor.unwritten = gaps_of(resident.initialized, bytes);
    auto values = std::make_shared<Array>();
    values->dtype = tensor.dtype;
    values->shape = tensor.shape;
    values->bytes.assign(resident.data, resident.data + bytes);
    tensor.init = Given{std::move(values), ""};
    return pointers_in(memory);
  }

  static std::vector<std::pair<u64, u64>> gaps_of(const u64* written, u64 bytes) {
    std::vector<std::pair<u64, u64>> gaps;
    const auto add = [&](u64 first, u64 last) {
      if (gaps.empty() || gaps.back().second != first) gaps.emplace_back(first, first);
      gaps.back().second = last;
    };
    for (u64 n = 0; n < bytes; n += 64) {
      const u64 end = std::min(n + 64, bytes);
      if (!written[n / 64]) add(n, end);
      for (u64 byte = n; byte < end && written[n / 64]; ++byte) {
        if (!all_bits(written, byte, byte + 1)) add(byte, byte + 1);
      }
    }
    return gaps;
  }

  // Aligned words that are addresses of the launch's memory.
  std::vector<LaunchPointer> pointers_in(const LaunchTensor& memory) {
    std::vector<LaunchPointer> out;
    if (!follows_pointers_) return out;
    const u64 bytes = memory.bytes();
    for (u64 at = -memory.resident->address % 8; at + 8 <= bytes; at += 8) {
      u64 bits = 0;
      std::memcpy(&bits, memory.resident->data + at, 8);
      const std::optional<u32> target = target_of(bits);
      if (!target) continue;
      LaunchPointer pointer{.at = at, .offset = i64(bits - from_.tensors[*target].resident->address)};
      const auto variable = variables_.find(*target);
      if (variable != variables_.end())
        pointer.variable = variable->second;
      else
        pointer.tensor = i32(number_of(*target));
      out.push_back(std::move(pointer));
    }
    return out;
  }

  // An address of the device has a window for itself; one of the process belongs to what it lies in, or just behind.
  std::optional<u32> target_of(u64 bits) const {
    const u64 window = machine::window_of(bits);
    const auto after = by_address_.upper_bound(bits);
    if (window >= machine::process_windows && after != by_address_.end() && machine::window_of(after->first) == window)
      return after->second;
    if (after == by_address_.begin()) return std::nullopt;
    const auto [address, tensor] = *std::prev(after);
    const bool is_there = window >= machine::process_windows ? machine::window_of(address) == window
                                                             : bits - address <= from_.tensors[tensor].bytes();
    return is_there ? std::optional(tensor) : std::nullopt;
  }

  const Launch& from_;
  const bool follows_pointers_;
  u64 kept_ = 0;              // bytes
  std::vector<i32> numbers_;  // in out_, by that in from_
  std::map<u64, u32> by_address_;
  std::map<u32, std::string> variables_;
  Launch out_;
};

std::string file_name(const Launch& launch, u64 number) {
  std::string out = fmt::format("{}-{}-{}.json", launch.entry.substr(0, 100), getpid(), number);
  for (char& letter : out) {
    if (!std::isalnum(static_cast<unsigned char>(letter)) && !std::strchr("-_.", letter)) letter = '_';
  }
  return out;
}

}  // namespace

Launch captured(const Launch& launch, bool follows_pointers) { return Capture(launch, follows_pointers).take(); }

CapturedLaunch::CapturedLaunch(const Launch& launch, bool follows_pointers, std::string folder, u64& count)
    : folder_(std::move(folder)), count_(count) {
  try {
    launch_ = captured(launch, follows_pointers);
  } catch (const InputError& failure) {
    why_not_ = failure.what();
  }
}

void CapturedLaunch::write() {
  if (!path_.empty() || !why_not_.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) {
    why_not_ = "--capture: cannot make the folder " + folder_ + ": " + error.message();
    return;
  }
  const std::string path = folder_ + "/" + file_name(launch_, ++count_);
  try {
    write_launch_file(launch_, path);
    path_ = path;
  } catch (const InputError& failure) {
    why_not_ = failure.what();
  }
}

void CapturedLaunch::add_replay(Finding& finding) {
  write();
  if (path_.empty())
    finding.evidence.push_back("not captured: " + why_not_);
  else
    finding.replay = "rope-check launch " + path_;
}

}  // namespace ropewalk::driver
