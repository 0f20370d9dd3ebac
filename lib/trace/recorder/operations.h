// The last copies and fills of memory.
#pragma once
#include <deque>
#include <mutex>
#include <nlohmann/json.hpp>

#include "lib/gpu/driver_api.h"
#include "lib/trace/recorder/streams.h"

namespace ropewalk::trace {

struct Operation {
  const char* name = "";
  Address to = 0, from = 0;
  u64 bytes = 0, order = 0;
  const Stream* stream = nullptr;
  gpu::Result result = gpu::success;
};

class Operations {
 public:
  void add(const Operation& operation) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(operation);
    if (kept_.size() > most_kept) kept_.pop_front();
  }
  nlohmann::ordered_json json() const {
    const std::lock_guard lock(mutex_);
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const Operation& one : kept_) {
      out.push_back({{"name", one.name},
                     {"to", one.to},
                     {"from", one.from},
                     {"bytes", one.bytes},
                     {"order", one.order},
                     {"stream", one.stream->number},
                     {"result", one.result}});
    }
    return out;
  }

 private:
  static constexpr std::size_t most_kept = 256;
  mutable std::mutex mutex_;
  std::deque<Operation> kept_;
};

}  // namespace ropewalk::trace
