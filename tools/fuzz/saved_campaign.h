// A campaign that was killed or stopped, as a file of the corpus keeps it.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "lib/campaign/campaign.h"

namespace ropewalk::tools {

struct SavedCampaign {
  std::string options;  // all that what is found depends on; a campaign of others cannot go on from it
  std::vector<campaign::SavedCase> corpus;  // that was run first
  std::set<std::string> own;                // files of the corpus that this campaign has written
  campaign::State state;
};

// FOLDER/campaign.state, of a shard FOLDER/campaign-1-of-4.state.
std::string saved_campaign_path(const std::string& folder, u64 shard_index, u64 shard_count);
void write_saved_campaign(const std::string& path, const SavedCampaign& campaign);
// Removes what a kill left of files that were being written to the path.
void remove_unfinished(const std::string& path);
// nullopt: there is none. Throws InputError for a file that cannot be understood.
std::optional<SavedCampaign> read_saved_campaign(const std::string& path);

}  // namespace ropewalk::tools
