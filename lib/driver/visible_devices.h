// Which of the machine's devices a program sees, and in what order: CUDA_VISIBLE_DEVICES.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/types.h"

namespace ropewalk::driver {

constexpr const char* visible_devices_variable = "CUDA_VISIBLE_DEVICES";

// The numbers of those that the list names, of so many: by number, or by the first letters of an id ("GPU-...") that no
// other one begins with. What names no device ends the list, as -1 does (CUDA C++ Programming Guide, environment
// variables). No list: all. Nothing: one is named twice, which cuInit refuses.
std::optional<std::vector<u32>> visible_devices(std::optional<std::string_view> list, u32 devices);
// Of the process, by its environment as it is now.
std::optional<std::vector<u32>> visible_devices_of_process(u32 devices);

// The bytes of a device's id, and its text.
std::array<char, 16> uuid_of(u32 device);
std::string uuid_text(u32 device);

}  // namespace ropewalk::driver
