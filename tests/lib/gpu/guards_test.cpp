// What lies around the tensors on a device, against the stand-in driver.
#include "lib/gpu/guards.h"

#include <unistd.h>

#include "lib/gpu/device_launch.h"
#include "lib/gpu/isolate.h"
#include "tests/lib/gpu/stand_in.h"
#include "tests/lib/gpu/stand_in_state.h"

namespace ropewalk {
namespace {

using gpu::Guards;

class GuardsOfTensors : public StandIn {
 protected:
  // 160 bytes of x and of out, one element read or written beyond.
  static Launch overrun(const char* name, u32 alignment) {
    Launch launch = check(name);
    for (LaunchTensor& tensor : launch.tensors) tensor.alignment = alignment;
    return launch;
  }
  static std::string note_of(const Outcome& outcome) { return outcome.notes.empty() ? "" : outcome.notes.at(0); }
};

TEST_F(GuardsOfTensors, an_unmapped_page_ends_a_read_of_one_element_past_the_end) {
  const Launch launch = overrun("read_global_past_the_end", 32);
  const Outcome paged = run_with(Guards::End, launch);
  ASSERT_EQ(paged.kind, OutcomeKind::Found) << paged.reason;
  EXPECT_EQ(paged.findings[0].rule, Rule::IllegalAddress);
  EXPECT_FALSE(paged.findings[0].access) << "a device does not say which access it was";
  EXPECT_EQ(note_of(paged), "each tensor ended at an unmapped page, as far as its alignment allows");
  EXPECT_EQ(run_with(Guards::Zones, launch).kind, OutcomeKind::Agreed) << "zones show no reads";
  EXPECT_EQ(run_with(Guards::Start, launch).kind, OutcomeKind::Agreed);
}

TEST_F(GuardsOfTensors, an_unmapped_page_ends_a_read_before_the_start) {
  const Launch launch = overrun("read_global_before_the_start", 32);
  EXPECT_EQ(run_with(Guards::Start, launch).findings.at(0).rule, Rule::IllegalAddress);
  EXPECT_EQ(run_with(Guards::End, launch).kind, OutcomeKind::Agreed);
}

TEST_F(GuardsOfTensors, alignment_is_kept_and_what_it_leaves_open_holds_poison) {
  const Outcome outcome = run_with(Guards::End, overrun("write_global_past_the_end", 256));
  ASSERT_EQ(outcome.findings.size(), 2u) << outcome.reason;  // the other is what was not written in its place
  EXPECT_EQ(outcome.findings[0].rule, Rule::OutOfBoundsWrite);
  EXPECT_EQ(outcome.findings[0].access->tensor, "out");
  EXPECT_EQ(outcome.findings[0].access->bytes_past_end, 0);
  EXPECT_EQ(outcome.findings[0].occurrences.accesses, 12u);
}

TEST_F(GuardsOfTensors, zones_take_the_place_of_pages_that_cannot_be_had) {
  set("ROPEWALK_STAND_IN_MAPS_NOTHING", "1");
  const Outcome without = run_with(Guards::End, healthy());
  EXPECT_EQ(without.kind, OutcomeKind::Agreed) << without.reason;
  EXPECT_EQ(note_of(without),
            "tensors lay between guard zones, not against unmapped pages: this device or its driver maps no memory by "
            "hand");
  set("ROPEWALK_STAND_IN_MAPS_NOTHING", "");
  unsetenv("ROPEWALK_STAND_IN_MAPS_NOTHING");
  set("ROPEWALK_STAND_IN_MEMORY", "3000000");
  const Outcome full = run_with(Guards::End, healthy());
  EXPECT_EQ(full.kind, OutcomeKind::Agreed) << full.reason;
  EXPECT_NE(note_of(full).find("cuMemCreate failed with CUDA_ERROR_OUT_OF_MEMORY (2)"), std::string::npos);
  set("ROPEWALK_STAND_IN_MEMORY", "1000");
  EXPECT_EQ(run_with(Guards::End, healthy()).kind, OutcomeKind::NotRun);
}

TEST_F(GuardsOfTensors, every_call_that_may_fail_leaves_zones) {
  for (const char* call :
       {"cuMemGetAllocationGranularity", "cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuMemSetAccess"}) {
    set("ROPEWALK_STAND_IN_FAIL", std::string(call) + ":801");
    const Outcome outcome = run_with(Guards::End, healthy());
    EXPECT_EQ(outcome.kind, OutcomeKind::Agreed) << call << ": " << outcome.reason;
    EXPECT_NE(note_of(outcome).find(std::string(call) + " failed with CUDA_ERROR_NOT_SUPPORTED"), std::string::npos)
        << note_of(outcome);
  }
}

TEST_F(GuardsOfTensors, everything_is_given_back) {
  for (const Guards guards : {Guards::End, Guards::Start, Guards::Zones, Guards::None}) {
    const gpu::ChildEnd end = gpu::run_in_child(
        [&] {
          const Launch launch = healthy();
          std::vector<std::vector<std::byte>> bytes;
          std::vector<std::byte*> tensors;
          for (const LaunchTensor& tensor : launch.tensors) bytes.emplace_back(tensor.bytes());
          for (auto& one : bytes) tensors.push_back(one.data());
          u64 placed = 0;
          {
            const gpu::DeviceRequest request = gpu::request_of(launch);
            gpu::DeviceLaunch on_device(gpu::Driver::open(), 0, request);
            on_device.place(tensors, guards);
            placed = stand_in::allocations.size();
            on_device.run();
            if (!on_device.read_back(tensors).empty()) _exit(2);
          }
          if (placed < tensors.size()) _exit(3);
          if (!stand_in::allocations.empty() || !stand_in::streams.empty() || !stand_in::modules.empty()) _exit(4);
          if (stand_in::contexts[0].retained) _exit(5);
        },
        20);
    EXPECT_EQ(end.exit_code, 0) << int(guards);
    EXPECT_EQ(end.signal, 0) << int(guards);
  }
}

}  // namespace
}  // namespace ropewalk
