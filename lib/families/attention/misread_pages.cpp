#include "lib/families/attention/misread_pages.h"

#include <fmt/format.h>

#include <algorithm>

#include "lib/diagnose/attention_facts.h"
#include "lib/diagnose/touched.h"
#include "lib/families/attention/cache_walk.h"
#include "lib/problem/attention.h"
#include "lib/problem/pages.h"

namespace ropewalk::attention {
namespace {

// What is wrong with the cache that the problem describes, as a cause and a text; empty: nothing.
struct WrongList {
  std::string cause, text;
};
WrongList wrong_list(const AttentionProblem& p) {
  const i64 columns = p.page_size ? table_columns(p) : 0, pool = p.page_size ? pages_in_pool(p) : 0;
  for (i64 sequence = 0; sequence < p.batch; ++sequence) {
    const i64 pages = p.page_size ? pages_of(p, sequence) : 0, keys = p.keys_of(sequence);
    if (pages > columns) {
      return {"page-table", fmt::format("sequence {} has {} keys in {} pages, and rows of the block table have {}",
                                        sequence, keys, pages, columns)};
    }
    for (i64 page = 0; page < pages && !p.block_table.empty(); ++page) {
      const i64 id = p.block_table[u64(sequence * columns + page)];
      if (id >= 0 && id < pool) continue;
      return {"page-table",
              fmt::format("block_table[{}, {}] is {}, there are pages 0 to {}", sequence, page, id, pool - 1)};
    }
    if (keys > p.key_tokens) {
      return {"key-lengths",
              fmt::format("key_lengths[{}] is {}, there is room for {} keys", sequence, keys, p.key_tokens)};
    }
  }
  return {};
}

bool is_small(const AttentionProblem& problem, const LaunchTensor& tensor) {
  const __int128 keys = __int128(problem.batch) * (problem.longest_keys() + problem.key_tokens + problem.query_tokens);
  constexpr i64 most = i64(1) << 15;  // there are many hypotheses
  return element_count(tensor.shape) <= most && keys <= most;
}

bool any_finding_of_keys(const diagnose::Scene& scene) {
  return std::any_of(scene.findings.begin(), scene.findings.end(), [&](const Finding& finding) {
    const LaunchTensor* tensor = diagnose::tensor_of(finding, scene);
    return tensor && tensor->name == "k";
  });
}

}  // namespace

std::optional<Cause> misread_pages(const Finding& finding, const diagnose::Scene& scene) {
  const AttentionProblem* problem = diagnose::attention_problem(scene);
  const LaunchTensor* tensor = diagnose::tensor_of(finding, scene);
  if (!problem || !tensor || (!diagnose::is_stray(finding) && !diagnose::broken_statement(finding)))
    return std::nullopt;
  if (problem->batch < 1 || (problem->page_size <= 0 && problem->key_lengths.empty())) return std::nullopt;
  if (tensor->name != "k" && tensor->name != "v" && tensor->name != "block_table") return std::nullopt;
  if (!is_small(*problem, *tensor)) return std::nullopt;
  const diagnose::Seen seen = diagnose::seen_of(*tensor, scene);
  std::vector<PageHypothesis> hypotheses = page_hypotheses(*problem, scene.launch);
  if (const WrongList wrong = wrong_list(*problem); !wrong.text.empty()) {
    hypotheses = {right_pages(*problem, scene.launch)};
    hypotheses[0].cause = wrong.cause;
    hypotheses[0].text = wrong.text;
    hypotheses[0].advice = "check lengths and pages against the room and the pool before the launch";
  }
  std::optional<Cause> cause;
  for (const PageHypothesis& hypothesis : hypotheses) {
    // Who misreads the pages of both tensors goes astray in both.
    if (tensor->name == "v" ? hypothesis.values_alone == any_finding_of_keys(scene) : hypothesis.values_alone) continue;
    if (!diagnose::explains(CacheWalk(*problem, scene.launch, hypothesis).of(*tensor), seen)) continue;
    if (cause && cause->id != hypothesis.cause) return std::nullopt;
    if (cause) continue;
    cause = Cause{hypothesis.cause,
                  hypothesis.text,
                  {fmt::format("read so, exactly the {} elements of {} are touched that belong to no sequence",
                               seen.strays.size(), tensor->name)},
                  hypothesis.advice};
  }
  return cause;
}

std::optional<Cause> parts_without_keys(const Finding& finding, const diagnose::Scene& scene) {
  const AttentionProblem* problem = diagnose::attention_problem(scene);
  const LaunchTensor* tensor = diagnose::tensor_of(finding, scene);
  if (!problem || !tensor || problem->varlen() || finding.rule != Rule::OutputNotWritten) return std::nullopt;
  if (!tensor->name.starts_with("out") && !tensor->name.starts_with("lse")) return std::nullopt;
  // out [splits, B, Tq, H, Dv], lse [splits, B, H, Tq].
  std::vector<i64> empty;
  const i64 part = element_count(tensor->shape) / problem->splits / problem->batch;
  for (i64 n = 0; n < problem->splits * problem->batch; ++n) {
    const auto keys = problem->keys_of_split(n / problem->batch, problem->keys_of(n % problem->batch));
    for (i64 element = n * part; element < (n + 1) * part && keys.last <= keys.first; ++element) {
      empty.push_back(element);
    }
  }
  const auto& missing = finding.footprint.elements;
  if (missing.empty() || !std::includes(empty.begin(), empty.end(), missing.begin(), missing.end()))
    return std::nullopt;
  if (finding.footprint.complete && missing != empty) return std::nullopt;
  if (problem->splits == 1) {
    return Cause{"empty-sequence",
                 "the queries of sequences without keys are not written",
                 {fmt::format("exactly the rows of {} of sequences without keys are missing", tensor->name)},
                 "a query that sees no key has out = 0 and lse = -inf, also where its sequence has no keys"};
  }
  return Cause{"empty-split",
               "parts without keys are not written",
               {fmt::format("exactly the {} elements of {} of such parts are missing", empty.size(), tensor->name)},
               "a part without keys has out = 0 and lse = -inf, by which the merge leaves it out"};
}

}  // namespace ropewalk::attention
