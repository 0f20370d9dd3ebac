#include "lib/driver/visible_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace ropewalk::driver {

namespace {

constexpr std::string_view id_prefix = "GPU-";

// What a word begins with: "1gpu" is 1.
std::optional<u32> number_named(std::string_view word, u32 devices) {
  while (!word.empty() && word[0] == ' ') word.remove_prefix(1);
  u32 number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && number < devices ? std::optional(number) : std::nullopt;
}

std::optional<u32> device_with_id(std::string_view word, u32 devices) {
  std::optional<u32> found;
  for (u32 device = 0; device < devices; ++device) {
    if (!uuid_text(device).starts_with(word)) continue;
    if (found) return std::nullopt;
    found = device;
  }
  return found;
}

}  // namespace

std::vector<u32> visible_devices(std::optional<std::string_view> list, u32 devices) {
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
    if (std::ranges::find(out, *device) != out.end()) return {};
    out.push_back(*device);
    if (end == rest.size()) return out;
    rest.remove_prefix(end + 1);
  }
}

std::vector<u32> visible_devices_of_process(u32 devices) {
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
