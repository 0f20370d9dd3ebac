// Copies of one table on several ranks, compared with each other: what no formula sees.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// The same table on all ranks, by name; where each rank has one, whatever it is called.
std::map<std::string, std::vector<JudgedTable*>> same_tables(std::vector<JudgedTable>& judged);

// Copies of one table that do not have the same number of rows: a note for each.
std::vector<std::string> notes_on_lengths(std::vector<JudgedTable>& judged);

// Judges by the first rank's copy those of other ranks that differ from it, of tables that are right by themselves or
// that no formula and no cause explains: two ranks may each have a formula, and not the same one. `judged` holds one
// entry for each table and rank; those of shards are left alone. `configured`: a configuration was given.
void compare_ranks(std::vector<JudgedTable>& judged, bool configured);

}  // namespace ropewalk::rope
