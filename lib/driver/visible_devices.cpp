#include "lib/driver/visible_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>

namespace ropewalk::driver {

namespace {

constexpr std::string_view id_prefix = "GPU-";

// What a word begins with, as atoi reads it into 32 bits (seen on a driver of CUDA 13.0): "1gpu", "+1" and "4294967297"
// are 1. Nothing: there is no such device.
std::optional<u32> number_named(std::string_view word, u32 devices) {
  const std::string text(word);
  char* end = nullptr;
  const u32 number = u32(std::strtol(text.c_str(), &end, 10));
  return end != text.c_str() && number < devices ? std::optional(number) : std::nullopt;
}

// Digits in capitals are the same, and what comes behind a whole id does not count; "GPU-" alone is no device (seen on
// a driver of CUDA 13.0).
bool begins_id_of(std::string_view word, u32 device) {
  const std::string id = uuid_text(device);
  std::string begin(word.substr(0, id.size()));
  std::ranges::transform(begin.begin() + id_prefix.size(), begin.end(), begin.begin() + id_prefix.size(),
                         [](char one) { return char(std::tolower(u8(one))); });
  return begin.size() > id_prefix.size() && id.starts_with(begin);
}

std::optional<u32> device_with_id(std::string_view word, u32 devices) {
  std::optional<u32> found;
  for (u32 device = 0; device < devices; ++device) {
    if (!begins_id_of(word, device)) continue;
    if (found) return std::nullopt;
    found = device;
  }
  return found;
}

}  // namespace

std::optional<std::vector<u32>> visible_devices(std::optional<std::string_view> list, u32 devices) {
  std::vector<u32> out;
  if (!list) {
    for (u32 device = 0; device < devices; ++device) out.push_back(device);
    return out;
  }
  // The first word says how devices are named.
  const bool are_ids = list->starts_with(id_prefix);
  for (std::string_view rest = *list;;) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string_view word = rest.substr(0, end);
    const std::optional<u32> device = !are_ids                      ? number_named(word, devices)
                                      : word.starts_with(id_prefix) ? device_with_id(word, devices)
                                                                    : std::nullopt;
    if (!device) return out;
    if (std::ranges::find(out, *device) != out.end()) return std::nullopt;
    out.push_back(*device);
    if (end == rest.size()) return out;
    rest.remove_prefix(end + 1);
  }
}

std::optional<std::vector<u32>> visible_devices_of_process(u32 devices) {
  const char* const list = std::getenv(visible_devices_variable);
  return visible_devices(list ? std::optional<std::string_view>(list) : std::nullopt, devices);
}

std::array<char, 16> uuid_of(u32 device) {
  std::array<char, 16> out;
  std::memcpy(out.data(), "ropewalk-device", 15);
  out[15] = char(device);
  return out;
}

std::string uuid_text(u32 device) {
  std::string out(id_prefix);
  const std::array<char, 16> bytes = uuid_of(device);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    if (n == 4 || n == 6 || n == 8 || n == 10) out += '-';
    out += fmt::format("{:02x}", u8(bytes[n]));
  }
  return out;
}

}  // namespace ropewalk::driver
