// What shape a caller's source takes the log-sum-exp of a provider to have.
#pragma once
#include <functional>
#include <vector>

#include "lib/compat/provider.h"
#include "lib/compat/read_calls.h"

namespace ropewalk::compat {

// Where the provider's table knows that a function's log-sum-exp changed its shape, and the source uses that shape and
// serves versions on both sides without telling them apart, its calls must take it in the older shape. Where a use of
// the shape fails with this version's number of dimensions, they take it in the other one. calls_of gives the source's
// calls for another version.
void tell_lse_layout(const PythonFile& file, const Provider& provider,
                     const std::function<std::vector<Call>(const ProviderView&)>& calls_of, CallsRead& read);

}  // namespace ropewalk::compat
