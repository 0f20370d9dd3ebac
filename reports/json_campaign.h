// The part of a report's JSON that only campaigns have: what was asked for and what was covered.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "lib/campaign/coverage.h"

namespace ropewalk {

nlohmann::ordered_json campaign_json(const CampaignRecord& campaign);
// Reads what campaign_json writes. Throws InputError with `path` and the field that does not fit.
CampaignRecord read_campaign(const nlohmann::json& json, const std::string& path);

}  // namespace ropewalk
