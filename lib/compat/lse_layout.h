// What shape a caller's source takes the log-sum-exp of a provider to have.
#pragma once
#include <functional>
#include <vector>

#include "lib/compat/call.h"
#include "lib/compat/provider.h"
#include "lib/compat/read_python.h"

namespace ropewalk::compat {

// Where the provider's table knows that a function's log-sum-exp changed its shape, and the source uses that shape and
// serves versions on both sides without telling them apart, its calls must take it in the older shape.
// calls_of gives the source's calls for another version.
void tell_lse_layout(const PythonFile& file, const Provider& provider,
                     const std::function<std::vector<Call>(const ProviderView&)>& calls_of, std::vector<Call>& calls);

}  // namespace ropewalk::compat
