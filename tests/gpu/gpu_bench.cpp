// What the benchmark against compute-sanitizer (bench.py) runs, one thing a process, each answer one line of JSON:
//
// gpu_bench device                          the device's name and driver; exit 3 and why where there is none
// gpu_bench cases [small]                   kernels and problems to time, seeded bugs to look for
// gpu_bench time FAMILY PROBLEM MODE N      seconds of one of N launches, and the bytes of the tensors that it moves
// gpu_bench copy BYTES N                    seconds of one of N copies of so many bytes on the device
// gpu_bench fault FAMILY PROBLEM MODE       whether something was found; a launch that fails exits 1
//
// MODE is bare or instrumented. Nothing is put around the tensors: a tool that watches sees what a program allocates.
#include <fmt/format.h>

#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>

#include "kernels/atlas.h"
#include "kernels/kernels.h"
#include "lib/base/error.h"
#include "lib/base/stopwatch.h"
#include "lib/gpu/device_launch.h"
#include "lib/gpu/gpu.h"
#include "lib/gpu/instrumented.h"
#include "lib/gpu/instrumented_launch.h"
#include "lib/gpu/records.h"
#include "lib/launch/contents.h"

namespace ropewalk {

using families::parse_problem;

namespace {

using nlohmann::json;

// Sizes that fill a GPU, and small ones that show that this works.
constexpr const char* large_problems[] = {"rotary(B=4,T=4096,H=32,D=128,dtype=bf16)",
                                          "attention(B=2,Tq=2048,Tk=2048,H=16,D=64,dtype=f16)",
                                          "attention(B=16,Tq=1,Tk=4096,H=16,D=128,dtype=f16)"};
constexpr const char* small_problems[] = {"rotary(B=2,T=32,H=4,D=64,dtype=bf16)",
                                          "attention(B=1,Tq=32,Tk=32,H=2,D=64,dtype=f16)",
                                          "attention(B=2,Tq=1,Tk=64,H=2,D=64,dtype=f16)"};
constexpr u64 most_fault_bytes = u64(256) << 20;

CheckSet inline_checks() {
  CheckSet checks;
  for (const Check check : {Check::Bounds, Check::Fields, Check::Alignment, Check::Index}) checks.add(check);
  return checks;
}

// A launch on the device, as it is or rewritten, in this process.
class OnDevice {
 public:
  OnDevice(const Launch& launch, const std::string& mode) : launch_(launch) {
    if (mode != "bare" && mode != "instrumented")
      throw InputError("MODE is \"" + mode + "\", expected bare or instrumented");
    run_.launch = launch;
    if (mode == "instrumented") {
      instrumented_ = ptx::instrument(*launch.module, gpu::instrument_options(launch, inline_checks()));
      run_ = gpu::instrumented_launch(launch, instrumented_, 1 << 16);
    }
    for (const LaunchTensor& tensor : run_.launch.tensors) {
      bytes_.emplace_back(tensor.bytes());
      fill_whole_tensor(tensor, bytes_.back().data());
    }
    for (auto& bytes : bytes_) tensors_.push_back(bytes.data());
    request_ = gpu::request_of(run_.launch);
    const char* number = std::getenv("ROPEWALK_CUDA_DEVICE");
    device_ = std::make_unique<gpu::DeviceLaunch>(gpu::Driver::open(), number ? std::atoi(number) : 0, request_);
    device_->place(tensors_, gpu::Guards::None);
  }

  gpu::DeviceLaunch& device() { return *device_; }
  // What the records say; empty without any.
  std::vector<Finding> findings() {
    if (instrumented_.sites.empty()) return {};
    device_->read_back(tensors_);
    return gpu::findings_of(tensors_[run_.records], launch_, instrumented_, run_, inline_checks());
  }

