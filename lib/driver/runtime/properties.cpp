// The fields of cudaDeviceProp in their order, each by the attribute of the device that it tells (CUdevice_attribute).
#include <cstring>

#include "lib/driver/runtime/call.h"
#include "lib/driver/runtime/versions.h"

namespace ropewalk::driver::runtime {

namespace {

enum Width : u8 { number = 4, size = 8 };
enum From : u8 { always, until_12, from_12, from_13 };  // the versions that have the field
struct Field {
  int attribute;  // 0: no device has it
  Width width = number;
  From from = always;
};

// clang-format off
constexpr Field fields[] = {
    {8, size}, {12}, {10}, {11, size},                           // shared memory, registers, warp, pitch
    {1}, {2}, {3}, {4}, {5}, {6}, {7}, {13, number, until_12},   // block, grid; clock
    {9, size}, {75}, {76}, {14, size}, {51, size},               // constants, capability, textures' alignment
    {15, number, until_12}, {16}, {17, number, until_12}, {18}, {19}, {20, number, until_12},
    {21}, {77}, {69, number, until_12}, {22}, {23}, {73}, {74}, {70}, {71}, {72}, {45}, {46},  // textures
    {24}, {25}, {26}, {47}, {48}, {49}, {52}, {42}, {43}, {27}, {28}, {29}, {53}, {54},
    {55}, {56}, {57}, {58}, {59}, {60}, {61}, {62}, {63}, {64}, {65}, {66}, {67}, {68}, {30, size},  // surfaces
    {31}, {32}, {33}, {34}, {50}, {35}, {40}, {41}, {36, number, until_12}, {37}, {38}, {108}, {39},
    {78}, {79}, {80}, {81, size}, {82}, {83}, {84}, {85}, {86}, {87, number, until_12}, {88}, {89}, {90}, {91}, {95},
    {96, number, until_12}, {97, size}, {100}, {101}, {106}, {109}, {111, size},
    // Version 12 begins here what 11 has not.
    {99, number, from_12}, {112, number, from_12}, {113, number, from_12}, {114, number, from_12},
    {115, number, from_12}, {116, number, from_12}, {117, number, from_12}, {118, number, from_12},
    {119, number, from_12}, {121, number, from_12}, {125, number, from_12}, {120, number, from_12},
    {129, number, from_12},
    {130, number, from_13}, {131, number, from_13}, {133, number, from_13}, {134, number, from_13},
};
// clang-format on
constexpr std::size_t bytes_of_11 = 728, bytes_of_12 = 1032, bytes_of_13 = 1008;

bool has(int version, From from) {
  return from == always || (from == until_12 && version <= 12) || (from == from_12 && version >= 12) ||
         (from == from_13 && version >= 13);
}

}  // namespace

int write_properties(void* to, int device, int version) {
  if (!to) return invalid_value;
  auto* const start = static_cast<char*>(to);
  std::memset(start, 0, version == 13 ? bytes_of_13 : version == 12 ? bytes_of_12 : bytes_of_11);
  if (const int error = ROPEWALK_DRIVER(cuDeviceGetName, start, 256, device)) return error;
  ROPEWALK_DRIVER(cuDeviceGetUuid_v2, start + 256, device);
  // Behind name (256), uuid (16), luid (8) and its mask (4).
  std::size_t memory = 0, at = 288;
  ROPEWALK_DRIVER(cuDeviceTotalMem_v2, &memory, device);
  std::memcpy(start + at, &memory, sizeof memory);
  at += sizeof memory;
  for (const Field& field : fields) {
    if (!has(version, field.from)) continue;
    int value = 0;
    ROPEWALK_DRIVER(cuDeviceGetAttribute, &value, field.attribute, device);
    const u64 wide = u64(value);
    at = (at + field.width - 1) / field.width * field.width;
    std::memcpy(start + at, &wide, field.width);
    at += field.width;
  }
  return success;
}

}  // namespace ropewalk::driver::runtime
