// A campaign that was killed or stopped, as a file of the corpus keeps it.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "lib/campaign/campaign.h"

namespace ropewalk {

struct KeptCampaign {
  std::string options;           // all that what is found depends on; a campaign of others cannot go on from it
  std::vector<KeptCase> corpus;  // that was run first
  std::set<std::string> own;     // files of the corpus that this campaign has written
  CampaignState state;
};

// FOLDER/campaign.state, of a shard FOLDER/campaign-1-of-4.state.
std::string kept_campaign_path(const std::string& folder, u64 shard_index, u64 shard_count);
void write_kept_campaign(const std::string& path, const KeptCampaign& campaign);
// Removes what a kill left of files that were being written to the path.
void remove_unfinished(const std::string& path);
// nullopt: there is none. Throws InputError for a file that cannot be understood.
std::optional<KeptCampaign> read_kept_campaign(const std::string& path);

}  // namespace ropewalk
