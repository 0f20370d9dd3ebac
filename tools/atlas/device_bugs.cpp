#include <cstring>

#include "kernels/kernels.h"
#include "lib/base/scratch_folder.h"
#include "lib/driver/calls.h"
#include "lib/launch/contents.h"
#include "lib/launch/values.h"
#include "lib/ptx/write.h"
#include "tools/atlas/bug.h"

namespace ropewalk::tools {
namespace {

// A caller that launches a kernel on tensors of one device while another one is current.
struct DeviceBug {
  int row;
  const char* title;
  std::vector<std::string> related;
  const char* kernel;
  const char* problem;
  const char* tensor;  // of the finding, which is at
  const char* source;  // this file
  u64 line;
};

std::vector<DeviceBug> all_device_bugs() {
  return {{59,
           "a kernel is launched while another device is current",
           {"Dao-AILab/flash-attention#1782", "linkedin/Liger-Kernel#1303", "unslothai/unsloth#6912",
            "flashinfer-ai/flashinfer#349"},
           "rotary/apply-general",
           "rotary(B=2,T=4,H=2,D=16)",
           "out",
           "kernels/rotary/apply.cuh",
           26}};
}

// A program on two virtual devices, of which the first is current: what a process begins with.
class Program {
 public:
  Program() : session_(options(folder_.path())) {
    session_.on_finding = [this](const Finding& finding) { answer_.findings.push_back(finding); };
    session_.on_not_run = [this](const std::string& reason) { answer_.not_judged.push_back({"", reason}); };
    contexts().set_current(&contexts().primary(0));
  }
  ~Program() { contexts().set_current(nullptr); }

  driver::Contexts& contexts() { return session_.contexts(); }
  driver::Context& current() { return *contexts().current(); }

  // What a launch is handed, on a device.
  std::vector<u64> place(const Launch& launch, u32 device) {
    std::vector<u64> addresses;
    for (const LaunchTensor& tensor : launch.tensors) {
      const u64 bytes = tensor.bytes();
      driver::Allocation* const at =
          session_.memory().allocate({.device = device, .bytes = bytes, .call = "cudaMalloc"});
      addresses.push_back(at->address);
      if (std::holds_alternative<Uninitialized>(tensor.init)) continue;
      std::vector<std::byte> values(bytes);
      fill_tensor(tensor, values.data(), 0, bytes);
      session_.memory().copy({.to = {at->address}, .from = {u64(values.data())}, .bytes = bytes, .to_device = true},
                             "cudaMemcpy");
    }
    return addresses;
  }

  // In the current context.
  void launch(const Launch& launch, const std::vector<u64>& addresses) {
    driver::Module* module = nullptr;
    driver::Kernel* kernel = nullptr;
    driver::load_module(session_, current(), ptx::write(*launch.module).c_str(), &module, launch.module->path);
    driver::find_kernel(session_, *module, launch.entry, &kernel);
    driver::LaunchRequest request{.kernel = kernel,
                                  .grid = launch.grid,
                                  .block = launch.block,
                                  .shared_bytes = launch.dynamic_shared_bytes,
                                  .device = current().device,
                                  .peers = &current().peers,
                                  .parameters = std::vector<std::byte>(kernel->parameter_bytes),
                                  .stack = {launch.kernel_name}};
    for (u32 n = 0; n < launch.arguments.size(); ++n) add_argument(launch, n, addresses, request);
    driver::launch_in(session_, current(), request);
  }

  Answer answer() { return std::move(answer_); }

 private:
  static driver::Options options(const std::string& folder) {
    driver::Options options;
    options.devices = 2;
    options.folder = folder;
    return options;
  }

  static void add_argument(const Launch& launch, u32 number, const std::vector<u64>& addresses,
                           driver::LaunchRequest& request) {
    request.names.emplace_back();
    for_values(launch.arguments[number], [&](const auto& value, u64 byte) {
      using Value = std::remove_cvref_t<decltype(value)>;
      std::byte* const at = request.parameters.data() + request.kernel->parameters[number].offset + byte;
      if constexpr (std::is_same_v<Value, TensorArgument>) {
        std::memcpy(at, &addresses[value.tensor], sizeof(u64));
        request.names.back() = launch.tensors[value.tensor].name;
      } else if constexpr (std::is_same_v<Value, ScalarArgument>) {
        std::memcpy(at, &value.bits, size_of(value.dtype));
      }
    });
  }

  ScratchFolder folder_{"atlas"};
  driver::Session session_;
  Answer answer_;
};

CaseResult run(const DeviceBug& bug, bool is_correct, const std::string& name) {
  const Stopwatch watch;
  const Launch launch = kernels::kernel_named(bug.kernel).launch(families::parse_problem(bug.problem));
  Program program;
  const std::vector<u64> addresses = program.place(launch, 1);
  if (is_correct) program.contexts().set_current(&program.contexts().primary(1));
  program.launch(launch, addresses);
  return result_of(program.answer(), "bounds", name, "", watch);
}

}  // namespace

std::vector<AtlasBug> device_bugs(const Request&) {
  std::vector<AtlasBug> bugs;
  for (const DeviceBug& bug : all_device_bugs()) {
    const std::string name = std::string(bug.kernel) + " on tensors of device 1, device 0 being current";
    const std::string counterpart = std::string(bug.kernel) + " on tensors of device 1, which is made current";
    bugs.push_back({bug.row,
                    bug.title,
                    bug.related,
                    name,
                    {Rule::IllegalAddress, bug.tensor, bug.line, ""},
                    bug.source,
                    name,
                    counterpart,
                    [bug, name] { return run(bug, false, name); },
                    [bug, counterpart]() -> std::optional<CaseResult> { return run(bug, true, counterpart); }});
  }
  return bugs;
}

}  // namespace ropewalk::tools
