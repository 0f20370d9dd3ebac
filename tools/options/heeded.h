// Which of the shared options a command heeds. What it does not heed it does not take.
#pragma once

namespace ropewalk {

struct HeededOptions {
  bool budget = false, seed = false, jobs = false;
  bool executor = false;  // with what only some executors take: --guards
  bool checks = false;
  bool machine = false;      // --contract, --block-order and --schedule
  bool sources = false;      // --root and --map
  bool outcome = false;      // --report, --format, --baseline, --suppress, --strict, --quiet and --color
  bool value_races = false;  // --strict also makes two writes of one value a race
  bool listing = false;      // --max-findings
};

// One row a kind of command.
inline constexpr HeededOptions heeds_nothing{};
inline constexpr HeededOptions heeded_by_our_kernels{.budget = true,
                                                     .seed = true,
                                                     .jobs = true,
                                                     .executor = true,
                                                     .checks = true,
                                                     .machine = true,
                                                     .outcome = true,
                                                     .value_races = true,
                                                     .listing = true};
inline constexpr HeededOptions heeded_by_launch{.budget = true,
                                                .seed = true,
                                                .jobs = true,
                                                .executor = true,
                                                .checks = true,
                                                .machine = true,
                                                .sources = true,
                                                .outcome = true,
                                                .value_races = true,
                                                .listing = true};
inline constexpr HeededOptions heeded_by_cache{.jobs = true, .outcome = true, .listing = true};
inline constexpr HeededOptions heeded_by_init{.sources = true, .outcome = true, .listing = true};
inline constexpr HeededOptions heeded_by_atlas{
    .seed = true, .executor = true, .checks = true, .machine = true, .outcome = true, .value_races = true};
inline constexpr HeededOptions heeded_by_replay{.jobs = true, .executor = true, .outcome = true, .listing = true};
inline constexpr HeededOptions heeded_by_reports{.outcome = true, .listing = true};

}  // namespace ropewalk
