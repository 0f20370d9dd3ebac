// Layouts of columns that disagree between tables which are read by one rotation.
#pragma once
#include <string>
#include <vector>

#include "lib/rope/cache_findings.h"

namespace ropewalk::rope {

// Whether a plane's values tell its layout: where all columns of a row are alike, both fit.
bool tells_layout(const Plane& plane);

// Tables, healthy by themselves, whose layout is another than that of most tables of their kind.
std::vector<JudgedTable*> tables_of_odd_layout(std::vector<JudgedTable>& judged);

// A table, healthy by itself, whose layout is another than that of the same table on most ranks.
struct OddRank {
  JudgedTable* table = nullptr;
  std::string text;
};
std::vector<OddRank> ranks_of_odd_layout(std::vector<JudgedTable>& judged);

// Blames layouts that differ between tables, layers and ranks, and between cos and sin of one table.
void judge_layouts(std::vector<JudgedTable>& judged);
// Blames those of healthy tables that are not what the family's own program reads. "": the family is not known. Returns
// the others as notes.
std::vector<std::string> judge_family_layout(std::vector<JudgedTable>& judged, const std::string& family);

// "cos is repeated in halves (NeoX), sin in neighbours (GPT-J)".
std::string layout_text(const std::vector<JudgedTable>& judged, const JudgedTable& odd);

}  // namespace ropewalk::rope
