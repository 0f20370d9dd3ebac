#include "lib/families/attention/rank_flaws.h"

#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk {
namespace {

using Attention = AttentionProblem;

Flaw flaw(const std::string& name, const std::function<bool(Attention&, Random&)>& breaks,
          const std::function<bool(const Attention&)>& is_in) {
  return {name, [=](Problem& problem, Random& random) { return breaks(problem.get<Attention>(), random); },
          [=](const Problem& problem) { return is_in(problem.get<Attention>()); }};
}

}  // namespace

std::vector<Flaw> rank_flaws() {
  return {flaw(
              "no ranks",
              [](Attention& p, Random& random) {
                p.ranks = -random.between(0, 2);
                return true;
              },
              [](const Attention& p) { return p.ranks < 1; }),
          flaw(
              "more ranks than a ring has",
              [](Attention& p, Random& random) {
                p.ranks = random.between(9, 16);
                return true;
              },
              [](const Attention& p) { return p.ranks > 8; }),
          flaw(
              "tokens that do not go evenly into the ranks",
              [](Attention& p, Random& random) {
                const i64 chunks = RingOrder::chunks_of(p);
                if (chunks < 2) return false;
                p.query_tokens = p.key_tokens = p.query_tokens + random.between(1, chunks - 1);
                return true;
              },
              [](const Attention& p) { return p.ranks > 0 && p.query_tokens % RingOrder::chunks_of(p) != 0; }),
          flaw(
              "more keys than queries, or fewer, in a ring",
              [](Attention& p, Random& random) {
                p.key_tokens += RingOrder::chunks_of(p) * random.between(1, 2);
                return true;
              },
              [](const Attention& p) { return p.query_tokens != p.key_tokens; }),
          flaw(
              "a sequence in a ring whose tokens do not go evenly into the ranks",
              [](Attention& p, Random& random) {
                const i64 chunks = RingOrder::chunks_of(p);
                if (chunks < 2) return false;
                p.cu_seqlens_q = {0, random.between(1, chunks - 1), p.query_tokens};
                p.cu_seqlens_k = p.cu_seqlens_q;
                return true;
              },
              [](const Attention& p) {
                for (i64 n = 0; p.varlen() && p.ranks > 0 && n < p.sequences(); ++n) {
                  if (p.queries_of(n) % RingOrder::chunks_of(p) != 0) return true;
                }
                return false;
              }),
          flaw(
              "sequences in a ring with more keys than queries, or fewer",
              [](Attention& p, Random&) {
                const i64 chunks = RingOrder::chunks_of(p);
                p.cu_seqlens_q = {0, chunks, p.query_tokens};
                p.cu_seqlens_k = {0, 0, p.query_tokens};
                return true;
              },
              [](const Attention& p) { return p.cu_seqlens_q != p.cu_seqlens_k; })};
}

}  // namespace ropewalk
