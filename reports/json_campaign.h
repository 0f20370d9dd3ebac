// The part of a report's JSON that only campaigns have: what was asked for and what was covered.
#pragma once
#include "lib/base/json.h"
#include "lib/campaign/coverage.h"

namespace ropewalk::reports {

nlohmann::ordered_json campaign_json(const campaign::Record& campaign);
// Reads what campaign_json writes. Throws InputError with the field that does not fit.
campaign::Record read_campaign(const JsonCursor& cursor);

}  // namespace ropewalk::reports
