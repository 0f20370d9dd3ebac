// Races for shared memory in kernels that were written for it: a barrier that is missing is named, and nothing else is
// taken for one.
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/diagnose/diagnose.h"
#include "lib/launch/launch_file.h"
#include "lib/machine/machine.h"

namespace ropewalk::diagnose {
namespace {

// The causes of all shared races of a launch of tests/.
std::vector<Cause> causes_of_races_in(const std::string& path) {
  const Launch launch = read_launch_file(ROPEWALK_SOURCE_DIR "/tests/" + path + ".json");
  std::vector<Finding> findings = machine::make_machine()->run(launch, {}).findings;
  diagnose(findings, launch);
  std::vector<Cause> causes;
  for (const Finding& finding : findings) {
    if (finding.rule == Rule::SharedRace) causes.push_back(finding.cause.value_or(Cause()));
  }
  return causes;
}

// Their ids, of a launch of tests/kernels/general.
std::vector<std::string> causes_of_races(const std::string& name) {
  std::vector<std::string> ids;
  for (const Cause& cause : causes_of_races_in("kernels/general/" + name)) ids.push_back(cause.id);
  return ids;
}

TEST(Barriers, OneThatIsMissingIsNamed) {
  for (const char* name :
       {"transpose_missing_barrier", "matmul_bf16_missing_barrier", "sum_products_missing_barrier"}) {
    const std::vector<std::string> causes = causes_of_races(name);
    // Where a copy may not be complete either, a barrier alone is not to blame, and nothing is named.
    EXPECT_TRUE(std::find(causes.begin(), causes.end(), "missing-barrier") != causes.end()) << name;
    for (const std::string& cause : causes) {
      EXPECT_TRUE(cause == "missing-barrier" || cause == "missing-copy-wait" || cause.empty()) << name << ": " << cause;
    }
  }
}

// How many of these races may be one warp's alone.
u32 advised_for_warps(const std::string& path) {
  u32 count = 0;
  for (const Cause& cause : causes_of_races_in(path)) {
    EXPECT_EQ(cause.id, "missing-barrier");
    count += cause.advice.find("__syncwarp()") != std::string::npos;
  }
  return count;
}

TEST(Barriers, ThatOfAWarpIsAdvisedWhereOneWarpRaces) {
  EXPECT_EQ(advised_for_warps("data/machine/checks/swap_converged"), 1u);
  EXPECT_EQ(advised_for_warps("data/machine/checks/copy_without_barrier"), 0u);
}

TEST(Barriers, RacesOfAnotherKindHaveAnotherCause) {
  for (const char* name : {"histogram_plain_shared", "sum_products_missing_wait"}) {
    for (const std::string& cause : causes_of_races(name)) EXPECT_NE(cause, "missing-barrier") << name;
  }
}

}  // namespace
}  // namespace ropewalk::diagnose
