// How many thread-instructions a second the machine executes.
#pragma once
#include <string>
#include <vector>

#include "lib/launch/outcome.h"

namespace ropewalk::tools {

struct Speed {
  std::string name;
  std::string not_measured;     // why; empty: the figures are there
  u64 thread_instructions = 0;  // of one launch
  double seconds = 0;           // of the fastest launch
  double per_second() const { return seconds > 0 ? double(thread_instructions) / seconds : 0; }
};

// Runs the launch again and again for about `seconds` and takes the fastest; instructions are counted in a run of their
// own. A launch that finds something or does not run is not measured.
Speed measure(const std::string& name, const Launch& launch, Executor& executor, const RunOptions& options,
              double seconds);

// How fast a campaign goes over our healthy kernels for problems of a kind, from its start, on all cores: small cases,
// with all checks, compared with the reference.
struct CampaignSpeed {
  u32 jobs = 1;
  u64 cases = 0;
  double seconds = 0;
  u64 findings = 0;  // and reasons why cases did not run: none may be there
  double per_second() const { return double(cases) / seconds; }
};
CampaignSpeed campaign_speed(const std::string& family, double seconds);
// The same of a campaign's small cases alone: up to 64 tokens, heads of up to 128 columns; of attention, forward, one
// head of 64.
CampaignSpeed small_cases_speed(const std::string& family, double seconds);

// How fast the reference of attention is in double precision, with its bounds, on all cores: the best of some runs over
// 8 heads with T=512 and D=64, in floating-point operations a second. 4 H T^2 D are counted for a forward and 2.5 times
// as many for a backward, as those who measure attention do; what the bounds take is not counted.
struct ReferenceSpeed {
  u32 cores = 1;
  double forward = 0, both = 0;
};
ReferenceSpeed reference_speed(double seconds);

// A launch to measure.
struct MeasuredLaunch {
  std::string name;
  Launch launch;
};

// Our own kernels for problems of that kind, on one of middling size.
std::vector<MeasuredLaunch> kernel_subjects(const std::string& family);
// One loop for each class of instruction, whose body is that instruction many times over.
std::vector<MeasuredLaunch> instruction_subjects();

}  // namespace ropewalk::tools
