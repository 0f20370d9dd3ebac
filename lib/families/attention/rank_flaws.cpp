#include "lib/families/attention/rank_flaws.h"

#include "lib/generate/parts_of.h"
#include "lib/problem/attention.h"
#include "lib/problem/ring_order.h"

namespace ropewalk::attention {

using generate::flaw_of;

namespace {

using Attention = AttentionProblem;

}  // namespace

std::vector<generate::Flaw> rank_flaws() {
  return {flaw_of<Attention>(
              "no ranks",
              [](Attention& p, Random& random) {
                p.ranks = -random.between(0, 2);
                return true;
              },
              [](const Attention& p) { return p.ranks < 1; }),
          flaw_of<Attention>(
              "more ranks than a ring has",
              [](Attention& p, Random& random) {
                p.ranks = random.between(9, 16);
                return true;
              },
              [](const Attention& p) { return p.ranks > 8; }),
          flaw_of<Attention>(
              "tokens that do not go evenly into the ranks",
              [](Attention& p, Random& random) {
                const i64 chunks = RingOrder::chunks_of(p);
                if (chunks < 2) return false;
                p.query_tokens = p.key_tokens = p.query_tokens + random.between(1, chunks - 1);
                return true;
              },
              [](const Attention& p) { return p.ranks > 0 && p.query_tokens % RingOrder::chunks_of(p) != 0; }),
          flaw_of<Attention>(
              "more keys than queries, or fewer, in a ring",
              [](Attention& p, Random& random) {
                p.key_tokens += RingOrder::chunks_of(p) * random.between(1, 2);
                return true;
              },
              [](const Attention& p) { return p.query_tokens != p.key_tokens; }),
          flaw_of<Attention>(
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
          flaw_of<Attention>(
              "sequences in a ring with more keys than queries, or fewer",
              [](Attention& p, Random&) {
                const i64 chunks = RingOrder::chunks_of(p);
                p.cu_seqlens_q = {0, chunks, p.query_tokens};
                p.cu_seqlens_k = {0, 0, p.query_tokens};
                return true;
              },
              [](const Attention& p) { return p.cu_seqlens_q != p.cu_seqlens_k; })};
}

}  // namespace ropewalk::attention
