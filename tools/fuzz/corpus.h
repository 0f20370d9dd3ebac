// The corpus: a folder with a file for each case that once showed something.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "lib/campaign/campaign.h"

namespace ropewalk::tools {

// The cases of a folder, by file name; none where there is no such folder yet. Throws InputError for a file that cannot
// be read or understood.
std::vector<campaign::SavedCase> read_corpus(const std::string& folder);

// Names of the files that the findings' cases will have, of those that are not there yet.
std::set<std::string> new_files(const std::string& folder, const std::vector<Finding>& findings);
// Adds the case of each finding as FOLDER/KERNEL-ID.json unless there is one already, making the folder where it is
// missing. `cases` by finding. `own`: names of files that this campaign has made, which are written again. Throws
// InputError where a file cannot be written.
void grow_corpus(const std::string& folder, const std::vector<Finding>& findings,
                 const std::vector<campaign::SavedCase>& cases, const std::set<std::string>& own = {});

}  // namespace ropewalk::tools
