// Which of the shared options a command honors. What it does not honor it does not take.
#pragma once

namespace ropewalk::tools {

struct HonoredOptions {
  bool budget = false, seed = false, jobs = false;
  bool executor = false;  // with what only some executors take: --guards
  bool checks = false;
  bool machine = false;      // --fp-contract, --block-order and --schedule
  bool save = false;         // --save is --report, as in compute-sanitizer
  bool sources = false;      // --root and --map
  bool outcome = false;      // --report, --format, --baseline, --suppress, --strict, --quiet and --color
  bool value_races = false;  // --strict also makes two writes of one value a race
  bool listing = false;      // --max-findings
};

// One row a kind of command.
inline constexpr HonoredOptions honors_nothing{};
inline constexpr HonoredOptions honored_by_our_kernels{.budget = true,
                                                       .seed = true,
                                                       .jobs = true,
                                                       .executor = true,
                                                       .checks = true,
                                                       .machine = true,
                                                       .outcome = true,
                                                       .value_races = true,
                                                       .listing = true};
inline constexpr HonoredOptions honored_by_launch{.budget = true,
                                                  .seed = true,
                                                  .jobs = true,
                                                  .executor = true,
                                                  .checks = true,
                                                  .machine = true,
                                                  .sources = true,
                                                  .outcome = true,
                                                  .value_races = true,
                                                  .listing = true};
inline constexpr HonoredOptions honored_by_run{.jobs = true,
                                               .checks = true,
                                               .machine = true,
                                               .save = true,
                                               .sources = true,
                                               .outcome = true,
                                               .value_races = true,
                                               .listing = true};
inline constexpr HonoredOptions honored_by_cache{.jobs = true, .outcome = true, .listing = true};
inline constexpr HonoredOptions honored_by_init{.sources = true, .outcome = true, .listing = true};
inline constexpr HonoredOptions honored_by_atlas{
    .seed = true, .executor = true, .checks = true, .machine = true, .outcome = true, .value_races = true};
inline constexpr HonoredOptions honored_by_replay{.jobs = true, .executor = true, .outcome = true, .listing = true};
inline constexpr HonoredOptions honored_by_reports{.outcome = true, .listing = true};

}  // namespace ropewalk::tools
