#include "lib/trace/recorder/contents.h"

#include <algorithm>
#include <cstring>
#include <fstream>

namespace ropewalk::trace {

bool Contents::save(u64 launch, const std::byte* arguments, u32 bytes, const Allocations& allocations,
                    const DriverQuestions& driver) {
  launch_ = launch;
  saved_.clear();
  const bool is_complete = driver.context_synchronize && driver.context_synchronize() == gpu::success;
  u64 total = 0;
  for (u32 at = 0; at + 8 <= bytes; at += 4) {
    Address address = 0;
    std::memcpy(&address, arguments + at, 8);
    const Allocation holder = allocations.holder_of(address);
    const auto is_same = [&](const Saved& saved) { return saved.allocation.address == holder.address; };
    if (!holder.bytes || std::any_of(saved_.begin(), saved_.end(), is_same)) continue;
    Saved saved{holder, {}, ""};
    total += holder.bytes;
    if (total > most_bytes_) {
      saved.left_out = "the launch's memory is larger than the limit of " + std::to_string(most_bytes_) + " bytes";
    } else {
      saved.bytes.resize(holder.bytes);
      const gpu::Result result =
          driver.copy_to_host ? driver.copy_to_host(saved.bytes.data(), holder.address, holder.bytes) : -1;
      if (result != gpu::success) {
        saved.left_out = "it could not be copied: " + driver.name_of(result);
        saved.bytes.clear();
      }
    }
    saved_.push_back(std::move(saved));
  }
  return is_complete;
}

nlohmann::ordered_json Contents::json(const std::string& folder) const {
  nlohmann::ordered_json out = {{"launch", launch_}, {"saved", nlohmann::ordered_json::array()}};
  for (std::size_t n = 0; n < saved_.size(); ++n) {
    const Saved& saved = saved_[n];
    nlohmann::ordered_json one = {
        {"address", saved.allocation.address}, {"bytes", saved.allocation.bytes}, {"left_out", saved.left_out}};
    if (saved.left_out.empty()) {
      const std::string name = "launch-" + std::to_string(launch_) + "-" + std::to_string(n) + ".bin";
      std::ofstream(folder + "/" + name, std::ios::binary)
          .write(reinterpret_cast<const char*>(saved.bytes.data()), std::streamsize(saved.bytes.size()));
      one["file"] = name;
    }
    out["saved"].push_back(std::move(one));
  }
  return out;
}

}  // namespace ropewalk::trace
