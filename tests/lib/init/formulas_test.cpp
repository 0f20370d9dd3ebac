// Plans over every kind of formula: a healthy one is clean, one that leaves out the scaling is found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/kernels.h"
#include "lib/init/check_plan.h"
#include "lib/init/read_plan.h"

namespace ropewalk::init {
namespace {

struct Variant {
  const char* name;
  const char* config;  // beside head_dim and max_position_embeddings
  bool scales = true;  // a table without the scaling is another one
};

class Formula : public ::testing::TestWithParam<Variant> {
 protected:
  // Built on meta, emptied and reset, and rotated at the first positions and at far ones.
  static PlanAnswer answer(bool scaled, const char* buffers) {
    return check_plan(read_plan(fmt::format(R"({{"schema": "ropewalk.plan/1", "ranks": 2,
      "config": {{"head_dim": 32, "max_position_embeddings": 256, {}}}, "buffers": {{{}}},
      "events": [{{"do": "construct", "on": "meta"}}, {{"do": "build_cache", "after": "construct"}},
        {{"do": "to_empty", "after": "build_cache"}},
        {{"do": "init_weights", "scaled": {}, "after": "to_empty"}},
        {{"do": "forward", "after": "init_weights"}},
        {{"name": "far", "do": "forward", "first_position": 200, "positions": 16, "after": "init_weights"}}]}})",
                                            GetParam().config, buffers, scaled),
                                "plan.json"),
                      kernels::shipped_kernels());
  }
};

TEST_P(Formula, AHealthyInitialisationIsClean) {
  for (const char* buffers : {R"("cos_sin": {"rows": 256})", R"("cos_sin": {"rows": 256, "dtype": "bf16"})",
                              R"("inv_freq": {"holds": "frequencies"})"}) {
    const bool of_frequencies = std::string_view(buffers).find("inv_freq") != std::string_view::npos;
    // What depends on the table's length is not known to frequencies alone.
    const std::string_view name = GetParam().name;
    if (of_frequencies && (name == "dynamic" || name == "longrope" || name == "xpos")) continue;
    const PlanAnswer found = answer(true, buffers);
    EXPECT_TRUE(found.findings.empty()) << buffers << ": " << found.findings[0].message << "; "
                                        << found.findings[0].cause.value_or(Cause{}).text;
    EXPECT_FALSE(found.orders.is_zero());
  }
}

TEST_P(Formula, AResetWithoutTheScalingIsFound) {
  if (!GetParam().scales) return;
  const PlanAnswer found = answer(false, R"("cos_sin": {"rows": 256})");
  ASSERT_FALSE(found.findings.empty());
  for (const Finding& finding : found.findings) {
    ASSERT_TRUE(finding.cause);
    EXPECT_EQ(finding.cause->id, "scaling-lost-in-reset");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Init, Formula,
    ::testing::Values(
        Variant{"plain", R"("rope_theta": 10000)", false},
        Variant{"linear", R"("rope_scaling": {"rope_type": "linear", "factor": 4})"},
        Variant{"dynamic", R"("rope_scaling": {"rope_type": "dynamic", "factor": 4})", false},
        Variant{"llama3", R"("rope_theta": 500000, "rope_scaling": {"rope_type": "llama3", "factor": 8,
          "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 32})"},
        Variant{"yarn",
                R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 64})"},
        Variant{"yarn_mscale", R"("rope_scaling": {"rope_type": "yarn", "factor": 40, "mscale": 0.707,
          "mscale_all_dim": 1.0, "original_max_position_embeddings": 64})"},
        Variant{"longrope", R"("original_max_position_embeddings": 64, "rope_scaling": {"rope_type": "longrope",
          "short_factor": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1], "long_factor": [1,1,1,2,2,2,2,3,3,3,3,4,4,4,4,4]})"},
        Variant{"proportional", R"("partial_rotary_factor": 0.5, "rope_scaling": {"rope_type": "proportional"})",
                false},
        Variant{"partial", R"("partial_rotary_factor": 0.5)", false},
        Variant{"sections", R"("rope_scaling": {"rope_type": "default", "mrope_section": [4, 6, 6]})", false}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace ropewalk::init
