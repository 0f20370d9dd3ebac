#include "lib/driver/capture.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstring>
#include <filesystem>

#include "lib/base/bits.h"
#include "lib/base/error.h"
#include "lib/launch/write_launch.h"

namespace ropewalk::driver {

namespace {

void keep_contents(LaunchTensor& tensor, std::vector<std::string>& notes) {
  const Resident resident = *tensor.resident;
  const u64 bytes = tensor.bytes();
  tensor.resident.reset();
  if (tensor.freed) return;
  const u64 written = resident.initialized ? count_bits(resident.initialized, (bytes + 63) / 64) : bytes;
  if (!written && bytes) {
    tensor.init = Uninitialized{};
    return;
  }
  if (written < bytes) {
    notes.push_back(fmt::format("{} bytes of {} that nobody wrote count as written", bytes - written, tensor.name));
  }
  auto values = std::make_shared<Array>();
  values->dtype = tensor.dtype;
  values->shape = tensor.shape;
  values->bytes.assign(resident.data, resident.data + bytes);
  tensor.init = Given{std::move(values), ""};
}

std::string file_name(const Launch& launch, u64 number) {
  std::string out = fmt::format("{}-{}-{}.json", launch.entry.substr(0, 100), getpid(), number);
  for (char& letter : out) {
    if (!std::isalnum(static_cast<unsigned char>(letter)) && !std::strchr("-_.", letter)) letter = '_';
  }
  return out;
}

}  // namespace

Captured captured(const Launch& launch) {
  Captured out{launch, {}};
  for (LaunchVariable& variable : out.launch.variables) {
    if (variable.tensor < 0) continue;
    const LaunchTensor& tensor = launch.tensors[u32(variable.tensor)];
    variable.bytes.assign(tensor.resident->data, tensor.resident->data + tensor.bytes());
    variable.tensor = -1;
  }
  for (LaunchTensor& tensor : out.launch.tensors) {
    if (tensor.resident) keep_contents(tensor, out.notes);
  }
  return out;
}

std::string write_captured(const Captured& captured, const std::string& folder, u64 number) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw InputError("--capture: cannot make the folder " + folder + ": " + error.message());
  const std::string path = folder + "/" + file_name(captured.launch, number);
  write_launch_file(captured.launch, path);
  return path;
}

}  // namespace ropewalk::driver