 private:
  const Launch& launch_;
  ptx::Instrumented instrumented_;
  gpu::InstrumentedLaunch run_;
  std::vector<std::vector<std::byte>> bytes_;
  std::vector<std::byte*> tensors_;
  gpu::DeviceRequest request_;
  std::unique_ptr<gpu::DeviceLaunch> device_;
};

u64 bytes_of(const Launch& launch) {
  u64 bytes = 0;
  for (const LaunchTensor& tensor : launch.tensors) bytes += tensor.bytes();
  return bytes;
}

// Bytes that a kernel must read or write at least once.
u64 moved_by(const Launch& launch) {
  u64 bytes = 0;
  for (const LaunchTensor& tensor : launch.tensors) {
    const bool is_read = !std::holds_alternative<Uninitialized>(tensor.init);
    bytes += tensor.bytes() * (u64(is_read) + u64(tensor.output));
  }
  return bytes;
}

json device() {
  const gpu::DeviceInfo info = gpu::device_info();
  if (!info.unavailable.empty()) throw gpu::NotAvailable(info.unavailable);
  return {{"device", info.name},
          {"driver", info.driver},
          {"compute_capability", fmt::format("{}.{}", info.major, info.minor)}};
}

json cases(bool small) {
  json times = json::array(), faults = json::array();
  for (const Kernel& kernel : kernels::all_kernels()) {
    for (const char* text : small ? small_problems : large_problems) {
      const Problem problem = parse_problem(text);
      const bool is_same_kind = std::string_view(text).starts_with(kernel.family->name + "(");
      if (!kernel.is_correct() || !is_same_kind || !kernel.reject(problem).empty()) continue;
      times.push_back({{"kernel", kernel.name}, {"problem", text}});
    }
  }
  for (const kernels::AtlasEntry& entry : kernels::all_atlas_entries()) {
    const Kernel& kernel = kernels::kernel_named(entry.kernel);
    const Problem problem = parse_problem(entry.problem);
    if (!kernel.reject(problem).empty() || bytes_of(kernel.launch(problem)) > most_fault_bytes) continue;
    faults.push_back({{"row", entry.row}, {"kernel", entry.kernel}, {"problem", entry.problem}});
  }
  return {{"times", times}, {"faults", faults}};
}

u32 count_of(const std::string& text) {
  char* end = nullptr;
  const unsigned long value = std::strtoul(text.c_str(), &end, 10);
  if (text.empty() || *end || value == 0 || value > 1000000)
    throw InputError("expected a count from 1 to 1000000, found " + text);
  return u32(value);
}

json time(const std::string& kernel, const std::string& problem, const std::string& mode, const std::string& count) {
  const Launch launch = kernels::kernel_named(kernel).launch(parse_problem(problem));
  OnDevice on(launch, mode);
  return {{"seconds", on.device().seconds_of(count_of(count))}, {"moved", moved_by(launch)}};
}

json copy(const std::string& text, const std::string& count) {
  const u64 bytes = std::strtoull(text.c_str(), nullptr, 10);
  if (bytes == 0) throw InputError("expected a number of bytes, found " + text);
  const gpu::Driver& driver = gpu::Driver::open();
  gpu::DeviceHandle device = 0;
  gpu::ContextHandle context = nullptr;
  ROPEWALK_CUDA(driver, device_get, &device, 0);
  ROPEWALK_CUDA(driver, context_retain, &context, device);
  ROPEWALK_CUDA(driver, context_set, context);
  gpu::DevicePointer from = 0, to = 0;
  ROPEWALK_CUDA(driver, allocate, &from, bytes);
  ROPEWALK_CUDA(driver, allocate, &to, bytes);
  const auto copies = [&](u32 number) {
    for (u32 n = 0; n < number; ++n) ROPEWALK_CUDA(driver, copy_on_device, to, from, bytes, nullptr);
    ROPEWALK_CUDA(driver, stream_synchronize, nullptr);
  };
  copies(2);
  const Stopwatch watch;
  copies(count_of(count));
  const double seconds = watch.seconds() / count_of(count);
  ROPEWALK_CUDA(driver, release, from);
  ROPEWALK_CUDA(driver, release, to);
  ROPEWALK_CUDA(driver, context_release, device);
  return {{"seconds", seconds}, {"moved", 2 * bytes}};
}

json fault(const std::string& kernel, const std::string& problem, const std::string& mode) {
  const Launch launch = kernels::kernel_named(kernel).launch(parse_problem(problem));
  OnDevice on(launch, mode);
  on.device().run();
  json rules = json::array();
  for (const Finding& finding : on.findings()) rules.push_back(name_of(finding.rule));
  return {{"found", !rules.empty()}, {"rules", rules}};
}

json answer(const std::vector<std::string>& words) {
  const std::string what = words.empty() ? "" : words[0];
  if (what == "device" && words.size() == 1) return device();
  if (what == "cases" && words.size() <= 2) return cases(words.size() == 2 && words[1] == "small");
  if (what == "time" && words.size() == 5) return time(words[1], words[2], words[3], words[4]);
  if (what == "copy" && words.size() == 3) return copy(words[1], words[2]);
  if (what == "fault" && words.size() == 4) return fault(words[1], words[2], words[3]);
  throw InputError("expected device, cases, time, copy or fault with their arguments");
}

}  // namespace
}  // namespace ropewalk

int main(int count, char** arguments) {
  try {
    fmt::print("{}\n", ropewalk::answer({arguments + 1, arguments + count}).dump());
    return 0;
  } catch (const ropewalk::gpu::NotAvailable& reason) {
    fmt::print(stderr, "not run: {}\n", reason.what());
    return 3;
  } catch (const ropewalk::gpu::DriverError& error) {
    fmt::print("{}\n", nlohmann::json{{"found", true}, {"error", error.what()}}.dump());
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpu_bench: {}\n", error.what());
    return 2;
  }
}
