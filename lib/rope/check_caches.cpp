#include "lib/rope/check_caches.h"

#include <fmt/format.h>

#include "lib/rope/stream.h"
#include "lib/rope/words.h"

namespace ropewalk {

CacheAnswer check_caches(const CacheRequest& request) {
  CacheAnswer answer;
  const RopeFormula& formula = request.config->entries.front().formula;
  answer.notes.push_back(in_words(formula));
  for (const std::string& path : request.files) {
    const Dump dump = open_dump(path, request.raw);
    const FileTables file = find_tables(dump, {formula.pairs(), formula.original_positions});
    for (const CacheTable& table : file.tables) {
      ++answer.tables;
      const StreamVerdict verdict = stream_table(table, rope_frequencies(formula, table.rows), table.planes[0].dtype,
                                                 positions_from(0, table.rows), request.threads);
      if (verdict.healthy()) {
        ++answer.healthy;
        continue;
      }
      Finding finding;
      finding.rule = Rule::CacheMismatch;
      finding.message = fmt::format("{}: {} of {} values differ from the formula", path, verdict.wrong, verdict.values);
      answer.findings.push_back(std::move(finding));
    }
  }
  return answer;
}

}  // namespace ropewalk
