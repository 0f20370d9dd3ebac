// Findings that follow from another one of the same launch.
#pragma once
#include "lib/diagnose/hypothesis.h"

namespace ropewalk::diagnose {

// A global race has the cause of an out-of-bounds finding of its tensor when both come from the same source line, or
// when it lies as close past the end of a row as the accesses past the end reach: what runs past the last row runs
// into the next row everywhere else. Lanes without a column mask race in their own row too: there the tables' overrun
// tells. nullopt where there are several such causes.
std::optional<Cause> cause_of_race(const Finding& finding, const Scene& scene);

// A read of shared memory that nobody had written, or two stores of what threads had read too early, come of the
// barrier that races lack, too: with it they do not happen.
std::optional<Cause> cause_of_same_barrier(const Finding& finding, const Scene& scene);

// An output is wrong where threads race: all its wrong elements lie in rows of races that have one cause.
std::optional<Cause> cause_of_raced_output(const Finding& finding, const Scene& scene);

// A NaN or an infinity comes to an output that is wrong for a known cause, by which all its elements are as observed.
std::optional<Cause> cause_of_nonfinite_output(const Finding& finding, const Scene& scene);

}  // namespace ropewalk::diagnose
